//! `hashlanes check BAG`: verifies a whole bag (RFC 8493), not only the files of one manifest.
//!
//! The manifests are compared one after another, as any others. This module adds what no single
//! manifest tells: whether `bagit.txt`, `bag-info.txt` and `fetch.txt` are valid, and whether the
//! manifests and the folder `data` have the same files.
//!
//! Memory: about 40 bytes for each file of the payload, whatever its name.

pub(super) mod names;
mod payload;

use std::collections::{HashMap, VecDeque};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use hashlanes_files::manifest::bag::{Declaration, Oxum, read_fetch, read_info};
use hashlanes_files::manifest::{Reason, Record, Records, Text};
use hashlanes_files::name::quote_name;
use hashlanes_files::{Function, LEADS_OUT, Within, system};
use names::{Key, key, name_in, plain};
use payload::Files;

use crate::terminal::message::reason;

/// The most bytes of `bagit.txt` that are read.
const MAX_DECLARATION: u64 = 1 << 16;

/// How many invalid lines of `bag-info.txt` or `fetch.txt` are named.
const NAMED_LINES: u64 = 8;

/// The most payload manifests; more than there are hash functions.
const MOST_MANIFESTS: usize = 64;

/// A bag while it is being verified.
pub(in super::super) struct Bag {
    folder: PathBuf,
    /// Restricts reading to files inside the bag. `None` if links may lead out of it.
    within: Option<Within>,
    version: (u32, u32),
    is_latin_1: bool,
    oxum: Option<Oxum>,
    /// The names of the payload manifests.
    payload: Vec<String>,
    /// A bit for each payload manifest that could be read.
    read: u64,
    /// The names of the manifests that are still to be read.
    manifests: vec::IntoIter<String>,
    current: Current,
    /// For each listed file, a bit for each payload manifest that lists it.
    listed: HashMap<Key, u64>,
    /// For each file, the line of `fetch.txt` that names it.
    fetch: HashMap<Key, u64>,
    files: Option<Files>,
    found: Oxum,
    problems: VecDeque<Problem>,
}

/// The manifest that is being compared.
#[derive(Clone, Copy)]
enum Current {
    None,
    /// The payload manifest of this number.
    Payload(usize),
    /// A tag manifest, with a bit for each payload manifest that it lists.
    Tags(u64),
}

/// What is wrong with the file at this path.
pub(in super::super) struct Problem {
    pub(in super::super) path: PathBuf,
    pub(in super::super) what: String,
}

/// What comes next.
pub(in super::super) enum Step {
    Problem(Problem),
    /// Compare the manifest at this path.
    Manifest(PathBuf),
}

impl Bag {
    /// The bag at this path, if it has a `bagit.txt`. With a function, only manifests of that
    /// function count.
    pub(in super::super) fn open(
        folder: &Path,
        only: Option<Function>,
        follow_links: bool,
    ) -> Option<Self> {
        if !folder.join("bagit.txt").is_file() {
            return None;
        }
        let within = if follow_links { None } else { Within::new(folder).ok() };
        let mut bag = Self {
            folder: folder.into(),
            within,
            version: (1, 0),
            is_latin_1: false,
            oxum: None,
            payload: Vec::new(),
            read: 0,
            manifests: Vec::new().into_iter(),
            current: Current::None,
            listed: HashMap::new(),
            fetch: HashMap::new(),
            files: None,
            found: Oxum::default(),
            problems: VecDeque::new(),
        };
        bag.read_declaration();
        bag.find_manifests(only);
        bag.read_lines("bag-info.txt", |bag, _, line| {
            let Some(oxum) = read_info(line)? else { return Ok(()) };
            let is_other = bag.oxum.replace(oxum).is_some_and(|old| old != oxum);
            let why = "it contradicts an earlier Payload-Oxum";
            if is_other { Err(Reason::Words(why)) } else { Ok(()) }
        });
        bag.read_lines("fetch.txt", |bag, number, line| {
            let name = read_fetch(line)?;
            bag.fetch.insert(key(&name), number);
            Ok(())
        });
        Some(bag)
    }

    /// The next step. Call it again when the manifest has ended.
    pub(in super::super) fn next(&mut self) -> Option<Step> {
        self.end_manifest();
        if let Some(problem) = self.problems.pop_front() {
            return Some(Step::Problem(problem));
        }
        if let Some(name) = self.manifests.next() {
            let number = self.payload.iter().position(|payload| *payload == name);
            self.current = number.map_or(Current::Tags(0), Current::Payload);
            self.read |= number.map_or(0, |number| 1 << number);
            return Some(Step::Manifest(self.folder.join(name)));
        }
        self.next_file().map(Step::Problem)
    }

    /// The current manifest cannot be read, so nothing is known about what it does not list.
    pub(in super::super) fn skip_manifest(&mut self) {
        if let Current::Payload(number) = self.current {
            self.read &= !(1 << number);
        }
        self.current = Current::None;
    }

