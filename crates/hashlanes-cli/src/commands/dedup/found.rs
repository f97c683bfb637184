//! What is below folders, and errors on the way.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes_files::replace::Own;
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_tree::dedup::Opened;

use crate::objects::Contents;
use crate::terminal::message::{reason, say_of};

/// What is found. Errors are reported, and set `failed`.
pub(super) struct Found<'f> {
    pub(super) contents: Contents,
    /// The output, which is left out, and the walk that counts it.
    pub(super) own: Own,
    pub(super) walk: &'f Walk,
    pub(super) failed: &'f AtomicBool,
}

impl Iterator for Found<'_> {
    type Item = (PathBuf, io::Result<Opened>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match self.contents.next()? {
                Ok((path, _)) if self.own.is_at(&path) => self.walk.skipped().count_own(&path),
                Ok(found) => return Some(found),
                Err(WalkError { path, error }) => fail(self.failed, &path, &error),
            }
        }
    }
}

/// Reports that a file cannot be read.
pub(super) fn fail(failed: &AtomicBool, path: &Path, error: &io::Error) {
    failed.store(true, Ordering::Relaxed);
    say_of(path, reason(error));
}
