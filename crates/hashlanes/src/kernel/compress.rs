//! What every kernel of lanes runs: a family's compression over a vector, block after block. Each
//! block is loaded and transposed while the one before is compressed.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, swap};
use core::ptr::null;

use super::contract::Span;
use crate::algorithm::{Between, Family};
use crate::vector::{BLOCK_WORDS, PARTS, Vector};

/// One block of every lane, transposed.
///
/// It lies in memory because there are too few registers. That also makes the compiler align the
/// stack, and with it every vector that it spills. On an unaligned stack a spilled vector may lie
/// across two cache lines.
struct Message<V> {
    words: [MaybeUninit<V>; BLOCK_WORDS],
    /// Bit `p`: part `p` has been loaded.
    loaded: u32,
}

impl<V: Vector> Message<V> {
    fn new() -> Self {
        Self { words: [const { MaybeUninit::uninit() }; BLOCK_WORDS], loaded: 0 }
    }

    /// Loads one part of block number `block`.
    ///
    /// # Safety
    /// The CPU supports the vector's instruction set. `data` is readable for `V::LANES` pointers,
    /// and each of them for the block.
    #[inline(always)]
    unsafe fn load_part<F: Family>(&mut self, data: *const *const u8, block: usize, part: usize) {
        // SAFETY: the caller's promise.
        unsafe {
            if F::BIG_ENDIAN {
                V::load_part::<true>(&mut self.words, data, block * F::BLOCK, part);
            } else {
                V::load_part::<false>(&mut self.words, data, block * F::BLOCK, part);
            }
        }
        self.loaded |= 1 << part;
    }

    /// The words of the block. All its parts have to be loaded again before the next call.
    #[inline(always)]
    fn take(&mut self) -> &[V; BLOCK_WORDS] {
        assert!(
            self.loaded == (1 << PARTS) - 1,
            "every part of a block is loaded before it is compressed"
        );
        self.loaded = 0;
        // SAFETY: all parts have been loaded, which initialises all words.
        unsafe { &*self.words.as_ptr().cast() }
    }
}

/// Loading one block while another is compressed.
///
/// To transpose a block takes shuffles, which wait for nothing. To compress it takes chains of
/// arithmetic, which wait for each other. One after the other, each leaves the other's ports idle,
/// since a core looks ahead by less than one block. Mixed, they share the ports. And a block that
/// is loaded so early may come from the second-level cache without a wait.
struct Ahead<'a, F: Family, V: Vector<Word = F::Word>> {
    next: &'a mut Message<V>,
    /// Null if there is no next block.
    data: *const *const u8,
    /// The block's number.
    block: usize,
    family: PhantomData<F>,
}

impl<'a, F: Family, V: Vector<Word = F::Word>> Ahead<'a, F, V> {
    /// To load block number `block`, or nothing if `data` is null.
    ///
    /// # Safety
    /// As long as the value lives, the CPU supports the vector's instruction set, and `data` is
    /// null, or readable for `V::LANES` pointers, and each of them for the block.
    #[inline(always)]
    unsafe fn new(next: &'a mut Message<V>, data: *const *const u8, block: usize) -> Self {
        Self { next, data, block, family: PhantomData }
    }
}

impl<F: Family, V: Vector<Word = F::Word>> Between for Ahead<'_, F, V> {
    #[inline(always)]
    fn part(&mut self, part: usize) {
        if !self.data.is_null() {
            // SAFETY: what the caller of `new` promised.
            unsafe { self.next.load_part::<F>(self.data, self.block, part) }
        }
    }
}

/// The state of all lanes.
///
/// # Safety
/// The CPU supports the vector's instruction set. `from` is readable for `STATE_WORDS * V::LANES`
/// words.
#[inline(always)]
unsafe fn load_state<F: Family, V: Vector<Word = F::Word>>(from: *const F::Word) -> [V; 8] {
    // SAFETY: the caller's promise. Words past STATE_WORDS are never used, and the compiler drops
    // them.
    unsafe {
        let mut words = [V::load(from); 8];
        for (w, word) in words.iter_mut().enumerate().take(F::STATE_WORDS) {
            *word = V::load(from.add(w * V::LANES));
        }
        words
    }
}

/// Where the lanes of the first of `spans` read, or null if there is none.
#[inline(always)]
fn first_data<W>(spans: &[Span<W>]) -> *const *const u8 {
    spans.first().map_or(null(), |span| span.data)
}

/// The kernel of a family over any vector: what every row of lanes runs.
///
/// # Safety
/// As for [`Compress`](super::contract::Compress), with `V::LANES` lanes.
#[inline(always)]
pub(crate) unsafe fn compress_lanes<F: Family, V: Vector<Word = F::Word>>(spans: &[Span<F::Word>]) {
    let Some((mut span, mut spans)) = spans.split_first() else { return };
    let (mut even, mut odd) = (Message::<V>::new(), Message::new());
    let (mut now, mut next) = (&mut even, &mut odd);
    // SAFETY: the caller promises the CPU's features and, for each span, STATE_WORDS * LANES words
    // of state at `from` and `to`, `blocks >= 1` blocks in every lane, and sums or none. Block 0 is
    // loaded first. Block `block + 1` is loaded only if it is below `blocks`.
    unsafe {
        let mut words = load_state::<F, V>(span.from);
        let mut block = 0;
        if V::AHEAD {
            for part in 0..PARTS {
                now.load_part::<F>(span.data, 0, part);
            }
        }
        // One loop over the blocks of all spans, so that there is one copy of the compression.
        loop {
            let last = block + 1 == span.blocks;
            if V::AHEAD {
                let (data, following) = if last {
                    (if span.known.is_null() { first_data(spans) } else { null() }, 0)
                } else {
                    (span.data, block + 1)
                };
                F::compress(&mut words, now.take(), &mut Ahead::<F, V>::new(next, data, following));
                swap(&mut now, &mut next);
            } else {
                for part in 0..PARTS {
                    now.load_part::<F>(span.data, block, part);
                }
                F::compress(&mut words, now.take(), &mut ());
            }
            block += 1;
            if last {
                if let Some(sums) = span.known.as_ref() {
                    let data = if V::AHEAD { first_data(spans) } else { null() };
                    let mut ahead = Ahead::<F, V>::new(now, data, 0);
                    F::compress_known(&mut words, sums, &mut ahead);
                }
                for (w, word) in words.iter().enumerate().take(F::STATE_WORDS) {
                    word.store(span.to.add(w * V::LANES));
                }
                let Some(rest) = spans.split_first() else { return };
                (span, spans) = rest;
                (words, block) = (load_state::<F, V>(span.from), 0);
            }
        }
    }
}
