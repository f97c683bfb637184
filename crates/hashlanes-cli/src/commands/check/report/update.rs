//! Replaces the manifest atomically: at every moment the file is either the old or the new one.
//!
//! The old manifest is copied record by record, so comments, headers, other fields, and the order
//! stay. A record of a changed file gets its new digests, that of a missing one is left out, and
//! new files are put where their names belong, if the old names are sorted. If that changes
//! nothing, the manifest stays as it is.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use hashlanes_files::Hashed;
use hashlanes_files::manifest::{
    BYTE_ORDER_MARK, Digits, Entry, Format, HashName, Nothing, Read, Reader, ReaderOptions, Record,
    Records, Writer, Written,
};
use hashlanes_files::name::quote_name;
use hashlanes_files::replace::{Replacement, Replaces};
use hashlanes_files::system::Stamp;

use super::super::print::Status;
use super::Manifest;
use super::table::{Recorded, Table};
use crate::options::base::{Base, path_of};
use crate::options::real::RealPaths;
use crate::resume::Sealed;
use crate::terminal::message::say_of;

/// The name of the new manifest until it takes the old one's place.
const NEW: &str = "new";

/// The most bytes of comments that stay with the line that follows them.
const MOST_COMMENTS: usize = 64 << 10;

/// What an update changes.
#[derive(Default)]
pub(super) struct Changes {
    /// Whether there is an update.
    is_wanted: bool,
    /// Whether damaged files get new digests.
    pub(super) accepts_damaged: bool,
    /// Items with another content, and without one if they are left out.
    items: Vec<(usize, Option<Hashed>)>,
    new: Vec<New>,
}

struct New {
    path: PathBuf,
    name: Box<[u8]>,
    content: Hashed,
}

impl Changes {
    pub(super) fn new(is_wanted: bool, accepts_damaged: bool) -> Self {
        Self { is_wanted, accepts_damaged, ..Self::default() }
    }

    /// Takes what is new of a listed file that was read.
    pub(super) fn read(
        &mut self,
        index: usize,
        recorded: Option<Recorded>,
        status: Status,
        hashed: Hashed,
    ) {
        let stamp = hashed.stamp.map(|it| (it.size, (it.seconds, it.nanoseconds)));
        let is_new = match status {
            Status::Changed => true,
            Status::Damaged => self.accepts_damaged,
            // Its time may be another one.
            _ => recorded.is_some() && recorded != stamp,
        };
        if is_new && self.is_wanted {
            self.items.push((index, Some(hashed)));
        }
    }

    pub(super) fn add(&mut self, path: &Path, name: &[u8], content: Hashed) {
        if self.is_wanted {
            self.new.push(New { path: path.to_owned(), name: name.into(), content });
        }
    }

    /// Leaves out the item.
    pub(super) fn drop(&mut self, index: usize) {
        if self.is_wanted {
            self.items.push((index, None));
        }
    }

    /// The items of the smallest changed files, at most this many.
    pub(super) fn smallest(&self, count: usize) -> Vec<usize> {
        let content = |(index, content): &(usize, Option<Hashed>)| {
            content.as_ref().map(|content| (content.length, *index))
        };
        let mut items: Vec<_> = self.items.iter().filter_map(content).collect();
        items.sort_unstable();
        items.into_iter().take(count).map(|(_, index)| index).collect()
    }
}

/// A manifest that is being replaced. No other run can replace it meanwhile.
pub(super) struct Update {
    format: Format,
    options: ReaderOptions,
    nothing: Nothing,
    replacement: Replacement,
    sealed: Option<Sealed>,
}

impl Update {
    /// `manifest` is what was read at the path `old`. If that is a link, its target will be
    /// replaced.
    pub(super) fn begin(old: &Path, format: Format, manifest: &Manifest) -> io::Result<Self> {
        let replacement = Replacement::begin(old, Replaces::Any)?;
        if Some(Stamp::from(&replacement.target().metadata()?)) != manifest.stamp {
            return Err(changed());
        }
        let (options, nothing) = (manifest.options.clone(), manifest.nothing);
        let sealed = Sealed::of(replacement.target());
        Ok(Self { format, options, nothing, replacement, sealed })
    }

    /// Writes the new manifest, and puts it in its place if it differs. False if a name cannot be
    /// written; the reason has been printed.
    pub(super) fn finish(
        self,
        table: &Table,
        changes: Changes,
        base: Option<&Base>,
    ) -> io::Result<bool> {
        let file = File::open(self.replacement.target())?;
        let mut edit = Edit::new(&self, table, changes)?;
        edit.all(Records::new(BufReader::with_capacity(64 << 10, file), self.options.zero))?;
        if !edit.differs {
            return Ok(!edit.has_failed);
        }
        edit.output.flush()?;
        self.replacement.put(NEW, edit.output.get_ref(), self.replacement.target())?;
        if let Some(sealed) = self.sealed {
            let mut real = RealPaths::default();
            let renewed = edit.items.iter().filter_map(|(index, content)| {
                let path = real.of(&path_of(&table.name(*index), base)?);
                let functions = &table.kinds()[table.kind(*index)];
                let content = content.as_ref().filter(|_| sealed.has(functions));
                Some((path, content.map(|content| Written::of(b"", content))))
            });
            let renewed: HashMap<_, _> = renewed.collect();
            let is_listed = !edit.has_failed && sealed.has(&edit.writer.functions);
            let added = if is_listed { &edit.new[..] } else { &[] };
            let added = added.iter().map(|new| Written::of(&new.name, &new.content)).collect();
            sealed.renew(&self.replacement, &renewed, added)?;
        }
        Ok(!edit.has_failed)
    }
}

