//! The owner of a message: what the hashers of all functions have in common. `write.rs` and
//! `poll.rs` decide how bytes are hashed.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::future::poll_fn;
use std::task::Waker;

use super::message::Message;
use super::poll::Rest;
use super::shared::Shared;
use super::slot::{Home, Slot};
use super::sync::Arc;
use super::write::Writer;
use crate::schedule::{Scheduled, Stream};
use crate::wipe;

/// A hasher of any function. Its digests have the length of the function's.
pub(super) struct Owner {
    pub(super) shared: Arc<Shared>,
    pub(super) slot: Arc<Slot>,
    /// The length of the message so far in bytes.
    pub(super) length: u128,
    /// An `update_async` is in progress, or was dropped half-way.
    updating: bool,
}

impl Owner {
    /// Fails if there is no memory for one more hasher in the server's queue.
    pub(super) fn new(
        shared: &Arc<Shared>,
        message: Box<Message>,
    ) -> Result<Self, TryReserveError> {
        let slot = Slot::new(message);
        shared.join()?;
        Ok(Self { shared: Arc::clone(shared), slot, length: 0, updating: false })
    }

    pub(super) fn writer(&self) -> Writer<'_> {
        Writer { shared: &self.shared, slot: &self.slot }
    }

    pub(super) fn update(&mut self, bytes: &[u8]) {
        self.check_updated();
        if !bytes.is_empty() {
            self.length += bytes.len() as u128;
            self.writer().write(bytes);
        }
    }

    /// Writes the digest, and begins a new, empty message.
    pub(super) fn finish(&mut self, digest: &mut [u8]) {
        self.check_updated();
        let writer = self.writer();
        writer.finish(writer.settle(), digest);
        self.length = 0;
    }

    pub(super) fn digest_so_far(&self, digest: &mut [u8]) {
        self.check_updated();
        let writer = self.writer();
        let home = writer.hash_all(writer.lock(), &[]);
        home.stream.write_digest(self.shared.forced, digest);
        drop(home);
        wipe::stack::<{ wipe::ALONE }>();
        self.shared.counters.message();
    }

    /// Abandons the message and begins another one.
    pub(super) fn restart(&mut self, message: Box<Message>) {
        let slot = Slot::new(message);
        let waker = self.abandon();
        self.slot = slot;
        (self.length, self.updating) = (0, false);
        // Foreign code, which may panic, so it comes last.
        drop(waker);
    }

    pub(super) async fn update_async(&mut self, bytes: &[u8]) {
        self.check_updated();
        self.updating = true;
        let mut rest = Rest::new(bytes);
        let writer = self.writer();
        poll_fn(|context| writer.poll_update(context, &mut rest)).await;
        self.updating = false;
        self.length += bytes.len() as u128;
    }

    /// [`finish`](Self::finish), in a task.
    pub(super) async fn finish_async(&mut self, digest: &mut [u8]) {
        self.check_updated();
        let mut rest = Rest::new(&[]);
        let writer = self.writer();
        let home = poll_fn(|context| writer.poll_settle(context, &mut rest)).await;
        writer.finish(home, digest);
        self.length = 0;
    }

    /// Lets the message, which is empty so far, continue `stream`.
    ///
    /// # Panics
    /// If the message cannot be continued, or `stream` is not of the server's function.
    pub(super) fn begin<R: Scheduled>(&mut self, stream: Stream<R>) {
        *self.writer().lock().wait().check().stream.of() = stream;
    }

    /// A snapshot: the owner of a message that continues independently from here. Deferred bytes
    /// are hashed first, so that they are not hashed twice.
    pub(super) fn fork(&self) -> Result<Self, TryReserveError> {
        let message = self.settled();
        wipe::stack::<{ wipe::ALONE }>();
        let mut fork = Self::new(&self.shared, message)?;
        fork.length = self.length;
        Ok(fork)
    }

    /// A copy of the message after everything deferred has been hashed.
    ///
    /// Not inlined, so that its caller can wipe what it leaves on the stack.
    #[inline(never)]
    fn settled(&self) -> Box<Message> {
        self.check_updated();
        let writer = self.writer();
        writer.hash_all(writer.lock(), &[]).stream.fork()
    }

    /// Panics if an `update_async` was not completed.
    pub(super) fn check_updated(&self) {
        if self.updating {
            self.refuse();
        }
    }

    #[cold]
    fn refuse(&self) -> ! {
        // If a kernel panicked during the update, that is the reason to report.
        let _ = self.writer().lock().home().map(Home::check);
        panic!(
            "an update_async of this message was dropped before it was ready, so some of its \
             bytes may be missing: reset the hasher"
        );
    }

    /// Abandons the message, wherever it is. Returns the waker that waited for it, if any: foreign
    /// code, which must be dropped when the hasher is in a consistent state again.
    fn abandon(&self) -> Option<Waker> {
        let shared = &*self.shared;
        shared.report(&self.slot);
        let place = match self.writer().lock().home() {
            Ok(mut home) => {
                shared.leave(&mut home);
                home.locked()
            }
            Err(out) => out,
        };
        let mut leftovers = place.abandon();
        shared.pool.give_back(leftovers.spare.iter_mut().filter_map(Option::take));
        leftovers.out.waker
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let waker = self.abandon();
        self.shared.part();
        // Foreign code, which may panic, so it comes last.
        drop(waker);
    }
}
