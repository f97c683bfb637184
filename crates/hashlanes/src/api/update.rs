//! Many messages in pieces, continued side by side.

#[cfg(feature = "alloc")]
use alloc::boxed::Box;
#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use core::marker::PhantomData;

use super::engine::Engine;
use super::hasher::Hasher;
use crate::family::State;
use crate::function::HashFunction;
#[cfg(feature = "alloc")]
use crate::function::choice::Visit;
#[cfg(feature = "alloc")]
use crate::function::{Algorithm, Function};
#[cfg(feature = "alloc")]
use crate::schedule::Midstate;
use crate::schedule::{LaneState, Order, Scheduled, Source, Stream, WINDOW, When, Work};
use crate::wipe::{self, Wiped};

impl<A: HashFunction> Engine<A> {
    /// Continues many messages side by side. The effect is that of `hashers[i].update(pieces[i])`
    /// for each `i`, computed in lanes. Allocates nothing.
    ///
    /// ```
    /// use hashlanes::{Engine, Hasher, Md5};
    ///
    /// let mut hashers = vec![Md5::hasher(); 3];
    /// let engine = Engine::<Md5>::new();
    /// engine.update_many(&mut hashers, &["a", "b", "c"]);
    /// engine.update_many(&mut hashers, &["bc", "", "d"]);
    /// let digests: Vec<_> = hashers.into_iter().map(Hasher::finalize).collect();
    /// assert_eq!(digests, ["abc", "b", "cd"].map(Md5::digest));
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths. If the `AsRef` of a piece panics, some hashers have
    /// received their pieces and others have not: reset them all.
    pub fn update_many(&self, hashers: &mut [Hasher<A>], pieces: &[impl AsRef<[u8]>]) {
        update_many(A::RULES, hashers, pieces, self.forced(), None);
    }
}

/// A fixed number of messages in progress, all with one function, which are continued side by side
/// in lanes. [`Engine::hashers`] makes them.
///
/// ```
/// use hashlanes::{Algorithm, Engine};
///
/// let engine = Engine::of(Algorithm::Md5);
/// let mut hashers = engine.hashers(2);
/// hashers.update(&[b"a", b"mess"]);
/// hashers.update(&[b"", b"age"]);
/// assert_eq!(hashers.finalize_reset(1), Algorithm::Md5.digest(b"message"));
/// ```
#[cfg(feature = "alloc")]
pub struct Hashers<A = Algorithm> {
    engine: Engine<A>,
    streams: Box<dyn Streams>,
}

#[cfg(feature = "alloc")]
impl<A: Function> Engine<A> {
    /// Hashers of `count` empty messages, to be continued side by side.
    pub fn hashers(&self, count: usize) -> Hashers<A> {
        struct New(usize);

        impl Visit for New {
            type Output = Box<dyn Streams>;

            fn visit<R: Scheduled>(self, beginning: Midstate<'static, R>) -> Box<dyn Streams> {
                Box::new(Of { beginning, streams: alloc::vec![beginning.stream(); self.0] })
            }
        }

        Hashers { engine: *self, streams: self.function().visit(New(count)) }
    }
}

#[cfg(feature = "alloc")]
impl<A: Function> Hashers<A> {
    /// Appends `pieces[i]` to message `i`, for each message. A piece may be empty.
    ///
    /// # Panics
    /// If the number of pieces is not that of the messages.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        self.streams.update(pieces, self.engine.forced(), None);
    }

    /// The digest of message `index`, which is replaced by a new, empty message.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn finalize_reset(&mut self, index: usize) -> A::Digest {
        let mut digest = self.engine.function().zero();
        self.streams.write_digest(index, self.engine.forced(), A::digest_bytes(&mut digest));
        wipe::stack::<{ wipe::ALONE }>();
        self.reset(index);
        digest
    }

    /// Appends the last piece of each message, and writes all digests. The messages stay as they
    /// were before these pieces.
    pub(super) fn finish(&mut self, pieces: &[&[u8]], digests: &mut [u8]) {
        let size = self.engine.digest_len();
        self.streams.update(pieces, self.engine.forced(), Some((digests, size)));
    }

    /// Abandons message `index`, which is replaced by a new, empty one.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn reset(&mut self, index: usize) {
        self.streams.reset(index);
    }

    pub(super) fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
    }

    pub(super) fn streams(&self) -> &dyn Streams {
        &*self.streams
    }

    pub(super) fn streams_mut(&mut self) -> &mut dyn Streams {
        &mut *self.streams
    }
}

#[cfg(feature = "alloc")]
impl<A: Function> core::fmt::Debug for Hashers<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let algorithm = self.engine.algorithm();
        f.debug_struct("Hashers").field("algorithm", &algorithm).finish_non_exhaustive()
    }
}

/// Messages of any rules.
#[cfg(feature = "alloc")]
pub(super) trait Streams: Send + Sync {
    fn update(&mut self, pieces: &[&[u8]], forced: Option<usize>, last: Last<'_>);
    fn write_digest(&self, index: usize, forced: Option<usize>, digest: &mut [u8]);
    fn reset(&mut self, index: usize);

    /// Appends the state and the bytes that are held back. Returns the length of the message.
    fn save(&self, index: usize, saved: &mut Vec<u8>) -> u128;

    /// Continues what was saved after `length` bytes. Returns whether there can be such a message.
    fn restore(&mut self, index: usize, length: u128, saved: &[u8]) -> bool;
}

#[cfg(feature = "alloc")]
struct Of<R: Scheduled> {
    beginning: Midstate<'static, R>,
    streams: Vec<Stream<R>>,
}

#[cfg(feature = "alloc")]
impl<R: Scheduled> Streams for Of<R> {
    fn update(&mut self, pieces: &[&[u8]], forced: Option<usize>, last: Last<'_>) {
        update_many(self.beginning.rules, &mut self.streams, pieces, forced, last);
    }

