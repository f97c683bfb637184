//! What the schedule is told of a family: its rules, with its kernels.
//!
//! They are values, so that the schedule is compiled once for each word of the MD4 kind
//! ([`Md`]) and once for all sponges ([`Sponge`]). BLAKE2 and BLAKE3 have rules of their own, which
//! are types without a value.

use crate::family::keccak;
use crate::family::known::{Sums, TABLE_BLOCKS};
use crate::family::{Array, Family, OneBlockTail, Rules, State, padding, write_words};
use crate::kernel::{self, Kernel, MAX_LANES, Table};
use crate::schedule::stream::midstate::Midstate;
use crate::vector::{BLOCK_WORDS, Word};

/// Rules with kernels.
pub trait Tabled: Rules {
    /// The kernels.
    fn table(self) -> &'static Table<Self::Word>;

    /// The row for this number of messages, at least one: `forced`, or the best one.
    #[inline(always)]
    fn row(self, messages: usize, forced: Option<usize>) -> usize {
        kernel::row(self.table(), messages, forced)
    }

    /// The kernel of a row.
    #[inline(always)]
    fn kernel(self, row: usize) -> &'static Kernel<Self::Word> {
        &self.table().rows[row]
    }
}

/// A family whose messages are scheduled by these rules.
pub trait Ruled: Family {
    type Rules: Tabled;

    const RULES: Self::Rules;
}

/// Writes the digest of one message: see
/// [`Scheduled::digest`](super::scheduled::Scheduled::digest).
pub(super) type Digest<R> = fn(&Midstate<'_, R>, &[u8], Option<usize>, &mut [u8]);

/// Rules with code that is compiled for each family.
pub(super) trait PerFamily: Rules {
    fn digest(self) -> Digest<Self>;
}

/// Writes the digest of one message, by the code of the family.
#[inline(always)]
pub(super) fn digest_of_family<R: PerFamily>(
    before: &Midstate<'_, R>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) {
    before.rules.digest()(before, message, forced, digest);
}

/// The word of a family of the MD4 kind. Blocks have 16 words.
pub trait MdWord: Word {
    type Block: Array<u8>;
    type Tail: Array<u8>;
}

impl MdWord for u32 {
    type Block = [u8; padding::block::<u32>()];
    type Tail = [u8; 2 * padding::block::<u32>()];
}

impl MdWord for u64 {
    type Block = [u8; padding::block::<u64>()];
    type Tail = [u8; 2 * padding::block::<u64>()];
}

/// The rules of a family of the MD4 kind.
#[derive(Clone, Copy)]
pub struct Md<W: MdWord>(pub(super) &'static MdValues<W>);

/// What the families of the MD4 kind differ in.
pub(super) struct MdValues<W: MdWord> {
    pub(super) table: Table<W>,
    pub(super) state_words: usize,
    pub(super) big_endian: bool,
    /// See [`PADDING_SUMS`](crate::family::MerkleDamgard::PADDING_SUMS).
    pub(super) padding_sums: &'static [Sums<W>; TABLE_BLOCKS],
    pub(super) sums: fn(&[W; BLOCK_WORDS]) -> Sums<W>,
    /// Whether a digest is hashed again: SHA-256 twice.
    pub(super) again: bool,
    /// Compiled for the family: with one short message, each instruction counts.
    pub(super) digest: Digest<Md<W>>,
}

impl<W: MdWord> Md<W> {
    /// Bytes in a block.
    pub(super) const BLOCK: usize = padding::block::<W>();

    /// Whether words are big-endian in messages and digests.
    #[inline(always)]
    pub(super) fn big_endian(self) -> bool {
        self.0.big_endian
    }

    /// Whether a digest is hashed again, by the same rules but for this.
    #[inline(always)]
    pub(super) fn is_again(self) -> bool {
        self.0.again
    }

    /// The sums of any block.
    pub(super) fn sums(self, block: &[W; BLOCK_WORDS]) -> Sums<W> {
        (self.0.sums)(block)
    }
}

/// Writes words of a state, by number, in this byte order. For the numbers of words that digests
/// have, loops are of constant length, which keeps the words in registers.
#[inline(always)]
pub(super) fn write_words_of<W: Word>(
    digest: &mut [u8],
    big_endian: bool,
    word: impl Fn(usize) -> W,
) {
    match (digest.len() / W::BYTES, big_endian) {
        (8, true) => write_first(digest, 8, true, word),
        (5, true) => write_first(digest, 5, true, word),
        (4, false) => write_first(digest, 4, false, word),
        (count, big_endian) => write_first(digest, count, big_endian, word),
    }
}

/// Writes the first `count` words.
#[inline(always)]
fn write_first<W: Word>(
    digest: &mut [u8],
    count: usize,
    big_endian: bool,
    word: impl Fn(usize) -> W,
) {
    for (w, bytes) in digest[..count * W::BYTES].chunks_exact_mut(W::BYTES).enumerate() {
        word(w).write(bytes, big_endian);
    }
}

impl<W: MdWord> PerFamily for Md<W> {
    #[inline(always)]
    fn digest(self) -> Digest<Self> {
        self.0.digest
    }
}

impl<W: MdWord> Rules for Md<W> {
    type Word = W;
    type State = [W; 8];
    type LaneStates = [W; 8 * MAX_LANES];
    type Block = W::Block;
    type Tail = W::Tail;

    const WORDS: usize = 8;

    #[inline(always)]
    fn state_words(self) -> usize {
        self.0.state_words
    }

    #[inline(always)]
    fn block(self) -> usize {
        Self::BLOCK
    }

    #[inline(always)]
    fn tail_blocks(self, rest: usize) -> usize {
        padding::tail_blocks::<W>(rest)
    }

    #[inline(always)]
    fn pad(self, _: &[W; 8], tail: &mut [u8], rest: &[u8], length: u128) -> usize {
        padding::pad::<W>(self.big_endian(), tail, rest, length)
    }

    #[inline(always)]
    fn known_padding(self, length: u64) -> Option<&'static Sums<W>> {
        let block = Self::BLOCK as u64;
        let entry = usize::try_from((length / block).checked_sub(1)?).ok()?;
        self.0.padding_sums.get(entry).filter(|_| length.is_multiple_of(block))
    }

    #[inline(always)]
    fn write_digest(self, state: &[W; 8], digest: &mut [u8]) {
        // For most functions, the digest is the whole state. In code for one family its length is
        // constant, so the compiler keeps the words in registers.
        match digest.split_at_mut_checked(self.state_words() * W::BYTES) {
            Some((digest, [])) => write_words_of(digest, self.big_endian(), |w| state[w]),
            _ => write_part(self, *state, digest),
        }
    }
}

/// Writes a digest that is a part of the state. Not inlined, because this takes the state's
/// address, which would force it into memory.
#[inline(never)]
fn write_part<W: MdWord>(rules: Md<W>, state: [W; 8], digest: &mut [u8]) {
    write_words_of(digest, rules.big_endian(), |w| state[w]);
}

impl<W: MdWord> Tabled for Md<W> {
    #[inline(always)]
    fn table(self) -> &'static Table<W> {
        &self.0.table
    }
}

