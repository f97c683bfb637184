//! Bytes of a known length that can be read at any offset.

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of a known length that threads read at any offset concurrently.
///
/// [`RegularFile`](crate::RegularFile) is a file, and a byte slice is content in memory.
///
/// ```
/// use hashlanes_files::Content;
///
/// let content: &[u8] = b"some bytes";
/// let mut bytes = [0; 5];
/// content.read_exact_at(&mut bytes, 5)?;
/// assert_eq!((&bytes, content.length()), (b"bytes", 10));
/// # Ok::<(), hashlanes_files::ReadError>(())
/// ```
pub trait Content: Sync {
    /// The total length in bytes. Every call must return the same.
    fn length(&self) -> u64;

    /// Fills the buffer from this offset. `offset + buffer.len()` is at most the length.
    ///
    /// # Errors
    /// If the bytes cannot be read. Content that has been truncated gives
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof).
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError>;

    /// Whether all of this range is known to be zeros, without reading it.
    fn is_hole(&self, _: Range<u64>) -> bool {
        false
    }

    /// Where the content is stored, which determines how many places are read at the same time.
    fn medium(&self) -> Medium {
        Medium::Other
    }

    /// Whether the content was written since it was opened. `false` where nothing tells, as for a
    /// device.
    fn is_changed(&self) -> bool {
        false
    }
}

/// Where content is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Medium {
    /// In memory.
    Memory,
    /// On a rotational disk: it is read at one place at a time.
    RotationalDisk,
    /// Behind a network: it is read at up to this number of places at the same time, since bytes
    /// are fetched ahead for each of them.
    Network(NonZeroUsize),
    /// On flash, or unknown.
    #[default]
    Other,
}

/// Why content cannot be read.
#[derive(Debug)]
pub struct ReadError {
    /// The file, if the content consists of several.
    pub path: Option<PathBuf>,
    /// The error of the system.
    pub error: io::Error,
}

impl ReadError {
    /// An error of this file.
    pub fn of(path: &Path, error: io::Error) -> Self {
        Self { path: Some(path.to_owned()), error: plain(error) }
    }
}

impl From<io::Error> for ReadError {
    fn from(error: io::Error) -> Self {
        Self { path: None, error: plain(error) }
    }
}

/// Rewords an unexpected end of a file.
fn plain(error: io::Error) -> io::Error {
    match error.kind() {
        kind @ io::ErrorKind::UnexpectedEof => {
            io::Error::new(kind, "the file was truncated while it was read")
        }
        _ => error,
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.error),
            None => self.error.fmt(f),
        }
    }
}

impl std::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.error)
    }
}

impl<C: Content + ?Sized> Content for &C {
    fn length(&self) -> u64 {
        (**self).length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        (**self).read_exact_at(buffer, offset)
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        (**self).is_hole(range)
    }

    fn medium(&self) -> Medium {
        (**self).medium()
    }

    fn is_changed(&self) -> bool {
        (**self).is_changed()
    }
}

impl Content for [u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.get(offset..));
        match rest.and_then(|rest| rest.get(..buffer.len())) {
            Some(bytes) => buffer.copy_from_slice(bytes),
            None => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
        }
        Ok(())
    }

    fn medium(&self) -> Medium {
        Medium::Memory
    }
}
