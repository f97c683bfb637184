//! AVX-512 under masks: messages that end within a block, lanes that are done, and digests.

use core::arch::x86_64::*;

use super::avx512::{U32x16, U64x8, in_order, quarters, transpose_32, transpose_quarters};
use super::{BLOCK_WORDS, MaskedVector, PARTS, Vector};

/// The 16 bytes from `16 - n` on are a shuffle that moves the last `n` of 16 bytes to the beginning
/// and fills the rest with zeros.
static MOVE: [u8; 32] = {
    let mut table = [0x80; 32];
    let mut i = 0;
    while i < 16 {
        table[i] = i as u8;
        i += 1;
    }
    table
};

/// The 64 bytes from `64 - n` on complete a block that has `n` bytes of a message: the byte 0x80 at
/// byte `n`, and zeros. If `n` is -1, all are zeros.
static AFTER: [u8; 129] = {
    let mut table = [0; 129];
    table[64] = 0x80;
    table
};

/// The last `count` bytes, 1 to 15, of the messages at `data[0]`, `data[APART]`, .., and zeros, as
/// in [`quarters`].
///
/// # Safety
/// The CPU has AVX-512. Those four pointers can be read, and are readable for `length >= count`
/// bytes.
#[inline(always)]
unsafe fn ends<const APART: usize>(data: *const *const u8, length: usize, count: usize) -> __m512i {
    debug_assert!((1..16).contains(&count) && count <= length);
    // SAFETY: the caller promises AVX-512, and four messages of `length` readable bytes, at least
    // `count`. Of 16 bytes or more the last 16 are read, of fewer the first `count` by the mask.
    // MOVE has 32 bytes, and `count` is below 16.
    unsafe {
        if length >= 16 {
            let order = _mm_loadu_si128(MOVE.as_ptr().add(16 - count).cast());
            let last = quarters::<APART>(data, length - 16);
            return _mm512_shuffle_epi8(last, _mm512_broadcast_i32x4(order));
        }
        let (mask, offset) = ((1_u16 << count) - 1, length - count);
        let q0 = _mm_maskz_loadu_epi8(mask, data.read().add(offset).cast());
        let q1 = _mm_maskz_loadu_epi8(mask, data.add(APART).read().add(offset).cast());
        let q2 = _mm_maskz_loadu_epi8(mask, data.add(2 * APART).read().add(offset).cast());
        let q3 = _mm_maskz_loadu_epi8(mask, data.add(3 * APART).read().add(offset).cast());
        let all = _mm512_castsi128_si512(q0);
        let all = _mm512_inserti32x4::<1>(all, q1);
        let all = _mm512_inserti32x4::<2>(all, q2);
        _mm512_inserti32x4::<3>(all, q3)
    }
}

/// The line of 64 bytes from `offset` of the message at `data`: `left` bytes of the message, at
/// most 64, and padding.
///
/// # Safety
/// The CPU has AVX-512. `data` can be read, and is readable for `offset + left` bytes if `left` is
/// positive. `left` is -1 to 64.
#[inline(always)]
unsafe fn ragged_line(data: *const *const u8, offset: usize, left: i32) -> __m512i {
    debug_assert!((-1..=64).contains(&left));
    // SAFETY: the caller promises AVX-512, and `left` readable bytes from `offset`, of which the
    // mask reads no more. AFTER has 129 bytes, of which 64 are read from 64 - left on.
    unsafe {
        let after = _mm512_loadu_si512(AFTER.as_ptr().offset(64 - left as isize).cast());
        let mask = _bzhi_u64(!0, left.max(0) as u32);
        // Even a load whose mask is empty has to look up the page of its address.
        let from = if left > 0 { data.read().wrapping_add(offset) } else { AFTER.as_ptr() };
        _mm512_mask_loadu_epi8(after, mask, from.cast())
    }
}

