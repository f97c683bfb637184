//! Last blocks that consist only of padding, and so can be precomputed.

use core::mem::MaybeUninit;

use crate::family::Rules;
use crate::family::known::Sums;
use crate::family::padding::{last_block, tail_blocks};
use crate::schedule::rules::{Md, MdWord};

/// The sums of padding blocks: those for short messages from a table, and those for one other
/// length, computed.
pub(crate) struct PaddingSums<W: MdWord> {
    rules: Md<W>,
    /// Initialised if `length` is not [`NO_LENGTH`].
    computed: MaybeUninit<Sums<W>>,
    /// The length for which they are.
    length: u64,
}

/// Sentinel: no length yet.
const NO_LENGTH: u64 = u64::MAX;

impl<W: MdWord> PaddingSums<W> {
    pub(crate) const fn new(rules: Md<W>) -> Self {
        Self { rules, computed: MaybeUninit::uninit(), length: NO_LENGTH }
    }

    /// Computes the sums for messages of `length < 2^61` bytes, if their last block consists only
    /// of padding and is not in the table. This takes about as long as compressing a block.
    #[inline(always)]
    pub(crate) fn compute(&mut self, length: u64) {
        let rest = length as usize % Md::<W>::BLOCK;
        let all_padding = rest == 0 || tail_blocks::<W>(rest) == 2;
        if all_padding && self.length != length && self.rules.known_padding(length).is_none() {
            let block = last_block(self.rules.big_endian(), length);
            self.computed.write(self.rules.sums(&block));
            self.length = length;
        }
    }

    /// The sums of the last block of messages of `length` bytes, if available.
    #[inline(always)]
    pub(crate) fn of(&self, length: u64) -> Option<&Sums<W>> {
        if self.length == length && length != NO_LENGTH {
            // SAFETY: `compute` wrote `computed` when it wrote this length.
            return Some(unsafe { self.computed.assume_init_ref() });
        }
        self.rules.known_padding(length)
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;
    use crate::family::{Family, MerkleDamgard, sha512::Sha512Family};
    use crate::family::{md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family};
    use crate::schedule::rules::Ruled;
    use crate::vector::Vector;

    /// Compresses the last block of a message whose length is a multiple of the block length, from
    /// its bytes and from its sums.
    fn check<F: MerkleDamgard + Ruled<Rules = Md<<F as Family>::Word>>>(
        state: [F::Word; 8],
        length: u64,
    ) where
        F::Word: MdWord + Vector<Word = F::Word>,
    {
        let block = last_block(F::BIG_ENDIAN, length);
        let (mut plain, mut known) = (state, state);
        F::compress(&mut plain, &block, &mut ());
        let mut sums = PaddingSums::new(F::RULES);
        let in_table = length.is_multiple_of(64) && (1..=4).contains(&(length / F::BLOCK as u64));
        assert_eq!(sums.of(length).is_some(), in_table);
        sums.compute(length);
        F::compress_known(&mut known, sums.of(length).unwrap(), &mut ());
        assert_eq!(plain, known, "{length}");
        assert_eq!(sums.of(length ^ 1), None);
        // The last block contains message bytes, so there are no sums.
        sums.compute(length / 64 * 64 + 1);
        assert_eq!(sums.of(length / 64 * 64 + 1), None);
    }

    #[test]
    fn a_padding_block_is_compressed_as_if_it_were_read() {
        for blocks in [0, 1, 2, 3, 4, 5, 17, 1 << 23, (1 << 54) - 1] {
            let word = |i: u32| 0x9e37_79b9_u32.wrapping_mul(i);
            check::<Md5Family>(core::array::from_fn(|i| word(i as u32)), 64 * blocks);
            check::<Sha1Family>(core::array::from_fn(|i| word(i as u32)), 64 * blocks);
            check::<Sha256Family>(core::array::from_fn(|i| word(i as u32)), 64 * blocks);
            let word = |i: usize| u64::from(word(i as u32)) << 32 | u64::from(word(i as u32 + 9));
            check::<Sha512Family>(core::array::from_fn(word), 128 * blocks);
            check::<Sha1Family>(core::array::from_fn(|i| i as u32), 64 * blocks + 56);
            check::<Md5Family>(core::array::from_fn(|i| i as u32), 64 * blocks + 63);
            check::<Sha512Family>(core::array::from_fn(word), 128 * blocks + 112);
        }
    }
}