fn changed() -> io::Error {
    io::Error::other("it was changed in the meantime")
}

/// The copying of a manifest.
struct Edit<'t> {
    table: &'t Table,
    reader: Reader,
    writer: Writer,
    items: Vec<(usize, Option<Hashed>)>,
    new: Vec<New>,
    /// How many of these have been added.
    added: usize,
    output: BufWriter<File>,
    /// Comments that belong to what follows.
    comments: Vec<u8>,
    has_begun: bool,
    /// Whether the new manifest is not the old one.
    differs: bool,
    has_failed: bool,
}

impl<'t> Edit<'t> {
    fn new(update: &Update, table: &'t Table, changes: Changes) -> io::Result<Self> {
        let Changes { mut items, mut new, .. } = changes;
        items.sort_by_key(|(index, _)| *index);
        new.sort_by(|a, b| a.name.cmp(&b.name));
        let functions: Vec<HashName> = match table.kinds() {
            [usual, ..] => usual.clone(),
            [] => update.options.function.or(HashName::named("sha256")).into_iter().collect(),
        };
        let (zero, digits) = (update.options.zero, Digits::Hex);
        let writer = Writer { format: update.format, functions, digits, zero, binary: false };
        let mut output = BufWriter::new(update.replacement.create(NEW)?);
        if update.nothing == Nothing::Empty && !new.is_empty() {
            let mut header = Vec::new();
            writer.header(&mut header);
            output.write_all(&header)?;
        }
        Ok(Self {
            table,
            reader: Reader::new(update.options.clone()),
            writer,
            items,
            new,
            added: 0,
            output,
            comments: Vec::new(),
            has_begun: false,
            differs: false,
            has_failed: false,
        })
    }

    fn all(&mut self, mut records: Records<BufReader<File>>) -> io::Result<()> {
        let (mut line, mut record) = (Vec::new(), Vec::new());
        let (end, mut has_begun) = (records.end(), false);
        while let Some(found) = records.next(&mut line)? {
            let text = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| !has_begun);
            if text.is_some() {
                // It stays at the very beginning.
                self.output.write_all(BYTE_ORDER_MARK)?;
            }
            has_begun = true;
            record.extend(text.unwrap_or(&line));
            let read = self.reader.read(&line);
            match read {
                _ if found == Record::TooLong => return Err(changed()),
                Read::More => {
                    record.push(end);
                    continue;
                }
                Read::Nothing => self.comment(&record, end)?,
                Read::Entry(entry) => {
                    if !std::mem::replace(&mut self.has_begun, true) {
                        (self.writer.digits, self.writer.binary) = self.reader.style(&record);
                    }
                    self.add_before(Some(&entry.name))?;
                    self.write_comments()?;
                    self.write(&entry, &record, end)?;
                }
                _ => return Err(changed()),
            }
            record.clear();
        }
        self.write_comments()?;
        self.add_before(None)
    }

    fn comment(&mut self, record: &[u8], end: u8) -> io::Result<()> {
        self.comments.extend(record);
        self.comments.push(end);
        // What comes before all entries is about all of them.
        if !self.has_begun || self.comments.len() > MOST_COMMENTS {
            self.write_comments()
        } else {
            Ok(())
        }
    }

    fn write_comments(&mut self) -> io::Result<()> {
        self.output.write_all(&self.comments)?;
        self.comments.clear();
        Ok(())
    }

    /// Adds the new files whose names come before this one. Without sorted names, they follow all
    /// others.
    fn add_before(&mut self, name: Option<&[u8]>) -> io::Result<()> {
        let is_sorted = self.table.is_sorted();
        let is_next = |new: &New| name.is_none_or(|name| is_sorted && *new.name < *name);
        while let Some(new) = self.new.get(self.added).filter(|new| is_next(new)) {
            self.added += 1;
            let mut lines = Vec::new();
            let file = Written::of(&new.name, &new.content);
            match self.reader.added(&self.writer, &file, &mut lines) {
                Ok(()) => {
                    self.differs = true;
                    self.output.write_all(&lines)?;
                }
                Err(why) => {
                    self.has_failed = true;
                    say_of(&new.path, why);
                }
            }
        }
        Ok(())
    }

    /// Writes the record of an item.
    fn write(&mut self, entry: &Entry, record: &[u8], end: u8) -> io::Result<()> {
        let name = &entry.name[..];
        let index = self.table.find(name);
        let place = index.and_then(|i| self.items.binary_search_by_key(&i, |item| item.0).ok());
        let edited = match (place.map(|place| &self.items[place].1), index) {
            (Some(None), _) => {
                self.differs = true;
                return Ok(());
            }
            (Some(Some(content)), Some(index)) => {
                if !self.reader.can_edit(record, entry.digests.len()) {
                    let why = "a digest is written in a way that is only read";
                    return Err(io::Error::other(format!("{}: {why}", quote_name(name))));
                }
                let functions = &self.table.kinds()[self.table.kind(index)];
                self.reader.edited(record, functions, &Written::of(name, content))
            }
            _ => record.to_vec(),
        };
        self.differs |= edited != record;
        self.output.write_all(&edited)?;
        self.output.write_all(&[end])
    }
}
