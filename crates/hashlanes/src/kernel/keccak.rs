//! What every kernel of Keccak runs: blocks of any rate go into the state, and the permutation
//! follows each. Or blocks come out of the state, and the permutation precedes each.

use core::array;
use core::hint::black_box;
use core::mem::MaybeUninit;

use super::compress::ByCompiler;
#[cfg(target_arch = "x86_64")]
use super::compress::InAssembly;
#[cfg(target_arch = "x86_64")]
use crate::assembly;
use crate::family::keccak::{LANES, permute};
#[cfg(target_arch = "x86_64")]
use crate::input::EqualMessages;
use crate::input::{Span, Squeezing};
#[cfg(target_arch = "x86_64")]
use crate::vector::MaskedVector;
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

/// Hashes messages of one length: blocks of `rate` bytes go from memory into registers, where they
/// are padded, and digests go from there to memory.
///
/// # Safety
/// As for [`HashEqual`](crate::input::HashEqual), with `V::LANES` lanes.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) unsafe fn hash_equal<V: MaskedVector<Word = u64>, P: Permutation<V>>(
    job: &EqualMessages<'_, u64>,
    rate: usize,
    rounds: usize,
) {
    align_stack::<V>();
    let EqualMessages { initial, messages, count, length, ref digests } = *job;
    let (blocks, rest) = (length / rate, length % rate);
    let suffix = initial[LANES] << (8 * (rest % 8));
    // SAFETY: the caller promises the CPU's features, and pointers to messages of `length` bytes,
    // as many as the lanes of all groups. The last quarter of words that is loaded ends with the
    // message. There is room for each digest, and for a digest of an idle lane.
    unsafe {
        for first in (0..count).step_by(V::LANES) {
            let data = messages.add(first);
            let mut state = [V::splat(0); LANES];
            for (word, &same) in state.iter_mut().zip(initial) {
                *word = V::splat(same);
            }
            for block in 0..=blocks {
                let from = block * rate;
                if block < blocks {
                    absorb(&mut state, data, from, rate);
                } else {
                    let whole = rest / 32 * 32;
                    for byte in (0..whole).step_by(32) {
                        xor(&mut state, byte / 8, V::load_words::<false>(data, from + byte));
                    }
                    if whole < rest {
                        let last = V::load_end::<false>(data, length, rest - whole);
                        xor(&mut state, whole / 8, last);
                    }
                    state[rest / 8] = state[rest / 8].xor(&V::splat(suffix));
                    state[rate / 8 - 1] = state[rate / 8 - 1].xor(&V::splat(1 << 63));
                }
                P::permute(&mut state, rounds);
            }
            let [w0, w1, w2, w3, w4, w5, w6, w7, ..] = state;
            let mut idle = MaybeUninit::<[u8; 64]>::uninit();
            let to = digests.of_lanes(V::LANES, first, count, idle.as_mut_ptr().cast());
            let words = [w0, w1, w2, w3, w4, w5, w6, w7];
            V::store_digests::<false>(&words, to.as_ptr(), digests.size);
        }
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
    align_stack::<V>();
    for span in spans {
        // SAFETY: the caller promises the CPU's features, LANES + 1 words for each lane at `from`
        // and `to`, and `blocks` blocks of `rate` bytes in every lane.
        unsafe {
            let mut state = load(span.from);
            for block in 0..span.blocks {
                absorb(&mut state, span.data, block * rate, rate);
                P::permute(&mut state, rounds);
            }
            store(&state, span.to);
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
            72 => state[8] = state[8].xor(&w3),
            104 => state[12] = state[12].xor(&w3),
            136 => state[16] = state[16].xor(&w3),
            144 => {
                state[16] = state[16].xor(&w2);
                state[17] = state[17].xor(&w3);
            }
            _ => state[20] = state[20].xor(&w3),
        }
    }
}

/// Squeezes blocks of `rate` bytes, with `rounds` rounds between them.
///
/// # Safety
/// As for [`SqueezeBlocks`](crate::input::SqueezeBlocks), with `V::LANES` lanes.
#[inline(always)]
pub(super) unsafe fn squeeze_lanes<V: Vector<Word = u64>, P: Permutation<V>>(
    squeezing: &Squeezing<u64>,
    rate: usize,
    rounds: usize,
) {
    let Squeezing { states, continues, blocks, output } = *squeezing;
    align_stack::<V>();
    // SAFETY: the caller promises the CPU's features, more than LANES words for each lane, and
    // that each output is null or has room for all blocks.
    unsafe {
        let mut state = load::<V>(states);
        for block in 0..blocks {
            if block > 0 || continues {
                P::permute(&mut state, rounds);
                store(&state, states);
            }
            write::<V>(states, output, block * rate, rate);
        }
    }
}

/// A vector in memory makes the compiler align the stack, and with it every vector that it spills.
/// On an unaligned stack a spilled vector may straddle two cache lines.
#[inline(always)]
fn align_stack<V>() {
    black_box(&mut MaybeUninit::<V>::uninit());
}

/// The states of all lanes.
///
/// # Safety
/// The CPU supports the vector's instruction set. `from` is readable for LANES words of each lane.
#[inline(always)]
unsafe fn load<V: Vector<Word = u64>>(from: *const u64) -> [V; LANES] {
    // SAFETY: the caller promises the instruction set, and LANES readable vectors.
    unsafe {
        let mut state = [V::load(from); LANES];
        for w in 0..LANES {
            state[w] = V::load(from.add(w * V::LANES));
        }
        state
    }
}

/// Stores the states of all lanes.
///
/// # Safety
/// `to` is writable for LANES words of each lane.
#[inline(always)]
unsafe fn store<V: Vector<Word = u64>>(state: &[V; LANES], to: *mut u64) {
    for w in 0..LANES {
        // SAFETY: the caller promises LANES writable vectors.
        unsafe { state[w].store(to.add(w * V::LANES)) };
    }
}

/// Writes the first `rate` bytes of each lane's state to its output, behind `offset` others: by the
/// transposition that loads blocks.
///
/// # Safety
/// The CPU supports the vector's instruction set. `states` is readable for LANES words of each
/// lane, and `output` for `V::LANES` pointers. Each of them is null, or writable for `rate` bytes
/// from `offset`.
#[inline(always)]
unsafe fn write<V: Vector<Word = u64>>(
    states: *const u64,
    output: *const *mut u8,
    offset: usize,
    rate: usize,
) {
    let words = rate / 8;
    for lane in (0..V::LANES).step_by(4) {
        for first in (0..words).step_by(V::LANES) {
            // The last words, some of which may have been written already.
            let first = first.min(words - V::LANES);
            let rows: [_; 8] = array::from_fn(|w| {
                states.wrapping_add((first + w % V::LANES) * V::LANES).cast::<u8>()
            });
            // SAFETY: the caller promises the instruction set. These are rows of the states, of
            // which there are more than 4 behind the last one of `rate` bytes: a row of fewer
            // lanes than four is followed by those that are read with it.
            let four = unsafe { V::load_words::<false>(rows.as_ptr(), lane * 8) };
            for (l, words) in four.iter().enumerate().take(V::LANES) {
                // SAFETY: the caller promises pointers for all lanes, which are null or writable.
                unsafe {
                    let to = *output.add(lane + l);
                    if !to.is_null() {
                        words.store(to.add(offset + 8 * first).cast());
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn xor<V: Vector>(state: &mut [V; LANES], first: usize, [w0, w1, w2, w3]: [V; 4]) {
    state[first] = state[first].xor(&w0);
    state[first + 1] = state[first + 1].xor(&w1);
    state[first + 2] = state[first + 2].xor(&w2);
    state[first + 3] = state[first + 3].xor(&w3);
}
