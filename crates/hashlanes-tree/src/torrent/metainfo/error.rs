//! The errors of .torrent files.

use std::fmt;

use hashlanes_files::name::quote_name;

use super::MAX_PATHS;
use crate::torrent::bencode::SyntaxError;
use crate::torrent::name::BadName;

/// Why a .torrent file is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MetainfoError {
    /// It is not bencode.
    Syntax(SyntaxError),
    /// A key is missing, or its value is of another type.
    Key(&'static str),
    /// It has neither version 1 nor version 2.
    Version,
    /// The piece length is out of bounds.
    PieceLength(i64),
    /// A name could lead out of the folder.
    Name {
        /// The name, with the folders above it.
        name: Vec<u8>,
        /// Why it is refused.
        why: BadName,
    },
    /// A name appears twice, or is used for both a file and a folder.
    Repeated(Vec<u8>),
    /// The paths of the files take more than [`super::MAX_PATHS`] bytes.
    LongPaths,
    /// There are no files.
    NoFiles,
    /// The length of this file is negative, or the total exceeds [`super::MAX_TOTAL`].
    Length(Vec<u8>),
    /// The number of hashes is not that of the pieces.
    Pieces {
        /// The number of pieces according to the lengths of the files.
        expected: u64,
        /// The length of the hashes in bytes: 20 or 32 are expected for each piece.
        bytes: usize,
    },
    /// A file has no root, or an empty one has one.
    Root(Vec<u8>),
    /// A file of more than one piece has no layer of piece hashes.
    NoLayer(Vec<u8>),
    /// The hashes of a file's pieces do not match its root.
    Layer(Vec<u8>),
    /// A layer of piece hashes belongs to no file.
    StrayLayer,
    /// The files of version 1 are not those of version 2.
    Contradiction(Vec<u8>),
}

impl fmt::Display for MetainfoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = |name: &Vec<u8>| quote_name(name).into_owned();
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Key(key) => write!(f, "'{key}' is missing or of the wrong type"),
            Self::Version => f.write_str("not a torrent of version 1 or 2"),
            Self::PieceLength(length) => write!(f, "a piece length of {length} is not allowed"),
            Self::Name { name, why } => write!(f, "{}: {why}", quote(name)),
            Self::Repeated(name) => {
                write!(
                    f,
                    "{}: the name appears twice, or for both a file and a folder",
                    quote(name)
                )
            }
            Self::LongPaths => {
                write!(f, "the paths of the files take more than {} MiB", MAX_PATHS >> 20)
            }
            Self::NoFiles => f.write_str("the torrent has no files"),
            Self::Length(name) => write!(f, "{}: invalid length", quote(name)),
            Self::Pieces { expected, bytes } => {
                write!(f, "expected 20 bytes of hash for each of {expected} pieces, got {bytes}")
            }
            Self::Root(name) => {
                write!(f, "{}: 'pieces root' must be present unless the file is empty", quote(name))
            }
            Self::NoLayer(name) => write!(f, "{}: 'piece layers' is missing", quote(name)),
            Self::Layer(name) => {
                write!(f, "{}: 'piece layers' contradict 'pieces root'", quote(name))
            }
            Self::StrayLayer => f.write_str("'piece layers' has an entry that no file uses"),
            Self::Contradiction(name) => {
                write!(f, "{}: versions 1 and 2 of the torrent contradict each other", quote(name))
            }
        }
    }
}

impl std::error::Error for MetainfoError {}

impl From<SyntaxError> for MetainfoError {
    fn from(error: SyntaxError) -> Self {
        Self::Syntax(error)
    }
}
