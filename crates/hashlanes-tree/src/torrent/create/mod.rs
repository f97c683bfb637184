//! Creates torrents from a file or folder, with a single read for both versions.

mod info;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hashlanes::{Algorithm, Sha1, Sha256};
use hashlanes_files::name::quote;
use hashlanes_files::system::is_same_file;

use super::bencode::Writer;
use super::blocks::{Blocks, Place};
use super::extras::Extras;
use super::list::{ListedFile, Listing};
use super::merkle::{BLOCK, Node};
use super::metainfo::Sha1Digest;
use super::trees::Trees;
use super::{magnet, piece_length};
use crate::{Error, Job, Joined, Part, Plan, Settings, hash_content};
use info::Hashes;

/// The most folders that a file may be below in version 2, as in libtorrent.
const MAX_FOLDERS: usize = 94;

/// The versions of the format that a torrent has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// BEP 3: SHA-1 of pieces.
    V1,
    /// BEP 52: a SHA-256 tree for each file.
    V2,
    /// Both, with pad files between the files.
    Hybrid,
}

impl Version {
    fn has_v1(self) -> bool {
        self != Self::V2
    }

    fn has_v2(self) -> bool {
        self != Self::V1
    }
}

/// The settings of a torrent. Together with the files, they determine the infohash.
#[derive(Clone, Debug)]
pub struct Options {
    /// The versions.
    pub version: Version,
    /// The length of a piece in bytes. By default, [`piece_length::usual`] chooses it.
    pub piece_length: Option<u64>,
    /// Peers come only from the trackers (BEP 27).
    pub private: bool,
    /// A text that changes the infohash: some trackers require their name.
    pub source: Option<String>,
}

impl Options {
    /// The options with this version, and the defaults for everything else.
    pub fn new(version: Version) -> Self {
        Self { version, piece_length: None, private: false, source: None }
    }
}

/// Why a torrent was not created.
#[derive(Debug)]
pub enum CreateError {
    /// The piece length is not allowed, for this reason.
    PieceLength(String),
    /// Version 2 cannot distinguish this folder from the only file in it, which has the same name.
    Ambiguous(String),
    /// A torrent of version 2 cannot be read with this file, which is below so many folders.
    TooDeep(PathBuf, usize),
    /// A file was modified while it was read.
    Changed(PathBuf),
    /// A file cannot be read, or the run was stopped.
    Hash(Error),
}

impl fmt::Display for CreateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::PieceLength(why) => f.write_str(why),
            Self::Ambiguous(name) => write!(
                f,
                "version 2 cannot tell a folder that has only a file of its own name, '{name}', \
                 from that file"
            ),
            Self::TooDeep(path, depth) => write!(
                f,
                "{}: below {depth} folders; torrents of version 2 have at most {MAX_FOLDERS}",
                quote(path)
            ),
            Self::Changed(path) => {
                write!(f, "{}: the file changed while it was read", quote(path))
            }
            Self::Hash(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for CreateError {}

impl From<Error> for CreateError {
    fn from(error: Error) -> Self {
        Self::Hash(error)
    }
}

/// A created torrent.
///
/// # Examples
/// ```
/// use hashlanes_files::walk::Walk;
/// use hashlanes_tree::Settings;
/// use hashlanes_tree::torrent::metainfo::Metainfo;
/// use hashlanes_tree::torrent::{Extras, Listing, Options, Torrent, Version};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("data");
/// std::fs::write(&path, vec![7; 100_000])?;
/// let listing = Listing::new(&path, &Walk::default())?;
/// let torrent =
///     Torrent::create(&listing, &Options::new(Version::Hybrid), &Settings::default())?;
/// let text = torrent.to_text(&Extras::default());
/// let read = Metainfo::parse(&text)?;
/// assert_eq!((read.infohash_v1, read.infohash_v2), (torrent.infohash_v1, torrent.infohash_v2));
/// assert_eq!(read.pieces.unwrap().len(), 7);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Torrent {
    /// The name.
    pub name: String,
    /// The length of a piece in bytes.
    pub piece_length: u64,
    /// The infohash of version 1.
    pub infohash_v1: Option<Sha1Digest>,
    /// The infohash of version 2.
    pub infohash_v2: Option<Node>,
    /// The info dictionary.
    info: Vec<u8>,
    /// The nodes of the pieces of each file of more than one piece, sorted by the files' roots.
    /// `None` without version 2.
    layers: Option<Vec<(Node, Arc<[Node]>)>>,
}

impl Torrent {
    /// Reads and hashes all files of a listing.
    ///
    /// # Errors
    /// If the piece length is not allowed, a file cannot be read or changes while it is read, or
    /// the settings' `Control` stops the run.
    pub fn create(
        listing: &Listing,
        options: &Options,
        settings: &Settings<'_>,
    ) -> Result<Self, CreateError> {
        let (total, version) = (listing.total(), options.version);
        let length = options.piece_length.unwrap_or_else(|| piece_length::usual(total));
        if let Some(why) = piece_length::refused(length, total, version.has_v2()) {
            return Err(CreateError::PieceLength(why));
        }
        if version.has_v2() && listing.is_ambiguous() {
            return Err(CreateError::Ambiguous(listing.name.clone()));
        }
        let depth = |file: &ListedFile| file.path.matches('/').count();
        let deepest = listing.files.iter().max_by_key(|file| depth(file));
        if let Some(file) = deepest.filter(|file| version.has_v2() && depth(file) > MAX_FOLDERS) {
            return Err(CreateError::TooDeep(file.place.clone(), depth(file)));
        }
        let hashes = hash(listing, length, version, settings)?;
        let info = info::write(listing, length, &hashes, options);
        Ok(Self {
            name: listing.name.clone(),
            piece_length: length,
            infohash_v1: version.has_v1().then(|| Sha1::digest(&info)),
            infohash_v2: version.has_v2().then(|| Sha256::digest(&info)),
            info,
            layers: hashes.trees.map(|trees| {
                let layered = trees.into_iter().flatten().filter(|tree| !tree.layer.is_empty());
                let mut layers: Vec<_> =
                    layered.map(|hashes| (hashes.root, hashes.layer)).collect();
                layers.sort_unstable_by_key(|layer| layer.0);
                // Files of equal content share a layer.
                layers.dedup_by_key(|layer| layer.0);
                layers
            }),
        })
    }

