//! The x86 SHA extensions: SHA-1 and SHA-256, `N` streams interleaved.
//!
//! In the loops over `n` every stream executes an instruction before any stream executes the next
//! one. While one stream waits for its result, the others keep the SHA unit busy.

use core::arch::x86_64::*;

use crate::family::unroll::unroll;
use crate::family::{known::Sums, sha1, sha256};
use crate::input::Span;

/// The big-endian words of 16 message bytes, which the SHA instructions need. `reverse` is the byte
/// shuffle.
///
/// # Safety
/// The CPU has SSSE3. `source` is readable for 16 bytes.
#[inline(always)]
unsafe fn words(source: *const u8, reverse: __m128i) -> __m128i {
    // SAFETY: the caller promises SSSE3, and 16 readable bytes. `loadu` needs no alignment.
    unsafe { _mm_shuffle_epi8(_mm_loadu_si128(source.cast()), reverse) }
}

/// Compresses one span of `N` messages with the SHA-1 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has SHA, SSSE3
/// and SSE4.1.
#[inline(always)]
pub(crate) unsafe fn sha1<const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions. State: words 0..=4 of streams 0..N. Data: the
    // four loads of a block are at 64 * block + 0, 16, 32, 48 of `data[n]`, within the promised
    // bytes.
    unsafe {
        // All 16 bytes are reversed, as the instructions keep the first word in the highest lane.
        let reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
        let zero = _mm_setzero_si128();
        let (mut abcd, mut e) = ([zero; N], [zero; N]);
        for n in 0..N {
            let word = |w: usize| from.add(w * N + n).read() as i32;
            abcd[n] = _mm_set_epi32(word(0), word(1), word(2), word(3));
            e[n] = _mm_set_epi32(word(4), 0, 0, 0);
        }

        for block in 0..blocks {
            let (abcd_before, e_before) = (abcd, e);
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(20, G => {
                const PART: i32 = (G / 5) as i32;
                for n in 0..N {
                    w[G % 4][n] = if G < 4 {
                        words(data.add(n).read().add(64 * block + 16 * G), reverse)
                    } else {
                        let mixed = _mm_sha1msg1_epu32(w[G % 4][n], w[(G + 1) % 4][n]);
                        let mixed = _mm_xor_si128(mixed, w[(G + 2) % 4][n]);
                        _mm_sha1msg2_epu32(mixed, w[(G + 3) % 4][n])
                    };
                }
                for n in 0..N {
                    // `e` holds the state of four rounds ago. Its first word, rotated, is the e
                    // of this group.
                    let sum = if G == 0 {
                        _mm_add_epi32(e[n], w[G % 4][n])
                    } else {
                        _mm_sha1nexte_epu32(e[n], w[G % 4][n])
                    };
                    e[n] = abcd[n];
                    abcd[n] = _mm_sha1rnds4_epu32::<PART>(abcd[n], sum);
                }
            });
            for n in 0..N {
                e[n] = _mm_sha1nexte_epu32(e[n], e_before[n]);
                abcd[n] = _mm_add_epi32(abcd[n], abcd_before[n]);
            }
        }
        if let Some(sums) = known.as_ref() {
            sha1_known(&mut abcd, &mut e, sums);
        }

        for n in 0..N {
            let put = |w: usize, value: i32| to.add(w * N + n).write(value as u32);
            put(0, _mm_extract_epi32::<3>(abcd[n]));
            put(1, _mm_extract_epi32::<2>(abcd[n]));
            put(2, _mm_extract_epi32::<1>(abcd[n]));
            put(3, _mm_extract_epi32::<0>(abcd[n]));
            put(4, _mm_extract_epi32::<3>(e[n]));
        }
    }
}

