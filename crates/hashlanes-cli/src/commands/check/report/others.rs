//! Whether the digests of a manifest are of another function than its lines were taken for.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::vec;

use hashlanes_files::source::{Ahead, Stores, input};
use hashlanes_files::{Engine, Entry, Function, Kind, Outcome, Plan, Report, Settings, Source};

use super::table::Table;

/// The most files that are read again to find out.
pub(super) const FILES: usize = 100;

/// Whether any of these items has a digest that one of the functions gives its file.
pub(super) fn fit(
    functions: Vec<Function>,
    table: &Table,
    files: Vec<(usize, PathBuf)>,
    stores: Arc<dyn Stores>,
    settings: Settings<'_>,
) -> io::Result<bool> {
    let plan = Plan::from(functions.into_iter().map(Engine::new).collect::<Vec<_>>());
    let mut found = Found { table, fits: false };
    let again = Again { files: files.into_iter(), stores: Arc::clone(&stores) };
    hashlanes_files::hash_files(Ahead::new(again, stores), &[plan], &mut found, settings)?;
    Ok(found.fits)
}

/// Items with the paths of their files.
struct Again {
    files: vec::IntoIter<(usize, PathBuf)>,
    stores: Arc<dyn Stores>,
}

impl Source for Again {
    type Note = usize;

    fn next(&mut self) -> Option<Entry<usize>> {
        let (note, path) = self.files.next()?;
        let input = input(&path, Kind::Listed, &*self.stores);
        Some(Entry::named(path, input, 0, note))
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.files.len())
    }
}

struct Found<'t> {
    table: &'t Table,
    fits: bool,
}

impl Report<usize> for Found<'_> {
    fn file(&mut self, _: &Path, index: usize, outcome: Outcome) -> io::Result<()> {
        // What cannot be read proves nothing.
        let digests = outcome.map(|hashed| hashed.digests).unwrap_or_default();
        let is_listed =
            |digest: &[u8]| self.table.digests(index).any(|(_, listed)| listed == digest);
        self.fits |= digests.iter().any(|digest| is_listed(digest.as_bytes()));
        Ok(())
    }
}
