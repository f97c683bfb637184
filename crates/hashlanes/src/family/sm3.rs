//! SM3 (GB/T 32905-2016; in English ISO/IEC 10118-3:2018, dedicated hash-function 17).
//!
//! It differs from SHA-256 in three ways that matter here. A round takes two words, `W[j]` and
//! `W[j] ^ W[j + 4]`. The old state is combined with the new one by exclusive or, not by addition.
//! And in the first 16 rounds both mixing functions are the exclusive or of three words.

use super::known::{MAX_ROUNDS, Sums, known_padding};
use super::unroll::{accumulate, unroll};
use super::{Between, MerkleDamgard, merkle_damgard};
use crate::vector::{BLOCK_WORDS, Vector, Word};

/// IV (section 4.1).
#[rustfmt::skip]
pub(crate) const INITIAL: [u32; 8] = [
    0x7380166f, 0x4914b2b9, 0x172442d7, 0xda8a0600,
    0xa96f30bc, 0x163138aa, 0xe38dee4d, 0xb0fb0e4e,
];

/// SM3's compression: 64 rounds on eight 32-bit words, big-endian.
#[derive(Clone, Copy)]
pub enum Sm3Family {}

const ROUNDS: usize = 64;

/// The rounds whose mixing functions are exclusive ors.
const PARITY_ROUNDS: usize = 16;

/// Words of the expanded message (section 5.3.2): four more than rounds, for `W[j + 4]`.
const SCHEDULE_WORDS: usize = ROUNDS + 4;

/// `T[j] <<< j` (section 4.2).
pub(crate) const K: [u32; ROUNDS] = {
    let mut k = [0u32; ROUNDS];
    let mut j = 0;
    while j < ROUNDS {
        let t = if j < PARITY_ROUNDS { 0x79cc4519u32 } else { 0x7a879d8a };
        k[j] = t.rotate_left(j as u32 % 32);
        j += 1;
    }
    k
};

/// Word `t + 4` of the expanded message, for round `t`. The 16 latest words are kept at their
/// number mod 16.
#[inline(always)]
fn schedule<V: Vector<Word = u32>>(w: &mut [V; BLOCK_WORDS], t: usize) {
    let word = |back: usize| (t + 4 + BLOCK_WORDS - back) % BLOCK_WORDS;
    let mixed = w[word(16)].xor3(&w[word(9)], &w[word(3)].rotate_left::<15>());
    let p1 = mixed.xor3(&mixed.rotate_left::<15>(), &mixed.rotate_left::<23>());
    w[word(16)] = p1.xor3(&w[word(13)].rotate_left::<7>(), &w[word(6)]);
}

/// One round (section 5.3.3), with exclusive ors as mixing functions if `PARITY`. `d` has the
/// second word already, and `h` the first one: neither depends on the previous round.
#[inline(always)]
fn round<V: Vector<Word = u32>, const PARITY: bool>(
    k: u32,
    [a, c, e, g]: [&V; 4],
    [b, d, f, h]: [&mut V; 4],
) {
    let a12 = a.rotate_left::<12>();
    let ss1 = e.add_word(k).add(&a12).rotate_left::<7>();
    let (ff, gg) =
        if PARITY { (a.xor3(b, c), e.xor3(f, g)) } else { (a.majority(b, c), e.choose(f, g)) };
    let tt1 = d.add(&ff).add(&ss1.xor(&a12));
    let tt2 = h.add(&gg).add(&ss1);
    *d = tt1;
    *h = tt2.xor3(&tt2.rotate_left::<9>(), &tt2.rotate_left::<17>());
    *b = b.rotate_left::<9>();
    *f = f.rotate_left::<19>();
}

