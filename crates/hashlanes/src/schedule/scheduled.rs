//! The code that is compiled once for each type of rules.

#[cfg(feature = "blake2")]
use crate::family::blake2::{Blake2bFamily, Blake2sFamily};
#[cfg(feature = "blake3")]
use crate::family::blake3::Blake3Family;
use crate::family::{Rules, State};
use crate::input::Chains;
use crate::schedule::batch::Batch;
use crate::schedule::batch::alone::digest_alone;
use crate::schedule::batch::chains::{by_messages, in_blocks, in_states};
use crate::schedule::batch::output::Output;
#[cfg(feature = "alloc")]
use crate::schedule::batch::rounds::{KeyStates, Rounds, add_macs};
#[cfg(feature = "sha2")]
use crate::schedule::batch::twice;
use crate::schedule::choose::{first_in_step, hash_many, hash_many_of_one_block};
use crate::schedule::refill::source::Source;
use crate::schedule::refill::{When, run};
#[cfg(feature = "sha3")]
use crate::schedule::rules::Sponge;
use crate::schedule::rules::{Md, Tabled, digest_of_family};
use crate::schedule::stream::Stream;
use crate::schedule::stream::compress::compress_alone;
use crate::schedule::stream::midstate::Midstate;
use crate::schedule::stream::squeeze::{Outputs, Sponges, Squeeze, Squeezed, absorb, squeeze};
#[cfg(feature = "blake3")]
use crate::schedule::tree::{self, Root};
use crate::wipe::{self, Wiped};

