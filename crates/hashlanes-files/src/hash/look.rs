//! Looks at files before they are opened, to tell how they are to be read.
//!
//! Opening a FIFO waits for a writer, and releases a writer that waits for a reader. So a file is
//! opened only if it is known to be a regular file, or when its turn has come.

use std::io;
use std::path::Path;

use crate::system::{self, Stamp};

/// The most bytes of a small file. A batch of the largest ones must still have one for each of 16
/// lanes.
pub(super) const SMALL: usize = 64 << 10;

/// How a file is read. A regular one has a stamp.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Together with other small ones. It may be large after all if its size is 0, as in `/proc`.
    Small(Stamp),
    /// Side by side with other large ones.
    Large(Stamp),
    /// Alone, when its turn comes.
    Special,
}

impl Way {
    /// How a regular file is read.
    pub(super) fn regular(stamp: Stamp) -> Self {
        if stamp.size > SMALL as u64 { Self::Large(stamp) } else { Self::Small(stamp) }
    }
}

/// Tells how to read a file, without opening it.
pub(super) fn way(path: &Path) -> io::Result<Way> {
    if is_stdin(path) || system::is_device(path) {
        // All that read the standard input share one offset, even where it is a regular file.
        return Ok(Way::Special);
    }
    let metadata = system::metadata(path)?;
    Ok(if metadata.is_file() { Way::regular((&metadata).into()) } else { Way::Special })
}

/// Whether the name stands for the standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether reading the file may wait for a writer, or take bytes that another reader would get.
pub fn is_special(path: &Path) -> bool {
    way(path).is_ok_and(|way| way == Way::Special)
}
