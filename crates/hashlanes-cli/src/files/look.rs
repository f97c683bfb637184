//! Looks at files before they are opened, to tell how they are to be read.
//!
//! Opening a FIFO waits for a writer, and releases a writer that waits for a reader. So a file is
//! opened only if it is known to be a regular file, or when its turn has come.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use super::batch::SMALL;

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
    if is_stdin(path) {
        // All that read the standard input share one offset, even where it is a regular file.
        return Ok(Way::Special);
    }
    let metadata = fs::metadata(path)?;
    Ok(match metadata.len() {
        _ if !metadata.is_file() => Way::Special,
        length if length > SMALL as u64 => Way::Large,
        length => Way::Small(length as usize),
    })
}

/// Whether the name stands for the standard input.
pub(crate) fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Whether reading the file may wait for a writer, or take bytes that another reader would get.
pub(crate) fn is_special(path: &Path) -> bool {
    way(path).is_ok_and(|way| way == Way::Special)
}

/// Opens a file that was a regular one when it was looked at.
///
/// If it has become a FIFO since, this does not wait for a writer.
pub(super) fn open_regular(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    match options.read(true).custom_flags(OFlags::NONBLOCK.bits() as i32).open(path) {
        // Another process has a lease on this regular file. Wait until the lease is broken.
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => File::open(path),
        opened => opened,
    }
}

/// Undoes what `open_regular` asked for: from now on reads wait for data.
pub(super) fn let_reads_wait(file: &File) -> io::Result<()> {
    Ok(fcntl_setfl(file, fcntl_getfl(file)? - OFlags::NONBLOCK)?)
}
