//! Whole messages: from the caller's memory to their digests in one call of a kernel.
//!
//! For a short message, preparing its tail in memory and converting its state to a digest would
//! cost as much as the compression. Vectors that load under masks need memory for the transposed
//! words only. They load the last bytes of a message in place, add the padding in registers, and
//! store digests.

use core::marker::PhantomData;
use core::mem::{MaybeUninit, swap};
use core::ptr::null;

use super::block::Block;
use super::compress::{Body, Compression, Load};
use crate::family::{Between, MerkleDamgard};
use crate::input::{Initial, Lengths, Padding, WholeMessages};
use crate::vector::{Interleave, MAX_LANES, MaskedVector, PARTS};

/// Where the next block comes from.
#[derive(Clone, Copy)]
enum Source {
    /// There is none.
    Nothing,
    /// A full block of every lane: the pointers of the lanes, and the offset in bytes.
    Body(*const *const u8, usize),
    /// The block with the last bytes and the padding of messages of one length.
    Partial(*const *const u8),
    /// A block of nothing but padding, of messages of one length.
    Padding,
    /// A block of which each lane has `left` bytes of its own: the pointers of the lanes, and the
    /// offset in bytes.
    Ragged(*const *const u8, usize),
}

/// Loads the next block while another is compressed.
struct Next<'a, F: MerkleDamgard, V: MaskedVector<Word = F::Word>> {
    to: &'a mut Block<V>,
    source: Source,
    /// For messages of one length.
    padding: Option<&'a Padding<F::Word>>,
    /// Whether `to` already has those words of a partial block that are all padding.
    padded: bool,
    /// For messages of any lengths: how many bytes of each are left at the start of the block, at
    /// most the block's. Negative if the byte 0x80 is in an earlier block.
    left: &'a [i32; MAX_LANES],
    family: PhantomData<F>,
}

impl<F: MerkleDamgard, V: MaskedVector<Word = F::Word>> Next<'_, F, V> {
    /// Loads quarter `part` of the block with the last bytes of messages of one length.
    ///
    /// # Safety
    /// As for [`hash_whole`], for the lanes at `data`.
    #[inline(always)]
    unsafe fn partial(&mut self, padding: &Padding<F::Word>, data: *const *const u8, part: usize) {
        let quarter = F::BLOCK / 4;
        let words = &padding.partial[4 * part..4 * part + 4];
        let offset = part * quarter;
        let body = padding.body * F::BLOCK;
        // SAFETY: the caller promises the vector's instructions, and messages of `body + rest`
        // bytes. A quarter is loaded if it is within these, otherwise its first `rest - offset`
        // bytes.
        unsafe {
            if offset + quarter <= padding.rest {
                self.to.load_part_of_words::<F>(data, body + offset, part);
            } else if offset < padding.rest {
                let (length, left) = (body + padding.rest, padding.rest - offset);
                let [w0, w1, w2, w3] = if F::BIG_ENDIAN {
                    V::load_end::<true>(data, length, left)
                } else {
                    V::load_end::<false>(data, length, left)
                };
                let words = [
                    w0.add_word(words[0]),
                    w1.add_word(words[1]),
                    w2.add_word(words[2]),
                    w3.add_word(words[3]),
                ];
                self.to.put_words(part, words);
            } else if self.padded {
                self.to.keep_words(part);
            } else {
                self.to.put_words(
                    part,
                    [
                        V::splat(words[0]),
                        V::splat(words[1]),
                        V::splat(words[2]),
                        V::splat(words[3]),
                    ],
                );
            }
        }
    }
}

impl<F: MerkleDamgard, V: MaskedVector<Word = F::Word>> Load<V> for Next<'_, F, V> {
    #[inline(always)]
    fn body(&mut self) -> Option<Body<'_, V>> {
        match self.source {
            Source::Body(data, offset) => Some(Body { to: self.to, data, offset }),
            _ => None,
        }
    }
}

