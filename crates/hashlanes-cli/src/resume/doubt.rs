//! Why results of earlier runs are not used, and what is done without them.

use std::collections::HashSet;
use std::fmt;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, BufReader};

use hashlanes_files::manifest::{Record, Records};

use super::listed::Listed;
use super::missing::Missing;
use super::state::{Damaged, Known, States};
use super::{Outcome, Resumed, open};
use crate::options::base::path_of;

/// Why the results of earlier runs are not used: all files are read again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// The manifest differs from what the last run wrote.
    Changed,
    /// Another user has written the results.
    OfOther,
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Changed => "changed since --resume wrote it; all files are read again",
            Self::OfOther => "MANIFEST.resume belongs to another user; all files are read again",
        })
    }
}

impl Resumed {
    /// Results for the manifest before somebody changed it, of which it still has the lines. They
    /// are not used in place of reading files, but show which ones are damaged.
    pub(super) fn witnesses(
        &self,
        outcome: &Outcome<'_>,
    ) -> io::Result<impl Iterator<Item = io::Result<Known>>> {
        let states = match (self.doubt, open(&self.state)?) {
            (Some(Doubt::Changed), Some(file)) => {
                let mut states = States::new(file, &self.recorded, Damaged::default());
                // The first line has the SHA-256 of the manifest as it was.
                states.begin()?;
                Some(states)
            }
            _ => None,
        };
        let manifest = states.as_ref().map(|_| open(self.replacement.target())).transpose()?;
        let form = outcome.form;
        let lines = Lines::of(manifest.flatten(), if form.writer.zero { 0 } else { b'\n' })?;
        let is_listed = move |known: &Known| {
            let mut written = Vec::new();
            // A file whose name cannot be written has no lines.
            form.line(known, &mut written).is_ok() && lines.have(&written)
        };
        let states = states.into_iter().flatten();
        Ok(states.filter(move |known| known.as_ref().map_or(true, &is_listed)))
    }

    /// How many names of the manifest are missing in the new one although their files may exist.
    pub(super) fn unsure(
        &self,
        new: &File,
        outcome: &Outcome<'_>,
        missing: &mut Missing<'_>,
    ) -> io::Result<u64> {
        let Some(old) = open(self.replacement.target())? else { return Ok(0) };
        let listed = |file| Listed::new(file, &outcome.form.writer);
        let names = listed(old)?.without(listed(new.try_clone()?)?)?;
        let may_be_there = |name: &Vec<u8>| {
            path_of(name, outcome.form.base.as_ref())
                .is_some_and(|path| missing.may_be_there(&path))
        };
        Ok(names.iter().map(may_be_there).map(u64::from).sum())
    }
}

/// The lines of a manifest, by their hashes.
struct Lines {
    hashes: HashSet<u64>,
    state: RandomState,
    end: u8,
}

impl Lines {
    fn of(manifest: Option<File>, end: u8) -> io::Result<Self> {
        let (mut hashes, state) = (HashSet::new(), RandomState::new());
        if let Some(file) = manifest {
            let mut records = Records::new(BufReader::new(file), end == 0);
            let mut line = Vec::new();
            while let Some(found) = records.next(&mut line)? {
                if found != Record::TooLong {
                    hashes.insert(state.hash_one(&line[..]));
                }
            }
        }
        Ok(Self { hashes, state, end })
    }

    /// Whether all of these are among them.
    fn have(&self, lines: &[u8]) -> bool {
        let mut each = lines
            .strip_suffix(&[self.end])
            .into_iter()
            .flat_map(|lines| lines.split(|byte| *byte == self.end));
        !lines.is_empty() && each.all(|line| self.hashes.contains(&self.state.hash_one(line)))
    }
}