    /// Records a name that the current manifest lists.
    pub(in super::super) fn see(&mut self, name: &[u8]) -> Option<Problem> {
        let name = &plain(name)[..];
        match &mut self.current {
            Current::None => None,
            Current::Tags(listed) => {
                let is = |manifest: &String| manifest.as_bytes() == name;
                *listed |= self.payload.iter().position(is).map_or(0, |number| 1 << number);
                None
            }
            Current::Payload(number) => {
                let bit = 1 << *number;
                let manifest = self.folder.join(&self.payload[*number]);
                if let Some(problem) = not_payload(&manifest, name) {
                    return Some(problem);
                }
                let shown = quote_name(name);
                let listed = self.listed.entry(key(name)).or_default();
                let is_twice = *listed & bit != 0 && self.version >= (1, 0);
                *listed |= bit;
                let what = format!("{shown} is listed twice");
                is_twice.then_some(Problem { path: manifest, what })
            }
        }
    }

    /// Why the file at this path must not be read, if so.
    pub(in super::super) fn is_to_fetch(&self, name: &[u8], path: &Path) -> bool {
        self.fetch.contains_key(&key(name)) && !path.exists()
    }

    fn problem(&mut self, name: &str, what: impl Into<String>) {
        let path = if name.is_empty() { self.folder.clone() } else { self.folder.join(name) };
        self.problems.push_back(Problem { path, what: what.into() });
    }

    fn is_inside(&self, path: &Path) -> bool {
        self.within.as_ref().is_none_or(|within| within.has(path))
    }

    /// Whether the file exists and may be read. If it exists and may not be read, reports why.
    fn is_usable(&mut self, name: &str) -> bool {
        let path = self.folder.join(name);
        let why = match fs::metadata(&path) {
            Err(error) if system::is_missing(&error) && !path.is_symlink() => return false,
            Err(error) if system::is_missing(&error) => "a broken link".into(),
            Err(error) => reason(&error),
            Ok(metadata) if !metadata.is_file() => "not a regular file".into(),
            Ok(_) if !self.is_inside(&path) => LEADS_OUT.into(),
            Ok(_) => return true,
        };
        self.problem(name, why);
        false
    }

    fn read_declaration(&mut self) {
        if !self.is_usable("bagit.txt") {
            return;
        }
        match declaration(&self.folder) {
            Ok(declaration) => {
                self.version = declaration.version;
                self.is_latin_1 = declaration.is_latin_1;
                declaration.problems.into_iter().for_each(|what| self.problem("bagit.txt", what));
            }
            Err(error) => self.problem("bagit.txt", reason(&error)),
        }
    }

