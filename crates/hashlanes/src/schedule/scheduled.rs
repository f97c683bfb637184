//! The code that is compiled once for each family.

use super::alone::{digest_alone, digest_whole};
use super::batch::Batch;
use super::chains::{by_messages, in_blocks, in_states};
use super::midstate::Midstate;
use super::output::Output;
#[cfg(feature = "alloc")]
use super::rounds::{KeyStates, Rounds, add_macs};
use super::run::{When, run};
use super::source::Source;
use super::squeeze::{Outputs, Sponges, Squeeze, Squeezed, absorb, squeeze};
use super::stream::Stream;
#[cfg(feature = "blake3")]
use super::tree::{self, Root};
use super::ways::{first_in_step, hash_many, lockstep};
use crate::family::{
    Family, State, blake2::Blake2bFamily, blake2::Blake2sFamily, blake3::Blake3Family,
    keccak::Keccak, md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family, sha512::Sha512Family,
    sm3::Sm3Family,
};
use crate::input::Chains;
use crate::kernel::{self, Kernels};
use crate::wipe::{self, Wiped};

/// The entry points of the schedule.
///
/// Each implementation is for one family, so its code is in this crate. Generic functions would be
/// compiled again in each calling crate and for each type of messages. So the layers above use only
/// these functions.
pub trait Scheduled: Kernels {
    /// Writes the digests of many messages.
    ///
    /// # Panics
    /// If the number of digests is not that of the messages.
    fn hash_many(batch: &Batch<'_, '_, Self>, output: &mut Output<'_>);

    /// Writes the digest of the message that consists of the bytes of `before` followed by
    /// `message`.
    fn digest(
        before: &Midstate<'_, Self>,
        message: &[u8],
        forced: Option<usize>,
        digest: &mut [u8],
    );

    /// Continues hash chains whose inputs follow the bytes of `before`.
    ///
    /// # Panics
    /// If a value is longer than `digest_len`, the length of a digest.
    fn continue_chains(
        before: &Midstate<'_, Self>,
        chains: &mut Chains<'_>,
        digest_len: usize,
        forced: Option<usize>,
    ) {
        by_messages(before, chains, digest_len, forced, Self::hash_many);
    }

    /// Adds as many MACs under each key as there are rounds to its total: that of the total, that
    /// of this MAC, and so on. Returns whether it did: only some families can.
    #[cfg(feature = "alloc")]
    fn add_macs(
        _keys: &[KeyStates<'_, Self>],
        _rounds: &mut Rounds<'_>,
        _totals: &mut [u8],
        _digest_len: usize,
        _forced: Option<usize>,
    ) -> bool {
        false
    }

    /// Compresses whole blocks of a single message with the kernel of row `forced`, which the CPU
    /// can run, or with the best kernel for one message.
    fn compress_alone(state: &mut State<Self>, blocks: &[u8], forced: Option<usize>);

    /// Hashes the messages of `source` in the lanes of row `forced`, which the CPU can run, or of
    /// the best kernel for their number.
    fn run<'a>(source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When);

    /// Continues a single message.
    fn update(stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>);

    /// The state after the padding of a message: the digest's words.
    fn finish(stream: &Stream<Self>, forced: Option<usize>) -> State<Self>;

    /// Writes the digest of a message in pieces.
    fn write_digest_of(stream: &Stream<Self>, forced: Option<usize>, digest: &mut [u8]) {
        Self::write_digest(&*Wiped(Self::finish(stream, forced)), digest);
    }

    /// The row for this number of messages, at least one.
    fn row(messages: usize, forced: Option<usize>) -> usize;
}

/// The methods of [`Scheduled`] for messages that are compressed block after block.
macro_rules! block_by_block {
    () => {
        fn compress_alone(state: &mut State<Self>, blocks: &[u8], forced: Option<usize>) {
            $crate::schedule::compress::compress_alone::<Self>(state, blocks, forced);
        }

        fn update(stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>) {
            stream.update_alone(piece, forced);
        }

        fn row(messages: usize, forced: Option<usize>) -> usize {
            $crate::kernel::row::<Self>(messages, forced)
        }
    };
}

pub(super) use block_by_block;

/// Implements [`Scheduled`] by functions for many messages, for one, for chains, and for rounds of
/// PBKDF2, where the family can share them.
macro_rules! scheduled {
    ($hash_many:ident, $digest:ident, $continue_chains:ident: $($family:ty)*) => {
        $(scheduled!(@ $hash_many $digest $continue_chains [] $family);)*
    };
    ($hash_many:ident, $digest:ident, $continue_chains:ident, $add_macs:ident: $($family:ty)*) => {
        $(scheduled!(@ $hash_many $digest $continue_chains [$add_macs] $family);)*
    };
    (@ $hash_many:ident $digest:ident $continue_chains:ident [$($add_macs:ident)?] $family:ty) => {
        impl Scheduled for $family {
            fn hash_many(batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) {
                $hash_many(batch, output);
            }

            // Not inlined, so that callers can wipe what it leaves on the stack.
            #[inline(never)]
            fn digest(
                before: &Midstate<'_, Self>,
                message: &[u8],
                forced: Option<usize>,
                digest: &mut [u8],
            ) {
                $digest(before, message, forced, digest);
            }

            fn continue_chains(
                before: &Midstate<'_, Self>,
                chains: &mut Chains<'_>,
                digest_len: usize,
                forced: Option<usize>,
            ) {
                $continue_chains(before, chains, digest_len, forced, Self::hash_many);
            }

            $(#[cfg(feature = "alloc")]
            fn add_macs(
                keys: &[KeyStates<'_, Self>],
                rounds: &mut Rounds<'_>,
                totals: &mut [u8],
                digest_len: usize,
                forced: Option<usize>,
            ) -> bool {
                $add_macs(keys, rounds, totals, digest_len, forced)
            })?

            block_by_block!();

            fn run<'a>(source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When) {
                run(source, forced, when);
            }

            fn finish(stream: &Stream<Self>, forced: Option<usize>) -> State<Self> {
                stream.finish_alone(forced)
            }
        }
    };
}

#[cfg(feature = "md5")]
scheduled!(hash_many, digest_whole, in_blocks, add_macs: Md5Family);
#[cfg(feature = "sha1")]
scheduled!(hash_many, digest_whole, in_blocks, add_macs: Sha1Family);
#[cfg(feature = "sha2")]
scheduled!(hash_many, digest_whole, in_blocks, add_macs: Sha256Family Sha512Family);
#[cfg(feature = "sm3")]
scheduled!(hash_many, digest_whole, in_blocks, add_macs: Sm3Family);
#[cfg(feature = "sha3")]
scheduled!(lockstep, digest_alone, in_states: Keccak<72> Keccak<104> Keccak<136>);
#[cfg(feature = "sha3")]
scheduled!(lockstep, digest_alone, in_states: Keccak<144> Keccak<168>);
#[cfg(feature = "sha3")]
scheduled!(lockstep, digest_alone, in_states: Keccak<136, 12> Keccak<168, 12>);

macro_rules! squeeze {
    ($($family:ty)*) => {
        $(impl Squeeze for $family {
            type Squeezed = Squeezed<Self>;

            const AS_DIGEST: usize = Self::BLOCK;

            fn squeezed(state: &State<Self>) -> Squeezed<Self> {
                Squeezed::new(state)
            }

            fn finished(stream: &Stream<Self>, forced: Option<usize>) -> Squeezed<Self> {
                Squeezed::new(&*Wiped(stream.finish(forced)))
            }

            fn absorb(batch: &Batch<'_, '_, Self>, sponges: &mut dyn Sponges<Self>) {
                absorb(batch, sponges);
            }

            fn hash_first(batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) -> usize {
                first_in_step(batch, output)
            }

            fn squeeze(outputs: &mut dyn Outputs<Self>, forced: Option<usize>) {
                squeeze(outputs, forced);
            }
        })*
    };
}

#[cfg(feature = "sha3")]
squeeze!(Keccak<136> Keccak<168> Keccak<136, 12> Keccak<168, 12>);
#[cfg(feature = "blake2")]
scheduled!(lockstep, digest_alone, by_messages: Blake2bFamily Blake2sFamily);

/// Runs code for one message that uses more of the stack than its callers wipe, and wipes that.
/// Nodes of a tree are compressed below lists of nodes and of values.
#[inline(always)]
fn deep<R>(work: impl FnOnce() -> R) -> R {
    wipe::call::<{ wipe::TREE }, R>(work)
}

#[cfg(feature = "blake3")]
impl Scheduled for Blake3Family {
    fn hash_many(batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) {
        tree::hash_many(batch, output);
    }

    // Not inlined, so that callers can wipe what it leaves on the stack.
    #[inline(never)]
    fn digest(
        before: &Midstate<'_, Self>,
        message: &[u8],
        forced: Option<usize>,
        digest: &mut [u8],
    ) {
        deep(|| {
            let value = Wiped(tree::digest_alone(before, message, forced));
            *digest.first_chunk_mut().expect("digests have the same length") = *value;
        });
    }

    fn compress_alone(state: &mut State<Self>, blocks: &[u8], forced: Option<usize>) {
        deep(|| tree::compress(state, blocks, forced));
    }

    fn run<'a>(source: &mut dyn Source<'a, Self>, forced: Option<usize>, _: When) {
        tree::run(source, forced);
    }

    fn update(stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>) {
        // Not around pieces that are only copied.
        stream.update_with(piece, |state, bytes, held| {
            deep(|| tree::update(state, bytes, held, forced));
        });
    }

    fn finish(stream: &Stream<Self>, forced: Option<usize>) -> State<Self> {
        deep(|| tree::finish_stream(stream, forced))
    }

    fn write_digest_of(stream: &Stream<Self>, forced: Option<usize>, digest: &mut [u8]) {
        deep(|| {
            let value = Wiped(tree::digest_of_stream(stream, forced));
            *digest.first_chunk_mut().expect("digests have the same length") = *value;
        });
    }

    fn row(messages: usize, forced: Option<usize>) -> usize {
        kernel::row::<Self>(messages, forced)
    }
}

#[cfg(feature = "blake3")]
impl Squeeze for Blake3Family {
    type Squeezed = Root;

    const AS_DIGEST: usize = 32;

    fn squeezed(state: &State<Self>) -> Root {
        Root::of(state)
    }

    fn finished(stream: &Stream<Self>, forced: Option<usize>) -> Root {
        tree::root_of_chunk(stream).unwrap_or_else(|| Root::of(&Wiped(stream.finish(forced))))
    }

    fn absorb(batch: &Batch<'_, '_, Self>, sponges: &mut dyn Sponges<Self>) {
        tree::absorb(batch, sponges);
    }

    fn hash_first(_: &Batch<'_, '_, Self>, _: &mut Output<'_>) -> usize {
        0
    }

    fn squeeze(outputs: &mut dyn Outputs<Self>, forced: Option<usize>) {
        tree::squeeze(outputs, forced);
    }
}

impl<F: Scheduled> Stream<F> {
    /// Continues the message with the kernel of row `forced`, or with the best kernel for one
    /// message.
    pub(crate) fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        F::update(self, piece, forced);
    }

    /// The state after the padding: the digest's words.
    pub(crate) fn finish(&self, forced: Option<usize>) -> State<F> {
        F::finish(self, forced)
    }

    /// Writes the digest of the message.
    pub(crate) fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]) {
        F::write_digest_of(self, forced, digest);
    }
}
