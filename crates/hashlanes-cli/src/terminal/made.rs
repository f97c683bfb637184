//! Files that commands write for people, and that later runs may replace.

use std::io;
use std::path::Path;

use hashlanes_files::replace::{Replacement, Replaces};

/// The first line of a chart.
const CHART: &str = "<!-- by hashlanes -->\n";

/// Whether a file begins as one that this program has made, which names the program there.
fn names_us(begin: &[u8]) -> bool {
    begin.windows(9).any(|word| word.eq_ignore_ascii_case(b"hashlanes"))
}

/// Writes a file of the program's own documentation or options.
pub(crate) fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let is_ours = |begin: &[u8], _| names_us(begin);
    Replacement::begin(path, Replaces::Made("a file of hashlanes", &is_ours))?.put_whole(text)
}

/// Begins a chart, before the measurements for it.
pub(crate) fn begin_chart(path: &Path) -> io::Result<Replacement> {
    let is_chart = |begin: &[u8], _| begin.starts_with(CHART.as_bytes());
    Replacement::begin(path, Replaces::Made("a chart by hashlanes", &is_chart))
}

pub(crate) fn put_chart(file: &Replacement, svg: &str) -> io::Result<()> {
    file.put_whole([CHART, svg].concat().as_bytes())
}
