//! Divides the work into jobs: batches of small files, and segments of large ones.

use std::io;
use std::iter::Fuse;
use std::path::PathBuf;
use std::sync::Arc;

use hashlanes_files::RegularFile;

use crate::Content;

/// Files of at most this many bytes are read entirely, together with others.
const SMALL: u64 = 4 << 20;

/// The maximum size of a batch in bytes and in files, which are all open.
const BATCH: u64 = 8 << 20;
const BATCH_FILES: usize = 32;

/// A unit of work.
pub(super) enum Job {
    /// Small files, read and hashed together.
    Batch(Vec<(PathBuf, io::Result<RegularFile>)>),
    /// A segment of a large file.
    Segment(Segment),
}

/// A part of a large file: the chunks that begin in it.
#[derive(Clone)]
pub(super) struct Segment {
    pub(super) path: Arc<PathBuf>,
    pub(super) file: Arc<RegularFile>,
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Segment {
    pub(super) fn is_first(&self) -> bool {
        self.begin == 0
    }

    pub(super) fn is_last(&self) -> bool {
        self.end == self.file.length()
    }
}

/// Makes the jobs.
pub(super) struct Jobs<I> {
    paths: Fuse<I>,
    segment: u64,
    /// The next segment of the current large file.
    current: Option<Segment>,
}

impl<I: Iterator<Item = PathBuf>> Jobs<I> {
    /// Segments of `segment` bytes.
    pub(super) fn new(paths: I, segment: u64) -> Self {
        Self { paths: paths.fuse(), segment, current: None }
    }
}

impl<I: Iterator<Item = PathBuf>> Iterator for Jobs<I> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while self.current.is_none() && bytes < BATCH && batch.len() < BATCH_FILES {
            let Some(path) = self.paths.next() else { break };
            match RegularFile::open(&path) {
                Ok(file) if file.length() > SMALL => {
                    let (path, file) = (Arc::new(path), Arc::new(file));
                    let end = self.segment.min(file.length());
                    self.current = Some(Segment { path, file, begin: 0, end });
                }
                file => {
                    bytes += file.as_ref().map_or(0, RegularFile::length);
                    batch.push((path, file));
                }
            }
        }
        if !batch.is_empty() {
            return Some(Job::Batch(batch));
        }
        let segment = self.current.take()?;
        if !segment.is_last() {
            let end = (segment.end + self.segment).min(segment.file.length());
            self.current = Some(Segment { begin: segment.end, end, ..segment.clone() });
        }
        Some(Job::Segment(segment))
    }
}
