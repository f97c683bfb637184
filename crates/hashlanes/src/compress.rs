//! What every kernel of lanes runs: a family's compression over a vector, block after block, each block loaded and transposed
//! while the one before is compressed.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::algorithm::{Between, Family};
use crate::vector::{BLOCK_WORDS, PARTS, Vector};

/// One block of every lane, transposed.
///
/// It is in memory, not in registers, of which there are too few. That it is there also makes the compiler align the stack,
/// and with it every vector that it spills, which else might lie across two cache lines.
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
    /// The CPU supports the vector's instruction set; `data` is readable for `V::LANES` pointers, and each of them for the
    /// block.
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

    /// The words of the block, whose parts have to be loaded anew for the next time.
    #[inline(always)]
    fn take(&mut self) -> &[V; BLOCK_WORDS] {
        assert!(self.loaded == (1 << PARTS) - 1, "every part of a block is loaded before it is compressed");
        self.loaded = 0;
        // SAFETY: all parts have been loaded, which initialises all words.
        unsafe { &*self.words.as_ptr().cast() }
    }
}

/// Loading one block while another is compressed.
///
/// To transpose a block takes shuffles that wait for nothing, to compress it chains of arithmetic that wait for each other. In
/// turns they leave each other's ports idle, since a core looks ahead by less than one block; mixed they share them. And
/// what is loaded so long before it is needed may as well come from the second-level cache.
struct Ahead<'a, F: Family, V: Vector<Word = F::Word>> {
    next: &'a mut Message<V>,
    data: *const *const u8,
    /// The block's number, and how many there are.
    block: usize,
    blocks: usize,
    family: PhantomData<F>,
}

impl<'a, F: Family, V: Vector<Word = F::Word>> Ahead<'a, F, V> {
    /// To load block number `block`, or nothing if there are only `blocks`.
    ///
    /// # Safety
    /// As long as the value lives: the CPU supports the vector's instruction set; `data` is readable for `V::LANES` pointers, and
    /// each of them for `blocks` blocks.
    #[inline(always)]
    unsafe fn new(next: &'a mut Message<V>, data: *const *const u8, block: usize, blocks: usize) -> Self {
        Self { next, data, block, blocks, family: PhantomData }
    }
}

impl<F: Family, V: Vector<Word = F::Word>> Between for Ahead<'_, F, V> {
    #[inline(always)]
    fn part(&mut self, part: usize) {
        if self.block < self.blocks {
            // SAFETY: what the caller of `new` promised; the block is one of them.
            unsafe { self.next.load_part::<F>(self.data, self.block, part) }
        }
    }
}

/// The kernel of a family over any vector: what every row of lanes runs.
///
/// # Safety
/// As for [`Compress`](crate::kernel::Compress), with `V::LANES` lanes.
#[inline(always)]
pub(crate) unsafe fn compress_lanes<F: Family, V: Vector<Word = F::Word>>(
    state: *mut F::Word,
    data: *const *const u8,
    blocks: usize,
) {
    if blocks == 0 {
        return;
    }
    // SAFETY: the caller promises the CPU's features, STATE_WORDS * LANES words of state, which is what the loops over
    // 0..STATE_WORDS touch, and `blocks` blocks in every lane, of which number 0 is there and the loop loads number 0..blocks.
    unsafe {
        // Words past STATE_WORDS are never used, and the compiler drops them.
        let mut words = [V::load(state); 8];
        for (w, word) in words.iter_mut().enumerate().take(F::STATE_WORDS) {
            *word = V::load(state.add(w * V::LANES));
        }
        if V::AHEAD {
            let (mut even, mut odd) = (Message::<V>::new(), Message::new());
            let (mut now, mut next) = (&mut even, &mut odd);
            for part in 0..PARTS {
                now.load_part::<F>(data, 0, part);
            }
            for block in 0..blocks {
                F::compress(&mut words, now.take(), &mut Ahead::<F, V>::new(next, data, block + 1, blocks));
                core::mem::swap(&mut now, &mut next);
            }
        } else {
            for block in 0..blocks {
                let mut now = Message::<V>::new();
                for part in 0..PARTS {
                    now.load_part::<F>(data, block, part);
                }
                F::compress(&mut words, now.take(), &mut ());
            }
        }
        for (w, word) in words.iter().enumerate().take(F::STATE_WORDS) {
            word.store(state.add(w * V::LANES));
        }
    }
}
