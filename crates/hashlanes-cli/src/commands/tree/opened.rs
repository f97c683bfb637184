//! Content that can be read at any offset: a regular file, a block device, or the object at a URL.

use std::io;
use std::path::Path;

use hashlanes_files::source::{Stores, input};
use hashlanes_files::{Input, Kind, RegularFile, is_stdin};
use hashlanes_tree::BlockDevice;
use hashlanes_tree::dedup::Opened;

/// What is at a path or a URL.
pub(super) fn open(path: &Path, stores: &dyn Stores) -> io::Result<Opened> {
    match input(path, Kind::Unknown, stores) {
        Input::File(_) => open_local(path),
        Input::Stream(stream) => stream.into_content(),
    }
}

/// The file or device at a path.
pub(super) fn open_local(path: &Path) -> io::Result<Opened> {
    Ok(match open_device(path)? {
        Some(device) => Box::new(device),
        None => Box::new(RegularFile::open(path)?),
    })
}

/// `None` if this is not a block device.
pub(super) fn open_device(path: &Path) -> io::Result<Option<BlockDevice>> {
    if is_stdin(path) { Ok(None) } else { BlockDevice::open(path) }
}

/// Whether a file of length 0 may still have content: in `/proc` the system does not know the
/// length. If the first byte cannot be read, reading the file as a stream reports why.
pub(super) fn may_hide_content(file: &RegularFile) -> bool {
    let is_end = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
    file.stamp().size == 0 && !file.read_exact_at(&mut [0], 0).is_err_and(|error| is_end(&error))
}
