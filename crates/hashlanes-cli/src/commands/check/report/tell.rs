//! Reports the result for each file, and a summary.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::Path;

use hashlanes_files::manifest::{HashName, Written};
use hashlanes_files::name::quote_name;
use hashlanes_files::walk::WalkError;
use hashlanes_files::{Digest, Hashed, Outcome, Report, system};
use hashlanes_tree::Settings;

use super::super::guessed::Guessed;
use super::super::print::{Detail, Printer, Status, Style};
use super::super::verdict::agree;
use super::source::Note;
use super::table::Table;
use super::update::NewManifest;
use crate::commands::tree::check as trees;
use crate::terminal::message::CHANGED;
use crate::terminal::message::{reason, say, say_of};

/// A file that is not listed.
struct New {
    name: Box<[u8]>,
    /// Its digests, concatenated, or the keys of its lines of trees.
    digests: Box<[u8]>,
}

/// The result of a report.
pub(super) struct Told {
    /// Whether all files are unchanged and there are no others.
    pub(super) all_well: bool,
    /// Whether no listed file was found under any name, although some are listed.
    pub(super) is_lost: bool,
    /// Indices of the items that were not found under any name.
    pub(super) missing: Vec<usize>,
    /// Functions that the manifest may use, if no digest matched.
    pub(super) hints: Vec<String>,
}

pub(super) struct Tell<'t> {
    table: &'t Table,
    printer: Printer,
    /// Settings for reading files whose digests are made of parts.
    trees: Settings<'t>,
    update: Option<NewManifest>,
    unchanged: u64,
    /// Indices of items.
    changed: Vec<usize>,
    missing: Vec<usize>,
    new: Vec<New>,
    unreadable: Vec<Box<[u8]>>,
    /// Whether some listed file exists but cannot be read.
    keeps: bool,
    /// Whether no listed file was in the folder.
    is_elsewhere: bool,
    guessed: Guessed,
    /// Whether anything else failed, which has been reported.
    pub(super) failed: bool,
}

impl<'t> Tell<'t> {
    pub(super) fn new(
        table: &'t Table,
        printer: Printer,
        trees: Settings<'t>,
        update: Option<NewManifest>,
    ) -> Self {
        Self {
            table,
            printer,
            trees,
            update,
            unchanged: 0,
            changed: Vec::new(),
            missing: Vec::new(),
            new: Vec::new(),
            unreadable: Vec::new(),
            keeps: false,
            is_elsewhere: false,
            guessed: Guessed::default(),
            failed: false,
        }
    }

    /// Writes the summary.
    pub(super) fn finish(mut self) -> io::Result<Told> {
        let moved = self.moved();
        if moved.iter().any(Option::is_some) {
            self.guessed.matched(&self.table.kinds()[0]);
        }
        let hints = self.guessed.hints().collect();
        let has_found = self.has_found();
        if self.is_elsewhere && !has_found && self.table.len() > 0 && !self.printer.status {
            self.printer.output.flush()?;
            self.say_where();
        }
        let old: HashSet<usize> = moved.iter().flatten().copied().collect();
        let moves = old.len();
        let missing = std::mem::take(&mut self.missing);
        let missing: Vec<usize> = missing.into_iter().filter(|i| !old.contains(i)).collect();
        let counts = [
            (Status::Unchanged, self.unchanged),
            (Status::Changed, self.changed.len() as u64),
            (Status::Missing, missing.len() as u64),
            (Status::New, (self.new.len() - moves) as u64),
            (Status::Moved, moves as u64),
            (Status::Unreadable, self.unreadable.len() as u64),
        ];
        let all_well = counts[1..].iter().all(|(_, count)| *count == 0) && !self.failed;
        if self.printer.style == Style::Text {
            self.printer.sum_up_text(&counts)?;
            for index in std::mem::take(&mut self.changed) {
                let name = self.table.name(index);
                self.printer.line(&name, Status::Changed, None)?;
            }
            for name in std::mem::take(&mut self.unreadable) {
                self.printer.line(&name, Status::Unreadable, None)?;
            }
        }
        for &index in &missing {
            let name = self.table.name(index);
            self.printer.line(&name, Status::Missing, None)?;
        }
        let new = std::mem::take(&mut self.new);
        for (new, from) in new.iter().zip(&moved) {
            match from {
                Some(index) => {
                    let from = self.table.name(*index).into_owned();
                    self.printer.line(&new.name, Status::Moved, Some(Detail::From(&from)))?;
                }
                None => self.printer.line(&new.name, Status::New, None)?,
            }
        }
        if self.printer.style == Style::Json {
            self.printer.sum_up_json(&counts)?;
        }
        self.printer.output.flush()?;
        let is_lost = !has_found && moves == 0 && self.table.len() > 0;
        Ok(Told { all_well, is_lost, missing, hints })
    }

    /// Whether any listed file was found under its name.
    fn has_found(&self) -> bool {
        self.unchanged > 0 || !self.changed.is_empty() || self.keeps
    }

    fn say_where(&self) {
        say(format_args!(
            "no listed file is in the folder, as with {}; if names are relative to a folder other \
             than the current one, use --base",
            quote_name(&self.table.name(0))
        ));
    }

    /// Takes the new manifest, for the caller to put in its place.
    pub(super) fn take_update(&mut self) -> Option<NewManifest> {
        self.update.take()
    }

