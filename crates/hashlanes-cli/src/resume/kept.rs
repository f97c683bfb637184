//! Tells which files of a walk need not be read.

use std::fs::File;
use std::iter::Peekable;
use std::path::{Path, PathBuf};

use hashlanes_files::system::{self, Stamp};

use super::group::Groups;

/// What an earlier run has done, in the order of the walk.
pub(crate) struct Kept {
    groups: Option<Peekable<Groups<File>>>,
    /// The files that this run writes. They have no place in the manifest.
    own: [PathBuf; 2],
}

impl Kept {
    pub(super) fn new(groups: Option<Groups<File>>, own: [PathBuf; 2]) -> Self {
        Self { groups: groups.map(Iterator::peekable), own }
    }

    /// The lines of a file, if it has not changed. The walk asks for each file in turn.
    pub(crate) fn lines(&mut self, path: &Path) -> Option<Vec<u8>> {
        let groups = self.groups.as_mut()?;
        let name = system::name(path);
        // What cannot be read any further is not kept, and read anew.
        while groups
            .next_if(|group| group.as_ref().is_ok_and(|group| *group.name < *name))
            .is_some()
        {}
        let Some(Ok(group)) = groups.peek() else { return None };
        if group.name != *name {
            return None;
        }
        let metadata = system::metadata(path).ok().filter(|metadata| metadata.is_file())?;
        group.is_of(&Stamp::from(&metadata)).then(|| group.bytes.clone())
    }

    /// Whether this run writes the file.
    pub(crate) fn is_own(&self, path: &Path) -> bool {
        let same = |own: &PathBuf| own.file_name() == path.file_name();
        self.own.iter().any(same) && path.canonicalize().is_ok_and(|path| self.own.contains(&path))
    }
}
