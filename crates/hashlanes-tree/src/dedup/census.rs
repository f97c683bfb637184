//! Counts chunks by their digests, in bounded memory.
//!
//! A chunk is identified by its length and the first 16 bytes of its digest. With a count, that
//! takes 24 bytes of memory. The probability that any two of 2^40 different chunks have the same 16
//! bytes is 2^-49. When the memory is full, its records are sorted and written to a temporary file
//! as a *run*. At the end, all runs are merged.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::path::PathBuf;

use super::Chunk;

/// Equal chunks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    key: [u8; 16],
    length: u32,
    /// The number of occurrences, which saturates.
    count: u32,
}

const RECORD: usize = 24;

impl Record {
    fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..16].copy_from_slice(&self.key);
        bytes[16..20].copy_from_slice(&self.length.to_le_bytes());
        bytes[20..].copy_from_slice(&self.count.to_le_bytes());
        bytes
    }

    fn from_bytes(bytes: [u8; RECORD]) -> Self {
        let number = |at: usize| u32::from_le_bytes([at, at + 1, at + 2, at + 3].map(|i| bytes[i]));
        let mut key = [0; 16];
        key.copy_from_slice(&bytes[..16]);
        Self { key, length: number(16), count: number(20) }
    }

    fn is_like(&self, other: &Self) -> bool {
        (self.key, self.length) == (other.key, other.length)
    }
}

/// The result of a census.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The number of chunks.
    pub chunks: u64,
    /// Their bytes.
    pub bytes: u64,
    /// The number of different chunks.
    pub unique_chunks: u64,
    /// Their bytes.
    pub unique_bytes: u64,
    /// The repeated chunks with the most duplicate bytes, in descending order.
    pub top: Vec<Repeated>,
}

impl Counts {
    /// The bytes of all repetitions.
    pub fn duplicate_bytes(&self) -> u64 {
        self.bytes - self.unique_bytes
    }
}

/// A chunk that occurs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Repeated {
    /// The bytes of all occurrences but the first.
    pub duplicate_bytes: u64,
    /// The number of occurrences.
    pub count: u32,
    /// The length of one occurrence.
    pub length: u32,
    /// The first 16 bytes of its digest.
    pub digest: [u8; 16],
}

/// Counts chunks.
///
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_tree::dedup::{Census, Chunk};
///
/// let mut census = Census::new(1 << 20, None);
/// for (offset, text) in ["one", "two", "one"].iter().enumerate() {
///     let digest = Algorithm::Sha256.digest(text);
///     census.add(&Chunk { offset: 3 * offset as u64, length: 3, digest })?;
/// }
/// let counts = census.finish(1)?;
/// assert_eq!((counts.chunks, counts.unique_chunks, counts.duplicate_bytes()), (3, 2, 3));
/// assert_eq!(counts.top[0].count, 2);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Census {
    records: Vec<Record>,
    /// The maximum number of records in memory.
    limit: usize,
    folder: Option<PathBuf>,
    runs: Vec<File>,
    chunks: u64,
    bytes: u64,
}

/// The number of runs merged at the same time. If there are more, these become one.
const RUNS: usize = 64;

impl Census {
    /// A census with this many bytes of memory for records, but at least 64 KiB. Runs are files in
    /// `folder`, or in the system's folder for temporary files. They have no names, and vanish with
    /// the process.
    pub fn new(memory: usize, folder: Option<PathBuf>) -> Self {
        let limit = memory.max(64 << 10) / RECORD;
        Self { records: Vec::new(), limit, folder, runs: Vec::new(), chunks: 0, bytes: 0 }
    }

    /// Counts a chunk.
    ///
    /// # Errors
    /// If the memory is full and no temporary file can be written.
    ///
    /// # Panics
    /// If the digest has less than 16 bytes.
    pub fn add(&mut self, chunk: &Chunk) -> io::Result<()> {
        self.chunks += 1;
        self.bytes += u64::from(chunk.length);
        let key = chunk.digest.as_bytes().first_chunk().expect("digests have 16 bytes and more");
        if self.records.len() == self.limit {
            self.make_room()?;
        }
        // It grows by at most half, so that it never exceeds the limit by much.
        if self.records.len() == self.records.capacity() {
            let more = (self.records.len() / 2).max(1024).min(self.limit - self.records.len());
            self.records.reserve_exact(more);
        }
        self.records.push(Record { key: *key, length: chunk.length, count: 1 });
        Ok(())
    }

    /// Combines equal records, and writes them to a run if that does not free much.
    fn make_room(&mut self) -> io::Result<()> {
        compact(&mut self.records);
        if self.records.len() > self.limit / 2 {
            let run = write_run(self.folder.as_deref(), self.records.drain(..).map(Ok))?;
            self.runs.push(run);
            if self.runs.len() == RUNS {
                let merged = Merge::new(std::mem::take(&mut self.runs), &[])?;
                self.runs.push(write_run(self.folder.as_deref(), merged)?);
            }
        }
        Ok(())
    }

