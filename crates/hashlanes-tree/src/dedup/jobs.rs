//! Divides the work into jobs: batches of small files, and segments of large ones.

use std::io;
use std::iter::Fuse;
use std::path::PathBuf;
use std::sync::Arc;

use crate::Content;

/// Content whose chunks are wanted, which another thread may read.
pub type Opened = Box<dyn Content + Send>;

/// Files of at most this many bytes are read entirely, together with others.
const SMALL: u64 = 4 << 20;

/// The maximum size of a batch in bytes and in files, which are all open.
const BATCH: u64 = 8 << 20;
const BATCH_FILES: usize = 32;

/// A unit of work.
pub(super) enum Job {
    /// Small files, read and hashed together.
    Batch(Vec<(PathBuf, io::Result<Opened>)>),
    /// A segment of a large file.
    Segment(Segment),
}

/// A part of a large file: the chunks that begin in it.
#[derive(Clone)]
pub(super) struct Segment {
    pub(super) path: Arc<PathBuf>,
    pub(super) content: Arc<dyn Content + Send>,
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Segment {
    pub(super) fn is_first(&self) -> bool {
        self.begin == 0
    }

    pub(super) fn is_last(&self) -> bool {
        self.end == self.content.length()
    }
}

/// Makes the jobs.
pub(super) struct Jobs<I> {
    contents: Fuse<I>,
    segment: u64,
    /// The next segment of the current large file.
    current: Option<Segment>,
}

impl<I: Iterator<Item = (PathBuf, io::Result<Opened>)>> Jobs<I> {
    /// Segments of `segment` bytes.
    pub(super) fn new(contents: I, segment: u64) -> Self {
        Self { contents: contents.fuse(), segment, current: None }
    }
}

impl<I: Iterator<Item = (PathBuf, io::Result<Opened>)>> Iterator for Jobs<I> {
    type Item = Job;

    fn next(&mut self) -> Option<Job> {
        let mut batch = Vec::new();
        let mut bytes = 0;
        while self.current.is_none() && bytes < BATCH && batch.len() < BATCH_FILES {
            let Some((path, content)) = self.contents.next() else { break };
            match content {
                Ok(content) if content.length() > SMALL => {
                    let (path, content) =
                        (Arc::new(path), Arc::<dyn Content + Send>::from(content));
                    let end = self.segment.min(content.length());
                    self.current = Some(Segment { path, content, begin: 0, end });
                }
                content => {
                    bytes += content.as_ref().map_or(0, |content| content.length());
                    batch.push((path, content));
                }
            }
        }
        if !batch.is_empty() {
            return Some(Job::Batch(batch));
        }
        let segment = self.current.take()?;
        if !segment.is_last() {
            let end = (segment.end + self.segment).min(segment.content.length());
            self.current = Some(Segment { begin: segment.end, end, ..segment.clone() });
        }
        Some(Job::Segment(segment))
    }
}
