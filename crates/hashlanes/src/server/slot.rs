//! The place of one hasher: where its message is when no round has it.
//!
//! A message is *home*, in its slot, or *out*, with the thread that hashes it. Out it belongs to
//! that thread alone, so no lock is held while hashing. The hasher's owner finds it at home, or
//! defers more bytes to the side, or waits until it is brought home.
//!
//! Locks are taken in the order slot, then queue. A thread that has the queue's lock may only *try*
//! a slot's.

use std::boxed::Box;
use std::task::{Context, Poll, Waker};
use std::vec::Vec;

use super::loan::Loan;
use super::staging::Staging;
use super::sync::{self, Condvar, Mutex, MutexGuard};
use crate::function::{HashFunction, sealed::Function};
use crate::schedule::Stream;

/// A message with the bytes that are still to be hashed: those of `staged`, then of `next`, then of
/// `loan`.
pub(super) struct Message<A: HashFunction> {
    pub(super) stream: Stream<<A as Function>::Family>,
    pub(super) staged: Staging,
    /// Bytes that were deferred while the message was out.
    pub(super) next: Staging,
    pub(super) loan: Option<Loan>,
}

impl<A: HashFunction> Message<A> {
    pub(super) fn new(stream: Stream<<A as Function>::Family>) -> Box<Self> {
        Box::new(Self { stream, staged: Staging::default(), next: Staging::default(), loan: None })
    }

    /// Bytes that are deferred, the loan not counted.
    pub(super) fn deferred(&self) -> usize {
        self.staged.len() + self.next.len()
    }
}

/// What a slot's lock protects.
pub(super) struct Place<A: HashFunction> {
    /// The message if it is home.
    pub(super) message: Option<Box<Message<A>>>,
    /// Bytes deferred while the message is out; empty while it is home.
    pub(super) aside: Staging,
    /// By what the queue knows the slot, if it is there. Changed only with the queue's lock held
    /// as well.
    pub(super) ticket: Option<u64>,
    /// Whether bytes may be put aside: the message has an empty place for them to be brought home
    /// to.
    aside_fits: bool,
    /// The owner has gone: whatever comes home is dropped.
    pub(super) abandoned: bool,
    /// The round that had the message panicked, so its state is unknown.
    pub(super) lost: bool,
    /// A thread sleeps until the message is home.
    sleeping: bool,
    /// The owner's task, to be woken when the message is home.
    waker: Option<Waker>,
}

impl<A: HashFunction> Place<A> {
    /// Hands the message out, if it is home, to the caller, who brings it home again. Its ticket is
    /// void: the caller takes the slot out of the queue, if it was there.
    pub(super) fn go_out(&mut self) -> Option<Box<Message<A>>> {
        let message = self.message.take()?;
        self.aside_fits = message.next.is_empty();
        self.ticket = None;
        Some(message)
    }

    /// Takes the message, which is out, back home, together with what was put aside. Returns the
    /// buffers that are not needed any more. If the owner has gone, the message is dropped.
    pub(super) fn come_home(
        &mut self,
        mut message: Box<Message<A>>,
    ) -> impl Iterator<Item = Vec<u8>> + use<A> {
        let Message { staged, next, .. } = &mut *message;
        if self.abandoned {
            staged.clear();
            next.clear();
            self.aside.clear();
        }
        let spare = [staged.spare(), next.spare(), self.aside.spare()];
        for later in [next, &mut self.aside] {
            if staged.is_empty() {
                core::mem::swap(staged, later);
            }
        }
        if !self.aside.is_empty() {
            // There was room for it, or it would not have been put aside.
            core::mem::swap(&mut message.next, &mut self.aside);
        }
        if !self.abandoned {
            self.message = Some(message);
        }
        spare.into_iter().flatten()
    }

    /// Hashes what is deferred and then `bytes`, alone. The message is home, and its slot is not in
    /// the queue. Returns the buffers that are not needed any more.
    pub(super) fn hash_alone(
        &mut self,
        bytes: &[u8],
        forced: Option<usize>,
    ) -> impl Iterator<Item = Vec<u8>> + use<A> {
        // Only the owner ever waits for the lock of a slot outside the queue, so it may be held
        // while hashing.
        self.lost = true;
        let Message { stream, staged, next, .. } =
            &mut **self.message.as_mut().expect("the caller waited for it");
        for staging in [&mut *staged, &mut *next] {
            if !staging.is_empty() {
                stream.update(staging.as_slice(), forced);
                staging.clear();
            }
        }
        stream.update(bytes, forced);
        self.lost = false;
        [staged.spare(), next.spare()].into_iter().flatten()
    }