    /// The counts, with at most `top` repeated chunks.
    ///
    /// # Errors
    /// If a temporary file cannot be read.
    pub fn finish(mut self, top: usize) -> io::Result<Counts> {
        compact(&mut self.records);
        let mut counts = Counts { chunks: self.chunks, bytes: self.bytes, ..Counts::default() };
        let mut most: BinaryHeap<Reverse<Repeated>> = BinaryHeap::new();
        for record in Merge::new(self.runs, &self.records)? {
            let Record { key, length, count } = record?;
            counts.unique_chunks += 1;
            counts.unique_bytes += u64::from(length);
            if count > 1 && top > 0 {
                let duplicate_bytes = u64::from(count - 1) * u64::from(length);
                most.push(Reverse(Repeated { duplicate_bytes, count, length, digest: key }));
                if most.len() > top {
                    most.pop();
                }
            }
        }
        counts.top = most.into_sorted_vec().into_iter().map(|Reverse(repeated)| repeated).collect();
        Ok(counts)
    }
}

/// Sorts records and combines equal ones.
fn compact(records: &mut Vec<Record>) {
    records.sort_unstable();
    records.dedup_by(|next, first| {
        let is_like = next.is_like(first);
        if is_like {
            first.count = first.count.saturating_add(next.count);
        }
        is_like
    });
}

fn write_run(
    folder: Option<&std::path::Path>,
    records: impl Iterator<Item = io::Result<Record>>,
) -> io::Result<File> {
    let file = match folder {
        Some(folder) => tempfile::tempfile_in(folder)?,
        None => tempfile::tempfile()?,
    };
    let mut writer = BufWriter::with_capacity(256 << 10, file);
    for record in records {
        writer.write_all(&record?.to_bytes())?;
    }
    let mut file = writer.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.rewind()?;
    Ok(file)
}

/// The records of all runs and of the memory, sorted and with equal ones combined.
struct Merge<'r> {
    runs: Vec<BufReader<File>>,
    memory: std::slice::Iter<'r, Record>,
    /// The next record of each source, with the source's number: that of the memory is the number
    /// of runs.
    next: BinaryHeap<Reverse<(Record, usize)>>,
}

impl<'r> Merge<'r> {
    fn new(runs: Vec<File>, memory: &'r [Record]) -> io::Result<Self> {
        let runs: Vec<_> =
            runs.into_iter().map(|run| BufReader::with_capacity(64 << 10, run)).collect();
        let mut merge = Self { runs, memory: memory.iter(), next: BinaryHeap::new() };
        (0..=merge.runs.len()).try_for_each(|number| merge.fetch(number))?;
        Ok(merge)
    }

    fn fetch(&mut self, number: usize) -> io::Result<()> {
        let record = match self.runs.get_mut(number) {
            Some(run) => read_record(run)?,
            None => self.memory.next().copied(),
        };
        if let Some(record) = record {
            self.next.push(Reverse((record, number)));
        }
        Ok(())
    }

    fn pop(&mut self) -> io::Result<Option<Record>> {
        let Some(Reverse((record, number))) = self.next.pop() else { return Ok(None) };
        self.fetch(number)?;
        Ok(Some(record))
    }

    fn step(&mut self) -> io::Result<Option<Record>> {
        let Some(mut record) = self.pop()? else { return Ok(None) };
        while self.next.peek().is_some_and(|Reverse((next, _))| next.is_like(&record)) {
            if let Some(next) = self.pop()? {
                record.count = record.count.saturating_add(next.count);
            }
        }
        Ok(Some(record))
    }
}

impl Iterator for Merge<'_> {
    type Item = io::Result<Record>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose()
    }
}

fn read_record(run: &mut impl Read) -> io::Result<Option<Record>> {
    let mut bytes = [0; RECORD];
    match run.read_exact(&mut bytes) {
        Ok(()) => Ok(Some(Record::from_bytes(bytes))),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use hashlanes::Algorithm;

    use super::*;

    fn chunk(number: u64) -> Chunk {
        let digest = Algorithm::Sha256.digest(number.to_le_bytes());
        Chunk { offset: 0, length: 100 + (number % 7) as u32, digest }
    }

    #[test]
    fn runs_on_disk_give_the_counts_of_a_map() {
        // 2,730 records fit in memory, and more runs are written than are merged at once.
        let mut census = Census::new(0, None);
        let mut map: HashMap<u64, u64> = HashMap::new();
        let mut x = 7_u64;
        for i in 0..250_000_u64 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = if i % 3 == 0 { x >> 60 } else { x >> 40 };
            census.add(&chunk(number)).unwrap();
            *map.entry(number).or_default() += 1;
        }
        assert!(!census.runs.is_empty() && census.records.capacity() <= census.limit);
        let counts = census.finish(5).unwrap();
        let length = |number: u64| 100 + number % 7;
        assert_eq!(counts.chunks, 250_000);
        assert_eq!(counts.unique_chunks, map.len() as u64);
        assert_eq!(counts.bytes, map.iter().map(|(n, count)| length(*n) * count).sum::<u64>());
        assert_eq!(counts.unique_bytes, map.keys().map(|n| length(*n)).sum::<u64>());
        let mut repeated: Vec<u64> =
            map.iter().map(|(n, count)| length(*n) * (count - 1)).collect();
        repeated.sort_unstable_by(|a, b| b.cmp(a));
        let top: Vec<u64> = counts.top.iter().map(|repeated| repeated.duplicate_bytes).collect();
        assert_eq!(top, repeated[..5]);
    }
}
