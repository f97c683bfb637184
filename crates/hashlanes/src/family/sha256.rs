//! SHA-256 and the functions that share its compression: SHA-224 (FIPS 180-4 sections 5.3, 6.2 and
//! 6.3), and SHA-256 twice.

use super::known::{MAX_ROUNDS, Sums, known_padding};
use super::{Between, MerkleDamgard, merkle_damgard, unroll::unroll};
use crate::vector::{BLOCK_WORDS, Vector, Word};

/// H(0) of SHA-256 (section 5.3.3).
#[rustfmt::skip]
pub(crate) const INITIAL_256: [u32; 8] = [
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
];

/// H(0) of SHA-224 (section 5.3.2).
#[rustfmt::skip]
pub(crate) const INITIAL_224: [u32; 8] = [
    0xc1059ed8, 0x367cd507, 0x3070dd17, 0xf70e5939,
    0xffc00b31, 0x68581511, 0x64f98fa7, 0xbefa4fa4,
];

/// The compression of SHA-256: 64 rounds on eight 32-bit words, big-endian.
#[derive(Clone, Copy)]
pub enum Sha256Family {}

/// The first 32 bits of the fractional parts of the cube roots of the first 64 primes (section
/// 4.2.2).
#[rustfmt::skip]
pub(crate) const K: [u32; 64] = [
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
];

/// The next word of the message schedule. The 16 latest words are kept at `t mod 16`.
#[inline(always)]
fn schedule<V: Vector<Word = u32>>(w: &mut [V; BLOCK_WORDS], t: usize) {
    let (w15, w2) = (w[(t + 1) % 16], w[(t + 14) % 16]);
    let sigma0 = w15.rotate_right::<7>().xor3(w15.rotate_right::<18>(), w15.shift_right::<3>());
    let sigma1 = w2.rotate_right::<17>().xor3(w2.rotate_right::<19>(), w2.shift_right::<10>());
    w[t % 16] = w[t % 16].add(w[(t + 9) % 16]).add(sigma0).add(sigma1);
}

/// One round (section 6.2.2 step 3). `$sum` is `h` with the schedule word and the constant. The
/// words of the state change their places by their names: a copy for each round would take the
/// compiler most of its time.
macro_rules! round {
    (
        $b_xor_c:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
        $sum:expr
    ) => {
        let sum1 = $e.rotate_right::<6>().xor3($e.rotate_right::<11>(), $e.rotate_right::<25>());
        let sum0 = $a.rotate_right::<2>().xor3($a.rotate_right::<13>(), $a.rotate_right::<22>());
        // `h + w + K` does not depend on the previous round.
        let t1 = $sum.add($e.choose($f, $g)).add(sum1);
        let majority;
        (majority, $b_xor_c) = $a.majority_chained($b, $c, $b_xor_c);
        $d = $d.add(t1);
        $h = t1.add(sum0.add(majority));
    };
}

/// Eight rounds from number `$t` on, after which the words have their places again.
macro_rules! eight {
    ($s:ident, $b_xor_c:ident, $sum:ident, $t:expr) => {
        let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = $s;
        round!($b_xor_c, a b c d e f g h, $sum!(h, $t));
        round!($b_xor_c, h a b c d e f g, $sum!(g, $t + 1));
        round!($b_xor_c, g h a b c d e f, $sum!(f, $t + 2));
        round!($b_xor_c, f g h a b c d e, $sum!(e, $t + 3));
        round!($b_xor_c, e f g h a b c d, $sum!(d, $t + 4));
        round!($b_xor_c, d e f g h a b c, $sum!(c, $t + 5));
        round!($b_xor_c, c d e f g h a b, $sum!(b, $t + 6));
        round!($b_xor_c, b c d e f g h a, $sum!(a, $t + 7));
        $s = [a, b, c, d, e, f, g, h];
    };
}

/// The sums of a block.
const fn sums(block: &[u32; BLOCK_WORDS]) -> Sums<u32> {
    let mut w = [0; MAX_ROUNDS];
    let mut t = 0;
    while t < K.len() {
        w[t] = if t < BLOCK_WORDS {
            block[t]
        } else {
            let (x, y) = (w[t - 15], w[t - 2]);
            let sigma0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
            let sigma1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
            w[t - 16].wrapping_add(sigma0).wrapping_add(w[t - 7]).wrapping_add(sigma1)
        };
        t += 1;
    }
    t = 0;
    while t < K.len() {
        w[t] = w[t].wrapping_add(K[t]);
        t += 1;
    }
    w
}

merkle_damgard!(Sha256Family, u32, 8);

impl MerkleDamgard for Sha256Family {
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
        let mut b_xor_c = s[1].xor(s[2]);
        between.part(0);
        macro_rules! sum {
            ($h:ident, $t:expr) => {
                $h.add(w[$t]).add_word(k[$t])
            };
        }
        unroll!(2, I => {
            eight!(s, b_xor_c, sum, 8 * I);
        });
        // The loop's body is sixteen rounds. Unrolled further, the code would outgrow the cache of
        // decoded instructions.
        for first in (16..K.len()).step_by(16) {
            between.part(first / 16);
            macro_rules! sum {
                ($h:ident, $t:expr) => {{
                    schedule(&mut w, $t);
                    $h.add(w[$t]).add_word(k[first + $t])
                }};
            }
            unroll!(2, I => {
                eight!(s, b_xor_c, sum, 8 * I);
            });
        }
        for i in 0..8 {
            state[i] = state[i].add(s[i]);
        }
    }

    #[inline(always)]
    fn compress_known<V: Vector<Word = u32>>(
        state: &mut [V; 8],
        sums: &Sums<u32>,
        between: &mut impl Between,
    ) {
        let mut s = *state;
        let mut b_xor_c = s[1].xor(s[2]);
        for first in (0..K.len()).step_by(8) {
            if first.is_multiple_of(16) {
                between.part(first / 16);
            }
            // All sums are read before the first round. The compiler adds in the order in
            // which it reads: a sum read later would be added on the critical path.
            let mut k = [0; 8];
            k.copy_from_slice(&sums[first..][..8]);
            macro_rules! sum {
                ($h:ident, $t:expr) => {
                    $h.add_word(k[$t])
                };
            }
            eight!(s, b_xor_c, sum, 0);
        }
        for i in 0..8 {
            state[i] = state[i].add(s[i]);
        }
    }

    known_padding!(sums);
}