/// Compresses a block that is the same in all streams, by its sums.
///
/// # Safety
/// The CPU has SHA and SSE4.1.
#[inline(always)]
unsafe fn sha1_known<const N: usize>(
    abcd: &mut [__m128i; N],
    e: &mut [__m128i; N],
    sums: &Sums<u32>,
) {
    let (abcd_before, e_before) = (*abcd, *e);
    // SAFETY: the caller promises the instructions. The sums are read at 4 * G..+4, of 80.
    unsafe {
        unroll!(20, G => {
            const PART: i32 = (G / 5) as i32;
            // The instruction adds the constant itself.
            let sum = _mm_loadu_si128(sums.as_ptr().add(4 * G).cast());
            let w = _mm_sub_epi32(sum, _mm_set1_epi32(sha1::K[G / 5] as i32));
            let w = _mm_shuffle_epi32::<0x1b>(w);
            for n in 0..N {
                let sum = if G == 0 {
                    _mm_add_epi32(e[n], w)
                } else {
                    _mm_sha1nexte_epu32(e[n], w)
                };
                e[n] = abcd[n];
                abcd[n] = _mm_sha1rnds4_epu32::<PART>(abcd[n], sum);
            }
        });
        for n in 0..N {
            e[n] = _mm_sha1nexte_epu32(e[n], e_before[n]);
            abcd[n] = _mm_add_epi32(abcd[n], abcd_before[n]);
        }
    }
}

/// The words of a block of each of `N` messages.
pub(super) trait FirstWords<const N: usize> {
    /// Words `4 * group..` of message `n`, the first one lowest.
    ///
    /// # Safety
    /// As for the type.
    unsafe fn words(&self, group: usize, n: usize) -> __m128i;
}

/// Blocks in memory. The CPU must have SSSE3, and each pointer must be readable for 64 bytes.
pub(super) struct InMemory<const N: usize>(pub(super) [*const u8; N]);

impl<const N: usize> FirstWords<N> for InMemory<N> {
    #[inline(always)]
    unsafe fn words(&self, group: usize, n: usize) -> __m128i {
        // SAFETY: the caller promises SSSE3, and the loads of a block are at 0, 16, 32 and 48.
        unsafe {
            let reverse = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            words(self.0[n].add(16 * group), reverse)
        }
    }
}

/// Blocks in registers, for any CPU.
impl<const N: usize> FirstWords<N> for [[__m128i; N]; 4] {
    #[inline(always)]
    unsafe fn words(&self, group: usize, n: usize) -> __m128i {
        self[group][n]
    }
}

/// The states of `N` messages in the layout of the SHA-256 instructions: `a`, `b`, `e` and `f` in
/// one register and `c`, `d`, `g` and `h` in the other, with the first word highest.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Sha256States<const N: usize> {
    pub(super) abef: [__m128i; N],
    pub(super) cdgh: [__m128i; N],
}