/// Rules of a family of the MD4 kind, whatever its word.
pub trait MdRules: Rules<State = [<Self as Rules>::Word; 8]> {}

impl<W: MdWord> MdRules for Md<W> {}

/// The most bytes of a sponge's block.
pub(super) const MAX_RATE: usize = 168;

/// The rules of a sponge.
#[derive(Clone, Copy)]
pub struct Sponge(pub(super) &'static SpongeValues);

/// What sponges differ in. The rounds are those of the table.
pub(super) struct SpongeValues {
    pub(super) table: Table<u64>,
    pub(super) rate: usize,
    /// 2^32 divided by the rate, rounded up.
    pub(super) reciprocal: u64,
    /// Compiled for the rate, as in [`MdValues`].
    pub(super) digest: Digest<Sponge>,
}

impl PerFamily for Sponge {
    #[inline(always)]
    fn digest(self) -> Digest<Self> {
        self.0.digest
    }
}

impl Rules for Sponge {
    type Word = u64;
    type State = [u64; keccak::LANES + 1];
    type LaneStates = [u64; (keccak::LANES + 1) * 8];
    type Block = [u8; MAX_RATE];
    type Tail = [u8; MAX_RATE];

    const WORDS: usize = keccak::LANES + 1;

    #[inline(always)]
    fn block(self) -> usize {
        self.0.rate
    }

    #[inline(always)]
    fn tail_blocks(self, _: usize) -> usize {
        1
    }

    #[inline(always)]
    fn pad(self, state: &State<Self>, tail: &mut [u8], rest: &[u8], _: u128) -> usize {
        let (message, padding) = tail[..self.block()].split_at_mut(rest.len());
        message.copy_from_slice(rest);
        padding.fill(0);
        padding[0] = state[keccak::LANES] as u8;
        tail[self.block() - 1] |= 0x80;
        1
    }

    fn write_digest(self, state: &State<Self>, digest: &mut [u8]) {
        write_words(|w| state[w], digest);
    }

    #[cfg(feature = "alloc")]
    fn domain(self, state: &mut State<Self>) -> Option<&mut u64> {
        state.last_mut()
    }

    /// Without the padding, which is the function's.
    #[cfg(feature = "alloc")]
    fn saved_words(self) -> usize {
        keccak::LANES
    }

    /// By a multiplication, as the compiler divides by a constant.
    #[inline(always)]
    fn full_blocks(self, length: usize) -> usize {
        // The reciprocal is too large by less than 1, so the quotient by less than 1 / 2^8, and a
        // rate is less than 2^8: the integer is right.
        match length as u64 {
            short @ 0..0x100_0000 => ((short * self.0.reciprocal) >> 32) as usize,
            _ => length / self.block(),
        }
    }
}

impl OneBlockTail for Sponge {
    const LAST: u8 = 0x80;

    #[inline(always)]
    fn after(self, state: &State<Self>) -> u8 {
        state[keccak::LANES] as u8
    }

    #[inline(always)]
    fn set_for_tail(self, _: &State<Self>, _: u64, _: impl FnMut(usize, u64)) {}
}

impl Tabled for Sponge {
    #[inline(always)]
    fn table(self) -> &'static Table<u64> {
        &self.0.table
    }
}
