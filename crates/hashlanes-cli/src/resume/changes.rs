//! What is new, changed or gone since the run before.

use std::collections::HashMap;
use std::io;

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

/// Compares the results of two runs, both sorted by name.
pub(super) fn sorted(
    old: impl Iterator<Item = io::Result<Known>>,
    new: impl Iterator<Item = io::Result<Known>>,
    tell: &mut Tell<'_>,
) -> io::Result<()> {
    let mut old = old.peekable();
    for new in new {
        let new = new?;
        while let Some(gone) = old.next_if(|old| old.as_ref().map_or(true, |o| o.name < new.name)) {
            tell(&gone?.name, Change::Gone)?;
        }
        match old.next_if(|old| old.as_ref().is_ok_and(|old| old.name == new.name)) {
            None => tell(&new.name, Change::New)?,
            Some(old) => {
                if old?.digests != new.digests {
                    tell(&new.name, Change::Changed)?;
                }
            }
        }
    }
    old.try_for_each(|gone| tell(&gone?.name, Change::Gone))
}

/// Compares the results of two runs in any order.
pub(super) fn of_any(
    old: impl Iterator<Item = io::Result<Known>>,
    new: impl Iterator<Item = io::Result<Known>>,
    tell: &mut Tell<'_>,
) -> io::Result<()> {
    let old = old.map(|old| old.map(|old| (old.name, old.digests)));
    let mut old = old.collect::<io::Result<HashMap<_, _>>>()?;
    for new in new {
        let new = new?;
        match old.remove(&new.name) {
            None => tell(&new.name, Change::New)?,
            Some(digests) if digests != new.digests => tell(&new.name, Change::Changed)?,
            Some(_) => {}
        }
    }
    let mut gone: Vec<_> = old.into_keys().collect();
    gone.sort();
    gone.iter().try_for_each(|name| tell(name, Change::Gone))
}
