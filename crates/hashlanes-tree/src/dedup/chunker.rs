//! Cuts part of a file into chunks, and hashes them many at a time.

use std::fmt;

use fastcdc::v2020::{self, FastCDC};
use hashlanes::{AnyDigest, Engine};

use super::Chunk;
use crate::Content;

/// The sizes of chunks.
///
/// ```
/// use hashlanes_tree::dedup::Sizes;
///
/// let sizes = Sizes::new(2 << 10, 8 << 10, 64 << 10)?;
/// assert_eq!(sizes.max(), 65_536);
/// assert!(Sizes::new(8 << 10, 2 << 10, 64 << 10).is_err());
/// # Ok::<(), hashlanes_tree::dedup::BadSizes>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    min: u32,
    avg: u32,
    max: u32,
}

/// The error for invalid sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSizes(String);

impl fmt::Display for BadSizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for BadSizes {}

/// 16 KiB, 64 KiB and 256 KiB, as in casync.
impl Default for Sizes {
    fn default() -> Self {
        Self { min: 16 << 10, avg: 64 << 10, max: 256 << 10 }
    }
}

impl Sizes {
    /// Chunks of at least `min`, at most `max`, and usually about `avg` bytes. The last chunk of a
    /// file may be shorter.
    ///
    /// # Errors
    /// If one of the sizes is odd or out of the chunker's bounds, or they are not in order.
    pub fn new(min: u64, avg: u64, max: u64) -> Result<Self, BadSizes> {
        let checked = |name: &str, size: u64, least: usize, most: usize| {
            let fits = (least as u64..=most as u64).contains(&size) && size.is_multiple_of(2);
            let why = || {
                let text = format!(
                    "the {name} chunk size must be an even number of bytes from {least} to \
                     {most}, not {size}"
                );
                BadSizes(text)
            };
            if fits { Ok(size as u32) } else { Err(why()) }
        };
        let sizes = Self {
            min: checked("least", min, v2020::MINIMUM_MIN, v2020::MINIMUM_MAX)?,
            avg: checked("average", avg, v2020::AVERAGE_MIN, v2020::AVERAGE_MAX)?,
            max: checked("largest", max, v2020::MAXIMUM_MIN, v2020::MAXIMUM_MAX)?,
        };
        if !(sizes.min < sizes.avg && sizes.avg < sizes.max) {
            let text = "chunk sizes must ascend: the minimum, the average, the maximum";
            return Err(BadSizes(text.into()));
        }
        Ok(sizes)
    }

    /// The maximum size of a chunk.
    pub fn max(&self) -> usize {
        self.max as usize
    }

    /// The usual size of a chunk.
    pub fn avg(&self) -> usize {
        self.avg as usize
    }

    fn cutter<'s>(&self, source: &'s [u8]) -> FastCDC<'s> {
        FastCDC::new(source, self.min as usize, self.avg as usize, self.max as usize)
    }
}

/// Decides where to stop cutting.
pub(super) trait Until {
    /// Whether to stop at this cut.
    fn is_end(&mut self, position: u64) -> bool;
}

impl<F: FnMut(u64) -> bool> Until for F {
    fn is_end(&mut self, position: u64) -> bool {
        self(position)
    }
}

/// Cuts and hashes, reusing its buffer.
pub(super) struct Chunker {
    sizes: Sizes,
    engine: Engine,
    buffer: Vec<u8>,
}

impl Chunker {
    /// A chunker with a buffer of this length, or longer if chunks require it.
    pub(super) fn new(sizes: Sizes, engine: Engine, buffer: usize) -> Self {
        Self { sizes, engine, buffer: vec![0; buffer.max(2 * sizes.max())] }
    }

