//! The place of one hasher: where its message is when no round has it.
//!
//! A message is *home*, in its slot, or *out*, with the thread that hashes it. While it is out it
//! belongs to that thread alone, so no lock is held while hashing. The hasher's owner finds the
//! message at home, or puts more bytes aside, or waits until it is brought home.
//!
//! ```text
//!              enter                  go_out
//!    home  ------------>  home,  ---------------+
//!     ^ ^  <------------  queued                |
//!     | |      leave                            v
//!     | +------------------------------------  out   (bytes are put aside)
//!     |             come_home                   |
//!     |                                         | come_home, if the owner has gone
//!    new                                        v
//!                                             dropped
//! ```
//!
//! Locks are taken in the order slot, then queue or pool. A thread that has the queue's lock may
//! only *try* a slot's.
//!
//! Foreign code (a waker's clone, wake or drop) never runs with a slot's lock held, so methods hand
//! wakers out to be dropped by the caller. A slot has a waker only while its message is out and its
//! owner is there.

use std::boxed::Box;
use std::task::{Context, Poll, Waker};
use std::vec::Vec;

use super::loan::Loan;
use super::queue::Ticket;
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
    /// Bytes deferred while the message is out. Empty while it is home.
    aside: Staging,
    /// The slot's seat in the queue, if it is there. Changed only with the queue's lock held as
    /// well.
    pub(super) ticket: Option<Ticket>,
    /// Whether bytes may be put aside: the message has an empty `next` to take them home to.
    aside_fits: bool,
    /// The owner has gone: whatever comes home is dropped.
    abandoned: bool,
    /// A round panicked that had the message, so its state is unknown.
    pub(super) lost: bool,
    /// A thread sleeps until the message is home.
    sleeping: bool,
    /// The owner's task, to be woken when the message is home.
    waker: Option<Waker>,
}

/// Buffers of the pool that a message does not need any more. They are to be given back.
pub(super) type Spare = [Option<Vec<u8>>; 3];

/// What is left to do for a message that has come home, when no lock is held and all others of its
/// round are home too.
pub(super) struct Homecoming<A: HashFunction> {
    pub(super) spare: Spare,
    /// The message, if its owner has gone: dropped with this.
    _orphan: Option<Box<Message<A>>>,
    /// Whether a thread is to be woken.
    pub(super) sleeping: bool,
    /// A task to be woken.
    pub(super) waker: Option<Waker>,
}

/// What an owner who goes leaves behind, to be dealt with when no lock is held.
pub(super) struct Abandoned<A: HashFunction> {
    /// The message and its buffers, if it was home.
    pub(super) home: Option<Homecoming<A>>,
    /// The waker of the owner's task, if that waited.
    pub(super) waker: Option<Waker>,
}

impl<A: HashFunction> Place<A> {
    /// Hands the message to the caller, if it is home. The caller brings it home again.
    ///
    /// Its ticket is void: the caller takes the slot out of the queue, if it was there.
    pub(super) fn go_out(&mut self) -> Option<Box<Message<A>>> {
        let message = self.message.take()?;
        self.aside_fits = message.next.is_empty();
        self.ticket = None;
        Some(message)
    }

    /// Takes the message, which is out, back home, together with what was put aside. If the owner
    /// has gone, nothing is kept.
    pub(super) fn come_home(&mut self, mut message: Box<Message<A>>) -> Homecoming<A> {
        let Message { staged, next, .. } = &mut *message;
        if self.abandoned {
            staged.clear();
            next.clear();
            self.aside.clear();
        }
        let spare = [staged.spare(), next.spare(), self.aside.spare()];
        if self.abandoned {
            return Homecoming { spare, _orphan: Some(message), sleeping: false, waker: None };
        }
        for later in [next, &mut self.aside] {
            if staged.is_empty() {
                core::mem::swap(staged, later);
            }
        }
        if !self.aside.is_empty() {
            // `next` is empty, or nothing would have been put aside.
            core::mem::swap(&mut message.next, &mut self.aside);
        }
        self.message = Some(message);
        let sleeping = core::mem::take(&mut self.sleeping);
        Homecoming { spare, _orphan: None, sleeping, waker: self.waker.take() }
    }

    /// The owner goes. The slot has been taken out of the queue.
    pub(super) fn abandon(&mut self) -> Abandoned<A> {
        self.abandoned = true;
        let home = self.go_out().map(|message| self.come_home(message));
        Abandoned { home, waker: self.waker.take() }
    }

    /// Hashes what is deferred and then `bytes`, alone. The message is home, and its slot is not in
    /// the queue.
    pub(super) fn hash_alone(&mut self, bytes: &[u8], forced: Option<usize>) -> Spare {
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
        [staged.spare(), next.spare(), None]
    }

    /// Bytes that are deferred. Those that a round has are not counted.
    pub(super) fn deferred(&self) -> usize {
        self.message.as_ref().map_or(self.aside.len(), |message| message.deferred())
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
            ticket: None,
            aside_fits: false,
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
        loop {
            let place = self.lock();
            if place.message.is_some() {
                return Poll::Ready(place);
            }
            if place.waker.as_ref().is_some_and(|waker| waker.will_wake(context.waker())) {
                return Poll::Pending;
            }
            drop(place);
            if self.leave_waker(context.waker().clone()) {
                return Poll::Pending;
            }
        }
    }

    /// Leaves a waker here in place of the last one. False, and no waker is left, if the message
    /// has come home meanwhile.
    fn leave_waker(&self, waker: Waker) -> bool {
        let mut place = self.lock();
        if place.message.is_some() {
            drop(place);
            drop(waker);
            return false;
        }
        let last = place.waker.replace(waker);
        drop(place);
        drop(last);
        true
    }

    /// Wakes the thread that sleeps until the message is home. Not to be called with the lock held,
    /// which that thread would run into.
    pub(super) fn wake(&self) {
        self.home.notify_all();
    }

    /// Whether the owner has gone.
    #[cfg(all(test, not(loom), not(target_family = "wasm")))]
    pub(super) fn is_abandoned(&self) -> bool {
        self.lock().abandoned
    }
}

/// Panics if the message cannot be continued. The lock is released before: a panic runs the
/// program's panic hook, which is foreign code.
pub(super) fn check<A: HashFunction>(place: MutexGuard<'_, Place<A>>) -> MutexGuard<'_, Place<A>> {
    if place.lost {
        drop(place);
        panic!("a kernel panicked while hashing this message: reset the hasher");
    }
    place
}
