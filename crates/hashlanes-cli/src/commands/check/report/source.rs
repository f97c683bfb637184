//! The files of a folder, followed by the listed files that are not in it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlanes_files::manifest::HashName;
use hashlanes_files::replace::Own;
use hashlanes_files::source::{self as names, Stores, input};
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_files::{Entry, Function, Input, Kind, Source};

use super::super::manifests::Chooser;
use super::super::manifests::part::Part;
use super::name_of;
use super::places::{Places, Root};
use super::table::Table;
use crate::options::base::{Base, UNASKED, is_unasked, path_of};
use crate::url::is_url;

/// What an entry is about.
pub(super) enum Note {
    /// A listed file, with the index of its item, and where it was looked for.
    Listed(usize, Where),
    /// A file in the folder that is not listed, with its name.
    New(Vec<u8>),
    /// Like `Listed`, for an item that only has lines of trees, with the file's path.
    Trees(usize, Where, PathBuf),
    /// Like `New`, where most items only have lines of trees, with the file's path.
    NewTrees(Vec<u8>, PathBuf),
    /// A directory cannot be read.
    Walk(WalkError),
    /// A file in the folder that is outside of the base, and so has no name.
    Outside(PathBuf),
    /// The item of this index has a name that no file can have.
    Impossible(usize),
    /// An absolute name leads out of the folder, which has no listed file: it is that of the
    /// original, and this folder may be a copy.
    Original(usize),
    /// Listed, and not read for this reason.
    Refused(usize, PathBuf, &'static str),
    /// The options leave an item out.
    LeftOut,
    /// The item is the manifest, or a file that belongs to it.
    Own(usize),
    /// The folder has been read, and listed files outside of it follow. True if it had a listed
    /// file.
    Done(bool),
}

/// Where a listed file was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    /// The walk of the folder has found it.
    Walked,
    /// In the folder, where the walk has not found it.
    Inside,
    Outside,
}

/// Which files are compared, and where they are.
pub(super) struct Scope<'t> {
    pub(super) folder: &'t Path,
    pub(super) base: Option<&'t Base>,
    pub(super) walk: &'t Walk,
    pub(super) part: Part,
    /// Whether URLs in lines are read.
    pub(super) remote: bool,
    pub(super) stores: Arc<dyn Stores>,
    /// Files that belong to the comparison itself and are left out: the manifest, what an update
    /// needs, and the output.
    pub(super) own: Own,
}

pub(super) struct Files<'t> {
    table: &'t Table,
    folder: Option<Box<dyn Source<Note = names::Note>>>,
    scope: Scope<'t>,
    places: Places<'t>,
    root: Root,
    /// The plan for each kind of item. `None` for items that only have lines of trees.
    plans: Vec<Option<usize>>,
    /// Whether each item was in the folder, or has been looked for elsewhere.
    seen: Vec<bool>,
    /// The next item to look for outside of the folder.
    next: usize,
    /// Whether the folder has any listed file, once it has been read.
    has_listed: bool,
}

/// The program's functions with these names, or the first name that it does not support.
pub(super) fn functions(names: &[HashName]) -> Result<Vec<Function>, HashName> {
    names.iter().map(|name| Function::from_name(&name.name()).map_err(|_| *name)).collect()
}

impl<'t> Files<'t> {
    /// `None` if the items have too many different sets of functions.
    pub(super) fn new(
        table: &'t Table,
        folder: Box<dyn Source<Note = names::Note>>,
        scope: Scope<'t>,
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
        let (seen, folder) = (vec![false; table.len()], Some(folder));
        let (places, root) = (Places::new(table, scope.base), Root::new(scope.folder));
        Some(Self { table, folder, scope, places, root, plans, seen, next: 0, has_listed: false })
    }

    /// The entry for a file of the folder. `None` for files that are left out.
    fn in_folder(&mut self, path: PathBuf, input: Input) -> Option<Entry<Note>> {
        let name = name_of(&path, self.scope.base);
        let index = name.as_ref().and_then(|name| self.table.find(name));
        if let Some(index) = index.or_else(|| self.places.find(&path)) {
            // With -L, a walk may come to a file twice.
            if std::mem::replace(&mut self.seen[index], true) {
                return None;
            }
            if self.is_own(&path) {
                return Some(Entry::Note(Note::Own(index)));
            }
            if self.scope.part.leaves_out(&self.table.name(index), &path) {
                return Some(Entry::Note(Note::LeftOut));
            }
            return Some(self.listed(index, Where::Walked, path, input));
        }
        if self.is_own(&path) {
            return None;
        }
        let Some(name) = self.places.spell(&path).or(name) else {
            return Some(Entry::Note(Note::Outside(path)));
        };
        if self.scope.part.leaves_out(&name, &path) {
            return None;
        }
        // The functions that most items have.
        Some(match self.plans[0] {
            Some(plan) => Entry::named(path, input, plan, Note::New(name)),
            None => Entry::Note(Note::NewTrees(name, path)),
        })
    }

    fn is_own(&self, path: &Path) -> bool {
        self.scope.own.has(path) || self.scope.own.is_at(path)
    }

    /// The entry for a file that is listed.
    fn listed(&self, index: usize, place: Where, path: PathBuf, input: Input) -> Entry<Note> {
        match self.plans[self.table.kind(index)] {
            Some(plan) => Entry::named(path, input, plan, Note::Listed(index, place)),
            None => Entry::Note(Note::Trees(index, place, path)),
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
            let Some(path) = path_of(&self.table.name(index), self.scope.base) else {
                return Some(Entry::Note(Note::Impossible(index)));
            };
            if self.is_own(&path) {
                return Some(Entry::Note(Note::Own(index)));
            }
            if is_unasked(&path, self.scope.base, self.scope.remote) {
                return Some(Entry::Note(Note::Refused(index, path, UNASKED)));
            }
            let below = if is_url(&path) { None } else { self.root.below(&path) };
            let is_taken = below.as_ref().is_none_or(|below| self.scope.walk.takes(below));
            if !is_taken || self.scope.part.leaves_out(&self.table.name(index), &path) {
                return Some(Entry::Note(Note::LeftOut));
            }
            let is_inside = below.is_some() || is_url(&path);
            if !is_inside && !self.has_listed && self.table.name(index).starts_with(b"/") {
                return Some(Entry::Note(Note::Original(index)));
            }
            let place = if is_inside { Where::Inside } else { Where::Outside };
            let input = input(&path, Kind::Listed, &*self.scope.stores);
            return Some(self.listed(index, place, path, input));
        }
        None
    }
}

impl Source for Files<'_> {
    type Note = Note;

    fn next(&mut self) -> Option<Entry<Note>> {
        while let Some(folder) = &mut self.folder {
            match folder.next() {
                Some(Entry::Named { path, input, .. }) => {
                    if let Some(entry) = self.in_folder(path, input) {
                        return Some(entry);
                    }
                }
                Some(Entry::Note(names::Note::Walk(error))) => {
                    return Some(Entry::Note(Note::Walk(error)));
                }
                Some(Entry::Note(_)) => {}
                None => {
                    self.folder = None;
                    self.has_listed = self.seen.contains(&true);
                    return Some(Entry::Note(Note::Done(self.has_listed)));
                }
            }
        }
        self.elsewhere()
    }

    fn is_ready(&self) -> bool {
        self.folder.as_ref().is_none_or(|folder| folder.is_ready())
    }
}
