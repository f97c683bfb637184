//! The lines of manifests, one manifest after the other.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};
use std::vec;

use hashlanes_files::manifest::{
    self, Expected, Format, HashName, Read, Reader, ReaderOptions, Record, Records, Time, is_utf_16,
};
use hashlanes_files::{Entry, Function, Kind, Source, is_special, is_stdin, system};

use super::plans::Chooser;
use crate::commands::tree::check as trees;
use crate::options::base::Base;

/// How manifests are read.
#[derive(Clone)]
pub(in crate::commands) struct How {
    pub(in crate::commands) format: Option<Format>,
    pub(in crate::commands) function: Option<Function>,
    pub(in crate::commands) zero: bool,
    /// Where names lead to that are relative.
    pub(in crate::commands) base: Option<Base>,
}

impl How {
    /// How this manifest is read: as one of a bag, if it is placed so and nothing else was asked
    /// for.
    pub(in crate::commands) fn of_manifest(&self, path: &Path) -> Self {
        match Bag::of(path).filter(|_| self.format.is_none()) {
            None => self.clone(),
            Some(bag) => Self {
                format: Some(Format::BagIt),
                function: self.function.or(bag.function),
                base: self.base.clone().or(Some(Base::of_folder(bag.folder))),
                zero: self.zero,
            },
        }
    }
}

/// The manifests.
pub(super) struct Manifests<'p> {
    how: How,
    /// What is known of listed files: it says which are read.
    kind: Kind,
    chooser: Chooser<'p>,
    paths: vec::IntoIter<PathBuf>,
    current: Option<Manifest>,
}

/// What comes with an entry.
pub(super) enum Note {
    /// A manifest begins.
    Begin(PathBuf),
    /// A manifest cannot be opened.
    Unopened(PathBuf, io::Error),
    /// What a line says of a file.
    Listed(Listed),
    /// What a line says of the file at this path, by a format that is made of parts.
    Tree(PathBuf, trees::Line),
    /// A line has this name, and no file of this system can have it.
    Impossible(Vec<u8>),
    /// A line cannot be used.
    Unused { line: u64, why: Why },
    /// The manifest ends, or cannot be read any further.
    End { end: End, format: Option<Format> },
}

/// What a line says of a file.
pub(in crate::commands) struct Listed {
    /// The name in the manifest.
    pub(in crate::commands) name: Vec<u8>,
    pub(in crate::commands) digests: Vec<Expected>,
    /// It is a text line with a tag.
    pub(in crate::commands) tagged: bool,
    pub(in crate::commands) size: Option<u64>,
    pub(in crate::commands) modified: Option<Time>,
}

/// Why a line cannot be used.
pub(in crate::commands) enum Why {
    Malformed,
    /// It has more than [`manifest::MAX_RECORD`] bytes.
    TooLong,
    /// It is of a function that this program lacks.
    Lacking(String),
}

/// How a manifest ends.
pub(in crate::commands) enum End {
    Whole,
    /// The last line has no end, and may be cut.
    Open,
    /// The last line has no end, and cannot be used.
    Cut,
    Failed(io::Error),
}

impl<'p> Manifests<'p> {
    pub(super) fn new(paths: Vec<PathBuf>, how: How, kind: Kind, chooser: Chooser<'p>) -> Self {
        Self { how, kind, chooser, paths: paths.into_iter(), current: None }
    }
}

impl Source for Manifests<'_> {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        if let Some(manifest) = &mut self.current {
            match manifest.next() {
                Some(Found::Listed(listed)) => {
                    let line = manifest.lines.lines;
                    let (base, kind) = (&manifest.base, self.kind);
                    return Some(entry(listed, line, kind, base, &mut self.chooser));
                }
                Some(Found::Tree(line)) => return Some(tree_entry(line, &manifest.base)),
                Some(Found::Unused(why)) => {
                    return Some(Entry::Note(Note::Unused { line: manifest.lines.lines, why }));
                }
                Some(Found::End(end)) => {
                    let format = manifest.lines.reader.format();
                    return Some(Entry::Note(Note::End { end, format }));
                }
                None => {}
            }
        }
        self.current = None;
        let path = self.paths.next()?;
        Some(Entry::Note(match Manifest::open(&path, &self.how) {
            Ok(manifest) => {
                self.current = Some(manifest);
                Note::Begin(path)
            }
            Err(error) => Note::Unopened(path, error),
        }))
    }

    fn is_ready(&self) -> bool {
        match &self.current {
            Some(manifest) if !manifest.ended => {
                !manifest.is_special || manifest.lines.has_next_line()
            }
            _ => self.paths.as_slice().first().is_none_or(|path| !is_special(path)),
        }
    }
}

/// The entry for a file that a line names.
fn entry(
    listed: Listed,
    line: u64,
    kind: Kind,
    base: &Option<Base>,
    chooser: &mut Chooser<'_>,
) -> Entry<Note> {
    let unused = |why| Entry::Note(Note::Unused { line, why: Why::Lacking(why) });
    let mut functions = Vec::with_capacity(listed.digests.len());
    for Expected { function, .. } in &listed.digests {
        match Function::from_name(&function.name()) {
            Ok(function) => functions.push(function),
            Err(_) => return unused(function.to_string()),
        }
    }
    let Some(plan) = chooser.plan_of(&functions) else {
        return unused("one more combination of functions".into());
    };
    match system::path(listed.name.clone()) {
        Ok(path) => {
            let path = base.as_ref().map_or(path.clone(), |base| base.resolve(path));
            Entry::File { path, kind, plan, note: Note::Listed(listed) }
        }
        Err(name) => Entry::Note(Note::Impossible(name)),
    }
}

