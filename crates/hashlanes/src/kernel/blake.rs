//! What the kernels of BLAKE2 and BLAKE3 run: [`Blake::compress`] over a vector, block after block,
//! of spans. As in `compress.rs`, each block is loaded and transposed while the one before is
//! compressed.

use core::array;
use core::marker::PhantomData;
use core::mem::{MaybeUninit, swap};
use core::ptr::null;

use super::compress::{ByCompiler, load_state, store_state};
use crate::family::Between;
use crate::family::blake::{Blake, LANE_WORDS};
use crate::family::blake3::{Blake3Family, VALUE, output};
use crate::input::Span;
use crate::vector::{BLOCK_WORDS, PARTS, Vector};

/// A block of every lane, in memory.
type Block<V> = [MaybeUninit<V>; BLOCK_WORDS];

/// Loads the next block while one is compressed.
struct Ahead<'a, F, V> {
    next: &'a mut Block<V>,
    /// Null if there is no next block.
    data: *const *const u8,
    /// The bytes before it.
    offset: usize,
    family: PhantomData<F>,
}

impl<F: Blake, V: Vector<Word = F::Word>> Between for Ahead<'_, F, V> {
    #[inline(always)]
    fn part(&mut self, part: usize) {
        if !self.data.is_null() {
            // SAFETY: `compress_blake` makes this value for a CPU with the instruction set, with
            // null or with pointers to a readable block in every lane.
            unsafe { V::load_part::<false>(self.next, self.data, self.offset, part) }
        }
    }
}

/// The words of a block, all of whose parts are loaded.
///
/// # Safety
/// The block is initialised.
#[inline(always)]
unsafe fn words<V: Vector>(block: &mut Block<V>) -> &[V; BLOCK_WORDS] {
    // SAFETY: the caller promises that all vectors are initialised.
    let words: &mut [V; BLOCK_WORDS] = unsafe { &mut *block.as_mut_ptr().cast() };
    if V::AHEAD && V::LEAVES_ROWS {
        let (quarters, _) = words.as_chunks_mut();
        for rows in quarters {
            *rows = V::words_of_rows(*rows);
        }
    }
    words
}

/// Who orders the instructions of a compression and of the loads between them.
pub(crate) trait Compression<F: Blake, V: Vector<Word = F::Word>> {
    /// What [`Store`] takes from the rounds.
    type Last;

    /// Loads a block. All lanes may have one, if the caller says so.
    ///
    /// # Safety
    /// The CPU has the kernel's features. `data` is readable for `V::LANES` pointers, and each of
    /// them for a block from `offset`.
    unsafe fn load(block: &mut Block<V>, data: *const *const u8, offset: usize, may_be_one: bool);

    /// [`Blake::compress`] of a block that is loaded. Loads the next one, unless `data` is null.
    ///
    /// # Safety
    /// As for [`load`](Self::load) if `data` is not null. `block` was loaded.
    unsafe fn compress(
        state: &mut [V; LANE_WORDS],
        block: &mut Block<V>,
        next: &mut Block<V>,
        data: *const *const u8,
        offset: usize,
    ) -> Self::Last;
}

impl<F: Blake, V: Vector<Word = F::Word>> Compression<F, V> for ByCompiler {
    type Last = F::Last<V>;

    #[inline(always)]
    unsafe fn load(block: &mut Block<V>, data: *const *const u8, offset: usize, _: bool) {
        for part in 0..PARTS {
            // SAFETY: the caller promises the features and a block in every lane.
            unsafe { V::load_part::<false>(block, data, offset, part) };
        }
    }

    #[inline(always)]
    unsafe fn compress(
        state: &mut [V; LANE_WORDS],
        block: &mut Block<V>,
        next: &mut Block<V>,
        data: *const *const u8,
        offset: usize,
    ) -> F::Last<V> {
        let mut ahead = Ahead::<F, V> { next, data, offset, family: PhantomData };
        // SAFETY: all parts of the block were loaded, as the caller promises.
        F::compress(state, unsafe { words(block) }, &mut ahead)
    }
}

/// BLAKE3 in eight lanes of AVX2, and in eight, sixteen and twice sixteen of AVX-512.
#[cfg(target_arch = "x86_64")]
mod in_assembly {
    use super::{Block, Compression, LANE_WORDS, Vector};
    use crate::assembly::{blake3, blake3_avx512, nothing};
    use crate::family::blake3::{Blake3Family, VALUE, after_rounds, before_rounds, end_start};
    use crate::kernel::compress::InAssembly;
    use crate::vector::{Interleave, avx2, avx512, avx512_256};

