//! Two groups of lanes, interleaved operation by operation.
//!
//! One group of lanes is a chain of instructions, each of which waits for the previous one.
//! Meanwhile, ports of the CPU are idle: a step of MD5 has a chain of 4 cycles and work for 3. An
//! independent second group fills them. To an algorithm the two groups are one vector with twice
//! the lanes.

use core::mem::MaybeUninit;

use super::{BLOCK_WORDS, PARTS, Vector};

/// Two vectors of `V`: lanes `0..V::LANES` in the first, the others in the second.
///
/// A block is loaded as `V`'s rows if `ROWS`, else as words. Rows can touch each cache line once,
/// which pays where the lines of both groups compete for one set of the first-level cache, as for
/// messages 4 KiB apart. But a block of both groups takes many registers, so its rows wait in
/// memory and need a second pass, which words do not. So the table has a row for each.
// The assembly takes the second vector from behind the first one.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Interleave<V, const ROWS: bool = false>(pub(crate) V, pub(crate) V);

/// Methods of [`Vector`] that each group has.
macro_rules! both {
    ($($method:ident $(<$n:ident>)? ($($other:ident),*);)*) => {
        $(
            #[inline(always)]
            fn $method $(<const $n: i32>)? (&self, $($other: &Self),*) -> Self {
                Self(
                    self.0.$method $(::<$n>)? ($(&$other.0),*),
                    self.1.$method $(::<$n>)? ($(&$other.1),*),
                )
            }
        )*
    };
}

impl<V: Vector, const ROWS: bool> Vector for Interleave<V, ROWS> {
    type Word = V::Word;
    const LANES: usize = 2 * V::LANES;
    const AHEAD: bool = V::AHEAD;
    const LEAVES_ROWS: bool = ROWS;

    #[inline(always)]
    unsafe fn load(source: *const V::Word) -> Self {
        // SAFETY: the caller promises 2 * V::LANES readable words: each half has those of one
        // group.
        unsafe { Self(V::load(source), V::load(source.add(V::LANES))) }
    }

    #[inline(always)]
    unsafe fn store(&self, target: *mut V::Word) {
        // SAFETY: the caller promises 2 * V::LANES writable words: each half has those of one
        // group.
        unsafe {
            self.0.store(target);
            self.1.store(target.add(V::LANES));
        }
    }

    #[inline(always)]
    unsafe fn load_words<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
    ) -> [Self; BLOCK_WORDS / 4] {
        // SAFETY: `data` has 2 * V::LANES pointers, as the caller promises: each half has those of
        // one group.
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = unsafe {
            (
                V::load_words::<BIG_ENDIAN>(data, offset),
                V::load_words::<BIG_ENDIAN>(data.add(V::LANES), offset),
            )
        };
        [Self(a0, b0), Self(a1, b1), Self(a2, b2), Self(a3, b3)]
    }

    /// The rows of both groups. [`load_part`](Self::load_part) takes them in another order.
    #[inline(always)]
    unsafe fn load_rows<const BIG_ENDIAN: bool>(
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) -> [Self; BLOCK_WORDS / PARTS] {
        // SAFETY: `data` has 2 * V::LANES pointers, as the caller promises: each half has those of
        // one group.
        let ([a0, a1, a2, a3], [b0, b1, b2, b3]) = unsafe {
            (
                V::load_rows::<BIG_ENDIAN>(data, offset, part),
                V::load_rows::<BIG_ENDIAN>(data.add(V::LANES), offset, part),
            )
        };
        [Self(a0, b0), Self(a1, b1), Self(a2, b2), Self(a3, b3)]
    }

    #[inline(always)]
    fn row_place(part: usize, i: usize) -> usize {
        V::row_place(part, i)
    }

    #[inline(always)]
    unsafe fn load_part<const BIG_ENDIAN: bool>(
        block: &mut [MaybeUninit<Self>; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
        part: usize,
    ) {
        // One group after the other, and the quarters of a cache line soon after each other. The
        // lanes of both groups may compete for one set of the first-level cache, as for messages
        // 4 KiB apart, and the set has room for the lines of one group only.
        let (group, half) = (part / (PARTS / 2), part % (PARTS / 2));
        for part in [2 * half, 2 * half + 1] {
            // SAFETY: `data` has 2 * V::LANES pointers, as the caller promises; `group` is 0 or 1,
            // so V::LANES follow.
            let [v0, v1, v2, v3] = unsafe {
                let data = data.add(group * V::LANES);
                if ROWS {
                    V::load_rows::<BIG_ENDIAN>(data, offset, part)
                } else {
                    let words = offset + part * 4 * size_of::<V::Word>();
                    V::load_words::<BIG_ENDIAN>(data, words)
                }
            };
            for (i, vector) in [(0, v0), (1, v1), (2, v2), (3, v3)] {
                let place = if ROWS { V::row_place(part, i) } else { 4 * part + i };
                let both = block[place].as_mut_ptr();
                // SAFETY: these are fields of an element of `block`, which is writable. Parts 0 and
                // 1 write the first field of every element, parts 2 and 3 the second.
                unsafe {
                    (if group == 0 { &raw mut (*both).0 } else { &raw mut (*both).1 }).write(vector)
                };
            }
        }
    }

    #[inline(always)]
    fn words_of_rows(rows: [Self; BLOCK_WORDS / 4]) -> [Self; BLOCK_WORDS / 4] {
        let [r0, r1, r2, r3] = rows;
        let [a0, a1, a2, a3] = V::words_of_rows([r0.0, r1.0, r2.0, r3.0]);
        let [b0, b1, b2, b3] = V::words_of_rows([r0.1, r1.1, r2.1, r3.1]);
        [Self(a0, b0), Self(a1, b1), Self(a2, b2), Self(a3, b3)]
    }

    #[inline(always)]
    fn add_word(&self, word: V::Word) -> Self {
        Self(self.0.add_word(word), self.1.add_word(word))
    }

    #[inline(always)]
    fn majority_chained(&self, b: &Self, c: &Self, b_xor_c: &mut Self) -> Self {
        Self(
            self.0.majority_chained(&b.0, &c.0, &mut b_xor_c.0),
            self.1.majority_chained(&b.1, &c.1, &mut b_xor_c.1),
        )
    }

    both! {
        add(other);
        xor(other);
        and(other);
        or(other);
        and_not(other);
        rotate_left<N>();
        rotate_left_add<N>(other);
        rotate_right<N>();
        shift_right<N>();
        xor3(b, c);
        choose(b, c);
        majority(b, c);
        add_choice(mask, b, c);
        add_parity(b, c, d);
        add_xor_or_not(b, c, d);
    }
}
