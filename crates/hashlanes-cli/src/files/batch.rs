//! Small files: a worker reads them whole, one behind the other into one buffer, and hashes them
//! together.
//!
//! Most of the cost of a small file is the system's work to open, read and close it. So this asks
//! the system for nothing else, and allocates no memory per file.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::look::open_regular;
use super::queue::Pending;
use super::special::Special;
use super::{Begun, Outcome, Plan, read_full};

/// The most bytes of a small file.
pub(super) const SMALL: usize = 128 << 10;

/// A batch with this many bytes is hashed. They should still be in the core's second-level cache
/// then.
const FULL: usize = 256 << 10;

pub(super) struct Batch<N> {
    /// The files' contents, one behind the other. It never grows.
    buffer: Vec<u8>,
    filled: usize,
    files: Vec<(Pending<N>, Range<usize>)>,
}

impl<N> Batch<N> {
    pub(super) fn new() -> Self {
        // The additional byte tells a large file from a small one. Pages that no file touches cost
        // nothing.
        Self { buffer: vec![0; FULL + SMALL + 1], filled: 0, files: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether the batch must be hashed before `read` is called again.
    pub(super) fn is_full(&self) -> bool {
        self.filled >= FULL
    }

    /// Reads a file into the batch, which must not be full. Never waits for a writer.
    pub(super) fn read(&mut self, file: Pending<N>) -> Begun<N> {
        let opened = match open_regular(&file.path) {
            Ok(opened) => opened,
            Err(error) => return Begun::Failed(file, error),
        };
        let space = &mut self.buffer[self.filled..][..SMALL + 1];
        // Reading at an offset fails for a file that has none, such as a FIFO.
        match read_full(space, |space, offset| opened.read_at(space, offset as u64)) {
            Ok(length) if length <= SMALL => {
                self.files.push((file, self.filled..self.filled + length));
                self.filled += length;
                Begun::Taken
            }
            Ok(_) if opened.metadata().is_ok_and(|metadata| metadata.is_file()) => {
                Begun::Large(file)
            }
            Err(error) if !is_unlike_a_file(&error) => Begun::Failed(file, error),
            _ => Begun::Special(Special { file, opened: Some(opened) }),
        }
    }

    /// Hashes the files and forgets them.
    pub(super) fn hash(&mut self, plans: &[Plan], mut done: impl FnMut(Pending<N>, Outcome)) {
        self.files.sort_by_key(|(file, _)| file.plan);
        let mut messages: Vec<&[u8]> = Vec::with_capacity(self.files.len());
        let mut digests = Vec::with_capacity(self.files.len());
        for files in self.files.chunk_by(|(a, _), (b, _)| a.plan == b.plan) {
            messages.clear();
            messages.extend(files.iter().map(|(_, range)| &self.buffer[range.clone()]));
            let begin = digests.len();
            digests.resize_with(begin + files.len(), Vec::new);
            for engine in &plans[files[0].0.plan] {
                for (all, digest) in digests[begin..].iter_mut().zip(engine.digest_many(&messages))
                {
                    all.push(digest);
                }
            }
        }
        for ((file, _), digests) in self.files.drain(..).zip(digests) {
            done(file, Ok(digests));
        }
        self.filled = 0;
    }
}

/// Whether this is an error that no regular file on a disk gives.
fn is_unlike_a_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotSeekable | io::ErrorKind::WouldBlock)
}
