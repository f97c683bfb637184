//! How a thread brings a message forward: what becomes of bytes that are written, and what is done
//! for a digest.
//!
//! ```text
//!   update(bytes)
//!     |
//!   append: without waiting for anybody
//!     |-- Hashed       done: there is no company
//!     |-- Deferred     done: copied; fills the lanes? then a round of those that are ready
//!     |-- RatherLend --+
//!     |-- NoRoom ------+--> offer: lent while other threads run
//!     |                       |-- Hashed(n)    the rest: append, else hash_all
//!     |                       |-- Nobody       append, else hash_all
//!     |                       |-- Company      hash_all if there are enough, else as Nobody
//!     |                       |-- NotMade      hash_all
//!     |-- Solo -----------------------------> hash_all: rounds of this thread
//!
//!   finalize:  offer nothing but what is deferred, then hash_all
//! ```

use super::batch::Batch;
use super::hasher::ServerHasher;
use super::round;
use super::slot::{Place, check};
use super::staging::SMALL;
use super::sync::{self, Arc, MutexGuard};
use crate::function::HashFunction;
use crate::wipe;

/// Cycles that company must be able to save before a thread gives others the chance to write: what
/// it costs to go to another thread and back, about 3 us on a Zen 3 core.
const YIELD: u64 = 10_000;

/// From how many bytes hashed alone on a hasher reports them to the server's counters.
const REPORT: usize = 64 << 10;

/// What came of bytes that were to be appended without waiting for anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Appended {
    /// They are hashed: the hasher has no company.
    Hashed,
    /// They are copied, to be hashed later.
    Deferred,
    /// Nothing was appended. There is no room to copy them to.
    NoRoom,
    /// Nothing was appended. They would fit, but are rather lent than copied.
    RatherLend,
    /// Nothing was appended. Nothing is deferred at the moment, but the hasher has company, or a
    /// round has its message.
    Solo,
}

/// What came of an offer of bytes to other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offered {
    /// It was not made, since it could not pay.
    NotMade,
    /// Nobody was there.
    Nobody,
    /// Others came and deferred bytes of their own, but hashed none of these.
    Company,
    /// Others hashed the first so many of the bytes.
    Hashed(usize),
}

