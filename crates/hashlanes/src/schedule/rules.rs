//! The rules of families, with their kernels: what the schedule is told of a family.
//!
//! They are values, so that the schedule is compiled once for each word of the MD4 kind
//! ([`Md`]) and once for all sponges ([`Sponge`]). BLAKE2 and BLAKE3 have rules of their own, which
//! are types without a value.

#[cfg(feature = "blake2")]
use crate::family::blake2::{Blake2bFamily, Blake2sFamily};
#[cfg(feature = "blake3")]
use crate::family::blake3::Blake3Family;
use crate::family::keccak::{self, Keccak};
use crate::family::known::{Sums, TABLE_BLOCKS};
use crate::family::{
    Array, Family, MerkleDamgard, OneBlockTail, Rules, State, padding, write_words,
};
use crate::kernel::{self, Choices, Kernel, Kernels, MAX_LANES, Table};
#[cfg(feature = "sha2")]
use crate::schedule::batch::twice;
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
pub struct Md<W: MdWord>(&'static MdValues<W>);

/// What the families of the MD4 kind differ in.
struct MdValues<W: MdWord> {
    table: Table<W>,
    state_words: usize,
    big_endian: bool,
    /// See [`MerkleDamgard::PADDING_SUMS`].
    padding_sums: &'static [Sums<W>; TABLE_BLOCKS],
    sums: fn(&[W; BLOCK_WORDS]) -> Sums<W>,
    /// Whether a digest is hashed again: SHA-256 twice.
    again: bool,
    /// Compiled for the family: with one short message, each instruction counts.
    digest: Digest<Md<W>>,
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

/// Gives a family of the MD4 kind its rules, with the kernels and numbers of a family.
macro_rules! md {
    ($ruled:ty) => {
        // Not inlined, so that callers can wipe what it leaves on the stack.
        md!($ruled, $ruled, false, {
            #[inline(never)]
            fn digest(
                before: &Midstate<'_, <$ruled as Ruled>::Rules>,
                message: &[u8],
                forced: Option<usize>,
                digest: &mut [u8],
            ) {
                let before = Midstate { rules: <$ruled>::RULES, ..*before };
                super::batch::alone::digest_whole(&before, message, forced, digest);
            }
            digest
        });
    };
    ($ruled:ty, $family:ty, $again:literal, $digest:expr) => {
        impl Ruled for $ruled {
            type Rules = Md<<$ruled as Family>::Word>;

            const RULES: Self::Rules = {
                static CHOICES: Choices = Choices::new();
                static VALUES: MdValues<<$ruled as Family>::Word> = MdValues {
                    table: Table::new(<$family>::TABLE, &CHOICES),
                    state_words: <$family>::STATE_WORDS,
                    big_endian: <$family>::BIG_ENDIAN,
                    padding_sums: <$family>::PADDING_SUMS,
                    sums: <$family>::sums,
                    again: $again,
                    digest: $digest,
                };
                Md(&VALUES)
            };
        }
    };
}

#[cfg(feature = "md5")]
md!(crate::family::md5::Md5Family);
#[cfg(feature = "sha1")]
md!(crate::family::sha1::Sha1Family);
#[cfg(feature = "sha2")]
md!(crate::family::sha256::Sha256Family);
#[cfg(feature = "sha2")]
md!(twice::Sha256dFamily, crate::family::sha256::Sha256Family, true, twice::digest);
#[cfg(feature = "sha2")]
md!(crate::family::sha512::Sha512Family);
#[cfg(feature = "sm3")]
md!(crate::family::sm3::Sm3Family);

/// The most bytes of a sponge's block.
pub(super) const MAX_RATE: usize = 168;

/// The rules of a sponge.
#[derive(Clone, Copy)]
pub struct Sponge(&'static SpongeValues);

/// What sponges differ in. The rounds are those of the table.
struct SpongeValues {
    table: Table<u64>,
    rate: usize,
    /// 2^32 divided by the rate, rounded up.
    reciprocal: u64,
    /// Compiled for the rate, as in [`MdValues`].
    digest: Digest<Sponge>,
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

    /// By a multiplication, as the compiler divides by a constant.
    #[inline(always)]
    fn full_blocks(self, length: usize) -> usize {
        // The reciprocal is too large by less than 1, so the quotient by less than 1 / 2^8, and a
        // rate is less than 2^8: the integer is right.
        match length as u64 {
            short @ 0..0x100_0000 => (short * self.0.reciprocal >> 32) as usize,
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

/// Gives sponges their rules.
macro_rules! sponges {
    ($($family:ty)*) => {
        $(impl Ruled for $family {
            type Rules = Sponge;

            const RULES: Sponge = {
                static VALUES: SpongeValues = SpongeValues {
                    table: Table::new(<$family>::TABLE, &CHOICES),
                    rate: <$family>::BLOCK,
                    reciprocal: (1_u64 << 32).div_ceil(<$family>::BLOCK as u64),
                    digest,
                };
                // Not inlined, so that callers can wipe what it leaves on the stack.
                #[inline(never)]
                fn digest(
                    before: &Midstate<'_, Sponge>,
                    message: &[u8],
                    forced: Option<usize>,
                    digest: &mut [u8],
                ) {
                    let before = Midstate { rules: Sponge(&VALUES), ..*before };
                    super::batch::alone::digest_alone(&before, message, forced, digest);
                }
                Sponge(&VALUES)
            };
        })*
    };
}

/// All sponges have the same kernels.
static CHOICES: Choices = Choices::new();

#[cfg(feature = "sha3")]
sponges!(Keccak<72> Keccak<104> Keccak<136> Keccak<144> Keccak<168>);
#[cfg(feature = "sha3")]
sponges!(Keccak<136, 12> Keccak<168, 12>);

/// Rules that are a family's own.
macro_rules! own {
    ($($family:ident)*) => {
        $(impl Tabled for $family {
            #[inline(always)]
            fn table(self) -> &'static Table<Self::Word> {
                static CHOICES: Choices = Choices::new();
                static TABLE: Table<<$family as Family>::Word> =
                    Table::new(<$family>::TABLE, &CHOICES);
                &TABLE
            }
        }

        impl Ruled for $family {
            type Rules = Self;
            const RULES: Self = Self;
        })*
    };
}

#[cfg(feature = "blake2")]
own!(Blake2bFamily Blake2sFamily);
#[cfg(feature = "blake3")]
own!(Blake3Family);

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;

    #[test]
    fn full_blocks_of_sponges_are_a_quotient() {
        let sponges = [
            Keccak::<72>::RULES,
            Keccak::<104>::RULES,
            Keccak::<136>::RULES,
            Keccak::<144>::RULES,
            Keccak::<168>::RULES,
        ];
        for rules in sponges {
            let multiples = (0..1 << 18).map(|blocks| blocks * rules.block());
            let far = [1 << 24, 1 << 32, usize::MAX - 1000];
            for length in multiples.chain(far).flat_map(|at| [at.saturating_sub(1), at, at + 1]) {
                assert_eq!(rules.full_blocks(length), length / rules.block(), "{length}");
            }
        }
    }
}
