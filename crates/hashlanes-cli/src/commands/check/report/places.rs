//! Compares files by where they are, whatever their names say: by the identity of the folder, and
//! the name in it.
//!
//! A listed file may be spelled in another way than the walk spells it: with an absolute name,
//! through a symbolic link to a folder, or with `..`. A file that is not listed is spelled as the
//! listed ones of its folder are, or of a folder above.
//!
//! An index of all places is made for the first file whose name is not listed. It takes some 50
//! bytes for each listed file, and reads the metadata of each folder once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use hashlanes_files::system::{self, FolderId, folder_id};

use super::table::Table;
use crate::options::base::{Base, path_of};
use crate::options::real::{RealPaths, or_here, real};

pub(super) struct Places<'t> {
    table: &'t Table,
    base: Option<&'t Base>,
    /// `None` until it is needed.
    index: Option<Index<'t>>,
    /// The folder that was looked up last.
    last: Option<(PathBuf, Option<FolderId>)>,
}

#[derive(Default)]
struct Index<'t> {
    /// The number of each folder, and how the manifest spells it.
    folders: HashMap<FolderId, (u32, Box<[u8]>)>,
    /// The item of each place: the number of a folder, and a name in it.
    items: HashMap<(u32, &'t [u8]), usize>,
}

impl<'t> Places<'t> {
    pub(super) fn new(table: &'t Table, base: Option<&'t Base>) -> Self {
        Self { table, base, index: None, last: None }
    }

    /// The item of the file at this path, if the file is listed under any name.
    pub(super) fn find(&mut self, path: &Path) -> Option<usize> {
        let id = self.folder_of(path)?;
        let name = system::name(Path::new(path.file_name()?)).into_owned();
        let index = self.index()?;
        let (folder, _) = index.folders.get(&id)?;
        index.items.get(&(*folder, &name[..])).copied()
    }

    /// The name of a file that is not listed, as the manifest spells its folder or one above.
    /// `None` if the manifest spells none of these.
    pub(super) fn spell(&mut self, path: &Path) -> Option<Vec<u8>> {
        let mut id = self.folder_of(path);
        let index = self.index()?;
        for above in path.ancestors().skip(1) {
            let folder = id.take().or_else(|| folder_id(or_here(above)).ok());
            if let Some((_, spelled)) = folder.and_then(|folder| index.folders.get(&folder)) {
                let below = system::name(path.strip_prefix(above).ok()?).into_owned();
                return Some([spelled, &below[..]].concat());
            }
        }
        None
    }

    fn folder_of(&mut self, path: &Path) -> Option<FolderId> {
        let folder = or_here(path.parent()?);
        if let Some((_, id)) = self.last.as_ref().filter(|(last, _)| last == folder) {
            return id.clone();
        }
        let id = folder_id(folder).ok();
        self.last = Some((folder.to_owned(), id.clone()));
        id
    }

    /// The index. `None` for objects, which have one name each.
    fn index(&mut self) -> Option<&Index<'t>> {
        if self.table.is_of_objects() {
            return None;
        }
        let (table, base) = (self.table, self.base);
        Some(self.index.get_or_insert_with(|| Index::new(table, base)))
    }
}

impl<'t> Index<'t> {
    fn new(table: &'t Table, base: Option<&Base>) -> Self {
        let mut index = Self::default();
        // The number of each folder as it is spelled, or `None` if there is no such folder.
        let mut known: HashMap<&[u8], Option<u32>> = HashMap::new();
        for item in 0..table.len() {
            let name = table.plain_name(item);
            let (folder, file) = split(name);
            let number = match known.get(folder) {
                Some(number) => *number,
                None => {
                    let number = index.add(folder, (table, item), base);
                    known.insert(folder, number);
                    number
                }
            };
            if let Some(number) = number {
                index.items.entry((number, file)).or_insert(item);
            }
        }
        // Folders above, which name others that have no listed file yet.
        let mut folders: Vec<&[u8]> = known.keys().copied().collect();
        folders.sort_unstable();
        for mut above in folders {
            while !above.is_empty() && above != b"/" {
                above = split(above.strip_suffix(b"/").unwrap_or(above)).0;
                if known.contains_key(above) {
                    break;
                }
                let item = table.with_prefix(above);
                let number = item.and_then(|item| index.add(above, (table, item), base));
                known.insert(above, number);
            }
        }
        if let Some(base) = base {
            // A manifest without files has this folder, too.
            index.insert(&base.resolve(PathBuf::new()), b"");
        }
        index
    }

    /// The number of a folder, as an item spells it.
    fn add(
        &mut self,
        folder: &[u8],
        (table, item): (&Table, usize),
        base: Option<&Base>,
    ) -> Option<u32> {
        let path = path_of(folder, base)?;
        let name = table.name(item);
        let rest = table.plain_name(item).len() - folder.len();
        self.insert(or_here(&path), &name[..name.len() - rest])
    }

    fn insert(&mut self, path: &Path, spelled: &[u8]) -> Option<u32> {
        let id = folder_id(path).ok()?;
        let next = self.folders.len() as u32;
        let (number, _) = self.folders.entry(id).or_insert_with(|| (next, spelled.into()));
        Some(*number)
    }
}

/// The folder of a name, with the slash at its end, and the rest of the name.
fn split(name: &[u8]) -> (&[u8], &[u8]) {
    name.split_at(name.iter().rposition(|byte| *byte == b'/').map_or(0, |at| at + 1))
}

/// The folder that is compared.
pub(super) struct Root {
    real: PathBuf,
    paths: RealPaths,
}

impl Root {
    pub(super) fn new(folder: &Path) -> Self {
        Self { real: real(folder), paths: RealPaths::default() }
    }

    /// Where the path is below the folder. `None` if it is elsewhere. Links to files are not
    /// followed.
    pub(super) fn below(&mut self, path: &Path) -> Option<PathBuf> {
        self.paths.of(path).strip_prefix(&self.real).ok().map(Path::to_owned)
    }
}
