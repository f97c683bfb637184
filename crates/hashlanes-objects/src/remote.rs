//! An object that is read at any offset.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use bytes::Bytes;
use hashlanes_files::{Content, Medium, ReadError};
use hashlanes_pool::lock;
use tokio::runtime::Handle;

use crate::error::lost;
use crate::on_drop::OnDrop;
use crate::store::{Meta, Store};

/// Bytes of a block, which is fetched by one request.
const BLOCK: u64 = 4 << 20;

/// Blocks that are fetched ahead for one place, and the limit for all places together.
const AHEAD: u64 = 7;
const BLOCKS: usize = 32;

/// Places that are read at the same time. Together with the blocks that are fetched ahead, each has
/// the one that it reads.
const PLACES: NonZeroUsize = NonZeroUsize::new(16).unwrap();

/// An object whose bytes are fetched in blocks, all of one version. It is best read from beginning
/// to end, at up to 16 places at the same time.
pub(crate) struct Remote {
    store: Arc<Store>,
    runtime: Handle,
    key: String,
    meta: Meta,
    blocks: Mutex<Blocks>,
}

/// The blocks in memory, and which of the others need not be fetched ahead.
#[derive(Default)]
struct Blocks {
    /// The most recently used are at the end.
    held: VecDeque<Held>,
    /// The blocks that were read, apart from those below `below`, which all were.
    read: BTreeSet<u64>,
    below: u64,
}

struct Held {
    index: u64,
    block: Arc<Block>,
    /// Bytes that were read.
    read: u64,
}

#[derive(Default)]
struct Block {
    bytes: Mutex<Option<io::Result<Bytes>>>,
    arrived: Condvar,
}

impl Blocks {
    fn place(&self, index: u64) -> Option<usize> {
        self.held.iter().position(|held| held.index == index)
    }

    /// The block, if it is in memory, as the most recently used one.
    fn held(&mut self, index: u64) -> Option<Arc<Block>> {
        let place = self.place(index)?;
        let held = self.held.remove(place)?;
        let block = Arc::clone(&held.block);
        self.held.push_back(held);
        Some(block)
    }

    fn add(&mut self, index: u64) -> Arc<Block> {
        let block = Arc::<Block>::default();
        self.held.push_back(Held { index, block: Arc::clone(&block), read: 0 });
        block
    }

    /// A new block. If there are too many, it takes the place of one that was left before its end.
    fn add_needed(&mut self, index: u64) -> Arc<Block> {
        if self.held.len() >= BLOCKS + PLACES.get() {
            let left = self.held.iter().position(|held| held.read > 0);
            self.held.remove(left.unwrap_or(0));
        }
        // Content that is read again is fetched ahead again.
        if self.was_read(index) {
            self.read.clear();
            self.below = index;
        }
        self.add(index)
    }

    /// Blocks after this one that are worth a request now.
    fn ahead(&self, index: u64, last: u64) -> Vec<u64> {
        let begun = self.held.iter().filter(|held| held.read > 0).count().max(1);
        let share = (BLOCKS / begun).saturating_sub(1) as u64;
        let next = index + 1..=(index + share.min(AHEAD)).min(last);
        let unknown = next.filter(|&next| !self.was_read(next) && self.place(next).is_none());
        unknown.take(BLOCKS.saturating_sub(self.held.len())).collect()
    }

    fn was_read(&self, index: u64) -> bool {
        index < self.below || self.read.contains(&index)
    }

    /// Counts bytes that were read, and lets go of the block after its last one.
    fn advance(&mut self, index: u64, bytes: u64, length: u64) {
        let Some(place) = self.place(index) else { return };
        self.held[place].read += bytes;
        if self.held[place].read >= length {
            self.held.remove(place);
            self.read.insert(index);
            while self.read.remove(&self.below) {
                self.below += 1;
            }
        }
    }
}

impl Remote {
    pub(crate) fn new(store: Arc<Store>, runtime: Handle, key: String, meta: Meta) -> Self {
        Self { store, runtime, key, meta, blocks: Mutex::default() }
    }

    /// Begins to fetch the first bytes.
    pub(crate) fn start(&self) {
        if self.meta.size > 0 {
            self.block(0);
        }
    }

    /// A block, which is being fetched if it was not in memory.
    fn block(&self, index: u64) -> Arc<Block> {
        let mut blocks = lock(&self.blocks);
        if let Some(block) = blocks.held(index) {
            return block;
        }
        let block = blocks.add_needed(index);
        drop(blocks);
        self.fetch(index, Arc::clone(&block));
        block
    }

    fn fetch_ahead(&self, index: u64) {
        let mut blocks = lock(&self.blocks);
        let next = blocks.ahead(index, (self.meta.size - 1) / BLOCK);
        let next: Vec<_> = next.into_iter().map(|index| (index, blocks.add(index))).collect();
        drop(blocks);
        next.into_iter().for_each(|(index, block)| self.fetch(index, block));
    }

