//! Joins the chunks of a file's segments into the chunks of the file.
//!
//! Each segment was cut from its beginning, which is not a cut of the file. From the first cut on
//! that both have in common, all cuts are the same.

use std::io;

use super::Chunk;
use super::chunker::Chunker;
use super::jobs::Segment;

/// The end of the file's chunks so far.
#[derive(Default)]
pub(super) struct Stitch {
    position: u64,
}

impl Stitch {
    /// Continues the file's chunks with those of the next segment.
    pub(super) fn join(
        &mut self,
        segment: &Segment,
        chunks: Vec<Chunk>,
        chunker: &mut Chunker,
    ) -> io::Result<Vec<Chunk>> {
        if segment.is_first() {
            self.position = 0;
        }
        let Some(end) = chunks.last().map(Chunk::end).filter(|end| *end > self.position) else {
            // The latest chunk spans the whole segment.
            return Ok(Vec::new());
        };
        // The cuts of the segment: where a chunk begins, and where the last one ends.
        let place = |position: u64| {
            if position == end {
                return Some(chunks.len());
            }
            chunks.binary_search_by_key(&position, |chunk| chunk.offset).ok()
        };
        let (mut joined, mut found) = (Vec::new(), place(self.position));
        if found.is_none() {
            let until = |position: u64| {
                found = place(position);
                found.is_some() || position >= end
            };
            chunker.run(&*segment.content, self.position, until, |_| {}, &mut joined)?;
        }
        if let Some(found) = found {
            joined.extend_from_slice(&chunks[found..]);
        }
        self.position = joined.last().map_or(self.position, Chunk::end);
        Ok(joined)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::sync::Arc;

    use hashlanes::{Algorithm, Engine};
    use hashlanes_files::RegularFile;

    use super::*;
    use crate::Content;
    use crate::dedup::Sizes;

    /// Compares the chunks of a file that is cut sequentially with those of joined segments.
    fn compare(bytes: &[u8], sizes: Sizes, length: u64) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        let file: Arc<dyn Content + Send> = Arc::new(RegularFile::open(&path).unwrap());
        let mut chunker = Chunker::new(sizes, Engine::of(Algorithm::Md5), 0);
        let mut whole = Vec::new();
        let counted = Cell::new(0);
        let seen = |count| counted.set(counted.get() + count);
        chunker.run(&*file, 0, |_| false, seen, &mut whole).unwrap();
        assert_eq!(counted.get(), bytes.len() as u64);
        let (mut stitch, mut joined, mut begin) = (Stitch::default(), Vec::new(), 0);
        while begin < bytes.len() as u64 {
            let end = (begin + length).min(bytes.len() as u64);
            let segment =
                Segment { path: Arc::new(path.clone()), content: file.clone(), begin, end };
            let mut chunks = Vec::new();
            chunker.run(&*file, begin, |position| position >= end, |_| {}, &mut chunks).unwrap();
            joined.extend(stitch.join(&segment, chunks, &mut chunker).unwrap());
            begin = end;
        }
        assert!(joined == whole, "{} bytes in segments of {length}", bytes.len());
    }

    #[test]
    fn segments_give_the_chunks_of_the_whole_file() {
        let mut random: Vec<u8> = Vec::new();
        let mut x = 1_u64;
        while random.len() < 400_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            random.extend(&x.to_le_bytes()[3..]);
        }
        let sizes = Sizes::new(64, 256, 1024).unwrap();
        for length in [1000, 5000, 100_000] {
            compare(&random, sizes, length);
            compare(&random[..100_001], sizes, length);
            // No cut is ever shared: each chunk has the maximum size.
            compare(&vec![0; 100_000], sizes, length);
            compare(
                &[random[..30_000].to_vec(), vec![7; 50_000], random.clone()].concat(),
                sizes,
                length,
            );
        }
        // The chunks are longer than the segments.
        compare(&random, Sizes::new(4096, 8192, 65_536).unwrap(), 3000);
        compare(&random, Sizes::default(), 100);
    }
}