    /// The chunks of a file from a cut to the cut at which `until` stops, or to the end of the
    /// file. `seen` is called with the number of bytes that were cut and hashed.
    pub(super) fn run(
        &mut self,
        content: &dyn Content,
        start: u64,
        mut until: impl Until,
        seen: impl Fn(u64),
        chunks: &mut Vec<Chunk>,
    ) -> std::io::Result<()> {
        let length = content.length();
        // The buffer holds the bytes after the latest cut that has been hashed.
        let (mut position, mut held) = (start, 0);
        let mut ended = position >= length;
        // The chunk that zeros are cut to.
        let mut zeros = None;
        while !ended {
            let (most, end) = (self.sizes.max() as u64, position + self.buffer.len() as u64);
            let end = end.min(length);
            if position + most <= end && content.is_hole(position..end) {
                let (cut, digest) = zeros.get_or_insert_with(|| self.zeros());
                let begin = position;
                while !ended && position + most <= end {
                    chunks.push(Chunk { offset: position, length: *cut, digest: *digest });
                    position += u64::from(*cut);
                    ended = until.is_end(position);
                }
                seen(position - begin);
                held = 0;
                ended |= position == length;
                continue;
            }
            let more = (length - position - held as u64).min((self.buffer.len() - held) as u64);
            let filled = held + more as usize;
            let bytes = &mut self.buffer[held..filled];
            content.read_exact_at(bytes, position + held as u64).map_err(|why| why.error)?;
            let is_last = position + filled as u64 == length;
            let mut lengths = Vec::new();
            let bytes = &self.buffer[..filled];
            let cutter = self.sizes.cutter(bytes);
            let mut at = 0;
            while !ended && at < filled && (is_last || filled - at >= self.sizes.max()) {
                let (_, cut) = cutter.cut(at, filled - at);
                lengths.push(cut - at);
                at = cut;
                ended = until.is_end(position + at as u64);
            }
            hash(self.engine, &bytes[..at], position, &lengths, chunks);
            seen(at as u64);
            position += at as u64;
            held = filled - at;
            self.buffer.copy_within(at..filled, 0);
            ended |= position == length;
        }
        Ok(())
    }

    /// The length and the digest of the first chunk of zeros.
    fn zeros(&self) -> (u32, AnyDigest) {
        let zeros = vec![0; self.sizes.max()];
        let (_, cut) = self.sizes.cutter(&zeros).cut(0, zeros.len());
        (cut as u32, self.engine.digest(&zeros[..cut]))
    }

    /// The chunks of entire files in memory.
    pub(super) fn run_whole(&self, files: &[&[u8]], seen: impl Fn(u64)) -> Vec<Vec<Chunk>> {
        let cut = |file: &&[u8]| -> Vec<(usize, usize)> {
            self.sizes.cutter(file).map(|chunk| (chunk.offset, chunk.length)).collect()
        };
        let cuts: Vec<Vec<(usize, usize)>> = files.iter().map(cut).collect();
        let pairs = files.iter().zip(&cuts);
        let slices: Vec<&[u8]> = pairs
            .flat_map(|(file, cuts)| cuts.iter().map(|&(at, length)| &file[at..at + length]))
            .collect();
        let mut digests = self.engine.digest_many(&slices).into_iter();
        seen(slices.iter().map(|slice| slice.len() as u64).sum());
        let chunk = |(offset, length): (usize, usize)| Chunk {
            offset: offset as u64,
            length: length as u32,
            digest: digests.next().expect("each chunk has a digest"),
        };
        let mut chunk = chunk;
        cuts.into_iter().map(|cuts| cuts.into_iter().map(&mut chunk).collect()).collect()
    }
}

/// Hashes consecutive chunks.
fn hash(
    engine: Engine,
    mut bytes: &[u8],
    mut offset: u64,
    lengths: &[usize],
    chunks: &mut Vec<Chunk>,
) {
    let mut slices = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (slice, rest) = bytes.split_at(length);
        slices.push(slice);
        bytes = rest;
    }
    for (digest, &length) in engine.digest_many(&slices).into_iter().zip(lengths) {
        chunks.push(Chunk { offset, length: length as u32, digest });
        offset += length as u64;
    }
}
