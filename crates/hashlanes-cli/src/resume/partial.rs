//! The states of large files that a run has not finished, in the file [`PARTIAL`].
//!
//! Each line has what a file is known by, after how many bytes its states were saved, the states,
//! and a check value. The whole file is replaced each time.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use base16ct::lower::{decode_vec, encode_string};
use hashlanes_files::replace::Replacement;
use hashlanes_files::system::{self, LastingNumbers, Stamp};
use hashlanes_files::{Continue, Partial};

use super::seal::{add_check, checked};
use crate::terminal::message::{reason, say_of};

pub(super) const PARTIAL: &str = "partial";

/// The most bytes that are read: those of some ten thousand files.
const MOST: u64 = 64 << 20;

#[derive(Debug)]
pub(crate) struct Partials {
    replacement: Arc<Replacement>,
    /// When the run began, before any file was read.
    begin: SystemTime,
    interval: u64,
    is_quiet: bool,
    files: Mutex<Files>,
}

#[derive(Debug, Default)]
struct Files {
    /// The lines by the names of their files.
    lines: BTreeMap<Vec<u8>, Vec<u8>>,
    numbers: LastingNumbers,
    has_failed: bool,
}

impl Partials {
    /// The states that earlier runs left.
    pub(super) fn open(
        replacement: Arc<Replacement>,
        begin: SystemTime,
        interval: u64,
        is_quiet: bool,
    ) -> io::Result<Self> {
        let mut text = Vec::new();
        if let Some(file) = replacement.open(PARTIAL)? {
            file.take(MOST).read_to_end(&mut text)?;
        }
        let mut files = Files::default();
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            let name = line.split(|&byte| byte == b' ').next().unwrap_or_default();
            // A damaged name is that of no file.
            if let Ok(name) = decode_vec(name) {
                files.lines.insert(name, line.to_vec());
            }
        }
        Ok(Self { replacement, begin, interval, is_quiet, files: files.into() })
    }

    fn write(&self, files: &Files) -> io::Result<()> {
        let name = "new-partial";
        let mut new = self.replacement.create_mine(name)?;
        files.lines.values().try_for_each(|line| new.write_all(line))?;
        new.sync_all()?;
        self.replacement.rename(name, PARTIAL)
    }
}

/// What a file is known by.
fn known_by(stamp: &Stamp) -> [i128; 5] {
    let Stamp { size, seconds, nanoseconds, changed, .. } = *stamp;
    [size.into(), seconds.into(), nanoseconds.into(), changed.0.into(), changed.1.into()]
}

const CHANGED: &str = "changed since a run was interrupted";
const DAMAGED: &str = "the state that an interrupted run has saved is damaged";

/// The number of bytes and the states of a line, or why the file is not continued from them.
fn parse(line: &[u8], stamp: &Stamp) -> Result<(u64, Vec<Vec<u8>>), &'static str> {
    let line = line.strip_suffix(b"\n").and_then(checked);
    let line = line.and_then(|line| str::from_utf8(line).ok()).ok_or(DAMAGED)?;
    let mut fields = line.split(' ').skip(1);
    let mut next = || fields.next().ok_or(DAMAGED);
    for known in known_by(stamp) {
        if next()?.parse() != Ok(known) {
            return Err(CHANGED);
        }
    }
    let number = next()?;
    if number != "-" && !stamp.has_number(number.parse().map_err(|_| DAMAGED)?) {
        return Err(CHANGED);
    }
    let length = next()?.parse().map_err(|_| DAMAGED)?;
    let states = fields.map(decode_vec).collect::<Result<_, _>>().map_err(|_| DAMAGED)?;
    Ok((length, states))
}

impl Partial for Partials {
    fn interval(&self) -> u64 {
        self.interval
    }

    fn begin(&self, path: &Path, stamp: &Stamp, continued: Continue<'_>) -> u64 {
        let name = system::name(path);
        // It stays until it is replaced: another file may be saved, and the run end, before.
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let line = files.lines.get(&*name).cloned();
        drop(files);
        let Some(line) = line else { return 0 };
        let why = match parse(&line, stamp) {
            Ok((length, states)) if continued(length, &states) => {
                if !self.is_quiet {
                    say_of(path, format_args!("continued after {length} bytes"));
                }
                return length;
            }
            Ok(_) => DAMAGED,
            Err(why) => why,
        };
        say_of(path, format_args!("{why}: read from the beginning"));
        0
    }

    fn keep(&self, path: &Path, stamp: &Stamp, length: u64, states: &[Vec<u8>]) {
        // Another write could keep the times.
        if !stamp.is_settled(self.begin) {
            return;
        }
        let name = system::name(path);
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = encode_string(&name);
        known_by(stamp).iter().for_each(|known| _ = write!(line, " {known}"));
        match stamp.number(&mut files.numbers, path) {
            Some(number) => _ = write!(line, " {number} {length}"),
            None => _ = write!(line, " - {length}"),
        }
        states.iter().for_each(|state| line.extend([" ", &encode_string(state)]));
        let mut line = line.into_bytes();
        add_check(&mut line, 0);
        files.lines.insert(name.into_owned(), line);
        if let Err(error) = self.write(&files)
            && !files.has_failed
        {
            files.has_failed = true;
            say_of(self.replacement.folder(), format_args!("cannot save: {}", reason(&error)));
        }
    }

    fn end(&self, path: &Path) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.lines.remove(&*system::name(path));
    }
}
