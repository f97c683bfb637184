//! Decides how files are read, before they are opened.
//!
//! Opening a FIFO waits for a writer, and releases a writer that waits for a reader. So a file is
//! opened only if it is known to be regular, or when its turn has come.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::system::{self, Stamp};

/// The maximum size of a small file. Even of the largest, 16 fit in the buffer: one for each lane.
pub(super) const SMALL: usize = 64 << 10;

/// How a file is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Together with other small files. It may still turn out to be large if its size is 0, as in
    /// `/proc`.
    Small,
    /// Side by side with other large files.
    Large,
    /// By itself, when its turn comes.
    Special,
}

impl Way {
    /// How a regular file of this size is read.
    pub(super) fn regular(size: u64) -> Self {
        if size > SMALL as u64 { Self::Large } else { Self::Small }
    }
}

/// Decides how to read a file, without opening it. A regular file has a stamp.
pub(super) fn way(path: &Path) -> io::Result<(Way, Option<Stamp>)> {
    if is_stdin(path) || system::is_device(path) {
        // All readers of the standard input share one offset, even if it is a regular file.
        return Ok((Way::Special, None));
    }
    let metadata = system::metadata(path)?;
    Ok(match metadata.is_file() {
        true => (Way::regular(metadata.len()), Some(Stamp::from(&metadata))),
        false => (Way::Special, None),
    })
}

/// Whether the path means the standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Opens the file at a path, or the standard input if the path means that.
///
/// # Errors
/// Those of the system.
pub fn open_or_stdin(path: &Path) -> io::Result<File> {
    if is_stdin(path) { system::stdin() } else { system::open(path) }
}

/// Whether reading the file may wait for a writer, or take bytes from another reader.
pub fn is_special(path: &Path) -> bool {
    way(path).is_ok_and(|(way, _)| way == Way::Special)
}
