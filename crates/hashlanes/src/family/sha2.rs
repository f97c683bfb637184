//! The compression of SHA-256 and SHA-512 (FIPS 180-4 sections 6.2 and 6.4), which differ in the
//! word, the number of rounds, the constants and the rotations.

/// One round (step 3). `$sum` is `h` with the schedule word and the constant. The words of the
/// state change their places by their names: a copy for each round would take the compiler most of
/// its time.
macro_rules! round {
    (
        $x:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
        $sum:expr
    ) => {
        let sums = sums_of_rotations(&$a, &$e);
        [$d, $h] = after_round(&sums, &mut $x, [&$a, &$b, &$c], &$d, [&$e, &$f, &$g], &$sum);
    };
}

/// Eight rounds from number `$t` on, after which the words have their places again.
macro_rules! eight {
    (
        $x:ident, $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident,
        $sum:ident, $t:expr
    ) => {
        round!($x, $a $b $c $d $e $f $g $h, $sum!($h, $t));
        round!($x, $h $a $b $c $d $e $f $g, $sum!($g, $t + 1));
        round!($x, $g $h $a $b $c $d $e $f, $sum!($f, $t + 2));
        round!($x, $f $g $h $a $b $c $d $e, $sum!($e, $t + 3));
        round!($x, $e $f $g $h $a $b $c $d, $sum!($d, $t + 4));
        round!($x, $d $e $f $g $h $a $b $c, $sum!($c, $t + 5));
        round!($x, $c $d $e $f $g $h $a $b, $sum!($b, $t + 6));
        round!($x, $b $c $d $e $f $g $h $a, $sum!($a, $t + 7));
    };
}

/// Implements [`Family`](super::Family) and [`MerkleDamgard`](super::MerkleDamgard) with rounds of
/// the constants `$k`. The functions have three rotations each, or two and a shift.
macro_rules! sha2 {
    (
        $family:ident, $word:ident, $k:ident,
        sum0 [$a0:literal, $a1:literal, $a2:literal], sum1 [$e0:literal, $e1:literal, $e2:literal],
        sigma0 [$r0:literal, $r1:literal, $r2:literal],
        sigma1 [$s0:literal, $s1:literal, $s2:literal]
    ) => {
        /// The next word of the message schedule. The 16 latest words are kept at `t mod 16`.
        #[inline(always)]
        fn schedule<V: Vector<Word = $word>>(w: &mut [V; BLOCK_WORDS], t: usize) {
            let (w15, w2) = (&w[(t + 1) % 16], &w[(t + 14) % 16]);
            let (r0, r1) = (w15.rotate_right::<$r0>(), w15.rotate_right::<$r1>());
            let sigma0 = r0.xor3(&r1, &w15.shift_right::<$r2>());
            let (s0, s1) = (w2.rotate_right::<$s0>(), w2.rotate_right::<$s1>());
            let sigma1 = s0.xor3(&s1, &w2.shift_right::<$s2>());
            w[t % 16] = w[t % 16].add(&w[(t + 9) % 16]).add(&sigma0).add(&sigma1);
        }

        /// The sums of rotations of `a` and of `e` in a round.
        #[inline(always)]
        fn sums_of_rotations<V: Vector<Word = $word>>(a: &V, e: &V) -> [V; 2] {
            let (e0, e1) = (e.rotate_right::<$e0>(), e.rotate_right::<$e1>());
            let sum1 = e0.xor3(&e1, &e.rotate_right::<$e2>());
            let (a0, a1) = (a.rotate_right::<$a0>(), a.rotate_right::<$a1>());
            [a0.xor3(&a1, &a.rotate_right::<$a2>()), sum1]
        }

        /// `d` and `h` after a round. `sum` is `h` with the schedule word and the constant, which
        /// do not depend on the previous round.
        #[inline(always)]
        fn after_round<V: Vector<Word = $word>>(
            [sum0, sum1]: &[V; 2],
            b_xor_c: &mut V,
            [a, b, c]: [&V; 3],
            d: &V,
            [e, f, g]: [&V; 3],
            sum: &V,
        ) -> [V; 2] {
            let t1 = sum.add(&e.choose(f, g)).add(sum1);
            let majority = a.majority_chained(b, c, b_xor_c);
            [d.add(&t1), t1.add(&sum0.add(&majority))]
        }

        /// The sums of a block.
        const fn sums(block: &[$word; BLOCK_WORDS]) -> Sums<$word> {
            let mut w = [0; MAX_ROUNDS];
            let mut t = 0;
            while t < $k.len() {
                w[t] = if t < BLOCK_WORDS {
                    block[t]
                } else {
                    let (x, y) = (w[t - 15], w[t - 2]);
                    let sigma0 = x.rotate_right($r0) ^ x.rotate_right($r1) ^ x >> $r2;
                    let sigma1 = y.rotate_right($s0) ^ y.rotate_right($s1) ^ y >> $s2;
                    w[t - 16].wrapping_add(sigma0).wrapping_add(w[t - 7]).wrapping_add(sigma1)
                };
                t += 1;
            }
            t = 0;
            while t < $k.len() {
                w[t] = w[t].wrapping_add($k[t]);
                t += 1;
            }
            w
        }

        merkle_damgard!($family, $word, 8);

        impl MerkleDamgard for $family {
            const BIG_ENDIAN: bool = true;

            #[inline(always)]
            fn compress<V: Vector<Word = $word>>(
                state: &mut [V; 8],
                block: &[V; BLOCK_WORDS],
                between: &mut impl Between,
            ) {
                let mut w = *block;
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
                let k = super::fresh(&$k);
                let mut x = b.xor(&c);
                if FIRST_PART == 0 {
                    between.part(0);
                }
                macro_rules! sum {
                    ($h:ident, $t:expr) => {
                        $h.add(&w[$t]).add_word(k[$t])
                    };
                }
                unroll!(2, I => {
                    eight!(x, a b c d e f g h, sum, 8 * I);
                });
                // The loop's body is sixteen rounds. Unrolled further, the code would outgrow the
                // cache of decoded instructions.
                let mut first = BLOCK_WORDS;
                while first < $k.len() {
                    between.part((first - FIRST_PART) / 16);
                    macro_rules! sum {
                        ($h:ident, $t:expr) => {{
                            schedule(&mut w, $t);
                            $h.add(&w[$t]).add_word(k[first + $t])
                        }};
                    }
                    unroll!(2, I => {
                        eight!(x, a b c d e f g h, sum, 8 * I);
                    });
                    first += BLOCK_WORDS;
                }
                accumulate!(state, add, [a, b, c, d, e, f, g, h]);
            }

            #[inline(always)]
            fn compress_known<V: Vector<Word = $word>>(
                state: &mut [V; 8],
                sums: &Sums<$word>,
                between: &mut impl Between,
            ) {
                let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
                let mut x = b.xor(&c);
                let mut first = 0;
                while first < $k.len() {
                    if first >= FIRST_PART && first.is_multiple_of(16) {
                        between.part((first - FIRST_PART) / 16);
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
                    eight!(x, a b c d e f g h, sum, 0);
                    first += 8;
                }
                accumulate!(state, add, [a, b, c, d, e, f, g, h]);
            }

            known_padding!(sums);
        }

        /// The round of the first part of other work, so that the last four parts of a block have
        /// one each.
        const FIRST_PART: usize = $k.len() - 4 * BLOCK_WORDS;
    };
}

pub(super) use {eight, round, sha2};
