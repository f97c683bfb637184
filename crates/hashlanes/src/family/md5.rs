//! MD5 (RFC 1321).

use super::known::{MAX_ROUNDS, Sums, known_padding};
use super::{Between, MerkleDamgard, merkle_damgard};
use crate::vector::{BLOCK_WORDS, Vector, Word};

/// The initial state, words A, B, C, D (RFC 1321 section 3.3).
pub(crate) const INITIAL: [u32; 8] =
    super::first_words([0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476]);

/// MD5's compression: 64 steps on four 32-bit words, little-endian.
#[derive(Clone, Copy)]
pub enum Md5Family {}

/// Step `T[i]` = floor(2^32 * abs(sin(i + 1))) (RFC 1321 section 3.4).
pub(crate) const T: [u32; 64] = [
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613, 0xfd469501,
    0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193, 0xa679438e, 0x49b40821,
    0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d, 0x02441453, 0xd8a1e681, 0xe7d3fbc8,
    0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed, 0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a,
    0xfffa3942, 0x8771f681, 0x6d9d6122, 0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70,
    0x289b7ec6, 0xeaa127fa, 0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665,
    0xf4292244, 0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb, 0xeb86d391,
];

/// The new word of a step: `b + ((sum + f(b, c, d)) <<< N)`, where `f` is F, G, H or I, as the
/// round says, and `sum` is `a` with the message word and the constant.
#[inline(always)]
fn step<V: Vector<Word = u32>, const ROUND: usize, const N: i32>(
    sum: &V,
    b: &V,
    c: &V,
    d: &V,
) -> V {
    let sum = match ROUND {
        0 => sum.add_choice(b, c, d),
        1 => sum.add_choice(d, b, c),
        2 => sum.add_parity(b, c, d),
        _ => sum.add_xor_or_not(b, c, d),
    };
    sum.rotate_left_add::<N>(b)
}

/// Sixteen steps `a = b + ((a + f(b, c, d) + word + T[i]) <<< s)` with one mixing function `f`.
/// Step `i` takes the message word at `(first + i * stride) mod 16`.
///
/// `a + word + T[i]` does not depend on the previous step, whose result is `b`. So it is added
/// first, off the critical path.
macro_rules! round {
    (
        $state:ident, $block:ident, $t:ident, $round:literal,
        $first:literal, $stride:literal, $shifts:expr
    ) => {
        // All constants of the round are read before its first step. The compiler adds in the order
        // in which it reads: a constant read after the other terms would be added last, on the
        // critical path.
        let mut k = [0; BLOCK_WORDS];
        k.copy_from_slice(&$t[$round * BLOCK_WORDS..][..BLOCK_WORDS]);
        macro_rules! sum {
            ($a:ident, $step:expr) => {
                $a.add(&$block[($first + $step * $stride) % BLOCK_WORDS]).add_word(k[$step])
            };
        }
        steps!($state, $round, $shifts, sum, [0, 4, 8, 12]);
    };
}

/// [`round`] with the sums of words and constants.
macro_rules! known_round {
    ($state:ident, $sums:ident, $round:literal, $shifts:expr) => {
        // As in `round`: all sums of the round are read before its first step.
        let mut k = [0; BLOCK_WORDS];
        k.copy_from_slice(&$sums[$round * BLOCK_WORDS..][..BLOCK_WORDS]);
        for first in (0..BLOCK_WORDS).step_by(4) {
            macro_rules! sum {
                ($a:ident, $step:expr) => {
                    $a.add_word(k[first + $step])
                };
            }
            steps!($state, $round, $shifts, sum, [0]);
        }
    };
}

/// The steps from each of some numbers on, four each, after which the words have their places
/// again: a copy for each step would take the compiler most of its time.
macro_rules! steps {
    ($state:ident, $round:literal, $shifts:expr, $sum:ident, [$($first:literal),*]) => {{
        const SHIFTS: [i32; 4] = $shifts;
        let [mut a, mut b, mut c, mut d] = $state;
        $(
            a = step::<V, $round, { SHIFTS[0] }>(&$sum!(a, $first), &b, &c, &d);
            d = step::<V, $round, { SHIFTS[1] }>(&$sum!(d, $first + 1), &a, &b, &c);
            c = step::<V, $round, { SHIFTS[2] }>(&$sum!(c, $first + 2), &d, &a, &b);
            b = step::<V, $round, { SHIFTS[3] }>(&$sum!(b, $first + 3), &c, &d, &a);
        )*
        $state = [a, b, c, d];
    }};
}

/// The sums of a block.
const fn sums(block: &[u32; BLOCK_WORDS]) -> Sums<u32> {
    let mut sums = [0; MAX_ROUNDS];
    let mut i = 0;
    while i < T.len() {
        let word = match i / 16 {
            0 => i,
            1 => 1 + 5 * i,
            2 => 5 + 3 * i,
            _ => 7 * i,
        };
        sums[i] = T[i].wrapping_add(block[word % BLOCK_WORDS]);
        i += 1;
    }
    sums
}

merkle_damgard!(Md5Family, u32, 4);

impl MerkleDamgard for Md5Family {
    const BIG_ENDIAN: bool = false;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) {
        let before = [state[0], state[1], state[2], state[3]];
        let mut now = before;
        let t = super::fresh(&T);
        between.part(0);
        round!(now, block, t, 0, 0, 1, [7, 12, 17, 22]);
        between.part(1);
        round!(now, block, t, 1, 1, 5, [5, 9, 14, 20]);
        between.part(2);
        round!(now, block, t, 2, 5, 3, [4, 11, 16, 23]);
        between.part(3);
        round!(now, block, t, 3, 0, 7, [6, 10, 15, 21]);
        for i in 0..4 {
            state[i] = before[i].add(&now[i]);
        }
    }

    #[inline(always)]
    fn compress_known<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        sums: &Sums<u32>,
        between: &mut impl Between,
    ) {
        let before = [state[0], state[1], state[2], state[3]];
        let mut now = before;
        between.part(0);
        known_round!(now, sums, 0, [7, 12, 17, 22]);
        between.part(1);
        known_round!(now, sums, 1, [5, 9, 14, 20]);
        between.part(2);
        known_round!(now, sums, 2, [4, 11, 16, 23]);
        between.part(3);
        known_round!(now, sums, 3, [6, 10, 15, 21]);
        for i in 0..4 {
            state[i] = before[i].add(&now[i]);
        }
    }

    known_padding!(sums);
}
