//! The files that a walk finds, and errors on the way.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes_files::walk::{SortedFiles, WalkError};

use crate::terminal::message::{reason, say_of};

/// The files of a walk. Errors are reported, and set `failed`.
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

/// Reports that a file cannot be read.
pub(super) fn fail(failed: &AtomicBool, path: &Path, error: &std::io::Error) {
    failed.store(true, Ordering::Relaxed);
    say_of(path, reason(error));
}
