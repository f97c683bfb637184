//! The lines of manifests, one manifest after another.
//!
//! * `lines` reads one manifest, as `how` says. `why` is the reason if a line cannot be used.
//! * `spelling` and `again` find files whose names are written in another way.
//! * `plans` are the functions that lines name, and `guessed_function` those that no line names.
//! * `part` leaves lines out.

mod again;
mod guessed_function;
mod how;
mod lines;
pub(super) mod part;
mod plans;
pub(in crate::commands) mod spelling;
mod why;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::vec;

use hashlanes_files::manifest::{Entry as Listed, Format, Nothing, Reason};
use hashlanes_files::source::{Stores, input};
use hashlanes_files::{
    Entry, Kind, LEADS_OUT, Source, Stream, Within, is_special, is_stdin, open_or_stdin, split_url,
    system,
};

use super::bag::{Bag, Problem, Step, not_payload};
use super::oci::{self, is_layout};
use crate::commands::tree::check as trees;
use crate::options::base::{Base, UNASKED, is_unasked};
use crate::url::is_url;
pub(super) use guessed_function::Guessed;
pub(in crate::commands) use how::How;
use how::InBag;
pub(super) use lines::supported;
pub(in crate::commands) use lines::{Found, Lines};
use part::Part;
pub(super) use plans::{Chooser, plans};
pub(in crate::commands) use why::{End, Malformed, Why};

/// The manifests.
pub(super) struct Manifests<'p> {
    how: How,
    which: Which,
    chooser: Chooser<'p>,
    stores: Arc<dyn Stores>,
    paths: vec::IntoIter<PathBuf>,
    /// The bag whose manifests are read.
    bag: Option<Bag>,
    current: Option<Manifest>,
    /// The entry that follows the latest one.
    next: Option<Entry<Note>>,
}

/// Which listed files are read.
#[derive(Clone, Copy)]
pub(super) struct Which {
    /// Whether special files are read.
    pub(super) special: bool,
    /// Whether URLs in lines are read.
    pub(super) remote: bool,
    /// Whether it is said how each manifest is read.
    pub(super) verbose: bool,
    pub(super) part: Part,
}

/// What an entry is about.
pub(super) enum Note {
    /// A listed file that the options leave out.
    LeftOut,
    /// A manifest begins. One of a bag may be empty.
    Begin { path: PathBuf, is_of_bag: bool, read_as: Option<String> },
    /// A manifest cannot be opened.
    Unopened(PathBuf, io::Error),
    /// A line about a file.
    Listed(Box<Listed>),
    /// A line about the file at this path, in a format whose digests are made of parts.
    Tree(PathBuf, Box<trees::Line>),
    /// A line names a file that does not exist or cannot exist, for this reason.
    Absent(Vec<u8>, &'static str),
    /// A line names a file that must not be read, for this reason.
    Refused(Vec<u8>, &'static str),
    /// Something is wrong with a bag.
    Problem(Problem),
    /// A line cannot be used.
    Unused { line: u64, why: Why },
    /// The manifest ends, or cannot be read any further. `nothing` tells what the manifest is if no
    /// line is about a file.
    /// `changed` counts the names that are written in another way than their files, and has one.
    /// `is_folding` tells whether such files were looked for.
    End {
        end: End,
        format: Option<Format>,
        nothing: Nothing,
        base: Option<Box<Base>>,
        changed: (u64, Vec<u8>),
        is_folding: bool,
    },
}

impl<'p> Manifests<'p> {
    pub(super) fn new(
        paths: Vec<PathBuf>,
        how: How,
        which: Which,
        chooser: Chooser<'p>,
        stores: Arc<dyn Stores>,
    ) -> Self {
        let paths = paths.into_iter();
        Self { how, which, chooser, stores, paths, bag: None, current: None, next: None }
    }
}

impl Source for Manifests<'_> {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        if let Some(next) = self.next.take() {
            return Some(next);
        }
        if let Some(manifest) = &mut self.current {
            if let Some(problem) = manifest.problems.pop() {
                return Some(Entry::Note(Note::Problem(problem)));
            }
            if let Some(found) = manifest.next() {
                return Some(self.entry_of(found));
            }
            self.current = None;
        }
        match self.bag.as_mut().map(Bag::next) {
            Some(Some(Step::Manifest(path))) => return Some(Entry::Note(self.begin(path, true))),
            Some(Some(Step::Problem(problem))) => return Some(Entry::Note(Note::Problem(problem))),
            Some(None) => self.bag = None,
            None => {}
        }
        let path = self.paths.next()?;
        match self.how.bag(&path) {
            None => Some(Entry::Note(self.begin(path, false))),
            bag => {
                self.bag = bag;
                self.next()
            }
        }
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

impl Manifests<'_> {
    fn begin(&mut self, path: PathBuf, is_of_bag: bool) -> Note {
        let opened = match is_url(&path) {
            true => Ok(Manifest::of_url(&path, &self.how, &*self.stores)),
            false => Manifest::open(&path, &self.how),
        };
        match opened {
            Ok(manifest) => {
                let read_as = self.which.verbose.then(|| manifest.lines.read_as(&self.how));
                self.current = Some(manifest);
                Note::Begin { path, is_of_bag, read_as }
            }
            Err(error) => {
                self.bag.iter_mut().for_each(Bag::skip_manifest);
                Note::Unopened(path, error)
            }
        }
    }