    /// Finds the payload and tag manifests.
    fn find_manifests(&mut self, only: Option<Function>) {
        let mut tags = Vec::new();
        let names = match fs::read_dir(&self.folder) {
            Ok(entries) => entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()),
            Err(error) => return self.problem("", reason(&error)),
        };
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        for name in names {
            let Some((is_tag, function)) = manifest_of(&name) else { continue };
            match Function::from_name(function) {
                Err(_) => {
                    let function = quote_name(function.as_bytes());
                    self.problem(&name, format!("not checked: {function} is not supported"));
                }
                Ok(function) if only.is_some_and(|only| only != function) => {}
                Ok(_) if !self.is_usable(&name) => {}
                Ok(_) if is_tag => tags.push(name),
                Ok(_) if self.payload.len() == MOST_MANIFESTS => {
                    self.problem(&name, "there are too many manifests");
                }
                Ok(_) => self.payload.push(name),
            }
        }
        if self.payload.is_empty() {
            self.problem("", "the bag has no payload manifest, such as manifest-sha256.txt");
        }
        let data = self.folder.join("data");
        if !data.is_dir() {
            self.problem("data", "the bag has no such folder");
        } else if !self.is_inside(&data) {
            self.problem("data", LEADS_OUT);
        } else {
            self.files = Some(Files::new(data, self.within.is_none()));
        }
        let all: Vec<String> = self.payload.iter().cloned().chain(tags).collect();
        self.manifests = all.into_iter();
    }

    /// Reads the lines of an optional file of the bag.
    fn read_lines(
        &mut self,
        name: &str,
        mut each: impl FnMut(&mut Self, u64, &[u8]) -> Result<(), Reason>,
    ) {
        if !self.is_usable(name) {
            return;
        }
        let file = match system::open(&self.folder.join(name)) {
            Ok(file) => file,
            Err(error) => return self.problem(name, reason(&error)),
        };
        let text = match self.is_latin_1 {
            true => Text::latin_1(Box::new(file)),
            false => Text::new(Box::new(file), false),
        };
        let mut records = Records::new(text, false);
        let (mut line, mut number, mut wrong) = (Vec::new(), 0, 0);
        loop {
            let outcome = match records.next(&mut line) {
                Ok(None) => break,
                Ok(Some(Record::TooLong)) => Err(Reason::Words("the line is too long")),
                Ok(Some(_)) if line.trim_ascii().is_empty() => Ok(()),
                Ok(Some(_)) => each(self, number + 1, &line),
                Err(error) => return self.problem(name, reason(&error)),
            };
            number += 1;
            if let Err(reason) = outcome {
                wrong += 1;
                if wrong <= NAMED_LINES {
                    self.problem(name, format!("line {number}: {reason}"));
                }
            }
        }
        if wrong > NAMED_LINES {
            self.problem(name, format!("{wrong} lines are invalid"));
        }
    }

    /// Reports payload manifests that the tag manifest which just ended does not list.
    fn end_manifest(&mut self) {
        if let Current::Tags(listed) = self.current {
            let missing = |(number, _): &(usize, &String)| listed & 1 << number == 0;
            let missing = self.payload.iter().enumerate().filter(missing);
            let missing: Vec<_> = missing.map(|(_, name)| name.clone()).collect();
            missing.iter().for_each(|name| self.problem(name, "a tag manifest does not list it"));
        }
        self.current = Current::None;
    }

    /// The next payload file with a problem, or the next problem of the whole payload.
    fn next_file(&mut self) -> Option<Problem> {
        loop {
            if let Some(problem) = self.problems.pop_front() {
                return Some(problem);
            }
            match self.files.as_mut().and_then(Files::next) {
                Some(Ok(path)) => {
                    let what = self.look(&path);
                    if let Some(what) = what {
                        return Some(Problem { path, what });
                    }
                }
                Some(Err((path, error))) => {
                    return Some(Problem { path, what: reason(&error) });
                }
                None => {
                    self.end();
                    return self.problems.pop_front();
                }
            }
        }
    }

    /// What is wrong with a payload file besides its content.
    fn look(&mut self, path: &Path) -> Option<String> {
        if let Some(metadata) = fs::metadata(path).ok().filter(fs::Metadata::is_file) {
            self.found.files += 1;
            self.found.bytes += metadata.len();
        }
        let name = name_in(&self.folder, path);
        let listed = self.listed.get(&key(&name)).copied().unwrap_or(0);
        if listed == 0 {
            return Some("no payload manifest lists it".into());
        }
        let missing = self.read & !listed;
        // Before version 1.0, one manifest is enough.
        if missing == 0 || self.version < (1, 0) {
            return None;
        }
        let names = self.payload.iter().enumerate();
        let names = names.filter(|(number, _)| missing & 1 << number != 0);
        let names: Vec<&str> = names.map(|(_, name)| name.as_str()).collect();
        Some(format!("not listed in {}", names.join(", ")))
    }

    /// Reports problems of the payload as a whole.
    fn end(&mut self) {
        let is_unlisted = |(name, _): &(&Key, &u64)| !self.listed.contains_key(*name);
        let mut lines: Vec<u64> =
            self.fetch.iter().filter(is_unlisted).map(|(_, line)| *line).collect();
        lines.sort_unstable();
        self.fetch.clear();
        let what = "no payload manifest lists the file";
        lines.iter().for_each(|line| self.problem("fetch.txt", format!("line {line}: {what}")));
        if let Some(oxum) = self.oxum.take().filter(|oxum| *oxum != self.found) {
            let Oxum { bytes, files } = self.found;
            let what = format!(
                "Payload-Oxum is {}.{}, and data has {bytes} bytes in {files} files",
                oxum.bytes, oxum.files
            );
            self.problem("bag-info.txt", what);
        }
    }
}

/// The content of the `bagit.txt` of this folder.
pub(super) fn declaration(folder: &Path) -> io::Result<Declaration> {
    use io::Read;
    let mut text = Vec::new();
    let file = system::open(&folder.join("bagit.txt"))?;
    file.take(MAX_DECLARATION).read_to_end(&mut text)?;
    Ok(Declaration::read(&text))
}

/// What is wrong with a name in a payload manifest, if it is not that of a payload file.
pub(super) fn not_payload(manifest: &Path, name: &[u8]) -> Option<Problem> {
    let name = &plain(name)[..];
    let what = || format!("{} is not below data", quote_name(name));
    (!name.starts_with(b"data/")).then(|| Problem { path: manifest.to_owned(), what: what() })
}

/// Whether this is the name of a tag manifest, and the name of its function. `None` for other
/// files.
pub(super) fn manifest_of(name: &str) -> Option<(bool, &str)> {
    let name = name.strip_suffix(".txt")?;
    let tags = name.strip_prefix("tagmanifest-").map(|function| (true, function));
    tags.or_else(|| Some((false, name.strip_prefix("manifest-")?)))
}
