//! Vectors whose instruction set loads and stores under masks. They hash whole messages without
//! memory of their own (see `kernel/whole.rs`).

use super::{BLOCK_WORDS, Interleave, PARTS, Vector};

/// A vector that loads partial blocks and stores digests. Slices of numbers have at least one
/// number for each lane.
pub(crate) trait MaskedVector: Vector {
    /// Whether the registers have room for two vectors while a known block is compressed.
    const PAIRS: bool;

    /// The same word in every lane.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set.
    unsafe fn splat(word: Self::Word) -> Self;

    /// The last `count` bytes of messages of `length` bytes each, followed by zeros, as four words.
    /// `count` is `1..=length`, and below the bytes of four words.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set. `data` is readable for `LANES` pointers, and
    /// each of them for `length` bytes.
    unsafe fn load_end<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        length: usize,
        count: usize,
    ) -> [Self; BLOCK_WORDS / 4];

    /// The rows of part `part` of the block that begins at byte `offset`, in which or before which
    /// messages end. `left[l]` bytes of lane `l` are loaded, at most the block's. If they are
    /// fewer, the byte 0x80 and zeros follow. If `left[l]` is negative, all bytes are zeros.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set. `data` is readable for `LANES` pointers, and
    /// each of them for `offset + left[l]` bytes if that is more than `offset`.
    unsafe fn load_ragged<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        left: &[i32],
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS];

    /// Adds `bits[l]` to lane `l` if `blocks[l]` is `block`.
    fn add_in_last(&self, bits: &[i32], blocks: &[i32], block: usize) -> Self;

    /// In lane `l` the word of `before` if `blocks[l]` is at most `block`.
    fn or_if_done(&self, before: &Self, blocks: &[i32], block: usize) -> Self;

    /// Stores the first `size` bytes of the state of lane `l` to `to[l]`. `size` is 16 to 64, a
    /// multiple of 4.
    ///
    /// # Safety
    /// `to` is readable for `LANES` pointers, and each of them is writable for `size` bytes.
    unsafe fn store_digests<const BIG_ENDIAN: bool>(
        state: &[Self; 8],
        to: *const *mut u8,
        size: usize,
    );
}

impl<V: MaskedVector, const ROWS: bool> MaskedVector for Interleave<V, ROWS> {
    /// Two of them would be four vectors.
    const PAIRS: bool = false;

    #[inline(always)]
    unsafe fn splat(word: V::Word) -> Self {
        // SAFETY: the caller promises that the CPU has the instruction set of `V`.
        let word = unsafe { V::splat(word) };
        Self(word, word)
    }

    #[inline(always)]
    unsafe fn load_end<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        length: usize,
        count: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: `data` has 2 * V::LANES pointers, as the caller promises: each half has those of
        // one group.
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = unsafe {
            (
                V::load_end::<BIG_ENDIAN>(data, length, count),
                V::load_end::<BIG_ENDIAN>(data.add(V::LANES), length, count),
            )
        };
        [Self(a0, b0), Self(a1, b1), Self(a2, b2), Self(a3, b3)]
    }

    #[inline(always)]
    unsafe fn load_ragged<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        left: &[i32],
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: `data` has 2 * V::LANES pointers, as the caller promises: each half has those of
        // one group.
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = unsafe {
            (
                V::load_ragged::<BIG_ENDIAN>(data, offset, left, part),
                V::load_ragged::<BIG_ENDIAN>(data.add(V::LANES), offset, &left[V::LANES..], part),
            )
        };
        [Self(a0, b0), Self(a1, b1), Self(a2, b2), Self(a3, b3)]
    }

    #[inline(always)]
    fn add_in_last(&self, bits: &[i32], blocks: &[i32], block: usize) -> Self {
        Self(
            self.0.add_in_last(bits, blocks, block),
            self.1.add_in_last(&bits[V::LANES..], &blocks[V::LANES..], block),
        )
    }

    #[inline(always)]
    fn or_if_done(&self, before: &Self, blocks: &[i32], block: usize) -> Self {
        Self(
            self.0.or_if_done(&before.0, blocks, block),
            self.1.or_if_done(&before.1, &blocks[V::LANES..], block),
        )
    }

    #[inline(always)]
    unsafe fn store_digests<const BIG_ENDIAN: bool>(
        state: &[Self; 8],
        to: *const *mut u8,
        size: usize,
    ) {
        let (mut low, mut high) = ([state[0].0; 8], [state[0].1; 8]);
        for w in 0..8 {
            (low[w], high[w]) = (state[w].0, state[w].1);
        }
        // SAFETY: `to` has 2 * V::LANES pointers, as the caller promises: each half has those of
        // one group.
        unsafe {
            V::store_digests::<BIG_ENDIAN>(&low, to, size);
            V::store_digests::<BIG_ENDIAN>(&high, to.add(V::LANES), size);
        }
    }
}
