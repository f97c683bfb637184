//! The files of a folder, and then those of a manifest that are not in it.

use std::path::{Path, PathBuf};

use hashlanes_files::manifest::HashName;
use hashlanes_files::replace::Own;
use hashlanes_files::walk::{SortedFiles, WalkError};
use hashlanes_files::{Entry, Function, Kind, Source, system};

use super::super::plans::Chooser;
use super::table::Table;
use crate::options::base::Base;

/// What comes with an entry.
pub(super) enum Note {
    /// The file is listed: the index of its item.
    Listed(usize),
    /// The file is in the folder and not listed: its name.
    New(Vec<u8>),
    /// As `Listed`, of a file at this path whose item has lines of trees alone.
    Trees(usize, PathBuf),
    /// As `New`, of a file at this path, where most items have lines of trees alone.
    NewTrees(Vec<u8>, PathBuf),
    /// A directory cannot be read.
    Walk(WalkError),
    /// A file in the folder is not below the base, and has no name.
    Outside(PathBuf),
    /// The item of this index has a name that no file can have.
    Impossible(usize),
    /// The folder is done, and what is listed elsewhere follows. True if a listed file was there.
    Done(bool),
}

pub(super) struct Files<'t> {
    table: &'t Table,
    folder: Option<SortedFiles>,
    base: Option<&'t Base>,
    /// The plan of each kind of item. `None` for items with lines of trees alone.
    plans: Vec<Option<usize>>,
    /// Items that were in the folder, or that have been looked for elsewhere.
    seen: Vec<bool>,
    /// The next item to be looked for elsewhere.
    next: usize,
    /// Files of the comparison itself, which are no part of what is compared: the manifest, and
    /// what an update needs. `None` if it is on the standard input.
    own: Option<Own>,
}

/// The functions of this program with these names. The name that it lacks, if there is one.
pub(super) fn functions(names: &[HashName]) -> Result<Vec<Function>, HashName> {
    names.iter().map(|name| Function::from_name(&name.name()).map_err(|_| *name)).collect()
}

impl<'t> Files<'t> {
    /// `None` if the items have too many different sets of functions.
    pub(super) fn new(
        table: &'t Table,
        folder: SortedFiles,
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

    /// The entry for a file of the folder. `None` for those that do not count.
    fn in_folder(&mut self, path: PathBuf, kind: Kind) -> Option<Entry<Note>> {
        if self.own.as_ref().is_some_and(|own| own.has(&path)) {
            if let Some(index) = self.name(&path).and_then(|name| self.table.find(&name)) {
                self.seen[index] = true;
            }
            return None;
        }
        let Some(name) = self.name(&path) else {
            return Some(Entry::Note(Note::Outside(path)));
        };
        Some(match self.table.find(&name) {
            Some(index) => {
                self.seen[index] = true;
                self.listed(index, path, kind)
            }
            // The functions of most items.
            None => match self.plans[0] {
                Some(plan) => Entry::File { path, kind, plan, note: Note::New(name) },
                None => Entry::Note(Note::NewTrees(name, path)),
            },
        })
    }

    /// The entry for a file that is listed.
    fn listed(&self, index: usize, path: PathBuf, kind: Kind) -> Entry<Note> {
        match self.plans[self.table.kind(index)] {
            Some(plan) => Entry::File { path, kind, plan, note: Note::Listed(index) },
            None => Entry::Note(Note::Trees(index, path)),
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
            return Some(self.listed(index, path, Kind::Listed));
        }
        None
    }
}

impl Source for Files<'_> {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        while let Some(folder) = &mut self.folder {
            match folder.next() {
                Some(Ok((path, kind))) => {
                    if let Some(entry) = self.in_folder(path, kind) {
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
}
