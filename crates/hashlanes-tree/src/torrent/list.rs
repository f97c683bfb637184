//! Lists the files of a torrent to be created.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::name::quote;
use hashlanes_files::system;
use hashlanes_files::walk::Walk;
use hashlanes_files::{Kind, RegularFile};

use super::metainfo::{MAX_TOTAL, compare};
use super::name::{self, BadName};

/// A file or folder from which a torrent is created.
#[derive(Clone, Debug)]
pub struct Listing {
    /// The name of the torrent: that of the file or folder.
    pub name: String,
    /// Whether it is a folder.
    pub is_folder: bool,
    /// The files, in the order of the torrent.
    pub files: Vec<ListedFile>,
}

/// A file of the torrent.
#[derive(Clone, Debug)]
pub struct ListedFile {
    /// Its name, or the path below the folder, with `/` between names.
    pub path: String,
    /// Its path on the disk.
    pub place: PathBuf,
    /// How the walk found it there.
    pub kind: Kind,
    /// The length in bytes.
    pub length: u64,
}

/// Why a torrent cannot be created from a file or folder.
#[derive(Debug)]
pub enum ListError {
    /// A file or folder cannot be read.
    Read(PathBuf, io::Error),
    /// A name is not Unicode: torrents use only UTF-8.
    NotUnicode(PathBuf),
    /// A name is not allowed in torrents.
    Name(PathBuf, BadName),
    /// The files are all empty.
    Empty(PathBuf),
    /// The files have more bytes than a torrent may have.
    TooLarge(PathBuf),
}

impl fmt::Display for ListError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read(path, error) => write!(f, "{}: {error}", quote(path)),
            Self::NotUnicode(path) => {
                write!(f, "{}: a name in a torrent must be valid Unicode", quote(path))
            }
            Self::Name(path, why) => write!(f, "{}: {why}", quote(path)),
            Self::Empty(path) => {
                write!(f, "{}: there is no content to share", quote(path))
            }
            Self::TooLarge(path) => write!(f, "{}: too large for a torrent", quote(path)),
        }
    }
}

impl std::error::Error for ListError {}

impl Listing {
    /// Lists a file, or all regular files below a folder. The walk counts what it skips: links and
    /// special files, except that the root may be a link. Torrents cannot represent empty folders.
    ///
    /// # Errors
    /// If something cannot be read, a name is not allowed, or all files are empty.
    pub fn new(path: &Path, walk: &Walk) -> Result<Self, ListError> {
        let name = root_name(path)?;
        let metadata =
            system::metadata(path).map_err(|error| ListError::Read(path.into(), error))?;
        let mut listing = Self { name, is_folder: metadata.is_dir(), files: Vec::new() };
        let mut total: u64 = 0;
        for found in walk.files(vec![path.into()]) {
            let (place, kind) = match found {
                Ok(found) => found,
                Err(error) => return Err(ListError::Read(error.path, error.error)),
            };
            let below =
                if listing.is_folder { checked_path(path, &place)? } else { listing.name.clone() };
            let length = match RegularFile::open_as(&place, &kind) {
                Ok(file) => file.stamp().size,
                Err(error) => return Err(ListError::Read(place, error)),
            };
            total = total.saturating_add(length);
            listing.files.push(ListedFile { path: below, place, kind, length });
        }
        match total {
            0 => return Err(ListError::Empty(path.into())),
            1..=MAX_TOTAL => {}
            _ => return Err(ListError::TooLarge(path.into())),
        }
        listing.files.sort_by(|a, b| compare(a.path.as_bytes(), b.path.as_bytes()));
        Ok(listing)
    }

    /// The total number of bytes.
    pub fn total(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// Whether it is a folder that contains only a file of the same name. Version 2 cannot
    /// distinguish it from that file.
    pub fn is_ambiguous(&self) -> bool {
        self.is_folder && matches!(&*self.files, [file] if file.path == self.name)
    }
}

/// The name of a file or folder, even if the path ends in `.` or `..`.
fn root_name(path: &Path) -> Result<String, ListError> {
    let absolute;
    let name = match path.file_name() {
        Some(name) => name,
        None => {
            absolute = path.canonicalize().map_err(|error| ListError::Read(path.into(), error))?;
            absolute.file_name().ok_or_else(|| ListError::Name(path.into(), BadName::Empty))?
        }
    };
    checked_name(path, &system::name(Path::new(name)))
}

/// The path of a file below the folder, with `/` between names.
fn checked_path(folder: &Path, place: &Path) -> Result<String, ListError> {
    // The walk has appended names to the path of the folder.
    let below = place.strip_prefix(folder).unwrap_or(place);
    let names = below.iter().map(|name| checked_name(place, &system::name(Path::new(name))));
    Ok(names.collect::<Result<Vec<_>, _>>()?.join("/"))
}

fn checked_name(place: &Path, name: &[u8]) -> Result<String, ListError> {
    name::check(name).map_err(|why| ListError::Name(place.into(), why))?;
    let name = str::from_utf8(name).map_err(|_| ListError::NotUnicode(place.into()))?;
    Ok(name.to_owned())
}