    /// Who waits for the message, which is home now: whether a thread sleeps, and a task. The
    /// caller wakes them.
    pub(super) fn waiting(&mut self) -> (bool, Option<Waker>) {
        (core::mem::take(&mut self.sleeping), self.waker.take())
    }

    /// Bytes that are deferred, those with a round that has the message not counted.
    pub(super) fn deferred(&self) -> usize {
        self.message.as_ref().map_or(self.aside.len(), |message| message.deferred())
    }

    /// Panics if the message cannot be continued.
    pub(super) fn check(&self) {
        assert!(!self.lost, "a kernel panicked while hashing this message: reset the hasher");
    }

    /// Defers bytes at the end of the message; false if there is no room.
    pub(super) fn defer(
        &mut self,
        bytes: &[u8],
        limit: usize,
        buffer: impl FnOnce() -> Option<Vec<u8>>,
    ) -> bool {
        match &mut self.message {
            Some(message) if message.next.is_empty() => message.staged.append(bytes, limit, buffer),
            Some(message) => message.next.append(bytes, limit, buffer),
            None => self.aside_fits && self.aside.append(bytes, limit, buffer),
        }
    }
}

pub(super) struct Slot<A: HashFunction> {
    place: Mutex<Place<A>>,
    home: Condvar,
}

impl<A: HashFunction> Slot<A> {
    pub(super) fn new(message: Box<Message<A>>) -> Self {
        let place = Place {
            message: Some(message),
            aside: Staging::default(),
            aside_fits: false,
            ticket: None,
            abandoned: false,
            lost: false,
            sleeping: false,
            waker: None,
        };
        Self { place: Mutex::new(place), home: Condvar::new() }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Place<A>> {
        sync::lock(&self.place)
    }

    pub(super) fn try_lock(&self) -> Option<MutexGuard<'_, Place<A>>> {
        sync::try_lock(&self.place)
    }

    /// Waits until the message is home.
    pub(super) fn lock_home(&self) -> MutexGuard<'_, Place<A>> {
        let mut place = self.lock();
        while place.message.is_none() {
            place.sleeping = true;
            place = sync::wait(&self.home, place);
        }
        place
    }

    /// As [`lock_home`](Slot::lock_home), for a task: if the message is out, the task is woken when
    /// it comes home.
    pub(super) fn poll_home(&self, context: &Context<'_>) -> Poll<MutexGuard<'_, Place<A>>> {
        let mut place = self.lock();
        if place.message.is_some() {
            place.waker = None;
            return Poll::Ready(place);
        }
        match &mut place.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }

    /// Wakes the thread that sleeps until the message is home. Not to be called with the lock held,
    /// which it would run into.
    pub(super) fn wake(&self) {
        self.home.notify_all();
    }

    /// Lends `bytes` to whoever takes the message out while `meanwhile` runs, and returns how many
    /// of them were hashed: the first so many. The message, which is home without a loan, is
    /// handed to `meanwhile` still locked.
    pub(super) fn lend(
        &self,
        mut place: MutexGuard<'_, Place<A>>,
        bytes: &[u8],
        meanwhile: impl FnOnce(MutexGuard<'_, Place<A>>),
    ) -> usize {
        let message = place.message.as_mut().expect("a loan is made at home");
        assert!(message.loan.is_none(), "one loan at a time");
        let lender = Lender { slot: self };
        // SAFETY: a loan is read in place, by the thread that has the message out, and leaves its
        // message only in `Lender`, which drops it. `lender` is on this function's stack,
        // where nobody can forget it: however `meanwhile` ends, by return or unwinding,
        // this function is not left, and the borrow of `bytes` goes on, until `lender` has waited
        // for the message to be home and has dropped the loan.
        message.loan = Some(unsafe { Loan::new(bytes) });
        meanwhile(place);
        lender.take_back()
    }
}

/// Whoever has lent bytes with this slot's message. Takes them back at the latest when dropped.
struct Lender<'s, A: HashFunction> {
    slot: &'s Slot<A>,
}

impl<A: HashFunction> Lender<'_, A> {
    /// Waits until no round can read the bytes any more, ends the loan and returns how many bytes
    /// were consumed.
    fn take_back(&self) -> usize {
        let mut place = self.slot.lock_home();
        place
            .message
            .as_mut()
            .and_then(|message| message.loan.take())
            .map_or(0, |loan| loan.consumed)
    }
}

impl<A: HashFunction> Drop for Lender<'_, A> {
    fn drop(&mut self) {
        self.take_back();
    }
}
