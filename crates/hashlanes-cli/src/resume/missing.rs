//! Decides which lines are kept although this run has not found their files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::replace::Own;
use hashlanes_files::system;

use crate::url::is_url;

/// Decides about files that were known and that this run did not find.
pub(super) struct Missing<'a> {
    /// Whether the run had no error and found a file.
    pub(super) is_clean: bool,
    pub(super) prune: bool,
    pub(super) folders: Folders<'a>,
    /// The number of lines that are kept.
    pub(super) kept: u64,
}

/// Examines the folders of files that were not found.
pub(crate) struct Folders<'a> {
    roots: &'a [PathBuf],
    own: Option<Own>,
    /// The folder that was examined last.
    last: Option<(PathBuf, Folder)>,
}

/// The state of a file's folder.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Folder {
    /// It, or the nearest existing folder above it, has entries.
    Used,
    /// It is empty: it may be a mount point whose disk is not mounted.
    Empty,
    /// It cannot be read, it is a broken link, or a root is missing.
    Unknown,
}

impl Missing<'_> {
    /// Whether the line for a file is kept.
    pub(super) fn stays(&mut self, name: &[u8]) -> bool {
        let stays = match system::path(name.to_vec()) {
            Ok(path) => !self.is_gone(&path),
            Err(_) => false,
        };
        self.kept += u64::from(stays);
        stays
    }

    /// Whether a file may exist although this run did not find it.
    pub(super) fn may_be_there(&mut self, path: &Path) -> bool {
        !is_url(path) && is_there(path) || !self.is_gone(path)
    }

    fn is_gone(&mut self, path: &Path) -> bool {
        if is_url(path) {
            // The listing was complete.
            return self.is_clean || self.prune;
        }
        if self.prune && !is_there(path) {
            return true;
        }
        if !self.is_clean {
            return false;
        }
        match self.folders.of(path) {
            Folder::Used => true,
            Folder::Empty => self.prune,
            Folder::Unknown => false,
        }
    }
}

impl<'a> Folders<'a> {
    /// Folders below `roots`. Files in `own` are ignored.
    pub(crate) fn new(roots: &'a [PathBuf], own: Option<Own>) -> Self {
        Self { roots, own, last: None }
    }

    /// The state of a file's folder.
    pub(crate) fn of(&mut self, path: &Path) -> Folder {
        let folder = above(path).to_owned();
        if let Some((_, found)) = self.last.as_ref().filter(|(last, _)| *last == folder) {
            return *found;
        }
        let found = self.look(path);
        self.last = Some((folder, found));
        found
    }

    /// Examines the nearest existing folder above.
    fn look(&self, mut path: &Path) -> Folder {
        while !self.roots.iter().any(|root| root == path) {
            path = above(path);
            match fs::read_dir(path) {
                Ok(mut entries) => {
                    let is_other = |entry: io::Result<fs::DirEntry>| {
                        let is_own = |path: &Path| self.own.as_ref().is_some_and(|o| o.has(path));
                        entry.is_ok_and(|entry| !is_own(&entry.path()))
                    };
                    return if entries.any(is_other) { Folder::Used } else { Folder::Empty };
                }
                Err(error) if is_gone(&error) && !path.is_symlink() && path != Path::new(".") => {}
                Err(_) => return Folder::Unknown,
            }
        }
        Folder::Unknown
    }
}

fn above(path: &Path) -> &Path {
    path.parent().filter(|above| !above.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Whether a file may exist: it does, or that cannot be determined.
fn is_there(path: &Path) -> bool {
    match system::metadata(path) {
        Ok(metadata) => metadata.is_file(),
        Err(error) => !is_gone(&error),
    }
}