    fn fetch(&self, index: u64, block: Arc<Block>) {
        let (store, key, meta) = (Arc::clone(&self.store), self.key.clone(), self.meta.clone());
        let ended = Arc::clone(&block);
        let last = OnDrop(move || ended.finish(Err(lost(()))));
        self.runtime.spawn(async move {
            let _last = last;
            let start = index * BLOCK;
            let end = (start + BLOCK).min(meta.size);
            block.finish(store.fetch(&key, &meta, (start, end)).await);
        });
    }
}

impl Block {
    /// The first end counts.
    fn finish(&self, bytes: io::Result<Bytes>) {
        lock(&self.bytes).get_or_insert(bytes);
        self.arrived.notify_all();
    }

    /// Copies bytes from this offset on, after waiting for them.
    fn read(&self, buffer: &mut [u8], offset: usize) -> io::Result<usize> {
        let bytes = self.arrived.wait_while(lock(&self.bytes), |bytes| bytes.is_none());
        let bytes = bytes.unwrap_or_else(PoisonError::into_inner);
        match bytes.as_ref() {
            Some(Ok(bytes)) => {
                let length = buffer.len().min(bytes.len() - offset);
                buffer[..length].copy_from_slice(&bytes[offset..offset + length]);
                Ok(length)
            }
            // Several threads may get it.
            Some(Err(error)) => Err(io::Error::new(error.kind(), error.to_string())),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Content for Remote {
    fn length(&self) -> u64 {
        self.meta.size
    }

    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> Result<(), ReadError> {
        while !buffer.is_empty() {
            let index = offset / BLOCK;
            let block = self.block(index);
            self.fetch_ahead(index);
            let length = block.read(buffer, (offset % BLOCK) as usize)?;
            let size = BLOCK.min(self.meta.size - index * BLOCK);
            lock(&self.blocks).advance(index, length as u64, size);
            buffer = &mut buffer[length..];
            offset += length as u64;
        }
        Ok(())
    }

    fn medium(&self) -> Medium {
        Medium::Network(PLACES)
    }
}

#[cfg(test)]
mod tests {
    use hashlanes_files::Stream;

    use super::*;
    use crate::served::{response, stores};

    const LAST: u64 = 1000;

    fn indices(blocks: &Blocks) -> Vec<u64> {
        blocks.held.iter().map(|held| held.index).collect()
    }

    #[test]
    fn a_block_that_was_read_is_dropped_and_not_fetched_ahead() {
        let mut blocks = Blocks::default();
        (0..3).for_each(|index| drop(blocks.add_needed(index)));
        blocks.advance(1, BLOCK - 1, BLOCK);
        assert_eq!(indices(&blocks), [0, 1, 2]);
        blocks.advance(1, 1, BLOCK);
        assert_eq!(indices(&blocks), [0, 2]);
        assert_eq!(blocks.ahead(0, LAST), [3, 4, 5, 6, 7]);
        assert_eq!(blocks.ahead(0, 4), [3, 4]);
        // The second time, it is fetched ahead like the others.
        (0..4).for_each(|index| blocks.advance(index, BLOCK, BLOCK));
        blocks.add_needed(0);
        assert_eq!(blocks.ahead(0, 2), [1, 2]);
    }

    #[test]
    fn blocks_in_memory_are_few_however_many_places_are_left_in_the_middle() {
        let mut blocks = Blocks::default();
        for index in 0..LAST {
            blocks.add_needed(10 * index);
            blocks.advance(10 * index, 1, BLOCK);
            assert!(blocks.ahead(10 * index, LAST).len() <= AHEAD as usize);
        }
        assert_eq!(blocks.held.len(), BLOCKS + PLACES.get());
        assert!(blocks.held(10 * LAST - 10).is_some());
        assert!(blocks.ahead(10 * LAST, 20 * LAST).is_empty());
    }

    #[test]
    fn an_object_is_read_at_any_offset() {
        const SIZE: usize = 9 << 20;
        let body: String = (0..SIZE).map(|i| char::from(b'a' + (i / 1000 % 23) as u8)).collect();
        let bytes = body.clone().into_bytes();
        let stores = stores(move |head| {
            let head = head.to_lowercase();
            let range = head.lines().find_map(|line| line.strip_prefix("range: bytes="));
            let (start, end) = range.and_then(|range| range.split_once('-')).unwrap_or(("0", "0"));
            let (start, end): (usize, usize) = (start.parse().unwrap(), end.parse().unwrap());
            let of = format!("ETag: \"a\"\r\nContent-Range: bytes {start}-{end}/{SIZE}\r\n");
            response(206, &of, &body[start..=end])
        });
        let object = stores.object(&"s3://b/a".parse().unwrap()).unwrap();
        let remote = Box::new(object).into_content().unwrap();
        assert_eq!(remote.length(), SIZE as u64);
        for turn in 0..2 {
            for offset in (0..SIZE).step_by(700_000 + turn).rev() {
                let mut buffer = vec![0; 700_000.min(SIZE - offset)];
                remote.read_exact_at(&mut buffer, offset as u64).unwrap();
                assert!(buffer == bytes[offset..offset + buffer.len()]);
            }
        }
    }
}
