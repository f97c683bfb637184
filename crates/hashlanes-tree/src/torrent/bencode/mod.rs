//! Bencode (BEP 3), the notation of .torrent files: integers, byte strings, lists, dictionaries.
//!
//! [`Document::parse`] checks a whole text before anybody looks at it, and then values are only
//! looked up: [`Value`] is a place in the text. Memory is 12 bytes for each value beside the text
//! itself, and both have bounds ([`MAX_LENGTH`], [`MAX_VALUES`], [`MAX_DEPTH`]).
//!
//! Strictness: leading zeros, `-0`, numbers beyond 64 bits, keys that come twice and bytes after
//! the end are errors. Keys that are not sorted are accepted, as other programs accept them, since
//! an infohash is that of the bytes as they are. [`Document::is_sorted`] tells.

mod read;
mod write;

pub use read::{
    Dictionary, Document, Fault, MAX_DEPTH, MAX_LENGTH, MAX_VALUES, SyntaxError, Value,
};
pub use write::Writer;
