//! Writes the lines of files.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hashlanes_files::list::ListError;
use hashlanes_files::manifest::{Unwritable, Written};
use hashlanes_files::replace::Own;
use hashlanes_files::source::Note;
use hashlanes_files::system::{LastingNumbers, Stamp};
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_files::{Hashed, Outcome as Hash, Report, system};

use crate::objects::WriteBack;
use crate::resume::{Form, KnownBy, complete_line};
use crate::terminal::message::{CHANGED, reason, say_of};
use crate::terminal::output::Output;
use crate::terminal::summary::{State, Tally};

/// The lines for a later run.
pub(super) struct Journal {
    /// When the run began, before any file was read.
    pub(super) begin: SystemTime,
    pub(super) numbers: LastingNumbers,
}

impl Journal {
    /// By what a later run knows the file again.
    fn known_by(&mut self, path: &Path, hashed: &Hashed) -> KnownBy {
        let Some(stamp) = hashed.stamp.filter(|_| !hashed.is_changed) else {
            return KnownBy::Nothing;
        };
        // The tag of an object belongs to its content, unless it is a weak ETag.
        let has_tag = hashed.tag.as_deref().is_some_and(|tag| !tag.starts_with("W/"));
        if has_tag || stamp.is_settled(self.begin) {
            let number = stamp.number(&mut self.numbers, path);
            return KnownBy::Changed { changed: stamp.changed, number };
        }
        let modified = (stamp.seconds, stamp.nanoseconds);
        let is_settled = Stamp::of_object(stamp.size, modified).is_settled(self.begin);
        if is_settled { KnownBy::Written } else { KnownBy::Nothing }
    }
}

/// Writes the lines.
pub(super) struct Lines {
    pub(super) form: Form,
    /// Whether only the bytes of the digest are written.
    pub(super) raw: bool,
    /// How the lines of the journal are completed, if they go there.
    pub(super) journal: Option<Journal>,
    pub(super) output: Output,
    /// Files that the run itself writes, which are left out.
    pub(super) own: Own,
    /// Counts them.
    pub(super) walk: Walk,
    /// Files that were hashed, and files and directories that could not be read.
    pub(super) tally: Tally,
    pub(super) write_back: Option<WriteBack>,
}

impl Lines {
    fn fail(&mut self, path: &Path, reason: &str) -> io::Result<()> {
        // On a terminal, the message then appears in the place of the line.
        self.output.flush()?;
        self.tally.count(State::Unreadable);
        say_of(path, reason);
        Ok(())
    }

    /// Writes what precedes the lines.
    pub(super) fn begin(&mut self) -> io::Result<()> {
        if self.raw { Ok(()) } else { self.output.line(|line| self.form.writer.header(line)) }
    }

    /// Ends what the lines have begun.
    pub(super) fn end(&mut self) -> io::Result<()> {
        if !self.raw {
            self.output.line(|line| self.form.writer.footer(line))?;
        }
        self.output.flush()?;
        while let Some(ended) = self.write_back.as_mut().and_then(WriteBack::end) {
            self.told(ended)?;
        }
        Ok(())
    }

    /// Reports digests that could not be written back.
    fn told(&mut self, outcome: Result<(), (PathBuf, io::Error)>) -> io::Result<()> {
        if let Err((path, error)) = outcome {
            self.output.flush()?;
            self.tally.faults += 1;
            say_of(&path, format_args!("digests not stored: {}", reason(&error)));
        }
        Ok(())
    }

    /// Whether the run itself writes the file.
    fn is_own(&self, path: &Path, outcome: &Hash) -> bool {
        match outcome {
            Ok(hashed) => hashed.stamp.is_some_and(|stamp| self.own.is(&stamp)),
            Err(_) => self.own.is_at(path),
        }
    }

    fn write(&mut self, path: &Path, hashed: &Hashed) -> io::Result<()> {
        if self.raw {
            self.tally.count(State::Ok);
            return self.output.bytes(hashed.digests[0].as_bytes());
        }
        let name = match self.form.name(path) {
            Ok(name) => name,
            Err(why) => return self.fail(path, why),
        };
        let name = system::name(&name);
        let file = Written::of(&name, hashed);
        let mut written: Result<(), Unwritable> = Ok(());
        let writer = &self.form.writer;
        let journal = &mut self.journal;
        self.output.line(|line| {
            let start = line.len();
            written = writer.file(&file, line);
            if let (Some(journal), Ok(())) = (journal, written) {
                complete_line(line, start, journal.known_by(path, hashed));
            }
        })?;
        match written {
            Ok(()) => {
                self.tally.count(State::Ok);
                Ok(())
            }
            Err(why) => self.fail(path, &why.to_string()),
        }
    }
}

impl Report<Note> for Lines {
    fn file(&mut self, path: &Path, _: Note, outcome: Hash) -> io::Result<()> {
        if self.is_own(path, &outcome) {
            self.walk.skipped().count_own(path);
            return Ok(());
        }
        match outcome {
            Ok(hashed) => {
                self.write(path, &hashed)?;
                if let Some(write_back) = &mut self.write_back {
                    let begun = write_back.add(path, &hashed);
                    self.told(begun)?;
                }
                if hashed.is_changed {
                    self.output.flush()?;
                    say_of(path, CHANGED);
                }
                Ok(())
            }
            Err(error) => self.fail(path, &reason(&error)),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::None => Ok(()),
            Note::Kept(kept) => self.output.line(|line| line.extend(kept)),
            Note::Walk(WalkError { path, error }) => self.fail(&path, &reason(&error)),
            Note::List(ListError { list, entry, error }) => {
                self.fail(&list, &format!("entry {entry}: {}", reason(&error)))
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    #[test]
    fn a_weak_etag_does_not_show_that_an_object_is_the_same() {
        let begin = UNIX_EPOCH + std::time::Duration::from_secs(1000);
        let mut journal = Journal { begin, numbers: LastingNumbers::default() };
        let mut is_known = |tag: &str, seconds| {
            let stamp = Some(Stamp::of_object(1, (seconds, 0)));
            let (digests, tag) = (Vec::new(), Some(tag.into()));
            let hashed = Hashed { digests, length: 1, stamp, tag, is_changed: false };
            !matches!(journal.known_by(Path::new("s3://b/k"), &hashed), KnownBy::Nothing)
        };
        assert!(is_known("1", 999) && is_known("W/1", 900) && !is_known("W/1", 999));
    }
}
