//! How a task advances its message: in portions, without ever blocking its thread.
//!
//! A future can be dropped at any time, so it cannot lend its bytes. Those that other threads and
//! tasks are to hash are copied.

use std::task::{Context, Poll, ready};

use super::slot::Home;
use super::staging::SMALL;
use super::write::Writer;

/// Bytes from which on a task lets others run first, so that they may become its peers.
const WORTH_A_POLL: usize = 16 << 10;

/// Buffers that one poll handles of a message that is hashed by itself.
///
/// Each portion but the last wakes the executor, which may hand the task to another thread. With
/// one buffer a portion, a single upload of 1 MiB cost 16 % more CPU time than with a plain hasher.
/// Frames of hyper, up to about 400 KiB, are one portion, for which MD5 takes 0.6 ms.
const ALONE: usize = 8;

/// What a future still has to append.
pub(super) struct Rest<'b> {
    bytes: &'b [u8],
    /// Other tasks have had the chance to become peers.
    gathered: bool,
}

impl<'b> Rest<'b> {
    pub(super) fn new(bytes: &'b [u8]) -> Self {
        Self { bytes, gathered: false }
    }
}

impl<'h> Writer<'h> {
    /// Appends the rest. Ready when all of it has been appended.
    pub(super) fn poll_update(self, context: &Context<'_>, rest: &mut Rest<'_>) -> Poll<()> {
        let (portion, later) = rest.bytes.split_at(self.portion(rest));
        if portion.is_empty() {
            return Poll::Ready(());
        }
        match self.append(self.lock(), portion, false) {
            Ok(()) if later.is_empty() => return Poll::Ready(()),
            Ok(()) => rest.bytes = later,
            Err(place) => self.hash_portion(ready!(place.poll_home(context)).check(), rest),
        }
        // Foreign code: nothing is locked here.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Hashes what is deferred. Ready when nothing is.
    pub(super) fn poll_settle(self, context: &Context<'_>, rest: &mut Rest<'_>) -> Poll<Home<'h>> {
        let home = ready!(self.lock().poll_home(context)).check();
        if home.deferred() == 0 {
            return Poll::Ready(home);
        }
        self.hash_portion(home, rest);
        // Foreign code: nothing is locked here.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    /// Hashes what is deferred and a portion of the rest, or first lets other tasks become peers.
    fn hash_portion(self, home: Home<'h>, rest: &mut Rest<'_>) {
        let portion = self.portion(rest);
        let work = home.deferred() + portion;
        let solo = self.shared.peers.is_solo();
        if rest.gathered || solo || work < WORTH_A_POLL || self.at_once(&home) {
            let (place, hashed) = self.hash(home, &rest.bytes[..portion]);
            drop(place);
            *rest = Rest::new(&rest.bytes[hashed..]);
        } else {
            self.gather(home, rest);
        }
    }

    /// Lets other rounds take this message, with as much of the rest as can be deferred.
    fn gather(self, mut home: Home<'h>, rest: &mut Rest<'_>) {
        let shared = self.shared;
        rest.gathered = true;
        shared.peers.look_around();
        let room = shared.limits.staging.saturating_sub(home.deferred());
        let (fits, later) = rest.bytes.split_at(self.portion(rest).min(room));
        if home.defer(fits, &shared.pool) {
            rest.bytes = later;
        }
        if home.deferred() > SMALL {
            self.enter(home);
        }
    }

    /// Bytes of the rest that one poll handles.
    fn portion(self, rest: &Rest<'_>) -> usize {
        // A hint: the other writers may change it before the message is locked.
        let alone = self.shared.are_few() || self.shared.peers.is_solo();
        let buffers = if alone { ALONE } else { 1 };
        rest.bytes.len().min(self.shared.limits.staging.saturating_mul(buffers))
    }
}
