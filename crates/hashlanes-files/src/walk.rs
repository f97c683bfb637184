//! The files of directory trees, sorted by their paths.
//!
//! Paths are compared by their bytes. `a-b` comes before `a/x`, since `-` is less than `/`. So a
//! walk that simply sorts each directory by names would give another order. But it gives this order
//! if it compares directories as if their names ended in `/`. Thus only the directories on the way
//! are held in memory, and the first path is there at once.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;
use std::path::{Path, PathBuf};
use std::vec;

use walkdir::{DirEntry, WalkDir};

use crate::system;
use crate::{Kind, is_stdin};

/// A file of a tree, or the error of a directory that cannot be read.
pub type Found = Result<(PathBuf, Kind), WalkError>;

/// A directory that cannot be read, and why.
#[derive(Debug)]
pub struct WalkError {
    /// The directory.
    pub path: PathBuf,
    /// The error of the system.
    pub error: io::Error,
}

/// The files that some roots name: a root itself, or all regular files below it if it is a
/// directory. Symbolic links are followed only if they are roots.
pub struct SortedFiles {
    /// Roots that have not been looked at yet, sorted.
    roots: vec::IntoIter<PathBuf>,
    /// The walks that are under way, each with its next path.
    open: BinaryHeap<Reverse<Open>>,
}

struct Open {
    path: PathBuf,
    kind: Kind,
    error: Option<io::Error>,
    rest: Option<walkdir::IntoIter>,
}

impl SortedFiles {
    /// The files of these roots. The root `-` is the standard input.
    pub fn new(mut roots: Vec<PathBuf>) -> Self {
        roots.sort_by(|a, b| system::name(a).cmp(&system::name(b)));
        Self { roots: roots.into_iter(), open: BinaryHeap::new() }
    }

    /// Opens all roots that may have a path before those of the open walks. No path is less than
    /// its root.
    fn open_roots(&mut self) {
        while let Some(root) = self.roots.as_slice().first() {
            if self
                .open
                .peek()
                .is_some_and(|Reverse(open)| system::name(&open.path) < system::name(root))
            {
                return;
            }
            if let Some(open) = self.roots.next().and_then(Open::root) {
                self.open.push(Reverse(open));
            }
        }
    }
}

impl Iterator for SortedFiles {
    type Item = Found;

    fn next(&mut self) -> Option<Found> {
        self.open_roots();
        let mut first = self.open.peek_mut()?;
        let Reverse(open) = &mut *first;
        Some(match open.rest.take().and_then(Open::advance) {
            Some(next) => std::mem::replace(open, next).found(),
            None => PeekMut::pop(first).0.found(),
        })
    }
}

impl Open {
    fn root(path: PathBuf) -> Option<Self> {
        if is_stdin(&path) || system::is_device(&path) || !path.is_dir() {
            // A root that does not exist goes this way too: reading it gives the error.
            return Some(Self { path, kind: Kind::Unknown, error: None, rest: None });
        }
        Self::advance(WalkDir::new(path).sort_by(compare).into_iter())
    }

    fn advance(mut rest: walkdir::IntoIter) -> Option<Self> {
        loop {
            let (path, error) = match rest.next()? {
                Ok(entry) if entry.file_type().is_file() => (entry.into_path(), None),
                Ok(_) => continue,
                Err(error) => {
                    let path = error.path().unwrap_or(Path::new("")).to_owned();
                    // Only a walk that follows links has other errors.
                    let other = || io::Error::other("the directory cannot be walked");
                    (path, Some(error.into_io_error().unwrap_or_else(other)))
                }
            };
            return Some(Self { path, kind: Kind::Regular, error, rest: Some(rest) });
        }
    }

    fn found(self) -> Found {
        match self.error {
            None => Ok((self.path, self.kind)),
            Some(error) => Err(WalkError { path: self.path, error }),
        }
    }
}

/// Compares entries of one directory, as if the names of directories ended in `/`.
fn compare(a: &DirEntry, b: &DirEntry) -> Ordering {
    let (a_is_dir, b_is_dir) = (a.file_type().is_dir(), b.file_type().is_dir());
    let (a, b) = (a.file_name().as_encoded_bytes(), b.file_name().as_encoded_bytes());
    let common = a.len().min(b.len());
    let after = |name: &[u8], is_dir: bool| name.get(common).copied().or(is_dir.then_some(b'/'));
    // If one name is the beginning of the other, the next byte of the longer one decides. No two
    // names are the same.
    a[..common].cmp(&b[..common]).then_with(|| after(a, a_is_dir).cmp(&after(b, b_is_dir)))
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        system::name(&self.path).cmp(&system::name(&other.path))
    }
}
