//! Digests of large files that are made of the digests of their parts: on all cores, in the SIMD
//! lanes of each, with one read.
//!
//! A hash is serial inside one message, but in these formats one file is thousands of messages.
//!
//! # The machinery
//! [`hash_content`] is what all formats stand on. [`Content`] is cut into *leaves* by one or more
//! [`Plan`]s, which share a read. A [`Sink`] gets the digests of each plan's leaves in their order.
//! It keeps them, folds them or writes them. [`hash_reader`] is the same for pipes.
//!
//! ```
//! use hashlanes::Algorithm;
//! use hashlanes_tree::{Job, Joined, Part, Plan, Settings, hash_content};
//!
//! // The pieces of a torrent go on from one file to the next.
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

mod content;
pub mod dedup;
pub mod dmverity;
mod error;
mod fold;
mod format;
pub mod fsverity;
mod function;
pub mod glacier;
pub mod merkle;
mod plan;
mod run;
pub mod s3;
mod sink;
pub mod torrent;

pub use content::{Content, Joined, Part, ReadError, Slice};
pub use error::Error;
pub use fold::{InclusionProof, MerkleFold, Root};
pub use format::{DigestError, Digester, Finished, Format, Invalid, digest};
pub use hashlanes_files::RegularFile;
pub use plan::{LastLeaf, Plan};
pub use run::{Job, Settings, hash_content, hash_reader};
pub use sink::Sink;
