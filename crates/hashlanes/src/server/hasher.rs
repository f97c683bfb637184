//! A server's hasher, as its owner sees it. How bytes are hashed is in `write.rs` and `poll.rs`.

use std::collections::TryReserveError;
use std::future::poll_fn;
use std::io;
use std::task::Waker;

use super::HashServer;
use super::poll::Rest;
use super::slot::{Abandoned, Message, Slot, check};
use super::sync::Arc;
use crate::api::reader::for_each_piece;
use crate::function::{HashFunction, digest_of};
use crate::schedule::Stream;
use crate::wipe;

/// Why a hasher cannot be made where that is not an error.
pub(super) const NO_SEAT: &str = "there is memory for one more hasher in the server's queue";

/// A streaming hasher of one message, whose work is shared with the other hashers of its
/// [`HashServer`].
///
/// It is used as a [`Hasher`](crate::Hasher). It is `Send` and an [`std::io::Write`], and with the
/// feature `digest` it has the traits of the crate `digest`. Bytes that were given to it may be
/// hashed later, by this thread or by another one that uses a hasher of the same server. A clone
/// goes on independently from the same point.
///
/// Dropping a hasher abandons its message.
///
/// ```
/// use hashlanes::{HashServer, Sha256};
///
/// let server = HashServer::<Sha256>::new();
/// let mut hasher = server.hasher();
/// hasher.update("ab").update("c");
/// let snapshot = hasher.clone();
/// hasher.update("d");
/// assert_ne!(snapshot.finalize(), hasher.finalize_reset());
/// assert_eq!(hasher.finalize(), server.hasher().finalize());
/// ```
///
/// # Panics
/// A hasher refuses to go on, and says why, if its message is not what its owner thinks:
///
/// * after an [`update_async`](ServerHasher::update_async) whose future was polled and then dropped
///   before it was ready;
/// * after the panic of a kernel that hashed the message, which is a bug of this crate.
///
/// Then updating it, its digest and cloning it panic, until [`reset`](ServerHasher::reset).
pub struct ServerHasher<A: HashFunction> {
    pub(super) server: HashServer<A>,
    pub(super) slot: Arc<Slot<A>>,
    /// Bytes of the message so far.
    length: u128,
    /// Bytes hashed alone and not reported yet.
    pub(super) unreported: usize,
    /// An `update_async` is under way, or was dropped half-way.
    updating: bool,
}

impl<A: HashFunction> ServerHasher<A> {
    pub(super) fn with_stream(
        server: HashServer<A>,
        stream: Stream<A::Family>,
        length: u128,
    ) -> Result<Self, TryReserveError> {
        let slot = Arc::new(Slot::new(Message::new(stream)));
        server.shared.join()?;
        Ok(Self { server, slot, length, unreported: 0, updating: false })
    }

    /// The server whose hasher this is.
    pub fn server(&self) -> &HashServer<A> {
        &self.server
    }

    /// Bytes of the message so far.
    pub fn len(&self) -> u128 {
        self.length
    }

