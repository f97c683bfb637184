//! Contents below folders and prefixes, which are read at any offset.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_objects::Remote;
use hashlanes_tree::Content;
use hashlanes_tree::dedup::Opened;

use super::Stores;
use super::below::Prefixes;
use super::found::{Contents, file, opened};
use super::remote;
use crate::url::is_url;

/// Objects whose first bytes are fetched before their turn, and the most bytes that they have.
const OBJECTS: usize = 64;
const BYTES: u64 = 64 << 20;

/// The contents of files or objects.
///
/// # Errors
/// If there are folders and URLs.
pub(crate) fn contents(
    walk: &Walk,
    roots: Vec<PathBuf>,
    stores: &Stores,
) -> Result<Contents, &'static str> {
    if !roots.iter().any(|root| is_url(root)) {
        return Ok(opened(walk.files(roots)));
    }
    let (prefixes, waiting) = (Prefixes::new(walk, roots, stores)?, VecDeque::new());
    Ok(Box::new(Window { prefixes, waiting, is_over: false }))
}

/// A file, or the object at a URL.
pub(crate) fn content(path: &Path) -> io::Result<Opened> {
    if is_url(path) { Ok(Box::new(remote(path)?)) } else { file(path) }
}

/// The objects that come next have been started.
struct Window {
    prefixes: Prefixes,
    waiting: VecDeque<Result<(PathBuf, Remote), WalkError>>,
    is_over: bool,
}

impl Window {
    /// Whether another object may be started without waiting for the listing.
    fn has_room(&self) -> bool {
        let begun = self.waiting.iter().flatten().map(|(_, remote)| remote.length().min(BYTES / 8));
        self.prefixes.is_ready() && self.waiting.len() < OBJECTS && begun.sum::<u64>() < BYTES
    }
}

impl Iterator for Window {
    type Item = Result<(PathBuf, io::Result<Opened>), WalkError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.is_over && (self.waiting.is_empty() || self.has_room()) {
            match self.prefixes.next() {
                None => self.is_over = true,
                Some(Err(error)) => self.waiting.push_back(Err(error)),
                Some(Ok(listed)) => {
                    let remote = listed.remote();
                    remote.start();
                    self.waiting.push_back(Ok((listed.location.path(), remote)));
                }
            }
        }
        let next = self.waiting.pop_front()?;
        Some(next.map(|(path, remote)| (path, Ok(Box::new(remote) as Opened))))
    }
}
