//! The results of a run, reported at its end to people and to machines.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use hashlanes_files::name::quote;
use hashlanes_files::replace::Replacement;
use hashlanes_files::system::is_same_file;
use indicatif::HumanBytes;

use crate::options::path;
use crate::terminal::message::{reason, say, say_of};
use crate::terminal::progress::Work;

/// The exit status if a file is damaged.
pub(crate) const DAMAGED: u8 = 4;

/// The exit status if nothing differs but something could not be read.
const UNREAD: u8 = 3;

/// The metric that is kept from run to run.
const LAST_SUCCESS: &str = "hashlanes_last_success_timestamp_seconds";

/// Options for reporting results at the end.
#[derive(clap::Args)]
pub(crate) struct Summary {
    /// At the end, report on the standard error how many files and bytes there were, and how fast
    #[arg(long, help_heading = "Progress")]
    summary: bool,

    /// At the end, write FILE for Prometheus, in the format of its textfile collector. FILE is
    /// replaced atomically and contains no file names. It must be a regular file, and none of those
    /// that are hashed or checked. An interrupted run keeps the old one
    #[arg(long, value_name = "FILE", value_parser = path(), help_heading = "Progress")]
    metrics: Option<PathBuf>,
}

/// The result for a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Ok,
    Differs,
    /// It differs, and nothing says that anybody wrote it.
    Damaged,
    Missing,
    Unreadable,
    /// It was left out.
    LeftOut,
}

impl State {
    const ALL: [Self; 6] =
        [Self::Ok, Self::Differs, Self::Damaged, Self::Missing, Self::Unreadable, Self::LeftOut];

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Differs => "differs",
            Self::Damaged => "damaged",
            Self::Missing => "missing",
            Self::Unreadable => "unreadable",
            Self::LeftOut => "left_out",
        }
    }
}

/// The results for the files of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Tally {
    files: [u64; State::ALL.len()],
    /// Problems other than those of files, such as with a manifest.
    pub(crate) faults: u64,
}

impl Tally {
    /// The tally of something that could not even begin.
    pub(crate) fn fault() -> Self {
        Self { faults: 1, ..Self::default() }
    }

    pub(crate) fn count(&mut self, state: State) {
        self.files[state as usize] += 1;
    }

    pub(crate) fn of(&self, state: State) -> u64 {
        self.files[state as usize]
    }

    pub(crate) fn files(&self) -> u64 {
        self.files.iter().sum()
    }

    fn errors(&self) -> u64 {
        self.faults + self.files() - self.of(State::Ok) - self.of(State::LeftOut)
    }

    pub(crate) fn is_good(&self) -> bool {
        self.errors() == 0
    }

    /// Whether all went well and something was done: a run that left out all files is no success.
    fn is_success(&self) -> bool {
        self.is_good() && (self.of(State::Ok) > 0 || self.files() == 0)
    }

    /// Adds the tally of another part of the run.
    pub(crate) fn add(&mut self, other: &Self) {
        self.files.iter_mut().zip(other.files).for_each(|(sum, count)| *sum += count);
        self.faults += other.faults;
    }

    /// The exit status of a run that compares.
    pub(crate) fn status(&self) -> ExitCode {
        if self.of(State::Damaged) > 0 {
            ExitCode::from(DAMAGED)
        } else if self.faults + self.of(State::Differs) > 0 {
            ExitCode::FAILURE
        } else if self.is_good() {
            ExitCode::SUCCESS
        } else {
            ExitCode::from(UNREAD)
        }
    }
}

/// Bytes per second.
fn rate(work: &Work) -> u64 {
    (work.bytes as f64 / work.time.as_secs_f64().max(1e-9)) as u64
}

impl Summary {
    /// Whether anything is to be reported.
    pub(crate) fn is_asked(&self) -> bool {
        self.summary || self.metrics.is_some()
    }

    /// Takes back the wish for a summary. Metrics are still written.
    pub(crate) fn hush(&mut self) {
        self.summary = false;
    }

