//! SHA-1 (FIPS 180-4 sections 5.3.1 and 6.1).

use super::known::{MAX_ROUNDS, Sums, known_padding};
use super::unroll::{accumulate, unroll};
use super::{Between, MerkleDamgard, merkle_damgard};
use crate::vector::{BLOCK_WORDS, Vector, Word};

/// H(0) (FIPS 180-4 section 5.3.1).
pub(crate) const INITIAL: [u32; 8] =
    super::first_words([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]);

/// SHA-1's compression: 80 rounds on five 32-bit words, big-endian.
#[derive(Clone, Copy)]
pub enum Sha1Family {}

/// K of rounds 0..20, 20..40, 40..60 and 60..80 (FIPS 180-4 section 4.2.1).
pub(crate) const K: [u32; 4] = [0x5a82_7999, 0x6ed9_eba1, 0x8f1b_bcdc, 0xca62_c1d6];

/// Word `t` of the message schedule. The 16 latest words are kept at `t mod 16` (FIPS 180-4 section
/// 6.1.3).
#[inline(always)]
fn schedule<V: Vector<Word = u32>>(w: &mut [V; BLOCK_WORDS], t: usize) {
    if t >= BLOCK_WORDS {
        w[t % 16] = w[(t - 3) % 16]
            .xor3(&w[(t - 8) % 16], &w[(t - 14) % 16])
            .xor(&w[t % 16])
            .rotate_left::<1>();
    }
}

/// The functions of b, c and d.
macro_rules! choose {
    ($b:ident, $c:ident, $d:ident) => {
        $b.choose(&$c, &$d)
    };
}

macro_rules! parity {
    ($b:ident, $c:ident, $d:ident) => {
        $b.xor3(&$c, &$d)
    };
}

macro_rules! majority {
    ($b:ident, $c:ident, $d:ident) => {
        $b.majority(&$c, &$d)
    };
}

/// One round. `$sum` is `e` with the word and the constant, which does not depend on the previous
/// round: the function and the rotation of `a` come last. The words of the state change their
/// places by their names: a copy for each round would take the compiler most of its time.
macro_rules! round {
    ($f:ident, $a:ident $b:ident $c:ident $d:ident $e:ident, $sum:expr) => {
        $e = $a.rotate_left_add::<5>(&$sum.add(&$f!($b, $c, $d)));
        $b = $b.rotate_left::<30>();
    };
}

/// Five rounds from number `$t` on, after which the words have their places again.
macro_rules! five {
    ($s:ident, $f:ident, $sum:ident, $t:expr) => {
        let [mut a, mut b, mut c, mut d, mut e] = $s;
        round!($f, a b c d e, $sum!(e, $t));
        round!($f, e a b c d, $sum!(d, $t + 1));
        round!($f, d e a b c, $sum!(c, $t + 2));
        round!($f, c d e a b, $sum!(b, $t + 3));
        round!($f, b c d e a, $sum!(a, $t + 4));
        $s = [a, b, c, d, e];
    };
}

/// Twenty rounds with one function of b, c and d.
macro_rules! rounds {
    ($s:ident, $w:ident, $part:literal, $f:ident) => {
        macro_rules! sum {
            ($e:ident, $t:expr) => {{
                schedule(&mut $w, 20 * $part + $t);
                $e.add(&$w[(20 * $part + $t) % 16]).add_word(K[$part])
            }};
        }
        unroll!(4, I => {
            five!($s, $f, sum, 5 * I);
        });
    };
}

/// [`rounds`] with the sums of words and constants.
macro_rules! known_rounds {
    ($s:ident, $sums:ident, $part:literal, $f:ident) => {
        // All sums are read before the first round. The compiler adds in the order in which it
        // reads: a sum read later would be added on the critical path.
        let mut k = [0; 20];
        k.copy_from_slice(&$sums[20 * $part..][..20]);
        macro_rules! sum {
            ($e:ident, $t:expr) => {
                $e.add_word(k[$t])
            };
        }
        let mut t = 0;
        while t < 20 {
            five!($s, $f, sum, t);
            t += 5;
        }
    };
}

/// The sums of a block.
const fn sums(block: &[u32; BLOCK_WORDS]) -> Sums<u32> {
    let mut w = [0; MAX_ROUNDS];
    let mut t = 0;
    while t < w.len() {
        w[t] = match t {
            0..16 => block[t],
            _ => (w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16]).rotate_left(1),
        };
        t += 1;
    }
    t = 0;
    while t < w.len() {
        w[t] = w[t].wrapping_add(K[t / 20]);
        t += 1;
    }
    w
}

merkle_damgard!(Sha1Family, u32, 5);

impl MerkleDamgard for Sha1Family {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) {
        let mut w = *block;
        let mut s = [state[0], state[1], state[2], state[3], state[4]];
        between.part(0);
        rounds!(s, w, 0, choose);
        between.part(1);
        rounds!(s, w, 1, parity);
        between.part(2);
        rounds!(s, w, 2, majority);
        between.part(3);
        rounds!(s, w, 3, parity);
        let [a, b, c, d, e] = s;
        accumulate!(state, add, [a, b, c, d, e]);
    }

    #[inline(always)]
    fn compress_known<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        sums: &Sums<u32>,
        between: &mut impl Between,
    ) {
        let mut s = [state[0], state[1], state[2], state[3], state[4]];
        between.part(0);
        known_rounds!(s, sums, 0, choose);
        between.part(1);
        known_rounds!(s, sums, 1, parity);
        between.part(2);
        known_rounds!(s, sums, 2, majority);
        between.part(3);
        known_rounds!(s, sums, 3, parity);
        let [a, b, c, d, e] = s;
        accumulate!(state, add, [a, b, c, d, e]);
    }

    known_padding!(sums);
}
