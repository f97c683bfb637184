//! Keccak-p[1600] (FIPS 202 sections 3.2 and 3.3), and how SHA-3, SHAKE and their relatives put
//! messages into it.
//!
//! All of them are one sponge. They differ in the rate, which is the length of a block, in the
//! number of rounds, and in the bits after the message. A family is made by the first two. The last
//! one belongs to each function, so it is a word of the state, which no round changes.

use super::Family;
use super::unroll::unroll;
use crate::vector::Vector;

/// Words of the permutation's state.
pub(crate) const LANES: usize = 25;

/// The sponge with blocks of `RATE` bytes, and `ROUNDS` rounds after each.
#[derive(Clone, Copy)]
pub enum Keccak<const RATE: usize, const ROUNDS: usize = 24> {}

/// A state before the first block. `suffix` has the bits after the message, with the first bit of
/// the padding (FIPS 202 section B.2).
pub(crate) const fn initial(suffix: u8) -> [u64; LANES + 1] {
    let mut state = [0; LANES + 1];
    state[LANES] = suffix as u64;
    state
}

impl<const RATE: usize, const ROUNDS: usize> Family for Keccak<RATE, ROUNDS> {
    type Word = u64;
    const STATE_WORDS: usize = LANES + 1;
    const BLOCK: usize = RATE;
}

/// Iota's constant of each round (FIPS 202 section 3.2.5).
#[rustfmt::skip]
static CONSTANTS: [u64; 24] = [
    0x0000000000000001, 0x0000000000008082, 0x800000000000808a, 0x8000000080008000,
    0x000000000000808b, 0x0000000080000001, 0x8000000080008081, 0x8000000000008009,
    0x000000000000008a, 0x0000000000000088, 0x0000000080008009, 0x000000008000000a,
    0x000000008000808b, 0x800000000000008b, 0x8000000000008089, 0x8000000000008003,
    0x8000000000008002, 0x8000000000000080, 0x000000000000800a, 0x800000008000000a,
    0x8000000080008081, 0x8000000000008080, 0x0000000080000001, 0x8000000080008008,
];

/// By how many bits rho rotates word `x + 5 * y` (FIPS 202 section 3.2.2).
#[rustfmt::skip]
const RHO: [i32; LANES] = [
    0, 1, 62, 28, 27,
    36, 44, 6, 55, 20,
    3, 10, 43, 25, 39,
    41, 45, 15, 21, 8,
    18, 2, 61, 56, 14,
];

/// Iota's constants of the last `rounds` rounds.
#[inline(always)]
pub(crate) fn last_constants(rounds: usize) -> &'static [u64] {
    &super::fresh(&CONSTANTS)[CONSTANTS.len() - rounds..]
}

/// The last `rounds` rounds of Keccak-f[1600] (FIPS 202 section 3.3), in every lane.
#[inline(always)]
pub(crate) fn permute<V: Vector<Word = u64>>(a: &mut [V; LANES], rounds: usize) {
    for &constant in last_constants(rounds) {
        round(a, constant);
    }
}

/// Theta, rho, pi, chi and iota.
#[inline(always)]
fn round<V: Vector<Word = u64>>(a: &mut [V; LANES], constant: u64) {
    let mut c = [a[0]; 5];
    unroll!(5, X => {
        c[X] = a[X].xor3(&a[X + 5], &a[X + 10]).xor3(&a[X + 15], &a[X + 20]);
    });
    let mut b = *a;
    unroll!(5, X => {
        let (before, after) = (&c[(X + 4) % 5], &c[(X + 1) % 5]);
        if V::TERNARY {
            let after = after.rotate_left::<1>();
            unroll!(5, Y => {
                b[X + 5 * Y] = rho::<V, { RHO[X + 5 * Y] }>(&a[X + 5 * Y].xor3(before, &after));
            });
        } else {
            let d = before.xor_rotated_by_one(after);
            unroll!(5, Y => {
                b[X + 5 * Y] = match RHO[X + 5 * Y] {
                    0 => a[X + 5 * Y].xor(&d),
                    _ => a[X + 5 * Y].xor_rotate_left::<{ RHO[X + 5 * Y] }>(&d),
                };
            });
        }
    });
    unroll!(5, Y => {
        // Pi moves word (x, y) to (y, 2x + 3y). So this row's word X comes from row X.
        let mut row = [b[0]; 5];
        unroll!(5, X => {
            row[X] = b[(X + 3 * Y) % 5 + 5 * X];
        });
        unroll!(5, X => {
            a[5 * Y + X] = row[X].chi(&row[(X + 1) % 5], &row[(X + 2) % 5]);
        });
    });
    a[0] = a[0].xor_word(constant);
}

#[inline(always)]
fn rho<V: Vector, const N: i32>(word: &V) -> V {
    if N == 0 { *word } else { word.rotate_left::<N>() }
}
