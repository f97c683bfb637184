//! What can be wrong with a .torrent file.

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
    /// It is neither of version 1 nor of version 2.
    Version,
    /// The piece length is out of bounds.
    PieceLength(i64),
    /// A name could lead out of the folder.
    Name {
        /// The name, with those above it.
        name: Vec<u8>,
        /// Why it is refused.
        why: BadName,
    },
    /// A name comes twice, or is that of a file and of a folder.
    Repeated(Vec<u8>),
    /// The paths of the files take more than [`super::MAX_PATHS`] bytes.
    LongPaths,
    /// There is no file.
    NoFiles,
    /// The lengths of the files are negative, or together more than [`super::MAX_TOTAL`].
    Length(Vec<u8>),
    /// There are more or fewer hashes than pieces.
    Pieces {
        /// The number of pieces that the lengths of the files give.
        expected: u64,
        /// The bytes of hashes that there are, of 20 or 32 for each piece.
        bytes: usize,
    },
    /// A file has no root, or an empty one has one.
    Root(Vec<u8>),
    /// A file of more than a piece has no layer of piece hashes.
    NoLayer(Vec<u8>),
    /// The hashes of a file's pieces do not make up its root.
    Layer(Vec<u8>),
    /// There is a layer of piece hashes that is of no file.
    StrayLayer,
    /// The list of files of version 1 is not that of version 2.
    Contradiction(Vec<u8>),
}

impl fmt::Display for MetainfoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = |name: &Vec<u8>| quote_name(name).into_owned();
        match self {
            Self::Syntax(error) => error.fmt(f),
            Self::Key(key) => write!(f, "'{key}' is missing or of the wrong type"),
            Self::Version => f.write_str("neither a torrent of version 1 nor of version 2"),
            Self::PieceLength(length) => write!(f, "a piece length of {length} is not allowed"),
            Self::Name { name, why } => write!(f, "{}: {why}", quote(name)),
            Self::Repeated(name) => {
                write!(f, "{}: the name comes twice, or is of a file and a folder", quote(name))
            }
            Self::LongPaths => {
                write!(f, "the paths of the files take more than {} MiB", MAX_PATHS >> 20)
            }
            Self::NoFiles => f.write_str("the torrent has no files"),
            Self::Length(name) => write!(f, "{}: an impossible length", quote(name)),
            Self::Pieces { expected, bytes } => {
                write!(f, "{bytes} bytes of hashes for {expected} pieces")
            }
            Self::Root(name) => write!(f, "{}: 'pieces root' does not fit", quote(name)),
            Self::NoLayer(name) => write!(f, "{}: no 'piece layers'", quote(name)),
            Self::Layer(name) => {
                write!(f, "{}: 'piece layers' contradict 'pieces root'", quote(name))
            }
            Self::StrayLayer => f.write_str("'piece layers' of no file"),
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
