//! Merges the results of a run with earlier ones.

use std::collections::HashSet;
use std::io;

use super::state::Known;

/// Merges two sorted sequences. The journal has the newer results.
pub(super) fn sorted(
    known: impl Iterator<Item = io::Result<Known>>,
    journal: impl Iterator<Item = io::Result<Known>>,
    mut stays: impl FnMut(&[u8]) -> bool,
    mut each: impl FnMut(&Known) -> io::Result<()>,
) -> io::Result<()> {
    let mut known = known.peekable();
    let mut old = |until: Option<&Known>| {
        while let Some(old) = known.next_if(|old| match (old, until) {
            (Ok(old), Some(new)) => old.name <= new.name,
            _ => true,
        }) {
            let old = old?;
            if until.is_none_or(|new| new.name != old.name) && stays(&old.name) {
                each(&old)?;
            }
        }
        until.map_or(Ok(()), &mut each)
    };
    for new in journal {
        old(Some(&new?))?;
    }
    old(None)
}

/// Produces the journal, followed by the earlier results that it lacks.
pub(super) fn of_any(
    known: impl Iterator<Item = io::Result<Known>>,
    journal: impl Iterator<Item = io::Result<Known>>,
    mut stays: impl FnMut(&[u8]) -> bool,
    mut each: impl FnMut(&Known) -> io::Result<()>,
) -> io::Result<()> {
    let mut names = HashSet::new();
    for new in journal {
        let new = new?;
        each(&new)?;
        names.insert(new.name);
    }
    for old in known {
        let old = old?;
        if !names.contains(&old.name) && stays(&old.name) {
            each(&old)?;
            names.insert(old.name);
        }
    }
    Ok(())
}
