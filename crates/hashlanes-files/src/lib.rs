//! Hashes many files on all cores, many at a time in the SIMD lanes of each core, and reports the
//! digests in the order of the files. Functions without lanes hash one file at a time on each core.
//!
//! [`hash_files`] takes the files of a [`Source`] and gives their digests to a [`Report`]. The
//! other modules are for the program around it: [`source`] has the sources of names, [`walk`] lists
//! the files of directory trees, [`list`] reads lists of names, [`manifest`] writes and reads
//! checksum lines, [`replace`] replaces files atomically, [`name`] escapes and quotes names, and
//! [`system`] hides the differences between operating systems.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod content;
mod entry;
mod full;
mod function;
mod hash;
pub mod list;
pub mod manifest;
pub mod name;
mod regular;
pub mod replace;
pub mod source;
pub mod system;
pub mod walk;
mod within;

pub use content::{Content, Medium, ReadError};
pub use entry::{Entry, Input, Kind, Source, Stream, has_query, is_url, public, split_url};
pub use function::{Digest, Engine, Function, Hashers, Single, UnknownFunction, crc_support};
pub use hash::{
    Continue, Control, Hashed, Outcome, Partial, Plan, Report, Settings, hash_files, is_special,
    is_stdin, open_or_stdin,
};
pub use regular::RegularFile;
pub use within::{LEADS_OUT, Within};
