//! The manager: messages, whole or in pieces, which finish in any order and carry their caller's
//! tag.

use alloc::vec::Vec;

use super::engine::Engine;
use super::hmac::key::HmacKey;
use crate::family::{Rules, State};
use crate::function::HashFunction;
use crate::kernel::MAX_LANES;
use crate::schedule::{LaneState, Midstate, Scheduled, Source, Stream, When, Work};
use crate::wipe::{self, Wiped, WipedVec};

/// A manager of many messages in progress: submit whole messages or pieces, and get them back as
/// they are hashed.
///
/// Unlike [`digest_many`](crate::digest_many), it accepts messages that become available one by
/// one.
///
/// * `B` is a buffer, anything that holds bytes: `Vec<u8>`, `&[u8]`, `Arc<[u8]>`. The manager owns
///   it until it comes back with its result. So nobody can change or free it while it is being
///   read.
/// * `T` is a tag, by which the caller identifies a message.
///
/// | to hash | call | what comes back later |
/// |---|---|---|
/// | a whole message | [`entire`](Lanes::entire) | [`Done::Message`] with the digest |
/// | a message's first piece | [`first`](Lanes::first) | [`Done::Piece`] with a [`LaneJob`] |
/// | a further piece | [`update`](Lanes::update) with the job | [`Done::Piece`] with the job |
/// | the last piece | [`last`](Lanes::last) with the job | [`Done::Message`] with the digest |
///
/// With [`entire_mac`](Lanes::entire_mac) and [`first_mac`](Lanes::first_mac), the message's MAC
/// under a key comes back instead of its digest.
///
/// Each of these calls may return one finished piece or message, usually one that was submitted
/// earlier, in no particular order. `None` means that there is nothing to return now.
/// [`flush`](Lanes::flush) returns the rest.
///
/// Nothing is hashed until `capacity` pieces have been submitted or `flush` is called. So a program
/// that waits for a certain result must flush. While a piece of a message is in the manager, so is
/// its job: a message cannot be continued twice at once, nor after its last piece.
///
/// If a buffer's [`AsRef`] panics, so does the call. A caller that catches the panic can continue:
/// what was submitted is still in the manager, unless the panic came while the buffer was being
/// returned. All other digests are correct.
///
/// ```
/// use std::collections::BTreeMap;
///
/// use hashlanes::{Done, Lanes, Md5};
///
/// let mut lanes = Lanes::<Md5, &[u8], &str>::new();
/// let mut digests = BTreeMap::new();
///
/// // A few pieces do not fill the lanes, so nothing comes back yet.
/// assert!(lanes.first(b"mess", "in two pieces").is_none());
/// assert!(lanes.entire(b"abc", "whole").is_none());
/// while let Some(done) = lanes.flush() {
///     let next = match done {
///         Done::Message { tag, digest, .. } => {
///             digests.insert(tag, digest);
///             None
///         }
///         Done::Piece { job, .. } => lanes.last(job, b"age"),
///     };
///     assert!(next.is_none());
/// }
///
/// assert_eq!(digests["whole"], Md5::digest("abc"));
/// assert_eq!(digests["in two pieces"], Md5::digest("message"));
/// ```
pub struct Lanes<A: HashFunction, B, T> {
    engine: Engine<A>,
    /// The pieces that have been submitted and not yet returned; at most `capacity`.
    slots: WipedVec<Slot<A, B, T>>,
    /// The progress of each slot's piece.
    progress: WipedVec<Progress<A>>,
    /// The slots that are finished, in ascending order.
    finished: Vec<usize>,
    /// During a run, the slots that wait for a lane: (blocks, slot), the longest last. It is kept
    /// between runs to reuse its memory.
    queue: Vec<(usize, usize)>,
    capacity: usize,
}

/// A message of which at least the first piece has been hashed, and which can be continued.
///
/// To abandon the message, drop the job.
#[must_use = "continue a job with `Lanes::update` or `Lanes::last`, or drop it on purpose"]
pub struct LaneJob<A: HashFunction, T> {
    stream: Stream<A::Rules>,
    /// For a MAC, the state that the inner digest continues.
    outer: Option<Wiped<State<A::Rules>>>,
    tag: T,
}

