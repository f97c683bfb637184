//! Joins the results of a run with earlier ones.

use std::collections::HashMap;
use std::io;

use super::state::Known;

/// Gives each new result with the earlier one for the same file, if any, and each earlier result
/// that has no new one. Sorted results are given by name, others as the new ones come.
pub(super) fn join(
    old: impl Iterator<Item = io::Result<Known>>,
    new: impl Iterator<Item = io::Result<Known>>,
    is_sorted: bool,
    each: impl FnMut(Option<&Known>, Option<&Known>) -> io::Result<()>,
) -> io::Result<()> {
    if is_sorted { join_sorted(old, new, each) } else { join_any(old, new, each) }
}

fn join_sorted(
    old: impl Iterator<Item = io::Result<Known>>,
    new: impl Iterator<Item = io::Result<Known>>,
    mut each: impl FnMut(Option<&Known>, Option<&Known>) -> io::Result<()>,
) -> io::Result<()> {
    let mut rest = old.peekable();
    let mut same: Option<Known> = None;
    for new in new {
        let new = new?;
        let is_due = |old: &io::Result<Known>| !old.as_ref().is_ok_and(|old| old.name > new.name);
        while let Some(old) = rest.next_if(is_due) {
            let old = old?;
            if old.name == new.name {
                same = Some(old);
            } else {
                each(Some(&old), None)?;
            }
        }
        each(same.as_ref().filter(|old| old.name == new.name), Some(&new))?;
    }
    rest.try_for_each(|old| each(Some(&old?), None))
}

fn join_any(
    old: impl Iterator<Item = io::Result<Known>>,
    new: impl Iterator<Item = io::Result<Known>>,
    mut each: impl FnMut(Option<&Known>, Option<&Known>) -> io::Result<()>,
) -> io::Result<()> {
    let (mut olds, mut places) = (Vec::new(), HashMap::new());
    for old in old {
        let old = old?;
        places.entry(old.name.clone()).or_insert_with(|| {
            olds.push((old, false));
            olds.len() - 1
        });
    }
    for new in new {
        let new = new?;
        let place = places.get(&new.name).copied();
        place.iter().for_each(|&place| olds[place].1 = true);
        each(place.map(|place| &olds[place].0), Some(&new))?;
    }
    olds.iter().filter(|(_, is_joined)| !is_joined).try_for_each(|(old, _)| each(Some(old), None))
}
