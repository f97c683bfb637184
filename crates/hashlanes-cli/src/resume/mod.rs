//! `hashlanes sum --resume MANIFEST`: goes on where an earlier run ended.
//!
//! MANIFEST is what `sum` prints, in any format. What a later run needs is in `MANIFEST.resume`: a
//! line with the options, and a line of JSON for each file, with its size, its time and its
//! digests. A file that still has this size and time is not read.
//!
//! ```text
//! {"hashlanes sum --resume":1,"--algorithm":["sha256"],"--format":"text",..,"FILE":["tree"],..}
//! {"path":"tree/a","size":3,"mtime":"2026-11-22T12:27:23.1Z","digests":{"sha256":"ba7816bf.."}}
//! ```
//!
//! A run appends each file to a journal in the folder of a [`Replacement`]. At the end the journal
//! is merged with what was known before, and gives both files, which are renamed. If the run is
//! killed, the next one begins with such a merge, into the file [`DONE`]. So nothing is lost, and
//! neither file ever has half a line.
//!
//! With `-r` all of these are sorted as the walk is, and nothing is held in memory but the next
//! line. Lists of files come in any order, so what is known of them is held in a table.

mod kept;
mod missing;
mod recorded;
mod state;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use hashlanes_files::replace::{Own, Replacement, beside};
pub(crate) use kept::Kept;
use missing::Missing;
pub(crate) use recorded::{Recorded, VERSION, shown};
pub(crate) use state::Known;
use state::States;

use crate::options::walk::Selection;
use crate::terminal::message::reason;

/// What the name of the file has more than that of the manifest.
pub(crate) const STATE: &str = ".resume";

/// What the current run has done.
const JOURNAL: &str = "journal";

/// What runs that did not come to their end have done, with all that was known before.
const DONE: &str = "done";

/// A manifest that is being completed.
pub(crate) struct Resumed {
    recorded: Recorded,
    /// The files come in the order of their names.
    is_sorted: bool,
    state: PathBuf,
    replacement: Replacement,
}

/// How the run went.
pub(crate) struct Outcome<'a> {
    /// There was no error.
    pub(crate) is_clean: bool,
    /// `--prune` was given.
    pub(crate) prune: bool,
    pub(crate) roots: &'a [PathBuf],
}

impl Resumed {
    /// Takes what earlier runs have done.
    ///
    /// # Errors
    /// If the files cannot be read or written, if MANIFEST was not written by `--resume` with the
    /// same options, or if another run is at work.
    pub(crate) fn begin(
        manifest: &Path,
        mut recorded: Recorded,
        is_sorted: bool,
    ) -> Result<Self, String> {
        let of = |error: io::Error| reason(&error);
        let replacement = Replacement::begin(manifest).map_err(of)?;
        if recorded.here.is_some() {
            recorded.here = Some(recorded::way_from(replacement.target()).map_err(of)?);
        }
        let state = beside(replacement.target(), STATE);
        let begun = Self { recorded, is_sorted, state, replacement };
        begun.check()?;
        begun.take_over().map_err(of)?;
        Ok(begun)
    }

    /// Refuses what this run could not have written.
    fn check(&self) -> Result<(), String> {
        let mut is_known = false;
        let in_folder = |name| self.replacement.open(name);
        let files = [open(&self.state), in_folder(DONE), in_folder(JOURNAL)];
        for file in files {
            let Some(file) = file.map_err(|error| reason(&error))? else { continue };
            let then = state::recorded(file)
                .map_err(|error| format!("{}: {error}", shown(&self.state)))?;
            let Some(then) = then else { continue };
            is_known = true;
            let differences = then.differences(&self.recorded);
            if !differences.is_empty() {
                let (manifest, state) = (shown(self.replacement.target()), shown(&self.state));
                let folder = shown(self.replacement.folder());
                return Err(format!(
                    "written with other options: {differences}. Give the same options, or name \
                     another manifest; to begin anew, remove {manifest}, {state} and {folder}"
                ));
            }
        }
        if self.replacement.target().exists() && !is_known {
            let state = shown(&self.state);
            return Err(format!(
                "not written by --resume: there is no {state} that tells sizes and times of files"
            ));
        }
        Ok(())
    }

    /// Adds what a run has done that did not come to its end to what was known.
    fn take_over(&self) -> io::Result<()> {
        let journal = self.replacement.open(JOURNAL)?;
        if let Some(journal) = journal.and_then(|file| self.states(file).transpose()).transpose()? {
            let name = "new-done";
            let mut done = BufWriter::new(self.replacement.create(name)?);
            done.write_all(&self.recorded.line())?;
            self.merge(
                journal,
                |_| true,
                |known| {
                    done.write_all(&known.line)?;
                    done.write_all(b"\n")
                },
            )?;
            done.into_inner()?.sync_all()?;
            self.replacement.rename(name, DONE)?;
        }
        Ok(())
    }