impl<A: HashFunction, T> LaneJob<A, T> {
    fn of_digest(tag: T) -> Self {
        Self { stream: Stream::new(A::RULES, A::INITIAL), outer: None, tag }
    }

    fn of_mac(key: &HmacKey<A>, tag: T) -> Self {
        Self { stream: key.stream(), outer: Some(key.outer.state.clone()), tag }
    }

    /// The tag that was submitted with the message's first piece.
    pub fn tag(&self) -> &T {
        &self.tag
    }

    /// The tag, for modification.
    pub fn tag_mut(&mut self) -> &mut T {
        &mut self.tag
    }

    /// The number of bytes of the message that have been hashed.
    pub fn len(&self) -> u128 {
        let key = if self.outer.is_some() { A::ALGORITHM.block_len() } else { 0 };
        self.stream.length() - key as u128
    }

    /// Whether all pieces so far were empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<A: HashFunction, T: core::fmt::Debug> core::fmt::Debug for LaneJob<A, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("LaneJob")
            .field("tag", &self.tag)
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

/// What comes back from [`Lanes`].
///
/// ```
/// use hashlanes::{Engine, Lanes, Sha256};
///
/// // Buffers that come back can be reused.
/// let mut lanes = Lanes::<Sha256, Vec<u8>, u32>::with_engine(Engine::new(), 1);
/// let done = lanes.entire(b"abc".to_vec(), 7).expect("there is room for one message only");
/// assert_eq!(done.tag(), &7);
/// assert_eq!(done.digest(), Some(Sha256::digest("abc")));
/// let mut buffer = done.into_buffer();
/// buffer.clear();
/// ```
#[derive(Debug)]
#[must_use = "a result that is not used is lost"]
pub enum Done<A: HashFunction, B, T> {
    /// A message is complete.
    Message {
        /// The caller's tag.
        tag: T,
        /// The message's digest, or its MAC.
        digest: A::Digest,
        /// The buffer of the message, or of its last piece.
        buffer: B,
    },
    /// A piece has been hashed; its message can be continued.
    Piece {
        /// The message, to be continued.
        job: LaneJob<A, T>,
        /// The buffer of the piece.
        buffer: B,
    },
}

impl<A: HashFunction, B, T> Done<A, B, T> {
    /// The message's tag.
    pub fn tag(&self) -> &T {
        match self {
            Self::Message { tag, .. } => tag,
            Self::Piece { job, .. } => job.tag(),
        }
    }

    /// The digest, if the message is complete.
    pub fn digest(&self) -> Option<A::Digest> {
        match self {
            Self::Message { digest, .. } => Some(*digest),
            Self::Piece { .. } => None,
        }
    }

    /// The buffer, for reuse. If this was a piece, its message is abandoned.
    pub fn into_buffer(self) -> B {
        match self {
            Self::Message { buffer, .. } | Self::Piece { buffer, .. } => buffer,
        }
    }
}

/// A piece with its message.
struct Slot<A: HashFunction, B, T> {
    job: LaneJob<A, T>,
    buffer: B,
    last: bool,
}

/// The progress of a piece.
///
/// Not an enum: a variant without a state would be moved with whatever was in its place, which may
/// be a copy of another message's state.
struct Progress<A: HashFunction> {
    /// How many blocks are compressed.
    blocks: usize,
    /// The state after them, if there are any.
    state: Wiped<State<A::Rules>>,
    /// Whether all are compressed. If a buffer's `AsRef` ended a run by a panic, a MAC still lacks
    /// its outer block.
    finished: bool,
}

impl<A: HashFunction> Progress<A> {
    fn fresh() -> Self {
        Self { blocks: 0, state: Wiped(A::INITIAL), finished: false }
    }

