//! When listed files are missing: which files are there that the names may mean, and the option
//! that finds them. Nothing is guessed silently: this only says what would fit.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use hashlanes_files::name::quote;
use hashlanes_files::system;

use super::manifests::spelling::{Finder, stripped, with_slashes};
use crate::options::base::{Base, path_of};
use crate::options::real::or_here;
use crate::url::{is_url, public};

/// How many missing names are looked at.
const NAMES: usize = 100;

/// The most folders that are tried as the base.
const FOLDERS: usize = 100;

/// The most parts that are taken off.
const PARTS: usize = 16;

/// The most ways that are told.
const WAYS: usize = 3;

/// The names of missing files.
#[derive(Default)]
pub(super) struct Missing {
    count: u64,
    first: Vec<Vec<u8>>,
    /// Names in another normal form or case were looked for: a file with one is another file.
    pub(super) is_folding: bool,
}

impl Missing {
    pub(super) fn add(&mut self, name: &[u8]) {
        self.count += 1;
        if self.first.len() < NAMES {
            self.first.push(name.to_vec());
        }
    }

    /// What would find some of the files, and how many: the best first.
    pub(super) fn hints(&self, manifest: &Path, base: Option<&Base>) -> Vec<String> {
        if self.first.is_empty() || base.is_some_and(Base::is_url) {
            return Vec::new();
        }
        if base.is_none() && is_url(manifest) {
            let shown = public(manifest);
            let folder = quote(shown.parent().unwrap_or(&shown));
            return vec![format!("for the objects beside it: try --base {folder}")];
        }
        let mut ways: BTreeMap<Way, usize> = BTreeMap::new();
        let folders = folders(manifest, base);
        let mut finder = Finder::default();
        for name in &self.first {
            for way in ways_of(name, base, (manifest, &folders), &mut finder) {
                *ways.entry(way).or_default() += 1;
            }
        }
        let mut ways: Vec<_> = ways.into_iter().collect();
        ways.retain(|(way, _)| *way != Way::Alike || !self.is_folding);
        // Among equal counts, the order of the ways.
        ways.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        // What finds all of them needs no second best.
        if ways.first().is_some_and(|(_, count)| *count == self.first.len()) {
            ways.retain(|(_, count)| *count == self.first.len());
        }
        ways.truncate(WAYS);
        ways.iter().map(|(way, count)| self.hint(way, *count)).collect()
    }

    fn hint(&self, way: &Way, count: usize) -> String {
        let looked = self.first.len() as u64;
        let of = match (count, looked) {
            (1, 1) => "the missing name".to_owned(),
            (_, _) if looked < self.count => {
                format!("{count} of the first {looked} missing names")
            }
            _ => format!("{count} of {looked} missing names"),
        };
        let is = if count == 1 { "exists" } else { "exist" };
        match way {
            Way::Base(folder) => {
                let folder = quote(folder);
                format!("{of} {is} in {folder}: try --base {folder}")
            }
            Way::Slashes => format!("{of} {is} with / for \\: try --fix-names"),
            Way::Alike => {
                format!("{of} {is} in another normal form or case: try --fix-names")
            }
            Way::Strip(parts) => {
                let first = if *parts == 1 { "part".into() } else { format!("{parts} parts") };
                format!("{of} {is} without the first {first}: try --strip {parts}")
            }
            Way::Last => format!("{of} {is} without folders: try --strip all"),
            Way::LastSlashes => {
                format!("{of} {is} with / for \\ and without folders: try --fix-names --strip all")
            }
        }
    }
}

/// A way to find files.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    Base(PathBuf),
    Slashes,
    Alike,
    Strip(usize),
    Last,
    LastSlashes,
}

/// Folders that names may be relative to: that of the manifest, and those in the base.
fn folders(manifest: &Path, base: Option<&Base>) -> Vec<PathBuf> {
    let here = base.map_or(PathBuf::new(), |base| base.resolve(PathBuf::new()));
    let beside = manifest.parent().map(|folder| or_here(folder).to_owned());
    let beside = beside.filter(|folder| folder != or_here(&here));
    let below = fs::read_dir(or_here(&here)).into_iter().flatten().flatten();
    let below = below.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
    let below = below.take(FOLDERS).map(|it| here.join(it.file_name()));
    let mut below: Vec<_> = below.filter(|folder| Some(folder) != beside.as_ref()).collect();
    below.sort_unstable();
    beside.into_iter().chain(below).collect()
}

/// The ways to find the file of this name.
fn ways_of(
    name: &[u8],
    base: Option<&Base>,
    (manifest, folders): (&Path, &[PathBuf]),
    finder: &mut Finder,
) -> Vec<Way> {
    let there =
        |name: &[u8]| !name.is_empty() && path_of(name, base).is_some_and(|path| path.is_file());
    let mut ways = Vec::new();
    let plain = name.strip_prefix(b"./").unwrap_or(name);
    if let Some(path) = system::path(plain.to_vec()).ok().filter(|path| path.is_relative()) {
        let fitting = folders.iter().filter(|folder| folder.join(&path).is_file());
        ways.extend(fitting.cloned().map(Way::Base));
    }
    let slashes = with_slashes(name);
    if slashes != name {
        if there(&slashes) {
            ways.push(Way::Slashes);
        } else if there(stripped(&slashes, usize::MAX)) {
            ways.push(Way::LastSlashes);
        }
    }
    let is_manifest = |found: &[u8]| {
        path_of(found, base).is_some_and(|path| system::is_same_file(&path, manifest))
    };
    if finder.find(name, base).is_some_and(|found| found != name && !is_manifest(&found)) {
        ways.push(Way::Alike);
    }
    let last = stripped(name, usize::MAX);
    let mut before = name;
    for parts in 1..=PARTS {
        let rest = stripped(name, parts);
        if rest == before || rest == last {
            break;
        }
        before = rest;
        if there(rest) {
            ways.push(Way::Strip(parts));
        }
    }
    if last != name && there(last) {
        ways.push(Way::Last);
    }
    ways
}
