//! Whole messages of SHA-256 in the SHA extensions: from the caller's memory to their digests in
//! one call of a kernel.
//!
//! Compressing few messages side by side takes so little time that the work around it matters. So
//! the last bytes of a message are copied into a block with their padding, and digests are stored
//! at their places. The next messages begin during the last block of the previous ones.

use core::arch::x86_64::*;
use core::mem::{MaybeUninit, offset_of};

use super::put::Put;
use super::states::Sha256States;
use super::streams::Streams;
use crate::input::{Digests, Initial, Lengths, Padding, WholeMessages};
use crate::wipe;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Bytes of the one or two blocks with the last bytes of a message and its padding.
const TAIL: usize = 2 * BLOCK;

/// Padding: the block that begins at byte `BLOCK - rest` completes `rest` bytes of a message. The
/// block that begins at byte `BLOCK + 1` is all zeros.
static PADDING: [u8; TAIL + 1] = {
    let mut bytes = [0; TAIL + 1];
    bytes[BLOCK] = 0x80;
    bytes
};

/// The blocks of the messages of a turn.
#[derive(Clone, Copy)]
struct Shape<const N: usize> {
    /// Whole blocks of each message.
    whole: [usize; N],
    /// Blocks of each message, with padding.
    blocks: [usize; N],
    /// The fewest whole blocks.
    common: usize,
    /// The fewest and the most blocks.
    fewest: usize,
    most: usize,
}

/// The lengths of fewer messages are taken for equal ones in what is faster if they are.
const FEW: usize = 8;

/// Turns whose tails are in memory: that whose blocks are compressed, and the two that follow. A
/// vector that is loaded soon after parts of it were stored waits until they are in the cache, and
/// by then nothing else is left to do. One more, so that a mask counts them.
const TURNS: usize = 4;

/// The tails of a turn's messages. One that is written may overwrite 16 bytes before it: the last
/// comes first.
#[derive(Clone, Copy)]
#[repr(C)]
struct Tails<const N: usize> {
    before: [u8; 16],
    tails: [[u8; TAIL]; N],
}

/// A call's messages. `N` of them are compressed side by side: a *turn*.
struct Walk<'j, const N: usize> {
    job: &'j WholeMessages<'j, u32>,
    /// For messages of one length: the bytes after their whole blocks.
    rest: usize,
    /// For messages of one length: the padding of a tail, `TAIL` bytes, the first `rest` of them 0.
    padding: *const u8,
    /// The tails of `TURNS` turns.
    tails: *mut Tails<N>,
    /// The shapes of these turns, or one of messages of one length. What is not needed is not
    /// written.
    shapes: [MaybeUninit<Shape<N>>; TURNS],
}

/// The padding in the tail of messages of one length, without a known block.
#[inline(always)]
fn tail_padding(padding: &Padding<u32>, known: bool) -> [u8; TAIL] {
    let mut tail = [0; TAIL];
    let blocks = tail.as_chunks_mut::<BLOCK>().0;
    let mut put = |block: usize, words: &[u32; 16]| {
        for (bytes, word) in blocks[block].as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_be_bytes();
        }
    };
    if padding.rest > 0 {
        put(0, &padding.partial);
    }
    if let (Some(end), false) = (&padding.end, known) {
        put(usize::from(padding.rest > 0), end);
    }
    tail
}

impl<'j, const N: usize> Walk<'j, N> {
    #[inline(always)]
    fn new(job: &'j WholeMessages<'j, u32>, padding: *const u8, tails: *mut Tails<N>) -> Self {
        let (rest, whole, blocks) = match job.lengths {
            Lengths::Equal { padding, known } => {
                let &Padding { body, rest, ref end, .. } = padding;
                let last = end.is_some() && known.is_none();
                (rest, body, body + usize::from(rest > 0) + usize::from(last))
            }
            _ => (0, 0, 0),
        };
        let mut shapes = [const { MaybeUninit::uninit() }; TURNS];
        shapes[0].write(Shape {
            whole: [whole; N],
            blocks: [blocks; N],
            common: whole,
            fewest: blocks,
            most: blocks,
        });
        Self { job, rest, padding, tails, shapes }
    }

