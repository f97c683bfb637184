//! What is below folders or URLs, and errors on the way.

use std::collections::{HashSet, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use hashlanes_files::replace::Own;
use hashlanes_files::source::Note;
use hashlanes_files::walk::{Walk, WalkError};
use hashlanes_files::{Entry, Input, RegularFile, Source};
use hashlanes_tree::dedup::Opened;

use crate::terminal::message::{reason, say_of};

/// Streams whose first bytes are fetched before their turn, and the most bytes that they have.
const STREAMS: usize = 64;
const BYTES: u64 = 64 << 20;

/// What a source gives, opened to be read at any offset. Errors are reported, and set `failed`.
pub(super) struct Found<'f> {
    source: Box<dyn Source<Note = Note>>,
    /// The output, which is left out, and the walk that counts it.
    own: Own,
    names: Names,
    walk: &'f Walk,
    failed: &'f AtomicBool,
    waiting: VecDeque<(PathBuf, io::Result<Opened>)>,
    /// The last that waits is a stream.
    is_stream: bool,
}

impl<'f> Found<'f> {
    pub(super) fn new(
        source: Box<dyn Source<Note = Note>>,
        names: Names,
        walk: &'f Walk,
        failed: &'f AtomicBool,
    ) -> Self {
        let (own, waiting) = (Own::outputs(), VecDeque::new());
        Self { source, own, names, walk, failed, waiting, is_stream: false }
    }

    /// Whether another stream may be opened without waiting for the source.
    fn has_room(&self) -> bool {
        let length = |opened: &Opened| opened.length().min(BYTES / 8);
        let begun = self.waiting.iter().flat_map(|(_, opened)| opened).map(length);
        let has_room = self.waiting.len() < STREAMS && begun.sum::<u64>() < BYTES;
        self.is_stream && has_room && self.source.is_ready()
    }
}

/// Files that were found under one name, and may be found under another. Bytes that are stored once
/// are no duplicates. Remembers 16 bytes for each file that has several names, or for all files if
/// one folder is within another.
pub(super) struct Names {
    may_repeat: bool,
    seen: HashSet<(u64, u64)>,
}

impl Names {
    pub(super) fn new(folders: &[PathBuf]) -> Self {
        let real: Vec<_> = folders.iter().flat_map(|folder| folder.canonicalize()).collect();
        let within = |(number, folder): (usize, &PathBuf)| {
            let mut others = real.iter().enumerate().filter(|(other, _)| *other != number);
            others.any(|(_, other)| folder.starts_with(other))
        };
        Self { may_repeat: real.iter().enumerate().any(within), seen: HashSet::new() }
    }

    /// Whether the file has been found under another name.
    fn have(&mut self, file: &RegularFile) -> bool {
        file.stamp().id().is_some_and(|(id, has_several)| {
            (self.may_repeat || has_several) && !self.seen.insert(id)
        })
    }
}

impl Iterator for Found<'_> {
    type Item = (PathBuf, io::Result<Opened>);

    fn next(&mut self) -> Option<Self::Item> {
        while self.waiting.is_empty() || self.has_room() {
            match self.source.next() {
                None => break,
                Some(Entry::Named { path, .. }) if self.own.is_at(&path) => {
                    self.walk.skipped().count_own(&path);
                }
                Some(Entry::Named { path, input: Input::File(kind), .. }) => {
                    self.is_stream = false;
                    match RegularFile::open_as(&path, &kind) {
                        Ok(file) if self.names.have(&file) => {}
                        Ok(file) => self.waiting.push_back((path, Ok(Box::new(file)))),
                        Err(error) => self.waiting.push_back((path, Err(error))),
                    }
                }
                Some(Entry::Named { path, input, .. }) => {
                    self.is_stream = true;
                    let opened = open(&path, input);
                    self.waiting.push_back((path, opened));
                }
                Some(Entry::Note(Note::Walk(WalkError { path, error }))) => {
                    fail(self.failed, &path, &error);
                }
                Some(Entry::Note(_)) => {}
            }
        }
        self.waiting.pop_front()
    }
}

/// Opens what has this name.
pub(super) fn open(path: &Path, input: Input) -> io::Result<Opened> {
    match input {
        Input::File(kind) => Ok(Box::new(RegularFile::open_as(path, &kind)?)),
        Input::Stream(stream) => stream.into_content(),
    }
}

/// Reports that a file cannot be read.
pub(super) fn fail(failed: &AtomicBool, path: &Path, error: &io::Error) {
    failed.store(true, Ordering::Relaxed);
    say_of(path, reason(error));
}
