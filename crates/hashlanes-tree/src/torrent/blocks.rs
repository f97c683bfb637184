//! Concatenated files that are hashed for both versions with a single read.
//!
//! Version 1 hashes pieces of the concatenation, including the zeros between the files. Version 2
//! hashes blocks of each file, and a file's last block ends with the file. So short last blocks are
//! hashed here, when they are read.

use std::ops::Range;
use std::sync::OnceLock;

use hashlanes::{Engine, Sha256};

use super::merkle::{BLOCK, Node};
use crate::{Content, ReadError};

/// The position of a file in the content.
pub(super) struct Place {
    /// A multiple of [`BLOCK`] if version 2 is hashed.
    pub(super) begin: u64,
    pub(super) length: u64,
}

/// Content that contains files.
pub(super) struct Blocks<C> {
    pub(super) content: C,
    /// The positions of the files, in order.
    pub(super) places: Vec<Place>,
    /// The short last blocks of files, in order.
    tails: Vec<Tail>,
}

struct Tail {
    begin: u64,
    end: u64,
    digest: OnceLock<Node>,
}

impl<C: Content> Blocks<C> {
    pub(super) fn new(content: C, places: Vec<Place>) -> Self {
        let short = places.iter().filter(|place| !place.length.is_multiple_of(BLOCK));
        let tails = short.map(|place| {
            let end = place.begin + place.length;
            Tail { begin: end - place.length % BLOCK, end, digest: OnceLock::new() }
        });
        Self { tails: tails.collect(), content, places }
    }

    /// The leaf of a file's short last block.
    ///
    /// # Errors
    /// If it has not been read in one piece before, and cannot be read now.
    pub(super) fn tail(&self, place: &Place) -> Result<Node, ReadError> {
        let end = place.begin + place.length;
        let begin = end - place.length % BLOCK;
        let number = self.tails.partition_point(|tail| tail.begin < begin);
        if let Some(digest) = self.tails.get(number).and_then(|tail| tail.digest.get()) {
            return Ok(*digest);
        }
        let mut block = vec![0; (end - begin) as usize];
        self.content.read_exact_at(&mut block, begin)?;
        Ok(Sha256::digest(&block))
    }

    /// Hashes the last blocks that lie entirely in a buffer.
    fn hash_tails(&self, buffer: &[u8], offset: u64) {
        let end = offset + buffer.len() as u64;
        let first = self.tails.partition_point(|tail| tail.begin < offset);
        let inside = || self.tails[first..].iter().take_while(|tail| tail.end <= end);
        let block =
            |tail: &Tail| &buffer[(tail.begin - offset) as usize..(tail.end - offset) as usize];
        let blocks: Vec<&[u8]> = inside().map(block).collect();
        let digests = Engine::<Sha256>::new().digest_many(&blocks);
        for (tail, digest) in inside().zip(digests) {
            // If it was read twice, it may have changed in between. That is detected later.
            let _ = tail.digest.set(digest);
        }
    }
}

impl<C: Content> Content for Blocks<C> {
    fn length(&self) -> u64 {
        self.content.length()
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        self.content.read_exact_at(buffer, offset)?;
        self.hash_tails(buffer, offset);
        Ok(())
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        self.content.is_hole(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tail_that_was_read_in_parts_is_read_again() {
        let bytes: Vec<u8> = (0..40_000_u32).map(|i| (i % 251) as u8).collect();
        let places = vec![Place { begin: 0, length: 100 }, Place { begin: BLOCK, length: 20_000 }];
        let blocks = Blocks::new(bytes.as_slice(), places);
        let mut buffer = vec![0; 200];
        blocks.read_exact_at(&mut buffer, 0).unwrap();
        assert!(blocks.tails[0].digest.get().is_some() && blocks.tails[1].digest.get().is_none());
        let expected = [Sha256::digest(&bytes[..100]), Sha256::digest(&bytes[32_768..36_384])];
        let tails = blocks.places.iter().map(|place| blocks.tail(place).unwrap());
        assert_eq!(tails.collect::<Vec<_>>(), expected);
    }
}
