//! Says what became of each file, and sums up.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::path::Path;

use hashlanes_files::manifest::{HashName, Written, write_json_name};
use hashlanes_files::name::{escape, quote_name};
use hashlanes_files::walk::WalkError;
use hashlanes_files::{Digest, Hashed, Outcome, Report, system};

use super::super::verdict::agree;
use super::Style;
use super::source::Note;
use super::table::Table;
use super::update::NewManifest;
use crate::message::{reason, say, say_of};
use crate::output::Output;
use crate::sum::CHANGED;

/// What became of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    Unchanged,
    Changed,
    Missing,
    New,
    /// It is not listed by this name. The listed file of the other name is missing, and had this
    /// content.
    Moved,
    Unreadable,
}

impl Status {
    fn word(self) -> &'static str {
        match self {
            Self::Unchanged => "unchanged",
            Self::Changed => "changed",
            Self::Missing => "missing",
            Self::New => "new",
            Self::Moved => "moved",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A file that is not listed.
struct New {
    name: Box<[u8]>,
    /// Its digests, one behind the other.
    digests: Box<[u8]>,
}

pub(super) struct Tell<'t> {
    table: &'t Table,
    style: Style,
    quiet: bool,
    status: bool,
    output: Output,
    update: Option<NewManifest>,
    unchanged: u64,
    /// Indices of items.
    changed: Vec<usize>,
    missing: Vec<usize>,
    new: Vec<New>,
    unreadable: Vec<Box<[u8]>>,
    /// Something else failed, and was said.
    pub(super) failed: bool,
}

impl<'t> Tell<'t> {
    pub(super) fn new(
        table: &'t Table,
        (style, quiet, status): (Style, bool, bool),
        output: Output,
        update: Option<NewManifest>,
    ) -> Self {
        Self {
            table,
            style,
            quiet,
            status,
            output,
            update,
            unchanged: 0,
            changed: Vec::new(),
            missing: Vec::new(),
            new: Vec::new(),
            unreadable: Vec::new(),
            failed: false,
        }
    }

    /// Sums up. The new manifest takes the place of the old one. True if all files are unchanged.
    pub(super) fn finish(mut self) -> io::Result<bool> {
        let moved = self.moved();
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
        if self.style == Style::Text {
            self.sum_up_text(&counts)?;
            for index in std::mem::take(&mut self.changed) {
                let name = self.table.name(index);
                self.line(&name, Status::Changed, None)?;
            }
            for name in std::mem::take(&mut self.unreadable) {
                self.line(&name, Status::Unreadable, None)?;
            }
        }
        for index in missing {
            let name = self.table.name(index);
            self.line(&name, Status::Missing, None)?;
        }
        let new = std::mem::take(&mut self.new);
        for (new, from) in new.iter().zip(&moved) {
            match from {
                Some(index) => {
                    let from = self.table.name(*index).into_owned();
                    self.line(&new.name, Status::Moved, Some(&from))?;
                }
                None => self.line(&new.name, Status::New, None)?,
            }
        }
        if self.style == Style::Json {
            self.sum_up_json(&counts)?;
        }
        self.output.flush()?;
        Ok(all_well)
    }

    /// Takes the new manifest out, to be put in its place.
    pub(super) fn take_update(&mut self) -> Option<NewManifest> {
        self.update.take()
    }

