//! What a .torrent file says: names, lengths and hashes of files, by BEP 3 (version 1), BEP 52
//! (version 2), or both (hybrid), with pad files and symbolic links (BEP 47).
//!
//! [`Metainfo::parse`] refuses what contradicts itself and what could lead out of the folder, so
//! that whoever has a [`Metainfo`] need not check it again.

mod error;
mod file;
mod read;
mod tree;
mod v1;

use std::sync::Arc;

pub use error::MetainfoError;
pub(crate) use read::compare;

use super::merkle::Node;

/// The most bytes of a piece: 512 MiB, as in libtorrent.
pub const MAX_PIECE_LENGTH: u64 = 512 << 20;

/// The most bytes of all files together: 2^60.
pub const MAX_TOTAL: u64 = 1 << 60;

/// The most bytes of the paths of all files of version 2 together: 256 MiB. The text has the name
/// of a folder once, and the path of each file in it has it again.
pub const MAX_PATHS: usize = 256 << 20;

/// A SHA-1 digest, of a piece of version 1.
pub type Sha1Digest = [u8; 20];

/// A torrent.
///
/// # Examples
/// ```
/// use hashlanes_tree::torrent::metainfo::Metainfo;
///
/// let text = b"d4:infod6:lengthi3e4:name3:abc12:piece lengthi16384e\
///     6:pieces20:01234567890123456789ee";
/// let torrent = Metainfo::parse(text)?;
/// assert_eq!(torrent.files[0].path, b"abc");
/// assert!(Metainfo::parse(&text[..80]).is_err());
/// # Ok::<(), hashlanes_tree::torrent::metainfo::MetainfoError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metainfo {
    /// The name of the folder or of the only file.
    pub name: Vec<u8>,
    /// Whether it has a folder of files, and not one file.
    pub is_folder: bool,
    /// The bytes of a piece, but for the last one.
    pub piece_length: u64,
    /// The files in the order of the torrent, with pad files.
    pub files: Vec<TorrentFile>,
    /// The hashes of the pieces of all files one behind the other, if it is of version 1.
    pub pieces: Option<Vec<Sha1Digest>>,
    /// The infohash of version 1: the SHA-1 of the info dictionary.
    pub infohash_v1: Option<Sha1Digest>,
    /// The infohash of version 2: its SHA-256.
    pub infohash_v2: Option<Node>,
    /// Whether the keys of all dictionaries are sorted. Other programs might refuse them.
    pub is_sorted: bool,
}

/// A file of a torrent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorrentFile {
    /// Its name. In a folder, the path below that, with `/` between names.
    pub path: Vec<u8>,
    /// Its bytes.
    pub length: u64,
    /// What it is.
    pub kind: FileKind,
    /// Its hashes, if the torrent is of version 2 and the file is not empty.
    pub hashes: Option<FileHashes>,
}

/// What a file of a torrent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    Regular,
    /// Zeros that nobody stores, so that the next file begins with a piece.
    Pad,
    /// A symbolic link to a file of the torrent, whose path this is.
    Link(Vec<u8>),
}

/// The hashes of a file in version 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHashes {
    /// The root of its tree.
    pub root: Node,
    /// The nodes of its pieces, if it has more than one. Files of one content share them.
    pub layer: Arc<[Node]>,
}

impl Metainfo {
    /// The bytes of all files, pad files included.
    pub fn total(&self) -> u64 {
        self.files.iter().map(|file| file.length).sum()
    }

    /// The path of a file on the disk, below the folder that the torrent is saved in.
    pub fn path_of(&self, file: &TorrentFile) -> Vec<u8> {
        if self.is_folder {
            [&self.name, &b"/"[..], &file.path].concat()
        } else {
            self.name.clone()
        }
    }
}
