//! What every kernel of lanes runs: a family's compression over a vector, block after block. Each
//! block is loaded and transposed while the one before is compressed.

#[cfg(target_arch = "x86_64")]
use core::arch::x86_64::{_MM_HINT_T1, _mm_prefetch};
use core::marker::PhantomData;
#[cfg(target_arch = "x86_64")]
use core::mem::MaybeUninit;
use core::mem::swap;
use core::ptr::null;
#[cfg(target_arch = "x86_64")]
use core::ptr::null_mut;

use super::block::{Block, Words};
#[cfg(target_arch = "x86_64")]
use crate::assembly::{self, Assembly, Rounds, Sixteen};
use crate::family::{Between, Family, MerkleDamgard, known::Sums};
use crate::input::Span;
#[cfg(target_arch = "x86_64")]
use crate::vector::BLOCK_WORDS;
use crate::vector::{PARTS, Vector};

/// A block of every lane: the lanes' pointers, the offset in bytes, and where it is to be loaded.
#[cfg(target_arch = "x86_64")]
pub(super) struct Body<'a, V> {
    pub(super) to: &'a mut Block<V>,
    pub(super) data: *const *const u8,
    pub(super) offset: usize,
}

/// Loads the next block.
pub(super) trait Load<V>: Between {
    /// What to load, if that is a whole block of every lane.
    #[cfg(target_arch = "x86_64")]
    fn body(&mut self) -> Option<Body<'_, V>>;

    /// Prefetches the block of every lane that is two after that one, if messages may be long. A
    /// block is loaded from all lanes at once, and rounds that follow would wait for memory.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn prefetch_after(&mut self) {}
}

/// Who orders the instructions of a compression and of the loads between them.
pub(crate) trait Compression<F: MerkleDamgard, V: Vector<Word = F::Word>> {
    /// Whether no words are left of a block afterwards. It may arrange blocks for itself.
    const ARRANGES: bool;

    /// Compresses a block and loads the next one.
    ///
    /// # Safety
    /// The CPU has the kernel's features. What `load` loads is readable.
    unsafe fn compress(state: &mut [V; 8], block: Words<'_, V>, load: &mut impl Load<V>);

    /// Compresses a block of which the sums are known, and does other work between.
    ///
    /// # Safety
    /// The CPU has the kernel's features.
    #[inline(always)]
    unsafe fn compress_known(state: &mut [V; 8], sums: &Sums<F::Word>, between: &mut impl Between) {
        F::compress_known(state, sums, between);
    }
}

/// The compiler orders [`MerkleDamgard::compress`].
pub(crate) enum ByCompiler {}

impl<F: MerkleDamgard, V: Vector<Word = F::Word>> Compression<F, V> for ByCompiler {
    const ARRANGES: bool = false;

    #[inline(always)]
    unsafe fn compress(state: &mut [V; 8], block: Words<'_, V>, load: &mut impl Load<V>) {
        F::compress(state, block.words, load);
    }
}

/// The compression is [`Assembly`].
#[cfg(target_arch = "x86_64")]
pub(crate) enum InAssembly {}

#[cfg(target_arch = "x86_64")]
impl<F: Assembly<V>, V: Vector<Word = F::Word>> Compression<F, V> for InAssembly {
    const ARRANGES: bool = true;

    #[inline(always)]
    unsafe fn compress(state: &mut [V; 8], block: Words<'_, V>, load: &mut impl Load<V>) {
        if !block.arranged {
            F::arrange(block.words);
        }
        let mut unused = MaybeUninit::uninit();
        let nothing;
        let (next, data, offset, loads) = match load.body() {
            Some(Body { to, data, offset }) => (to.arranged(), data, offset, true),
            None => {
                nothing = assembly::nothing();
                (unused.as_mut_ptr(), nothing.as_ptr().cast(), 0, false)
            }
        };
        // SAFETY: the caller promises the features, and a readable block in every lane, which
        // `nothing` has as well. `next` is a block of its own.
        unsafe { F::compress_and_copy(state, block.words, next, data, offset) };
        if !loads {
            for part in 0..PARTS {
                load.part(part);
            }
        }
    }
}

/// The rounds are [`Rounds`].
#[cfg(target_arch = "x86_64")]
pub(crate) enum InRounds {}

#[cfg(target_arch = "x86_64")]
impl<F: Rounds<V>, V: Vector<Word = F::Word>> Compression<F, V> for InRounds {
    const ARRANGES: bool = true;