    /// Whether no byte has come yet.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends bytes to the message.
    ///
    /// Few bytes are copied and hashed later. Many are hashed before this returns, together with
    /// what other hashers have waiting. The call may wait for rounds that have this message, and
    /// may run rounds itself, also of others' messages. A round hashes at most 1 MiB of a write and
    /// what is deferred, for as many hashers as fill the lanes.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.check_updated();
        if !bytes.is_empty() {
            self.length += bytes.len() as u128;
            self.write(bytes);
        }
        self
    }

    /// Appends all bytes that the reader has, until its end. It is read 64 KiB at a time, so there
    /// is no use for a `BufReader`.
    ///
    /// ```
    /// use hashlanes::{HashServer, Md5};
    ///
    /// let mut hasher = HashServer::<Md5>::global().hasher();
    /// hasher.update_reader(&b"abc"[..])?;
    /// assert_eq!(hasher.finalize()[..4], [0x90, 0x01, 0x50, 0x98]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The first error of the reader; but if a read was interrupted
    /// ([`ErrorKind::Interrupted`](io::ErrorKind::Interrupted)), it is tried again. What was read
    /// before the error has been appended.
    ///
    /// # Panics
    /// As [`update`](ServerHasher::update).
    pub fn update_reader(&mut self, reader: impl io::Read) -> io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// The digest of the message. For the digest of the message so far, finalize a clone.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn finalize(mut self) -> A::Digest {
        self.finalize_reset()
    }

    /// The digest of the message. The hasher begins a new, empty one.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn finalize_reset(&mut self) -> A::Digest {
        self.check_updated();
        self.settle();
        self.finish()
    }

    /// The digest of the message so far. The message goes on: this is what
    /// [`finalize`](ServerHasher::finalize) gives for a clone, without another hasher.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn digest_so_far(&self) -> A::Digest {
        let mut digest = A::ZERO;
        let shared = &*self.server.shared;
        digest_of::<A>(&self.settled().finish(shared.engine.forced()), &mut digest);
        wipe::stack::<{ wipe::ALONE }>();
        shared.counters.message();
        digest
    }

    /// Abandons the message and begins a new, empty one. A round that has the message is not waited
    /// for.
    pub fn reset(&mut self) {
        self.restart(Stream::new(A::INITIAL));
    }

    /// Abandons the message and begins a new one, after `stream`.
    pub(super) fn restart(&mut self, stream: Stream<A::Family>) {
        let slot = Arc::new(Slot::new(Message::new(stream)));
        let waker = self.abandon();
        self.slot = slot;
        (self.length, self.updating) = (0, false);
        // Foreign code, which may panic: last.
        drop(waker);
    }

    /// As [`update`](ServerHasher::update), for asynchronous programs of any runtime.
    ///
    /// The future never blocks the thread: it is ready at once if the bytes can be deferred, and
    /// waits as a task while another thread hashes this message. Hashing that falls to it is done
    /// in portions, between which other tasks run. A portion is one buffer of this message (64 KiB
    /// by default) and of each that shares the round.
    ///
    /// # Dropping the future
    /// If the future is dropped before it was polled, nothing has happened. If it is dropped after
    /// that and before it is ready, some of the bytes have been appended and others not. The hasher
    /// then refuses to go on until [`reset`](ServerHasher::reset).
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        self.check_updated();
        self.updating = true;
        let mut rest = Rest::new(bytes);
        poll_fn(|context| self.poll_update(context, &mut rest)).await;
        self.updating = false;
        self.length += bytes.len() as u128;
        self
    }

    /// As [`finalize`](ServerHasher::finalize), for asynchronous programs of any runtime; see
    /// [`update_async`](ServerHasher::update_async).
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub async fn finalize_async(mut self) -> A::Digest {
        self.finalize_reset_async().await
    }

    /// As [`finalize_reset`](ServerHasher::finalize_reset), for asynchronous programs of any
    /// runtime; see [`update_async`](ServerHasher::update_async).
    ///
    /// If the future is dropped before it is ready, the message is as it was and can be continued.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub async fn finalize_reset_async(&mut self) -> A::Digest {
        self.check_updated();
        let mut rest = Rest::new(&[]);
        poll_fn(|context| self.poll_settle(context, &mut rest)).await;
        self.finish()
    }

    /// The digest of the message, of which nothing is deferred. Begins a new message.
    fn finish(&mut self) -> A::Digest {
        self.report();
        let shared = &*self.server.shared;
        let mut place = check(self.slot.lock_home());
        let mut digest = A::ZERO;
        let message = place.message.as_mut().expect("just waited for");
        digest_of::<A>(&message.stream.finish(shared.engine.forced()), &mut digest);
        message.stream = Stream::new(A::INITIAL);
        drop(place);
        wipe::stack::<{ wipe::ALONE }>();
        shared.counters.message();
        self.length = 0;
        digest
    }

    /// Lets the message, of which nothing has come, begin after `stream`.
    ///
    /// # Panics
    /// If the message cannot be continued.
    pub(super) fn begin(&mut self, stream: Stream<A::Family>) {
        let mut place = check(self.slot.lock_home());
        place.message.as_mut().expect("just waited for").stream = stream;
    }

    /// The message's stream when all that was deferred is hashed.
    ///
    /// Not inlined: its caller wipes what it leaves on the stack.
    #[inline(never)]
    fn settled(&self) -> Stream<A::Family> {
        self.check_updated();
        loop {
            let place = check(self.slot.lock_home());
            let message = place.message.as_ref().expect("just waited for");
            if message.deferred() == 0 {
                return message.stream.clone();
            }
            self.hash_round(place, &[]);
        }
    }

    /// Reports the bytes hashed alone.
    pub(super) fn report(&mut self) {
        if self.unreported > 0 {
            self.server.shared.hashed_alone(core::mem::take(&mut self.unreported));
        }
    }

    /// Panics if an `update_async` did not come to its end.
    fn check_updated(&self) {
        if self.updating {
            self.refuse();
        }
    }

    #[cold]
    fn refuse(&self) -> ! {
        // If a kernel panicked in the update, that is the reason.
        drop(check(self.slot.lock()));
        panic!(
            "an update_async of this message was dropped before it was ready, so some of its \
             bytes may be missing: reset the hasher"
        );
    }

    /// Gives up the message, wherever it is. Returns the waker that waited for it, if any: foreign
    /// code, to be dropped when the hasher is in order again.
    fn abandon(&mut self) -> Option<Waker> {
        self.report();
        let shared = &*self.server.shared;
        let mut place = self.slot.lock();
        shared.leave(&mut place);
        let Abandoned { home, waker } = place.abandon();
        drop(place);
        let spare = home.into_iter().flat_map(|mut home| core::mem::take(&mut home.spare));
        shared.pool.give_back(spare.flatten());
        waker
    }
}

impl<A: HashFunction> Drop for ServerHasher<A> {
    fn drop(&mut self) {
        let waker = self.abandon();
        self.server.shared.part();
        // Foreign code, which may panic: last.
        drop(waker);
    }
}

impl<A: HashFunction> Clone for ServerHasher<A> {
    /// A snapshot: a hasher that goes on independently from here. What is deferred is hashed
    /// before, so that it is not hashed twice.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    fn clone(&self) -> Self {
        let clone = Self::with_stream(self.server.clone(), self.settled(), self.length);
        wipe::stack::<{ wipe::ALONE }>();
        clone.expect(NO_SEAT)
    }
}

impl<A: HashFunction> core::fmt::Debug for ServerHasher<A> {
    /// Shows how long the message is so far, not its state.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ServerHasher")
            .field("algorithm", &A::ALGORITHM)
            .field("bytes", &self.length)
            .finish_non_exhaustive()
    }
}

impl<A: HashFunction> io::Write for ServerHasher<A> {
    /// Appends all bytes to the message; never fails.
    ///
    /// # Panics
    /// As [`update`](ServerHasher::update).
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
