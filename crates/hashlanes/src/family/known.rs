//! Precomputed blocks: all padding, and so the same in every lane whatever the messages.
//!
//! Such a block needs no transposition and no message schedule. For each round, the schedule's word
//! and the round's constant are added once, for all lanes and all messages.

/// The most rounds of any family.
pub(crate) const MAX_ROUNDS: usize = 80;

/// For each round of a block, the word of its message schedule plus the round's constant. MD5 and
/// SHA-256 use the first 64. SM3 has the 68 words of the schedule, without constants.
pub(crate) type Sums<W> = [W; MAX_ROUNDS];

/// For messages of up to this many whole blocks, a table has the sums of the padding block.
/// Computing them takes about as long as hashing a message in lanes.
pub(crate) const TABLE_BLOCKS: usize = 4;

/// Implements what [`MerkleDamgard`] asks for of padding blocks, by a `const fn` from a
/// block to its sums.
macro_rules! known_padding {
    ($sums:path) => {
        const PADDING_SUMS: &'static [$crate::family::known::Sums<Self::Word>;
                     $crate::family::known::TABLE_BLOCKS] = &{
            let zeros = [0; $crate::family::known::MAX_ROUNDS];
            let mut table = [zeros; $crate::family::known::TABLE_BLOCKS];
            let mut i = 0;
            while i < table.len() {
                let length = (i + 1) * <Self as $crate::family::Family>::BLOCK;
                table[i] = $sums(&$crate::family::known::padding_block!(length as u64));
                i += 1;
            }
            table
        };

        fn sums(
            block: &[Self::Word; $crate::vector::BLOCK_WORDS],
        ) -> $crate::family::known::Sums<Self::Word> {
            $sums(block)
        }
    };
}

/// The last block of a message of `length` bytes, which are whole blocks: a bit of one, zeros, and
/// the length in bits (RFC 1321 sections 3.1 and 3.2, FIPS 180-4 section 5.1).
macro_rules! padding_block {
    ($length:expr) => {{
        let bits: u64 = $length << 3;
        let mut block = [0; $crate::vector::BLOCK_WORDS];
        let (low, high) = if Self::BIG_ENDIAN { (15, 14) } else { (14, 15) };
        block[0] = if Self::BIG_ENDIAN { 1 << (8 * Self::Word::BYTES - 1) } else { 0x80 };
        block[low] = bits as Self::Word;
        if Self::Word::BYTES == 4 {
            block[high] = (bits >> 32) as Self::Word;
        }
        block
    }};
}

pub(crate) use {known_padding, padding_block};