impl<F: MerkleDamgard, V: MaskedVector<Word = F::Word>> Between for Next<'_, F, V> {
    #[inline(always)]
    fn part(&mut self, part: usize) {
        // SAFETY: the caller of `hash_whole`, which makes this value, promises the vector's
        // instructions and readable messages. `Body` and `Ragged` load bytes of these only.
        unsafe {
            match (self.source, self.padding) {
                (Source::Body(data, offset), _) => self.to.load_part::<F>(data, offset, part),
                (Source::Ragged(data, offset), _) => {
                    let rows = if F::BIG_ENDIAN {
                        V::load_ragged::<true>(data, offset, self.left, part)
                    } else {
                        V::load_ragged::<false>(data, offset, self.left, part)
                    };
                    self.to.put_rows(part, rows);
                }
                (Source::Partial(data), Some(padding)) => self.partial(padding, data, part),
                (Source::Padding, Some(Padding { end: Some(words), .. })) => {
                    let words = &words[4 * part..4 * part + 4];
                    self.to.put_words(
                        part,
                        [
                            V::splat(words[0]),
                            V::splat(words[1]),
                            V::splat(words[2]),
                            V::splat(words[3]),
                        ],
                    );
                }
                _ => {}
            }
        }
    }
}

/// The numbers of blocks of a group's messages.
#[derive(Clone, Copy)]
struct Shape {
    /// Full blocks that all of them have.
    common: usize,
    /// Blocks of the shortest one, with padding.
    fewest: usize,
    /// Blocks of the longest one, with padding.
    most: usize,
}

/// Lengths of each lane of a group, as numbers that vectors compare.
struct Ragged {
    left: [i32; MAX_LANES],
    /// Blocks of the message, with padding.
    blocks: [i32; MAX_LANES],
    /// Bits of the message and of what precedes it.
    bits: [i32; MAX_LANES],
}

/// A call's messages, group by group.
struct Walk<'j, F: MerkleDamgard, V> {
    job: &'j WholeMessages<'j, F::Word>,
    /// For messages of one length.
    padding: Option<&'j Padding<F::Word>>,
    /// Whether their last block is precomputed, and so not loaded.
    known: bool,
    /// The lengths, unless all messages have one; else null.
    lengths: *const u32,
    ragged: Ragged,
    vector: PhantomData<V>,
}

