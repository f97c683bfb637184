//! The content of a .torrent file: names, lengths and hashes of files, by BEP 3 (version 1), BEP 52
//! (version 2), or both (hybrid), with pad files and symbolic links (BEP 47).
//!
//! [`Metainfo::parse`] refuses contradictions and anything that could lead out of the folder, so
//! that a [`Metainfo`] needs no further checks.

mod error;
mod file;
mod read;
mod tree;
mod v1;

use std::sync::Arc;

pub use error::MetainfoError;
pub(crate) use read::compare;

use super::merkle::Node;

/// The maximum length of a piece: 512 MiB, as in libtorrent.
pub const MAX_PIECE_LENGTH: u64 = 512 << 20;

/// The maximum total length of all files: 2^60 bytes.
pub const MAX_TOTAL: u64 = 1 << 60;

/// The maximum total length of the paths of all files of version 2: 256 MiB. The text contains the
/// name of a folder once, but the path of each file in it repeats it.
pub const MAX_PATHS: usize = 256 << 20;

/// The SHA-1 digest of a piece in version 1.
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
    /// The name of the folder or of the single file.
    pub name: Vec<u8>,
    /// Whether it is a folder of files rather than a single file.
    pub is_folder: bool,
    /// The length of each piece but the last in bytes.
    pub piece_length: u64,
    /// The files in the order of the torrent, with pad files.
    pub files: Vec<TorrentFile>,
    /// The hashes of the pieces of the concatenated files, if it has version 1.
    pub pieces: Option<Vec<Sha1Digest>>,
    /// The infohash of version 1: the SHA-1 of the info dictionary.
    pub infohash_v1: Option<Sha1Digest>,
    /// The infohash of version 2: its SHA-256.
    pub infohash_v2: Option<Node>,
    /// Whether the keys of all dictionaries are sorted. Other programs might refuse unsorted ones.
    pub is_sorted: bool,
    /// How many bytes come after the end, which belong to nothing.
    pub trailing: usize,
}

/// A file of a torrent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TorrentFile {
    /// The name of the file or, in a folder, its path below that, with `/` between names.
    pub path: Vec<u8>,
    /// The length in bytes.
    pub length: u64,
    /// The kind of file.
    pub kind: FileKind,
    /// The hashes, if the torrent has version 2 and the file is not empty.
    pub hashes: Option<FileHashes>,
}

/// The kind of a file of a torrent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A file.
    Regular,
    /// Zeros that are not stored, so that the next file begins at a piece.
    Pad,
    /// A symbolic link to this path of the torrent.
    Link(Vec<u8>),
}

/// The hashes of a file in version 2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHashes {
    /// The root of its tree.
    pub root: Node,
    /// The nodes of the pieces, if there is more than one and the torrent has them. Files of equal
    /// content share them.
    pub layer: Arc<[Node]>,
}

impl Metainfo {
    /// The total number of bytes, including pad files.
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
