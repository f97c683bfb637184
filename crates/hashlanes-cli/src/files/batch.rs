//! Small files: read whole, one behind the other into one buffer, and hashed together.
//!
//! Such a file costs mostly the system's work to open, read and close it. So there is no memory per
//! file, and no further question to the system.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use super::look::open_regular;
use super::queue::Pending;
use super::special::Special;
use super::{Begun, Outcome, Plan, read_full};

/// A file of more bytes is large.
pub(super) const SMALL: usize = 128 << 10;

/// Bytes after which a batch is hashed. They should still be in the core's second-level cache by
/// then.
const FULL: usize = 256 << 10;

pub(super) struct Batch<N> {
    /// The files' contents, one behind the other. As long as it will ever be from the beginning.
    buffer: Vec<u8>,
    filled: usize,
    files: Vec<(Pending<N>, Range<usize>)>,
}

impl<N> Batch<N> {
    pub(super) fn new() -> Self {
        // One byte more than a small file may have tells it from a large one. The memory that no
        // file touches costs nothing.
        Self { buffer: vec![0; FULL + SMALL + 1], filled: 0, files: Vec::new() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether it is time to hash, before `read` can be called again.
    pub(super) fn is_full(&self) -> bool {
        self.filled >= FULL
    }

    /// Reads a file to the batch, which is not full. Does not wait for anybody.
    pub(super) fn read(&mut self, file: Pending<N>) -> Begun<N> {
        let opened = match open_regular(&file.path) {
            Ok(opened) => opened,
            Err(error) => return Begun::Failed(file, error),
        };
        let space = &mut self.buffer[self.filled..][..SMALL + 1];
        // To read at an offset is an error for whatever has none, such as a FIFO.
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

/// Whether a regular file on a disk gives no such error.
fn is_unlike_a_file(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotSeekable | io::ErrorKind::WouldBlock)
}