impl<F: MerkleDamgard, V: MaskedVector<Word = F::Word>> Walk<'_, F, V> {
    /// The length of message `i` of a call whose messages have any lengths.
    ///
    /// # Safety
    /// As for [`hash_whole`]. `i` is below `count`, rounded up to the lanes.
    #[inline(always)]
    unsafe fn length(&self, i: usize) -> i32 {
        // SAFETY: the caller promises a length for each pointer, and that `i` is below their
        // number.
        unsafe { self.lengths.add(i).read() as i32 }
    }

    /// Blocks of a message of `length` bytes, with its padding.
    #[inline(always)]
    fn blocks(length: i32) -> i32 {
        (length + (F::LENGTH_BYTES + F::BLOCK) as i32) / F::BLOCK as i32
    }

    /// The shape of the group that begins with message `first`.
    ///
    /// # Safety
    /// As for [`hash_whole`]. `first` is below `count` and a multiple of the lanes.
    #[inline(always)]
    unsafe fn shape(&self, first: usize) -> Shape {
        if let Some(padding) = self.padding {
            let end = padding.end.is_some() && !self.known;
            let most = padding.body + usize::from(padding.rest > 0) + usize::from(end);
            return Shape { common: padding.body, fewest: most, most };
        }
        let (mut shortest, mut longest) = (i32::MAX, 0);
        for l in 0..V::LANES {
            // SAFETY: the caller promises that the group begins below `count`, so that all its
            // lanes have lengths.
            let length = unsafe { self.length(first + l) };
            (shortest, longest) = (shortest.min(length), longest.max(length));
        }
        Shape {
            common: shortest as usize / F::BLOCK,
            fewest: Self::blocks(shortest) as usize,
            most: Self::blocks(longest) as usize,
        }
    }

    /// The source of block `block` of the group that begins with message `first`.
    ///
    /// # Safety
    /// As for [`shape`](Self::shape), which returned `shape`.
    #[inline(always)]
    unsafe fn source(&mut self, first: usize, shape: Shape, block: usize) -> Source {
        // SAFETY: the caller promises that `first` is below `count`, the number of pointers.
        let data = unsafe { self.job.messages.add(first) };
        let offset = block * F::BLOCK;
        match self.padding {
            _ if block < shape.common => Source::Body(data, offset),
            Some(padding) if block == padding.body && padding.rest > 0 => Source::Partial(data),
            Some(_) => Source::Padding,
            None => {
                for l in 0..V::LANES {
                    // SAFETY: the caller promises that the group begins below `count`, so that all
                    // its lanes have lengths.
                    let left = unsafe { self.length(first + l) } - offset as i32;
                    self.ragged.left[l] = left.clamp(-1, F::BLOCK as i32);
                }
                Source::Ragged(data, offset)
            }
        }
    }

    /// Sets the blocks and bits of the group that begins with message `first`, for messages of any
    /// lengths.
    ///
    /// # Safety
    /// As for [`shape`](Self::shape).
    #[inline(always)]
    unsafe fn set_lengths(&mut self, first: usize) {
        for l in 0..V::LANES {
            // SAFETY: the caller promises that the group begins below `count`, so that all its
            // lanes have lengths.
            let length = unsafe { self.length(first + l) };
            self.ragged.blocks[l] = Self::blocks(length);
            self.ragged.bits[l] = (length + self.job.before as i32) << 3;
        }
    }

    /// Stores the digests of the group that begins with message `first`.
    ///
    /// # Safety
    /// As for [`shape`](Self::shape).
    #[inline(always)]
    unsafe fn store(&self, first: usize, state: &[V; 8]) {
        let digests = &self.job.digests;
        // Idle lanes store here, and nobody reads it.
        let mut idle = MaybeUninit::<[u8; 64]>::uninit();
        // SAFETY: the caller promises a place for each message, and room for a digest there. `idle`
        // has room too, as no digest has more than 64 bytes.
        unsafe {
            let idle = idle.as_mut_ptr().cast();
            let to = digests.of_lanes(V::LANES, first, self.job.count, idle);
            if F::BIG_ENDIAN {
                V::store_digests::<true>(state, to.as_ptr(), digests.size);
            } else {
                V::store_digests::<false>(state, to.as_ptr(), digests.size);
            }
        }
    }
}

/// The kernel of a family over any vector that loads under masks.
///
/// # Safety
/// As for [`HashWhole`](crate::input::HashWhole), with `V::LANES` lanes.
#[inline(always)]
pub(crate) unsafe fn hash_whole<
    F: MerkleDamgard,
    V: MaskedVector<Word = F::Word>,
    C: Compression<F, V>,
