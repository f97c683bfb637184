//! Writes digests into the metadata of objects.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlanes_files::{Function, Hashed};
use hashlanes_objects::{Annotation, Location};

use super::Stores;

/// Changes that are on their way at the same time.
const SIDE_BY_SIDE: usize = 64;

#[derive(clap::Args)]
#[group(id = "write_back")]
pub(crate) struct Options {
    /// Also write the digests into the metadata of the objects, as `hashlanes_sha256` and so on,
    /// for `check --stored` to compare later. On S3, the object is copied onto itself for that
    #[arg(long, conflicts_with_all = ["resume", "raw"], help_heading = "Objects")]
    store: bool,
}

impl Options {
    pub(crate) fn begin(&self, stores: &Arc<Stores>, functions: &[Function]) -> Option<WriteBack> {
        let (stores, functions) = (Arc::clone(stores), functions.to_vec());
        self.store.then(|| WriteBack { stores, functions, waiting: VecDeque::new() })
    }
}

pub(crate) struct WriteBack {
    stores: Arc<Stores>,
    functions: Vec<Function>,
    waiting: VecDeque<(PathBuf, Annotation)>,
}

/// An object whose metadata could not be written, and why.
pub(crate) type Failed = (PathBuf, io::Error);

impl WriteBack {
    /// Begins to write, and ends what began long ago.
    pub(crate) fn add(&mut self, path: &Path, hashed: &Hashed) -> Result<(), Failed> {
        let begun = Location::of(path).and_then(|location| {
            let etag = hashed.tag.as_deref().ok_or_else(|| io::Error::other("it has no ETag"))?;
            let digests = self.functions.iter().copied().zip(&hashed.digests);
            self.stores.annotate(&location, etag, digests)
        });
        let begun = begun.map_err(|error| (path.to_owned(), error))?;
        self.waiting.push_back((path.to_owned(), begun));
        if self.waiting.len() > SIDE_BY_SIDE { self.end().transpose().map(drop) } else { Ok(()) }
    }

    /// Ends the oldest change. `None` if there is none.
    pub(crate) fn end(&mut self) -> Option<Result<(), Failed>> {
        let (path, annotation) = self.waiting.pop_front()?;
        Some(annotation.wait().map_err(|error| (path, error)))
    }
}
