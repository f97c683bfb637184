//! Vectors of words, one word per lane: the registers in which a hash is computed.
//!
//! An algorithm is written once over [`Vector`]. Each file of this folder implements the trait for
//! one instruction set: how it adds, rotates and combines words, and loads a block from every lane.
//! To add an instruction set, add a file that implements the trait for its register types, and name
//! it in `kernel/table/`. What instruction sets have in common is a macro in `register.rs`.
//!
//! # Why the methods are `inline(always)`, carry no `#[target_feature]`, and are safe
//!
//! An intrinsic becomes one instruction only where it is inlined into a function that enables its
//! CPU feature. A trait method cannot know which features its caller enables, so it must be
//! inlined into the caller. Everything is `inline(always)`, up to the kernel's entry function in
//! `kernel/table/`, which carries the `#[target_feature]`.
//!
//! What a method does with intrinsics is in a function of its own that has their features and is
//! only `#[inline]` (`op` in `register.rs`). The compiler simplifies it once, and inlines little
//! more than the instructions into the kernels. In the method itself, the copies in memory of
//! which an intrinsic takes its operands would be removed anew in each kernel.
//!
//! The arithmetic is safe to call because a value is a proof. The only constructors are the
//! `unsafe` functions [`Vector::load`], [`Vector::load_words`], [`Vector::load_rows`] and
//! [`Vector::load_part`]. Their contract is that the CPU and the operating system support the
//! instruction set, so a vector only exists where they do. This keeps `unsafe` out of the
//! algorithms.
//!
//! # The transposition
//!
//! Where words are big-endian, `load_words` reverses the bytes of each row as it loads it, before
//! the transposition. If a byte shuffle came after the last unpacking, the compiler would merge the
//! two into a longer sequence.
//!
//! Where that is faster, a block is transposed in two steps. While the previous block is
//! compressed, `load_rows` loads it with all shuffles between distant lanes. `words_of_rows` does
//! the rest when the words are needed.

use core::mem::MaybeUninit;

mod interleave;
#[cfg(target_arch = "x86_64")]
mod masked;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) mod neon;
mod portable;
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(unused_macros, unused_macro_rules, unused_imports, reason = "not every set has all")
)]
mod register;
mod word;

#[cfg(target_arch = "x86_64")]
pub(crate) mod avx2;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512;
#[cfg(target_arch = "x86_64")]
pub(crate) mod avx512_256;
#[cfg(target_arch = "x86_64")]
mod avx512_masked;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sse41;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
pub(crate) mod wasm;

pub(crate) use interleave::Interleave;
#[cfg(target_arch = "x86_64")]
pub(crate) use masked::MaskedVector;
pub(crate) use word::{BLOCK_WORDS, Word};

/// The most lanes that a kernel has.
pub(crate) const MAX_LANES: usize = 32;

/// Parts in which a block is loaded.
pub(crate) const PARTS: usize = 4;

/// The order of bytes that rotates each word of `word` bytes right by `bits`, a multiple of 8: for
/// a byte shuffle in registers of 128 bits, in two halves.
#[cfg(target_arch = "x86_64")]
const fn rotated_bytes(word: usize, bits: i32) -> [i64; 2] {
    let mut order = [0; 16];
    let mut i = 0;
    while i < 16 {
        order[i] = (i - i % word + (i + bits as usize / 8) % word) as u8;
        i += 1;
    }
    let order = u128::from_le_bytes(order);
    [order as i64, (order >> 64) as i64]
}

/// The order of bytes that reverses each word of `word` bytes, as [`rotated_bytes`].
#[cfg(target_arch = "x86_64")]
const fn reversed_bytes(word: usize) -> [i64; 2] {
    let mut order = [0; 16];
    let mut i = 0;
    while i < 16 {
        order[i] = (i - i % word + (word - 1 - i % word)) as u8;
        i += 1;
    }
    let order = u128::from_le_bytes(order);
    [order as i64, (order >> 64) as i64]
}

