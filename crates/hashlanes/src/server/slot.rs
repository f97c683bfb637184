//! The slot of one hasher: where its message is, and the guards that say so.
//!
//! A message is *home*, in its slot, or *out*, with the thread whose round hashes it. While it is
//! out it belongs to that thread, so no lock is held while it is hashed. Meanwhile the hasher's
//! owner may put more bytes aside, or wait until the message is home. The picture in `mod.rs` shows
//! all states and what changes them.
//!
//! Whoever works on a slot locks it once and hands the guard from step to step: [`Locked`] if the
//! message may be out, [`Home`] if it is known to be home.
//!
//! The order of locks is slot first, then queue or pool. A thread that holds the queue's lock may
//! only *try* to lock a slot.
//!
//! Foreign code (a waker's clone, wake or drop) never runs while a slot is locked, so methods
//! return wakers to callers, who drop them. A slot holds a waker only while its message is out and
//! its owner exists.

use std::boxed::Box;
use std::ops::{Deref, DerefMut};
use std::task::{Context, Poll, Waker};

use super::message::{Message, Spare};
use super::pool::Pool;
use super::staging::Staging;
use super::sync::{self, Arc, Condvar, Hint, Mutex, MutexGuard};

/// Where a message is.
enum State {
    Home(Box<Message>),
    Out(Out),
    /// The owner has gone. If the message comes home, it is dropped.
    Abandoned,
}

/// Who waits for a message that is out.
#[derive(Default)]
pub(super) struct Out {
    /// Whether bytes may be put aside: the message has an empty `next` to take them home to.
    aside_fits: bool,
    /// A thread sleeps until the message is home.
    pub(super) sleeping: bool,
    /// The owner's task, to be woken when the message is home.
    pub(super) waker: Option<Waker>,
}

/// What a slot's lock protects.
struct Place {
    state: State,
    /// Bytes deferred while the message is out. Empty while it is home.
    aside: Staging,
}

/// What remains to be done for a message that has come home or was abandoned, once no lock is held
/// and all messages of the round are home.
pub(super) struct Leftovers {
    pub(super) spare: Spare<3>,
    pub(super) out: Out,
    /// The message if its owner has gone. It is dropped with this.
    _orphan: Option<Box<Message>>,
}

pub(super) struct Slot {
    place: Mutex<Place>,
    home: Condvar,
    /// Bytes hashed without peers that the server's counters do not include yet.
    pub(super) unreported: Hint,
}

impl Slot {
    /// The slot of a new message.
    pub(super) fn new(message: Box<Message>) -> Arc<Self> {
        let place = Place { state: State::Home(message), aside: Staging::default() };
        Arc::new(Self { place: Mutex::new(place), home: Condvar::new(), unreported: Hint::new(0) })
    }

    pub(super) fn lock(slot: &Arc<Self>) -> Locked<'_> {
        Locked { slot, place: sync::lock(&slot.place) }
    }

    /// Locks the slot, unless somebody else has locked it.
    pub(super) fn try_lock(slot: &Arc<Self>) -> Option<Locked<'_>> {
        Some(Locked { slot, place: sync::try_lock(&slot.place)? })
    }

    /// Wakes the threads that sleep until the message is home. Must not be called while the slot is
    /// locked, or they would only wait for the lock.
    pub(super) fn wake(&self) {
        self.home.notify_all();
    }

    /// Replaces the waker. Returns false, and leaves none, if the message has come home meanwhile.
    fn leave_waker(&self, waker: Waker) -> bool {
        let mut place = sync::lock(&self.place);
        let State::Out(out) = &mut place.state else {
            drop(place);
            drop(waker);
            return false;
        };
        let last = out.waker.replace(waker);
        drop(place);
        drop(last);
        true
    }

    /// Whether the owner has gone.
    #[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
    pub(super) fn is_abandoned(&self) -> bool {
        matches!(sync::lock(&self.place).state, State::Abandoned)
    }
}

/// A locked slot.
pub(super) struct Locked<'s> {
    slot: &'s Arc<Slot>,
    place: MutexGuard<'s, Place>,
}

