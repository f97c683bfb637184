//! Bytes of one hasher whose hashing is deferred.

use std::vec::Vec;

use crate::wipe;

/// The capacity that a staging has by itself, in bytes.
///
/// A round for one more message of so few bytes costs about what it saves. So they are not worth a
/// buffer of the pool, and are not offered to others.
pub(super) const SMALL: usize = 1024;

/// How many bytes to copy by one call from one address to another: all, except where that is slow.
///
/// The C library copies more than about 2 KiB with the instruction REP MOVSB. On Zen 3 that takes
/// 15 times as long (0.34 s/GB, not 0.02) if the destination lies 1 to 31 bytes behind the source
/// modulo 4 KiB. Two large allocations often lie like that.
fn copy_at_once(from: usize, to: usize) -> usize {
    if (1..32).contains(&(to.wrapping_sub(from) % 4096)) { 2048 } else { usize::MAX }
}

/// A queue of bytes: appended at the end, consumed from the beginning.
///
/// It begins without memory. It takes [`SMALL`] bytes of its own when needed, and a buffer of the
/// server's pool for more.
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

    /// Copies `bytes` to the end. False if nothing was copied, since there would be more than
    /// `limit` bytes or memory cannot be had.
    ///
    /// `buffer` gives an empty buffer of the pool. Its capacity is `limit`, more than [`SMALL`].
    pub(super) fn append(
        &mut self,
        bytes: &[u8],
        limit: usize,
        buffer: impl FnOnce() -> Option<Vec<u8>>,
    ) -> bool {
        let len = self.len() + bytes.len();
        if len > limit {
            return false;
        }
        if !self.is_pooled() {
            if len <= SMALL {
                if self.bytes.try_reserve_exact(SMALL - self.bytes.len()).is_err() {
                    return false;
                }
            } else {
                let Some(mut larger) = buffer() else { return false };
                larger.extend_from_slice(self.as_slice());
                // Drops the small one, which wipes it.
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

    /// Drops all bytes. With the feature `zeroize` the memory is wiped, so that of an empty staging
    /// holds nothing.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.start = 0;
        // All of the capacity: consumed bytes may lie behind the end.
        wipe::memory(self.bytes.spare_capacity_mut());
    }

    /// The buffer of the pool, if there is one and it is not needed: to be given back.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_out_as_they_went_in_and_the_limit_holds() {
        let limit = 4096;
        let mut staging = Staging::default();
        let buffer = || Some(Vec::with_capacity(limit));
        let (mut sent, mut seen) = (0_u32, 0_u32);
        for step in 0..10_000_usize {
            let piece: Vec<u8> = (0..(step * 37) % 900).map(|i| (sent + i as u32) as u8).collect();
            let fits = staging.len() + piece.len() <= limit;
            assert_eq!(staging.append(&piece, limit, buffer), fits);
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
        assert!(staging.append(&[1; SMALL], 4096, || panic!("small")));
        assert!(!staging.append(&[1], 4096, || None), "no memory, nothing copied");
        assert!(staging.append(&[2; 4096 - SMALL], 4096, || Some(Vec::with_capacity(4096))));
        assert!(staging.spare().is_none());
        staging.consume(4096);
        assert_eq!(staging.spare().map(|buffer| buffer.capacity()), Some(4096));
        assert!(staging.spare().is_none());
    }
}
