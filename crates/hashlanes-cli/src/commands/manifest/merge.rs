//! Merges sequences of files that are sorted by name.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::{Item, Trouble};

/// The files of all sequences, with each name once.
pub(super) struct Merged {
    sources: Vec<Box<dyn Iterator<Item = Item>>>,
    heads: BinaryHeap<Reverse<Head>>,
    trouble: Trouble,
}

/// The next file of a sequence. Among files with the same name, the first sequence's comes first.
struct Head {
    item: Item,
    source: usize,
}

impl Merged {
    pub(super) fn new(mut sources: Vec<Box<dyn Iterator<Item = Item>>>, trouble: Trouble) -> Self {
        let head = |(source, items): (usize, &mut Box<dyn Iterator<Item = Item>>)| {
            Some(Reverse(Head { item: items.next()?, source }))
        };
        let heads = sources.iter_mut().enumerate().filter_map(head).collect();
        Self { sources, heads, trouble }
    }

    /// The first file of all, if `wanted` accepts it.
    fn pop_if(&mut self, wanted: impl FnOnce(&Item) -> bool) -> Option<Item> {
        let mut head = self.heads.peek_mut()?;
        if !wanted(&head.0.item) {
            return None;
        }
        Some(match self.sources[head.0.source].next() {
            Some(next) => std::mem::replace(&mut head.0.item, next),
            None => PeekMut::pop(head).0.item,
        })
    }
}

impl Iterator for Merged {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let mut item = self.pop_if(|_| true)?;
        while let Some(same) = self.pop_if(|next| next.key() == item.key()) {
            item.join(same, &self.trouble);
        }
        Some(item)
    }
}

impl Head {
    fn key(&self) -> (&[u8], usize) {
        (self.item.key(), self.source)
    }
}

impl PartialEq for Head {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Head {}

impl PartialOrd for Head {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Head {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}
