//! Directories of systems whose paths may be long: by the standard library.

use std::ffi::{OsStr, OsString};
use std::fs::{self, FileType};
use std::io;
use std::path::{Path, PathBuf};

use super::{Identity, Links, Type};

/// The path of a directory.
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

    /// Not known: there are no numbers that the standard library would tell. So no loop is found
    /// before a path becomes too long.
    pub(crate) fn identity(&self) -> Option<Identity> {
        None
    }

    /// Gives every entry with its type. Of a symbolic link, if it is to be followed, the type of
    /// what it leads to, or why that cannot be told.
    ///
    /// # Errors
    /// If the directory cannot be read to its end. What came before has been given.
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

/// Many names.
#[derive(Default)]
pub(crate) struct Names(Vec<OsString>);

/// Where a name is.
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
