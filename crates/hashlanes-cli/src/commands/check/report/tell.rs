//! Reports the result for each file.

use std::io;
use std::path::Path;

use hashlanes_files::walk::WalkError;
use hashlanes_files::{Digest, Hashed, Outcome, Report, system};

use super::super::manifests::Guessed;
use super::super::print::{Printer, Status};
use super::super::verdict::agree;
use super::source::{Note, Where};
use super::table::Table;
use super::update::Changes;
use crate::commands::tree::check::{self as trees, Reading};
use crate::resume::Remembered;
use crate::terminal::message::{CHANGED, reason, say_of};

/// A file that is not listed.
pub(super) struct New {
    pub(super) name: Box<[u8]>,
    /// Its digests, concatenated, or the keys of its lines of trees.
    pub(super) digests: Box<[u8]>,
}

/// The result of a report.
pub(super) struct Told {
    /// Whether all files are unchanged and there are no others.
    pub(super) all_well: bool,
    /// Why the folder seems to be another one than the manifest is about.
    pub(super) doubt: Option<&'static str>,
    /// How many files are damaged.
    pub(super) damaged: usize,
    /// Indices of the items that were not found under any name.
    pub(super) missing: Vec<usize>,
    /// Functions that the manifest may use, if no digest matched and no file was left out.
    pub(super) hints: Vec<String>,
    /// What an update changes.
    pub(super) changes: Changes,
}

pub(super) struct Tell<'t> {
    pub(super) table: &'t Table,
    pub(super) printer: Printer,
    /// How files are read whose digests are made of parts.
    pub(super) trees: Reading<'t>,
    pub(super) changes: Changes,
    /// What is known of the files besides the manifest.
    pub(super) remembered: Remembered,
    pub(super) found: Found,
}

/// What was found so far.
#[derive(Default)]
pub(super) struct Found {
    pub(super) unchanged: u64,
    /// Indices of items.
    pub(super) changed: Vec<usize>,
    pub(super) damaged: Vec<usize>,
    pub(super) missing: Vec<usize>,
    pub(super) new: Vec<New>,
    pub(super) unreadable: Vec<Box<[u8]>>,
    /// Whether some listed file exists but cannot be read.
    pub(super) keeps: bool,
    pub(super) left_out: u64,
    /// How many listed files were read outside of the folder, and the index of one.
    pub(super) outside: (u64, usize),
    /// How many absolute names lead to what may be the original of the folder.
    pub(super) originals: u64,
    /// How many missing files have their place in the folder.
    pub(super) gone: u64,
    /// How many files are not inside the folder of --base. The first was reported.
    pub(super) nameless: u64,
    /// Whether no listed file was in the folder.
    pub(super) is_elsewhere: bool,
    pub(super) guessed: Guessed,
    /// Whether anything else failed, which has been reported.
    pub(super) failed: bool,
}

impl<'t> Tell<'t> {
    pub(super) fn new(
        table: &'t Table,
        printer: Printer,
        trees: Reading<'t>,
        changes: Changes,
        remembered: Remembered,
    ) -> Self {
        let found = Found::default();
        Self { table, printer, trees, changes, remembered, found }
    }

    fn listed(
        &mut self,
        (index, place): (usize, Where),
        path: &Path,
        outcome: Outcome,
    ) -> io::Result<()> {
        let name = self.table.name(index).into_owned();
        match outcome {
            Ok(hashed) => {
                let expected = self.table.expected(index);
                self.found.guessed.compare(&expected, &hashed);
                let agrees = agree(&expected, &hashed)
                    && match self.compare_trees(index, path) {
                        trees::Verdict::Agrees => true,
                        trees::Verdict::Stopped => return Ok(()),
                        // The file was readable a moment ago, so it is changing.
                        _ => false,
                    };
                let status = match agrees {
                    true => Status::Unchanged,
                    false if self.is_damaged(index, path, &hashed) => Status::Damaged,
                    false => Status::Changed,
                };
                if status == Status::Damaged {
                    // The function is known: the file had this digest.
                    self.found.guessed.matched(&self.table.kinds()[self.table.kind(index)]);
                }
                self.count((index, place), status);
                self.warn_of_change(path, &hashed)?;
                self.changes.read(index, self.table.stamp(index), status, hashed);
                self.printer.line(&name, status, None)
            }
            Err(error) if system::is_missing(&error) => {
                self.miss(index, place);
                Ok(())
            }
            Err(error) => {
                self.found.keeps = true;
                self.unreadable(path, &name, &reason(&error))
            }
        }
    }

    /// Whether the content of a file differs although nothing says that anybody wrote it: its size
    /// and time are those that the manifest or `--resume` has recorded with the digests.
    fn is_damaged(&mut self, index: usize, path: &Path, hashed: &Hashed) -> bool {
        let recorded = self.table.stamp(index);
        let digests: Vec<_> = self.table.digests(index).collect();
        self.remembered.is_damaged(path, recorded, &digests, hashed)
    }

