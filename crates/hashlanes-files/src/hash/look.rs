//! Looks at files before they are opened, to tell how they are to be read.
//!
//! Opening a FIFO waits for a writer, and releases a writer that waits for a reader. So a file is
//! opened only if it is known to be a regular file, or when its turn has come.

use std::io;
use std::path::Path;

use super::batch::SMALL;
use crate::system;

/// How a file is read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Together with other small ones. It has so many bytes, or an unknown number if that is 0, as
    /// in `/proc`.
    Small(usize),
    /// Side by side with other large ones.
    Large,
    /// Alone, when its turn comes.
    Special,
}

/// Tells how to read a file, without opening it.
pub(super) fn way(path: &Path) -> io::Result<Way> {
    if is_stdin(path) || system::is_device(path) {
        // All that read the standard input share one offset, even where it is a regular file.
        return Ok(Way::Special);
    }
    let metadata = system::metadata(path)?;
    Ok(match metadata.len() {
        _ if !metadata.is_file() => Way::Special,
        length if length > SMALL as u64 => Way::Large,
        length => Way::Small(length as usize),
    })
}

/// Whether the name stands for the standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether reading the file may wait for a writer, or take bytes that another reader would get.
pub fn is_special(path: &Path) -> bool {
    way(path).is_ok_and(|way| way == Way::Special)
}
