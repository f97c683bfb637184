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

/// One round of part `PART`, whose function of b, c and d is Ch, Parity, Maj or Parity. `e` has the
/// word and the constant already, which do not depend on the previous round: the function and the
/// rotation of `a` come last.
#[inline(always)]
fn round<V: Vector<Word = u32>, const PART: usize>(a: &V, b: &mut V, c: &V, d: &V, e: &mut V) {
    let f = match PART {
        0 => b.choose(c, d),
        2 => b.majority(c, d),
        _ => b.xor3(c, d),
    };
    *e = a.rotate_left_add::<5>(&e.add(&f));
    *b = b.rotate_left::<30>();
}

/// Five rounds from number `$t` on, after which the words have their places again: a copy for each
/// round would take the compiler most of its time.
macro_rules! five {
    ($s:ident, $part:literal, $sum:ident, $t:expr) => {
        let [a, b, c, d, e] = &mut $s;
        $sum!(e, $t);
        round::<V, $part>(a, b, c, d, e);
        $sum!(d, $t + 1);
        round::<V, $part>(e, a, b, c, d);
        $sum!(c, $t + 2);
        round::<V, $part>(d, e, a, b, c);
        $sum!(b, $t + 3);
        round::<V, $part>(c, d, e, a, b);
        $sum!(a, $t + 4);
        round::<V, $part>(b, c, d, e, a);
    };
}

/// The twenty rounds of a part.
macro_rules! rounds {
    ($s:ident, $w:ident, $part:literal) => {
        macro_rules! sum {
            ($e:ident, $t:expr) => {{
                schedule(&mut $w, 20 * $part + $t);
                *$e = $e.add(&$w[(20 * $part + $t) % 16]).add_word(K[$part]);
            }};
        }
        unroll!(4, I => {
            five!($s, $part, sum, 5 * I);
        });
    };
}

/// [`rounds`] with the sums of words and constants.
macro_rules! known_rounds {
    ($s:ident, $sums:ident, $part:literal) => {
        // All sums are read before the first round. The compiler adds in the order in which it
        // reads: a sum read later would be added on the critical path.
        let mut k = [0; 20];
        k.copy_from_slice(&$sums[20 * $part..][..20]);
        macro_rules! sum {
            ($e:ident, $t:expr) => {
                *$e = $e.add_word(k[$t])
            };
        }
        let mut t = 0;
        while t < 20 {
            five!($s, $part, sum, t);
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
        rounds!(s, w, 0);
        between.part(1);
        rounds!(s, w, 1);
        between.part(2);
        rounds!(s, w, 2);
        between.part(3);
        rounds!(s, w, 3);
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
        known_rounds!(s, sums, 0);
        between.part(1);
        known_rounds!(s, sums, 1);
        between.part(2);
        known_rounds!(s, sums, 2);
        between.part(3);
        known_rounds!(s, sums, 3);
        let [a, b, c, d, e] = s;
        accumulate!(state, add, [a, b, c, d, e]);
    }

    known_padding!(sums);
}
