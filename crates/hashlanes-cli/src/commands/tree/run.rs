//! Hashes files one after another, each large one on all cores. Small files are read in groups.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hashlanes_files::list::ListError;
use hashlanes_files::replace::Own;
use hashlanes_files::source::{Note, Stores};
use hashlanes_files::system::is_same_file;
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_files::{Control, Entry, Input, Kind, Source, is_special};
use hashlanes_tree::{Format, Settings, s3};

use super::Args;
use super::group::{Outcome, side_by_side};
use super::lines::{Lines, Style};
use super::one::{Digests, Failure, digest};
use super::options::Wanted;
use crate::terminal::message::{CHANGED, exit_status, output_failed, reason, say_of, wrong_usage};
use crate::terminal::output::Output;

/// The most files to read before they are reported.
const GROUP: usize = 4096;

pub(super) fn run(args: Args, mut wanted: Wanted) -> Result<ExitCode, ExitCode> {
    if let Some(hash_file) = &mut wanted.hash_file {
        match args.inputs.files.as_slice() {
            [data] if data == &hash_file.path || is_same_file(data, &hash_file.path) => {
                if hash_file.offset.is_none() {
                    return Err(wrong_usage(
                        "--hash-file would overwrite the data; see --hash-offset and --data-blocks",
                    ));
                }
                hash_file.has_data = true;
            }
            [_] if !args.inputs.tree.recursive && !args.inputs.list.is_given() => {}
            _ => return Err(wrong_usage("--hash-file takes a single file")),
        }
    }
    let style = match wanted.formats.len() {
        _ if !wanted.prove.is_empty() => Style::Proofs,
        _ if args.json => Style::Json,
        1 if !args.tag => Style::Plain,
        _ => Style::Tagged,
    };
    let output = Output::stdout().map_err(|error| output_failed(&error))?;
    let lines = Lines { style, zero: args.zero, output };
    let walk = args.inputs.tree.walk()?;
    let stores: Arc<dyn Stores> = args.inputs.stores.open();
    let mut names = args.inputs.names(&walk, &stores)?;
    let watched = args.inputs.progress.watch(names.total());
    let files = watched.settings(&args.inputs.machine);
    let control = files.control.unwrap_or(&NOBODY);
    let settings = Settings { control: Some(control), ..args.settings(&files) };
    let (own, group) = (Own::outputs(), Vec::new());
    let mut run =
        Run { wanted, lines, settings, control, group, own, walk: walk.clone(), failed: false };
    let outcome = run.all(&mut *names.source).and_then(|()| run.lines.output.flush());
    control.set_drained();
    watched.finish();
    args.inputs.tree.say_skipped(&walk);
    Ok(exit_status(outcome.map(|()| !run.failed)))
}

static NOBODY: Control = Control::new();

struct Run<'c> {
    wanted: Wanted,
    lines: Lines,
    settings: Settings<'c>,
    control: &'c Control,
    /// Files that are still to be read. No pipes: reading one may take any time.
    group: Vec<(PathBuf, Kind)>,
    /// The output, if it is a file, and the walk that counts what is left out.
    own: Own,
    walk: Walk,
    failed: bool,
}

impl Run<'_> {
    fn all(&mut self, source: &mut dyn Source<Note = Note>) -> io::Result<()> {
        while !self.control.is_stopped() {
            if self.group.len() == GROUP || !source.is_ready() {
                self.finish_group()?;
                self.lines.output.flush()?;
            }
            match source.next() {
                None => return self.finish_group(),
                Some(Entry::Named { path, .. }) if self.own.is_at(&path) => {
                    self.walk.skipped().count_own(&path);
                }
                Some(Entry::Named { path, input, .. }) => match input {
                    Input::File(kind) if self.is_for_group(&path, &kind) => {
                        self.group.push((path, kind));
                    }
                    input => self.alone(&path, input)?,
                },
                Some(Entry::Note(note)) => {
                    self.finish_group()?;
                    self.note(note)?;
                }
            }
        }
        Ok(())
    }

    /// Reads a file by itself.
    fn alone(&mut self, path: &Path, input: Input) -> io::Result<()> {
        self.finish_group()?;
        let outcome = digest(path, input, &self.wanted, &self.settings);
        self.report(path, outcome)
    }

    fn is_for_group(&self, path: &Path, kind: &Kind) -> bool {
        let is_plain = self.wanted.hash_file.is_none() && self.wanted.data_blocks.is_none();
        is_plain && (matches!(kind, Kind::Walked(_)) || !is_special(path))
    }

    /// Reads the files of the group side by side, and reports them in order.
    fn finish_group(&mut self) -> io::Result<()> {
        let mut group = std::mem::take(&mut self.group);
        while !group.is_empty() && !self.control.is_stopped() {
            let outcomes = side_by_side(&group, &self.wanted, &self.settings);
            let done = outcomes.len();
            for ((path, kind), outcome) in group.drain(..done).zip(outcomes) {
                let outcome = match outcome {
                    Outcome::Done(outcome) => outcome,
                    Outcome::Alone => digest(&path, kind.into(), &self.wanted, &self.settings),
                };
                self.report(&path, outcome)?;
            }
        }
        Ok(())
    }

    fn report(&mut self, path: &Path, outcome: Result<Digests, Failure>) -> io::Result<()> {
        match outcome {
            Ok(digests) => {
                self.control.add_files(1);
                self.warn(path, digests.length)?;
                let Wanted { formats, prove, .. } = &self.wanted;
                for leaf in self.lines.file(path, formats, prove, &digests)? {
                    self.fail(path, &format!("there is no leaf {leaf}"))?;
                }
                if digests.is_changed {
                    self.lines.output.flush()?;
                    say_of(path, CHANGED);
                }
                Ok(())
            }
            Err(Failure::Stopped) => Ok(()),
            Err(failure) => {
                self.control.add_files(1);
                self.fail(path, &failure.reason())
            }
        }
    }

    /// Warns about parts that Amazon would not accept.
    fn warn(&mut self, path: &Path, length: u64) -> io::Result<()> {
        for format in &self.wanted.formats {
            if let Format::S3 { part, threshold, .. }
            | Format::S3Crc { part: Some(part), threshold, .. } = format
                && length >= *threshold
                && let Some(limit) = s3::limit(*part, length)
            {
                self.lines.output.flush()?;
                say_of(path, format_args!("WARNING: parts of {part} bytes: {limit}"));
            }
        }
        Ok(())
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::None | Note::Kept(_) => Ok(()),
            Note::Walk(WalkError { path, error }) => self.fail(&path, &reason(&error)),
            Note::List(ListError { list, entry, error }) => {
                self.fail(&list, &format!("entry {entry}: {}", reason(&error)))
            }
        }
    }

    fn fail(&mut self, path: &Path, reason: &str) -> io::Result<()> {
        // On a terminal, the message then appears in the place of the line.
        self.lines.output.flush()?;
        self.failed = true;
        say_of(path, reason);
        Ok(())
    }
}