    fn finish(&mut self, state: State<A::Rules>) {
        (*self.state, self.finished) = (state, true);
    }
}

impl<A: HashFunction, B: AsRef<[u8]>, T> Default for Lanes<A, B, T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: HashFunction, B: AsRef<[u8]>, T> Lanes<A, B, T> {
    /// A manager with room for 128 pieces: four times as many as the widest kernel has lanes, which
    /// keeps the lanes full when lengths are mixed.
    pub fn new() -> Self {
        Self::with_engine(Engine::new(), 4 * MAX_LANES)
    }

    /// A manager that uses the engine's kernel, with room for `capacity` pieces. A capacity of 0
    /// means 1.
    ///
    /// With a smaller capacity, results come back sooner. With less than the kernel's number of
    /// lanes, some lanes stay idle.
    pub fn with_engine(engine: Engine<A>, capacity: usize) -> Self {
        Self {
            engine,
            slots: WipedVec::new(),
            progress: WipedVec::new(),
            finished: Vec::new(),
            queue: Vec::new(),
            capacity: capacity.max(1),
        }
    }

    /// Like [`with_engine`](Lanes::with_engine), but allocates the memory for `capacity` pieces
    /// now. Nothing is allocated later.
    ///
    /// ```
    /// use hashlanes::{Engine, Lanes, Sha1};
    ///
    /// let lanes = |capacity| Lanes::<Sha1, &[u8], ()>::try_with_engine(Engine::new(), capacity);
    /// assert!(lanes(64).is_ok());
    /// assert!(lanes(usize::MAX).is_err());
    /// ```
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn try_with_engine(
        engine: Engine<A>,
        capacity: usize,
    ) -> Result<Self, alloc::collections::TryReserveError> {
        let mut lanes = Self::with_engine(engine, capacity);
        lanes.slots.try_reserve_all(lanes.capacity)?;
        lanes.progress.try_reserve_all(lanes.capacity)?;
        lanes.finished.try_reserve_exact(lanes.capacity)?;
        lanes.queue.try_reserve_exact(lanes.capacity)?;
        Ok(lanes)
    }

    /// The number of pieces that have been submitted and not yet returned.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether everything that was submitted has been returned.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Submits a whole message.
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn entire(&mut self, message: B, tag: T) -> Option<Done<A, B, T>> {
        self.submit(LaneJob::of_digest(tag), message, true)
    }

    /// Submits a whole message under a key, for its MAC.
    ///
    /// ```
    /// use hashlanes::{HmacKey, Lanes, Sha256};
    ///
    /// let key = HmacKey::new("secret");
    /// let mut lanes = Lanes::<Sha256, &str, ()>::new();
    /// assert!(lanes.entire_mac(&key, "message", ()).is_none());
    /// let done = lanes.flush().expect("a message was submitted");
    /// assert_eq!(done.digest(), Some(key.mac("message")));
    /// ```
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn entire_mac(&mut self, key: &HmacKey<A>, message: B, tag: T) -> Option<Done<A, B, T>> {
        self.submit(LaneJob::of_mac(key, tag), message, true)
    }

    /// Submits the first piece of a message under a key, for its MAC. The piece may have any
    /// length. The message is continued like any other.
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn first_mac(&mut self, key: &HmacKey<A>, piece: B, tag: T) -> Option<Done<A, B, T>> {
        self.submit(LaneJob::of_mac(key, tag), piece, false)
    }

    /// Submits the first piece of a message. The piece may have any length.
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn first(&mut self, piece: B, tag: T) -> Option<Done<A, B, T>> {
        self.submit(LaneJob::of_digest(tag), piece, false)
    }

    /// Submits the next piece of a message. The piece may have any length.
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn update(&mut self, job: LaneJob<A, T>, piece: B) -> Option<Done<A, B, T>> {
        self.submit(job, piece, false)
    }

    /// Submits the last piece of a message. The piece may have any length.
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn last(&mut self, job: LaneJob<A, T>, piece: B) -> Option<Done<A, B, T>> {
        self.submit(job, piece, true)
    }

