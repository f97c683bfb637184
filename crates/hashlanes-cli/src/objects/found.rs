//! What is below folders and prefixes.

use std::path::PathBuf;

use hashlanes_files::{Content, Entry, Kind};

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
