//! `hashlanes sum --resume MANIFEST`: continues where an earlier run ended.
//!
//! MANIFEST is what `sum` prints, in any format. `MANIFEST.resume` has what a later run needs: a
//! line with the options, and a line of JSON for each file with its size, times, number and
//! digests. A file for which all but the digests are unchanged is not read again.
//!
//! ```text
//! {"hashlanes sum --resume":2,"--algorithm":["sha256"],"--format":"text",..,"FILE":["tree"],..}
//! {"path":"tree/a","size":3,"mtime":"2026-11-22T12:27:23.1Z","digests":{"sha256":"ba7816bf.."},
//!  "ctime":"2026-11-22T12:27:23.1Z","inode":131}
//! ```
//!
//! Each object is followed by a check value of the line, and a line that does not match it is
//! ignored. The first line also has the SHA-256 of the manifest. If the manifest differs, because
//! somebody has edited or updated it, the remembered results are ignored, and all files are read.
//!
//! A run appends each file to a journal in the folder of a [`Replacement`]. At the end, the journal
//! is merged with the earlier results into both files, which are then renamed. If the run is
//! killed, the next one begins with such a merge, into the file [`DONE`]. So nothing is lost, and
//! neither file ever has a partial line.
//!
//! With `-r`, all of these are sorted in the order of the walk, and only the next line is held in
//! memory. Lists of files have any order, so their earlier results are held in a table.

mod changes;
mod doubt;
mod form;
mod kept;
mod listed;
mod merge;
mod missing;
mod partial;
mod recorded;
mod remembered;
mod seal;
mod state;

use std::fs::File;
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::SystemTime;

pub(crate) use changes::{Change, Tell};
use doubt::Doubt;
pub(crate) use form::Form;
use hashlanes_files::RegularFile;
use hashlanes_files::replace::{Own, Replacement, Replaces, beside, is_of_other};
pub(crate) use kept::Kept;
use merge::join;
use missing::Missing;
pub(crate) use missing::{Folder, Folders};
use partial::{PARTIAL, Partials};
pub(crate) use recorded::{Recorded, VERSION, shown};
pub(crate) use remembered::{Remembered, Sealed};
use seal::{no_seal, seal};
use state::{Damaged, States};
pub(crate) use state::{Known, KnownBy, complete_line, selection_of};

use crate::terminal::message::reason;

/// The suffix of the file with the results, after the name of the manifest.
pub(crate) const STATE: &str = ".resume";

/// The results of the current run.
const JOURNAL: &str = "journal";

/// The results of runs that did not finish, with all earlier results.
const DONE: &str = "done";

/// The results to be kept, until the manifest is in its place.
const FINISHED: &str = "finished";

/// A manifest that is being completed.
pub(crate) struct Resumed {
    recorded: Recorded,
    /// Whether the files are sorted by name.
    is_sorted: bool,
    state: PathBuf,
    replacement: Arc<Replacement>,
    /// Why the results of earlier runs are not used, if so.
    doubt: Option<Doubt>,
    damaged: Damaged,
    /// Whether damaged files get new digests.
    accepts_damaged: bool,
}

/// How the run went.
pub(crate) struct Outcome<'a> {
    /// Whether there was no error.
    pub(crate) is_clean: bool,
    /// Whether `--prune` was given.
    pub(crate) prune: bool,
    pub(crate) roots: &'a [PathBuf],
    pub(crate) form: &'a Form,
}

/// The outcome of the run.
pub(crate) struct Finished {
    /// Lines that were kept although their files were not found.
    pub(crate) kept: u64,
    /// Damaged lines of the earlier results, which were ignored.
    pub(crate) damaged: u64,
    /// Lines of the manifest that would be lost although their files may exist. If there are any,
    /// the manifest was not replaced.
    pub(crate) unsure: u64,
}

