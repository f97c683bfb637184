//! The second half of a kernel's contract, for kernels that hash whole messages.

use crate::family::known::Sums;
use crate::family::padding::{MAX_BLOCK, block, pad, words_of};
use crate::vector::{BLOCK_WORDS, MAX_LANES, Word};

/// Messages that a kernel hashes from beginning to end.
pub(crate) struct WholeMessages<'j, W> {
    pub(crate) initial: Initial<'j, W>,
    /// Bytes that precede each of them: whole blocks.
    pub(crate) before: u64,
    /// Where each message begins: `count` pointers, padded with the last one to a multiple of the
    /// lanes.
    pub(crate) messages: *const *const u8,
    /// At least one.
    pub(crate) count: usize,
    pub(crate) lengths: Lengths<'j, W>,
    pub(crate) digests: Digests,
}

#[cfg(target_arch = "x86_64")]
impl WholeMessages<'_, u32> {
    /// Blocks of a message with its padding. Of messages of different lengths, the first one's.
    ///
    /// # Safety
    /// There is a message, and the lengths of [`Lengths::Each`] are readable.
    #[inline(always)]
    pub(crate) unsafe fn blocks(&self) -> usize {
        match self.lengths {
            Lengths::Blocks(blocks, _) => blocks + 1,
            Lengths::Equal { padding, .. } => {
                padding.body + usize::from(padding.rest > 0) + usize::from(padding.end.is_some())
            }
            // SAFETY: the lengths are readable, and there is one for each message, of which there
            // is at least one: `# Safety` above asks the caller for both.
            Lengths::Each(lengths) => unsafe { (lengths.read() as usize + 8) / 64 + 1 },
        }
    }
}

/// The states in which messages begin.
#[derive(Clone, Copy)]
pub(crate) enum Initial<'j, W> {
    /// All begin in this one.
    Same(&'j [W; 8]),
    /// Each begins in its own: the words of the states, group by group, and word-major in a group.
    Each(*const W),
}

/// The lengths of messages.
#[derive(Clone, Copy)]
pub(crate) enum Lengths<'j, W> {
    /// All are this many whole blocks, at least one, and their padding is a precomputed block.
    Blocks(usize, &'j Sums<W>),
    /// One length, with this padding.
    Equal {
        padding: &'j Padding<W>,
        /// The sums of `padding.end`, if they are precomputed. Then a block precedes it.
        known: Option<&'j Sums<W>>,
    },
    /// The bytes of each, one for each pointer. With what precedes them they are fewer than
    /// [`RAGGED`].
    Each(*const u32),
}

/// Messages of different lengths have fewer bytes than this, so that their bits fit in 32 bits.
pub(crate) const RAGGED: u64 = 1 << 28;

/// How messages of one length end in blocks.
pub(crate) struct Padding<W> {
    /// Whole blocks.
    pub(crate) body: usize,
    /// Bytes after them, fewer than a block. If there are any, they are in a partial block.
    pub(crate) rest: usize,
    /// The partial block, with zeros in place of the message's bytes.
    pub(crate) partial: [W; BLOCK_WORDS],
    /// The last block, if it is all padding.
    pub(crate) end: Option<[W; BLOCK_WORDS]>,
}

impl<W: Word> Padding<W> {
    /// Of messages of `length` bytes, which are `all` bytes with the whole blocks before them.
    #[inline(always)]
    pub(crate) fn new(big_endian: bool, length: usize, all: u64) -> Self {
        let (body, rest) = (length / block::<W>(), length % block::<W>());
        let mut tail = [0; 2 * MAX_BLOCK];
        let blocks = pad::<W>(big_endian, &mut tail, &[0; MAX_BLOCK][..rest], u128::from(all));
        let end = (rest == 0 || blocks == 2)
            .then(|| words_of(big_endian, &tail[(blocks - 1) * block::<W>()..]));
        Self { body, rest, partial: words_of(big_endian, &tail), end }
    }
}

/// Where digests go.
pub(crate) struct Digests {
    pub(crate) base: *mut u8,
    /// Bytes of a digest, whole words of 32 bits.
    pub(crate) size: usize,
    /// The digest of message `i` is number `places[i]`; null if it is number `i`.
    pub(crate) places: *const u16,
}

impl Digests {
    /// Where the digests of the lanes go whose first message is number `first` of `count`. Those of
    /// idle lanes go to `idle`.
    ///
    /// # Safety
    /// `places` is null or readable for `count` entries.
    #[inline(always)]
    pub(crate) unsafe fn of_lanes(
        &self,
        lanes: usize,
        first: usize,
        count: usize,
        idle: *mut u8,
    ) -> [*mut u8; MAX_LANES] {
        let mut to = [idle; MAX_LANES];
        let used = lanes.min(count - first);
        if self.places.is_null() {
            // Of all lanes, because a loop of constant length becomes a few operations on vectors.
            for l in 0..lanes {
                to[l] = self.base.wrapping_add((first + l) * self.size);
            }
            to[used..lanes].fill(idle);
            return to;
        }
        for l in 0..used {
            // SAFETY: the caller promises a place for each message, and `first + l` is below their
            // number.
            let place = usize::from(unsafe { self.places.add(first + l).read() });
            to[l] = self.base.wrapping_add(place * self.size);
        }
        to
    }
}

/// Messages of one length that a sponge hashes.
pub(crate) struct EqualMessages<'j, W> {
    /// The state in which they begin.
    pub(crate) initial: &'j [W],
    /// Where each message begins: `count` pointers, padded with the last one to a multiple of the
    /// lanes.
    pub(crate) messages: *const *const u8,
    /// At least one.
    pub(crate) count: usize,
    pub(crate) length: usize,
    pub(crate) digests: Digests,
}

/// Hashes messages of one length.
///
/// # Safety
/// The CPU has the kernel's features. `initial` is a state. `messages` is readable for `count`
/// entries, rounded up to the lanes, and each of them for `length` bytes. `places` is null or
/// readable for `count` entries. A digest is writable at each place.
pub(crate) type HashEqual<W> = unsafe fn(&EqualMessages<W>);

/// Hashes whole messages.
///
/// # Safety
/// The CPU has the kernel's features. Each of the `count` messages is readable for its length.
/// `messages`, the states of [`Initial::Each`] and the lengths of [`Lengths::Each`] are readable
/// for `count` entries, rounded up to the lanes. `places` is null or readable for `count` entries.
/// A digest is writable at each place.
pub(crate) type HashWhole<W> = unsafe fn(&WholeMessages<W>);
