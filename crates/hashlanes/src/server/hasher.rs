//! A server's hasher: what its owner calls, and the decision between deferring, sharing a round and
//! hashing alone.

use std::future::poll_fn;
use std::task::{Context, Poll, ready};

use super::HashServer;
use super::queue::Taken;
use super::round;
use super::slot::{Message, Place, Slot};
use super::staging::SMALL;
use super::sync::{self, Arc, MutexGuard, Ordering};
use crate::function::{HashFunction, digest_of};
use crate::schedule::Stream;

/// Cycles that company must be able to save before a thread gives others the chance to write: what
/// it costs to go to another thread and back, about 3 us on a Zen 3 core.
const YIELD: u64 = 10_000;

/// From how many bytes on a task lets others run first, in the hope of company.
const WORTH_A_POLL: usize = 16 << 10;

/// From how many bytes hashed alone on a hasher reports them to the server's counters.
const REPORT: usize = 64 << 10;

/// A streaming hasher of one message, whose work is shared with the other hashers of its
/// [`HashServer`].
///
/// It is used as any hasher; it is `Send`, an [`std::io::Write`], and with the feature `digest` has
/// the traits of the crate `digest`. Bytes that were given to it may be hashed later, by this
/// thread or another one that uses a hasher of the same server. A clone goes on independently from
/// the same point.
///
/// Dropping a hasher abandons its message.
pub struct ServerHasher<A: HashFunction> {
    server: HashServer<A>,
    slot: Arc<Slot<A>>,
    /// Bytes hashed alone and not reported yet.
    unreported: usize,
}

/// What came of an offer to other threads.
struct Offer {
    /// How many of the lent bytes were hashed: the first so many.
    consumed: usize,
    /// Whether others were there at all.
    met: bool,
}

impl<A: HashFunction> ServerHasher<A> {
    pub(super) fn new(server: HashServer<A>) -> Self {
        Self::with_stream(server, Stream::new(A::INITIAL))
    }

    fn with_stream(server: HashServer<A>, stream: Stream<A::Family>) -> Self {
        server.shared.hashers.fetch_add(1, Ordering::Relaxed);
        let slot = Arc::new(Slot::new(Message::new(stream)));
        Self { server, slot, unreported: 0 }
    }

    /// The server whose hasher this is.
    pub fn server(&self) -> &HashServer<A> {
        &self.server
    }