impl Resumed {
    /// Takes over the results of earlier runs.
    ///
    /// # Errors
    /// If the files cannot be read or written, if MANIFEST was not written by `--resume` with the
    /// same options, or if another run is in progress.
    pub(crate) fn begin(
        manifest: &Path,
        mut recorded: Recorded,
        is_sorted: bool,
        accepts_damaged: bool,
    ) -> Result<Self, String> {
        let of = |error: io::Error| reason(&error);
        let replacement = Arc::new(Replacement::begin(manifest, Replaces::Any).map_err(of)?);
        if recorded.here.is_some() {
            recorded.here = Some(recorded::way_from(replacement.target()).map_err(of)?);
        }
        let state = beside(replacement.target(), STATE);
        if let Some(mut manifest) = open(replacement.target()).map_err(of)? {
            recorded.manifest = seal(&mut manifest).map_err(of)?;
        }
        let damaged = Damaged::default();
        let doubt = None;
        let mut begun =
            Self { recorded, is_sorted, state, replacement, doubt, damaged, accepts_damaged };
        begun.complete().map_err(of)?;
        begun.check()?;
        begun.take_over().map_err(of)?;
        Ok(begun)
    }

    /// Why all files are read, if they are.
    pub(crate) fn doubt(&self) -> Option<Doubt> {
        self.doubt
    }

    /// Completes a run that was killed after its manifest was in its place.
    fn complete(&self) -> io::Result<()> {
        let Some(file) = self.replacement.open(FINISHED)? else { return Ok(()) };
        if self.states(file.try_clone()?, false)?.is_none() {
            return self.replacement.remove(FINISHED);
        }
        self.put_state(&file)
    }

    fn put_state(&self, file: &File) -> io::Result<()> {
        put_results(&self.replacement, FINISHED, file)?;
        // In this order, so that a run that starts in between finds all results: those in DONE are
        // older.
        self.replacement.remove(DONE)?;
        self.replacement.remove(PARTIAL)?;
        self.replacement.remove(JOURNAL)
    }

    /// Rejects what this run could not have written, and drops results that belong to another
    /// manifest.
    fn check(&mut self) -> Result<(), String> {
        let of = |error: io::Error| reason(&error);
        let of_state = |error| format!("{}: {}", shown(&self.state), reason(&error));
        let (mut is_known, mut outdated) = (false, Vec::new());
        for name in [None, Some(DONE), Some(JOURNAL)] {
            let file = match name {
                None => open(&self.state).map_err(of_state),
                Some(name) => self.replacement.open(name).map_err(of),
            };
            let Some(file) = file? else { continue };
            // The others are in a folder that only this user may write into.
            let is_of_other = name.is_none() && is_of_other(&file.metadata().map_err(of)?);
            let Some(then) = state::recorded(file).map_err(of_state)? else { continue };
            is_known = true;
            self.compare(&then)?;
            if is_of_other {
                self.doubt = Some(Doubt::OfOther);
            }
            if then.manifest != self.recorded.manifest {
                outdated.push(name);
            }
        }
        let exists = self.replacement.target().exists();
        if exists && !is_known {
            let state = shown(&self.state);
            return Err(format!(
                "not written by --resume: there is no {state} with sizes and times of files"
            ));
        }
        if exists && !outdated.is_empty() {
            self.doubt = Some(Doubt::Changed);
        }
        for name in outdated.into_iter().flatten() {
            self.replacement.remove(name).map_err(of)?;
        }
        Ok(())
    }

    /// Rejects results that were written with other options.
    fn compare(&self, then: &Recorded) -> Result<(), String> {
        let differences = then.differences(&self.recorded);
        if differences.is_empty() {
            return Ok(());
        }
        let (manifest, state) = (shown(self.replacement.target()), shown(&self.state));
        let folder = shown(self.replacement.folder());
        Err(format!(
            "written with other options: {differences}. Give the same options or another \
             manifest; to start over, remove {manifest}, {state} and {folder}"
        ))
    }

