//! Merges sequences of files that are sorted by name.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::Peekable;

use super::{Item, Trouble};

/// The files of all sequences, with each name once.
pub(super) struct Merged {
    sources: Vec<Peekable<Box<dyn Iterator<Item = Item>>>>,
    /// The key of the next file of each sequence. Among files with the same key, the first
    /// sequence's comes first.
    heads: BinaryHeap<Reverse<(Vec<u8>, usize)>>,
    trouble: Trouble,
}

impl Merged {
    pub(super) fn new(sources: Vec<Box<dyn Iterator<Item = Item>>>, trouble: Trouble) -> Self {
        let sources = sources.into_iter().map(Iterator::peekable).collect();
        let mut merged = Self { sources, heads: BinaryHeap::new(), trouble };
        (0..merged.sources.len()).for_each(|source| merged.push_head(source));
        merged
    }

    fn push_head(&mut self, source: usize) {
        let next = self.sources[source].peek();
        self.heads.extend(next.map(|item| Reverse((item.key().to_vec(), source))));
    }

    /// The first file of all.
    fn pop(&mut self) -> Option<Item> {
        let Reverse((_, source)) = self.heads.pop()?;
        let item = self.sources[source].next();
        self.push_head(source);
        item
    }
}

impl Iterator for Merged {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let mut item = self.pop()?;
        while self.heads.peek().is_some_and(|Reverse((key, _))| key == item.key()) {
            item.join(self.pop()?, &self.trouble);
        }
        Some(item)
    }
}
