//! What is below folders or URLs, and errors on the way.

use std::collections::VecDeque;
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
    walk: &'f Walk,
    failed: &'f AtomicBool,
    waiting: VecDeque<(PathBuf, io::Result<Opened>)>,
    /// The last that waits is a stream.
    is_stream: bool,
}

impl<'f> Found<'f> {
    pub(super) fn new(
        source: Box<dyn Source<Note = Note>>,
        walk: &'f Walk,
        failed: &'f AtomicBool,
    ) -> Self {
        let (own, waiting) = (Own::outputs(), VecDeque::new());
        Self { source, own, walk, failed, waiting, is_stream: false }
    }

    /// Whether another stream may be opened without waiting for the source.
    fn has_room(&self) -> bool {
        let length = |opened: &Opened| opened.length().min(BYTES / 8);
        let begun = self.waiting.iter().flat_map(|(_, opened)| opened).map(length);
        let has_room = self.waiting.len() < STREAMS && begun.sum::<u64>() < BYTES;
        self.is_stream && has_room && self.source.is_ready()
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
                Some(Entry::Named { path, input, .. }) => {
                    self.is_stream = matches!(input, Input::Stream(_));
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
