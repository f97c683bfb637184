//! Deferred bytes of one hasher.

use std::vec::Vec;

use super::pool::Pool;
use crate::wipe;

/// The capacity of a staging without a buffer of the pool, in bytes.
///
/// Adding a message of this length to a round costs about as much as it saves. So these bytes are
/// not worth a buffer, and are not offered to other threads.
pub(super) const SMALL: usize = 1024;

/// How many bytes to copy from one address to another by one call: all, unless that is slow.
///
/// The C library copies more than about 2 KiB with the instruction REP MOVSB. On Zen 3 that takes
/// 15 times as long (0.34 instead of 0.02 s/GB) if the destination lies 1 to 31 bytes behind the
/// source modulo 4 KiB, as it often does with two large allocations.
fn copy_at_once(from: usize, to: usize) -> usize {
    if (1..32).contains(&(to.wrapping_sub(from) % 4096)) { 2048 } else { usize::MAX }
}

/// A queue of bytes, which are appended at the end and consumed from the beginning.
///
/// It begins without memory. When needed, it allocates [`SMALL`] bytes, and for more than that it
/// takes a buffer of the server's pool.
#[derive(Default)]
pub(super) struct Staging {
    bytes: Vec<u8>,
    /// Bytes at the beginning that have been consumed.
    start: usize,
}

impl Staging {
    pub(super) fn as_slice(&self) -> &[u8] {
        &self.bytes[self.start..]
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len() - self.start
    }

    pub(super) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether the memory is a buffer of the pool.
    fn is_pooled(&self) -> bool {
        self.bytes.capacity() > SMALL
    }

    /// Copies `bytes` to the end. Returns false and copies nothing if a buffer of the pool has no
    /// room for all, or if there is no memory.
    #[inline]
    pub(super) fn append(&mut self, bytes: &[u8], pool: &Pool) -> bool {
        let len = self.len() + bytes.len();
        if len > pool.size() {
            return false;
        }
        if !self.is_pooled() {
            if len <= SMALL {
                if self.bytes.try_reserve_exact(SMALL - self.bytes.len()).is_err() {
                    return false;
                }
            } else {
                let Some(mut larger) = pool.buffer() else { return false };
                larger.extend_from_slice(self.as_slice());
                // This drops the small one, which is wiped.
                *self = Self { bytes: larger, start: 0 };
            }
        }
        if self.bytes.len() + bytes.len() > self.bytes.capacity() {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        let end = self.bytes.as_ptr().addr() + self.bytes.len();
        for piece in bytes.chunks(copy_at_once(bytes.as_ptr().addr(), end)) {
            self.bytes.extend_from_slice(piece);
        }
        true
    }

    /// Drops the first `count` bytes.
    pub(super) fn consume(&mut self, count: usize) {
        assert!(count <= self.len());
        self.start += count;
        if self.is_empty() {
            self.clear();
        }
    }

    /// Drops all bytes. With the feature `zeroize` it wipes the memory, so that an empty staging
    /// contains no data.
    pub(super) fn clear(&mut self) {
        self.start = 0;
        // The entire capacity, because consumed bytes may lie behind the end.
        wipe::clear(&mut self.bytes);
    }

    /// The buffer of the pool, if there is one that is no longer needed, to be given back.
    pub(super) fn spare(&mut self) -> Option<Vec<u8>> {
        (self.is_empty() && self.is_pooled()).then(|| core::mem::take(&mut self.bytes))
    }
}

#[cfg(feature = "zeroize")]
impl Drop for Staging {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in_and_the_limit_holds() {
        let limit = 4096;
        let mut staging = Staging::default();
        let pool = Pool::new(limit, 1);
        let (mut sent, mut seen) = (0_u32, 0_u32);
        for step in 0..10_000_usize {
            let piece: Vec<u8> = (0..(step * 37) % 900).map(|i| (sent + i as u32) as u8).collect();
            let fits = staging.len() + piece.len() <= limit;
            assert_eq!(staging.append(&piece, &pool), fits);
            if fits {
                sent += piece.len() as u32;
            } else {
                let count = staging.len() * (step % 5) / 4;
                for &byte in &staging.as_slice()[..count] {
                    assert_eq!(byte, seen as u8);
                    seen += 1;
                }
                staging.consume(count);
            }
            assert!(staging.bytes.capacity() <= limit, "memory never grows past the buffer");
        }
        assert!(seen > 1_000_000);
    }

    #[test]
    fn bytes_move_to_the_front_before_there_is_no_room_behind_them() {
        let (mut staging, pool) = (Staging::default(), Pool::new(4096, 1));
        assert!(staging.append(&[1; 4096], &pool));
        staging.consume(4000);
        for byte in [2, 3] {
            assert!(staging.append(&[byte], &pool));
        }
        assert_eq!(*staging.as_slice(), [&[1; 96][..], &[2, 3]].concat());
        assert_eq!(staging.bytes.capacity(), 4096);
    }

    #[test]
    fn copies_that_would_stall_are_cut() {
        for from in [0x7000, 0x7010, 0x7fff] {
            let cut: Vec<_> = (0..4096)
                .filter(|behind| copy_at_once(from, 0x1_0000 + from + behind) < usize::MAX)
                .collect();
            assert_eq!(cut, (1..32).collect::<Vec<_>>());
            assert_eq!(copy_at_once(from, from - 1), usize::MAX);
        }
    }

    #[test]
    fn a_few_bytes_take_no_buffer_and_a_spare_one_comes_back() {
        let mut staging = Staging::default();
        let (none, one) = (Pool::new(4096, 0), Pool::new(4096, 1));
        assert!(staging.append(&[1; SMALL], &none));
        assert!(!staging.append(&[1], &none), "no memory, nothing copied");
        assert!(staging.append(&[2; 4096 - SMALL], &one));
        assert!(staging.spare().is_none());
        staging.consume(4096);
        assert_eq!(staging.spare().map(|buffer| buffer.capacity()), Some(4096));
        assert!(staging.spare().is_none());
    }
}