impl<'s> Locked<'s> {
    pub(super) fn slot(&self) -> &'s Arc<Slot> {
        self.slot
    }

    /// The guard of a message that is home, or this one back.
    pub(super) fn home(self) -> Result<Home<'s>, Self> {
        if matches!(self.place.state, State::Home(_)) { Ok(Home(self)) } else { Err(self) }
    }

    /// Sleeps until the message is home.
    pub(super) fn wait(mut self) -> Home<'s> {
        while let State::Out(out) = &mut self.place.state {
            out.sleeping = true;
            self.place = sync::wait(&self.slot.home, self.place);
        }
        let Ok(home) = self.home() else { unreachable!("the owner, who waits, has not gone") };
        home
    }

    /// Like [`wait`](Locked::wait), for a task, which is woken when the message comes home.
    pub(super) fn poll_home(mut self, context: &Context<'_>) -> Poll<Home<'s>> {
        loop {
            let slot = self.slot;
            match self.home() {
                Ok(home) => return Poll::Ready(home),
                Err(out) if out.will_wake(context.waker()) => return Poll::Pending,
                Err(out) => drop(out),
            }
            if slot.leave_waker(context.waker().clone()) {
                return Poll::Pending;
            }
            self = Slot::lock(slot);
        }
    }

    /// Whether the slot has a waker for the same task.
    fn will_wake(&self, other: &Waker) -> bool {
        let State::Out(Out { waker: Some(waker), .. }) = &self.place.state else { return false };
        waker.will_wake(other)
    }

    /// Defers bytes of a message that is out. Returns false if there is no room.
    pub(super) fn put_aside(&mut self, bytes: &[u8], pool: &Pool) -> bool {
        matches!(self.place.state, State::Out(Out { aside_fits: true, .. }))
            && self.place.aside.append(bytes, pool)
    }

    /// Out -> home, together with what was put aside. Keeps nothing if the owner has gone.
    pub(super) fn come_home(&mut self, mut message: Box<Message>) -> Leftovers {
        let Place { state, aside } = &mut *self.place;
        let State::Out(out) = core::mem::replace(state, State::Abandoned) else {
            return Leftovers::orphan(message);
        };
        let Message { staged, next, .. } = &mut *message;
        let spare = [staged.spare(), next.spare(), aside.spare()];
        for later in [&mut *next, &mut *aside] {
            if staged.is_empty() {
                core::mem::swap(staged, later);
            }
        }
        if !aside.is_empty() {
            // `next` is empty, since otherwise nothing could have been put aside.
            core::mem::swap(next, aside);
        }
        *state = State::Home(message);
        Leftovers { spare, out, _orphan: None }
    }

    /// The owner goes. The slot has been taken out of the queue.
    pub(super) fn abandon(mut self) -> Leftovers {
        let Place { state, aside } = &mut *self.place;
        match core::mem::replace(state, State::Abandoned) {
            State::Home(message) => Leftovers::orphan(message),
            State::Out(out) => {
                aside.clear();
                Leftovers { spare: [aside.spare(), None, None], out, _orphan: None }
            }
            State::Abandoned => unreachable!("an owner goes once"),
        }
    }
}

impl Leftovers {
    /// What remains of a message whose owner has gone.
    fn orphan(mut message: Box<Message>) -> Self {
        let [staged, next] = message.clear();
        Self { spare: [staged, next, None], out: Out::default(), _orphan: Some(message) }
    }
}

/// A locked slot whose message is home. It dereferences to the message.
pub(super) struct Home<'s>(Locked<'s>);

impl<'s> Home<'s> {
    pub(super) fn slot(&self) -> &'s Arc<Slot> {
        self.0.slot
    }

    /// Forgets that the message is home.
    pub(super) fn locked(self) -> Locked<'s> {
        self.0
    }

    /// Panics if the message cannot be continued. It unlocks the slot first, because a panic runs
    /// the program's panic hook, which is foreign code.
    pub(super) fn check(self) -> Self {
        if self.lost {
            drop(self);
            panic!("a kernel panicked while hashing this message: reset the hasher");
        }
        self
    }

    /// Home -> out. Unlocks the slot.
    ///
    /// This invalidates the ticket: the caller takes the slot out of the queue.
    pub(super) fn take(mut self) -> Box<Message> {
        let out = Out { aside_fits: self.next.is_empty(), ..Out::default() };
        (self.ticket, self.lost) = (None, true);
        let State::Home(message) = core::mem::replace(&mut self.0.place.state, State::Out(out))
        else {
            unreachable!("{HOME}")
        };
        message
    }
}

/// What `Home` guarantees.
const HOME: &str = "the message stays home while the guard exists";

impl Deref for Home<'_> {
    type Target = Message;

    fn deref(&self) -> &Message {
        let State::Home(message) = &self.0.place.state else { unreachable!("{HOME}") };
        message
    }
}

impl DerefMut for Home<'_> {
    fn deref_mut(&mut self) -> &mut Message {
        let State::Home(message) = &mut self.0.place.state else { unreachable!("{HOME}") };
        message
    }
}

/// A message that is out, with the slot to bring it home to.
pub(super) struct Taken {
    pub(super) slot: Arc<Slot>,
    pub(super) message: Box<Message>,
}
