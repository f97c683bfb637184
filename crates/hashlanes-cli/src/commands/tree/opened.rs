//! Content that can be read at any offset: a regular file, a block device, or the object at a URL.

use std::io;
use std::path::Path;

use hashlanes_files::source::{Stores, input};
use hashlanes_files::{Input, Kind, RegularFile, is_stdin};
use hashlanes_tree::{BlockDevice, Content, Medium, ReadError};

pub(super) enum Opened {
    File(RegularFile),
    Device(BlockDevice),
    Stream(Box<dyn Content + Send>),
}

impl Opened {
    /// What is at a path or a URL.
    pub(super) fn at(path: &Path, stores: &dyn Stores) -> io::Result<Self> {
        match input(path, Kind::Unknown, stores) {
            Input::File(_) => Self::local(path),
            Input::Stream(stream) => Ok(Self::Stream(stream.into_content()?)),
        }
    }

    /// The file or device at a path.
    pub(super) fn local(path: &Path) -> io::Result<Self> {
        match Self::device(path)? {
            Some(device) => Ok(device),
            None => RegularFile::open(path).map(Self::File),
        }
    }

    /// `None` if this is not a block device.
    pub(super) fn device(path: &Path) -> io::Result<Option<Self>> {
        match is_stdin(path) {
            true => Ok(None),
            false => Ok(BlockDevice::open(path)?.map(Self::Device)),
        }
    }

    /// Whether the file was written since it was opened. Unknown for a device, and then false. An
    /// object is all of one version.
    pub(super) fn is_changed(&self) -> bool {
        match self {
            Self::File(file) => file.is_changed(),
            Self::Device(_) | Self::Stream(_) => false,
        }
    }

    fn content(&self) -> &dyn Content {
        match self {
            Self::File(file) => file,
            Self::Device(device) => device,
            Self::Stream(content) => &**content,
        }
    }
}

/// Whether a file of length 0 may still have content: in `/proc` the system does not know the
/// length. If the first byte cannot be read, reading the file as a stream reports why.
pub(super) fn may_hide_content(file: &RegularFile) -> bool {
    let is_end = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
    file.stamp().size == 0 && !file.read_exact_at(&mut [0], 0).is_err_and(|error| is_end(&error))
}

impl Content for Opened {
    fn length(&self) -> u64 {
        self.content().length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        self.content().read_exact_at(buffer, offset)
    }

    fn medium(&self) -> Medium {
        self.content().medium()
    }
}