    /// The shape of the turn that begins with message `first`.
    ///
    /// # Safety
    /// The messages are of one length, and `EQUAL`, or the turn was [prepared](Self::prepare).
    #[inline(always)]
    unsafe fn shape<const EQUAL: bool>(&self, first: usize) -> &Shape<N> {
        // The compiler keeps what does not depend on the turn in registers.
        let turn = if EQUAL { 0 } else { first / N % TURNS };
        // SAFETY: `new` wrote the first shape. The caller promises that another one was prepared.
        unsafe { self.shapes[turn].assume_init_ref() }
    }

    /// The tail of message `first + n`, in the turn that begins with message `first`.
    #[inline(always)]
    fn tail(&self, first: usize, n: usize) -> *mut u8 {
        let turn = self.tails.wrapping_add(first / N % TURNS).cast::<u8>();
        turn.wrapping_add(offset_of!(Tails<N>, tails) + n * TAIL)
    }

    /// Message `i`.
    ///
    /// # Safety
    /// As for [`hash_whole`]. `i` is below `count`, rounded up to a multiple of `N`.
    #[inline(always)]
    unsafe fn message(&self, i: usize) -> *const u8 {
        // SAFETY: the caller promises a pointer for each message, and that `i` is below their
        // number, rounded up to `N`, to which the job has pointers.
        unsafe { self.job.messages.add(i).read() }
    }

    /// Prepares the turn that begins with message `first`: its tails and its shape.
    ///
    /// # Safety
    /// As for [`hash_whole`]. `first` is below `count` and a multiple of `N`. The messages are of
    /// one length if `EQUAL`, else the job has their lengths.
    #[inline(always)]
    unsafe fn prepare<S: Streams<N>, const EQUAL: bool>(&mut self, first: usize) {
        match self.job.lengths {
            // SAFETY: the contract is that of this function. These are the lengths of the job.
            Lengths::Each(lengths) if !EQUAL => unsafe { self.prepare_each::<S>(first, lengths) },
            // SAFETY: the contract is that of this function.
            _ if self.rest > 0 => unsafe { self.prepare_equal::<S>(first) },
            _ => {}
        }
    }

    /// [`prepare`](Self::prepare) of messages of one length that are not whole blocks.
    ///
    /// # Safety
    /// As for `prepare`.
    #[inline(always)]
    unsafe fn prepare_equal<S: Streams<N>>(&self, first: usize) {
        // SAFETY: the caller promises messages of one length.
        let &Shape { common, .. } = unsafe { self.shape::<true>(first) };
        for n in (0..N).rev() {
            let to = self.tail(first, n);
            // SAFETY: the caller promises `rest` bytes of the message after its whole blocks.
            // Padding and tail have two blocks, and the first `rest` bytes of the padding are 0.
            unsafe {
                let from = self.message(first + n).wrapping_add(BLOCK * common);
                S::Put::put_block(to, from, self.rest, 0, self.padding, 0);
            }
        }
    }

    /// [`prepare`](Self::prepare) of messages whose lengths are at `lengths`.
    ///
    /// # Safety
    /// As for `prepare`.
    #[inline(always)]
    unsafe fn prepare_each<S: Streams<N>>(&mut self, first: usize, lengths: *const u32) {
        let shape = self.shapes[first / N % TURNS].as_mut_ptr();
        let (mut common, mut fewest, mut most) = (usize::MAX, usize::MAX, 0);
        for n in (0..N).rev() {
            let (to, padding) = (self.tail(first, n), PADDING.as_ptr());
            // SAFETY: the caller promises as many lengths as pointers, and readable messages. A
            // tail has two blocks. The padding has BLOCK bytes from BLOCK - rest on, the first
            // `rest` of them 0, and BLOCK zeros from BLOCK + 1 on.
            unsafe {
                let length = lengths.add(first + n).read();
                let (whole, rest) = (length as usize / BLOCK, length as usize % BLOCK);
                let from = self.message(first + n).wrapping_add(BLOCK * whole);
                // Messages of different lengths are so short that their bits fit in a word.
                let bits = ((length + self.job.before as u32) << 3).to_be();
                let two = rest >= BLOCK - 8;
                let last_word = if two { 0 } else { bits };
                let differs = if self.job.count < FEW { 0 } else { length as usize };
                S::Put::put_block(to, from, rest, differs, padding.add(BLOCK - rest), last_word);
                S::Put::put_block(to.add(BLOCK), from, 0, 0, padding.add(BLOCK + 1), bits);
                let blocks = whole + 1 + usize::from(two);
                (*shape).whole[n] = whole;
                (*shape).blocks[n] = blocks;
                (common, fewest, most) = (common.min(whole), fewest.min(blocks), most.max(blocks));
            }
        }
        // SAFETY: this is the place of a shape, whose other members have been written.
        unsafe {
            (*shape).common = common;
            (*shape).fewest = fewest;
            (*shape).most = most;
        }
    }

