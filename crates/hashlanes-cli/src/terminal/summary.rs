//! The results of a run, reported at its end to people and to machines.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};

use hashlanes_files::name::quote;
use hashlanes_files::replace::{Own, Replacement, Replaces, is_same_place};
use indicatif::HumanBytes;

use crate::options::path;
use crate::terminal::message::{reason, say, say_of};
use crate::terminal::progress::Work;

/// The exit status if a file is damaged.
pub(crate) const DAMAGED: u8 = 4;

/// What is said of a file that is damaged.
pub(crate) const UNWRITTEN: &str = "damaged: the content differs, but the size and the time do not";

/// What is said of damaged files that keep their digests.
pub(crate) fn kept_damaged(files: u64) -> String {
    let what = if files == 1 { "file" } else { "files" };
    format!(
        "kept the old digests of {files} damaged {what}: restore the content, or accept it with \
         --accept-damaged"
    )
}

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
    /// replaced atomically and contains no file names. Only a file of metrics is replaced, and none
    /// that is hashed or checked. An interrupted run keeps the old one
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

    /// A file that was counted turns out to be damaged.
    pub(crate) fn damage(&mut self) {
        self.files[State::Ok as usize] = self.of(State::Ok).saturating_sub(1);
        self.count(State::Damaged);
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

    /// Refuses to replace a file that is not a file of metrics: an input, or a device.
    ///
    /// # Errors
    /// The reason in words.
    pub(crate) fn refuse<'p>(
        &self,
        inputs: impl IntoIterator<Item = &'p PathBuf>,
    ) -> Result<(), String> {
        let Some(file) = &self.metrics else { return Ok(()) };
        let is_input = || inputs.into_iter().any(|input| is_same_place(input, file));
        let why = match Replaces::Any.refuse(file) {
            Ok(()) if is_input() => INPUT.to_owned(),
            Ok(()) => match REPLACES.refuse(file) {
                // If its folder is missing, that is reported at the end.
                Ok(()) => return Ok(()),
                Err(error) => reason(&error),
            },
            Err(error) => reason(&error),
        };
        Err(format!("--metrics {}: {why}", quote(file)))
    }

    /// The files that are written.
    pub(crate) fn own(&self) -> Own {
        let own = self.metrics.as_deref().and_then(|file| Own::new(file, &[]).ok());
        own.unwrap_or_default()
    }

    /// Reports what the options request, but prints nothing if all is well and the run is quiet.
    /// `has_read` if the file of metrics is one of those that were read, which is not replaced.
    /// False if that failed; the reason has been printed.
    pub(crate) fn tell(
        &self,
        command: &str,
        (tally, work): (&Tally, &Work),
        (is_quiet, has_read): (bool, bool),
    ) -> bool {
        if self.summary && !(is_quiet && tally.is_good()) {
            say(text(tally, work));
        }
        let Some(file) = &self.metrics else { return true };
        if has_read {
            say_of(file, format_args!("not replaced: {INPUT}"));
            return false;
        }
        let text = metrics(file, command, tally, work);
        let begun = Replacement::begin(file, REPLACES);
        let written = begun.and_then(|replacement| replacement.put_whole(text.as_bytes()));
        written.map_err(|error| say_of(file, reason(&error))).is_ok()
    }
}

/// Why a file of metrics is not written.
const INPUT: &str = "it is also an input of this run";

/// What metrics replace: metrics.
const REPLACES: Replaces<'_> =
    Replaces::Made("a file of metrics", &|begin, _| begin.starts_with(b"# HELP hashlanes_"));

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
