//! The files of a folder, followed by the listed files that are not in it.

use std::path::{Path, PathBuf};

use hashlanes_files::manifest::HashName;
use hashlanes_files::replace::Own;
use hashlanes_files::walk::WalkError;
use hashlanes_files::{Entry, Function, Kind, Source, system};

use super::super::plans::Chooser;
use super::table::Table;
use crate::objects::{Below, Found};
use crate::options::base::Base;

/// What an entry is about.
pub(super) enum Note {
    /// A listed file, with the index of its item.
    Listed(usize),
    /// A file in the folder that is not listed, with its name.
    New(Vec<u8>),
    /// Like `Listed`, for an item that only has lines of trees, with the file's path.
    Trees(usize, PathBuf),
    /// Like `New`, where most items only have lines of trees, with the file's path.
    NewTrees(Vec<u8>, PathBuf),
    /// A directory cannot be read.
    Walk(WalkError),
    /// A file in the folder that is outside of the base, and so has no name.
    Outside(PathBuf),
    /// The item of this index has a name that no file can have.
    Impossible(usize),
    /// The folder has been read, and listed files outside of it follow. True if it had a listed
    /// file.
    Done(bool),
}

pub(super) struct Files<'t> {
    table: &'t Table,
    folder: Option<Below>,
    base: Option<&'t Base>,
    /// The plan for each kind of item. `None` for items that only have lines of trees.
    plans: Vec<Option<usize>>,
    /// Whether each item was in the folder, or has been looked for elsewhere.
    seen: Vec<bool>,
    /// The next item to look for outside of the folder.
    next: usize,
    /// Files that belong to the comparison itself and are left out: the manifest, and what an
    /// update needs. `None` if the manifest comes from the standard input.
    own: Option<Own>,
}

/// The program's functions with these names, or the first name that it does not support.
pub(super) fn functions(names: &[HashName]) -> Result<Vec<Function>, HashName> {
    names.iter().map(|name| Function::from_name(&name.name()).map_err(|_| *name)).collect()
}

impl<'t> Files<'t> {
    /// `None` if the items have too many different sets of functions.
    pub(super) fn new(
        table: &'t Table,
        folder: Below,
        base: Option<&'t Base>,
        own: Option<Own>,
        chooser: &mut Chooser<'_>,
        fallback: Function,
    ) -> Option<Self> {
        let mut plans = Vec::new();
        for kind in table.kinds() {
            plans.push(match functions(kind).ok()? {
                none if none.is_empty() => None,
                functions => Some(chooser.plan_of(&functions)?),
            });
        }
        if plans.is_empty() {
            plans.push(Some(chooser.plan_of(&[fallback])?));
        }
        let seen = vec![false; table.len()];
        Some(Self { table, folder: Some(folder), base, plans, seen, next: 0, own })
    }

    /// The entry for a file of the folder. `None` for files that are left out.
    fn in_folder(&mut self, found: Found) -> Option<Entry<Note>> {
        let path = &found.path;
        if self.own.as_ref().is_some_and(|own| own.has(path)) {
            if let Some(index) = self.name(path).and_then(|name| self.table.find(&name)) {
                self.seen[index] = true;
            }
            return None;
        }
        let Some(name) = self.name(path) else {
            return Some(Entry::Note(Note::Outside(found.path)));
        };
        Some(match self.table.find(&name) {
            Some(index) => {
                self.seen[index] = true;
                self.listed(index, found)
            }
            // The functions that most items have.
            None => match self.plans[0] {
                Some(plan) => found.entry(plan, Note::New(name)),
                None => Entry::Note(Note::NewTrees(name, found.path)),
            },
        })
    }

    /// The entry for a file that is listed.
    fn listed(&self, index: usize, found: Found) -> Entry<Note> {
        match self.plans[self.table.kind(index)] {
            Some(plan) => found.entry(plan, Note::Listed(index)),
            None => Entry::Note(Note::Trees(index, found.path)),
        }
    }

    fn name(&self, path: &Path) -> Option<Vec<u8>> {
        match self.base {
            None => Some(system::name(path).into_owned()),
            Some(base) => base.name(path).map(|name| system::name(&name).into_owned()),
        }
    }

    /// The entry for the next item that was not in the folder.
    fn elsewhere(&mut self) -> Option<Entry<Note>> {
        while self.next < self.table.len() {
            let index = self.next;
            self.next += 1;
            if self.seen[index] {
                continue;
            }
            let Ok(path) = system::path(self.table.name(index).into_owned()) else {
                return Some(Entry::Note(Note::Impossible(index)));
            };
            let path = self.base.map_or(path.clone(), |base| base.resolve(path));
            if self.own.as_ref().is_some_and(|own| own.has(&path)) {
                continue;
            }
            return Some(self.listed(index, (path, Kind::Listed).into()));
        }
        None
    }
}

impl Source for Files<'_> {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        while let Some(folder) = &mut self.folder {
            match folder.next() {
                Some(Ok(found)) => {
                    if let Some(entry) = self.in_folder(found) {
                        return Some(entry);
                    }
                }
                Some(Err(error)) => return Some(Entry::Note(Note::Walk(error))),
                None => {
                    self.folder = None;
                    return Some(Entry::Note(Note::Done(self.seen.contains(&true))));
                }
            }
        }
        self.elsewhere()
    }

    fn is_ready(&self) -> bool {
        self.folder.as_ref().is_none_or(Below::is_ready)
    }
}