    /// The entry for what the current manifest has next.
    fn entry_of(&mut self, found: Found) -> Entry<Note> {
        let manifest = self.current.as_ref().expect("the manifest was being read");
        let lines = &manifest.lines;
        match found {
            Found::Unused(why) => Entry::Note(Note::Unused { line: lines.lines, why }),
            Found::End(end) => {
                let (format, nothing) = (lines.reader.format(), lines.reader.nothing());
                let base = manifest.base.clone().map(Box::new);
                let changed = lines.spelling.changed.clone();
                let is_folding = lines.spelling.is_folding();
                Entry::Note(Note::End { end, format, nothing, base, changed, is_folding })
            }
            Found::Tree(line) => manifest.tree_entry(line, self.which),
            Found::Unverified(name, why) => Entry::Note(Note::Refused(name, why)),
            Found::Listed(listed) => {
                let problem = match &mut self.bag {
                    Some(bag) => bag.see(&listed.name),
                    None => {
                        let payload = manifest.payload.as_deref();
                        payload.and_then(|manifest| not_payload(manifest, &listed.name))
                    }
                };
                let bag = self.bag.as_ref();
                let chooser = (&mut self.chooser, &*self.stores);
                let entry = manifest.entry(listed, self.which, bag, chooser);
                match problem {
                    None => entry,
                    Some(problem) => {
                        self.next = Some(entry);
                        Entry::Note(Note::Problem(problem))
                    }
                }
            }
        }
    }
}

impl Manifest {
    /// The entry for a file that a line names.
    fn entry(
        &self,
        listed: Listed,
        which: Which,
        bag: Option<&Bag>,
        (chooser, stores): (&mut Chooser<'_>, &dyn Stores),
    ) -> Entry<Note> {
        let line = self.lines.lines;
        let unused = |why| Entry::Note(Note::Unused { line, why: Why::Lacking(why) });
        let (listed, functions) = match supported(listed) {
            Ok(supported) => supported,
            Err(lacking) => return unused(lacking),
        };
        let Some(plan) = chooser.plan_of(&functions) else {
            return unused("one more combination of functions".into());
        };
        match self.place(&listed.name, which) {
            Ok(path) if bag.is_some_and(|bag| bag.is_to_fetch(&listed.name, &path)) => Entry::Note(
                Note::Absent(listed.name, "fetch.txt lists it, and it has not been fetched"),
            ),
            Ok(path) => {
                let kind = if which.special { Kind::Unknown } else { Kind::Listed };
                let input = input(&path, kind, stores);
                Entry::named(path, input, plan, Note::Listed(Box::new(listed)))
            }
            Err(note) => Entry::Note(note),
        }
    }

    /// The entry for a line of a format made of parts. Such a file is not hashed side by side with
    /// others: it gets all cores when its turn comes.
    fn tree_entry(&self, line: trees::Line, which: Which) -> Entry<Note> {
        Entry::Note(match self.place(&line.name, which) {
            Ok(path) => Note::Tree(path, Box::new(line)),
            Err(note) => note,
        })
    }

    /// The path that a name leads to, if the file is to be checked.
    fn place(&self, name: &[u8], which: Which) -> Result<PathBuf, Note> {
        let path = system::path(name.to_vec())
            .map_err(|name| Note::Absent(name, "the name is not valid Unicode"))?;
        let path = self.base.as_ref().map_or(path.clone(), |base| base.resolve(path));
        match &self.within {
            Some(within) if !within.has(&path) => Err(Note::Refused(name.to_vec(), LEADS_OUT)),
            _ if is_unasked(&path, self.base.as_ref(), which.remote || self.is_beside(&path)) => {
                Err(Note::Refused(name.to_vec(), UNASKED))
            }
            _ if which.part.leaves_out(name, &path) => Err(Note::LeftOut),
            _ => Ok(path),
        }
    }
}

/// The scheme of a URL, and its host or bucket.
fn origin(url: &Path) -> Option<(&'static str, String)> {
    let (scheme, rest) = split_url(url.to_str()?)?;
    Some((scheme, rest.split('/').next()?.to_owned()))
}

/// A stream that is read as its bytes arrive.
struct Arriving(Box<dyn Stream>);

impl io::Read for Arriving {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.start();
        loop {
            if let Some(length) = self.0.read(buffer, Duration::from_millis(100))? {
                return Ok(length);
            }
        }
    }
}

