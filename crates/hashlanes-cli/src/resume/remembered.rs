//! What the last run with `--resume` knew of the files of a manifest, for `check`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use hashlanes_files::manifest::{Digits, Format, HashName, Time, Writer, Written};
use hashlanes_files::replace::{Replacement, beside, is_of_other};
use hashlanes_files::system::{self, FolderId, Stamp, folder_id};
use hashlanes_files::{Digest, Hashed, is_stdin};

use super::recorded::Recorded;
use super::seal::seal;
use super::state::{self, Damaged, Known, KnownBy, States, complete_line};
use super::{DONE, JOURNAL, STATE, open, put_results};
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
        for mut known in record.states.into_iter().flatten().map_while(Result::ok) {
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
pub(crate) struct Sealed {
    record: Record,
    /// When it was read, before any file.
    begin: SystemTime,
}

/// A file as an update has read it.
type Updated<'u> = Written<'u, Digest>;

impl Sealed {
    /// `None` if nothing is remembered, or if it belongs to another state of the manifest.
    pub(crate) fn of(manifest: &Path) -> Option<Self> {
        let record = Record::of(manifest).ok()??;
        let sealed = seal(&mut File::open(manifest).ok()?).ok()?;
        let begin = SystemTime::now();
        (record.recorded.manifest == sealed).then_some(Self { record, begin })
    }

    /// Whether digests are of these functions.
    pub(crate) fn has(&self, functions: &[HashName]) -> bool {
        let names = self.record.recorded.algorithms.iter().map(String::as_str);
        functions.iter().map(|function| function.name()).eq(names)
    }

    /// The line of a file. The next run reads the file again.
    fn line(&self, file: &Updated<'_>) -> Option<Vec<u8>> {
        let names = self.record.recorded.algorithms.iter();
        let functions = names.map(|name| HashName::named(name)).collect::<Option<_>>()?;
        let (format, digits, zero, binary) = (Format::Json, Digits::Hex, false, false);
        let mut line = Vec::new();
        Writer { format, functions, digits, zero, binary }.file(file, &mut line).ok()?;
        let stamp = file.size.zip(file.modified).map(|(size, time)| Stamp::of_object(size, time));
        let is_settled = stamp.is_some_and(|stamp| stamp.is_settled(self.begin));
        complete_line(&mut line, 0, if is_settled { KnownBy::Written } else { KnownBy::Nothing });
        Some(line)
    }

    /// The lines of new files, under the names that a later run will give them, which are sorted.
    fn lines(&self, added: Vec<Updated<'_>>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let recorded = &self.record.recorded;
        let base = recorded.base.as_deref().map(unquoted);
        let lines = added.into_iter().filter_map(|file| {
            let name = match base {
                None => file.name.to_vec(),
                Some(base) => {
                    let base = base?.trim_end_matches('/').as_bytes();
                    [base, b"/", file.name].concat()
                }
            };
            let is_below = |root: &String| {
                let root = unquoted(root).map(|root| root.trim_end_matches('/').as_bytes());
                root.and_then(|root| name.strip_prefix(root)).is_some_and(|it| it.starts_with(b"/"))
            };
            let is_found = recorded.recursive && recorded.roots.iter().any(is_below);
            let line = self.line(&Written { name: &name, ..file }).filter(|_| is_found)?;
            Some((name, line))
        });
        let mut lines: Vec<_> = lines.collect();
        lines.sort();
        lines
    }

    /// Keeps it for the new manifest that is in its place, with what an update has read of files
    /// instead of what is remembered of their paths. Without that, it forgets them. `added` are
    /// files that had no lines.
    pub(crate) fn renew(
        mut self,
        replacement: &Replacement,
        renewed: &HashMap<PathBuf, Option<Updated<'_>>>,
        added: Vec<Updated<'_>>,
    ) -> io::Result<()> {
        let (mut added, states) = (self.lines(added), self.record.states.take());
        let Record { recorded, root, .. } = &self.record;
        let now = seal(&mut File::open(replacement.target())?)?;
        let now = Recorded { manifest: now, ..recorded.clone() }.line();
        let mut real = RealPaths::default();
        let mut write = |states: Option<States>, added: Vec<(Vec<u8>, Vec<u8>)>| {
            let mut added = added.into_iter().peekable();
            let mut file = BufWriter::new(replacement.create_mine(NEW)?);
            file.write_all(&now)?;
            for known in states.into_iter().flatten() {
                let known = known?;
                while let Some((_, line)) = added.next_if(|(name, _)| *name < known.name) {
                    file.write_all(&line)?;
                }
                let path = path_of(root, &known).map(|path| real.of(&path));
                match path.and_then(|path| renewed.get(&path)) {
                    None => {
                        file.write_all(&known.line)?;
                        file.write_all(b"\n")?;
                    }
                    Some(None) => {}
                    Some(Some(content)) => {
                        let line = self.line(&Written { name: &known.name, ..*content });
                        file.write_all(&line.unwrap_or_default())?;
                    }
                }
            }
            added.try_for_each(|(_, line)| file.write_all(&line))?;
            file.into_inner().map_err(io::Error::from)
        };
        let file = write(states, std::mem::take(&mut added))?;
        put_results(replacement, NEW, &file)?;
        for name in [DONE, JOURNAL] {
            let Some(file) = replacement.open(name)? else { continue };
            let mut states = States::new(file, recorded, Damaged::default()).of_journal();
            if states.begin()? {
                write(Some(states), Vec::new())?.sync_all()?;
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
    /// `None` once they have been taken.
    states: Option<States>,
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
        Ok(states.begin()?.then_some(Self { recorded, root, states: Some(states) }))
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