    /// Counts a listed file that was read.
    fn count(&mut self, (index, place): (usize, Where), status: Status) {
        match status {
            Status::Damaged => self.found.damaged.push(index),
            Status::Changed => self.found.changed.push(index),
            _ => self.found.unchanged += 1,
        }
        if place == Where::Outside {
            let (count, first) = self.found.outside;
            self.found.outside = (count + 1, if count == 0 { index } else { first });
        }
    }

    fn miss(&mut self, index: usize, place: Where) {
        self.found.missing.push(index);
        self.found.gone += u64::from(place != Where::Outside);
    }

    /// Compares a file with the lines of trees of its item, if any.
    fn compare_trees(&self, index: usize, path: &Path) -> trees::Verdict {
        match self.table.trees(index) {
            [] => trees::Verdict::Agrees,
            lines => trees::compare(lines, path, &self.trees),
        }
    }

    /// Reads a file whose item only has lines of trees. Flushes the output first, since this may
    /// take long.
    fn listed_by_trees(&mut self, (index, place): (usize, Where), path: &Path) -> io::Result<()> {
        self.printer.output.flush()?;
        let name = self.table.name(index).into_owned();
        let (status, is_changed) = match self.compare_trees(index, path) {
            trees::Verdict::Agrees => (Status::Unchanged, false),
            trees::Verdict::Differs(is_changed) => (Status::Changed, is_changed),
            trees::Verdict::Missing(_) => {
                self.miss(index, place);
                return Ok(());
            }
            trees::Verdict::Unreadable(why) => return self.unreadable(path, &name, &why),
            trees::Verdict::Stopped => return Ok(()),
        };
        if is_changed && !self.printer.status {
            say_of(path, CHANGED);
        }
        self.count((index, place), status);
        self.printer.line(&name, status, None)
    }

    /// Like [`unlisted`](Self::unlisted), where most items only have lines of trees.
    fn unlisted_by_trees(&mut self, path: &Path, name: Vec<u8>) -> io::Result<()> {
        match trees::keys(self.table.usual_trees(), path, &self.trees) {
            Ok((keys, is_changed)) => {
                if is_changed && !self.printer.status {
                    self.printer.output.flush()?;
                    say_of(path, CHANGED);
                }
                let digests = keys.concat().into_bytes().into();
                self.found.new.push(New { name: name.into(), digests });
                Ok(())
            }
            Err(trees::Verdict::Unreadable(why)) => self.unreadable(path, &name, &why),
            // The run was stopped, or the file has vanished since the folder was read; it is not
            // listed.
            Err(_) => Ok(()),
        }
    }

    fn unlisted(&mut self, path: &Path, name: Vec<u8>, outcome: Outcome) -> io::Result<()> {
        match outcome {
            Ok(hashed) => {
                self.warn_of_change(path, &hashed)?;
                let digests: Vec<u8> =
                    hashed.digests.iter().flat_map(Digest::as_bytes).copied().collect();
                self.changes.add(path, &name, hashed);
                self.found.new.push(New { name: name.into(), digests: digests.into() });
                Ok(())
            }
            // The file has vanished since the folder was read; it is not listed.
            Err(error) if system::is_missing(&error) => Ok(()),
            Err(error) => self.unreadable(path, &name, &reason(&error)),
        }
    }

    fn warn_of_change(&mut self, path: &Path, hashed: &Hashed) -> io::Result<()> {
        if hashed.is_changed && !self.printer.status {
            self.printer.output.flush()?;
            say_of(path, CHANGED);
        }
        Ok(())
    }

    fn unreadable(&mut self, path: &Path, name: &[u8], why: &str) -> io::Result<()> {
        self.printer.output.flush()?;
        say_of(path, why);
        self.found.unreadable.push(name.into());
        self.printer.line(name, Status::Unreadable, None)
    }
}

impl Report<Note> for Tell<'_> {
    fn file(&mut self, path: &Path, note: Note, outcome: Outcome) -> io::Result<()> {
        match note {
            Note::Listed(index, place) => self.listed((index, place), path, outcome),
            Note::New(name) => self.unlisted(path, name, outcome),
            _ => unreachable!("the other notes have no file"),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Trees(index, place, path) => self.listed_by_trees((index, place), &path)?,
            Note::NewTrees(name, path) => self.unlisted_by_trees(&path, name)?,
            Note::Walk(WalkError { path, error }) => {
                self.unreadable(&path, &system::name(&path), &reason(&error))?;
            }
            Note::Outside(path) => {
                self.found.failed = true;
                self.found.nameless += 1;
                if self.found.nameless == 1 {
                    self.printer.output.flush()?;
                    say_of(&path, "not inside the folder of --base");
                }
            }
            Note::Impossible(index) => self.found.missing.push(index),
            Note::Original(index) => {
                self.found.originals += 1;
                self.found.missing.push(index);
            }
            Note::Refused(index, path, why) => {
                self.found.keeps = true;
                let name = self.table.name(index).into_owned();
                self.unreadable(&path, &name, why)?;
            }
            Note::Done(found) => self.found.is_elsewhere = !found,
            Note::LeftOut => self.found.left_out += 1,
            Note::Own(index) => self.changes.drop(index),
            Note::Listed(..) | Note::New(_) => unreachable!("these come with files"),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.printer.output.flush()
    }
}
