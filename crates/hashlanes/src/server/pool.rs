//! The buffers of a server: how many there may be, and those that are not in use.
//!
//! Memory is allocated and freed without the lock, and requests for it can fail: a server without
//! memory defers nothing and hashes at once.

use std::vec::Vec;

use super::sync::{self, Mutex};

pub(super) struct Pool {
    /// Bytes of a buffer.
    size: usize,
    /// The most buffers that may exist.
    most: usize,
    buffers: Mutex<Buffers>,
}

struct Buffers {
    /// Those that are not in use, with capacity for all that exist.
    spare: Vec<Vec<u8>>,
    /// How many exist, in use or spare.
    exist: usize,
}

impl Pool {
    /// A pool of at most `most` buffers of `size` bytes.
    pub(super) fn new(size: usize, most: usize) -> Self {
        Self { size, most, buffers: Mutex::new(Buffers { spare: Vec::new(), exist: 0 }) }
    }

    /// Bytes of a buffer.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// An empty buffer, unless all are in use or there is no memory.
    pub(super) fn buffer(&self) -> Option<Vec<u8>> {
        let mut buffers = sync::lock(&self.buffers);
        if let Some(buffer) = buffers.spare.pop() {
            return Some(buffer);
        }
        if buffers.exist == self.most {
            return None;
        }
        buffers.exist += 1;
        let missing = (buffers.exist > buffers.spare.capacity()).then_some(buffers.exist);
        drop(buffers);
        let buffer = self.another(missing);
        if buffer.is_none() {
            sync::lock(&self.buffers).exist -= 1;
        }
        buffer
    }

    /// A new buffer, after reserving capacity for `missing` spare ones.
    fn another(&self, missing: Option<usize>) -> Option<Vec<u8>> {
        if let Some(count) = missing {
            let mut room = with_capacity(count.next_power_of_two())?;
            let mut buffers = sync::lock(&self.buffers);
            if room.capacity() > buffers.spare.capacity() {
                room.append(&mut buffers.spare);
                core::mem::swap(&mut room, &mut buffers.spare);
            }
            drop(buffers);
            // The old room is freed here, without the lock.
        }
        with_capacity(self.size)
    }

    /// Takes back buffers that came from [`buffer`](Pool::buffer).
    pub(super) fn give_back(&self, buffers: impl IntoIterator<Item = Vec<u8>>) {
        let mut given = buffers.into_iter().peekable();
        if given.peek().is_some() {
            let mut buffers = sync::lock(&self.buffers);
            for buffer in given {
                debug_assert!(buffers.spare.len() < buffers.spare.capacity(), "room for all");
                buffers.spare.push(buffer);
            }
        }
    }

    /// How many buffers are in use.
    #[cfg(all(test, feature = "all"))]
    pub(super) fn in_use(&self) -> usize {
        let buffers = sync::lock(&self.buffers);
        buffers.exist - buffers.spare.len()
    }
}

/// An empty vector of this capacity, if there is memory for it.
pub(super) fn with_capacity<T>(capacity: usize) -> Option<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(capacity).ok()?;
    Some(vec)
}

#[cfg(all(test, feature = "all", not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_buffers_as_allowed_and_they_are_used_again() {
        let pool = Pool::new(100, 3);
        let mut buffers: Vec<_> = std::iter::from_fn(|| pool.buffer()).collect();
        assert_eq!((buffers.len(), pool.in_use()), (3, 3));
        assert!(buffers.iter().all(|buffer| buffer.is_empty() && buffer.capacity() == 100));
        let memory = buffers[0].as_ptr();
        pool.give_back(buffers.drain(..1));
        assert_eq!(pool.in_use(), 2);
        let again = pool.buffer().unwrap();
        assert_eq!(again.as_ptr(), memory);
        pool.give_back(buffers);
        assert_eq!(pool.in_use(), 1);
    }

    #[test]
    fn a_failed_allocation_is_like_a_pool_in_use() {
        // With 64 bits more than any system has, with 32 more than any allocation may have.
        let bytes = if usize::BITS > 32 { usize::MAX / 4 } else { usize::MAX / 4 * 3 };
        let pool = Pool::new(bytes, 2);
        for _ in 0..5 {
            assert_eq!(pool.buffer(), None);
        }
        assert_eq!(pool.in_use(), 0);
    }
}