    /// Hashes what was submitted, and returns one piece or message. Call it until it returns
    /// `None`: then everything has been returned.
    #[must_use = "what is returned is finished and will not be returned again"]
    pub fn flush(&mut self) -> Option<Done<A, B, T>> {
        if self.finished.is_empty() && !self.slots.is_empty() {
            self.run(When::AllDone);
        }
        self.hand_out()
    }

    fn submit(&mut self, job: LaneJob<A, T>, buffer: B, last: bool) -> Option<Done<A, B, T>> {
        self.slots.push(Slot { job, buffer, last });
        self.progress.push(Progress::fresh());
        if self.slots.len() < self.capacity {
            // Return nothing before the slot is needed, not even what an earlier run finished, so
            // that the slots fill up with pieces.
            return None;
        }
        if self.finished.is_empty() {
            self.run(When::LanesIdle);
        }
        self.hand_out()
    }

    /// Returns one finished slot.
    fn hand_out(&mut self) -> Option<Done<A, B, T>> {
        // Takes the highest finished slot. The last slot moves to its index. Since that one is not
        // finished, the other indices in the list stay valid.
        let index = self.finished.pop()?;
        let Slot { mut job, buffer, last } = self.slots.swap_remove(index);
        let Progress { state, .. } = self.progress.swap_remove(index);
        Some(if last {
            let mut digest = A::ZERO;
            A::RULES.write_digest(&state, digest.as_mut());
            Done::Message { tag: job.tag, digest, buffer }
        } else {
            job.stream.absorb(buffer.as_ref(), *state);
            Done::Piece { job, buffer }
        })
    }

    /// Hashes until at least one slot is finished. There must be at least one slot, and none in
    /// the list of finished ones.
    ///
    /// A buffer's `AsRef` may panic at any call. So until it has been called for the last time,
    /// progress is only recorded where it is complete.
    fn run(&mut self, when: When) {
        self.queue.clear();
        for (index, (slot, progress)) in self.slots.iter().zip(self.progress.iter_mut()).enumerate()
        {
            if progress.finished {
                // In a run that a panic ended.
                continue;
            }
            let blocks = slot.job.stream.blocks(slot.buffer.as_ref(), slot.last);
            match blocks {
                0 => progress.finish(slot.job.stream.state()),
                _ => self.queue.push((blocks.saturating_sub(progress.blocks), index)),
            }
        }
        self.queue.sort_unstable();
        let mut source =
            SlotSource { slots: &self.slots, progress: &mut self.progress, queue: &mut self.queue };
        A::RULES.run(&mut source, self.engine.forced(), when);
        self.finish_macs();
        wipe::stack::<{ wipe::MANY }>();
        self.finished.extend((0..self.slots.len()).filter(|&i| self.progress[i].finished));
    }

    /// Hashes the outer block of each MAC whose inner hash is finished. None of them has been
    /// hashed before, because nothing panics after this.
    fn finish_macs(&mut self) {
        self.queue.clear();
        for (id, (slot, progress)) in self.slots.iter().zip(self.progress.iter()).enumerate() {
            if slot.last && slot.job.outer.is_some() && progress.finished {
                self.queue.push((0, id));
            }
        }
        if !self.queue.is_empty() {
            let Self { slots, progress, queue, .. } = self;
            let mut source = InnerDigests { slots, progress, queue };
            A::RULES.run(&mut source, self.engine.forced(), When::AllDone);
        }
    }
}

/// The finished inner digests as a source of work, so that they are hashed side by side, too.
struct InnerDigests<'p, A: HashFunction, B, T> {
    slots: &'p [Slot<A, B, T>],
    progress: &'p mut [Progress<A>],
    /// The slots that wait for a lane: (unused, slot).
    queue: &'p mut Vec<(usize, usize)>,
}

