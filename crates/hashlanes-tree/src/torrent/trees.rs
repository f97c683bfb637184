//! Builds the trees of all files from the leaves of all blocks.

use std::io;

use super::blocks::Blocks;
use super::merkle::{BLOCK, Node, Tree};
use super::metainfo::FileHashes;
use crate::{Content, Sink};

/// Receives the leaves of all blocks, including those of the zeros between files.
pub(super) struct Trees<'a, C> {
    content: &'a Blocks<C>,
    piece_length: u64,
    /// The number of the next leaf.
    next: u64,
    /// The current file.
    file: usize,
    tree: Tree,
    /// The hashes of the finished files.
    hashes: Vec<Option<FileHashes>>,
}

impl<'a, C: Content> Trees<'a, C> {
    pub(super) fn new(content: &'a Blocks<C>, piece_length: u64) -> Self {
        let (tree, hashes) = (Tree::new(piece_length), Vec::with_capacity(content.places.len()));
        Self { content, piece_length, next: 0, file: 0, tree, hashes }
    }

    /// The hashes of all files, `None` for empty ones.
    pub(super) fn finish(mut self) -> Vec<Option<FileHashes>> {
        self.hashes.resize(self.content.places.len(), None);
        self.hashes
    }

    /// Skips empty files.
    fn skip_empty(&mut self) {
        let rest = &self.content.places[self.file..];
        let empty = rest.iter().take_while(|place| place.length == 0).count();
        self.file += empty;
        self.hashes.resize(self.file, None);
    }

    fn end_file(&mut self) {
        let tree = std::mem::replace(&mut self.tree, Tree::new(self.piece_length));
        let (root, layer) = tree.finish();
        self.hashes.push(Some(FileHashes { root, layer: layer.into() }));
        self.file += 1;
    }

    /// Takes the leaves of one file, or of zeros, and returns their number.
    fn take(&mut self, leaves: &[Node]) -> io::Result<usize> {
        self.skip_empty();
        let Some(place) = self.content.places.get(self.file) else { return Ok(leaves.len()) };
        let begin = place.begin / BLOCK;
        if self.next < begin {
            return Ok((begin - self.next).min(leaves.len() as u64) as usize);
        }
        let left = begin + place.length.div_ceil(BLOCK) - self.next;
        if left > leaves.len() as u64 {
            self.tree.push(leaves);
            return Ok(leaves.len());
        }
        let (last, others) = leaves[..left as usize].split_last().expect("the file has a block");
        self.tree.push(others);
        let is_whole = place.length.is_multiple_of(BLOCK);
        let tail = if is_whole { Ok(*last) } else { self.content.tail(place) };
        self.tree.push(&[tail.map_err(|error| error.error)?]);
        self.end_file();
        Ok(left as usize)
    }
}

impl<C: Content> Sink for Trees<'_, C> {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        let (mut leaves, _) = digests.as_chunks::<32>();
        while !leaves.is_empty() {
            let taken = self.take(leaves)?;
            self.next += taken as u64;
            leaves = &leaves[taken..];
        }
        Ok(())
    }
}