/// Four rounds from number `$t` on, after which the words have their places again: a copy for each
/// round would take the compiler most of its time.
macro_rules! four {
    ($s:ident, $parity:literal, $k:ident, $sums:ident, $t:expr) => {
        let [a, b, c, d, e, f, g, h] = &mut $s;
        $sums!(d, h, $t);
        round::<V, $parity>($k!($t), [a, c, e, g], [b, d, f, h]);
        $sums!(c, g, $t + 1);
        round::<V, $parity>($k!($t + 1), [d, b, h, f], [a, c, e, g]);
        $sums!(b, f, $t + 2);
        round::<V, $parity>($k!($t + 2), [c, a, g, e], [d, b, h, f]);
        $sums!(a, e, $t + 3);
        round::<V, $parity>($k!($t + 3), [b, d, f, h], [c, a, g, e]);
    };
}

/// The expanded message. The constants are not added, as a round adds its constant before it
/// rotates.
const fn sums(block: &[u32; BLOCK_WORDS]) -> Sums<u32> {
    const { assert!(SCHEDULE_WORDS <= MAX_ROUNDS) };
    let mut w = [0; MAX_ROUNDS];
    let mut j = 0;
    while j < SCHEDULE_WORDS {
        w[j] = if j < BLOCK_WORDS {
            block[j]
        } else {
            let x: u32 = w[j - 16] ^ w[j - 9] ^ w[j - 3].rotate_left(15);
            let p1 = x ^ x.rotate_left(15) ^ x.rotate_left(23);
            p1 ^ w[j - 13].rotate_left(7) ^ w[j - 6]
        };
        j += 1;
    }
    w
}

merkle_damgard!(Sm3Family, u32, 8);

impl MerkleDamgard for Sm3Family {
    const BIG_ENDIAN: bool = true;

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) {
        let mut w = *block;
        let mut s = *state;
        let k = super::fresh(&K);
        macro_rules! parity_sums {
            ($d:ident, $h:ident, $t:expr) => {{
                if $t + 4 >= BLOCK_WORDS {
                    schedule(&mut w, $t);
                }
                *$d = $d.add(&w[$t].xor(&w[($t + 4) % 16]));
                *$h = $h.add(&w[$t]);
            }};
        }
        macro_rules! parity_k {
            ($t:expr) => {
                k[$t]
            };
        }
        between.part(0);
        unroll!(4, I => {
            four!(s, true, parity_k, parity_sums, 4 * I);
        });
        let mut first = PARITY_ROUNDS;
        while first < ROUNDS {
            macro_rules! sums {
                ($d:ident, $h:ident, $t:expr) => {{
                    schedule(&mut w, $t);
                    *$d = $d.add(&w[$t].xor(&w[($t + 4) % 16]));
                    *$h = $h.add(&w[$t]);
                }};
            }
            macro_rules! k {
                ($t:expr) => {
                    k[first + $t]
                };
            }
            between.part(first / 16);
            unroll!(4, I => {
                four!(s, false, k, sums, 4 * I);
            });
            first += 16;
        }
        let [a, b, c, d, e, f, g, h] = s;
        accumulate!(state, xor, [a, b, c, d, e, f, g, h]);
    }

    #[inline(always)]
    fn compress_known<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        sums: &Sums<u32>,
        between: &mut impl Between,
    ) {
        let mut s = *state;
        let k = super::fresh(&K);
        macro_rules! known_rounds {
            ($first:ident, $parity:literal) => {
                macro_rules! sums {
                    ($d:ident, $h:ident, $t:expr) => {{
                        let w = sums[$first + $t];
                        let w2 = w ^ sums[$first + $t + 4];
                        *$d = $d.add_word(w2);
                        *$h = $h.add_word(w);
                    }};
                }
                macro_rules! k {
                    ($t:expr) => {
                        k[$first + $t]
                    };
                }
                four!(s, $parity, k, sums, 0);
            };
        }
        between.part(0);
        let mut first = 0;
        while first < PARITY_ROUNDS {
            known_rounds!(first, true);
            first += 4;
        }
        while first < ROUNDS {
            if first.is_multiple_of(16) {
                between.part(first / 16);
            }
            known_rounds!(first, false);
            first += 4;
        }
        let [a, b, c, d, e, f, g, h] = s;
        accumulate!(state, xor, [a, b, c, d, e, f, g, h]);
    }

    known_padding!(sums);
}
