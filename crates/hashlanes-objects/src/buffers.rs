//! Memory for the parts of objects, which is used again. The system takes longer to give pages to
//! a new buffer than to copy a part into it.

use std::mem;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use hashlanes_pool::lock;

/// Shorter buffers come from the allocator's own reserves.
const LEAST: usize = 1 << 20;

/// Buffers that are kept for later.
const MOST: usize = 8;

/// Buffers that nobody uses now.
#[derive(Clone, Default)]
pub(crate) struct Buffers(Arc<Mutex<Vec<Vec<u8>>>>);

/// A buffer that is kept for later when its last user has dropped it.
pub(crate) struct Buffer {
    pub(crate) bytes: Vec<u8>,
    free: Buffers,
}

impl Buffers {
    /// An empty buffer with room for this many bytes.
    pub(crate) fn take(&self, length: usize) -> Buffer {
        let old = if length < LEAST { None } else { lock(&self.0).pop() };
        let mut bytes = old.unwrap_or_default();
        bytes.reserve_exact(length);
        Buffer { bytes, free: self.clone() }
    }
}

impl From<Buffer> for Bytes {
    fn from(buffer: Buffer) -> Self {
        Self::from_owner(buffer)
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        let mut free = lock(&self.free.0);
        if self.bytes.capacity() >= LEAST && free.len() < MOST {
            self.bytes.clear();
            free.push(mem::take(&mut self.bytes));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_buffers_are_used_again_and_few_are_kept() {
        let buffers = Buffers::default();
        let all: Vec<Buffer> = (0..2 * MOST).map(|_| buffers.take(LEAST)).collect();
        let places: Vec<_> = all.iter().map(|buffer| buffer.bytes.as_ptr()).collect();
        drop(all);
        assert_eq!(lock(&buffers.0).len(), MOST);
        let mut again = buffers.take(LEAST);
        again.bytes.resize(LEAST, 7);
        assert!(places.contains(&again.bytes.as_ptr()));
        let sent = Bytes::from(again);
        assert_eq!(lock(&buffers.0).len(), MOST - 1);
        let part = sent.slice(1..);
        drop(sent);
        assert_eq!((part[0], lock(&buffers.0).len()), (7, MOST - 1));
        drop(part);
        assert_eq!(lock(&buffers.0).len(), MOST);
        assert!(buffers.take(2 * LEAST).bytes.is_empty());
        drop(buffers.take(LEAST - 1));
        assert_eq!(lock(&buffers.0).len(), MOST);
    }
}