impl<A: HashFunction> ServerHasher<A> {
    /// Appends bytes, of which there are some.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        match self.append(bytes, self.server.shared.lends(bytes.len())) {
            Appended::Hashed | Appended::Deferred => {}
            Appended::RatherLend | Appended::NoRoom => self.share(bytes),
            Appended::Solo => self.hash_all(bytes),
        }
    }

    /// Whether to hash at once, without looking for company.
    pub(super) fn alone(&self, place: &Place<A>) -> bool {
        let shared = &*self.server.shared;
        if shared.hashers() < shared.limits.policy.worth {
            return true;
        }
        // Others that wait are company which need not be looked for.
        shared.company.is_solo() && !shared.has_company(usize::from(place.ticket.is_some()))
    }

    /// Hashes the bytes if that is to be done alone, or else defers them, and runs a round if that
    /// fills the lanes. With `lend`, bytes of a message at home are not deferred.
    pub(super) fn append(&mut self, bytes: &[u8], lend: bool) -> Appended {
        let shared = &*self.server.shared;
        let mut place = check(self.slot.lock());
        let home = place.message.is_some();
        if home && self.alone(&place) {
            let work = self.hash_alone(place, bytes);
            self.hashed_alone(work);
            return Appended::Hashed;
        }
        if shared.company.is_solo() {
            return Appended::Solo;
        }
        if home && lend {
            return Appended::RatherLend;
        }
        let before = place.deferred();
        if !place.defer(bytes, shared.limits.staging, || shared.pool.buffer()) {
            return Appended::NoRoom;
        }
        let after = place.deferred();
        let ready = shared.limits.ready;
        if home && after > SMALL && (place.ticket.is_none() || (before < ready && after >= ready)) {
            let full = shared.enter(&self.slot, &mut place);
            drop(place);
            if full {
                round::full_round(shared);
            }
        }
        Appended::Deferred
    }

    /// Hashes everything deferred and then `bytes`, without company. Returns how many bytes.
    fn hash_alone(&self, mut place: MutexGuard<'_, Place<A>>, bytes: &[u8]) -> usize {
        let shared = &*self.server.shared;
        let work = place.deferred() + bytes.len();
        shared.leave(&mut place);
        let spare = place.hash_alone(bytes, shared.engine.forced());
        drop(place);
        wipe::stack::<{ wipe::ALONE }>();
        shared.pool.give_back(spare.into_iter().flatten());
        work
    }

    /// Counts bytes hashed alone, and reports them now and then.
    fn hashed_alone(&mut self, bytes: usize) {
        self.unreported += bytes;
        if self.unreported >= REPORT {
            self.report();
        }
    }

    /// Appends bytes that are rather lent than deferred, or for which there is no room.
    ///
    /// They are offered to others first. If they are no more than a buffer holds, the rest is then
    /// deferred, if it fits now and there are not enough others for a round. What is not deferred
    /// is hashed.
    fn share(&mut self, mut bytes: &[u8]) {
        let small = bytes.len() <= self.server.shared.limits.staging;
        let defers = match self.offer(bytes) {
            Offered::NotMade => false,
            Offered::Nobody => true,
            Offered::Company => !self.server.shared.has_company(1),
            Offered::Hashed(count) => {
                bytes = &bytes[count..];
                if bytes.is_empty() {
                    return;
                }
                true
            }
        };
        if small
            && defers
            && let Appended::Hashed | Appended::Deferred = self.append(bytes, false)
        {
            return;
        }
        self.hash_all(bytes);
    }

    /// Hashes everything deferred, with company if there is any.
    pub(super) fn settle(&mut self) {
        self.offer(&[]);
        self.hash_all(&[]);
    }

    /// Lets others add company, or take this message along with `bytes`, which are lent.
    fn offer(&self, bytes: &[u8]) -> Offered {
        let shared = &*self.server.shared;
        let slot = &self.slot;
        shared.company.look_around();
        let place = check(self.wait_home());
        let work = place.deferred() + bytes.len();
        let saves_a_yield = shared.limits.saved_cycles(work) >= YIELD;
        if !saves_a_yield
            || shared.company.is_solo()
            || shared.pending() >= shared.limits.policy.batch
            || self.alone(&place)
        {
            return Offered::NotMade;
        }
        let mut met = false;
        let count = slot.lend(place, bytes, |mut place| {
            shared.enter(slot, &mut place);
            drop(place);
            let before = shared.company.entered();
            sync::yield_now();
            self.help();
            met = shared.company.entered() != before;
        });
        shared.company.lent(met || count > 0);
        match (count, met) {
            (0, false) => Offered::Nobody,
            (0, true) => Offered::Company,
            _ => Offered::Hashed(count),
        }
    }

    /// Hashes everything deferred and then `bytes` in rounds of this thread, with company if there
    /// is any.
    fn hash_all(&mut self, mut bytes: &[u8]) {
        loop {
            let slot = Arc::clone(&self.slot);
            self.help();
            let place = slot.lock_home();
            if place.deferred() + bytes.len() == 0 {
                return;
            }
            let consumed = self.hash(place, bytes);
            bytes = &bytes[consumed..];
        }
    }

    /// Waits until the message is home, and helps meanwhile.
    fn wait_home(&self) -> MutexGuard<'_, Place<A>> {
        self.help();
        self.slot.lock_home()
    }

    /// Runs rounds of others as long as this message is out and there are enough of them.
    ///
    /// A round takes a part of the messages only, so that other cores find some. This thread would
    /// sleep otherwise, and its core would idle.
    fn help(&self) {
        let out = || self.slot.lock().message.is_none();
        while out() && round::help_round(&self.server.shared) {}
    }

    /// Hashes everything deferred and some of `bytes`; returns how many. The message is home before
    /// and afterwards.
    pub(super) fn hash(&mut self, place: MutexGuard<'_, Place<A>>, bytes: &[u8]) -> usize {
        let place = check(place);
        if place.deferred() + bytes.len() <= SMALL || self.alone(&place) {
            let work = self.hash_alone(place, bytes);
            self.hashed_alone(work);
            return bytes.len();
        }
        self.hash_round(place, bytes)
    }

    /// Hashes everything deferred and some of `bytes` in a round, or alone if there is no memory
    /// for a round; returns how many. The message is home before and afterwards.
    pub(super) fn hash_round(&self, place: MutexGuard<'_, Place<A>>, bytes: &[u8]) -> usize {
        let shared = &*self.server.shared;
        match Batch::new(shared) {
            Ok(batch) => round::own_round(batch, &self.slot, place, bytes),
            Err(_) => {
                shared.counters.alone(self.hash_alone(place, bytes) as u64);
                bytes.len()
            }
        }
    }
}
