//! Directories on Unix, opened relative to their parents.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstat, openat, statat};

use super::{Identity, Links, Type, beneath};
use crate::system::descriptors::patiently;
use crate::system::long;
use crate::system::unix::despite_lease;

/// An open directory. Its clones are the same.
#[derive(Clone, Debug)]
pub(crate) struct Directory(Arc<OwnedFd>);

const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

impl Directory {
    /// Opens the directory of a path of any length.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(Arc::new(long::open(path, FLAGS)?)))
    }

    /// Opens a directory in this one.
    pub(crate) fn open_in(&self, name: &OsStr, links: Links) -> io::Result<Self> {
        let flags = match links {
            Links::Follow => FLAGS,
            Links::Stay => FLAGS | OFlags::NOFOLLOW,
        };
        let opened = patiently(|| Ok(openat(&self.0, name, flags, Mode::empty())?))?;
        Ok(Self(Arc::new(opened)))
    }

    /// Opens a file below this directory to read it, by the bytes of its path from here on. Neither
    /// follows a symbolic link nor waits for the writer of a FIFO.
    pub(crate) fn open_file(&self, below: &[u8]) -> io::Result<File> {
        Ok(despite_lease(|| beneath::open(&self.0, below))?.into())
    }

    /// The identity of the directory.
    pub(crate) fn identity(&self) -> Option<Identity> {
        let stat = fstat(&self.0).ok()?;
        #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
        Some(Identity { device: stat.st_dev as u64, number: stat.st_ino as u64 })
    }

    /// Passes every entry with its type. For a symbolic link that is to be followed, that is the
    /// type of its target, or the error of reading it.
    ///
    /// # Errors
    /// If the directory cannot be read to its end. The entries before that have been passed.
    pub(crate) fn read(
        &self,
        links: Links,
        mut entry: impl FnMut(&OsStr, io::Result<Type>),
    ) -> io::Result<()> {
        // This reopens the directory, with an offset of its own.
        for found in patiently(|| Ok(Dir::read_from(&*self.0)?))? {
            let found = found?;
            let name = found.file_name().to_bytes();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsStr::from_bytes(name);
            let known = match found.file_type() {
                // Some file systems do not tell.
                FileType::Unknown => self.type_of(name, Links::Stay),
                known => Ok(simple(known)),
            };
            entry(
                name,
                match known {
                    Ok(Type::Link) if links == Links::Follow => self.type_of(name, links),
                    known => known,
                },
            );
        }
        Ok(())
    }

    fn type_of(&self, name: &OsStr, links: Links) -> io::Result<Type> {
        let flags = match links {
            Links::Follow => AtFlags::empty(),
            Links::Stay => AtFlags::SYMLINK_NOFOLLOW,
        };
        let stat = patiently(|| Ok(statat(&self.0, name, flags)?))?;
        Ok(simple(FileType::from_raw_mode(stat.st_mode)))
    }
}

fn simple(kind: FileType) -> Type {
    match kind {
        FileType::RegularFile => Type::File,
        FileType::Directory => Type::Directory,
        FileType::Symlink => Type::Link,
        FileType::Fifo => Type::Fifo,
        FileType::Socket => Type::Socket,
        _ => Type::Device,
    }
}

/// A list of names in one piece of memory.
#[derive(Default)]
pub(crate) struct Names(Vec<u8>);

/// The position of a name.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    begin: usize,
    length: usize,
}

impl Names {
    pub(crate) fn push(&mut self, name: &OsStr) -> Place {
        let begin = self.0.len();
        self.0.extend(name.as_bytes());
        Place { begin, length: name.len() }
    }

    pub(crate) fn get(&self, place: Place) -> &OsStr {
        OsStr::from_bytes(&self.0[place.begin..][..place.length])
    }
}