    #[inline(always)]
    unsafe fn compress(state: &mut [V; 8], block: Words<'_, V>, load: &mut impl Load<V>) {
        load.prefetch_after();
        // SAFETY: the caller promises the features. A block has 16 words.
        unsafe { in_rounds::<F, V>(state, F::K.as_ptr(), block.words.as_mut_ptr(), load) }
    }

    #[inline(always)]
    unsafe fn compress_known(state: &mut [V; 8], sums: &Sums<F::Word>, between: &mut impl Between) {
        // SAFETY: the caller promises the features. There are at least as many sums as rounds.
        unsafe { in_rounds::<F, V>(state, sums.as_ptr(), null_mut(), between) }
    }
}

/// All rounds of `block`, or, if that is null, those whose sums are at `k`.
///
/// # Safety
/// As for [`Rounds::sixteen`], with as many words at `k` as rounds.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn in_rounds<F: Rounds<V>, V: Vector<Word = F::Word>>(
    state: &mut [V; 8],
    k: *const F::Word,
    block: *mut V,
    between: &mut impl Between,
) {
    // The last four sixteens have a part each.
    let without = F::K.len() / BLOCK_WORDS - PARTS;
    let (mut first, further) = match block.is_null() {
        true => (Sixteen::Known, Sixteen::Known),
        false => (Sixteen::Block(block), Sixteen::Schedule(block)),
    };
    let mut now = *state;
    for i in 0..F::K.len() / BLOCK_WORDS {
        if i >= without {
            between.part(i - without);
        }
        // SAFETY: the caller promises the features, the words at `k` and the block.
        unsafe { F::sixteen(&mut now, first, k.add(i * BLOCK_WORDS)) };
        first = further;
    }
    for w in 0..8 {
        state[w] = state[w].add(&now[w]);
    }
}

/// Loading one block while another is compressed.
///
/// Transposing a block takes independent shuffles. Compressing it takes chains of dependent
/// arithmetic. In sequence, each leaves the other's ports idle, since a core looks ahead by less
/// than one block. Mixed, they share the ports. And a block that is loaded this early may come from
/// the second-level cache without a stall.
pub(super) struct Ahead<'a, F: MerkleDamgard, V: Vector<Word = F::Word>> {
    next: &'a mut Block<V>,
    /// Null if there is no next block.
    data: *const *const u8,
    /// The block's number.
    block: usize,
    family: PhantomData<F>,
}

impl<'a, F: MerkleDamgard, V: Vector<Word = F::Word>> Ahead<'a, F, V> {
    /// Loads block `block`, or nothing if `data` is null.
    ///
    /// # Safety
    /// As long as the value lives, the CPU supports the vector's instruction set, and `data` is
    /// null, or readable for `V::LANES` pointers, and each of them for the block.
    #[inline(always)]
    pub(super) unsafe fn new(next: &'a mut Block<V>, data: *const *const u8, block: usize) -> Self {
        Self { next, data, block, family: PhantomData }
    }
}

impl<F: MerkleDamgard, V: Vector<Word = F::Word>> Load<V> for Ahead<'_, F, V> {
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn body(&mut self) -> Option<Body<'_, V>> {
        let (data, offset) = (self.data, self.block * F::BLOCK);
        (!data.is_null()).then_some(Body { to: self.next, data, offset })
    }

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn prefetch_after(&mut self) {
        /// Shorter messages are prefetched whole where that helps.
        const LONG: usize = 1 << 10;
        let offset = self.block * F::BLOCK;
        if !self.data.is_null() && offset >= LONG {
            for lane in 0..V::LANES {
                // SAFETY: there is a pointer for each lane. A prefetch is a hint and cannot fault.
                unsafe {
                    let at = (*self.data.add(lane)).wrapping_add(offset + 2 * F::BLOCK);
                    _mm_prefetch::<_MM_HINT_T1>(at.cast());
                }
            }
        }
    }
}

impl<F: MerkleDamgard, V: Vector<Word = F::Word>> Between for Ahead<'_, F, V> {
    #[inline(always)]
    fn part(&mut self, part: usize) {
        if !self.data.is_null() {
            // SAFETY: the caller of `new` promised the instruction set, and that `data` is null or
            // has a readable block in every lane.
            unsafe { self.next.load_part::<F>(self.data, self.block * F::BLOCK, part) }
        }
    }
}

