//! The results for each file: a line of JSON as `sum --json` writes it, with a check value.
//!
//! Only a line with `ctime` is used in place of reading the file. It is missing if the file had
//! just been written when it was read, since another write at once may give it the same times.
//! With `ctime` or `settled`, at least the time of modification was older than that.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlanes_files::manifest::{
    Entry, Format, MAX_RECORD, Read as Line, Reader, ReaderOptions, Record, Records, Time,
    read_time, write_time,
};
use hashlanes_files::replace::beside;
use hashlanes_files::system::Stamp;
use serde::Deserialize;

use super::recorded::Recorded;
use super::seal::{add_check, checked};
use super::{STATE, open};
use crate::options::walk::Selection;
use crate::terminal::message::reason;

/// A file that was hashed.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) name: Vec<u8>,
    pub(crate) size: Option<u64>,
    pub(crate) modified: Option<Time>,
    /// The time of the last change of the file or its metadata. `None` if the file has to be read
    /// again.
    changed: Option<Time>,
    /// Whether any write after the file was read gives it another time of modification.
    is_settled: bool,
    /// The number of the file, if its file system has lasting ones.
    number: Option<u64>,
    /// The version of an object.
    pub(crate) version: Option<String>,
    pub(crate) digests: Vec<Vec<u8>>,
    /// The line without its terminator.
    pub(crate) line: Vec<u8>,
}

impl Known {
    /// Whether the file still has the recorded size, times and number, and the object its version.
    pub(super) fn is_of(&self, stamp: &Stamp, version: Option<&str>) -> bool {
        let modified = (stamp.seconds, stamp.nanoseconds);
        self.size == Some(stamp.size)
            && self.modified == Some(modified)
            && self.changed == Some(stamp.changed)
            && self.number.is_none_or(|number| stamp.has_number(number))
            && self.version.as_deref() == version
    }

    /// Whether the file is damaged, by an earlier result: its content differs, although nothing
    /// says that anybody wrote it, not even while it was read.
    pub(super) fn is_damaged_since(&self, earlier: &Self) -> bool {
        let written = |known: &Self| known.size.zip(known.modified);
        // What a store says of an object is no time of writing.
        let is_file = self.version.is_none() && earlier.version.is_none();
        is_file
            && earlier.is_settled
            && self.is_settled
            && written(earlier).is_some()
            && written(earlier) == written(self)
            && earlier.digests != self.digests
    }
}

/// What a line has besides that of `sum --json`.
#[derive(Default, Deserialize)]
struct Besides {
    ctime: Option<String>,
    inode: Option<u64>,
    #[serde(default)]
    settled: bool,
}

/// Completes a line of `sum --json` that begins at `start`: adds by what the file is known again,
/// and the check value.
pub(crate) fn complete_line(lines: &mut Vec<u8>, start: usize, known_by: KnownBy) {
    let mut add = |member: &[u8]| {
        lines.truncate(lines.len() - b"}\n".len());
        lines.extend(member);
        lines.extend(b"}\n");
    };
    match known_by {
        KnownBy::Nothing => {}
        KnownBy::Written => add(b",\"settled\":true"),
        KnownBy::Changed { changed, number } => {
            let mut member = b",\"ctime\":\"".to_vec();
            write_time(changed, &mut member);
            member.push(b'"');
            if let Some(number) = number {
                member.extend(format!(",\"inode\":{number}").bytes());
            }
            add(&member);
        }
    }
    add_check(lines, start);
}

/// What else than its size and time shows that a file has not been changed.
pub(crate) enum KnownBy {
    /// It was written while it was read, or so shortly before that another write may keep its time.
    Nothing,
    /// It has to be read again, but any write gives it another time of modification.
    Written,
    /// It need not be read again while it has these.
    Changed { changed: Time, number: Option<u64> },
}

