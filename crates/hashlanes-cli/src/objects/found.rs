//! What is below folders and prefixes.

use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::walk::{SortedFiles, WalkError};
use hashlanes_files::{Content, Entry, Kind, RegularFile};
use hashlanes_tree::dedup::Opened;

/// A file or an object.
pub(crate) struct Found {
    pub(crate) path: PathBuf,
    pub(crate) kind: Kind,
    /// The content of an object that a listing has described.
    pub(crate) content: Option<Box<dyn Content>>,
}

impl From<(PathBuf, Kind)> for Found {
    fn from((path, kind): (PathBuf, Kind)) -> Self {
        Self { path, kind, content: None }
    }
}

impl Found {
    /// The entry with which it is hashed.
    pub(crate) fn entry<N>(self, plan: usize, note: N) -> Entry<N> {
        let Self { path, kind, content } = self;
        match content {
            Some(content) => Entry::Content { path, content, plan, note },
            None => Entry::File { path, kind, plan, note },
        }
    }
}

/// What is found, opened to be read at any offset.
pub(crate) type Contents =
    Box<dyn Iterator<Item = Result<(PathBuf, io::Result<Opened>), WalkError>> + Send>;

/// The files of a walk.
pub(super) fn opened(files: SortedFiles) -> Contents {
    Box::new(files.map(|found| {
        let (path, kind) = found?;
        let file = RegularFile::open_as(&path, &kind).map(|file| Box::new(file) as Opened);
        Ok((path, file))
    }))
}

/// A file.
pub(crate) fn file(path: &Path) -> io::Result<Opened> {
    Ok(Box::new(RegularFile::open(path)?))
}
