//! How a writer advances its message: what happens to the bytes that it writes, and what it does to
//! get a digest.
//!
//! The writer locks the slot once and hands the guard from step to step. It lets go only while
//! others work on the message: during a round, and while bytes are lent.
//!
//! ```text
//!   write(bytes)
//!     |
//!   append, without waiting for anybody
//!     |-- done        hashed, if the hasher has no peers, or deferred; if that fills the lanes, a
//!     |               round of the ready messages follows
//!     `-- refused     if it is not the time to search for peers: hash_all
//!           |         otherwise:
//!         offer       lends the bytes while other threads run
//!           |-- Hashed(n)    append the rest, or else hash_all
//!           |-- Nobody       append, or else hash_all
//!           |-- Peers        hash_all if there are enough, otherwise as for Nobody
//!           `-- NotMade      hash_all: rounds of this thread
//!
//!   finalize: offer only what is deferred, then hash_all
//! ```

use super::peers::Peers;
use super::round::Round;
use super::shared::Shared;
use super::slot::{Home, Locked, Slot};
use super::staging::SMALL;
use super::sync::{Arc, Ordering};
use crate::wipe;

/// Cycles that peers must be able to save before a thread lets others run: the cost of switching to
/// another thread and back, about 3 us on a Zen 3 core.
pub(super) const YIELD: u64 = 10_000;

/// Bytes hashed without peers after which a hasher reports them to the server's counters.
const REPORT: usize = 64 << 10;

/// The outcome of offering bytes to other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Offered {
    /// The offer was not made, since it could not pay.
    NotMade,
    /// No other thread reacted.
    Nobody,
    /// Other threads entered messages of their own, but hashed none of these bytes.
    Peers,
    /// Other threads hashed this number of bytes, from the first on.
    Hashed(usize),
}

/// A thread or task that works on the message of a hasher.
#[derive(Clone, Copy)]
pub(super) struct Writer<'h> {
    pub(super) shared: &'h Shared,
    pub(super) slot: &'h Arc<Slot>,
}

