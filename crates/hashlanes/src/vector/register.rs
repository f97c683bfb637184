//! The methods that registers of all instruction sets have, made of a set's intrinsics.
//!
//! An arm of [`vector!`](vector) is a group of methods of [`Vector`](super::Vector). The file of an
//! instruction set names the intrinsics of each group, and writes for itself what is its own.

/// A group of methods of a vector `Self(register)`, or the function that loads its rows. Groups
/// begin with the vector's name and the features of their intrinsics in brackets.
///
/// The methods are safe because a value proves that the CPU has its instructions (see the folder's
/// documentation).
macro_rules! vector {
    // An operation, in a function with the features of its intrinsics. The compiler simplifies that
    // function once. Without it, the copies in memory of which an intrinsic takes its operands
    // would be in every kernel, once for each operation. Empty brackets are for a set whose
    // intrinsics any function can call.
    (
        op [$vector:ident $features:literal] $name:ident $(<$n:ident>)?
        ($a:ident $(, $b:ident)* $(; $word:ident: $type:ty)?) $result:expr
    ) => {
        #[inline(always)]
        fn $name $(<const $n: i32>)? (&self $(, $b: &Self)* $(, $word: $type)?) -> Self {
            #[inline]
            #[target_feature(enable = $features)]
            fn compute $(<const $n: i32>)? (
                $a: &$vector $(, $b: &$vector)* $(, $word: $type)?
            ) -> $vector {
                $vector($result)
            }
            // SAFETY: a value of this type proves the instructions.
            unsafe { compute $(::<$n>)? (self $(, $b)* $(, $word)?) }
        }
    };
    (
        op [] $name:ident ($a:ident $(, $b:ident)* $(; $word:ident: $type:ty)?) $result:expr
    ) => {
        #[inline(always)]
        fn $name (&self $(, $b: &Self)* $(, $word: $type)?) -> Self {
            let $a = self;
            Self($result)
        }
    };

    // Lanes of a word, and the type in which intrinsics take the word.
    (
        $set:tt words $lanes:literal of $word:ident as $number:ty:
        $load:ident, $store:ident, $splat:ident, $add:ident
    ) => {
        type Word = $word;
        const LANES: usize = $lanes;

        #[inline(always)]
        unsafe fn load(source: *const $word) -> Self {
            // SAFETY: the caller promises that the CPU has the instructions and that the words of
            // all lanes are readable. The load needs no alignment.
            Self(unsafe { $load(source.cast()) })
        }

        #[inline(always)]
        unsafe fn store(&self, target: *mut $word) {
            // SAFETY: the caller promises that the words of all lanes are writable. The store needs
            // no alignment.
            unsafe { $store(target.cast(), self.0) }
        }

        vector!(op $set add(a, b) $add(a.0, b.0));
        vector!(op $set add_word(a; word: $word) $add(a.0, $splat(word as $number)));
    };

    // The same in a register of x86, with logic. Its width decides all but the type of the words.
    (
        $set:tt words $lanes:literal of $word:ident as $number:ident in 128:
        $splat:ident, $add:ident
    ) => {
        vector!(
            $set words $lanes of $word as $number: _mm_loadu_si128, _mm_storeu_si128, $splat, $add
        );
        vector!($set logic: _mm_and_si128, _mm_andnot_si128, _mm_or_si128, _mm_xor_si128);
    };
    (
        $set:tt words $lanes:literal of $word:ident as $number:ident in 256:
        $splat:ident, $add:ident
    ) => {
        vector!(
            $set words $lanes of $word as $number:
            _mm256_loadu_si256, _mm256_storeu_si256, $splat, $add
        );
        vector!(
            $set logic: _mm256_and_si256, _mm256_andnot_si256, _mm256_or_si256, _mm256_xor_si256
        );
    };
    (
        $set:tt words $lanes:literal of $word:ident as $number:ident in 512:
        $splat:ident, $add:ident
    ) => {
        vector!(
            $set words $lanes of $word as $number:
            _mm512_loadu_si512, _mm512_storeu_si512, $splat, $add
        );
        vector!(
            $set logic: _mm512_and_si512, _mm512_andnot_si512, _mm512_or_si512, _mm512_xor_si512
        );
    };

    // Logic of two operands.
    ($set:tt logic: $and:ident, $and_not:ident, $or:ident, $xor:ident) => {
        vector!(op $set and(a, b) $and(a.0, b.0));
        vector!(op $set and_not(a, b) $and_not(a.0, b.0));
        vector!(op $set or(a, b) $or(a.0, b.0));
        vector!(op $set xor(a, b) $xor(a.0, b.0));
    };

    // Rotation by two shifts, or by a shuffle of bytes if the bits to the left are a multiple of
    // one number, or those to the right of another. The count of a shift is a number or, on x86,
    // the low half of a register. As it is a constant, the shift becomes an immediate one.
    (
        $set:tt shifts of $bits:literal: $left:ident, $right:ident, $or:ident, $add:ident,
        bytes by $shuffle:ident, left $bytes_left:literal, right $bytes_right:literal
    ) => {
        vector!(op $set rotate_left<N>(a) {
            if const { N % $bytes_left == 0 } {
                $shuffle(a.0, const { rotated_bytes($bits / 8, $bits - N) })
            } else {
                let left = $left(a.0, _mm_cvtsi32_si128(N));
                $or(left, $right(a.0, _mm_cvtsi32_si128($bits - N)))
            }
        });

        vector!(op $set rotate_left_add<N>(a, b) {
            if const { N % $bytes_left == 0 } {
                $add($shuffle(a.0, const { rotated_bytes($bits / 8, $bits - N) }), b.0)
            } else {
                let left = $left(a.0, _mm_cvtsi32_si128(N));
                let right = $right(a.0, _mm_cvtsi32_si128($bits - N));
                $add($add(left, b.0), right)
            }
        });

        vector!(op $set rotate_right<N>(a) {
            if const { N % $bytes_right == 0 } {
                $shuffle(a.0, const { rotated_bytes($bits / 8, N) })
            } else {
                let right = $right(a.0, _mm_cvtsi32_si128(N));
                $or(right, $left(a.0, _mm_cvtsi32_si128($bits - N)))
            }
        });

        vector!($set shift: $right);
    };

    // Rotation by one instruction.
    ($set:tt rotations: $rotate_left:ident, $rotate_right:ident, $shift_right:ident) => {
        vector!(op $set rotate_left<N>(a) $rotate_left::<N>(a.0));
        vector!(op $set rotate_right<N>(a) $rotate_right::<N>(a.0));
        vector!($set shift: $shift_right);
    };

    ($set:tt shift: $shift_right:ident) => {
        vector!(op $set shift_right<N>(a) $shift_right(a.0, _mm_cvtsi32_si128(N)));
    };

    // The function I of MD5 where there is no negation. c ^ (b | !d) is -1 - (c ^ (!b & d)), so a
    // subtraction replaces a negation and an addition. The -1 disappears in the constant of the
    // step.
    (
        $set:tt or_not:
        $sub:ident, $xor:ident, $and_not:ident, $add:ident, $splat:ident
    ) => {
        vector!(op $set add_xor_or_not(a, b, c, d) {
            $add($sub(a.0, $xor($and_not(b.0, d.0), c.0)), $splat(-1))
        });
    };

    // Logic where any function of three bits is one instruction, which takes its truth table.
    ($set:tt ternary: $ternary:ident, $add:ident) => {
        const TERNARY: bool = true;

        vector!(op $set xor3(a, b, c) $ternary::<XOR3>(a.0, b.0, c.0));
        vector!(op $set chi(a, b, c) $ternary::<CHI>(a.0, b.0, c.0));
        vector!(op $set choose(a, b, c) $ternary::<CHOOSE>(a.0, b.0, c.0));
        vector!(op $set majority(a, b, c) $ternary::<MAJORITY>(a.0, b.0, c.0));

        #[inline(always)]
        fn majority_chained(&self, b: &Self, c: &Self, _: &mut Self) -> Self {
            self.majority(b, c)
        }

        vector!(op $set add_choice(a, mask, b, c) {
            $add(a.0, $ternary::<CHOOSE>(mask.0, b.0, c.0))
        });
        vector!(op $set add_parity(a, b, c, d) $add(a.0, $ternary::<XOR3>(b.0, c.0, d.0)));
        vector!(op $set add_xor_or_not(a, b, c, d) {
            $add(a.0, $ternary::<XOR_OR_NOT>(c.0, b.0, d.0))
        });
    };

    // Bits by a mask in one instruction. Where the first two of a majority differ, the third
    // decides. Elsewhere it is any of the two.
    ($set:tt select: $select:ident) => {
        vector!(op $set choose(a, b, c) $select(a.0, b.0, c.0));

        #[inline(always)]
        fn majority(&self, b: &Self, c: &Self) -> Self {
            self.xor(b).choose(c, b)
        }
    };

    // The function that loads 16 bytes of as many messages as fill a register. `$gather` does so,
    // and `$reverse` reverses the bytes of each word.
    (row $register:ty: $gather:path, |$row:ident| $reverse:expr) => {
        /// 16 bytes from `offset` of messages of `data`, the bytes of each word reversed if
        /// `BIG_ENDIAN`.
        ///
        /// # Safety
        /// The CPU has the instructions. `data` is readable for the pointers that are gathered, and
        /// each of these for 16 bytes from `offset`.
        #[inline(always)]
        unsafe fn row<const BIG_ENDIAN: bool>(data: *const *const u8, offset: usize) -> $register {
            // SAFETY: the caller promises the instructions, and messages that are readable there.
            unsafe {
                let $row = $gather(data, offset);
                if BIG_ENDIAN { $reverse } else { $row }
            }
        }
    };

    // Registers as vectors.
    (rows of $register:ty) => {
        #[inline(always)]
        pub(super) fn of([r0, r1, r2, r3]: [$register; 4]) -> [Self; 4] {
            [Self(r0), Self(r1), Self(r2), Self(r3)]
        }
    };

    // Rows that `load_rows` has loaded.
    (words_of_rows: $transpose:path) => {
        #[inline(always)]
        fn words_of_rows([r0, r1, r2, r3]: [Self; 4]) -> [Self; 4] {
            // SAFETY: a value of this type proves the instructions.
            Self::of(unsafe { $transpose([r0.0, r1.0, r2.0, r3.0]) })
        }
    };

    // Four words of each lane, by a transposition: of 32 bits, which are in one row, or of 64,
    // which are in two.
    (load_words of 32: $transpose:path) => {
        vector!(load_words $transpose, |data, offset| [
            (data, offset), (data.add(1), offset), (data.add(2), offset), (data.add(3), offset)
        ]);
    };
    (load_words of 64: $transpose:path) => {
        vector!(load_words $transpose, |data, offset| [
            (data, offset), (data.add(1), offset), (data, offset + 16), (data.add(1), offset + 16)
        ]);
    };
    (
        load_words $transpose:path, |$data:ident, $offset:ident|
        [($d0:expr, $o0:expr), ($d1:expr, $o1:expr), ($d2:expr, $o2:expr), ($d3:expr, $o3:expr)]
    ) => {
        #[inline(always)]
        unsafe fn load_words<const BIG_ENDIAN: bool>(
            $data: *const *const u8,
            $offset: usize,
        ) -> [Self; BLOCK_WORDS / 4] {
            // SAFETY: the caller promises that the CPU has the instructions and that four words
            // from `offset` are readable in all lanes. The rows are these words.
            unsafe {
                let [w0, w1, w2, w3] = $transpose([
                    Self::row::<BIG_ENDIAN>($d0, $o0),
                    Self::row::<BIG_ENDIAN>($d1, $o1),
                    Self::row::<BIG_ENDIAN>($d2, $o2),
                    Self::row::<BIG_ENDIAN>($d3, $o3),
                ]);
                [Self(w0), Self(w1), Self(w2), Self(w3)]
            }
        }
    };

    // The transpositions, by the instructions that take words from the lower or the upper halves of
    // two registers.
    (
        $features:literal transpositions of $register:ty:
        $low_32:ident, $high_32:ident, $low_64:ident, $high_64:ident
    ) => {
        /// Transposes 4 by 4 words of 32 bits in each 128 bits of the rows.
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) fn transpose_32([r0, r1, r2, r3]: [$register; 4]) -> [$register; 4] {
            let (low01, high01) = ($low_32(r0, r1), $high_32(r0, r1));
            let (low23, high23) = ($low_32(r2, r3), $high_32(r2, r3));
            [
                $low_64(low01, low23),
                $high_64(low01, low23),
                $low_64(high01, high23),
                $high_64(high01, high23),
            ]
        }

        /// Transposes 2 by 2 words of 64 bits in each 128 bits of the first two rows and of the
        /// last two.
        #[inline]
        #[target_feature(enable = $features)]
        pub(crate) fn transpose_64([r0, r1, r2, r3]: [$register; 4]) -> [$register; 4] {
            [$low_64(r0, r1), $high_64(r0, r1), $low_64(r2, r3), $high_64(r2, r3)]
        }
    };
}

pub(super) use vector;