impl<const N: usize> Sha256States<N> {
    /// The same state in every lane.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(super) unsafe fn same(state: &[u32; 8]) -> Self {
        // SAFETY: the caller promises the instructions. A state is two vectors.
        unsafe {
            let abcd = _mm_loadu_si128(state.as_ptr().cast());
            let efgh = _mm_loadu_si128(state.as_ptr().add(4).cast());
            let abef = _mm_shuffle_epi32::<0x1b>(_mm_unpacklo_epi64(abcd, efgh));
            let cdgh = _mm_shuffle_epi32::<0x1b>(_mm_unpackhi_epi64(abcd, efgh));
            Self { abef: [abef; N], cdgh: [cdgh; N] }
        }
    }

    /// The states of `N` lanes, word-major.
    ///
    /// # Safety
    /// The CPU has SSE2. `from` is readable for `8 * N` words.
    #[inline(always)]
    pub(super) unsafe fn load(from: *const u32) -> Self {
        // SAFETY: the caller promises the instructions, and words 0..=7 of lanes 0..N.
        unsafe {
            if N == 1 {
                return Self::same(&from.cast::<[u32; 8]>().read());
            }
            let zero = _mm_setzero_si128();
            let mut states = Self { abef: [zero; N], cdgh: [zero; N] };
            for n in 0..N {
                let word = |w: usize| from.add(w * N + n).read() as i32;
                states.abef[n] = _mm_set_epi32(word(0), word(1), word(4), word(5));
                states.cdgh[n] = _mm_set_epi32(word(2), word(3), word(6), word(7));
            }
            states
        }
    }

    /// Stores the states as [`load`](Self::load) reads them.
    ///
    /// # Safety
    /// The CPU has SSE4.1. `to` is writable for `8 * N` words.
    #[inline(always)]
    pub(super) unsafe fn store(&self, to: *mut u32) {
        let Self { abef, cdgh } = self;
        // SAFETY: the caller promises the instructions, and words 0..=7 of lanes 0..N.
        unsafe {
            if N == 1 {
                let abcd = _mm_shuffle_epi32::<0x1b>(_mm_unpackhi_epi64(cdgh[0], abef[0]));
                let efgh = _mm_shuffle_epi32::<0x1b>(_mm_unpacklo_epi64(cdgh[0], abef[0]));
                return to.cast::<[__m128i; 2]>().write_unaligned([abcd, efgh]);
            }
            for n in 0..N {
                let put = |w: usize, value: i32| to.add(w * N + n).write(value as u32);
                put(0, _mm_extract_epi32::<3>(abef[n]));
                put(1, _mm_extract_epi32::<2>(abef[n]));
                put(2, _mm_extract_epi32::<3>(cdgh[n]));
                put(3, _mm_extract_epi32::<2>(cdgh[n]));
                put(4, _mm_extract_epi32::<1>(abef[n]));
                put(5, _mm_extract_epi32::<0>(abef[n]));
                put(6, _mm_extract_epi32::<1>(cdgh[n]));
                put(7, _mm_extract_epi32::<0>(cdgh[n]));
            }
        }
    }

    /// The first and the last 16 bytes of the digest of lane `n`.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    #[inline(always)]
    pub(super) unsafe fn digest(&self, n: usize) -> [__m128i; 2] {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let reverse = _mm_set_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
            let abcd = _mm_unpackhi_epi64(self.cdgh[n], self.abef[n]);
            let efgh = _mm_unpacklo_epi64(self.cdgh[n], self.abef[n]);
            [_mm_shuffle_epi8(abcd, reverse), _mm_shuffle_epi8(efgh, reverse)]
        }
    }

    /// The words of lane `n`, the first ones lowest.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(super) unsafe fn words(&self, n: usize) -> [__m128i; 2] {
        // SAFETY: the caller promises the instructions.
        unsafe {
            let abcd = _mm_unpackhi_epi64(self.cdgh[n], self.abef[n]);
            let efgh = _mm_unpacklo_epi64(self.cdgh[n], self.abef[n]);
            [_mm_shuffle_epi32::<0x1b>(abcd), _mm_shuffle_epi32::<0x1b>(efgh)]
        }
    }

    /// Adds the states before a block.
    ///
    /// # Safety
    /// The CPU has SSE2.
    #[inline(always)]
    pub(super) unsafe fn add(&mut self, before: &Self) {
        for n in 0..N {
            // SAFETY: the caller promises the instruction.
            unsafe {
                self.abef[n] = _mm_add_epi32(self.abef[n], before.abef[n]);
                self.cdgh[n] = _mm_add_epi32(self.cdgh[n], before.cdgh[n]);
            }
        }
    }

    /// Compresses a block of each message.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1. The caller ensures what `block` asks for.
    #[inline(always)]
    pub(super) unsafe fn compress(&mut self, block: &impl FirstWords<N>) {
        let before = *self;
        let Self { abef, cdgh } = self;
        // SAFETY: the caller promises all instructions. It keeps the promise that `block`
        // asks for. K has 64 words and is read at 4 * G..+4.
        unsafe {
            let zero = _mm_setzero_si128();
            // Four registers of four schedule words each. Group G of four rounds uses w[G % 4],
            // and then replaces it.
            let mut w = [[zero; N]; 4];
            unroll!(16, G => {
                let k = _mm_loadu_si128(sha256::K.as_ptr().add(4 * G).cast());
                for n in 0..N {
                    w[G % 4][n] = if G < 4 {
                        block.words(G, n)
                    } else {
                        let mixed = _mm_sha256msg1_epu32(w[G % 4][n], w[(G + 1) % 4][n]);
                        let seven_ago = _mm_alignr_epi8::<4>(w[(G + 3) % 4][n], w[(G + 2) % 4][n]);
                        _mm_sha256msg2_epu32(_mm_add_epi32(mixed, seven_ago), w[(G + 3) % 4][n])
                    };
                }
                let mut sum = [zero; N];
                for n in 0..N {
                    sum[n] = _mm_add_epi32(w[G % 4][n], k);
                    cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum[n]);
                }
                for n in 0..N {
                    let upper = _mm_shuffle_epi32::<0x0e>(sum[n]);
                    abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], upper);
                }
            });
            self.add(&before);
        }
    }

    /// Compresses `blocks` blocks of each message, and then the precomputed one, if there is one.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1. Each pointer is readable for `blocks` blocks.
    #[inline(always)]
    unsafe fn compress_blocks(
        &mut self,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
    ) {
        // SAFETY: the caller promises the instructions, and `blocks` blocks at each pointer.
        unsafe {
            for block in 0..blocks {
                self.compress(&InMemory(data.map(|data| data.wrapping_add(64 * block))));
            }
            if let Some(sums) = known {
                self.compress_known(sums);
            }
        }
    }

    /// Compresses a block that is the same in all streams, by its sums.
    ///
    /// # Safety
    /// The CPU has SHA and SSE2.
    #[inline(always)]
    pub(super) unsafe fn compress_known(&mut self, sums: &Sums<u32>) {
        let before = *self;
        let Self { abef, cdgh } = self;
        // SAFETY: the caller promises the instructions. The sums are read at 4 * G..+4, of 80.
        unsafe {
            unroll!(16, G => {
                let sum = _mm_loadu_si128(sums.as_ptr().add(4 * G).cast());
                let upper = _mm_shuffle_epi32::<0x0e>(sum);
                for n in 0..N {
                    cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum);
                }
                for n in 0..N {
                    abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], upper);
                }
            });
            self.add(&before);
        }
    }
}