>(
    job: &WholeMessages<F::Word>,
) {
    let blocks;
    let (padding, known, lengths) = match job.lengths {
        Lengths::Blocks(body, known) => {
            blocks = Padding { body, rest: 0, partial: [F::Word::default(); 16], end: None };
            (Some(&blocks), Some(known), null())
        }
        Lengths::Equal { padding, known } => (Some(padding), known, null()),
        Lengths::Each(lengths) => (None, None, lengths),
    };
    let zeros = [0; MAX_LANES];
    let ragged = Ragged { left: zeros, blocks: zeros, bits: zeros };
    let mut walk =
        Walk::<F, V> { job, padding, known: known.is_some(), lengths, ragged, vector: PhantomData };
    let (mut even, mut odd) = (Block::<V>::new(), Block::new());
    let (mut now, mut next) = (&mut even, &mut odd);
    // SAFETY: the caller promises the CPU's features, readable messages, and at least one of them.
    // A group is read only if it begins below `count`. It has `shape.most` blocks, and each is
    // loaded before it is compressed.
    unsafe {
        let (same, each) = match job.initial {
            Initial::Same(state) => (state, null()),
            Initial::Each(states) => (&[F::Word::default(); 8], states),
        };
        let mut beginning = [V::splat(same[0]); 8];
        for w in 1..F::STATE_WORDS {
            beginning[w] = V::splat(same[w]);
        }
        // The known blocks of two groups are compressed together. The first group's state waits.
        let mut waiting = None;
        let mut first = 0;
        let mut shape = walk.shape(0);
        let mut source = walk.source(0, shape, 0);
        macro_rules! load {
            ($to:expr, $source:expr, $padded:expr) => {
                Next::<F, V> {
                    to: $to,
                    source: $source,
                    padding,
                    padded: $padded,
                    left: &walk.ragged.left,
                    family: PhantomData,
                }
            };
        }
        let mut load = load!(now, source, false);
        for part in 0..PARTS {
            load.part(part);
        }
        loop {
            let following = first + V::LANES;
            let more = following < job.count;
            // From the third group on, both blocks in memory have held a partial block before.
            let padded = !C::ARRANGES && shape.most == 1 && first > 0;
            let mut state = beginning;
            if !each.is_null() {
                let states = each.add(first * F::STATE_WORDS);
                for w in 0..F::STATE_WORDS {
                    state[w] = V::load(states.add(w * V::LANES));
                }
            }
            if padding.is_none() {
                walk.set_lengths(first);
            }
            let shape_now = shape;
            for block in 0..shape_now.most {
                let source_now = source;
                source = if block + 1 < shape_now.most {
                    walk.source(first, shape_now, block + 1)
                } else if more && (known.is_none() || (V::PAIRS && waiting.is_none())) {
                    shape = walk.shape(following);
                    walk.source(following, shape, 0)
                } else {
                    // There is none, or it is loaded during the known block.
                    Source::Nothing
                };
                let rows = match source_now {
                    Source::Body(..) => V::LEAVES_ROWS,
                    Source::Ragged(..) => true,
                    _ => false,
                };
                let block_now = now.take(rows, C::ARRANGES);
                let is_ragged = padding.is_none();
                if is_ragged && block + 1 >= shape_now.fewest {
                    let word = if F::BIG_ENDIAN { 15 } else { 14 };
                    let word = &mut block_now.words[word];
                    *word = word.add_in_last(&walk.ragged.bits, &walk.ragged.blocks, block + 1);
                }
                let before = state;
                C::compress(&mut state, block_now, &mut load!(next, source, padded));
                if is_ragged && block >= shape_now.fewest {
                    for w in 0..F::STATE_WORDS {
                        state[w] = state[w].or_if_done(&before[w], &walk.ragged.blocks, block);
                    }
                }
                swap(&mut now, &mut next);
            }
            if let Some(sums) = known {
                if V::PAIRS && waiting.is_none() && more {
                    (waiting, first) = (Some(state), following);
                    continue;
                }
                if more {
                    shape = walk.shape(following);
                    source = walk.source(following, shape, 0);
                }
                // Written so that a vector's code has only what it needs.
                if !V::PAIRS {
                    C::compress_known(&mut state, sums, &mut load!(now, source, padded));
                } else if let Some(mut other) = waiting.take() {
                    let mut both = [Interleave::<V>(other[0], state[0]); 8];
                    for w in 1..F::STATE_WORDS {
                        both[w] = Interleave::<V>(other[w], state[w]);
                    }
                    F::compress_known(&mut both, sums, &mut load!(now, source, padded));
                    for w in 0..F::STATE_WORDS {
                        Interleave::<V>(other[w], state[w]) = both[w];
                    }
                    walk.store(first - V::LANES, &other);
                } else {
                    // The last group of all: nothing is left to load.
                    F::compress_known(&mut state, sums, &mut ());
                }
            }
            walk.store(first, &state);
            if !more {
                return;
            }
            first = following;
        }
    }
}
