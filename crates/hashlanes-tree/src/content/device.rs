//! One block device.

use std::fs::{self, File, Metadata};
use std::io::{self, Seek, SeekFrom};
use std::path::Path;

use super::{Content, ReadError};

/// An open block device: a disk, a partition, a loop device. Only Unix has them as files.
#[derive(Debug)]
pub struct BlockDevice {
    file: File,
    length: u64,
}

impl BlockDevice {
    /// Opens a block device. `None` if the path leads to anything else, which is not opened.
    ///
    /// # Errors
    /// If the path does not exist, or the device cannot be opened.
    pub fn open(path: &Path) -> io::Result<Option<Self>> {
        if !is_block_device(&fs::metadata(path)?) {
            return Ok(None);
        }
        let mut file = File::open(path)?;
        // The metadata of a device do not include its length.
        let length = file.seek(SeekFrom::End(0))?;
        Ok(Some(Self { file, length }))
    }
}

impl Content for BlockDevice {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        Ok(read_exact_at(&self.file, buffer, offset)?)
    }
}

#[cfg(unix)]
fn is_block_device(metadata: &Metadata) -> bool {
    std::os::unix::fs::FileTypeExt::is_block_device(&metadata.file_type())
}

#[cfg(not(unix))]
fn is_block_device(_: &Metadata) -> bool {
    false
}

#[cfg(unix)]
fn read_exact_at(file: &File, buffer: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, buffer, offset)
}

#[cfg(not(unix))]
fn read_exact_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