/// Compresses one span of `N` messages with the SHA-256 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has SHA, SSSE3
/// and SSE4.1.
#[inline(always)]
pub(crate) unsafe fn sha256<const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions, states and `N` pointers, and `blocks` blocks at
    // each of them.
    unsafe {
        let mut states = Sha256States::<N>::load(from);
        let data = data.cast::<[*const u8; N]>().read();
        states.compress_blocks(data, blocks, known.as_ref());
        states.store(to);
    }
}

/// Compresses blocks of `N` messages side by side, and may begin the next blocks meanwhile.
///
/// # Safety
/// For each function: the CPU has the instructions of the implementation.
pub(crate) trait Streams<const N: usize> {
    /// The states of `N` lanes, word-major.
    ///
    /// # Safety
    /// As for the trait. `from` is readable for `8 * N` words.
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Sha256States<N> {
        // SAFETY: the contract is that of this function: implementations require SSE2.
        unsafe { Sha256States::load(from) }
    }

    /// Begins the first block of each message.
    ///
    /// # Safety
    /// As for the trait. Each pointer is readable for 64 bytes.
    unsafe fn begin(&mut self, data: [*const u8; N]);

    /// Compresses `blocks` blocks of each message, of which the first one was begun, and then the
    /// precomputed block, if there is one. Begins the blocks at `next`, if there are any.
    ///
    /// # Safety
    /// As for the trait. Each pointer of `data` is readable for `blocks >= 1` blocks, and each of
    /// `next` for one.
    unsafe fn compress(
        &mut self,
        states: &mut Sha256States<N>,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
        next: Option<[*const u8; N]>,
    );

    /// [`put_block`].
    ///
    /// # Safety
    /// As for the trait and for [`put_block`].
    #[inline(always)]
    unsafe fn put_block(
        to: *mut u8,
        from: *const u8,
        count: usize,
        length: usize,
        padding: *const u8,
        last_word: u32,
    ) {
        // SAFETY: the contract is that of this function.
        unsafe { put_block(to, from, count, length, padding, last_word) }
    }
}

/// Writes a block of the `count` bytes at `from`, fewer than 64, followed by the padding. These are
/// the last of a message of `length` bytes, if that is not 0 but different from message to message.
/// If `last_word` is not 0, it becomes the last word, in native byte order.
///
/// # Safety
/// `from` is readable for `count` bytes, and for `length - count` before it; `padding` for 64. The
/// first `count` of these are 0, and so are the last four if `last_word` is not. `to` is writable
/// for 64 and the 16 before it, and overlaps neither.
#[inline(always)]
pub(super) unsafe fn put_block(
    to: *mut u8,
    from: *const u8,
    count: usize,
    length: usize,
    padding: *const u8,
    last_word: u32,
) {
    // SAFETY: the caller promises 64 bytes at `padding` and `to`, which do not overlap, and what
    // `copy_end` asks for.
    unsafe {
        to.cast::<[u8; 64]>().write(padding.cast::<[u8; 64]>().read());
        match length {
            // One length for all messages is predicted, and whole vectors are not loaded from
            // parts that were stored apart.
            0 => to.copy_from_nonoverlapping(from, count),
            _ => copy_end(to, from, count, length),
        }
        if last_word != 0 {
            to.add(60).cast::<[u8; 4]>().write(last_word.to_ne_bytes());
        }
    }
}