/// Stores the first `size` bytes, at most 16, of quarter `Q`.
///
/// # Safety
/// The CPU has AVX-512. `to` is writable for `size` bytes, whole words of 32 bits.
#[inline(always)]
unsafe fn store_quarter<const Q: i32>(row: __m512i, to: *mut u8, size: usize) {
    // SAFETY: the caller promises AVX-512, and `size` writable bytes, of which the mask writes no
    // more.
    unsafe {
        let quarter = _mm512_extracti32x4_epi32::<Q>(row);
        if size >= 16 {
            _mm_storeu_si128(to.cast(), quarter);
        } else {
            _mm_mask_storeu_epi32(to.cast(), (1 << (size / 4)) - 1, quarter);
        }
    }
}

/// Stores the first `size` bytes, at most 16, of each quarter of `row` from byte `offset` of the
/// digests at `to[0]`, `to[APART]`, ..
///
/// # Safety
/// The CPU has AVX-512. Those four pointers can be read, and are writable for `size` bytes from
/// `offset`.
#[inline(always)]
unsafe fn store_quarters<const APART: usize>(
    row: __m512i,
    to: *const *mut u8,
    offset: usize,
    size: usize,
) {
    // SAFETY: the caller promises AVX-512, and four pointers at these places, each writable for
    // `size` bytes from `offset`.
    unsafe {
        store_quarter::<0>(row, to.read().add(offset), size);
        store_quarter::<1>(row, to.add(APART).read().add(offset), size);
        store_quarter::<2>(row, to.add(2 * APART).read().add(offset), size);
        store_quarter::<3>(row, to.add(3 * APART).read().add(offset), size);
    }
}

/// Stores the first `size` bytes, at most 32.
///
/// # Safety
/// The CPU has AVX-512. `to` is writable for `size` bytes, whole words of 32 bits.
#[inline(always)]
unsafe fn store_half(half: __m256i, to: *mut u8, size: usize) {
    // SAFETY: the caller promises AVX-512, and `size` writable bytes, of which the mask writes no
    // more.
    unsafe {
        if size == 32 {
            _mm256_storeu_si256(to.cast(), half);
        } else {
            _mm256_mask_storeu_epi32(to.cast(), ((1_u32 << (size / 4)) - 1) as __mmask8, half);
        }
    }
}

/// Stores the first `size` bytes, 17 to 32, of quarter `q` of `low` and of `high` to `to[4 * q]`.
///
/// # Safety
/// The CPU has AVX-512. Those four pointers can be read, and are writable for `size` bytes, whole
/// words of 32 bits.
#[inline(always)]
unsafe fn store_pairs(low: __m512i, high: __m512i, to: *const *mut u8, size: usize) {
    // SAFETY: the caller promises AVX-512, and four pointers at these places, each writable for
    // `size` bytes, of which the mask writes no more.
    unsafe {
        let (front, back) = (
            _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
            _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15),
        );
        let first = _mm512_permutex2var_epi64(low, front, high);
        let last = _mm512_permutex2var_epi64(low, back, high);
        store_half(_mm512_castsi512_si256(first), to.read(), size);
        store_half(_mm512_extracti64x4_epi64::<1>(first), to.add(4).read(), size);
        store_half(_mm512_castsi512_si256(last), to.add(8).read(), size);
        store_half(_mm512_extracti64x4_epi64::<1>(last), to.add(12).read(), size);
    }
}

impl U32x16 {
    /// Four words of the state from `first` on, transposed: in quarter `q` of row `i` those of lane
    /// `4 * q + i`.
    #[inline(always)]
    fn digest_rows<const BIG_ENDIAN: bool>(state: &[Self; 8], first: usize) -> [__m512i; 4] {
        let word = |w: usize| state[first + w].0;
        let words = [word(0), word(1), word(2), word(3)];
        // SAFETY: a value of this type proves AVX-512.
        unsafe { transpose_32(in_order::<BIG_ENDIAN, 4>(words)) }
    }
}

impl MaskedVector for U32x16 {
    const PAIRS: bool = true;

    #[inline(always)]
    unsafe fn splat(word: u32) -> Self {
        // SAFETY: the caller promises that the CPU has AVX-512.
        Self(unsafe { _mm512_set1_epi32(word as i32) })
    }

