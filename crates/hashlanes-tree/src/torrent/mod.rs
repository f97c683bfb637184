//! Creates and reads .torrent files, and compares files with them.
//!
//! [`Listing`] lists the files, [`Torrent`] hashes them and writes a .torrent file, of version 1
//! (BEP 3), version 2 (BEP 52) or both. [`metainfo`] reads such a file.

pub mod bencode;
mod blocks;
mod create;
mod extras;
mod list;
pub mod magnet;
pub mod merkle;
pub mod metainfo;
pub mod name;
pub mod piece_length;
mod trees;
mod verify;

pub use create::{CreateError, Options, Torrent, Version, bytes, is_inside};
pub use extras::Extras;
pub use list::{ListError, ListedFile, Listing};
pub use verify::{BadPieces, FileReport, FileState, Links, VerifyReport, verify};
