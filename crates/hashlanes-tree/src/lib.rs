//! Digests of large files that are composed of the digests of their parts: on all cores, in the
//! SIMD lanes of each, with a single read.
//!
//! A hash is serial within one message, but in these formats a file is thousands of messages.
//!
//! ```
//! use hashlanes_tree::{Format, RegularFile, Settings, digest};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("backup.tar");
//! std::fs::write(&path, vec![7; 20 << 20])?;
//!
//! // Parts of 8 MiB, and blocks of 4 KiB. The file is read once.
//! let formats = ["S3-ETAG-8388608", "FS-VERITY-SHA256-4096"];
//! let formats = formats.map(|tag| Format::from_tag(tag).unwrap());
//! let digests = digest(&RegularFile::open(&path)?, &formats, &Settings::default())?;
//! assert!(digests[0].ends_with("-3"));
//! assert_eq!(digests[1].len(), 64);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | you want | use |
//! |---|---|
//! | digests in formats chosen at run time | [`digest`], [`Format`] |
//! | ETags and checksums of S3, and their part sizes | [`s3`] |
//! | the tree hash of Glacier | [`glacier`] |
//! | a binary tree, with proofs | [`merkle`], [`MerkleFold`] |
//! | what `fsverity digest` prints | [`fsverity`] |
//! | the root hash and the hash file of `veritysetup`, or to verify data | [`dmverity`] |
//! | to create, read and verify torrents | [`torrent`] |
//! | content-defined chunks | [`dedup`] |
//! | a format of your own | [`hash_content`] |
//!
//! # The machinery
//! All formats are based on [`hash_content`]. One or more [`Plan`]s cut [`Content`] into *leaves*;
//! the plans share a read. A [`Sink`] gets the digests of each plan's leaves in order, and keeps,
//! folds or writes them. [`hash_reader`] does the same for pipes, and [`hash_many`] for many small
//! files.
//!
//! ```
//! use hashlanes::Algorithm;
//! use hashlanes_tree::{Job, Joined, Part, Plan, Settings, hash_content};
//!
//! // The pieces of a torrent span files.
//! let folder = tempfile::tempdir()?;
//! let paths = ["a", "b"].map(|name| folder.path().join(name));
//! std::fs::write(&paths[0], [1; 100_000])?;
//! std::fs::write(&paths[1], [2; 50_000])?;
//! let files = Joined::open(paths.map(Part::File))?;
//!
//! let plan = Plan::new(Algorithm::Sha1, 65_536);
//! let mut pieces = Vec::new();
//! hash_content(&files, &mut [Job::new(&plan, &mut pieces)], &Settings::default())?;
//! assert_eq!(pieces.len(), 3 * 20);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod affixed;
mod content;
pub mod dedup;
pub mod dmverity;
mod error;
mod fold;
mod format;
pub mod fsverity;
pub mod glacier;
pub mod merkle;
mod plan;
mod run;
pub mod s3;
pub mod s3_crc;
mod sink;
pub mod torrent;

pub use content::{BlockDevice, Content, Joined, Medium, Part, ReadError, Slice};
pub use error::Error;
pub use fold::{InclusionProof, MerkleFold, Root};
pub use format::{DigestError, Digester, Finished, Format, Invalid, digest};
pub use hashlanes_files::RegularFile;
pub use plan::{LastLeaf, Plan};
pub use run::{Job, Settings, Task, hash_content, hash_many, hash_reader};
pub use sink::Sink;