    #[inline(always)]
    unsafe fn load_end<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        length: usize,
        count: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises 16 pointers, each readable for `length` bytes; each call
        // takes four of them.
        unsafe {
            let rows = [
                ends::<4>(data, length, count),
                ends::<4>(data.add(1), length, count),
                ends::<4>(data.add(2), length, count),
                ends::<4>(data.add(3), length, count),
            ];
            Self::of(transpose_32(in_order::<BIG_ENDIAN, 4>(rows)))
        }
    }

    #[inline(always)]
    unsafe fn load_ragged<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        left: &[i32],
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: the caller promises 16 pointers, each readable for `left` bytes from `offset`;
        // these are four of them.
        unsafe {
            let rows = transpose_quarters([
                ragged_line(data.add(part), offset, left[part]),
                ragged_line(data.add(part + 4), offset, left[part + 4]),
                ragged_line(data.add(part + 8), offset, left[part + 8]),
                ragged_line(data.add(part + 12), offset, left[part + 12]),
            ]);
            Self::of(in_order::<BIG_ENDIAN, 4>(rows))
        }
    }

    #[inline(always)]
    fn add_in_last(&self, bits: &[i32], blocks: &[i32], block: usize) -> Self {
        assert!(bits.len() >= Self::LANES && blocks.len() >= Self::LANES);
        // SAFETY: a value of this type proves AVX-512. The slices have 16 numbers.
        unsafe {
            let blocks = _mm512_loadu_si512(blocks.as_ptr().cast());
            let last = _mm512_cmpeq_epi32_mask(blocks, _mm512_set1_epi32(block as i32));
            let bits = _mm512_loadu_si512(bits.as_ptr().cast());
            Self(_mm512_mask_add_epi32(self.0, last, self.0, bits))
        }
    }

    #[inline(always)]
    fn or_if_done(&self, before: &Self, blocks: &[i32], block: usize) -> Self {
        assert!(blocks.len() >= Self::LANES);
        // SAFETY: a value of this type proves AVX-512. The slice has 16 numbers.
        unsafe {
            let blocks = _mm512_loadu_si512(blocks.as_ptr().cast());
            let done = _mm512_cmple_epi32_mask(blocks, _mm512_set1_epi32(block as i32));
            Self(_mm512_mask_mov_epi32(self.0, done, before.0))
        }
    }

    #[inline(always)]
    unsafe fn store_digests<const BIG_ENDIAN: bool>(
        state: &[Self; 8],
        to: *const *mut u8,
        size: usize,
    ) {
        let [r0, r1, r2, r3] = Self::digest_rows::<BIG_ENDIAN>(state, 0);
        // SAFETY: the caller promises 16 pointers, each writable for `size` bytes. Row `i` has
        // words of lanes `i`, `i + 4`, ..
        unsafe {
            if size <= 16 {
                store_quarters::<4>(r0, to, 0, size);
                store_quarters::<4>(r1, to.add(1), 0, size);
                store_quarters::<4>(r2, to.add(2), 0, size);
                store_quarters::<4>(r3, to.add(3), 0, size);
                return;
            }
            let [s0, s1, s2, s3] = Self::digest_rows::<BIG_ENDIAN>(state, 4);
            store_pairs(r0, s0, to, size);
            store_pairs(r1, s1, to.add(1), size);
            store_pairs(r2, s2, to.add(2), size);
            store_pairs(r3, s3, to.add(3), size);
        }
    }
}

impl MaskedVector for U64x8 {
    const PAIRS: bool = true;

    #[inline(always)]
    unsafe fn splat(word: u64) -> Self {
        // SAFETY: the caller promises that the CPU has AVX-512.
        Self(unsafe { _mm512_set1_epi64(word as i64) })
    }

