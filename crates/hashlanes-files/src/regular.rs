//! One regular file, read at any offset by any number of threads.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::Path;

use crate::full::read_full;
use crate::system::ahead::{self, Attempt};
use crate::system::holes::{has_holes, is_hole};
use crate::system::{self, Stamp, is_rotational, let_reads_wait, open_regular, read_at, stamp};
use crate::{Content, Kind, Medium, ReadError};

/// An open regular file, with its stamp from when it was opened.
///
/// ```
/// use hashlanes_files::RegularFile;
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("file");
/// std::fs::write(&path, "some bytes")?;
/// let file = RegularFile::open(&path)?;
/// assert_eq!(file.stamp().size, 10);
/// let mut bytes = [0; 5];
/// file.read_exact_at(&mut bytes, 5)?;
/// assert_eq!(&bytes, b"bytes");
/// assert!(!file.is_changed());
/// assert!(RegularFile::open(folder.path()).is_err());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct RegularFile {
    file: File,
    stamp: Stamp,
    /// Some of it is not stored, and need not be read.
    has_holes: bool,
}

impl RegularFile {
    /// Opens a file. Follows symbolic links. Does not wait for the writer of a FIFO.
    ///
    /// # Errors
    /// If the file does not exist, cannot be opened, or is not a regular file.
    pub fn open(path: &Path) -> io::Result<Self> {
        if system::is_device(path) {
            return Err(not_regular());
        }
        let metadata = system::metadata(path)?;
        if metadata.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if !metadata.is_file() {
            return Err(not_regular());
        }
        Self::of(open_regular(path)?)
    }

    /// Opens a file as its source names it. A file that a [walk](crate::walk) found is opened
    /// without following a symbolic link that has taken its place.
    ///
    /// # Errors
    /// The same as [`open`](Self::open).
    pub fn open_as(path: &Path, kind: &Kind) -> io::Result<Self> {
        match kind {
            Kind::Walked(origin) => Self::of(origin.open(path)?),
            Kind::Unknown | Kind::Listed => Self::open(path),
        }
    }

    fn of(file: File) -> io::Result<Self> {
        // The stamp is that of the open file: the path may meanwhile lead to another.
        let stamp = stamp(&file)?.ok_or_else(not_regular)?;
        // A file of length 0 may belong to a pseudo file system, where a read may wait forever.
        if stamp.size > 0 {
            let_reads_wait(&file)?;
        }
        let has_holes = has_holes(&file, stamp.size);
        Ok(Self { file, stamp, has_holes })
    }

    /// The file's stamp when it was opened: its length and time.
    pub fn stamp(&self) -> &Stamp {
        &self.stamp
    }

    /// Reads at an offset until the buffer is full.
    ///
    /// # Errors
    /// Any error from the operating system, and [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) if
    /// the file ends before the buffer is full.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        if self.is_hole(offset..offset + buffer.len() as u64) {
            buffer.fill(0);
            return Ok(());
        }
        let read = |space: &mut [u8], filled| read_at(&self.file, space, offset + filled as u64);
        if read_full(buffer, read)? < buffer.len() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Whether the file was modified since it was opened. See [`Stamp::is_changed`].
    pub fn is_changed(&self) -> bool {
        self.stamp.is_changed_in(&self.file)
    }

    /// Whether the beginning of the file is cached in memory. Always `false` on systems other than
    /// Linux, which do not report it.
    pub fn is_in_memory(&self) -> bool {
        matches!(ahead::read(&self.file, &mut [0]), Attempt::Read(_))
    }

    /// Whether the file is on a rotational disk, which would have to seek if several places were
    /// read side by side. Always `false` on systems other than Linux, which do not report it.
    pub fn is_rotational(&self) -> bool {
        is_rotational(self.stamp.device())
    }

    /// The open file.
    pub fn into_file(self) -> File {
        self.file
    }
}

impl Content for RegularFile {
    fn length(&self) -> u64 {
        self.stamp().size
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        Ok(RegularFile::read_exact_at(self, buffer, offset)?)
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        self.has_holes && is_hole(&self.file, range)
    }

    fn medium(&self) -> Medium {
        match self.is_in_memory() {
            true => Medium::Memory,
            false if self.is_rotational() => Medium::RotationalDisk,
            false => Medium::Other,
        }
    }

    fn is_changed(&self) -> bool {
        RegularFile::is_changed(self)
    }
}

/// The error for anything that is not a regular file and might have no end.
pub(crate) fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}