/// Reads the first line. `Ok(None)` if the file is empty or its first line is truncated. An error
/// if the line is something else.
pub(super) fn recorded(file: impl Read) -> io::Result<Option<Recorded>> {
    let mut first = Vec::new();
    BufReader::new(file).take(MAX_RECORD as u64).read_until(b'\n', &mut first)?;
    if let Some(recorded) = Recorded::read(&first) {
        return Ok(Some(recorded));
    }
    let begins = |line: &[u8]| b"{\"hashlanes sum --resume\":".starts_with(line);
    if begins(&first[..first.len().min(26)]) && !first.ends_with(b"\n") {
        return Ok(None);
    }
    let why = "its first line is damaged, or was not written by --resume of this version";
    Err(io::Error::new(io::ErrorKind::InvalidData, why))
}

/// Which files the last run with `--resume` selected for this manifest, if there was one.
///
/// # Errors
/// If its record is damaged or cannot be read: the path, and the reason.
pub(crate) fn selection_of(manifest: &Path) -> Result<Option<Selection>, (PathBuf, String)> {
    let Ok(manifest) = manifest.canonicalize() else { return Ok(None) };
    let state = beside(&manifest, STATE);
    let recorded = match open(&state) {
        Ok(None) => return Ok(None),
        Ok(Some(file)) => recorded(file),
        Err(error) => Err(error),
    };
    match recorded {
        Ok(Some(recorded)) => Ok(Some(recorded.selection)),
        Ok(None) => Err((state, "its first line is truncated".into())),
        Err(error) => Err((state, reason(&error))),
    }
}

/// The number of lines that were ignored.
pub(super) type Damaged = Arc<AtomicU64>;

/// The recorded files. Damaged lines are ignored.
pub(super) struct States {
    records: Records<BufReader<File>>,
    reader: Reader,
    functions: usize,
    /// The SHA-256 of the manifest that the first line must have.
    manifest: String,
    damaged: Damaged,
    /// Whether the last line may be truncated.
    is_journal: bool,
}

impl States {
    pub(super) fn new(file: File, recorded: &Recorded, damaged: Damaged) -> Self {
        let records = Records::new(BufReader::with_capacity(64 << 10, file), false);
        let options = ReaderOptions { format: Some(Format::Json), ..ReaderOptions::default() };
        Self {
            records,
            reader: Reader::new(options),
            functions: recorded.algorithms.len(),
            manifest: recorded.manifest.clone(),
            damaged,
            is_journal: false,
        }
    }

    /// Allows a truncated last line, as a killed run leaves it.
    pub(super) fn of_journal(self) -> Self {
        Self { is_journal: true, ..self }
    }

    /// Reads the first line. False if it is truncated or belongs to another manifest.
    pub(super) fn begin(&mut self) -> io::Result<bool> {
        let mut line = Vec::new();
        let is_whole = self.records.next(&mut line)? == Some(Record::Whole);
        let recorded = Recorded::read(&line);
        Ok(is_whole && recorded.is_some_and(|then| then.manifest == self.manifest))
    }

    fn known(&mut self, line: &[u8]) -> Option<Known> {
        let object = checked(line)?;
        let entry = self.reader.read(object);
        let Line::Entry(Entry { name, digests, size, modified, version, .. }) = entry else {
            return None;
        };
        let digests: Vec<_> = digests.into_iter().map(|expected| expected.digest).collect();
        let is_whole = digests.len() == self.functions;
        let Besides { ctime, inode: number, settled } =
            serde_json::from_slice(object).unwrap_or_default();
        let changed = ctime.and_then(|time| read_time(time.as_bytes()));
        let is_settled = settled || changed.is_some();
        let line = line.to_vec();
        let known =
            Known { name, size, modified, changed, is_settled, number, version, digests, line };
        is_whole.then_some(known)
    }
}

impl Iterator for States {
    type Item = io::Result<Known>;

    fn next(&mut self) -> Option<io::Result<Known>> {
        let mut line = Vec::new();
        loop {
            match self.records.next(&mut line) {
                Ok(Some(Record::Whole)) => {
                    if let Some(known) = self.known(&line) {
                        return Some(Ok(known));
                    }
                }
                Ok(Some(Record::TooLong)) => {}
                Ok(Some(Record::Cut)) if !self.is_journal => {}
                Ok(Some(Record::Cut) | None) => return None,
                Err(error) => return Some(Err(error)),
            }
            self.damaged.fetch_add(1, Ordering::Relaxed);
        }
    }
}