struct Manifest {
    lines: Lines,
    base: Option<Base>,
    /// The bag whose manifest this is, if only files inside it may be read.
    within: Option<Within>,
    /// The path, if it is the payload manifest of a bag.
    payload: Option<PathBuf>,
    /// What is wrong with documents from which the lines were made.
    problems: Vec<Problem>,
    is_stdin: bool,
    /// The scheme and the host or bucket of a manifest at a URL. Its lines may name others there.
    origin: Option<(&'static str, String)>,
    /// Whether reading it may wait for a writer, or consume the bytes of a listed file.
    is_special: bool,
    ended: bool,
}

impl Manifest {
    fn open(path: &Path, how: &How) -> io::Result<Self> {
        if is_layout(path) {
            return Self::of_layout(path, how);
        }
        let is_stdin = is_stdin(path);
        let file = open_or_stdin(path)?;
        // Windows has no metadata of a device.
        let is_special = is_stdin || !file.metadata().is_ok_and(|metadata| metadata.is_file());
        let in_bag = InBag::of(path).filter(|_| how.may_be_of_bag());
        let payload = in_bag.as_ref().filter(|bag| !bag.is_tag).map(|_| path.to_owned());
        let folder = in_bag.filter(|_| !how.follow_links).map(|bag| bag.folder);
        let within = folder.map(Within::new).transpose()?;
        let how = how.of_manifest(path);
        let lines = Lines::new(Box::new(file), path, &how);
        Ok(Self { within, payload, is_stdin, is_special, ..Self::of(lines) })
    }

    /// A manifest of which nothing but the lines is known.
    fn of(lines: Lines) -> Self {
        Self {
            base: lines.base.clone(),
            lines,
            within: None,
            payload: None,
            problems: Vec::new(),
            is_stdin: false,
            origin: None,
            is_special: false,
            ended: false,
        }
    }

    /// Whether a URL leads to where the manifest is, which the user has named.
    fn is_beside(&self, path: &Path) -> bool {
        self.origin.is_some() && self.origin == origin(path)
    }

    /// A manifest at a URL. Names without a place are those of files here.
    fn of_url(url: &Path, how: &How, stores: &dyn Stores) -> Self {
        let lines = Lines::new(Box::new(Arriving(stores.stream(url))), url, how);
        Self { origin: origin(url), is_special: true, ..Self::of(lines) }
    }

    /// The blobs of an OCI image layout.
    fn of_layout(folder: &Path, how: &How) -> io::Result<Self> {
        let (blobs, problems) = oci::manifest(folder);
        let base = how.base.clone().or_else(|| Some(Base::of_folder(folder)));
        let how = How { format: Some(Format::Json), zero: false, base, ..how.clone() };
        let lines = Lines::new(Box::new(io::Cursor::new(blobs)), folder, &how);
        Ok(Self { base: how.base, problems, ..Self::of(lines) })
    }

    fn next(&mut self) -> Option<Found> {
        if self.ended {
            return None;
        }
        let found = match self.lines.next() {
            // The standard input cannot be both the manifest and a listed file.
            Found::Listed(Listed { name, .. }) | Found::Tree(trees::Line { name, .. })
                if self.is_stdin && name == b"-" =>
            {
                let why = "the standard input is the manifest";
                Found::Unused(Why::Malformed(Malformed::new(Reason::Words(why), b"")))
            }
            found => found,
        };
        self.ended = matches!(found, Found::End(_));
        Some(found)
    }
}
