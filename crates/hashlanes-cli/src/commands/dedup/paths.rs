//! The files that a walk finds, and what it could not read.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes_files::walk::{SortedFiles, WalkError};

use crate::terminal::message::{reason, say_of};

/// The files of a walk. What cannot be read is said, and noted in `failed`.
pub(super) struct Paths<'f> {
    pub(super) files: SortedFiles,
    pub(super) failed: &'f AtomicBool,
}

impl Iterator for Paths<'_> {
    type Item = PathBuf;

    fn next(&mut self) -> Option<PathBuf> {
        loop {
            match self.files.next()? {
                Ok((path, _)) => return Some(path),
                Err(WalkError { path, error }) => fail(self.failed, &path, &error),
            }
        }
    }
}

/// Says that a file cannot be read.
pub(super) fn fail(failed: &AtomicBool, path: &Path, error: &std::io::Error) {
    failed.store(true, Ordering::Relaxed);
    say_of(path, reason(error));
}