    type Both = Interleave<avx512::U32x16>;

    /// Makes null `$data` pointers to a block in every lane. There is no offset then.
    macro_rules! or_nothing {
        (let $data:ident) => {
            let none;
            let $data = if $data.is_null() {
                none = nothing();
                none.as_ptr().cast()
            } else {
                $data
            };
        };
    }

    macro_rules! in_assembly {
        ($vector:ty, $rounds:path) => {
            impl Compression<Blake3Family, $vector> for InAssembly {
                type Last = [$vector; VALUE];

                #[inline(always)]
                unsafe fn load(
                    block: &mut Block<$vector>,
                    data: *const *const u8,
                    offset: usize,
                    may_be_one: bool,
                ) {
                    // SAFETY: the caller promises the features and a block in every lane.
                    unsafe {
                        let first = *data;
                        let is_first = |lane: usize| *data.add(lane) == first;
                        if may_be_one && (1..<$vector>::LANES).all(is_first) {
                            splat_pairs(block, first.add(offset));
                        } else {
                            blake3::copy_pairs(block, data, offset);
                        }
                    }
                }

                #[inline(always)]
                unsafe fn compress(
                    state: &mut [$vector; LANE_WORDS],
                    block: &mut Block<$vector>,
                    next: &mut Block<$vector>,
                    data: *const *const u8,
                    offset: usize,
                ) -> [$vector; VALUE] {
                    let mut v = before_rounds(state);
                    or_nothing!(let data);
                    // SAFETY: the caller promises the features, a block whose pairs were copied,
                    // and a readable one in every lane, as `or_nothing` has.
                    unsafe { $rounds(&mut v, block, next, data, offset) };
                    after_rounds(state, &v)
                }
            }
        };
    }

    /// Copies the pairs of words of a block that all lanes have, as output of one root has.
    ///
    /// # Safety
    /// The CPU has the vector's instructions. `from` is readable for a block.
    #[inline(always)]
    unsafe fn splat_pairs<V: Vector<Word = u32>>(block: &mut Block<V>, from: *const u8) {
        for (pair, vectors) in block.as_chunks_mut::<2>().0.iter_mut().enumerate() {
            let to = vectors.as_mut_ptr().cast::<u64>();
            // SAFETY: the caller promises eight pairs. Two vectors have a pair for each lane.
            unsafe {
                let words = from.cast::<u64>().add(pair).read_unaligned();
                (0..V::LANES).for_each(|lane| to.add(lane).write(words));
            }
        }
    }

    in_assembly!(avx2::U32x8, blake3::mix_and_copy);
    in_assembly!(avx512_256::U32x8, blake3_avx512::eight);
    in_assembly!(avx512::U32x16, blake3_avx512::sixteen);

    /// Without output.
    impl Compression<Blake3Family, Both> for InAssembly {
        type Last = ();

        #[inline(always)]
        unsafe fn load(block: &mut Block<Both>, data: *const *const u8, offset: usize, _: bool) {
            // SAFETY: the caller promises the features and a block in every lane.
            unsafe {
                blake3::copy_pairs(block, data, offset);
                blake3_avx512::arrange(block);
            }
        }

        #[inline(always)]
        unsafe fn compress(
            state: &mut [Both; LANE_WORDS],
            block: &mut Block<Both>,
            next: &mut Block<Both>,
            data: *const *const u8,
            offset: usize,
        ) {
            or_nothing!(let data);
            // SAFETY: the caller promises the features, a block that was loaded, and a readable one
            // in every lane, as `or_nothing` has.
            unsafe { blake3_avx512::both(state, block, next, data, offset) };
            end_start(state);
        }
    }
}

/// Stores the sixteen words of each lane together.
///
/// # Safety
/// `to` is writable for the words of all lanes.
#[inline(always)]
unsafe fn store_lanes<V: Vector>(state: &[V; LANE_WORDS], to: *mut V::Word) {
    if V::LANES == 1 {
        for w in 0..LANE_WORDS {
            // SAFETY: the caller promises sixteen words.
            unsafe { state[w].store(to.add(w)) };
        }
        return;
    }
    let mut memory: Block<V> = [const { MaybeUninit::uninit() }; BLOCK_WORDS];
    let words = memory.as_mut_ptr().cast::<V::Word>();
    // SAFETY: a vector has the memory of its lanes. A value of this type proves that the CPU has
    // its instructions. `load_words` loads four words from each of as many rows as there are lanes.
    // All rows have been stored. In `to` are sixteen words of each lane, as the caller promises.
    unsafe {
        for w in 0..LANE_WORDS {
            state[w].store(words.add(w * V::LANES));
        }
        for first in (0..LANE_WORDS).step_by(V::LANES) {
            let rows: [*const u8; LANE_WORDS] = array::from_fn(|w| {
                words.wrapping_add((first + w) * V::LANES).cast::<u8>().cast_const()
            });
            for lane in (0..V::LANES).step_by(4) {
                let four = V::load_words::<false>(rows.as_ptr(), lane * size_of::<V::Word>());
                for l in 0..4 {
                    four[l].store(to.add((lane + l) * LANE_WORDS + first));
                }
            }
        }
    }
}

