//! The types of words that an instruction fills.

/// An unsigned integer of 8, 16, 32 or 64 bits.
pub trait Word: sealed::Cut {}

pub(crate) mod sealed {
    use zeroize::DefaultIsZeroes;

    /// How words are cut from the 64 bits of one draw.
    pub trait Cut: DefaultIsZeroes {
        /// Words in one draw.
        const PER_DRAW: usize;

        /// Fills at most `PER_DRAW` words.
        fn cut(draw: u64, words: &mut [Self]);
    }
}

macro_rules! word {
    ($($word:ty)*) => {$(
        impl Word for $word {}

        impl sealed::Cut for $word {
            const PER_DRAW: usize = 8 / size_of::<Self>();

            #[inline]
            fn cut(draw: u64, words: &mut [Self]) {
                for (at, word) in words.iter_mut().enumerate() {
                    *word = (draw >> (at as u32 * Self::BITS)) as Self;
                }
            }
        }
    )*};
}

word!(u8 u16 u32 u64);

#[cfg(test)]
mod tests {
    use super::sealed::Cut;

    #[test]
    fn words_do_not_share_bits() {
        let draw = 0x1122_3344_5566_7788;
        let mut bytes = [0; 8];
        u8::cut(draw, &mut bytes);
        assert_eq!(bytes, draw.to_le_bytes());
        let mut words = [0; 3];
        u16::cut(draw, &mut words);
        assert_eq!(words, [0x7788, 0x5566, 0x3344]);
        let mut words = [0; 2];
        u32::cut(draw, &mut words);
        assert_eq!(words, [0x5566_7788, 0x1122_3344]);
        let mut words = [0];
        u64::cut(draw, &mut words);
        assert_eq!(words, [draw]);
    }
}