impl<'h> Writer<'h> {
    /// The slot, locked.
    pub(super) fn lock(self) -> Locked<'h> {
        Slot::lock(self.slot)
    }

    fn peers(self) -> &'h Peers {
        &self.shared.peers
    }

    /// Appends bytes. There must be at least one.
    pub(super) fn write(self, bytes: &[u8]) {
        match self.append(self.lock(), bytes, self.shared.lends(bytes.len())) {
            Ok(()) => {}
            Err(place) if self.peers().is_solo() => drop(self.hash_all(place, bytes)),
            Err(place) => self.offer_then_append(place, bytes),
        }
    }

    /// Hashes everything deferred, with peers if there are any.
    pub(super) fn settle(self) -> Home<'h> {
        let (home, _) = self.offer(self.lock(), &[]);
        self.hash_all(home.locked(), &[])
    }

    /// Writes the digest of the message, of which nothing may be deferred. Begins a new message.
    pub(super) fn finish(self, mut home: Home<'h>, digest: &mut [u8]) {
        self.shared.report(self.slot);
        home.stream.write_digest(self.shared.forced, digest);
        self.shared.function.restart(&mut home.stream);
        drop(home);
        wipe::stack::<{ wipe::ALONE }>();
        self.shared.counters.message();
    }

    /// Whether to hash at once, without searching for peers.
    pub(super) fn at_once(self, home: &Home<'_>) -> bool {
        if self.shared.are_few() {
            return true;
        }
        // Messages that are waiting are peers without a search.
        self.peers().is_solo() && !self.shared.has_peers(usize::from(home.ticket.is_some()))
    }

    /// Hashes the bytes at once if this hasher should not search for peers, and otherwise defers
    /// them, without waiting for anybody. With `lend`, a message that is home does not defer them.
    /// If nothing was appended, returns the guard.
    ///
    /// Inlined, because a guard that is passed in memory makes writes of 16 bytes a sixth slower.
    #[inline(always)]
    pub(super) fn append(
        self,
        place: Locked<'h>,
        bytes: &[u8],
        lend: bool,
    ) -> Result<(), Locked<'h>> {
        match place.home().map(Home::check) {
            Ok(home) if self.at_once(&home) => {
                self.hash_at_once(home, bytes);
                Ok(())
            }
            Ok(home) if lend || self.peers().is_solo() => Err(home.locked()),
            Ok(home) => self.defer(home, bytes),
            Err(out) if self.peers().is_solo() => Err(out),
            Err(mut out) => {
                let fits = out.put_aside(bytes, &self.shared.pool);
                if fits { Ok(()) } else { Err(out) }
            }
        }
    }

    /// Defers bytes of a message that is home, and runs a round if that fills the lanes.
    fn defer(self, mut home: Home<'h>, bytes: &[u8]) -> Result<(), Locked<'h>> {
        let ready = self.shared.limits.ready;
        let before = home.deferred();
        if !home.defer(bytes, &self.shared.pool) {
            return Err(home.locked());
        }
        let after = home.deferred();
        if after > SMALL && (home.ticket.is_none() || (before < ready && after >= ready)) {
            self.enter(home);
        }
        Ok(())
    }

    /// Enters the queue, and runs a round if that fills the lanes.
    pub(super) fn enter(self, mut home: Home<'h>) {
        let full = self.shared.enter(&mut home);
        drop(home);
        if full && let Some(round) = Round::full(self.shared) {
            round.run();
        }
    }

    /// Appends bytes that are better lent than deferred, or for which there is no room.
    ///
    /// It first offers them to other threads. What is left of a write that is no longer than a
    /// buffer is then deferred if it fits now, unless there are enough peers for a round. What is
    /// not deferred is hashed.
    fn offer_then_append(self, place: Locked<'h>, mut bytes: &[u8]) {
        let small = bytes.len() <= self.shared.limits.staging;
        let (home, offered) = self.offer(place, bytes);
        let defers = match offered {
            Offered::NotMade => false,
            Offered::Nobody => true,
            Offered::Peers => !self.shared.has_peers(1),
            Offered::Hashed(count) => {
                bytes = &bytes[count..];
                true
            }
        };
        let mut place = home.locked();
        if small && defers && !bytes.is_empty() {
            match self.append(place, bytes, false) {
                Ok(()) => return,
                Err(refused) => place = refused,
            }
        }
        self.hash_all(place, bytes);
    }

    /// Lends `bytes` and lets other threads enter messages, or take this one into their rounds.
    fn offer(self, place: Locked<'h>, bytes: &[u8]) -> (Home<'h>, Offered) {
        let shared = self.shared;
        self.peers().look_around();
        let home = self.wait_home(place);
        let work = home.deferred() + bytes.len();
        let saves_a_yield = shared.limits.saved_cycles(work) >= YIELD;
        if !saves_a_yield
            || self.peers().is_solo()
            || shared.pending() >= shared.limits.policy.batch
            || self.at_once(&home)
        {
            return (home, Offered::NotMade);
        }
        let mut met = false;
        let (home, count) = home.lend(bytes, |mut home| {
            shared.enter(&mut home);
            drop(home);
            let before = self.peers().entered();
            shared.peers.trial.yield_now(|| shared.counters.bytes());
            let place = self.help(self.lock());
            met = self.peers().entered() != before;
            place
        });
        self.peers().lent(met || count > 0);
        let offered = match (count, met) {
            (0, false) => Offered::Nobody,
            (0, true) => Offered::Peers,
            _ => Offered::Hashed(count),
        };
        (home, offered)
    }

    /// Hashes everything deferred and then `bytes` in rounds of this thread, with peers if there
    /// are any.
    pub(super) fn hash_all(self, mut place: Locked<'h>, mut bytes: &[u8]) -> Home<'h> {
        loop {
            let home = self.wait_home(place);
            if home.deferred() + bytes.len() == 0 {
                return home;
            }
            let (after, hashed) = self.hash(home, bytes);
            (place, bytes) = (after, &bytes[hashed..]);
        }
    }

    /// Waits until the message is home. Helps with other rounds before it sleeps.
    pub(super) fn wait_home(self, place: Locked<'h>) -> Home<'h> {
        self.help(place).wait().check()
    }

    /// Runs rounds of other messages while this one is out and the queue has enough of them.
    ///
    /// A round takes only a share of the queue, so that some is left for other cores. Otherwise
    /// this thread would sleep and its core would be idle.
    fn help(self, mut place: Locked<'h>) -> Locked<'h> {
        loop {
            match place.home() {
                Ok(home) => return home.locked(),
                Err(out) if self.shared.pending() < 2 => return out,
                Err(out) => drop(out),
            }
            let round = Round::of_others(self.shared, 0);
            let helped = round.map(Round::run).is_some();
            place = self.lock();
            if !helped {
                return place;
            }
        }
    }

    /// Hashes everything deferred and some of `bytes`, with peers if there are any. Returns how
    /// many of the bytes.
    pub(super) fn hash(self, mut home: Home<'h>, bytes: &[u8]) -> (Locked<'h>, usize) {
        let shared = self.shared;
        if home.deferred() + bytes.len() <= SMALL || self.at_once(&home) {
            return (self.hash_at_once(home, bytes).locked(), bytes.len());
        }
        shared.leave(&mut home);
        if let Some(round) = Round::of_others(shared, 1) {
            let hashed = round.run_with(home, bytes);
            return (self.lock(), hashed);
        }
        let bytes = &bytes[..bytes.len().min(shared.limits.slice)];
        // Other threads see this as one more round that runs beside theirs.
        let underway = self.peers().begin(1);
        let work = self.hash_home(&mut home, bytes);
        drop(underway);
        shared.counters.single(work as u64);
        shared.searched(0);
        (home.locked(), bytes.len())
    }

    /// Hashes everything deferred and then `bytes`, without peers. Reports them from time to time.
    fn hash_at_once(self, mut home: Home<'h>, bytes: &[u8]) -> Home<'h> {
        self.shared.leave(&mut home);
        let work = self.hash_home(&mut home, bytes);
        let unreported = self.slot.unreported.load(Ordering::Relaxed) + work;
        self.slot.unreported.store(unreported, Ordering::Relaxed);
        if unreported >= REPORT {
            self.shared.report(self.slot);
        }
        home
    }

    /// Hashes everything deferred and then `bytes` while the slot is locked. It is not in the
    /// queue, so nobody but the owner ever waits for it. Returns how many bytes were hashed.
    fn hash_home(self, home: &mut Home<'h>, bytes: &[u8]) -> usize {
        let work = home.deferred() + bytes.len();
        let spare = home.hash(bytes, self.shared.forced);
        wipe::stack::<{ wipe::ALONE }>();
        self.shared.pool.give_back(spare.into_iter().flatten());
        work
    }
}