    /// For each new file the missing item that had its content, if there is one.
    fn moved(&self) -> Vec<Option<usize>> {
        // New files have digests of the first kind.
        let kind = self.table.kinds().first().map_or(&[][..], Vec::as_slice);
        let mut gone: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for &index in self.missing.iter().rev() {
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

    fn sum_up_text(&mut self, counts: &[(Status, u64)]) -> io::Result<()> {
        if self.status {
            return Ok(());
        }
        let counts: Vec<String> =
            counts.iter().map(|(status, count)| format!("{count} {}", status.word())).collect();
        self.output.line(|line| {
            line.extend(b"\n");
            line.extend(counts.join(", ").bytes());
            line.push(b'\n');
        })
    }

    fn sum_up_json(&mut self, counts: &[(Status, u64)]) -> io::Result<()> {
        if self.status {
            return Ok(());
        }
        let counts: Vec<String> =
            counts.iter().map(|(status, count)| format!("\"{}\":{count}", status.word())).collect();
        self.output.line(|line| {
            let _ = writeln!(line, "{{\"summary\":{{{}}}}}", counts.join(","));
        })
    }

    fn line(&mut self, name: &[u8], status: Status, from: Option<&[u8]>) -> io::Result<()> {
        if self.status || self.quiet && status == Status::Unchanged {
            return Ok(());
        }
        let style = self.style;
        self.output.line(|line| match style {
            Style::Text => write_text(line, name, status, from),
            Style::Json => write_json(line, name, status, from),
        })
    }

    fn listed(&mut self, index: usize, path: &Path, outcome: Outcome) -> io::Result<()> {
        let name = self.table.name(index).into_owned();
        match outcome {
            Ok(hashed) => {
                let status = if agree(&self.table.expected(index), &hashed) {
                    self.unchanged += 1;
                    Status::Unchanged
                } else {
                    self.changed.push(index);
                    Status::Changed
                };
                self.warn_of_change(path, &hashed)?;
                self.line(&name, status, None)?;
                // Digests that differ in the manifest itself cannot both stay.
                self.add(path, &name, self.table.kind(index), &hashed)
            }
            Err(error) if system::is_missing(&error) => {
                self.missing.push(index);
                Ok(())
            }
            Err(error) => {
                self.unreadable(path, &name, &error)?;
                self.keep(path, index)
            }
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
            // It was there when the folder was read, and nobody expects it.
            Err(error) if system::is_missing(&error) => Ok(()),
            Err(error) => self.unreadable(path, &name, &error),
        }
    }

    fn warn_of_change(&mut self, path: &Path, hashed: &Hashed) -> io::Result<()> {
        if hashed.is_changed && !self.status {
            self.output.flush()?;
            say_of(path, CHANGED);
        }
        Ok(())
    }

    fn unreadable(&mut self, path: &Path, name: &[u8], error: &io::Error) -> io::Result<()> {
        self.output.flush()?;
        say_of(path, reason(error));
        self.unreadable.push(name.into());
        self.line(name, Status::Unreadable, None)
    }

    /// Adds a file to the new manifest, if there is to be one.
    fn add(&mut self, path: &Path, name: &[u8], kind: usize, hashed: &Hashed) -> io::Result<()> {
        let modified = hashed.stamp.map(|stamp| (stamp.seconds, stamp.nanoseconds));
        let (size, digests) = (Some(hashed.length), &*hashed.digests);
        self.write(path, kind, &Written { name, size, modified, digests })
    }

    /// Adds a file that cannot be read to the new manifest as it is in the old one.
    fn keep(&mut self, path: &Path, index: usize) -> io::Result<()> {
        let name = self.table.name(index).into_owned();
        let digests: Vec<&[u8]> = self.table.digests(index).map(|(_, digest)| digest).collect();
        let size = std::fs::metadata(path).ok().map(|metadata| metadata.len());
        let file = Written { name: &name, size, modified: None, digests: &digests };
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
                say_of(&update.path, format_args!("{}; not updated", reason(&error)));
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
            _ => unreachable!("other notes have no file"),
        }
    }

    fn note(&mut self, note: Note) -> io::Result<()> {
        match note {
            Note::Walk(WalkError { path, error }) => {
                self.unreadable(&path, &system::name(&path), &error)?;
            }
            Note::Outside(path) => {
                self.output.flush()?;
                self.failed = true;
                say_of(&path, "not below the folder of --base");
            }
            Note::Impossible(index) => self.missing.push(index),
            Note::Done(found) => {
                if !found && self.table.len() > 0 && !self.status {
                    self.output.flush()?;
                    say(format_args!(
                        "no listed file is in the folder, as with {}; if names are relative to \
                         another than the current one, use --base",
                        quote_name(&self.table.name(0))
                    ));
                }
            }
            Note::Listed(_) | Note::New(_) => unreachable!("these come with files"),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// `NAME: changed`, or `NAME: moved from NAME`. Names with a newline are escaped, behind a
/// backslash.
fn write_text(line: &mut Vec<u8>, name: &[u8], status: Status, from: Option<&[u8]>) {
    let escaped = name.contains(&b'\n') || from.is_some_and(|from| from.contains(&b'\n'));
    let write = |line: &mut Vec<u8>, name: &[u8]| {
        if escaped { escape(name, line) } else { line.extend(name) }
    };
    if escaped {
        line.push(b'\\');
    }
    write(line, name);
    line.extend(b": ");
    line.extend(status.word().bytes());
    if let Some(from) = from {
        line.extend(b" from ");
        write(line, from);
    }
    line.push(b'\n');
}

fn write_json(line: &mut Vec<u8>, name: &[u8], status: Status, from: Option<&[u8]>) {
    line.push(b'{');
    write_json_name(line, "path", name);
    line.extend(format!(",\"status\":\"{}\"", status.word()).bytes());
    if let Some(from) = from {
        line.push(b',');
        write_json_name(line, "from", from);
    }
    line.extend(b"}\n");
}
