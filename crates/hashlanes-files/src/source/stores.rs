//! What URLs name.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::{Arguments, Note};
use crate::system::Stamp;
use crate::walk::Walk;
use crate::{Content, Source, Stream};

/// What URLs name. The crate `hashlanes-objects` has those of clouds.
pub trait Stores: Send + Sync {
    /// The stream at a URL, which has not been started. If there can be none, reading it gives the
    /// error.
    fn stream(&self, url: &Path) -> Box<dyn Stream>;

    /// The streams below these URLs that a walk takes, in the order of the
    /// sorted URLs and of their names.
    fn below(self: Arc<Self>, walk: &Walk, roots: Vec<PathBuf>) -> Box<dyn Source<Note = Note>>;

    /// Whether there is memory for another stream that is started before its turn.
    fn has_memory(&self) -> bool {
        true
    }
}

/// No stores: each URL is an error, with this reason.
pub struct NoStores(pub &'static str);

impl Stores for NoStores {
    fn stream(&self, _: &Path) -> Box<dyn Stream> {
        Box::new(io::Error::new(io::ErrorKind::Unsupported, self.0))
    }

    fn below(self: Arc<Self>, _: &Walk, roots: Vec<PathBuf>) -> Box<dyn Source<Note = Note>> {
        Box::new(Arguments::new(roots, self))
    }
}

/// What stands for a stream that cannot be requested.
impl Stream for io::Error {
    fn start(&mut self) {}

    fn is_ready(&self, _: Duration) -> bool {
        true
    }

    fn length(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, _: &mut [u8], _: Duration) -> io::Result<Option<usize>> {
        Err(io::Error::new(self.kind(), self.to_string()))
    }

    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn tag(&self) -> Option<Box<str>> {
        None
    }

    fn into_content(self: Box<Self>) -> io::Result<Box<dyn Content + Send>> {
        Err(*self)
    }
}
