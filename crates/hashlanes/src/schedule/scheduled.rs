//! What is compiled once for each family.

use super::alone::hash_alone;
use super::batch::Batch;
use super::compress::compress_alone;
use super::midstate::Midstate;
use super::output::Output;
use super::run::{When, run};
use super::source::Source;
use super::stream::Stream;
use super::ways::hash_many;
use crate::family::{
    State, md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family, sha512::Sha512Family,
    sm3::Sm3Family,
};
use crate::kernel::{self, Kernels};

/// The ways into the schedule.
///
/// Each implementation is of one family, and so this crate has the code. Generic functions would be
/// compiled anew in each crate that calls them, and for each type of messages. So what is above the
/// schedule goes through these functions.
pub trait Scheduled: Kernels {
    /// Writes the digests of many messages.
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    fn hash_many(batch: &Batch<'_, '_, Self>, output: &mut Output<'_>);

    /// The final state of a message: what `before` stands for, and then `message`.
    fn hash_alone(
        before: &Midstate<'_, Self>,
        message: &[u8],
        forced: Option<usize>,
    ) -> State<Self>;

    /// Compresses whole blocks of a single message: in row `forced`, which the CPU can run, or in
    /// the best kernel for one message.
    fn compress_alone(state: &mut State<Self>, blocks: &[u8], forced: Option<usize>);

    /// Runs the messages of `source` through the lanes of row `forced`, which the CPU can run, or
    /// of the kernel that is best for their number.
    fn run<'a>(source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When);

    /// Continues a message at once, alone.
    fn update(stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>);

    /// The state after the padding of a message: the digest's words.
    fn finish(stream: &Stream<Self>, forced: Option<usize>) -> State<Self>;

    /// The row for so many messages, at least one.
    fn row(messages: usize, forced: Option<usize>) -> usize;
}

macro_rules! scheduled {
    ($($family:ty)*) => {
        $(impl Scheduled for $family {
            fn hash_many(batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) {
                hash_many(batch, output);
            }

            fn hash_alone(
                before: &Midstate<'_, Self>,
                message: &[u8],
                forced: Option<usize>,
            ) -> State<Self> {
                hash_alone(before, message, forced)
            }

            fn compress_alone(state: &mut State<Self>, blocks: &[u8], forced: Option<usize>) {
                compress_alone::<Self>(state, blocks, forced);
            }

            fn run<'a>(source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When) {
                run(source, forced, when);
            }

            fn update(stream: &mut Stream<Self>, piece: &[u8], forced: Option<usize>) {
                stream.update_alone(piece, forced);
            }

            fn finish(stream: &Stream<Self>, forced: Option<usize>) -> State<Self> {
                stream.finish_alone(forced)
            }

            fn row(messages: usize, forced: Option<usize>) -> usize {
                kernel::row::<Self>(messages, forced)
            }
        })*
    };
}

scheduled!(Md5Family Sha1Family Sha256Family Sha512Family Sm3Family);

impl<F: Scheduled> Stream<F> {
    /// Continues the message at once, alone: in row `forced`, or in the best kernel for one
    /// message.
    pub(crate) fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        F::update(self, piece, forced);
    }

    /// The state after the padding: the digest's words.
    pub(crate) fn finish(&self, forced: Option<usize>) -> State<F> {
        F::finish(self, forced)
    }
}
