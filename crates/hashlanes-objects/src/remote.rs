//! An object that is read at any offset.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use bytes::Bytes;
use hashlanes_pool::lock;
use hashlanes_tree::{Content, Medium, ReadError};
use tokio::runtime::Handle;

use crate::error::lost;
use crate::on_drop::OnDrop;
use crate::store::{Meta, Store};

/// Bytes of a block, which is fetched by one request.
const BLOCK: u64 = 8 << 20;

/// Blocks after the one that is read that are fetched, too.
const AHEAD: u64 = 3;

/// Blocks in memory.
const BLOCKS: usize = 12;

/// An object whose bytes are fetched in blocks, all of one version. It is best read from the
/// beginning to the end.
pub struct Remote {
    store: Arc<Store>,
    runtime: Handle,
    key: String,
    meta: Meta,
    /// The latest are at the end.
    blocks: Mutex<VecDeque<(u64, Arc<Block>)>>,
}

#[derive(Default)]
struct Block {
    bytes: Mutex<Option<io::Result<Bytes>>>,
    arrived: Condvar,
}

impl Remote {
    pub(crate) fn new(store: Arc<Store>, runtime: Handle, key: String, meta: Meta) -> Self {
        Self { store, runtime, key, meta, blocks: Mutex::default() }
    }

    /// Begins to fetch the first bytes.
    pub fn start(&self) {
        if self.meta.size > 0 {
            self.block(0);
        }
    }

    fn block(&self, index: u64) -> Arc<Block> {
        let mut blocks = lock(&self.blocks);
        if let Some((_, block)) = blocks.iter().find(|(known, _)| *known == index) {
            return Arc::clone(block);
        }
        if blocks.len() >= BLOCKS {
            blocks.pop_front();
        }
        let block = Arc::<Block>::default();
        blocks.push_back((index, Arc::clone(&block)));
        drop(blocks);
        self.fetch(index, Arc::clone(&block));
        block
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
            let last = (self.meta.size - 1) / BLOCK;
            (index + 1..=(index + AHEAD).min(last)).for_each(|next| drop(self.block(next)));
            let length = block.read(buffer, (offset % BLOCK) as usize)?;
            buffer = &mut buffer[length..];
            offset += length as u64;
        }
        Ok(())
    }

    /// Blocks are fetched ahead, so one place at a time is best.
    fn medium(&self) -> Medium {
        Medium::RotationalDisk
    }
}
