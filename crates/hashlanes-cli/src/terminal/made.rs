//! Files that commands write for people, and that later runs may replace.

use std::io;
use std::path::Path;

use hashlanes_files::replace::{Replacement, Replaces};

/// Whether a file begins as one that this program has made, which names the program there.
fn names_us(begin: &[u8]) -> bool {
    begin.windows(9).any(|word| word.eq_ignore_ascii_case(b"hashlanes"))
}

/// Writes a file of the program's own documentation or options.
pub(crate) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let is_ours = |begin: &[u8], _| names_us(begin);
    Replacement::begin(path, Replaces::Made("a file of hashlanes", &is_ours))?.put_whole(text)
}