    fn write_digest(&self, index: usize, forced: Option<usize>, digest: &mut [u8]) {
        self.streams[index].write_digest(forced, digest);
    }

    fn reset(&mut self, index: usize) {
        self.streams[index] = self.beginning.stream();
    }

    fn save(&self, index: usize, saved: &mut Vec<u8>) -> u128 {
        self.streams[index].save(saved);
        self.streams[index].length()
    }

    fn restore(&mut self, index: usize, length: u128, saved: &[u8]) -> bool {
        let restored = self.beginning.stream().restored(length, saved);
        let Some(stream) = restored.filter(|stream| !stream.holds_key()) else { return false };
        self.streams[index].replace(&stream);
        true
    }
}

/// A hasher, or its stream alone.
trait Streamed<R: Scheduled> {
    fn stream(&self) -> &Stream<R>;
    fn stream_mut(&mut self) -> &mut Stream<R>;
}

impl<R: Scheduled> Streamed<R> for Stream<R> {
    fn stream(&self) -> &Self {
        self
    }

    fn stream_mut(&mut self) -> &mut Self {
        self
    }
}

impl<A: HashFunction> Streamed<A::Rules> for Hasher<A> {
    fn stream(&self) -> &Stream<A::Rules> {
        self.stream()
    }

    fn stream_mut(&mut self) -> &mut Stream<A::Rules> {
        self.stream_mut()
    }
}

/// If pieces are the last ones: the memory for all digests, and the length of one.
type Last<'d> = Option<(&'d mut [u8], usize)>;

/// A source of streams with their pieces, a window of them.
struct InPieces<'a, 'h, R, S, T> {
    rules_of: PhantomData<R>,
    streams: &'h mut [S],
    pieces: &'a [T],
    order: &'h Order,
    handed_out: usize,
    last: Last<'h>,
}

impl<'a, R: Scheduled, S: Streamed<R>, T: AsRef<[u8]>> Source<'a, R> for InPieces<'a, '_, R, S, T> {
    fn waiting(&self) -> usize {
        self.order.with_blocks().len() - self.handed_out
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, R>> {
        let i = usize::from(*self.order.with_blocks().get(self.handed_out)?);
        self.handed_out += 1;
        Some(self.streams[i].stream().work(
            i,
            self.pieces[i].as_ref(),
            self.last.is_some(),
            0,
            stage,
        ))
    }

    fn done(&mut self, id: usize, state: LaneState<'_, R>) {
        let stream = self.streams[id].stream_mut();
        match &mut self.last {
            Some((digests, size)) => {
                let digest = &mut digests[id * *size..][..*size];
                stream.rules().write_digest(&*Wiped(state.get()), digest);
            }
            None => stream.absorb(self.pieces[id].as_ref(), state.get()),
        }
    }

    fn suspended(&mut self, _: usize, _: State<R>, _: usize) {
        unreachable!("the run continues until all pieces are done");
    }
}

fn update_many<R: Scheduled>(
    rules: R,
    streams: &mut [impl Streamed<R>],
    pieces: &[impl AsRef<[u8]>],
    forced: Option<usize>,
    last: Last<'_>,
) {
    assert_eq!(
        streams.len(),
        pieces.len(),
        "every hasher gets one piece: the slices must have the same length"
    );
    update_windows(rules, streams, pieces, forced, last);
    wipe::stack::<{ wipe::MANY }>();
}

/// Not inlined, so that its stack frame is below that of its caller, which wipes it.
#[inline(never)]
fn update_windows<R: Scheduled>(
    rules: R,
    streams: &mut [impl Streamed<R>],
    pieces: &[impl AsRef<[u8]>],
    forced: Option<usize>,
    mut last: Last<'_>,
) {
    for (streams, pieces) in streams.chunks_mut(WINDOW).zip(pieces.chunks(WINDOW)) {
        let mut order = Order::new();
        order.fill(streams.len(), &|first, counts| {
            let each = streams[first..].iter().zip(&pieces[first..]);
            for (count, (stream, piece)) in counts.iter_mut().zip(each) {
                *count = stream.stream().blocks(piece.as_ref(), last.is_some());
            }
        });
        for i in order.without_blocks().iter().map(|&i| usize::from(i)) {
            streams[i].stream_mut().keep(pieces[i].as_ref());
        }
        if !order.with_blocks().is_empty() {
            let (rules_of, order) = (PhantomData::<R>, &order);
            let last = last.as_mut().map(|(digests, size)| {
                let (some, rest) = core::mem::take(digests).split_at_mut(streams.len() * *size);
                *digests = rest;
                (some, *size)
            });
            let mut source = InPieces { rules_of, streams, pieces, order, handed_out: 0, last };
            rules.run(&mut source, forced, When::AllDone);
        }
    }
}
