//! States of large files, which a later run continues.

use std::fmt::Debug;
use std::path::Path;

use crate::system::Stamp;

/// Continues a file after this many bytes from the states of a plan's engines, in order. Returns
/// whether that was possible.
pub type Continue<'c> = &'c mut dyn FnMut(u64, &[Vec<u8>]) -> bool;

/// Keeps the states of large regular files that are being hashed, from one run to another. Only
/// files all of whose functions have [saved states](hashlanes::Hasher::save) are kept.
pub trait Partial: Debug + Send + Sync {
    /// The number of bytes after which a file is kept again. Shorter ones are not.
    fn interval(&self) -> u64;

    /// Continues a file that is read now, if a state of it was kept. Returns how many of its bytes
    /// need not be read.
    fn begin(&self, path: &Path, stamp: &Stamp, continued: Continue<'_>) -> u64;

    /// Keeps the states after the first `length` bytes of a file.
    fn keep(&self, path: &Path, stamp: &Stamp, length: u64, states: &[Vec<u8>]);

    /// The file is finished, or cannot be read further.
    fn end(&self, path: &Path);
}

/// Whether these are the states of `count` functions after this many bytes: see the format of
/// [`Hasher::save`](hashlanes::Hasher::save).
pub(super) fn are_after(length: u64, states: &[Vec<u8>], count: usize) -> bool {
    let is_after = |saved: &Vec<u8>| {
        let name = saved.get(6).map_or(0, |&name| name.into());
        saved.get(7 + name..7 + name + 16) == Some(&u128::from(length).to_le_bytes()[..])
    };
    states.len() == count && states.iter().all(is_after)
}
