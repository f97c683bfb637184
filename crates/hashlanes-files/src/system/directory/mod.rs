//! Opens directories by handle, so that the length of a path does not matter.

use std::io;
use std::path::Path;

#[cfg(unix)]
mod beneath;
#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::{Directory, Names, Place};
#[cfg(unix)]
pub(crate) use unix::{Directory, Names, Place};

/// The type of a directory entry.
#[cfg_attr(not(unix), expect(dead_code, reason = "folders of other systems hold no such files"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    /// A character or block device, or a type known only to this system.
    Device,
}

/// The identity of a directory: the numbers of its file system and of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

impl Directory {
    /// Opens the directory of a path that had this identity before.
    ///
    /// # Errors
    /// If another directory has taken its place.
    pub(crate) fn open_again(path: &Path, identity: Option<Identity>) -> io::Result<Self> {
        let directory = Self::open(path)?;
        if directory.identity() != identity {
            return Err(io::Error::other("the directory was moved while it was walked"));
        }
        Ok(directory)
    }
}

/// Whether to follow a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Stay,
}