    /// The places of block `block` of each message of a turn. A message that is done stays in its
    /// last block, and the results are not used.
    ///
    /// # Safety
    /// As for [`prepare`](Self::prepare), which was called.
    #[inline(always)]
    unsafe fn block<const EQUAL: bool>(&self, first: usize, block: usize) -> [*const u8; N] {
        // SAFETY: the caller prepared the turn.
        let shape = unsafe { self.shape::<EQUAL>(first) };
        let common = shape.common;
        let mut data = [core::ptr::null(); N];
        for n in 0..N {
            // SAFETY: the caller promises a pointer for each message of the turn.
            let message = unsafe { self.message(first + n) };
            data[n] = if block < common {
                message.wrapping_add(BLOCK * block)
            } else if EQUAL {
                match block - common {
                    0 if self.rest > 0 => self.tail(first, n),
                    after => self.padding.wrapping_add(BLOCK * after),
                }
            } else {
                let (whole, block) = (shape.whole[n], block.min(shape.blocks[n] - 1));
                match block.checked_sub(whole) {
                    None => message.wrapping_add(BLOCK * block),
                    Some(after) => self.tail(first, n).wrapping_add(BLOCK * after),
                }
            };
        }
        data
    }

    /// Stores the digests of those messages of a turn that have `blocks` blocks, or of all if they
    /// have one length.
    ///
    /// # Safety
    /// As for [`prepare`](Self::prepare), which was called. The CPU has SSSE3.
    #[inline(always)]
    unsafe fn store<const EQUAL: bool>(
        &self,
        first: usize,
        blocks: usize,
        states: &Sha256States<N>,
    ) {
        let digests = &self.job.digests;
        // SAFETY: the caller prepared the turn.
        let shape = unsafe { self.shape::<EQUAL>(first) };
        for n in 0..N {
            if first + n >= self.job.count {
                return;
            }
            if EQUAL || shape.blocks[n] == blocks {
                // SAFETY: the caller promises the instructions, and room for the digest.
                unsafe { store_digest(digests, first + n, states.digest(n)) };
            }
        }
    }

    /// Hashes all messages.
    ///
    /// # Safety
    /// As for [`hash_whole`]. The messages are of one length if and only if `EQUAL`. Padding and
    /// tails are alive, and used by nobody else.
    #[inline(always)]
    unsafe fn run<S: Streams<N>, const EQUAL: bool>(&mut self, streams: &mut S) {
        let known = match self.job.lengths {
            Lengths::Equal { known, .. } if EQUAL => known,
            _ => None,
        };
        // SAFETY: the caller promises the CPU's features, and at least one message. A turn is
        // prepared only if it begins below `count`, and before its blocks are passed on. Each of
        // these is below `most`.
        unsafe {
            let mut first = 0;
            self.prepare::<S, EQUAL>(first);
            let mut prepared = N;
            let mut data = self.block::<EQUAL>(first, 0);
            streams.begin(data);
            loop {
                let mut states = match self.job.initial {
                    Initial::Same(state) => Sha256States::same(state),
                    Initial::Each(states) => S::load(states.add(8 * first)),
                };
                let following = first + N;
                let &Shape { common, fewest, most, .. } = self.shape::<EQUAL>(first);
                let mut done = 0;
                while done < most {
                    // All whole blocks, and then block by block.
                    let blocks = if done < common { common } else { 1 };
                    done += blocks;
                    let next = if done < most {
                        Some(self.block::<EQUAL>(first, done))
                    } else if following < self.job.count {
                        if EQUAL {
                            self.prepare::<S, EQUAL>(following);
                        }
                        // At first the next turn, and then always the one after it.
                        while !EQUAL && prepared < self.job.count.min(following + 2 * N) {
                            self.prepare::<S, EQUAL>(prepared);
                            prepared += N;
                        }
                        Some(self.block::<EQUAL>(following, 0))
                    } else {
                        None
                    };
                    let known = known.filter(|_| done == most);
                    streams.compress(&mut states, data, blocks, known, next);
                    if !EQUAL && done >= fewest {
                        self.store::<EQUAL>(first, done, &states);
                    }
                    data = next.unwrap_or(data);
                }
                if EQUAL {
                    self.store::<EQUAL>(first, most, &states);
                }
                if following >= self.job.count {
                    return;
                }
                first = following;
            }
        }
    }
}