/// The state of all lanes, at most `N` words.
///
/// # Safety
/// The CPU supports the vector's instruction set. `from` is readable for `STATE_WORDS * V::LANES`
/// words.
#[inline(always)]
pub(super) unsafe fn load_state<F: Family, V: Vector<Word = F::Word>, const N: usize>(
    from: *const F::Word,
) -> [V; N] {
    // SAFETY: the caller promises the instruction set, and STATE_WORDS * V::LANES readable words.
    // Words past STATE_WORDS are never used, and the compiler drops them.
    unsafe {
        let mut words = [V::load(from); N];
        // An iterator over vectors would be functions of its own for each vector.
        for w in 1..F::STATE_WORDS {
            words[w] = V::load(from.add(w * V::LANES));
        }
        words
    }
}

/// Stores the state of all lanes.
///
/// # Safety
/// `to` is writable for `STATE_WORDS * V::LANES` words.
#[inline(always)]
pub(super) unsafe fn store_state<F: Family, V: Vector<Word = F::Word>, const N: usize>(
    words: &[V; N],
    to: *mut F::Word,
) {
    for w in 0..F::STATE_WORDS {
        // SAFETY: the caller promises STATE_WORDS * V::LANES writable words.
        unsafe { words[w].store(to.add(w * V::LANES)) };
    }
}

/// Compresses a known block into the states of all lanes, in memory.
///
/// # Safety
/// The CPU supports the vector's instruction set. `states` is readable and writable for
/// `STATE_WORDS * V::LANES` words.
#[inline(always)]
pub(crate) unsafe fn compress_known_lanes<
    F: MerkleDamgard,
    V: Vector<Word = F::Word>,
    C: Compression<F, V>,
>(
    states: *mut F::Word,
    sums: &Sums<F::Word>,
) {
    // SAFETY: the caller promises the instruction set, and STATE_WORDS * V::LANES words that are
    // readable and writable.
    unsafe {
        let mut words = load_state::<F, V, _>(states);
        C::compress_known(&mut words, sums, &mut ());
        store_state::<F, V, _>(&words, states);
    }
}

/// The kernel of a family over any vector: what every row of lanes runs. `known` is
/// [`compress_known_lanes`] in a function of its own. Inlined here, it would change the allocation
/// of registers, which costs up to a tenth of the speed with AVX2 and SSE.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `V::LANES` lanes.
#[inline(always)]
pub(crate) unsafe fn compress_lanes<
    F: MerkleDamgard,
    V: Vector<Word = F::Word>,
    C: Compression<F, V>,
>(
    spans: &[Span<F::Word>],
    known: unsafe fn(*mut F::Word, &Sums<F::Word>),
) {
    let Some((mut span, mut spans)) = spans.split_first() else { return };
    let (mut even, mut odd) = (Block::<V>::new(), Block::new());
    let (mut now, mut next) = (&mut even, &mut odd);
    // SAFETY: the caller promises the CPU's features and, for each span, STATE_WORDS * LANES words
    // of state at `from` and `to`, `blocks >= 1` blocks in every lane, and sums or none. Block 0 is
    // loaded first. Block `block + 1` is loaded only if it is below `blocks`.
    unsafe {
        let mut words = load_state::<F, V, _>(span.from);
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
                let (data, following) = match (last, spans.first()) {
                    (false, _) => (span.data, block + 1),
                    (true, Some(span)) => (span.data, 0),
                    (true, None) => (null(), 0),
                };
                C::compress(
                    &mut words,
                    now.take(V::LEAVES_ROWS, C::ARRANGES),
                    &mut Ahead::<F, V>::new(next, data, following),
                );
                swap(&mut now, &mut next);
            } else {
                for part in 0..PARTS {
                    now.load_part::<F>(span.data, block * F::BLOCK, part);
                }
                F::compress(&mut words, now.take(V::LEAVES_ROWS, false).words, &mut ());
            }
            block += 1;
            if last {
                store_state::<F, V, _>(&words, span.to);
                if let Some(sums) = span.known.as_ref() {
                    known(span.to, sums);
                }
                let Some(rest) = spans.split_first() else { return };
                (span, spans) = rest;
                (words, block) = (load_state::<F, V, _>(span.from), 0);
            }
        }
    }
}