    /// The content of the .torrent file.
    pub fn to_text(&self, extras: &Extras) -> Vec<u8> {
        let mut text = Writer::new();
        text.begin_dictionary();
        if let Some(first) = extras.trackers.first() {
            text.string("announce").string(first);
        }
        if extras.trackers.len() > 1 {
            // Each tracker is its own tier (BEP 12), so they are tried in this order.
            text.string("announce-list").list(|text| {
                for tracker in &extras.trackers {
                    text.list(|text| {
                        text.string(tracker);
                    });
                }
            });
        }
        if let Some(comment) = &extras.comment {
            text.string("comment").string(comment);
        }
        if let Some(date) = extras.date {
            text.string("creation date").integer(date);
        }
        text.string("info").raw(&self.info);
        if let Some(layers) = &self.layers {
            text.string("piece layers").dictionary(|text| {
                for (root, layer) in layers {
                    text.string(root).string(layer.as_flattened());
                }
            });
        }
        match &*extras.web_seeds {
            [] => {}
            [seed] => {
                text.string("url-list").string(seed);
            }
            seeds => {
                text.string("url-list").list(|text| {
                    for seed in seeds {
                        text.string(seed);
                    }
                });
            }
        }
        text.end();
        text.into_text()
    }

    /// The magnet link of the torrent.
    pub fn magnet(&self, extras: &Extras) -> String {
        magnet::link(self.infohash_v1, self.infohash_v2, &self.name, extras)
    }
}

fn hash(
    listing: &Listing,
    piece_length: u64,
    version: Version,
    settings: &Settings<'_>,
) -> Result<Hashes, CreateError> {
    let padding = match version {
        Version::V1 => Padding { align: 1, at_end: false },
        // Then each block belongs to one file.
        Version::V2 => Padding { align: BLOCK, at_end: false },
        Version::Hybrid => Padding { align: piece_length, at_end: listing.files.len() > 1 },
    };
    let content = open(&listing.files, padding)?;
    let (pieces, blocks) =
        (Plan::new(Algorithm::Sha1, piece_length), Plan::new(Algorithm::Sha256, BLOCK));
    let mut digests = Vec::new();
    let mut trees = Trees::new(&content, piece_length);
    let mut jobs = Vec::new();
    if version.has_v1() {
        jobs.push(Job::new(&pieces, &mut digests));
    }
    if version.has_v2() {
        jobs.push(Job::new(&blocks, &mut trees));
    }
    hash_content(&content, &mut jobs, settings)?;
    drop(jobs);
    let trees = trees.finish();
    if let Some(path) = content.content.changed().next() {
        return Err(CreateError::Changed(path.into()));
    }
    Ok(Hashes {
        pieces: version.has_v1().then_some(digests),
        trees: version.has_v2().then_some(trees),
    })
}

/// The zeros after each file.
#[derive(Clone, Copy)]
struct Padding {
    /// Each file begins at a multiple of this. 1 means no zeros.
    align: u64,
    /// There are zeros after the last file, too.
    at_end: bool,
}

/// The number of zeros that follow a file.
fn zeros(length: u64, align: u64) -> u64 {
    length.next_multiple_of(align) - length
}

/// Opens the files as concatenated content.
fn open(files: &[ListedFile], padding: Padding) -> Result<Blocks<Joined>, CreateError> {
    let last = files.iter().rposition(|file| file.length > 0);
    let zeros_after = |i: usize, file: &ListedFile| match Some(i) == last && !padding.at_end {
        true => 0,
        false => zeros(file.length, padding.align),
    };
    let parts = files.iter().enumerate().flat_map(|(i, file)| {
        [Part::Found(file.place.clone(), file.kind.clone()), Part::Zeros(zeros_after(i, file))]
    });
    let joined = Joined::open(parts).map_err(|error| CreateError::Hash(error.into()))?;
    let lengths = joined.lengths().step_by(2);
    if let Some((file, _)) = files.iter().zip(lengths).find(|(f, length)| f.length != *length) {
        return Err(CreateError::Changed(file.place.clone()));
    }
    let mut begin = 0;
    let places = files.iter().enumerate().map(|(i, file)| {
        let place = Place { begin, length: file.length };
        begin += file.length + zeros_after(i, file);
        place
    });
    let places = places.collect();
    Ok(Blocks::new(joined, places))
}

/// The number of bytes that will be read and hashed, for a progress bar: those of the files, and
/// the zeros between them.
pub fn bytes(listing: &Listing, piece_length: u64, version: Version) -> u64 {
    let align = match version {
        Version::V1 => 1,
        Version::V2 => BLOCK,
        Version::Hybrid => piece_length,
    };
    listing.files.iter().map(|file| file.length.next_multiple_of(align)).sum()
}

/// Whether a file would belong to the torrent: a torrent that is written into its own folder, or
/// over another name of one of its files.
pub fn is_inside(listing: &Listing, path: &Path) -> bool {
    listing.files.iter().any(|file| is_same_file(&file.place, path))
}