    /// Adds the results of an unfinished run to the earlier ones.
    fn take_over(&self) -> io::Result<()> {
        if let Some(journal) = self.journaled()? {
            let name = "new-done";
            let mut done = BufWriter::new(self.replacement.create_mine(name)?);
            done.write_all(&self.recorded.line())?;
            self.merge(
                self.known(true)?.into_iter().flatten(),
                journal,
                |_| true,
                |known, _| {
                    done.write_all(&known.line)?;
                    done.write_all(b"\n")
                },
            )?;
            done.into_inner()?.sync_all()?;
            self.replacement.rename(name, DONE)?;
        }
        Ok(())
    }

    /// The results in a file, unless its first line is truncated or belongs to another manifest.
    fn states(&self, file: File, is_counted: bool) -> io::Result<Option<States>> {
        let damaged = if is_counted { self.damaged.clone() } else { Damaged::default() };
        let mut states = States::new(file, &self.recorded, damaged);
        Ok(states.begin()?.then_some(states))
    }

    /// The results in the journal.
    fn journaled(&self) -> io::Result<Option<States>> {
        let journal = self.replacement.open(JOURNAL)?;
        let states = journal.and_then(|file| self.states(file, true).transpose()).transpose()?;
        Ok(states.map(States::of_journal))
    }

    /// The results before this run.
    fn known(&self, is_counted: bool) -> io::Result<Option<States>> {
        let done = self.replacement.open(DONE)?;
        let file = match done {
            Some(done) => Some(done),
            // Whoever removes the manifest wants all files to be read.
            None if !self.replacement.target().exists() => None,
            None if self.doubt == Some(Doubt::OfOther) => None,
            None => open(&self.state)?,
        };
        file.and_then(|file| self.states(file, is_counted).transpose()).transpose()
    }

    /// Creates the journal, to which lines are written.
    pub(crate) fn journal(&self) -> io::Result<File> {
        let mut journal = self.replacement.create_mine(JOURNAL)?;
        journal.write_all(&self.recorded.line())?;
        Ok(journal)
    }

    /// The states of files that earlier runs did not finish. Those of this run's files are kept
    /// after each `interval` of bytes.
    pub(crate) fn partials(
        &self,
        begin: SystemTime,
        interval: u64,
        is_quiet: bool,
    ) -> io::Result<Arc<Partials>> {
        Partials::open(self.replacement.clone(), begin, interval, is_quiet).map(Arc::new)
    }

    /// The results before this run, to look up each file.
    pub(crate) fn kept(&self) -> io::Result<Kept> {
        Kept::new(self.known(false)?, self.is_sorted, self.own()?.and(Own::outputs()))
    }

    fn own(&self) -> io::Result<Own> {
        Own::new(self.replacement.target(), &[STATE])
    }

    /// Puts the complete manifest in its place. `header` and `write` produce its bytes. `write`
    /// gets each result, and whether the file is damaged.
    pub(crate) fn finish(
        self,
        outcome: &Outcome<'_>,
        header: &[u8],
        mut write: impl FnMut(&Known, bool, &mut Vec<u8>) -> io::Result<()>,
        tell: Option<&mut Tell<'_>>,
    ) -> io::Result<Finished> {
        let mut manifest = BufWriter::new(self.replacement.create("new")?);
        let mut state = BufWriter::new(self.replacement.create_mine(FINISHED)?);
        manifest.write_all(header)?;
        state.write_all(&Recorded { manifest: no_seal(), ..self.recorded.clone() }.line())?;
        let mut journal = self.journaled()?.into_iter().flatten().peekable();
        let mut missing = Missing {
            is_clean: outcome.is_clean && journal.peek().is_some(),
            prune: outcome.prune,
            folders: Folders::new(outcome.roots, Some(self.own()?)),
            kept: 0,
        };
        let mut lines = Vec::new();
        let (known, witnesses) = (self.known(true)?, self.witnesses(outcome)?);
        let is_known = known.is_some();
        let known = known.into_iter().flatten();
        self.merge(
            known.chain(witnesses.filter(|_| !is_known)),
            journal,
            |name| is_known && missing.stays(name),
            |known, is_damaged| {
                lines.clear();
                write(known, is_damaged, &mut lines)?;
                manifest.write_all(&lines)?;
                state.write_all(&known.line)?;
                state.write_all(b"\n")
            },
        )?;
        let (mut manifest, state) = (manifest.into_inner()?, state.into_inner()?);
        let (kept, damaged) = (missing.kept, self.damaged.load(Ordering::Relaxed));
        let is_sure = self.doubt.is_none() && damaged == 0;
        let unsure = if is_sure { 0 } else { self.unsure(&manifest, outcome, &mut missing)? };
        if unsure > 0 {
            self.replacement.remove(FINISHED)?;
        } else {
            if let Some(tell) = tell {
                self.changes(state.try_clone()?, tell)?;
            }
            self.put(&mut manifest, state)?;
        }
        Ok(Finished { kept, damaged, unsure })
    }

