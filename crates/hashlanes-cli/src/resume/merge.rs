//! Merges the results of a run with earlier ones.

use std::collections::HashMap;
use std::io;

use super::state::Known;

/// Merges two sorted sequences. The journal has the newer results. Each is produced with the
/// earlier one for the same file, if any.
pub(super) fn sorted(
    known: impl Iterator<Item = io::Result<Known>>,
    journal: impl Iterator<Item = io::Result<Known>>,
    mut stays: impl FnMut(&[u8]) -> bool,
    mut each: impl FnMut(&Known, Option<&Known>) -> io::Result<()>,
) -> io::Result<()> {
    let mut known = known.peekable();
    let mut same: Option<Known> = None;
    for new in journal {
        let new = new?;
        let is_due = |old: &io::Result<Known>| !old.as_ref().is_ok_and(|old| old.name > new.name);
        while let Some(old) = known.next_if(is_due) {
            let old = old?;
            if old.name == new.name {
                same = Some(old);
            } else if stays(&old.name) {
                each(&old, None)?;
            }
        }
        each(&new, same.as_ref().filter(|old| old.name == new.name))?;
    }
    for old in known {
        let old = old?;
        if stays(&old.name) {
            each(&old, None)?;
        }
    }
    Ok(())
}

/// Produces the journal, followed by the earlier results that it lacks.
pub(super) fn of_any(
    known: impl Iterator<Item = io::Result<Known>>,
    journal: impl Iterator<Item = io::Result<Known>>,
    mut stays: impl FnMut(&[u8]) -> bool,
    mut each: impl FnMut(&Known, Option<&Known>) -> io::Result<()>,
) -> io::Result<()> {
    let mut olds = Vec::new();
    let mut places = HashMap::new();
    for old in known {
        let old = old?;
        places.entry(old.name.clone()).or_insert_with(|| {
            olds.push((old, false));
            olds.len() - 1
        });
    }
    for new in journal {
        let new = new?;
        let old = places.get(&new.name).map(|place| &mut olds[*place]);
        each(
            &new,
            old.map(|(old, is_renewed)| {
                *is_renewed = true;
                &*old
            }),
        )?;
    }
    for (old, is_renewed) in &olds {
        if !is_renewed && stays(&old.name) {
            each(old, None)?;
        }
    }
    Ok(())
}
