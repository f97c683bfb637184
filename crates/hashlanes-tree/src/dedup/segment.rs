//! Does the jobs.

use std::io;
use std::path::PathBuf;

use hashlanes_files::Control;

use super::Chunk;
use super::chunker::Chunker;
use super::jobs::{Job, Opened, Segment};

/// The result of a job.
pub(super) enum Done {
    /// The files of a batch, each with all its chunks or its error.
    Files(Vec<(PathBuf, io::Result<Vec<Chunk>>)>),
    /// The chunks of a segment, as cut from the beginning of the segment.
    Segment(Segment, io::Result<Vec<Chunk>>),
}

/// Does a job.
pub(super) fn work(job: Job, chunker: &mut Chunker, control: &Control) -> Done {
    match job {
        Job::Batch(files) => Done::Files(batch(files, chunker, control)),
        Job::Segment(segment) => {
            let mut chunks = Vec::new();
            let end = segment.end;
            let until = |position: u64| position >= end || control.is_stopped();
            let seen = |count| control.add_bytes(count);
            let outcome = chunker.run(&*segment.content, segment.begin, until, seen, &mut chunks);
            if segment.is_last() {
                control.add_files(1);
            }
            Done::Segment(segment, outcome.map(|()| chunks))
        }
    }
}

fn batch(
    files: Vec<(PathBuf, io::Result<Opened>)>,
    chunker: &Chunker,
    control: &Control,
) -> Vec<(PathBuf, io::Result<Vec<Chunk>>)> {
    let read = |content: Opened| -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; content.length() as usize];
        content.read_exact_at(&mut bytes, 0).map_err(|why| why.error)?;
        Ok(bytes)
    };
    let contents: Vec<(PathBuf, io::Result<Vec<u8>>)> =
        files.into_iter().map(|(path, file)| (path, file.and_then(read))).collect();
    let there = contents.iter().filter_map(|(_, bytes)| Some(bytes.as_ref().ok()?.as_slice()));
    let there: Vec<&[u8]> = there.collect();
    let mut chunks = chunker.run_whole(&there, |count| control.add_bytes(count)).into_iter();
    control.add_files(contents.len());
    let outcome = |bytes: io::Result<Vec<u8>>| {
        bytes.map(|_| chunks.next().expect("each file that was read has its chunks"))
    };
    let mut outcome = outcome;
    contents.into_iter().map(|(path, bytes)| (path, outcome(bytes))).collect()
}