/// The entry for a line of a format that is made of parts. It is not among the files that are
/// hashed side by side: each has all cores when its turn comes.
fn tree_entry(line: trees::Line, base: &Option<Base>) -> Entry<Note> {
    Entry::Note(match system::path(line.name.clone()) {
        Ok(path) => {
            let path = base.as_ref().map_or(path.clone(), |base| base.resolve(path));
            Note::Tree(path, line)
        }
        Err(name) => Note::Impossible(name),
    })
}

/// What a manifest has next.
pub(in crate::commands) enum Found {
    Listed(Listed),
    Tree(trees::Line),
    Unused(Why),
    End(End),
}

struct Manifest {
    lines: Lines,
    base: Option<Base>,
    is_stdin: bool,
    /// Reading it may wait for a writer, or take bytes that a listed file would get.
    is_special: bool,
    ended: bool,
}

impl Manifest {
    fn open(path: &Path, how: &How) -> io::Result<Self> {
        let is_stdin = is_stdin(path);
        let file = if is_stdin { system::stdin()? } else { system::open(path)? };
        // Of a device, Windows has no metadata.
        let is_special = is_stdin || !file.metadata().is_ok_and(|metadata| metadata.is_file());
        let how = how.of_manifest(path);
        let lines = Lines::new(file, path, &how);
        Ok(Self { lines, base: how.base, is_stdin, is_special, ended: false })
    }

    fn next(&mut self) -> Option<Found> {
        if self.ended {
            return None;
        }
        let found = match self.lines.next() {
            // The standard input cannot be both the manifest and a file that it lists.
            Found::Listed(listed) if self.is_stdin && listed.name == b"-" => {
                Found::Unused(Why::Malformed)
            }
            Found::Tree(line) if self.is_stdin && line.name == b"-" => {
                Found::Unused(Why::Malformed)
            }
            found => found,
        };
        self.ended = matches!(found, Found::End(_));
        Some(found)
    }
}

/// The lines of one manifest.
pub(in crate::commands) struct Lines {
    records: Records<BufReader<File>>,
    pub(in crate::commands) reader: Reader,
    line: Vec<u8>,
    /// Names have no escapes.
    is_literal: bool,
    /// There may be lines of formats that are made of parts.
    has_trees: bool,
    /// Lines read so far.
    pub(in crate::commands) lines: u64,
    /// The latest line had no end.
    is_open: bool,
    /// The latest line could not be used.
    was_unused: bool,
}

impl Lines {
    pub(in crate::commands) fn new(file: File, path: &Path, how: &How) -> Self {
        let options = ReaderOptions {
            format: how.format,
            function: how.function.and_then(|function| HashName::named(&function.name())),
            zero: how.zero,
            named_sfv: path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sfv")),
        };
        let buffer = BufReader::with_capacity(64 << 10, file);
        let is_text = matches!(how.format, None | Some(Format::Text | Format::Tagged));
        Self {
            is_literal: how.zero,
            has_trees: is_text && how.function.is_none(),
            records: Records::new(buffer, how.zero),
            reader: Reader::new(options),
            line: Vec::new(),
            lines: 0,
            is_open: false,
            was_unused: false,
        }
    }

    fn has_next_line(&self) -> bool {
        self.records.get_ref().buffer().contains(&self.records.end())
    }

    /// The next line that says something, or the end.
    pub(in crate::commands) fn next(&mut self) -> Found {
        loop {
            let record = match self.records.next(&mut self.line) {
                Ok(Some(record)) => record,
                Ok(None) => return Found::End(self.end()),
                Err(error) => return Found::End(End::Failed(error)),
            };
            self.lines += 1;
            self.is_open = record == Record::Cut;
            if self.lines == 1 && is_utf_16(&self.line) {
                let why = "this is UTF-16, and manifests are UTF-8";
                let error = io::Error::new(io::ErrorKind::InvalidData, why);
                return Found::End(End::Failed(error));
            }
            self.was_unused = true;
            if record == Record::TooLong {
                return Found::Unused(Why::TooLong);
            }
            if self.has_trees {
                match trees::read(&self.line, self.is_literal) {
                    trees::Read::Other => {}
                    trees::Read::Malformed => return Found::Unused(Why::Malformed),
                    trees::Read::Line(line) => {
                        self.was_unused = false;
                        return Found::Tree(line);
                    }
                }
            }
            match self.reader.read(&self.line) {
                Read::Nothing => {
                    self.was_unused = false;
                    self.is_open = false;
                }
                Read::More => {}
                Read::Entry(manifest::Entry { name, digests, tagged, size, modified }) => {
                    self.was_unused = false;
                    let listed = Listed { name, digests, tagged, size, modified };
                    return Found::Listed(listed);
                }
                Read::Malformed => return Found::Unused(Why::Malformed),
                Read::Unknown(name) => return Found::Unused(Why::Lacking(name)),
            }
        }
    }

    fn end(&self) -> End {
        match (self.is_open, self.was_unused) {
            (_, _) if self.reader.is_within_record() => End::Cut,
            (false, _) => End::Whole,
            (true, false) => End::Open,
            (true, true) => End::Cut,
        }
    }
}

/// A manifest that is named and placed as one of a bag (RFC 8493).
struct Bag<'m> {
    folder: &'m Path,
    function: Option<Function>,
}

impl<'m> Bag<'m> {
    fn of(manifest: &'m Path) -> Option<Self> {
        let name = manifest.file_name()?.to_str()?.strip_suffix(".txt")?;
        let name = name.strip_prefix("tag").unwrap_or(name).strip_prefix("manifest-")?;
        let folder = manifest.parent()?;
        let is_bag = folder.join("bagit.txt").is_file();
        is_bag.then(|| Self { folder, function: Function::from_name(name).ok() })
    }
}
