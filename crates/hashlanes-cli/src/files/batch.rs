//! Small files: read whole, one behind the other into one buffer, and hashed together.
//!
//! What such a file costs is mostly the system's work to open, read and close it. So nothing else
//! is asked of the system: no `fstat` for the size, no memory per file.

use std::fs::File;
use std::io;
use std::ops::Range;

use super::queue::Pending;
use super::{Outcome, Plan, is_stdin, open, read_full};

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

/// How a file goes on after its beginning was read.
pub(super) enum Begun<N> {
    /// It was small and is in the batch.
    Small,
    /// It is large.
    Large(Pending<N>),
    /// It is no regular file, and of unknown length: what follows can be read from here only. Its
    /// first bytes are those of `Batch::head`.
    Special(Pending<N>, File),
    /// It cannot be read.
    Failed(Pending<N>, io::Error),
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

    /// Reads a file to the batch, which is not full.
    pub(super) fn read(&mut self, file: Pending<N>) -> Begun<N> {
        let space = &mut self.buffer[self.filled..][..SMALL + 1];
        let opened =
            open(&file.path).and_then(|mut opened| Ok((read_full(&mut opened, space)?, opened)));
        match opened {
            Err(error) => Begun::Failed(file, error),
            Ok((length, _)) if length <= SMALL => {
                self.files.push((file, self.filled..self.filled + length));
                self.filled += length;
                Begun::Small
            }
            // Only a regular file that has a name can be opened and read again.
            Ok((_, opened)) => match opened.metadata() {
                Ok(metadata) if metadata.is_file() && !is_stdin(&file.path) => Begun::Large(file),
                _ => Begun::Special(file, opened),
            },
        }
    }

    /// The beginning of the file for which `read` returned `Special`, until it is called again.
    pub(super) fn head(&self) -> &[u8] {
        &self.buffer[self.filled..][..SMALL + 1]
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