/// One word from each of `LANES` independent messages.
///
/// Every operation works lane by lane. None moves data between lanes, except the transposition
/// inside [`load_words`](Vector::load_words).
///
/// Operations take references, which cost nothing once they are inlined. A vector by value would
/// be a copy in memory for each operand of each operation, and a third of the code that the
/// compiler has to optimise away.
pub(crate) trait Vector: Copy {
    /// The word of one lane: `u32` or `u64`.
    type Word: Word;

    /// The number of lanes.
    const LANES: usize;

    /// Loads `LANES` words in native byte order, lane 0 first, from `source` of any alignment.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set. `source` is readable for `LANES` words.
    unsafe fn load(source: *const Self::Word) -> Self;

    /// Stores `LANES` words in native byte order, lane 0 first, to `target` of any alignment.
    ///
    /// # Safety
    /// `target` is writable for `LANES` words.
    unsafe fn store(&self, target: *mut Self::Word);

    /// Whether to load the next block while one is compressed. This pays where blocks have to be
    /// transposed.
    const AHEAD: bool = true;

    /// Loads four words from every lane and transposes them. Word `w` of lane `l` is read from byte
    /// `offset + w * size_of::<Word>()` of `data[l]`, and becomes lane `l` of element `w`. Words
    /// are little-endian in memory, or big-endian if `BIG_ENDIAN`.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set. `data` is readable for `LANES` pointers, and
    /// each of them for 4 words from byte `offset`, at any alignment.
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4];

    /// Loads part `part` of the block that begins at byte `offset` in every lane, as four *rows*.
    /// Their places in the block are [`row_place`](Vector::row_place). When all [`PARTS`] are
    /// loaded, [`words_of_rows`](Vector::words_of_rows) turns the rows into words.
    ///
    /// # Safety
    /// As for [`load_words`](Vector::load_words), for the 16 words of the block.
    #[inline(always)]
    unsafe fn load_rows<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: these are four of the 16 words that the caller promises are readable in every
        // lane.
        unsafe { Self::load_words::<BIG_ENDIAN>(data, offset + part * 4 * size_of::<Self::Word>()) }
    }

    /// The place in the block of row `i` of part `part`.
    #[inline(always)]
    fn row_place(part: usize, i: usize) -> usize {
        4 * part + i
    }

    /// Words `4 * q..4 * q + 4` of a block, from the rows at these places. By default rows are
    /// words.
    #[inline(always)]
    fn words_of_rows(rows: [Self; BLOCK_WORDS / 4]) -> [Self; BLOCK_WORDS / 4] {
        rows
    }

    /// Whether [`load_part`](Vector::load_part) leaves rows instead of words.
    const LEAVES_ROWS: bool = true;

    /// Loads part `part` of the block that begins at byte `offset` in every lane. The [`PARTS`]
    /// parts together, in their order, initialise all of `block`.
    ///
    /// # Safety
    /// As for [`load_rows`](Vector::load_rows).
    #[inline(always)]
    unsafe fn load_part<const BIG_ENDIAN: bool>(
        block: &mut [MaybeUninit<Self>; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) {
        // SAFETY: the contract is that of `load_rows`, which the caller promises.
        let [r0, r1, r2, r3] = unsafe { Self::load_rows::<BIG_ENDIAN>(data, offset, part) };
        block[Self::row_place(part, 0)].write(r0);
        block[Self::row_place(part, 1)].write(r1);
        block[Self::row_place(part, 2)].write(r2);
        block[Self::row_place(part, 3)].write(r3);
    }

    /// Lane-wise sum modulo 2^32 or 2^64.
    fn add(&self, other: &Self) -> Self;

    /// Adds the same word to every lane.
    fn add_word(&self, word: Self::Word) -> Self;

    /// Lane-wise exclusive or.
    fn xor(&self, other: &Self) -> Self;

    /// Lane-wise and.
    fn and(&self, other: &Self) -> Self;

    /// Lane-wise or.
    fn or(&self, other: &Self) -> Self;

    /// `!self & other`.
    fn and_not(&self, other: &Self) -> Self;

    /// Rotates each word left by `N` bits, `0 < N < Word::BITS`.
    fn rotate_left<const N: i32>(&self) -> Self;

    /// Each word rotated left by `N` bits, plus the word of `other`, `0 < N < Word::BITS`.
    ///
    /// A vector that rotates by two shifts adds them to `other` one after the other. Then the
    /// second shift may come a cycle later than the first. Often it must, as only some of a core's
    /// ports shift.
    #[inline(always)]
    fn rotate_left_add<const N: i32>(&self, other: &Self) -> Self {
        self.rotate_left::<N>().add(other)
    }

    /// Rotates each word right by `N` bits, `0 < N < Word::BITS`.
    fn rotate_right<const N: i32>(&self) -> Self;

    /// Shifts each word right by `N` bits, filling with zeros, `0 < N < Word::BITS`.
    fn shift_right<const N: i32>(&self) -> Self;

    /// `self ^ b ^ c`: Parity (FIPS 180-4 section 4.1.1).
    #[inline(always)]
    fn xor3(&self, b: &Self, c: &Self) -> Self {
        self.xor(b).xor(c)
    }

    /// Bits of `b` where `self` has ones, of `c` where it has zeros: Ch (FIPS 180-4 section 4.1).
    #[inline(always)]
    fn choose(&self, b: &Self, c: &Self) -> Self {
        self.and(b).or(&self.and_not(c))
    }

    /// The bit that at least two of the three have: Maj (FIPS 180-4 section 4.1).
    #[inline(always)]
    fn majority(&self, b: &Self, c: &Self) -> Self {
        self.and(b).or(&c.and(&self.or(b)))
    }

    /// Maj in SHA-2, where this round's `self` and `b` are the next round's `b` and `c`. Takes
    /// `b ^ c`, and leaves `self ^ b`, which is `b ^ c` for the next round. Without a ternary
    /// instruction this saves one of four operations.
    #[inline(always)]
    fn majority_chained(&self, b: &Self, _c: &Self, b_xor_c: &mut Self) -> Self {
        let self_xor_b = self.xor(b);
        // Where `self` and `b` differ, `c` decides: it is `b`, or not, as `b ^ c` says. Elsewhere
        // Maj is `b`.
        let majority = self_xor_b.and(b_xor_c).xor(b);
        *b_xor_c = self_xor_b;
        majority
    }

    /// Whether [`xor3`](Vector::xor3) is one instruction.
    const TERNARY: bool = false;

    /// Lane-wise exclusive or with the same word.
    #[inline(always)]
    fn xor_word(&self, word: Self::Word) -> Self {
        self.xor(&self.xor(self).add_word(word))
    }

    /// `self ^ (other <<< 1)`: theta of Keccak (FIPS 202 section 3.2.1).
    #[inline(always)]
    fn xor_rotated_by_one(&self, other: &Self) -> Self {
        self.xor(&other.rotate_left::<1>())
    }

    /// `(self ^ other) <<< N`, `0 < N < Word::BITS`: theta and rho of Keccak.
    #[inline(always)]
    fn xor_rotate_left<const N: i32>(&self, other: &Self) -> Self {
        self.xor(other).rotate_left::<N>()
    }

    /// `self ^ (!b & c)`: chi of Keccak (FIPS 202 section 3.2.4).
    #[inline(always)]
    fn chi(&self, b: &Self, c: &Self) -> Self {
        self.xor(&b.and_not(c))
    }

    /// `self + choose(mask, b, c)`: F and G of MD5 (RFC 1321).
    ///
    /// The two halves of a choice have no bits in common, so they can be added one after the other.
    /// `b` comes last. In G it is the result of the step before, so this order leaves one
    /// instruction less after it.
    #[inline(always)]
    fn add_choice(&self, mask: &Self, b: &Self, c: &Self) -> Self {
        self.add(&mask.and_not(c)).add(&mask.and(b))
    }

    /// `self + (b ^ c ^ d)`: H of MD5 (RFC 1321). `b`, the result of the step before, comes last.
    #[inline(always)]
    fn add_parity(&self, b: &Self, c: &Self, d: &Self) -> Self {
        self.add(&b.xor(&c.xor(d)))
    }

    /// `self + (c ^ (b | !d))`: I of MD5 (RFC 1321).
    #[inline(always)]
    fn add_xor_or_not(&self, b: &Self, c: &Self, d: &Self) -> Self {
        self.add(&b.and_not(d).xor(c).xor_word(Self::Word::from_u64(!0)))
    }
}
