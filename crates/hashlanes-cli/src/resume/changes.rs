//! What is new, changed or gone since the run before.

use std::io;

use super::merge::join;
use super::state::Known;

/// How a file differs from the run before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    New,
    /// It has other digests.
    Changed,
    Gone,
}

impl Change {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Changed => "changed",
            Self::Gone => "gone",
        }
    }
}

/// Tells how a file differs, by its name.
pub(crate) type Tell<'t> = dyn FnMut(&[u8], Change) -> io::Result<()> + 't;

/// Compares the results of two runs.
pub(super) fn tell(
    old: impl Iterator<Item = io::Result<Known>>,
    new: impl Iterator<Item = io::Result<Known>>,
    is_sorted: bool,
    tell: &mut Tell<'_>,
) -> io::Result<()> {
    join(old, new, is_sorted, |old, new| match (old, new) {
        (Some(gone), None) => tell(&gone.name, Change::Gone),
        (None, Some(new)) => tell(&new.name, Change::New),
        (Some(old), Some(new)) if old.digests != new.digests => tell(&new.name, Change::Changed),
        _ => Ok(()),
    })
}
