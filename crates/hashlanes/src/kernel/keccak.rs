//! What every kernel of Keccak runs: blocks of any rate go into the state, and the permutation
//! follows each.

use core::hint::black_box;
use core::mem::MaybeUninit;

use super::compress::ByCompiler;
#[cfg(target_arch = "x86_64")]
use super::compress::InAssembly;
#[cfg(target_arch = "x86_64")]
use crate::assembly;
use crate::family::keccak::{LANES, permute};
use crate::input::Span;
use crate::vector::Vector;
#[cfg(target_arch = "x86_64")]
use crate::vector::avx512::U64x8;

/// Who orders the instructions of a permutation.
pub(super) trait Permutation<V> {
    /// The last `rounds` rounds, at least one.
    ///
    /// # Safety
    /// The CPU has the kernel's features.
    unsafe fn permute(state: &mut [V; LANES], rounds: usize);
}

impl<V: Vector<Word = u64>> Permutation<V> for ByCompiler {
    #[inline(always)]
    unsafe fn permute(state: &mut [V; LANES], rounds: usize) {
        permute(state, rounds);
    }
}

#[cfg(target_arch = "x86_64")]
impl Permutation<U64x8> for InAssembly {
    #[inline(always)]
    unsafe fn permute(state: &mut [U64x8; LANES], rounds: usize) {
        // SAFETY: the caller promises the features of a kernel with these vectors.
        unsafe { assembly::keccak::permute(state, rounds) }
    }
}

/// Absorbs the blocks of `rate` bytes of the spans, with `rounds` rounds after each. All rates
/// share this code.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `V::LANES` lanes.
#[inline(always)]
pub(super) unsafe fn absorb_lanes<V: Vector<Word = u64>, P: Permutation<V>>(
    spans: &[Span<u64>],
    rate: usize,
    rounds: usize,
) {
    // A vector in memory makes the compiler align the stack, and with it every vector that it
    // spills. On an unaligned stack a spilled vector may straddle two cache lines.
    black_box(&mut MaybeUninit::<V>::uninit());
    for span in spans {
        // SAFETY: the caller promises the CPU's features, LANES + 1 words for each lane at `from`
        // and `to`, and `blocks` blocks of `rate` bytes in every lane.
        unsafe {
            let mut state = [V::load(span.from); LANES];
            for (w, word) in state.iter_mut().enumerate() {
                *word = V::load(span.from.add(w * V::LANES));
            }
            for block in 0..span.blocks {
                if !span.data.is_null() {
                    absorb(&mut state, span.data, block * rate, rate);
                }
                P::permute(&mut state, rounds);
            }
            for (w, word) in state.iter().enumerate() {
                word.store(span.to.add(w * V::LANES));
            }
            V::load(span.from.add(LANES * V::LANES)).store(span.to.add(LANES * V::LANES));
        }
    }
}

/// Mixes one block of every lane into the state: 9, 13, 17, 18 or 21 words.
///
/// # Safety
/// The CPU supports the vector's instruction set. `data` is readable for `V::LANES` pointers, and
/// each of them for `rate` bytes from `offset`.
#[inline(always)]
unsafe fn absorb<V: Vector<Word = u64>>(
    state: &mut [V; LANES],
    data: *const *const u8,
    offset: usize,
    rate: usize,
) {
    // SAFETY: the caller promises the instruction set. Each load is of 32 of the `rate` bytes.
    unsafe {
        let words = |first: usize| V::load_words::<false>(data, offset + 8 * first);
        xor(state, 0, words(0));
        xor(state, 4, words(4));
        if rate >= 104 {
            xor(state, 8, words(8));
        }
        if rate >= 136 {
            xor(state, 12, words(12));
        }
        if rate >= 168 {
            xor(state, 16, words(16));
        }
        // The last four words, of which one or two are left.
        let [_, _, w2, w3] = words(rate / 8 - 4);
        match rate {
            72 => state[8] = state[8].xor(w3),
            104 => state[12] = state[12].xor(w3),
            136 => state[16] = state[16].xor(w3),
            144 => {
                state[16] = state[16].xor(w2);
                state[17] = state[17].xor(w3);
            }
            _ => state[20] = state[20].xor(w3),
        }
    }
}

#[inline(always)]
fn xor<V: Vector>(state: &mut [V; LANES], first: usize, [w0, w1, w2, w3]: [V; 4]) {
    state[first] = state[first].xor(w0);
    state[first + 1] = state[first + 1].xor(w1);
    state[first + 2] = state[first + 2].xor(w2);
    state[first + 3] = state[first + 3].xor(w3);
}