    /// Tells how the new results differ from those of the last run that was complete.
    fn changes(&self, mut new: File, tell: &mut Tell<'_>) -> io::Result<()> {
        let states = |file| {
            let mut states = States::new(file, &self.recorded, Damaged::default());
            // The line belongs to another manifest, or to one that is not complete.
            states.begin().map(|_| states)
        };
        let old = open(&self.state)?.filter(|_| self.doubt != Some(Doubt::OfOther));
        let old = old.map(states).transpose()?.into_iter().flatten();
        new.rewind()?;
        let new = states(new)?;
        changes::tell(old, new, self.is_sorted, tell)
    }

    fn put(&self, manifest: &mut File, mut state: File) -> io::Result<()> {
        refuse_other(&self.state)?;
        let sealed = Recorded { manifest: seal(manifest)?, ..self.recorded.clone() };
        state.rewind()?;
        state.write_all(&sealed.line())?;
        // Before the manifest, so that a run that starts in between can complete this.
        state.sync_all()?;
        self.replacement.put("new", manifest, self.replacement.target())?;
        self.put_state(&state)
    }

    /// Produces each file of the journal, and files with earlier results only if they are kept. A
    /// damaged file keeps its earlier result: its digest is the only witness of what was there.
    fn merge(
        &self,
        known: impl Iterator<Item = io::Result<Known>>,
        journal: impl Iterator<Item = io::Result<Known>>,
        mut stays: impl FnMut(&[u8]) -> bool,
        mut each: impl FnMut(&Known, bool) -> io::Result<()>,
    ) -> io::Result<()> {
        join(known, journal, self.is_sorted, |earlier, new| match (earlier, new) {
            (Some(earlier), None) if stays(&earlier.name) => each(earlier, false),
            (_, None) => Ok(()),
            (earlier, Some(new)) => {
                let damaged = earlier.filter(|earlier| new.is_damaged_since(earlier));
                let kept = damaged.filter(|_| !self.accepts_damaged);
                each(kept.unwrap_or(new), damaged.is_some())
            }
        })
    }
}

/// Moves a file to MANIFEST.resume, unless another program has made a file there.
fn put_results(replacement: &Replacement, name: &str, file: &File) -> io::Result<()> {
    let place = beside(replacement.target(), STATE);
    refuse_other(&place)?;
    replacement.put(name, file, &place)
}

/// Fails if there is a file that `--resume` has not written.
fn refuse_other(state: &Path) -> io::Result<()> {
    let read = open(state).and_then(|file| file.map(state::recorded).transpose());
    let of = |error| io::Error::other(format!("{}: {}", shown(state), reason(&error)));
    read.map(drop).map_err(of)
}

/// `None` if there is no file. Anything but a regular one, such as a FIFO, is an error.
fn open(path: &Path) -> io::Result<Option<File>> {
    match RegularFile::open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        opened => Ok(Some(opened?.into_file())),
    }
}