    #[inline(always)]
    unsafe fn load_end<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        length: usize,
        count: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: the caller promises 8 pointers, each readable for `length` bytes; each call takes
        // four of them. `count` is below 32. If it is more than 16, the first 16 bytes of the four
        // words are whole.
        unsafe {
            let zero = _mm512_setzero_si512();
            let [r0, r1, mut r2, mut r3] = match count {
                ..16 => [
                    ends::<2>(data, length, count),
                    ends::<2>(data.add(1), length, count),
                    zero,
                    zero,
                ],
                _ => {
                    let from = length - count;
                    [quarters::<2>(data, from), quarters::<2>(data.add(1), from), zero, zero]
                }
            };
            if count > 16 {
                r2 = ends::<2>(data, length, count - 16);
                r3 = ends::<2>(data.add(1), length, count - 16);
            }
            Self::words_of_rows(Self::of(in_order::<BIG_ENDIAN, 8>([r0, r1, r2, r3])))
        }
    }

    #[inline(always)]
    unsafe fn load_ragged<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        left: &[i32],
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        let (line, lane) = (part / 2, part % 2);
        let offset = offset + 64 * line;
        // SAFETY: the caller promises 8 pointers, each readable for `left` bytes from the block's
        // first byte; these are four of them. A lane's second line has `left - 64` bytes.
        unsafe {
            let line_of = |l: usize| (left[l] - 64 * line as i32).clamp(-1, 64);
            let rows = transpose_quarters([
                ragged_line(data.add(lane), offset, line_of(lane)),
                ragged_line(data.add(lane + 2), offset, line_of(lane + 2)),
                ragged_line(data.add(lane + 4), offset, line_of(lane + 4)),
                ragged_line(data.add(lane + 6), offset, line_of(lane + 6)),
            ]);
            Self::of(in_order::<BIG_ENDIAN, 8>(rows))
        }
    }

    #[inline(always)]
    fn add_in_last(&self, bits: &[i32], blocks: &[i32], block: usize) -> Self {
        assert!(bits.len() >= Self::LANES && blocks.len() >= Self::LANES);
        // SAFETY: a value of this type proves AVX-512. The slices have 8 numbers.
        unsafe {
            let blocks = _mm256_loadu_si256(blocks.as_ptr().cast());
            let last = _mm256_cmpeq_epi32_mask(blocks, _mm256_set1_epi32(block as i32));
            let bits = _mm512_cvtepu32_epi64(_mm256_loadu_si256(bits.as_ptr().cast()));
            Self(_mm512_mask_add_epi64(self.0, last, self.0, bits))
        }
    }

    #[inline(always)]
    fn or_if_done(&self, before: &Self, blocks: &[i32], block: usize) -> Self {
        assert!(blocks.len() >= Self::LANES);
        // SAFETY: a value of this type proves AVX-512. The slice has 8 numbers.
        unsafe {
            let blocks = _mm256_loadu_si256(blocks.as_ptr().cast());
            let done = _mm256_cmple_epi32_mask(blocks, _mm256_set1_epi32(block as i32));
            Self(_mm512_mask_mov_epi64(self.0, done, before.0))
        }
    }

    #[inline(always)]
    unsafe fn store_digests<const BIG_ENDIAN: bool>(
        state: &[Self; 8],
        to: *const *mut u8,
        size: usize,
    ) {
        // SAFETY: a value of this type proves AVX-512. The caller promises 8 pointers, each
        // writable for `size` bytes. The even lanes of two words, unpacked, are in the quarters of
        // one row, the odd ones in those of the other.
        unsafe {
            for pair in 0..4 {
                let offset = 16 * pair;
                if size <= offset {
                    break;
                }
                let (w0, w1) = (state[2 * pair].0, state[2 * pair + 1].0);
                let [w0, w1, ..] = in_order::<BIG_ENDIAN, 8>([w0, w1, w0, w1]);
                let (even, odd) = (_mm512_unpacklo_epi64(w0, w1), _mm512_unpackhi_epi64(w0, w1));
                store_quarters::<2>(even, to, offset, size - offset);
                store_quarters::<2>(odd, to.add(1), offset, size - offset);
            }
        }
    }
}
