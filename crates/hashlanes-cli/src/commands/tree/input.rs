//! Content that can be read at any offset: a regular file or a block device.

use std::io;
use std::path::Path;

use hashlanes_files::{RegularFile, is_stdin};
use hashlanes_tree::{BlockDevice, Content, Medium, ReadError};

use crate::objects::{self, Remote};
use crate::url::is_url;

pub(super) enum Input {
    File(RegularFile),
    Device(BlockDevice),
    Object(Remote),
}

impl Input {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        if is_url(path) {
            return objects::remote(path).map(Self::Object);
        }
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
            Self::Device(_) | Self::Object(_) => false,
        }
    }

    fn content(&self) -> &dyn Content {
        match self {
            Self::File(file) => file,
            Self::Device(device) => device,
            Self::Object(object) => object,
        }
    }
}

/// Whether a file of length 0 may still have content: in `/proc` the system does not know the
/// length. If the first byte cannot be read, reading the file as a stream reports why.
pub(super) fn may_hide_content(file: &RegularFile) -> bool {
    let is_end = |error: &io::Error| error.kind() == io::ErrorKind::UnexpectedEof;
    file.stamp().size == 0 && !file.read_exact_at(&mut [0], 0).is_err_and(|error| is_end(&error))
}

impl Content for Input {
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
