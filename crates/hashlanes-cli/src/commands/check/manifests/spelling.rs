//! `--strip` and `--fix-names`: names that are written in another way than those of the files here.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use hashlanes_files::name::fold;
use hashlanes_files::system;

use crate::options::base::{Base, path_of};
use crate::options::real::or_here;

/// The most folders whose names are kept.
const MAX_FOLDERS: usize = 1000;

/// How names are changed before they are looked up.
#[derive(clap::Args, Clone, Debug, Default)]
#[command(next_help_heading = "Names")]
pub(in crate::commands) struct Spelling {
    /// Take the first N parts off each name, or all but the last one: `--strip 2` makes c of /a/b/c
    #[arg(long, value_name = "N|all", value_parser = strip, conflicts_with = "update")]
    strip: Option<usize>,

    /// If no file has a name, take the one whose name differs only in `\` for `/`, in its Unicode
    /// normal form, or in the case of letters, if there is exactly one
    #[arg(long, conflicts_with = "update")]
    fix_names: bool,

    #[arg(skip)]
    found: Finder,

    /// Names of a bag are found whatever their form and case, as RFC 8493 suggests, and are said.
    #[arg(skip)]
    is_of_bag: bool,

    /// A bag before version 1.0 may list a file in several normal forms.
    #[arg(skip)]
    is_of_old_bag: bool,

    /// How many names were changed, and one of them.
    #[arg(skip)]
    pub(in crate::commands) changed: (u64, Vec<u8>),
}

fn strip(text: &str) -> Result<usize, String> {
    let number = if text == "all" { Some(usize::MAX) } else { text.parse().ok() };
    number.ok_or_else(|| "expected a number of parts, or all".into())
}

impl Spelling {
    /// The name to look up in the base. `is_free` tells whether the first name, of a file that was
    /// found, may be the second one in another spelling.
    pub(in crate::commands) fn of(
        &mut self,
        name: Vec<u8>,
        base: Option<&Base>,
        is_free: &mut dyn FnMut(&[u8], &[u8]) -> bool,
    ) -> Vec<u8> {
        let count = self.strip.unwrap_or(0);
        if name == b"-" || count == 0 && !self.is_folding() {
            return name;
        }
        if !self.is_folding() {
            return stripped(&name, count).to_vec();
        }
        let is_old = self.is_of_old_bag;
        let spellings = self.exact(&name);
        let found = spellings.iter().find_map(|name| {
            let found = self.found.find(name, base)?;
            let is_one = found == *name || is_old && fold(&found, false) == fold(name, false);
            (is_one || is_free(&found, name)).then_some(found)
        });
        let [plain, _] = spellings;
        let Some(found) = found else { return plain };
        if found != plain {
            self.changed = (self.changed.0 + 1, plain);
        }
        found
    }

    /// Whether files are found whose names differ in normal form or case.
    pub(in crate::commands) fn is_folding(&self) -> bool {
        self.fix_names || self.is_of_bag
    }

    /// A name as it is, and with other slashes, if these count.
    pub(in crate::commands) fn exact(&self, name: &[u8]) -> [Vec<u8>; 2] {
        let count = self.strip.unwrap_or(0);
        let plain = stripped(name, count).to_vec();
        let slashes = match self.fix_names {
            true => stripped(&with_slashes(name), count).to_vec(),
            false => plain.clone(),
        };
        [plain, slashes]
    }

    /// How names of a bag are changed.
    pub(in crate::commands) fn of_bag(&self, is_of_old_bag: bool) -> Self {
        Self { is_of_bag: true, is_of_old_bag, ..self.clone() }
    }
}

/// A name without its first parts, but with the last one.
pub(in crate::commands) fn stripped(name: &[u8], count: usize) -> &[u8] {
    let mut rest = name;
    for _ in 0..count {
        // Slashes at the beginning belong to the first part.
        let slashes = rest.iter().take_while(|byte| **byte == b'/').count();
        let Some(part) = rest[slashes..].iter().position(|byte| *byte == b'/') else { break };
        let after = &rest[slashes + part..];
        rest = &after[after.iter().take_while(|byte| **byte == b'/').count()..];
    }
    // `all` of `/a` is `a`.
    let is_all = count == usize::MAX;
    let slashes = rest.iter().take_while(|byte| is_all && **byte == b'/').count();
    &rest[slashes..]
}

/// A name of Windows with `/` between its parts, without the letter of a drive.
pub(in crate::commands) fn with_slashes(name: &[u8]) -> Vec<u8> {
    let drive = matches!(name, [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
    let name = if drive { &name[2..] } else { name };
    name.iter().map(|byte| if *byte == b'\\' { b'/' } else { *byte }).collect()
}

/// Finds files whose names differ in normal form or case.
#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct Finder {
    /// The names in each folder, by their folded ones. Folders with the most names take some 100
    /// bytes for each.
    folders: HashMap<PathBuf, HashMap<Vec<u8>, Vec<Vec<u8>>>>,
}

impl Finder {
    /// The name of the file that this name means, if there is exactly one.
    pub(in crate::commands) fn find(
        &mut self,
        name: &[u8],
        base: Option<&Base>,
    ) -> Option<Vec<u8>> {
        let mut found: Vec<u8> = Vec::with_capacity(name.len());
        let there = |name: &[u8]| path_of(name, base);
        if fs::symlink_metadata(there(name)?).is_ok() {
            return Some(name.to_vec());
        }
        for (number, part) in name.split(|byte| *byte == b'/').enumerate() {
            let folder = there(&found)?;
            if number > 0 {
                found.push(b'/');
            }
            let before = found.len();
            found.extend(part);
            if fs::symlink_metadata(there(&found)?).is_ok() {
                continue;
            }
            found.truncate(before);
            found.extend(self.in_folder(or_here(&folder), part)?);
        }
        Some(found)
    }

    fn in_folder(&mut self, folder: &Path, part: &[u8]) -> Option<Vec<u8>> {
        if self.folders.len() >= MAX_FOLDERS {
            self.folders.clear();
        }
        let names = self.folders.entry(folder.to_owned()).or_insert_with(|| {
            let mut names: HashMap<_, Vec<_>> = HashMap::new();
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = system::name(Path::new(&entry.file_name())).into_owned();
                names.entry(fold(&name, true)).or_default().push(name);
            }
            names
        });
        let alike = names.get(&fold(part, true))?;
        // Of names that differ in case only, the one with the same letters.
        let form = fold(part, false);
        let mut same = alike.iter().filter(|name| fold(name, false) == form);
        match (same.next(), same.next(), &alike[..]) {
            (Some(one), None, _) | (None, _, [one]) => Some(one.clone()),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_taken_off_the_beginning() {
        for (name, count, rest) in [
            ("/home/x/a", 0, "/home/x/a"),
            ("/home/x/a", 1, "x/a"),
            ("home/x/a", 1, "x/a"),
            ("/home/x/a", 2, "a"),
            ("home//x/a", 9, "a"),
            ("./a", 1, "a"),
            ("a", 1, "a"),
        ] {
            assert_eq!(stripped(name.as_bytes(), count), rest.as_bytes(), "{name}");
        }
        assert_eq!(with_slashes(b"C:\\x\\a"), b"/x/a");
        assert_eq!(with_slashes(b".\\a"), b"./a");
    }
}
