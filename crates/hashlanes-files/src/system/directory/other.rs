//! Directories on systems that allow long paths, by the standard library.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::{Identity, Links, Type};

/// The path of a directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory(PathBuf);

impl Directory {
    /// The directory of a path.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(path.to_owned()))
    }

    /// A directory in this one.
    pub(crate) fn open_in(&self, name: &OsStr, _: Links) -> io::Result<Self> {
        Self::open(&self.0.join(name))
    }

    /// Opens a file below this directory.
    pub(crate) fn open_file(&self, below: &[u8]) -> io::Result<File> {
        let below = str::from_utf8(below).map_err(io::Error::other)?;
        crate::system::open_regular(&self.0.join(below))
    }

    /// Unknown, because the standard library has no such numbers. So a loop is found only when a
    /// path becomes too long.
    pub(crate) fn identity(&self) -> Option<Identity> {
        None
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
        for found in fs::read_dir(&self.0)? {
            let found = found?;
            let name = found.file_name();
            entry(
                &name,
                match found.file_type().map(simple) {
                    Ok(Type::Link) if links == Links::Follow => fs::metadata(self.0.join(&name))
                        .map(|metadata| simple(metadata.file_type())),
                    known => known,
                },
            );
        }
        Ok(())
    }
}

fn simple(kind: FileType) -> Type {
    if kind.is_file() {
        Type::File
    } else if kind.is_dir() {
        Type::Directory
    } else if kind.is_symlink() {
        Type::Link
    } else {
        Type::Device
    }
}

/// A list of names.
#[derive(Default)]
pub(crate) struct Names(Vec<OsString>);

/// The position of a name.
pub(crate) type Place = usize;

impl Names {
    pub(crate) fn push(&mut self, name: &OsStr) -> Place {
        self.0.push(name.to_owned());
        self.0.len() - 1
    }

    pub(crate) fn get(&self, place: Place) -> &OsStr {
        &self.0[place]
    }
}