    /// Refuses to replace a file that is not a file of metrics: an input, or a device.
    ///
    /// # Errors
    /// The reason in words.
    pub(crate) fn refuse<'p>(
        &self,
        inputs: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), String> {
        let Some(file) = &self.metrics else { return Ok(()) };
        let why = match fs::metadata(file) {
            Ok(metadata) if !metadata.is_file() => "not a regular file",
            Ok(_) if inputs.into_iter().any(|input| is_same_file(input, file)) => {
                "it is an input of this run, too"
            }
            Err(_) if file.is_symlink() => "a broken link",
            _ => return Ok(()),
        };
        Err(format!("--metrics {}: {why}", quote(file)))
    }

    /// Reports what the options request. False if that failed; the reason has been printed.
    pub(crate) fn tell(&self, command: &str, tally: &Tally, work: &Work) -> bool {
        if self.summary {
            say(text(tally, work));
        }
        let Some(file) = &self.metrics else { return true };
        let written = replace(file, &metrics(file, command, tally, work));
        written.map_err(|error| say_of(file, reason(&error))).is_ok()
    }
}

fn text(tally: &Tally, work: &Work) -> String {
    let states =
        State::ALL.map(|state| format!("{} {}", tally.of(state), state.word().replace('_', " ")));
    let files = tally.files();
    format!(
        "{files} {} ({}), {} in {:.1} s, {}/s",
        if files == 1 { "file" } else { "files" },
        states.join(", "),
        HumanBytes(work.bytes),
        work.time.as_secs_f64(),
        HumanBytes(rate(work))
    )
}

/// Appends the summary as a JSON object, with a newline.
pub(crate) fn write_json(tally: &Tally, work: &Work, line: &mut Vec<u8>) {
    let mut text = format!("{{\"summary\":{{\"files\":{}", tally.files());
    for state in State::ALL {
        let _ = write!(text, ",\"{}\":{}", state.word(), tally.of(state));
    }
    let (errors, bytes, rate) = (tally.errors(), work.bytes, rate(work));
    let seconds = work.time.as_secs_f64();
    let _ = writeln!(
        text,
        ",\"errors\":{errors},\"bytes\":{bytes},\"seconds\":{seconds:.3},\
         \"bytes_per_second\":{rate}}}}}"
    );
    line.extend(text.bytes());
}

/// The metrics of a run. The name of the file distinguishes several jobs on a machine.
fn metrics(file: &Path, command: &str, tally: &Tally, work: &Work) -> String {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let escaped = stem.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels = format!("command=\"{command}\",run=\"{escaped}\"");
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let success = if tally.is_success() { Some(now.to_string()) } else { last_success(file) };
    let mut text = String::new();
    let mut metric = |name: &str, kind: &str, help: &str, values: &[(String, String)]| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
        for (labels, value) in values {
            let _ = writeln!(text, "{name}{{{labels}}} {value}");
        }
    };
    let states = State::ALL.map(|state| {
        (format!("{labels},status=\"{}\"", state.word()), tally.of(state).to_string())
    });
    let one = |value: String| [(labels.clone(), value)];
    let seconds = format!("{:.3}", work.time.as_secs_f64());
    metric("hashlanes_files_total", "counter", "Files of the latest run.", &states);
    let help = "Bytes that the latest run has read.";
    metric("hashlanes_bytes_total", "counter", help, &one(work.bytes.to_string()));
    let help = "Files that differ or were not read, and problems of manifests, in the latest run.";
    metric("hashlanes_errors_total", "counter", help, &one(tally.errors().to_string()));
    metric("hashlanes_duration_seconds", "gauge", "Time of the latest run.", &one(seconds));
    let help = "End of the latest run.";
    metric("hashlanes_last_run_timestamp_seconds", "gauge", help, &one(now.to_string()));
    if let Some(success) = success {
        let help = "End of the latest run without an error.";
        metric(LAST_SUCCESS, "gauge", help, &one(success));
    }
    text
}

/// When a run without errors ended, as recorded by an earlier run.
fn last_success(file: &Path) -> Option<String> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(LAST_SUCCESS))?;
    let (_, value) = line.rsplit_once(' ')?;
    value.parse::<u64>().ok().map(|value| value.to_string())
}

/// Replaces a file atomically. The collector ignores the temporary name.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    let replacement = Replacement::begin(file)?;
    let mut new = replacement.create("new")?;
    new.write_all(text.as_bytes())?;
    replacement.put("new", &new, replacement.target())
}