impl<'a, A: HashFunction, B, T> Source<'a, A::Rules> for InnerDigests<'_, A, B, T> {
    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Rules>> {
        let (_, id) = self.queue.pop()?;
        let outer = self.slots[id].job.outer.as_ref().expect("only MACs are queued");
        let mut inner = A::ZERO;
        A::RULES.write_digest(&self.progress[id].state, inner.as_mut());
        let Work { state, tail, length, .. } =
            Midstate::after_block(A::RULES, outer).work(id, inner.as_ref(), true, 0, stage);
        // A digest is shorter than a block, so all of it is in the tail.
        Some(Work { id, state, head: false, body: &[], tail, length })
    }

    fn done(&mut self, id: usize, state: LaneState<'_, A::Rules>) {
        self.progress[id].finish(state.get());
    }

    fn suspended(&mut self, _: usize, _: State<A::Rules>, _: usize) {
        unreachable!("the run continues until all messages are done");
    }
}

/// The slots of a manager as a source of work. It borrows the buffers for the duration of a run.
struct SlotSource<'a, 'p, A: HashFunction, B, T> {
    slots: &'a [Slot<A, B, T>],
    progress: &'p mut [Progress<A>],
    queue: &'p mut Vec<(usize, usize)>,
}

impl<'a, A: HashFunction, B: AsRef<[u8]>, T> Source<'a, A::Rules> for SlotSource<'a, '_, A, B, T> {
    fn waiting(&self) -> usize {
        self.queue.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Rules>> {
        let (_, id) = self.queue.pop()?;
        let Slot { job, buffer, last } = &self.slots[id];
        let Progress { blocks, state, .. } = &self.progress[id];
        let work = job.stream.work(id, buffer.as_ref(), *last, *blocks, stage);
        Some(if *blocks > 0 { Work { state: **state, ..work } } else { work })
    }

    fn done(&mut self, id: usize, state: LaneState<'_, A::Rules>) {
        self.progress[id].finish(state.get());
    }

    fn suspended(&mut self, id: usize, state: State<A::Rules>, blocks: usize) {
        let progress = &mut self.progress[id];
        progress.blocks += blocks;
        *progress.state = state;
    }
}

impl<A: HashFunction, B, T> core::fmt::Debug for Lanes<A, B, T> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Lanes")
            .field("algorithm", &A::ALGORITHM)
            .field("submitted", &self.slots.len())
            .field("finished", &self.finished.len())
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use alloc::vec::Vec;

    use super::*;
    use crate::api::counts_tests::{HasPeer, interesting_lengths, right_digest, some_state};
    use crate::function::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256, Sm3};

    /// Messages that are near the limits of their length count when the manager gets them.
    fn counts<A: HasPeer>() {
        let state = some_state::<A>();
        let block = A::ALGORITHM.block_len();
        let bytes: Vec<u8> = (0..3 * block).map(|i| (i * 7) as u8).collect();
        let mut lanes = Lanes::<A, &[u8], (u128, usize)>::with_engine(Engine::new(), 50);
        let check = |done: Done<A, &[u8], (u128, usize)>| {
            let Done::Message { tag: (before, len), digest, .. } = done else {
                panic!("only last pieces were submitted")
            };
            let right = right_digest::<A>(state, before, &bytes[..len]);
            assert_eq!(digest.as_ref(), right, "{:?}: {before} bytes and {len} more", A::ALGORITHM);
        };
        for before in interesting_lengths::<A>() {
            for len in [
                0,
                1,
                block - 17,
                block - 16,
                block - 9,
                block - 8,
                block - 1,
                block,
                2 * block + 1,
                3 * block,
            ] {
                let job = LaneJob {
                    stream: Stream::resume(A::RULES, state, before),
                    outer: None,
                    tag: (before, len),
                };
                if let Some(done) = lanes.last(job, &bytes[..len]) {
                    check(done);
                }
            }
        }
        while let Some(done) = lanes.flush() {
            check(done);
        }
    }

    #[test]
    fn lengths_are_counted_up_to_the_limit() {
        counts::<Md5>();
        counts::<Sha1>();
        counts::<Sha224>();
        counts::<Sha256>();
        counts::<Sha384>();
        counts::<Sha512>();
        counts::<Sha512_256>();
        counts::<Sm3>();
    }
}
