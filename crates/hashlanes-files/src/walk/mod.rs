//! The files of directory trees, sorted by their paths.
//!
//! Paths are compared by their bytes, so `a-b` comes before `a/x`: `-` is less than `/`. A walk
//! that sorted each directory by names alone would give another order. Comparing directories as if
//! their names ended in `/` gives this one. So only the directories on the current path are held in
//! memory, and the first file is found at once.
//!
//! Memory: the names of the entries of the directories on the current path, with some 40 bytes for
//! each name. A directory with a million names of 20 bytes takes 60 MB. Other directories take no
//! memory.

mod filter;
mod shard;
mod skipped;
mod tree;

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

pub use crate::entry::Origin;
pub use filter::{Filter, FilterError};
pub use shard::{Shard, ShardError};
pub use skipped::Skipped;
use tree::Tree;

use crate::{Kind, is_stdin, system};

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

/// Which files of a tree to take. Roots are always taken, except those that belong to other shards.
#[derive(Debug, Default)]
pub struct Options {
    /// Follow symbolic links everywhere, not only the roots.
    pub follow_links: bool,
    /// Do not enter directories on other file systems than the root's.
    pub one_file_system: bool,
    /// Skip names that begin with a dot.
    pub skip_hidden: bool,
    /// Files to skip.
    pub filter: Filter,
    /// Take only the files of this shard. This applies to roots that are files, too.
    pub shard: Option<Shard>,
}

impl Options {
    /// Whether a file with this path below the root is in the shard.
    fn is_in_shard(&self, below: &Path) -> bool {
        self.shard.is_none_or(|shard| shard.has(below))
    }
}

/// Walks trees, and counts what it skips.
///
/// # Examples
/// ```
/// use hashlanes_files::walk::{Filter, Options, Walk};
///
/// let folder = tempfile::tempdir()?;
/// for name in ["a.txt", "b.txt", "b.tmp"] {
///     std::fs::write(folder.path().join(name), name)?;
/// }
/// let filter = Filter::new(&["*.tmp"], &[])?;
/// let walk = Walk::new(Options { filter, ..Options::default() });
/// let paths: Vec<_> =
///     walk.files(vec![folder.path().into()]).map(|found| found.unwrap().0).collect();
/// assert_eq!(paths, ["a.txt", "b.txt"].map(|name| folder.path().join(name)));
/// assert!(walk.skipped().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Walk {
    options: Arc<Options>,
    skipped: Arc<Skipped>,
}

impl Walk {
    /// Creates a walk that has skipped nothing yet.
    pub fn new(options: Options) -> Self {
        Self { options: Arc::new(options), ..Self::default() }
    }

    /// The files of some roots. The root `-` is the standard input.
    pub fn files(&self, mut roots: Vec<PathBuf>) -> SortedFiles {
        roots.sort_by(|a, b| system::name(a).cmp(&system::name(b)));
        SortedFiles { walk: self.clone(), roots: roots.into_iter(), open: BinaryHeap::new() }
    }

    /// Whether a walk would take a file with this path below a root.
    pub fn takes(&self, below: &Path) -> bool {
        let options = &self.options;
        let is_wanted = |(level, entry): (usize, &Path)| match (entry.parent(), entry.file_name()) {
            (Some(above), Some(name)) => {
                let is_hidden = name.as_encoded_bytes().starts_with(b".");
                !(options.skip_hidden && is_hidden) && options.filter.takes(above, name, level > 0)
            }
            _ => true,
        };
        options.is_in_shard(below) && below.ancestors().enumerate().all(is_wanted)
    }

    /// What this walk and its clones have skipped so far.
    pub fn skipped(&self) -> &Skipped {
        &self.skipped
    }
}

/// The files of some roots: the root itself if it is a file, or all regular files below it if it is
/// a directory. Made by [`Walk::files`].
pub struct SortedFiles {
    walk: Walk,
    /// Roots that have not been opened, sorted.
    roots: vec::IntoIter<PathBuf>,
    /// The walks in progress, each with its next path.
    open: BinaryHeap<Reverse<Open>>,
}

struct Open {
    path: PathBuf,
    kind: Kind,
    error: Option<io::Error>,
    rest: Option<Box<Tree>>,
}

impl SortedFiles {
    /// The files of these roots, with the default options.
    pub fn new(roots: Vec<PathBuf>) -> Self {
        Walk::default().files(roots)
    }

    /// Opens all roots that may have a path before those of the open walks. All paths of a root are
    /// greater than or equal to it.
    fn open_roots(&mut self) {
        while let Some(root) = self.roots.as_slice().first() {
            if self
                .open
                .peek()
                .is_some_and(|Reverse(open)| system::name(&open.path) < system::name(root))
            {
                return;
            }
            if let Some(open) = self.roots.next().and_then(|root| Open::root(&self.walk, root)) {
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
    fn root(walk: &Walk, path: PathBuf) -> Option<Self> {
        let is_directory = || system::metadata(&path).is_ok_and(|metadata| metadata.is_dir());
        if is_stdin(&path) || system::is_device(&path) || !is_directory() {
            // This includes roots that do not exist: reading them gives the error.
            let name = path.file_name().map_or(&*path, Path::new);
            let is_file = || system::metadata(&path).is_ok_and(|metadata| metadata.is_file());
            let is_wanted = walk.options.is_in_shard(name) || !is_file();
            return is_wanted.then_some(Self {
                path,
                kind: Kind::Unknown,
                error: None,
                rest: None,
            });
        }
        Self::advance(Box::new(Tree::new(walk, path)))
    }

    fn advance(mut rest: Box<Tree>) -> Option<Self> {
        let (path, error) = match rest.next()? {
            Ok(path) => (path, None),
            Err(WalkError { path, error }) => (path, Some(error)),
        };
        let kind = rest.origin().map_or(Kind::Unknown, |origin| Kind::Walked(origin.clone()));
        Some(Self { path, kind, error, rest: Some(rest) })
    }

    fn found(self) -> Found {
        match self.error {
            None => Ok((self.path, self.kind)),
            Some(error) => Err(WalkError { path: self.path, error }),
        }
    }
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
