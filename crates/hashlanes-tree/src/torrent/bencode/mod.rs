//! Bencode (BEP 3), the notation of .torrent files: integers, byte strings, lists, dictionaries.
//!
//! [`Document::parse`] checks an entire text first. After that, values are only looked up: a
//! [`Value`] is a place in the text. The memory is the text and 12 bytes for each value, and both
//! are bounded ([`MAX_LENGTH`], [`MAX_VALUES`], [`MAX_DEPTH`]).
//!
//! Strictness: leading zeros, `-0`, numbers beyond 64 bits, repeated keys and bytes after the end
//! are errors. Unsorted keys are accepted, as by other programs, because an infohash is that of the
//! bytes as they are. [`Document::is_sorted`] reports them.

mod read;
mod write;

pub use read::{
    Dictionary, Document, Fault, MAX_DEPTH, MAX_LENGTH, MAX_VALUES, SyntaxError, Value,
};
pub use write::Writer;
