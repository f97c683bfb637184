//! A message of any family, with what is still to be hashed of it.

use std::any::Any;
use std::boxed::Box;
use std::vec::Vec;

use super::loan::Loan;
use super::pool::Pool;
use super::queue::Ticket;
use super::staging::{SMALL, Staging};
use crate::schedule::{Scheduled, Stream};

/// Pieces of a message that a round hashes: `staged`, `next` and the loan.
pub(super) const PIECES: usize = 3;

/// Buffers that a message no longer needs, to be given back to the pool.
pub(super) type Spare<const COUNT: usize> = [Option<Vec<u8>>; COUNT];

/// A message with the bytes that are still to be hashed: those of `staged`, then of `next`, then of
/// `loan`.
///
/// The fields stay in this order, so that those which every deferred write needs share cache lines.
#[repr(C)]
pub(super) struct Message<S: ?Sized = dyn AnyStream> {
    pub(super) staged: Staging,
    /// Bytes that were deferred while the message was out.
    pub(super) next: Staging,
    /// The seat of the slot, if it is in the queue.
    pub(super) ticket: Option<Ticket>,
    /// Set while the message is being hashed. If it is still set when the message is home, a kernel
    /// panicked, and the message's state is unknown.
    pub(super) lost: bool,
    pub(super) loan: Option<Loan>,
    /// Bytes of each piece that the round has hashed.
    pub(super) consumed: [usize; PIECES],
    pub(super) stream: S,
}

impl Message {
    /// A message that begins with `stream`.
    pub(super) fn new<R: Scheduled>(stream: Stream<R>) -> Box<Self> {
        let (staged, next) = Default::default();
        let consumed = [0; PIECES];
        Box::new(Message { staged, next, ticket: None, lost: false, loan: None, consumed, stream })
    }

    /// Bytes that are deferred, not counting the loan.
    pub(super) fn deferred(&self) -> usize {
        self.staged.len() + self.next.len()
    }

    /// Defers bytes at the end of the message. Returns false if there is no room.
    pub(super) fn defer(&mut self, bytes: &[u8], pool: &Pool) -> bool {
        let last = if self.next.is_empty() { &mut self.staged } else { &mut self.next };
        last.append(bytes, pool)
    }

    /// Whether enough is left to hash for another round. A lost message is not offered again, since
    /// it might make that round panic too.
    pub(super) fn is_worth_a_round(&self) -> bool {
        let lent = self.loan.as_ref().is_some_and(|loan| !loan.rest().is_empty());
        !self.lost && (self.deferred() > SMALL || lent)
    }

    /// Hashes what is deferred and then `bytes`, in the kernel for one message.
    pub(super) fn hash(&mut self, bytes: &[u8], forced: Option<usize>) -> Spare<2> {
        self.lost = true;
        for staging in [&mut self.staged, &mut self.next] {
            if !staging.is_empty() {
                self.stream.update(staging.as_slice(), forced);
                staging.clear();
            }
        }
        self.stream.update(bytes, forced);
        self.lost = false;
        [self.staged.spare(), self.next.spare()]
    }

    /// Drops what a round has consumed, at its end.
    pub(super) fn hashed(&mut self) {
        let [staged, next, lent] = self.consumed;
        self.staged.consume(staged);
        self.next.consume(next);
        if let Some(loan) = &mut self.loan {
            loan.consumed += lent;
        }
        self.lost = false;
    }

    /// Drops all deferred bytes.
    pub(super) fn clear(&mut self) -> Spare<2> {
        [&mut self.staged, &mut self.next].map(|staging| {
            staging.clear();
            staging.spare()
        })
    }
}

/// The stream of a message, of any family.
pub(super) trait AnyStream: Any + Send {
    /// Continues the message, in the kernel for one message.
    fn update(&mut self, piece: &[u8], forced: Option<usize>);

    /// Writes the digest of the message.
    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]);

    /// A message that continues from here.
    fn fork(&self) -> Box<Message>;
}

impl<R: Scheduled> AnyStream for Stream<R> {
    fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        self.update(piece, forced);
    }

    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]) {
        self.write_digest(forced, digest);
    }

    fn fork(&self) -> Box<Message> {
        Message::new(self.clone())
    }
}

impl dyn AnyStream {
    /// # Panics
    /// If the message is of another family.
    pub(super) fn of<R: Scheduled>(&mut self) -> &mut Stream<R> {
        (self as &mut dyn Any).downcast_mut().expect("a server has messages of its function")
    }
}
