//! Charts as files, which later runs may replace.

use std::io;
use std::path::Path;

use hashlanes_files::replace::{Replacement, Replaces};

/// The first line of a chart.
const CHART: &str = "<!-- by hashlanes -->\n";

/// Begins a chart, before the measurements for it.
pub(super) fn begin(path: &Path) -> io::Result<Replacement> {
    let is_chart = |begin: &[u8], _| begin.starts_with(CHART.as_bytes());
    Replacement::begin(path, Replaces::Made("a chart by hashlanes", &is_chart))
}

pub(super) fn put(file: &Replacement, svg: &str) -> io::Result<()> {
    file.put_whole([CHART, svg].concat().as_bytes())
}
