//! What the kernels of BLAKE2 and BLAKE3 run: [`Blake::compress`] over a vector, block after block,
//! of spans. As in `compress.rs`, each block is loaded and transposed while the one before is
//! compressed.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, swap};
use core::ptr::null;

use super::compress::load_state;
use crate::family::Between;
use crate::family::blake::Blake;
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

/// Compresses spans, one after the other.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `V::LANES` lanes.
#[inline(always)]
pub(crate) unsafe fn compress_blake<F: Blake, V: Vector<Word = F::Word>>(spans: &[Span<F::Word>]) {
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
            for part in 0..PARTS {
                V::load_part::<false>(now, span.data, 0, part);
            }
        }
        loop {
            let last = block + 1 == span.blocks;
            if V::AHEAD {
                let (data, following) = match (last, spans.first()) {
                    (false, _) => (span.data, block + 1),
                    (true, Some(span)) => (span.data, 0),
                    (true, None) => (null(), 0),
                };
                let offset = following * F::BLOCK;
                let mut ahead = Ahead::<F, V> { next, data, offset, family: PhantomData };
                F::compress(&mut state, words(now), &mut ahead);
                swap(&mut now, &mut next);
            } else {
                for part in 0..PARTS {
                    V::load_part::<false>(now, span.data, block * F::BLOCK, part);
                }
                F::compress(&mut state, words(now), &mut ());
            }
            block += 1;
            if last {
                for (w, word) in state.iter().enumerate().take(F::STATE_WORDS) {
                    word.store(span.to.add(w * V::LANES));
                }
                let Some(rest) = spans.split_first() else { return };
                (span, spans) = rest;
                (state, block) = (load_state::<F, V, _>(span.from), 0);
            }
        }
    }
}
