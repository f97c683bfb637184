//! The methods that registers of all instruction sets have, made of a set's intrinsics.
//!
//! An arm of [`vector!`](vector) is a group of methods of [`Vector`](super::Vector). The file of an
//! instruction set names the intrinsics of each group, and writes for itself what is its own.

/// A group of methods of a vector `Self(register)`, or the function that loads its rows.
///
/// The methods are safe because a value proves that the CPU has its instructions (see the folder's
/// documentation).
macro_rules! vector {
    // Lanes of a word, and the type in which intrinsics take the word.
    (
        words $lanes:literal of $word:ident as $number:ty:
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

        #[inline(always)]
        fn add(&self, other: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $add(self.0, other.0) })
        }

        #[inline(always)]
        fn add_word(&self, word: $word) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $add(self.0, $splat(word as $number)) })
        }
    };

    // Logic of two operands.
    (logic: $and:ident, $and_not:ident, $or:ident, $xor:ident) => {
        #[inline(always)]
        fn and(&self, other: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $and(self.0, other.0) })
        }

        #[inline(always)]
        fn and_not(&self, other: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $and_not(self.0, other.0) })
        }

        #[inline(always)]
        fn or(&self, other: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $or(self.0, other.0) })
        }

        #[inline(always)]
        fn xor(&self, other: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $xor(self.0, other.0) })
        }
    };

    // Rotation by two shifts, or by a shuffle of bytes if the bits to the left are a multiple of
    // one number, or those to the right of another. The count of a shift is a number or, on x86,
    // the low half of a register. As it is a constant, the shift becomes an immediate one.
    (
        shifts of $bits:literal: $left:ident, $right:ident, $or:ident,
        bytes by $shuffle:ident, left $bytes_left:literal, right $bytes_right:literal
    ) => {
        #[inline(always)]
        fn rotate_left<const N: i32>(&self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe {
                if const { N % $bytes_left == 0 } {
                    $shuffle(self.0, const { rotated_bytes($bits / 8, $bits - N) })
                } else {
                    let left = $left(self.0, _mm_cvtsi32_si128(N));
                    $or(left, $right(self.0, _mm_cvtsi32_si128($bits - N)))
                }
            })
        }

        #[inline(always)]
        fn rotate_left_add<const N: i32>(&self, other: &Self) -> Self {
            if const { N % $bytes_left == 0 } {
                return self.rotate_left::<N>().add(other);
            }
            // SAFETY: a value of this type proves the instructions.
            let (left, right) = unsafe {
                (
                    Self($left(self.0, _mm_cvtsi32_si128(N))),
                    Self($right(self.0, _mm_cvtsi32_si128($bits - N))),
                )
            };
            left.add(other).add(&right)
        }

        #[inline(always)]
        fn rotate_right<const N: i32>(&self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe {
                if const { N % $bytes_right == 0 } {
                    $shuffle(self.0, const { rotated_bytes($bits / 8, N) })
                } else {
                    let right = $right(self.0, _mm_cvtsi32_si128(N));
                    $or(right, $left(self.0, _mm_cvtsi32_si128($bits - N)))
                }
            })
        }

        vector!(shift: $right);
    };

    // Rotation by one instruction.
    (rotations: $rotate_left:ident, $rotate_right:ident, $shift_right:ident) => {
        #[inline(always)]
        fn rotate_left<const N: i32>(&self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $rotate_left::<N>(self.0) })
        }

        #[inline(always)]
        fn rotate_right<const N: i32>(&self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $rotate_right::<N>(self.0) })
        }

        vector!(shift: $shift_right);
    };

    (shift: $shift_right:ident) => {
        #[inline(always)]
        fn shift_right<const N: i32>(&self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $shift_right(self.0, _mm_cvtsi32_si128(N)) })
        }
    };

    // The function I of MD5 where there is no negation. c ^ (b | !d) is -1 - (c ^ (!b & d)), so a
    // subtraction replaces a negation and an addition. The -1 disappears in the constant of the
    // step.
    (or_not: $sub:ident) => {
        #[inline(always)]
        fn add_xor_or_not(&self, b: &Self, c: &Self, d: &Self) -> Self {
            let negated = b.and_not(d).xor(c);
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $sub(self.0, negated.0) }).add_word(!0)
        }
    };

    // Logic where any function of three bits is one instruction, which takes its truth table.
    (ternary: $ternary:ident) => {
        const TERNARY: bool = true;

        #[inline(always)]
        fn xor3(&self, b: &Self, c: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $ternary::<XOR3>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn chi(&self, b: &Self, c: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $ternary::<CHI>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn choose(&self, b: &Self, c: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $ternary::<CHOOSE>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn majority(&self, b: &Self, c: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $ternary::<MAJORITY>(self.0, b.0, c.0) })
        }

        #[inline(always)]
        fn majority_chained(&self, b: &Self, c: &Self, _: &mut Self) -> Self {
            self.majority(b, c)
        }

        #[inline(always)]
        fn add_choice(&self, mask: &Self, b: &Self, c: &Self) -> Self {
            self.add(&mask.choose(b, c))
        }

        #[inline(always)]
        fn add_parity(&self, b: &Self, c: &Self, d: &Self) -> Self {
            self.add(&b.xor3(c, d))
        }

        #[inline(always)]
        fn add_xor_or_not(&self, b: &Self, c: &Self, d: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            self.add(&Self(unsafe { $ternary::<XOR_OR_NOT>(c.0, b.0, d.0) }))
        }
    };

    // Bits by a mask in one instruction. Where the first two of a majority differ, the third
    // decides. Elsewhere it is any of the two.
    (select: $select:ident) => {
        #[inline(always)]
        fn choose(&self, b: &Self, c: &Self) -> Self {
            // SAFETY: a value of this type proves the instructions.
            Self(unsafe { $select(self.0, b.0, c.0) })
        }

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
        transpositions of $register:ty:
        $low_32:ident, $high_32:ident, $low_64:ident, $high_64:ident
    ) => {
        /// Transposes 4 by 4 words of 32 bits in each 128 bits of the rows.
        ///
        /// # Safety
        /// The CPU has the instructions.
        #[inline(always)]
        pub(crate) unsafe fn transpose_32([r0, r1, r2, r3]: [$register; 4]) -> [$register; 4] {
            // SAFETY: the caller promises the instructions; these shuffle registers only.
            unsafe {
                let (low01, high01) = ($low_32(r0, r1), $high_32(r0, r1));
                let (low23, high23) = ($low_32(r2, r3), $high_32(r2, r3));
                [
                    $low_64(low01, low23),
                    $high_64(low01, low23),
                    $low_64(high01, high23),
                    $high_64(high01, high23),
                ]
            }
        }

        /// Transposes 2 by 2 words of 64 bits in each 128 bits of the first two rows and of the
        /// last two.
        ///
        /// # Safety
        /// The CPU has the instructions.
        #[inline(always)]
        pub(crate) unsafe fn transpose_64([r0, r1, r2, r3]: [$register; 4]) -> [$register; 4] {
            // SAFETY: the caller promises the instructions; these shuffle registers only.
            unsafe { [$low_64(r0, r1), $high_64(r0, r1), $low_64(r2, r3), $high_64(r2, r3)] }
        }
    };
}

pub(super) use vector;
