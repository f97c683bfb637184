//! Directories by their handles, so that the length of a path does not matter.

#[cfg(not(unix))]
mod other;
#[cfg(unix)]
mod unix;

#[cfg(not(unix))]
pub(crate) use other::{Directory, Names, Place};
#[cfg(unix)]
pub(crate) use unix::{Directory, Names, Place};

/// What an entry of a directory is.
#[cfg_attr(not(unix), expect(dead_code, reason = "folders of other systems hold no such files"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    File,
    Directory,
    Link,
    Fifo,
    Socket,
    /// A character or block device, or something that this system alone knows.
    Device,
}

/// Which directory it is: the numbers of its file system and of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    pub(crate) device: u64,
    pub(crate) number: u64,
}

/// Whether to follow a symbolic link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Links {
    Follow,
    Stay,
}
