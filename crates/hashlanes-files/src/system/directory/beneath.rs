//! Opens files beneath a directory without following a symbolic link.
//!
//! On Linux this is one system call (`openat2`, since 5.6). On other systems, and where a sandbox
//! forbids that call, the folders on the way are opened one after the other. The last folder stays
//! open for the next file of the thread: a walk finds the files of a folder one after the other.

use std::cell::RefCell;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::sync::{Arc, Weak};

use rustix::fs::{Mode, OFlags, openat};
use rustix::io::Errno;

use crate::system::long;

/// How a file is opened: without waiting for the writer of a FIFO.
const FLAGS: OFlags = long::READ.union(OFlags::NOFOLLOW);

/// Opens a file to read it, by its path from the directory on.
pub(super) fn open(directory: &Arc<OwnedFd>, below: &[u8]) -> io::Result<OwnedFd> {
    #[cfg(target_os = "linux")]
    if let Some(opened) = linux::open(directory, below) {
        return opened.map_err(explained);
    }
    by_folders(directory, below).map_err(explained)
}

/// What the error of a link means here.
fn explained(error: Errno) -> io::Error {
    // FreeBSD says that there are too many links.
    if matches!(error, Errno::LOOP | Errno::MLINK) {
        let why = "a symbolic link has taken the place of the file or of a folder above it";
        return io::Error::new(io::ErrorKind::InvalidInput, why);
    }
    error.into()
}

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::fs::{ResolveFlags, openat2};

    use super::*;

    /// The kernel does not have the system call, or a sandbox forbids it.
    static IS_MISSING: AtomicBool = AtomicBool::new(false);

    /// `None` if it cannot be done by one call: the path may be too long.
    pub(super) fn open(directory: &OwnedFd, below: &[u8]) -> Option<Result<OwnedFd, Errno>> {
        if IS_MISSING.load(Ordering::Relaxed) {
            return None;
        }
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        match openat2(directory, OsStr::from_bytes(below), FLAGS, Mode::empty(), resolve) {
            Err(Errno::NAMETOOLONG) => None,
            Err(Errno::NOSYS | Errno::PERM) => {
                IS_MISSING.store(true, Ordering::Relaxed);
                None
            }
            opened => Some(opened),
        }
    }
}

/// The folder of the latest file of this thread.
struct Latest {
    /// Keeps its address from being used again.
    directory: Weak<OwnedFd>,
    way: Vec<u8>,
    folder: OwnedFd,
}

thread_local! {
    static LATEST: RefCell<Option<Latest>> = const { RefCell::new(None) };
}

fn by_folders(directory: &Arc<OwnedFd>, below: &[u8]) -> Result<OwnedFd, Errno> {
    let (way, name) = match below.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&below[..slash], &below[slash + 1..]),
        None => return open_in(directory, below, FLAGS),
    };
    LATEST.with_borrow_mut(|latest| {
        let is_here = |latest: &&mut Latest| {
            Weak::as_ptr(&latest.directory) == Arc::as_ptr(directory) && latest.way == way
        };
        if let Some(latest) = latest.as_mut().filter(is_here) {
            return open_in(&latest.folder, name, FLAGS);
        }
        // Before others are opened, so that a thread has at most two.
        *latest = None;
        let folder = descend(directory, way)?;
        let opened = open_in(&folder, name, FLAGS);
        let (directory, way) = (Arc::downgrade(directory), way.to_vec());
        *latest = Some(Latest { directory, way, folder });
        opened
    })
}

/// Opens the folder at the end of a way.
fn descend(directory: &OwnedFd, way: &[u8]) -> Result<OwnedFd, Errno> {
    let mut names = way.split(|&byte| byte == b'/').filter(|name| !name.is_empty());
    let flags = long::WAY | OFlags::NOFOLLOW;
    let first = open_in(directory, names.next().unwrap_or(b"."), flags)?;
    names.try_fold(first, |folder, name| open_in(&folder, name, flags))
}

fn open_in(folder: impl AsFd, name: &[u8], flags: OFlags) -> Result<OwnedFd, Errno> {
    if name == b".." {
        return Err(Errno::XDEV);
    }
    openat(folder, OsStr::from_bytes(name), flags, Mode::empty())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    type Open = fn(&Arc<OwnedFd>, &[u8]) -> io::Result<OwnedFd>;

    const WAYS: [Open; 2] =
        [open, |directory, below| by_folders(directory, below).map_err(explained)];

    fn read(opened: io::Result<OwnedFd>) -> Result<String, String> {
        let mut content = String::new();
        let read = opened.and_then(|file| File::from(file).read_to_string(&mut content));
        read.map(|_| content).map_err(|error| error.to_string())
    }

    #[test]
    fn no_link_is_followed_on_the_way_to_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir_all(at("root/a/b")).unwrap();
        fs::create_dir(at("outside")).unwrap();
        for name in ["root/top", "root/a/one", "root/a/b/two", "outside/one"] {
            fs::write(at(name), name).unwrap();
        }
        symlink("top", at("root/link")).unwrap();
        symlink("../outside", at("root/away")).unwrap();
        symlink("a", at("root/inside")).unwrap();
        let root = Arc::new(OwnedFd::from(File::open(at("root")).unwrap()));
        for open in WAYS {
            for below in ["top", "a/one", "a/b/two", "a/one", "a//one"] {
                let content = read(open(&root, below.as_bytes())).unwrap();
                assert_eq!(content, format!("root/{}", below.replace("//", "/")));
            }
            for below in ["link", "away/one", "inside/one", "a/../../outside/one", "../root/top"] {
                assert!(read(open(&root, below.as_bytes())).is_err(), "{below}");
            }
            let why = read(open(&root, b"link")).unwrap_err();
            assert!(why.contains("a symbolic link has taken the place"), "{why}");
        }
    }

    #[test]
    fn the_folder_that_stays_open_is_that_of_the_same_directory() {
        let folder = tempfile::tempdir().unwrap();
        for root in ["one", "two"] {
            fs::create_dir_all(folder.path().join(root).join("a")).unwrap();
            fs::write(folder.path().join(root).join("a/file"), root).unwrap();
        }
        for root in ["one", "two", "one", "two"] {
            let opened = Arc::new(OwnedFd::from(File::open(folder.path().join(root)).unwrap()));
            let content = read(by_folders(&opened, b"a/file").map_err(explained));
            assert_eq!(content.unwrap(), root);
        }
    }
}
