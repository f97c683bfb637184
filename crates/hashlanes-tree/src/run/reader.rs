//! Hashes content that can only be read sequentially, such as a pipe.

use std::io::{self, Read};

use super::segments::Region;
use super::streams::{Piece, Streams};
use super::{Job, Progress, Settings, hash_region};
use crate::{Content, Error, Plan, ReadError};

/// The window size in bytes, if the leaves fit.
const WINDOW: u64 = 64 << 20;

/// Bytes read at a time if the leaves do not fit in memory.
const PIECE: usize = 1 << 20;

/// Hashes the bytes of a reader until its end, as [`hash_content`](super::hash_content) does.
/// Returns the number of bytes.
///
/// It is read into windows in memory, whose leaves are hashed on all cores. If two of the largest
/// leaves exceed half of [`Settings::memory`], each plan hashes one leaf after the other instead,
/// on one core.
///
/// # Errors
/// The first error of the reader or of a sink. Interrupted reads are retried.
///
/// # Examples
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_tree::{Job, Plan, Settings, hash_reader};
///
/// let mut digests = Vec::new();
/// let plan = Plan::new(Algorithm::Sha1, 4);
/// let mut pipe = b"some bytes".as_slice();
/// let mut jobs = [Job::new(&plan, &mut digests)];
/// let length = hash_reader(&mut pipe, &mut jobs, &Settings::default())?;
/// assert_eq!((length, digests.len()), (10, 3 * 20));
/// # Ok::<(), hashlanes_tree::Error>(())
/// ```
pub fn hash_reader(
    mut reader: impl Read,
    jobs: &mut [Job<'_>],
    settings: &Settings<'_>,
) -> Result<u64, Error> {
    // Windows are in memory.
    let settings = &Settings { readers: None, ..*settings };
    let largest = jobs.iter().map(|job| job.plan.leaf).max().unwrap_or(1);
    let half = (settings.memory / 2) as u64;
    match largest.checked_mul(2) {
        Some(two) if two <= half => {
            let size = two.max(WINDOW.min(half)) as usize;
            hash_windows(&mut reader, jobs, settings, size)
        }
        _ => hash_in_turn(&mut reader, jobs, settings),
    }
}

/// A part of the content, in memory.
struct Window<'b> {
    bytes: &'b [u8],
    begin: u64,
}

impl Content for Window<'_> {
    fn length(&self) -> u64 {
        self.begin + self.bytes.len() as u64
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        self.bytes.read_exact_at(buffer, offset - self.begin)
    }
}

fn hash_windows(
    reader: &mut dyn Read,
    jobs: &mut [Job<'_>],
    settings: &Settings<'_>,
    size: usize,
) -> Result<u64, Error> {
    let mut memory = vec![0; size];
    let plans: Vec<Plan> = jobs.iter().map(|job| job.plan.clone()).collect();
    let mut jobs: Vec<&mut Job<'_>> = jobs.iter_mut().collect();
    // The first unfinished leaf of each plan.
    let mut first = vec![0; plans.len()];
    let (mut begin, mut kept) = (0, 0);
    loop {
        let read = read_full(reader, &mut memory[kept..], settings)?;
        let is_end = kept + read < size;
        let window = Window { bytes: &memory[..kept + read], begin };
        let length = window.length();
        let region = Region::part(plans.iter().collect(), &first, length, is_end);
        let ends: Vec<u64> = region.leaves.iter().map(|leaves| leaves.end).collect();
        hash_region(&window, region, &mut jobs, settings, Progress::OnlyStop)?;
        first = ends;
        if is_end {
            return Ok(length);
        }
        let done = plans.iter().zip(&first).map(|(plan, first)| first * plan.leaf).min();
        let next = done.unwrap_or(length);
        kept = (length - next) as usize;
        memory.copy_within((next - begin) as usize.., 0);
        begin = next;
    }
}

/// Hashes one leaf after the other.
fn hash_in_turn(
    reader: &mut dyn Read,
    jobs: &mut [Job<'_>],
    settings: &Settings<'_>,
) -> Result<u64, Error> {
    let begin = |job: &Job<'_>| {
        let mut streams = Streams::new(job.plan, 1, u64::MAX);
        streams.begin(0, 0..u64::MAX);
        streams
    };
    let mut all: Vec<Streams> = jobs.iter().map(begin).collect();
    let mut memory = vec![0; PIECE];
    let mut offset = 0;
    loop {
        let read = read_full(reader, &mut memory, settings)?;
        let is_end = read < memory.len();
        for (streams, job) in all.iter_mut().zip(&mut *jobs) {
            streams.turn(&[Piece { bytes: &memory[..read], offset }]);
            if is_end {
                streams.close(&[0]);
            }
            let digests = streams.take(0);
            if !digests.is_empty() {
                job.sink.leaves(&digests).map_err(Error::Sink)?;
            }
        }
        offset += read as u64;
        if is_end {
            return Ok(offset);
        }
    }
}

/// Reads until the buffer is full or the content ends.
fn read_full(
    reader: &mut dyn Read,
    buffer: &mut [u8],
    settings: &Settings<'_>,
) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < buffer.len() {
        if settings.control.is_some_and(hashlanes_files::Control::is_stopped) {
            return Err(Error::Stopped);
        }
        // In parts, so that a stop does not wait for the whole buffer.
        let end = buffer.len().min(filled + PIECE);
        match reader.read(&mut buffer[filled..end]) {
            Ok(0) => break,
            Ok(length) => {
                filled += length;
                if let Some(control) = settings.control {
                    control.add_bytes(length as u64);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(ReadError::from(error).into()),
        }
    }
    Ok(filled)
}