    /// For each new file, the missing item that had its content, if any.
    fn moved(&self) -> Vec<Option<usize>> {
        // New files have digests of the most frequent list of functions. If it is empty, they have
        // keys of lines of trees.
        let kind = self.table.kinds().first().map_or(&[][..], Vec::as_slice);
        let mut gone: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for &index in self.missing.iter().rev() {
            if kind.is_empty() {
                let keys: Vec<String> =
                    self.table.trees(index).iter().map(trees::Line::key).collect();
                gone.entry(keys.concat().into_bytes()).or_default().push(index);
                continue;
            }
            let digest = |function: &HashName| {
                self.table.digests(index).find(|(other, _)| other == function).map(|(_, d)| d)
            };
            if let Some(digests) = kind.iter().map(digest).collect::<Option<Vec<_>>>() {
                gone.entry(digests.concat()).or_default().push(index);
            }
        }
        let from = |new: &New| gone.get_mut(&*new.digests).and_then(Vec::pop);
        self.new.iter().map(from).collect()
    }

    fn listed(&mut self, index: usize, path: &Path, outcome: Outcome) -> io::Result<()> {
        let name = self.table.name(index).into_owned();
        match outcome {
            Ok(hashed) => {
                let expected = self.table.expected(index);
                self.guessed.compare(&expected, &hashed);
                let agrees = agree(&expected, &hashed)
                    && match self.compare_trees(index, path) {
                        trees::Verdict::Agrees => true,
                        trees::Verdict::Stopped => return Ok(()),
                        // The file was readable a moment ago, so it is changing.
                        _ => false,
                    };
                let status = self.count(index, agrees);
                self.warn_of_change(path, &hashed)?;
                self.printer.line(&name, status, None)?;
                // The manifest has contradictory digests for this file, and cannot keep both.
                self.add(path, &name, self.table.kind(index), &hashed)
            }
            Err(error) if system::is_missing(&error) => {
                self.missing.push(index);
                Ok(())
            }
            Err(error) => {
                self.unreadable(path, &name, &reason(&error))?;
                self.keep(path, index)
            }
        }
    }

    /// Counts a listed file that was read.
    fn count(&mut self, index: usize, agrees: bool) -> Status {
        if agrees {
            self.unchanged += 1;
            Status::Unchanged
        } else {
            self.changed.push(index);
            Status::Changed
        }
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
    fn listed_by_trees(&mut self, index: usize, path: &Path) -> io::Result<()> {
        self.printer.output.flush()?;
        let name = self.table.name(index).into_owned();
        let (agrees, is_changed) = match self.compare_trees(index, path) {
            trees::Verdict::Agrees => (true, false),
            trees::Verdict::Differs(is_changed) => (false, is_changed),
            trees::Verdict::Missing(_) => {
                self.missing.push(index);
                return Ok(());
            }
            trees::Verdict::Unreadable(why) => return self.unreadable(path, &name, &why),
            trees::Verdict::Stopped => return Ok(()),
        };
        if is_changed && !self.printer.status {
            say_of(path, CHANGED);
        }
        let status = self.count(index, agrees);
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
                self.new.push(New { name: name.into(), digests });
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
                self.add(path, &name, 0, &hashed)?;
                let digests: Vec<u8> =
                    hashed.digests.iter().flat_map(Digest::as_bytes).copied().collect();
                self.new.push(New { name: name.into(), digests: digests.into() });
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
        self.unreadable.push(name.into());
        self.printer.line(name, Status::Unreadable, None)
    }

    /// Adds a file to the new manifest, if one is being written.
    fn add(&mut self, path: &Path, name: &[u8], kind: usize, hashed: &Hashed) -> io::Result<()> {
        let modified = hashed.stamp.map(|stamp| (stamp.seconds, stamp.nanoseconds));
        let (size, digests) = (Some(hashed.length), &*hashed.digests);
        let version = hashed.tag.as_deref();
        self.write(path, kind, &Written { name, size, modified, version, digests })
    }

    /// Copies the entry of an unreadable file from the old manifest to the new one.
    fn keep(&mut self, path: &Path, index: usize) -> io::Result<()> {
        self.keeps = true;
        let name = self.table.name(index).into_owned();
        let digests: Vec<&[u8]> = self.table.digests(index).map(|(_, digest)| digest).collect();
        let size = std::fs::metadata(path).ok().map(|metadata| metadata.len());
        let file = Written { name: &name, size, modified: None, version: None, digests: &digests };
        self.write(path, self.table.kind(index), &file)
    }

    fn write<D: AsRef<[u8]>>(
        &mut self,
        path: &Path,
        kind: usize,
        file: &Written<'_, D>,
    ) -> io::Result<()> {
        let Some(update) = &mut self.update else { return Ok(()) };
        match update.add(kind, file) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => {
                self.failed = true;
                say_of(path, why);
            }
            Err(error) => {
                self.failed = true;
                say_of(update.old(), format_args!("{}; not updated", reason(&error)));
                self.update = None;
            }
        }
        Ok(())
    }
}

impl Report<Note> for Tell<'_> {
    fn file(&mut self, path: &Path, note: Note, outcome: Outcome) -> io::Result<()> {
        match note {
            Note::Listed(index) => self.listed(index, path, outcome),
            Note::New(name) => self.unlisted(path, name, outcome),
            _ => unreachable!("the other notes have no file"),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Trees(index, path) => self.listed_by_trees(index, &path)?,
            Note::NewTrees(name, path) => self.unlisted_by_trees(&path, name)?,
            Note::Walk(WalkError { path, error }) => {
                self.unreadable(&path, &system::name(&path), &reason(&error))?;
            }
            Note::Outside(path) => {
                self.printer.output.flush()?;
                self.failed = true;
                say_of(&path, "not inside the folder of --base");
            }
            Note::Impossible(index) => self.missing.push(index),
            Note::Done(found) => self.is_elsewhere = !found,
            Note::Listed(_) | Note::New(_) => unreachable!("these come with files"),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.printer.output.flush()
    }
}