/// Stores the digest of message `i`.
///
/// # Safety
/// The CPU has SSE2. There is a place for the message, and room for a digest of 28 or 32 bytes.
#[inline(always)]
unsafe fn store_digest(digests: &Digests, i: usize, [first, last]: [__m128i; 2]) {
    let place = if digests.places.is_null() {
        i
    } else {
        // SAFETY: the caller promises a place for each message.
        usize::from(unsafe { digests.places.add(i).read() })
    };
    let to = digests.base.wrapping_add(place * digests.size);
    // SAFETY: the caller promises the instructions, and room for a digest at its place.
    unsafe {
        _mm_storeu_si128(to.cast(), first);
        if digests.size == 32 {
            _mm_storeu_si128(to.add(16).cast(), last);
        } else {
            _mm_storeu_si64(to.add(16), last);
            _mm_storeu_si32(to.add(24), _mm_shuffle_epi32::<2>(last));
        }
    }
}

/// Hashes messages of whole blocks, whose padding is a precomputed block. So little happens here
/// that the CPU can begin the next call meanwhile.
///
/// # Safety
/// As for [`hash_whole`].
#[inline(always)]
pub(crate) unsafe fn hash_blocks<const N: usize, S: Streams<N>>(
    job: &WholeMessages<u32>,
    streams: &mut S,
) {
    let Lengths::Blocks(blocks, known) = job.lengths else { return };
    let turns = job.messages.cast::<[*const u8; N]>();
    // SAFETY: the caller promises the CPU's features, and at least one message. There are pointers
    // up to a multiple of `N`, a turn is read only if it begins below `count`, and its messages
    // have `blocks` blocks. Digests are stored of messages below `count`.
    unsafe {
        let mut data = turns.read();
        streams.begin(data);
        for first in (0..job.count).step_by(N) {
            let mut states = match job.initial {
                Initial::Same(state) => Sha256States::same(state),
                Initial::Each(states) => S::load(states.add(8 * first)),
            };
            let more = first + N < job.count;
            let next = if more { Some(turns.add(first / N + 1).read()) } else { None };
            streams.compress(&mut states, data, blocks, Some(known), next);
            for n in 0..N {
                if first + n < job.count {
                    store_digest(&job.digests, first + n, states.digest(n));
                }
            }
            data = next.unwrap_or(data);
        }
    }
}

/// A function `$hash` for whole messages: `$blocks` if they are whole blocks with precomputed
/// padding, else `$any`.
///
/// It is compiled for no features, so the compiler cannot inline the others. In one function with
/// the other messages, those of whole blocks would pay for a large stack frame.
macro_rules! blocks_or_any {
    ($hash:ident: $blocks:ident, $any:ident) => {
        unsafe fn $hash(messages: &$crate::input::WholeMessages<u32>) {
            // SAFETY: both have the contract of this function.
            unsafe {
                match messages.lengths {
                    $crate::input::Lengths::Blocks(..) => $blocks(messages),
                    _ => $any(messages),
                }
            }
        }
    };
}
pub(crate) use blocks_or_any;

/// Hashes whole messages whose padding is not precomputed, `N` side by side.
///
/// # Safety
/// As for [`HashWhole`](crate::input::HashWhole), with `N` lanes and digests of 28 or 32
/// bytes. The CPU has SSSE3, SSE4.1 and what the streams need.
#[inline(always)]
pub(crate) unsafe fn hash_whole<const N: usize, S: Streams<N>>(
    job: &WholeMessages<u32>,
    streams: &mut S,
) {
    let padding = match job.lengths {
        Lengths::Equal { padding, known } => tail_padding(padding, known.is_some()),
        _ => [0; TAIL],
    };
    let mut tails = [const { MaybeUninit::<Tails<N>>::uninit() }; TURNS];
    let mut walk = Walk::<N>::new(job, padding.as_ptr(), (&raw mut tails).cast());
    // SAFETY: in both arms, the caller promises the job and the instructions. `EQUAL` is what the
    // job says. Padding and tails live until the end of this function, and only `walk` uses them.
    unsafe {
        match job.lengths {
            Lengths::Equal { .. } => walk.run::<S, true>(streams),
            _ => walk.run::<S, false>(streams),
        }
    }
    wipe::memory(&mut tails);
}
