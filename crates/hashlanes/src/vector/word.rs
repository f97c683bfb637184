//! The words that vectors hold, and how many make a block.

use crate::wipe::Wipe;

/// Words per message block: 16 in every algorithm of the MD4 family, of 4 bytes (a block of 64
/// bytes) or of 8 (128).
pub(crate) const BLOCK_WORDS: usize = 16;

/// The unit of a state and of a message block: 32 or 64 bits.
pub trait Word: Copy + Default + Wipe + Send + Sync + core::fmt::Debug + Eq + 'static {
    /// Bytes in a word.
    const BYTES: usize;

    /// Writes the word to `bytes`, `BYTES` of them.
    fn write(self, bytes: &mut [u8], big_endian: bool);

    /// The word of `BYTES` bytes that [`write`](Self::write) writes so.
    fn read(bytes: &[u8], big_endian: bool) -> Self;

    /// The exclusive or.
    fn xor(self, other: Self) -> Self;

    /// The word as a number of 64 bits.
    fn to_u64(self) -> u64;

    /// The word of the lowest bits of a number.
    fn from_u64(number: u64) -> Self;

    /// The same words, if they have 64 bits.
    fn as_u64s(words: &[Self]) -> Option<&[u64]>;
}

macro_rules! word {
    ($word:ident, $as_u64s:expr) => {
        impl Word for $word {
            const BYTES: usize = size_of::<$word>();

            #[inline(always)]
            fn write(self, bytes: &mut [u8], big_endian: bool) {
                bytes.copy_from_slice(&if big_endian {
                    self.to_be_bytes()
                } else {
                    self.to_le_bytes()
                });
            }

            #[inline(always)]
            fn read(bytes: &[u8], big_endian: bool) -> Self {
                let mut word = [0; size_of::<$word>()];
                word.copy_from_slice(bytes);
                if big_endian { Self::from_be_bytes(word) } else { Self::from_le_bytes(word) }
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }

            #[inline(always)]
            fn to_u64(self) -> u64 {
                self.into()
            }

            #[inline(always)]
            fn from_u64(number: u64) -> Self {
                number as Self
            }

            #[inline(always)]
            fn as_u64s(words: &[Self]) -> Option<&[u64]> {
                $as_u64s(words)
            }
        }
    };
}

word!(u32, |_| None);
word!(u64, Some);