/// Copies the `count` bytes at `from`, fewer than 64, the last of `length`. Mixed lengths would be
/// mispredicted by a copy that branches, so 16 bytes are copied up to four times, none of them
/// after the last. Where there are fewer than 16, that begins before `to`.
///
/// # Safety
/// `from` is readable for `count` bytes, and for `length - count` before it. `to` is writable for
/// `count` bytes and the 16 before it, and does not overlap them.
#[inline(always)]
unsafe fn copy_end(to: *mut u8, from: *const u8, count: usize, length: usize) {
    if length < 16 {
        // SAFETY: the caller promises `count` bytes at both, which do not overlap.
        return unsafe { to.copy_from_nonoverlapping(from, count) };
    }
    let last = count as isize - 16;
    for chunk in 0..4 {
        let at = last.min(16 * chunk);
        let (from, to) = (from.wrapping_offset(at), to.wrapping_offset(at));
        // SAFETY: `at + 16` is at most `count`, and `at` at least `count - 16`, so that there are
        // the bytes of the message, and those before `to`.
        unsafe { to.cast::<[u8; 16]>().write(from.cast::<[u8; 16]>().read()) };
    }
}

/// [`Sha256States::compress_blocks`] in a function of its own.
///
/// Two streams need all registers. In a longer function the compiler spills the states, on which
/// every round waits, and two streams take three times as long. `inline(never)` has no effect
/// together with `target_feature`. But LLVM inlines no function into one with fewer features.
///
/// # Safety
/// As for `compress_blocks`.
#[inline(never)]
unsafe fn compress_apart<const N: usize>(
    states: &mut Sha256States<N>,
    data: [*const u8; N],
    blocks: usize,
    known: Option<&Sums<u32>>,
) {
    #[target_feature(enable = "sha,sse4.1,ssse3")]
    unsafe fn compress<const N: usize>(
        states: &mut Sha256States<N>,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
    ) {
        let mut registers = *states;
        // SAFETY: this function has the instructions. The caller promises the blocks.
        unsafe { registers.compress_blocks(data, blocks, known) };
        *states = registers;
    }
    // SAFETY: the contract is that of this function.
    unsafe { compress(states, data, blocks, known) };
}

/// [`Sha256States::compress_blocks`] of four messages, two at a time.
///
/// # Safety
/// As for `compress_blocks`.
pub(super) unsafe fn compress_halves(
    states: &mut Sha256States<4>,
    data: [*const u8; 4],
    blocks: usize,
    known: Option<&Sums<u32>>,
) {
    let Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] } = *states;
    let [d0, d1, d2, d3] = data;
    let mut first = Sha256States { abef: [a0, a1], cdgh: [c0, c1] };
    let mut last = Sha256States { abef: [a2, a3], cdgh: [c2, c3] };
    // SAFETY: the contract is that of this function.
    unsafe {
        compress_apart(&mut first, [d0, d1], blocks, known);
        compress_apart(&mut last, [d2, d3], blocks, known);
    }
    let ([a0, a1], [a2, a3]) = (first.abef, last.abef);
    let ([c0, c1], [c2, c3]) = (first.cdgh, last.cdgh);
    *states = Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] };
}

/// Streams that compute the message schedule during the rounds of the same block. They begin no
/// block early. In a long function, several of them are compressed apart.
pub(crate) struct InTurn<const APART: bool>;

impl<const N: usize, const APART: bool> Streams<N> for InTurn<APART> {
    #[inline(always)]
    unsafe fn begin(&mut self, _: [*const u8; N]) {}

    #[inline(always)]
    unsafe fn compress(
        &mut self,
        states: &mut Sha256States<N>,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
        _: Option<[*const u8; N]>,
    ) {
        // SAFETY: the caller promises the instructions, and `blocks` blocks at each pointer.
        unsafe {
            if N == 1 || !APART {
                states.compress_blocks(data, blocks, known);
            } else {
                compress_apart(states, data, blocks, known);
            }
        }
    }
}