/// Where the final states of a span go.
pub(crate) trait Store<F: Blake, V: Vector<Word = F::Word>, L> {
    /// Stores the state after the last block of a span, or what follows from it and the last words
    /// after the rounds.
    ///
    /// # Safety
    /// The CPU has the kernel's features. `span` has states, as for
    /// [`Compress`](crate::input::Compress).
    unsafe fn store(self, state: &[V; LANE_WORDS], last: &L, span: &Span<F::Word>);

    /// Whether these are output. Then all lanes may have one block.
    #[inline(always)]
    fn is_output(&self) -> bool {
        false
    }
}

/// States, as for [`Compress`](crate::input::Compress).
#[derive(Clone, Copy)]
pub(crate) struct States;

impl<F: Blake, V: Vector<Word = F::Word>, L> Store<F, V, L> for States {
    #[inline(always)]
    unsafe fn store(self, state: &[V; LANE_WORDS], _: &L, span: &Span<F::Word>) {
        // SAFETY: the caller promises the states.
        unsafe { store_state::<F, V, _>(state, span.to) }
    }
}

/// The same or, if that is true, output of BLAKE3: the sixteen words of one lane after those of
/// another. Kernels are compiled once for both, as one branch for a span costs nothing.
#[derive(Clone, Copy)]
pub(crate) struct StatesOrOutput(pub(crate) bool);

impl<V: Vector<Word = u32>> Store<Blake3Family, V, [V; VALUE]> for StatesOrOutput {
    #[inline(always)]
    fn is_output(&self) -> bool {
        self.0
    }

    #[inline(always)]
    unsafe fn store(self, state: &[V; LANE_WORDS], last: &[V; VALUE], span: &Span<u32>) {
        // SAFETY: the caller promises the states. A span of output has one block, so those before
        // it are at `from`. Read again, they need no registers during the rounds.
        unsafe {
            if self.0 {
                let before = load_state::<Blake3Family, V, LANE_WORDS>(span.from);
                store_lanes(&output(&before, state, last), span.to);
            } else {
                store_state::<Blake3Family, V, _>(state, span.to);
            }
        }
    }
}

/// Compresses spans, one after the other.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `V::LANES` lanes.
#[inline(always)]
pub(crate) unsafe fn compress_blake<F: Blake, V: Vector<Word = F::Word>, C: Compression<F, V>>(
    spans: &[Span<F::Word>],
    to: impl Store<F, V, C::Last> + Copy,
) {
    let Some((mut span, mut spans)) = spans.split_first() else { return };
    let mut even: Block<V> = [const { MaybeUninit::uninit() }; BLOCK_WORDS];
    let mut odd = even;
    let (mut now, mut next) = (&mut even, &mut odd);
    // SAFETY: the caller promises the CPU's features and, for each span, STATE_WORDS * LANES words
    // of state at `from` and `to`, and `blocks >= 1` blocks in every lane. Each block is loaded
    // before its words are taken: the first one of all here or, without `AHEAD`, in the loop, and
    // each other one by the four parts of `Ahead`, which `compress` calls.
    unsafe {
        let mut state = load_state::<F, V, _>(span.from);
        let mut block = 0;
        if V::AHEAD {
            C::load(now, span.data, 0, to.is_output());
        }
        loop {
            let ends = block + 1 == span.blocks;
            let last = if V::AHEAD {
                let (data, following) = match (ends, spans.first()) {
                    (false, _) => (span.data, block + 1),
                    (true, Some(span)) => (span.data, 0),
                    (true, None) => (null(), 0),
                };
                let last = C::compress(&mut state, now, next, data, following * F::BLOCK);
                swap(&mut now, &mut next);
                last
            } else {
                C::load(now, span.data, block * F::BLOCK, false);
                C::compress(&mut state, now, next, null(), 0)
            };
            block += 1;
            if ends {
                to.store(&state, &last, span);
                let Some(rest) = spans.split_first() else { return };
                (span, spans) = rest;
                (state, block) = (load_state::<F, V, _>(span.from), 0);
            }
        }
    }
}
