//! What the last run with `--resume` knew of the files of a manifest, for `check`.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use hashlanes_files::manifest::{HashName, Time};
use hashlanes_files::replace::{Replacement, beside, is_of_other};
use hashlanes_files::system::{self, FolderId, folder_id};
use hashlanes_files::{Hashed, is_stdin};

use super::recorded::Recorded;
use super::seal::seal;
use super::state::{self, Damaged, Known, States};
use super::{DONE, JOURNAL, STATE, open};
use crate::options::real::{RealPaths, or_here};
use crate::url::is_url;

/// The name of what will replace `MANIFEST.resume`.
const NEW: &str = "new-resume";

/// The files that are recorded for a manifest. They are read when the first is asked for.
#[derive(Default)]
pub(crate) struct Remembered {
    manifest: Option<PathBuf>,
    functions: Vec<String>,
    files: HashMap<(FolderId, Vec<u8>), Known>,
}

impl Remembered {
    pub(crate) fn of(manifest: &Path) -> Self {
        let manifest = (!is_stdin(manifest)).then(|| manifest.to_owned());
        Self { manifest, ..Self::default() }
    }

    /// Whether a file that does not have these digests is damaged: nothing says that anybody wrote
    /// it. It still has the size and the time that are `recorded` with the digests in the manifest,
    /// or all that `--resume` has recorded with them.
    pub(crate) fn is_damaged(
        &mut self,
        path: &Path,
        recorded: Option<(u64, Time)>,
        digests: &[(HashName, &[u8])],
        hashed: &Hashed,
    ) -> bool {
        // What a store says of an object is no time of writing.
        let stamp = hashed.stamp.filter(|_| !hashed.is_changed && hashed.tag.is_none());
        let Some(stamp) = stamp else { return false };
        if let Some(recorded) = recorded {
            return recorded == (stamp.size, (stamp.seconds, stamp.nanoseconds));
        }
        self.read();
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let Ok(folder) = folder_id(or_here(folder)) else { return false };
        let name = system::name(Path::new(name)).into_owned();
        let Some(known) = self.files.get(&(folder, name)) else { return false };
        let has = |(function, digest): &(HashName, &[u8])| {
            let mut all = self.functions.iter().zip(&known.digests);
            all.any(|(name, known)| *name == *function.name() && known == digest)
        };
        let then = known.size.zip(known.modified);
        then == Some((stamp.size, (stamp.seconds, stamp.nanoseconds))) && digests.iter().all(has)
    }

    fn read(&mut self) {
        let Some(manifest) = self.manifest.take() else { return };
        // Without what is remembered, a file that differs has been changed, as far as is known.
        let Ok(Some(record)) = Record::of(&manifest) else { return };
        self.functions = record.recorded.algorithms;
        let mut last: Option<(PathBuf, FolderId)> = None;
        for mut known in record.states.map_while(Result::ok) {
            let Some(path) = path_of(&record.root, &known) else { continue };
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            if last.as_ref().is_none_or(|(last, _)| last != folder) {
                last = folder_id(folder).ok().map(|id| (folder.to_owned(), id));
            }
            let Some((_, id)) = &last else { continue };
            // The memory is needed for names and digests only.
            (known.line, known.name) = (Vec::new(), Vec::new());
            let name = system::name(Path::new(name)).into_owned();
            self.files.insert((id.clone(), name), known);
        }
    }
}

/// What is remembered of a manifest that nobody has changed since `--resume` wrote it.
pub(crate) struct Sealed(Record);

impl Sealed {
    /// `None` if nothing is remembered, or if it belongs to another state of the manifest.
    pub(crate) fn of(manifest: &Path) -> Option<Self> {
        let record = Record::of(manifest).ok()??;
        let sealed = seal(&mut File::open(manifest).ok()?).ok()?;
        (record.recorded.manifest == sealed).then_some(Self(record))
    }

    /// Keeps it for the new manifest that is in its place, except for what is remembered of these
    /// paths, and of an unfinished run as well.
    pub(crate) fn renew(
        self,
        replacement: &Replacement,
        outdated: &HashSet<PathBuf>,
    ) -> io::Result<()> {
        let Self(Record { recorded, root, states }) = self;
        let now = seal(&mut File::open(replacement.target())?)?;
        let now = Recorded { manifest: now, ..recorded.clone() }.line();
        let mut real = RealPaths::default();
        let mut write = |states: States| {
            let mut file = BufWriter::new(replacement.create_mine(NEW)?);
            file.write_all(&now)?;
            for known in states {
                let known = known?;
                let path = path_of(&root, &known).map(|path| real.of(&path));
                if path.is_none_or(|path| !outdated.contains(&path)) {
                    file.write_all(&known.line)?;
                    file.write_all(b"\n")?;
                }
            }
            file.into_inner().map_err(io::Error::from)
        };
        let file = write(states)?;
        replacement.put(NEW, &file, &beside(replacement.target(), STATE))?;
        for name in [DONE, JOURNAL] {
            let Some(file) = replacement.open(name)? else { continue };
            let mut states = States::new(file, &recorded, Damaged::default()).of_journal();
            if states.begin()? {
                write(states)?.sync_all()?;
                replacement.rename(NEW, name)?;
            }
        }
        Ok(())
    }
}

/// `MANIFEST.resume`.
struct Record {
    recorded: Recorded,
    /// The folder to which its names are relative.
    root: PathBuf,
    states: States,
}

impl Record {
    fn of(manifest: &Path) -> io::Result<Option<Self>> {
        let manifest = manifest.canonicalize()?;
        let Some(mut file) = open(&beside(&manifest, STATE))? else { return Ok(None) };
        // Another user's results are not believed.
        if is_of_other(&file.metadata()?) {
            return Ok(None);
        }
        let Some(recorded) = state::recorded(&file)? else { return Ok(None) };
        file.rewind()?;
        let here = recorded.here.as_deref().map_or(Some("."), unquoted);
        let (Some(folder), Some(here)) = (manifest.parent(), here) else { return Ok(None) };
        let root = folder.join(here);
        let mut states = States::new(file, &recorded, Damaged::default());
        Ok(states.begin()?.then_some(Self { recorded, root, states }))
    }
}

/// The path of a file. `None` for objects.
fn path_of(root: &Path, known: &Known) -> Option<PathBuf> {
    let path = system::path(known.name.clone()).ok()?;
    (!is_url(&path)).then(|| root.join(path))
}

/// A path as it was before it was quoted. `None` if it has characters that had to be coded.
fn unquoted(text: &str) -> Option<&str> {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
            return (!inner.contains(quote)).then_some(inner);
        }
    }
    Some(text)
}
