//! The files below the folder `data` of a bag.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

/// Iterates over everything below a folder but folders, each folder in sorted order. Keeps only the
/// names in the folders on the current path in memory.
pub(super) struct Files {
    /// Whether links to folders are followed. If not, they are skipped.
    follow_links: bool,
    levels: Vec<Level>,
    /// A folder that could not be read.
    failed: Option<(PathBuf, io::Error)>,
}

struct Level {
    folder: PathBuf,
    /// The folder's path without links, if links are followed.
    real: Option<PathBuf>,
    names: vec::IntoIter<OsString>,
}

impl Files {
    /// The files below `root`.
    pub(super) fn new(root: PathBuf, follow_links: bool) -> Self {
        let mut files = Self { follow_links, levels: Vec::new(), failed: None };
        files.enter(root);
        files
    }

    fn enter(&mut self, folder: PathBuf) {
        match self.level(&folder) {
            Ok((real, names)) => self.levels.push(Level { folder, real, names }),
            Err(error) => self.failed = Some((folder, error)),
        }
    }

    fn level(&self, folder: &Path) -> io::Result<(Option<PathBuf>, vec::IntoIter<OsString>)> {
        let real = self.follow_links.then(|| folder.canonicalize()).transpose()?;
        if real.is_some() && self.levels.iter().any(|level| level.real == real) {
            return Err(io::Error::other("the link leads back to a folder above it"));
        }
        let names = fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name()));
        let mut names = names.collect::<io::Result<Vec<_>>>()?;
        names.sort_unstable();
        Ok((real, names.into_iter()))
    }
}

impl Iterator for Files {
    type Item = Result<PathBuf, (PathBuf, io::Error)>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(failed) = self.failed.take() {
                return Some(Err(failed));
            }
            let level = self.levels.last_mut()?;
            let Some(name) = level.names.next() else {
                self.levels.pop();
                continue;
            };
            let path = level.folder.join(name);
            if !path.is_dir() {
                return Some(Ok(path));
            }
            if self.follow_links || !path.is_symlink() {
                self.enter(path);
            }
        }
    }
}