    /// The files of one that was left, unless its first line is cut.
    fn states(&self, file: File) -> io::Result<Option<States>> {
        let mut states = States::new(file, &self.recorded);
        Ok(states.begin()?.then_some(states))
    }

    /// What was known before this run.
    fn known(&self) -> io::Result<Option<States>> {
        let done = self.replacement.open(DONE)?;
        let file = match done {
            Some(done) => Some(done),
            // Whoever removes the manifest wants all files to be read.
            None if !self.replacement.target().exists() => None,
            None => open(&self.state)?,
        };
        file.and_then(|file| self.states(file).transpose()).transpose()
    }

    /// Begins the journal, where the lines go.
    pub(crate) fn journal(&self) -> io::Result<File> {
        let mut journal = self.replacement.create(JOURNAL)?;
        journal.write_all(&self.recorded.line())?;
        Ok(journal)
    }

    /// What was known before this run, to be asked for each file.
    pub(crate) fn kept(&self) -> io::Result<Kept> {
        Kept::new(self.known()?, self.is_sorted, self.own()?)
    }

    fn own(&self) -> io::Result<Own> {
        Own::new(self.replacement.target(), &[STATE])
    }

    /// Puts the complete manifest in its place. `header` and `write` make its bytes. Tells how many
    /// lines were kept though their files were not found.
    pub(crate) fn finish(
        self,
        outcome: &Outcome<'_>,
        header: &[u8],
        mut write: impl FnMut(&Known, &mut Vec<u8>) -> io::Result<()>,
    ) -> io::Result<u64> {
        let journal = self.replacement.open(JOURNAL)?;
        let journal = journal.and_then(|file| self.states(file).transpose()).transpose()?;
        let mut manifest = BufWriter::new(self.replacement.create("new")?);
        let mut state = BufWriter::new(self.replacement.create("new-state")?);
        manifest.write_all(header)?;
        state.write_all(&self.recorded.line())?;
        let mut journal = journal.into_iter().flatten().peekable();
        let mut missing = Missing {
            is_clean: outcome.is_clean && journal.peek().is_some(),
            prune: outcome.prune,
            roots: outcome.roots,
            own: self.own()?,
            last: None,
            kept: 0,
        };
        let mut lines = Vec::new();
        self.merge(
            journal,
            |name| missing.stays(name),
            |known| {
                lines.clear();
                write(known, &mut lines)?;
                manifest.write_all(&lines)?;
                state.write_all(&known.line)?;
                state.write_all(b"\n")
            },
        )?;
        let (manifest, state) = (manifest.into_inner()?, state.into_inner()?);
        self.replacement.put("new", &manifest, self.replacement.target())?;
        self.replacement.put("new-state", &state, &self.state)?;
        // In this order, so that a run in between finds all: what is in DONE is older.
        self.replacement.remove(DONE)?;
        self.replacement.remove(JOURNAL)?;
        Ok(missing.kept)
    }

    /// Gives each file of the journal, and those that were only known before if they stay.
    fn merge(
        &self,
        journal: impl Iterator<Item = io::Result<Known>>,
        stays: impl FnMut(&[u8]) -> bool,
        each: impl FnMut(&Known) -> io::Result<()>,
    ) -> io::Result<()> {
        let known = self.known()?.into_iter().flatten();
        if self.is_sorted {
            merge_sorted(known, journal, stays, each)
        } else {
            append(known, journal, stays, each)
        }
    }
}

/// Merges two sorted sequences. The journal is newer.
fn merge_sorted(
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

/// Gives the journal, and then what it lacks.
fn append(
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

fn open(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => opened.map(Some),
    }
}

/// Which files the last run with `--resume` took for this manifest, if there was one.
///
/// # Errors
/// If there was one and what it recorded is damaged or cannot be read: the path, and the reason.
pub(crate) fn selection_of(manifest: &Path) -> Result<Option<Selection>, (PathBuf, String)> {
    let Ok(manifest) = manifest.canonicalize() else { return Ok(None) };
    let state = beside(&manifest, STATE);
    let recorded = match open(&state) {
        Ok(None) => return Ok(None),
        Ok(Some(file)) => state::recorded(file),
        Err(error) => Err(error),
    };
    match recorded {
        Ok(Some(recorded)) => Ok(Some(recorded.selection)),
        Ok(None) => Err((state, "its first line is cut".into())),
        Err(error) => Err((state, reason(&error))),
    }
}
