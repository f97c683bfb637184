//! What BLAKE2 (RFC 7693) and BLAKE3 have in common: rounds of the mixing function G on sixteen
//! words, and what a lane holds besides the eight words that are chained.

use super::unroll::unroll;
use super::{Between, Family};
use crate::vector::{BLOCK_WORDS, Vector};

/// The most words of a state that lanes hold: eight that are chained, and those which say where in
/// the message a block is, or sixteen of output.
pub(crate) const LANE_WORDS: usize = 16;

/// A compression function of BLAKE2 or BLAKE3. Blocks have 16 little-endian words.
pub(crate) trait Blake: Family {
    /// What output takes from the rounds: nothing, or the last eight words after them.
    type Last<V: Vector<Word = Self::Word>>;

    /// Compresses one block into the state, in every lane. Does the four parts of `between` at
    /// points that divide the compression about evenly.
    fn compress<V: Vector<Word = Self::Word>>(
        state: &mut [V; LANE_WORDS],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) -> Self::Last<V>;
}

/// The sixteen words before the first round: the chained ones, and the initial values.
#[inline(always)]
pub(super) fn words<V: Vector>(state: &[V; LANE_WORDS], iv: &[V::Word; 8]) -> [V; 16] {
    let zero = state[0].xor(&state[0]);
    let mut v = [zero; 16];
    v[..8].copy_from_slice(&state[..8]);
    for (word, &iv) in v[8..].iter_mut().zip(iv) {
        *word = zero.add_word(iv);
    }
    v
}

/// A round: G on the columns of the 4 by 4 words, then on the diagonals. `order` has the places of
/// the message's words.
#[inline(always)]
pub(super) fn round<V: Vector, const R1: i32, const R2: i32, const R3: i32, const R4: i32>(
    v: &mut [V; 16],
    block: &[V; BLOCK_WORDS],
    order: &[u8; BLOCK_WORDS],
) {
    let (columns, diagonals) = order.split_at(BLOCK_WORDS / 2);
    mix::<V, R1, R2, R3, R4>(v, block, columns, 0);
    mix::<V, R1, R2, R3, R4>(v, block, diagonals, 1);
}

/// G four times, side by side: on the columns, or on the diagonals if each row begins `shift` words
/// later than the one above. G rotates by `R1` to `R4` bits.
///
/// The four are independent of each other. Written in steps, independent instructions are so near
/// to each other that a core finds them: that took 0.68 (BLAKE3, one lane) to 0.95 times the cycles
/// of one G after the other.
#[inline(always)]
fn mix<V: Vector, const R1: i32, const R2: i32, const R3: i32, const R4: i32>(
    v: &mut [V; 16],
    block: &[V; BLOCK_WORDS],
    order: &[u8],
    shift: usize,
) {
    let word = |i: usize| &block[usize::from(order[i]) % BLOCK_WORDS];
    let b = |i: usize| 4 + (i + shift) % 4;
    let c = |i: usize| 8 + (i + 2 * shift) % 4;
    let d = |i: usize| 12 + (i + 3 * shift) % 4;
    // A word of the message is added first, as it is known before `b`.
    unroll!(4, I => { v[I] = v[I].add(word(2 * I)).add(&v[b(I)]); });
    unroll!(4, I => { v[d(I)] = v[d(I)].xor(&v[I]).rotate_right::<R1>(); });
    unroll!(4, I => { v[c(I)] = v[c(I)].add(&v[d(I)]); });
    unroll!(4, I => { v[b(I)] = v[b(I)].xor(&v[c(I)]).rotate_right::<R2>(); });
    unroll!(4, I => { v[I] = v[I].add(word(2 * I + 1)).add(&v[b(I)]); });
    unroll!(4, I => { v[d(I)] = v[d(I)].xor(&v[I]).rotate_right::<R3>(); });
    unroll!(4, I => { v[c(I)] = v[c(I)].add(&v[d(I)]); });
    unroll!(4, I => { v[b(I)] = v[b(I)].xor(&v[c(I)]).rotate_right::<R4>(); });
}

/// Writes the last block of a message: `rest`, followed by zeros.
#[inline(always)]
pub(super) fn pad(block: &mut [u8], rest: &[u8]) {
    block[..rest.len()].copy_from_slice(rest);
    block[rest.len()..].fill(0);
}
