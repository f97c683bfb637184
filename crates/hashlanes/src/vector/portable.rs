//! The portable vector: a plain word, one lane.
//!
//! With it an algorithm is the textbook's scalar code, for CPUs without kernels of their own.

use super::{BLOCK_WORDS, Vector};

macro_rules! one_lane {
    ($word:ident) => {
        impl Vector for $word {
            type Word = $word;
            const LANES: usize = 1;
            const AHEAD: bool = false;

            #[inline(always)]
            unsafe fn load(source: *const $word) -> Self {
                // SAFETY: the caller promises that one word is readable. No alignment is needed.
                unsafe { source.read_unaligned() }
            }

            #[inline(always)]
            unsafe fn store(&self, target: *mut $word) {
                // SAFETY: the caller promises that one word is writable. No alignment is needed.
                unsafe { target.write_unaligned(*self) }
            }

            #[inline(always)]
            unsafe fn load_words<const BIG_ENDIAN: bool>(
                data: *const *const u8,
                offset: usize,
            ) -> [Self; BLOCK_WORDS / 4] {
                // SAFETY: the caller promises that `data` has one pointer (LANES = 1) and that it
                // is readable for 4 words from `offset`. They are read as arrays of bytes, which
                // need no alignment.
                let words = unsafe {
                    &*data.read().add(offset).cast::<[[u8; size_of::<$word>()]; BLOCK_WORDS / 4]>()
                };
                if BIG_ENDIAN {
                    words.map($word::from_be_bytes)
                } else {
                    words.map($word::from_le_bytes)
                }
            }

            #[inline(always)]
            fn add(&self, other: &Self) -> Self {
                self.wrapping_add(*other)
            }

            #[inline(always)]
            fn add_word(&self, word: $word) -> Self {
                self.wrapping_add(word)
            }

            #[inline(always)]
            fn xor(&self, other: &Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn and(&self, other: &Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(&self, other: &Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn and_not(&self, other: &Self) -> Self {
                !self & other
            }

            #[inline(always)]
            fn rotate_left<const N: i32>(&self) -> Self {
                $word::rotate_left(*self, N as u32)
            }

            #[inline(always)]
            fn rotate_right<const N: i32>(&self) -> Self {
                $word::rotate_right(*self, N as u32)
            }

            #[inline(always)]
            fn shift_right<const N: i32>(&self) -> Self {
                self >> N
            }

            #[inline(always)]
            fn choose(&self, b: &Self, c: &Self) -> Self {
                c ^ (self & (b ^ c))
            }

            #[inline(always)]
            fn add_xor_or_not(&self, b: &Self, c: &Self, d: &Self) -> Self {
                self.wrapping_add(c ^ (b | !d))
            }
        }
    };
}

one_lane!(u32);
one_lane!(u64);
