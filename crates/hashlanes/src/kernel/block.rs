//! One block of every lane, between the messages and the registers.

use core::mem::{self, MaybeUninit};

use crate::family::MerkleDamgard;
use crate::vector::{BLOCK_WORDS, PARTS, Vector};

/// One block of every lane, transposed.
///
/// It is in memory because there are too few registers. That also makes the compiler align the
/// stack, and with it every vector that it spills. On an unaligned stack a spilled vector may
/// straddle two cache lines.
pub(super) struct Block<V> {
    words: [MaybeUninit<V>; BLOCK_WORDS],
    /// Bit `p`: part `p` has been loaded.
    loaded: u32,
    /// Whether assembly has loaded it, and arranged it for itself.
    arranged: bool,
}

/// The words of a block.
pub(super) struct Words<'a, V> {
    pub(super) words: &'a mut [V; BLOCK_WORDS],
    /// Whether these are not words yet, but what assembly makes of them.
    pub(super) arranged: bool,
}

impl<V: Vector> Block<V> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { words: [const { MaybeUninit::uninit() }; BLOCK_WORDS], loaded: 0, arranged: false }
    }

    /// Loads one part of the block that begins at byte `offset` in every lane, as rows.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set. `data` is readable for `V::LANES` pointers,
    /// and each of them for the block.
    #[inline(always)]
    pub(super) unsafe fn load_part<F: MerkleDamgard>(
        &mut self,
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) {
        // SAFETY: the caller promises the instruction set, and the whole block readable in every
        // lane.
        unsafe {
            if F::BIG_ENDIAN {
                V::load_part::<true>(&mut self.words, data, offset, part);
            } else {
                V::load_part::<false>(&mut self.words, data, offset, part);
            }
        }
        self.loaded |= 1 << part;
    }

    /// Loads one part of the block, which begins at byte `offset`, as words.
    ///
    /// # Safety
    /// As for [`load_part`](Self::load_part), for a quarter of a block.
    #[inline(always)]
    pub(super) unsafe fn load_part_of_words<F: MerkleDamgard>(
        &mut self,
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) {
        // SAFETY: the caller promises the instruction set, and a quarter of a block from `offset`
        // readable in every lane.
        let words = unsafe {
            if F::BIG_ENDIAN {
                V::load_words::<true>(data, offset)
            } else {
                V::load_words::<false>(data, offset)
            }
        };
        self.put_words(part, words);
    }

    /// Writes one part of the block, as words.
    #[inline(always)]
    pub(super) fn put_words(&mut self, part: usize, words: [V; BLOCK_WORDS / PARTS]) {
        // An iterator over vectors by value becomes a loop through memory.
        let [w0, w1, w2, w3] = words;
        self.words[4 * part].write(w0);
        self.words[4 * part + 1].write(w1);
        self.words[4 * part + 2].write(w2);
        self.words[4 * part + 3].write(w3);
        self.loaded |= 1 << part;
    }

    /// Writes one part of the block, as rows.
    #[inline(always)]
    pub(super) fn put_rows(&mut self, part: usize, rows: [V; BLOCK_WORDS / PARTS]) {
        let [r0, r1, r2, r3] = rows;
        self.words[V::row_place(part, 0)].write(r0);
        self.words[V::row_place(part, 1)].write(r1);
        self.words[V::row_place(part, 2)].write(r2);
        self.words[V::row_place(part, 3)].write(r3);
        self.loaded |= 1 << part;
    }

    /// Keeps one part of the block from the last time.
    ///
    /// # Safety
    /// It was last written as words, not as rows.
    #[inline(always)]
    pub(super) unsafe fn keep_words(&mut self, part: usize) {
        self.loaded |= 1 << part;
    }

    /// Where assembly will have written the block before the next call of [`take`](Self::take).
    #[inline(always)]
    pub(super) fn arranged(&mut self) -> *mut [V; BLOCK_WORDS] {
        (self.loaded, self.arranged) = ((1 << PARTS) - 1, true);
        self.words.as_mut_ptr().cast()
    }

    /// The words of the block, whose parts were loaded as rows or as words, unless assembly
    /// `arranges` blocks and has loaded it. All of them have to be loaded again before the next
    /// call.
    #[inline(always)]
    pub(super) fn take(&mut self, rows: bool, arranges: bool) -> Words<'_, V> {
        assert!(
            self.loaded == (1 << PARTS) - 1,
            "every part of a block is loaded before it is compressed"
        );
        self.loaded = 0;
        let arranged = arranges && mem::take(&mut self.arranged);
        // SAFETY: all parts have been loaded, as asserted, which initialises all 16 vectors.
        let words: &mut [V; BLOCK_WORDS] = unsafe { &mut *self.words.as_mut_ptr().cast() };
        if rows && !arranged {
            let (quarters, _) = words.as_chunks_mut();
            for rows in quarters {
                *rows = V::words_of_rows(*rows);
            }
        }
        Words { words, arranged }
    }
}