    /// Appends bytes to the message.
    ///
    /// Few bytes are copied and hashed later; many are hashed before this returns, together with
    /// what other hashers have waiting. The call may wait for a round that has this message,
    /// and may run rounds itself. A round hashes at most 1 MiB of a write and what is deferred,
    /// for as many hashers as fill the lanes.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        let bytes = bytes.as_ref();
        if !bytes.is_empty() && !self.take_now(bytes, self.server.shared.lends(bytes.len())) {
            self.share(bytes);
        }
    }

    /// The digest of the message.
    pub fn finalize(mut self) -> A::Digest {
        self.finalize_reset()
    }

    /// The digest of the message, and begins a new, empty one.
    pub fn finalize_reset(&mut self) -> A::Digest {
        self.settle();
        self.finish()
    }

    /// Begins a new, empty message.
    pub fn reset(&mut self) {
        // A round that has the message is not waited for.
        self.abandon();
        self.slot = Arc::new(Slot::new(Message::new(Stream::new(A::INITIAL))));
    }

    /// As [`update`](ServerHasher::update), for asynchronous programs of any runtime.
    ///
    /// The future never blocks the thread: it is ready at once if the bytes can be deferred, and
    /// waits as a task while another thread hashes this message. Hashing that falls to it is
    /// done in portions (one buffer of this message, 64 KiB by default, and of each that shares
    /// the round) between which other tasks run.
    ///
    /// If it is dropped before it is ready, some of the bytes have been appended and others not:
    /// the message is then good for nothing but [`reset`](ServerHasher::reset).
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        let mut gathered = false;
        poll_fn(|context| self.poll_update(context, &mut rest, &mut gathered)).await;
    }

    /// As [`finalize`](ServerHasher::finalize), for asynchronous programs of any runtime; see
    /// [`update_async`](ServerHasher::update_async).
    pub async fn finalize_async(mut self) -> A::Digest {
        self.finalize_reset_async().await
    }

    /// As [`finalize_reset`](ServerHasher::finalize_reset), for asynchronous programs of any
    /// runtime; see [`update_async`](ServerHasher::update_async).
    pub async fn finalize_reset_async(&mut self) -> A::Digest {
        let mut gathered = false;
        poll_fn(|context| self.poll_settle(context, &mut gathered)).await;
        self.finish()
    }

    /// Whether to hash at once, without looking for company.
    fn alone(&self, place: &Place<A>) -> bool {
        let shared = &*self.server.shared;
        if shared.hashers.load(Ordering::Relaxed) < shared.limits.worth {
            return true;
        }
        // Others that wait are company which need not be looked for.
        shared.is_solo() && !shared.has_company(usize::from(place.ticket.is_some()))
    }

    /// Hashes the bytes if it is to be done alone, or else defers them, and runs a round if that
    /// fills the lanes. False if there is no room, or the message is home and its bytes are
    /// rather to be lent.
    fn take_now(&mut self, bytes: &[u8], lend: bool) -> bool {
        let slot = Arc::clone(&self.slot);
        let shared = &*self.server.shared;
        let mut place = slot.lock();
        place.check();
        let home = place.message.is_some();
        if home && self.alone(&place) {
            self.hash_alone(place, bytes);
            return true;
        }
        if shared.is_solo() || (home && lend) {
            return false;
        }
        let before = place.deferred();
        if !place.defer(bytes, shared.limits.staging, || shared.buffer()) {
            return false;
        }
        let after = place.deferred();
        let ready = shared.limits.ready;
        if home && after > SMALL && (place.ticket.is_none() || (before < ready && after >= ready)) {
            let full = shared.enter(&slot, &mut place);
            drop(place);
            if full {
                round::full_round(shared);
            }
        }
        true
    }

    /// Hashes everything deferred and then `bytes`, without company.
    fn hash_alone(&mut self, mut place: MutexGuard<'_, Place<A>>, bytes: &[u8]) {
        let shared = &*self.server.shared;
        let work = place.deferred() + bytes.len();
        shared.leave(&mut place);
        let spare = place.hash_alone(bytes, shared.engine.forced());
        drop(place);
        shared.give_back(spare);
        self.unreported += work;
        if self.unreported >= REPORT {
            self.report();
        }
    }

    /// Appends bytes that are rather lent than deferred, or do not fit. If they would fit an empty
    /// buffer, what is left of them after a round of others, or if there is no company, is
    /// deferred if it fits now. The rest is hashed.
    fn share(&mut self, mut bytes: &[u8]) {
        let small = bytes.len() <= self.server.shared.limits.staging;
        if let Some(Offer { consumed, met }) = self.offer(bytes) {
            bytes = &bytes[consumed..];
            let worth_a_round = consumed == 0 && met && self.server.shared.has_company(1);
            if bytes.is_empty() || (small && !worth_a_round && self.take_now(bytes, false)) {
                return;
            }
        }
        self.hash_all(bytes);
    }

    /// Hashes everything deferred, with company if there is any.
    fn settle(&mut self) {
        self.offer(&[]);
        self.hash_all(&[]);
    }

    /// Lets others add company, or take this message along with `bytes`, which are lent. Does
    /// nothing if that cannot pay.
    fn offer(&mut self, bytes: &[u8]) -> Option<Offer> {
        let shared = Arc::clone(&self.server.shared);
        let slot = Arc::clone(&self.slot);
        let place = slot.lock_home();
        let work = place.deferred() + bytes.len();
        let saves_a_yield = shared.limits.saved_cycles(work) >= YIELD;
        if !saves_a_yield
            || shared.is_solo()
            || shared.pending() >= shared.limits.batch
            || self.alone(&place)
        {
            return None;
        }
        let mut met = false;
        let consumed = slot.lend(place, bytes, |mut place| {
            shared.enter(&slot, &mut place);
            drop(place);
            let before = shared.entered();
            sync::yield_now();
            met = shared.entered() != before;
        });
        met |= consumed > 0;
        shared.lent(met);
        Some(Offer { consumed, met })
    }

    /// Hashes everything deferred and then `bytes` in rounds of this thread, with company if there
    /// is any.
    fn hash_all(&mut self, mut bytes: &[u8]) {
        let slot = Arc::clone(&self.slot);
        let mut place = slot.lock_home();
        while place.deferred() + bytes.len() > 0 {
            let consumed = self.hash(place, bytes);
            bytes = &bytes[consumed..];
            place = slot.lock_home();
        }
    }

    /// Hashes everything deferred and some of `bytes`; returns how many. The message is home before
    /// and afterwards.
    fn hash(&mut self, mut place: MutexGuard<'_, Place<A>>, bytes: &[u8]) -> usize {
        place.check();
        let shared = &*self.server.shared;
        if place.deferred() + bytes.len() <= SMALL || self.alone(&place) {
            self.hash_alone(place, bytes);
            return bytes.len();
        }
        shared.leave(&mut place);
        let message = place.go_out().expect("the caller waited for it");
        drop(place);
        round::own_round(shared, Taken { slot: Arc::clone(&self.slot), message }, bytes)
    }

    fn poll_update(
        &mut self,
        context: &Context<'_>,
        rest: &mut &[u8],
        gathered: &mut bool,
    ) -> Poll<()> {
        let portion = rest.len().min(self.server.shared.limits.staging);
        if portion == 0 {
            return Poll::Ready(());
        }
        if !self.take_now(&rest[..portion], false) {
            return self.poll_some(context, rest, gathered);
        }
        *rest = &rest[portion..];
        if rest.is_empty() {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_settle(&mut self, context: &Context<'_>, gathered: &mut bool) -> Poll<()> {
        let place = ready!(self.slot.poll_home(context));
        if place.deferred() == 0 {
            return Poll::Ready(());
        }
        drop(place);
        self.poll_some(context, &mut &[][..], gathered)
    }

    /// Hashes a portion of what is deferred and `rest`, or first lets other tasks bring company.
    /// Never ready: the task is woken when it should look again.
    fn poll_some(
        &mut self,
        context: &Context<'_>,
        rest: &mut &[u8],
        gathered: &mut bool,
    ) -> Poll<()> {
        let shared = Arc::clone(&self.server.shared);
        let slot = Arc::clone(&self.slot);
        let mut place = ready!(slot.poll_home(context));
        place.check();
        let portion = rest.len().min(shared.limits.staging);
        let work = place.deferred() + portion;
        if *gathered || shared.is_solo() || work < WORTH_A_POLL || self.alone(&place) {
            *gathered = false;
            let consumed = self.hash(place, &rest[..portion]);
            *rest = &rest[consumed..];
        } else {
            // What other threads and tasks are to take along must be copied: a future can be
            // dropped at any time, so it cannot lend.
            *gathered = true;
            let room = portion.min(shared.limits.staging.saturating_sub(place.deferred()));
            if place.defer(&rest[..room], shared.limits.staging, || shared.buffer()) {
                *rest = &rest[room..];
            }
            if place.deferred() > SMALL && shared.enter(&slot, &mut place) {
                drop(place);
                round::full_round(&shared);
            }
        }
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// The digest of the message, of which nothing is deferred; begins a new one.
    fn finish(&mut self) -> A::Digest {
        self.report();
        let shared = &*self.server.shared;
        shared.counters.message();
        let mut place = self.slot.lock_home();
        place.check();
        let mut digest = A::ZERO;
        let message = place.message.as_mut().expect("just waited for");
        digest_of::<A>(&message.stream.finish(shared.engine.forced()), &mut digest);
        message.stream = Stream::new(A::INITIAL);
        digest
    }

    /// Reports the bytes hashed alone.
    fn report(&mut self) {
        if self.unreported > 0 {
            self.server.shared.hashed_alone(core::mem::take(&mut self.unreported));
        }
    }

    /// Gives up the message, wherever it is.
    fn abandon(&mut self) {
        self.report();
        let shared = &*self.server.shared;
        let mut place = self.slot.lock();
        shared.leave(&mut place);
        place.abandoned = true;
        let spare = place.go_out().map(|message| place.come_home(message));
        drop(place);
        shared.give_back(spare.into_iter().flatten());
    }
}

impl<A: HashFunction> Drop for ServerHasher<A> {
    fn drop(&mut self) {
        self.abandon();
        self.server.shared.hashers.fetch_sub(1, Ordering::Relaxed);
    }
}

impl<A: HashFunction> Clone for ServerHasher<A> {
    /// Hashes what is deferred, so that it is not hashed twice.
    fn clone(&self) -> Self {
        let shared = &*self.server.shared;
        loop {
            let mut place = self.slot.lock_home();
            place.check();
            let message = place.message.as_ref().expect("just waited for");
            if message.deferred() == 0 {
                return Self::with_stream(self.server.clone(), message.stream.clone());
            }
            shared.leave(&mut place);
            let message = place.go_out().expect("still home");
            drop(place);
            round::own_round(shared, Taken { slot: Arc::clone(&self.slot), message }, &[]);
        }
    }
}

impl<A: HashFunction> core::fmt::Debug for ServerHasher<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ServerHasher").field("algorithm", &A::ALGORITHM).finish_non_exhaustive()
    }
}

impl<A: HashFunction> std::io::Write for ServerHasher<A> {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
