//! What a source knows about a file, and how it is opened.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::system::directory::{Directory, Identity, Links};
use crate::system::open_regular;

/// What a source knows about a file.
#[derive(Clone, Debug)]
pub enum Kind {
    /// Nothing. The file's metadata is read before the file is opened.
    Unknown,
    /// A walk found it there as a regular file. It is an error if it no longer is one, or if a
    /// symbolic link would lead elsewhere.
    Walked(Origin),
    /// Nothing, and the name comes from an untrusted list, such as a manifest. Regular files and
    /// block devices are read. Anything else is an error, because reading it might never end.
    Listed,
}

impl Kind {
    /// Opens a file that is taken for a regular one. Does not wait for the writer of a FIFO.
    pub(crate) fn open(&self, path: &Path) -> io::Result<File> {
        match self {
            Self::Walked(origin) => origin.open(path),
            Self::Unknown | Self::Listed => open_regular(path),
        }
    }
}

/// The tree in which a walk has found a file.
///
/// The file is opened from the root of the tree on, without following a symbolic link. So a link
/// that takes the place of the file, or of a folder on the way, cannot lead out of the tree. If the
/// walk follows links, the file is opened by its path. On Windows, links are always followed.
#[derive(Clone, Debug)]
pub struct Origin(Arc<Root>);

#[derive(Debug)]
struct Root {
    path: PathBuf,
    links: Links,
    identity: Option<Identity>,
    /// `None` if many others are open.
    handle: Option<Directory>,
}

/// The roots that are open, of all walks.
static OPEN: AtomicUsize = AtomicUsize::new(0);

impl Origin {
    /// `most` roots stay open.
    pub(crate) fn new(path: &Path, links: Links, directory: &Directory, most: usize) -> Self {
        let add = |open| (open < most).then_some(open + 1);
        let may_stay = links == Links::Stay
            && OPEN.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok();
        Self(Arc::new(Root {
            path: path.to_owned(),
            links,
            identity: directory.identity(),
            handle: may_stay.then(|| directory.clone()),
        }))
    }

    /// Opens a file that was found, by its complete path. Does not wait for the writer of a FIFO.
    pub(crate) fn open(&self, path: &Path) -> io::Result<File> {
        let Root { path: root, links, identity, handle } = &*self.0;
        if *links == Links::Follow || cfg!(not(unix)) {
            return open_regular(path);
        }
        let below = path.as_os_str().as_encoded_bytes();
        let Some(below) = below.strip_prefix(root.as_os_str().as_encoded_bytes()) else {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the path is not below the root of the walk",
            ));
        };
        let slashes = below.iter().take_while(|&&byte| byte == b'/').count();
        let below = &below[slashes..];
        match handle {
            Some(directory) => directory.open_file(below),
            None => Directory::open_again(root, *identity)?.open_file(below),
        }
    }
}

impl Drop for Root {
    fn drop(&mut self) {
        if self.handle.is_some() {
            OPEN.fetch_sub(1, Ordering::Relaxed);
        }
    }
}