/// The entry points of the schedule.
///
/// Each implementation is for one type of rules, so its code is in this crate. Generic functions
/// would be compiled again in each calling crate and for each type of messages. So the layers above
/// use only these functions.
pub trait Scheduled: Tabled {
    /// Writes the digests of many messages.
    ///
    /// # Panics
    /// If the number of digests is not that of the messages.
    fn hash_many(self, batch: &Batch<'_, '_, Self>, output: &mut Output<'_>);

    /// Writes the digest of the message that consists of the bytes of `before` followed by
    /// `message`.
    fn digest(
        self,
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
        self,
        before: &Midstate<'_, Self>,
        chains: &mut Chains<'_>,
        digest_len: usize,
        forced: Option<usize>,
    ) {
        by_messages(before, chains, digest_len, forced, |batch, output| {
            batch.rules().hash_many(batch, output);
        });
    }

    /// Adds as many MACs under each key as there are rounds to its total: that of the total, that
    /// of this MAC, and so on. Returns whether it did: only some families can.
    #[cfg(feature = "alloc")]
    fn add_macs(
        self,
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
    fn compress_alone(self, state: &mut State<Self>, blocks: &[u8], forced: Option<usize>);

    /// Hashes the messages of `source` in the lanes of row `forced`, which the CPU can run, or of
    /// the best kernel for their number.
    fn run<'a>(self, source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When);

    /// Continues a single message.
    fn update(self, stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>);

    /// The state after the padding of a message: the digest's words.
    fn finish(self, stream: &Stream<Self>, forced: Option<usize>) -> State<Self>;

    /// Writes the digest of a message in pieces.
    fn write_digest_of(self, stream: &Stream<Self>, forced: Option<usize>, digest: &mut [u8]) {
        self.write_digest(&*Wiped(self.finish(stream, forced)), digest);
    }
}

/// Implements [`Scheduled`] by functions for many messages, for one, for chains, and for rounds of
/// PBKDF2, where rules can share them. That for one is not inlined anywhere, so that callers can
/// wipe what it leaves on the stack.
macro_rules! scheduled {
    ($rules:ty:
        $hash_many:ident, #[$inline:meta] $digest:ident, $continue_chains:ident
        $(, $add_macs:ident $(, or $twice:ident)?)?
    ) => {
        impl Scheduled for $rules {
            fn hash_many(self, batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) {
                $hash_many(batch, output);
                $($(if $twice::applies(self) {
                    $twice::hash_again(batch, output);
                })?)?
            }

            #[$inline]
            fn digest(
                self,
                before: &Midstate<'_, Self>,
                message: &[u8],
                forced: Option<usize>,
                digest: &mut [u8],
            ) {
                $digest(before, message, forced, digest);
            }

            fn continue_chains(
                self,
                before: &Midstate<'_, Self>,
                chains: &mut Chains<'_>,
                digest_len: usize,
                forced: Option<usize>,
            ) {
                $($(if $twice::applies(self) {
                    return by_messages(before, chains, digest_len, forced, |batch, output| {
                        batch.rules().hash_many(batch, output);
                    });
                })?)?
                $continue_chains(before, chains, digest_len, forced, $hash_many);
            }

            $(#[cfg(feature = "alloc")]
            fn add_macs(
                self,
                keys: &[KeyStates<'_, Self>],
                rounds: &mut Rounds<'_>,
                totals: &mut [u8],
                digest_len: usize,
                forced: Option<usize>,
            ) -> bool {
                $(if $twice::applies(self) {
                    return false;
                })?
                $add_macs(self, keys, rounds, totals, digest_len, forced)
            })?

            fn compress_alone(self, state: &mut State<Self>, blocks: &[u8], forced: Option<usize>) {
                compress_alone(self, state, blocks, forced);
            }

            fn update(self, stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>) {
                stream.update_alone(piece, forced);
            }

            fn run<'a>(self, source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When) {
                $($(if $twice::applies(self) {
                    return $twice::run_twice(source, forced, when);
                })?)?
                run(self, source, forced, when);
            }

            fn finish(self, stream: &Stream<Self>, forced: Option<usize>) -> State<Self> {
                $($(if $twice::applies(self) {
                    return $twice::finish(stream, forced);
                })?)?
                stream.finish_alone(forced)
            }
        }
    };
}

#[cfg(all(not(feature = "sha2"), any(feature = "md5", feature = "sha1", feature = "sm3")))]
scheduled!(Md<u32>: hash_many, #[inline] digest_of_family, in_blocks, add_macs);
#[cfg(feature = "sha2")]
scheduled!(Md<u32>: hash_many, #[inline] digest_of_family, in_blocks, add_macs, or twice);
#[cfg(feature = "sha2")]
scheduled!(Md<u64>: hash_many, #[inline] digest_of_family, in_blocks, add_macs);
#[cfg(feature = "sha3")]
scheduled!(Sponge: hash_many_of_one_block, #[inline] digest_of_family, in_states);

#[cfg(feature = "sha3")]
impl Squeeze for Sponge {
    type Squeezed = Squeezed<Self>;

    fn as_digest(self) -> usize {
        self.block()
    }

    fn squeezed(self, state: &State<Self>) -> Squeezed<Self> {
        Squeezed::new(self, state)
    }

    fn finished(self, stream: &Stream<Self>, forced: Option<usize>) -> Squeezed<Self> {
        Squeezed::new(self, &*Wiped(stream.finish(forced)))
    }

    fn absorb(self, batch: &Batch<'_, '_, Self>, sponges: &mut dyn Sponges<Self>) {
        absorb(batch, sponges);
    }

    fn hash_first(self, batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) -> usize {
        first_in_step(batch, output)
    }

    fn squeeze(self, outputs: &mut dyn Outputs<Self>, forced: Option<usize>) {
        squeeze(self, outputs, forced);
    }
}

#[cfg(feature = "blake2")]
scheduled!(Blake2bFamily: hash_many_of_one_block, #[inline(never)] digest_alone, by_messages);
#[cfg(feature = "blake2")]
scheduled!(Blake2sFamily: hash_many_of_one_block, #[inline(never)] digest_alone, by_messages);

/// Runs code for one message that uses more of the stack than its callers wipe, and wipes that.
/// Nodes of a tree are compressed below lists of nodes and of values.
#[inline(always)]
fn deep<R>(work: impl FnOnce() -> R) -> R {
    wipe::call::<{ wipe::TREE }, R>(work)
}

#[cfg(feature = "blake3")]
impl Scheduled for Blake3Family {
    fn hash_many(self, batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) {
        tree::hash_many(batch, output);
    }

    // Not inlined, so that callers can wipe what it leaves on the stack.
    #[inline(never)]
    fn digest(
        self,
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

    fn compress_alone(self, state: &mut State<Self>, blocks: &[u8], forced: Option<usize>) {
        deep(|| tree::compress(state, blocks, forced));
    }

    fn run<'a>(self, source: &mut dyn Source<'a, Self>, forced: Option<usize>, _: When) {
        tree::run(source, forced);
    }

    fn update(self, stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>) {
        // Not around pieces that are only copied.
        stream.update_with(piece, |state, bytes, held| {
            deep(|| tree::update(state, bytes, held, forced));
        });
    }

    fn finish(self, stream: &Stream<Self>, forced: Option<usize>) -> State<Self> {
        deep(|| tree::finish_stream(stream, forced))
    }

    fn write_digest_of(self, stream: &Stream<Self>, forced: Option<usize>, digest: &mut [u8]) {
        deep(|| {
            let value = Wiped(tree::digest_of_stream(stream, forced));
            *digest.first_chunk_mut().expect("digests have the same length") = *value;
        });
    }
}

#[cfg(feature = "blake3")]
impl Squeeze for Blake3Family {
    type Squeezed = Root;

    fn as_digest(self) -> usize {
        32
    }

    fn squeezed(self, state: &State<Self>) -> Root {
        Root::of(state)
    }

    fn finished(self, stream: &Stream<Self>, forced: Option<usize>) -> Root {
        tree::root_of_chunk(stream).unwrap_or_else(|| Root::of(&Wiped(stream.finish(forced))))
    }

    fn absorb(self, batch: &Batch<'_, '_, Self>, sponges: &mut dyn Sponges<Self>) {
        tree::absorb(batch, sponges);
    }

    fn hash_first(self, _: &Batch<'_, '_, Self>, _: &mut Output<'_>) -> usize {
        0
    }

    fn squeeze(self, outputs: &mut dyn Outputs<Self>, forced: Option<usize>) {
        tree::squeeze(outputs, forced);
    }
}

impl<R: Scheduled> Stream<R> {
    /// Continues the message with the kernel of row `forced`, or with the best kernel for one
    /// message.
    pub(crate) fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        self.rules().update(self, piece, forced);
    }

    /// The state after the padding: the digest's words.
    pub(crate) fn finish(&self, forced: Option<usize>) -> State<R> {
        self.rules().finish(self, forced)
    }

    /// Writes the digest of the message.
    pub(crate) fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]) {
        self.rules().write_digest_of(self, forced, digest);
    }
}
