//! The simulated server: who has how many bytes where, and what happens next.
//!
//! It follows the server's `write.rs`, `round.rs` and `shared.rs` step by step. Decisions are made
//! by the server's own `policy.rs`. Nothing is hashed here: only the time passes that hashing would
//! take.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::cores::{Cores, Thread};
use super::policy::{self, Costs, Policy};

/// Costs of the server other than hashing, in nanoseconds: estimates.
mod takes {
    /// An `update`.
    pub(super) const CALL: f64 = 40.0;
    /// Entering the queue.
    pub(super) const ENTER: f64 = 60.0;
    /// A round.
    pub(super) const ROUND: f64 = 400.0;
    /// Taking a message out for a round, and returning it.
    pub(super) const MESSAGE: f64 = 180.0;
    /// Copying a byte that is not in a near cache.
    pub(super) const COPY: f64 = 0.07;
}

/// As in the server: see its files for their meaning.
const STAGING: f64 = 65_536.0;
const READY: f64 = 16_384.0;
const SMALL: f64 = 1_024.0;
const SLICE: f64 = 1_048_576.0;
const REPORT: f64 = 65_536.0;
const LEND: usize = 4;
const UNLENT: f64 = 1_048_576.0;
/// 10,000 cycles, in picoseconds.
const YIELD: u64 = 3_000_000;

/// The number of a hasher, which is that of its thread.
type Hasher = Thread;

/// A message, and its place.
#[derive(Default)]
struct Slot {
    out: bool,
    queued: bool,
    staged: f64,
    next: f64,
    aside: f64,
    aside_fits: bool,
    /// Bytes that are lent and not hashed yet.
    loan: f64,
    sleeping: bool,
    unreported: f64,
}

impl Slot {
    fn deferred(&self) -> f64 {
        if self.out { self.aside } else { self.staged + self.next }
    }

    fn defer(&mut self, bytes: f64) -> bool {
        let place = match (self.out, self.next > 0.0) {
            (true, _) if !self.aside_fits => return false,
            (true, _) => &mut self.aside,
            (false, true) => &mut self.next,
            (false, false) => &mut self.staged,
        };
        let fits = *place + bytes <= STAGING;
        if fits {
            *place += bytes;
        }
        fits
    }

    fn go_out(&mut self) {
        (self.out, self.queued, self.aside_fits) = (true, false, self.next == 0.0);
    }

    fn come_home(&mut self) {
        self.out = false;
        for later in [&mut self.next, &mut self.aside] {
            if self.staged == 0.0 {
                std::mem::swap(&mut self.staged, later);
            }
        }
        if self.aside > 0.0 {
            std::mem::swap(&mut self.next, &mut self.aside);
        }
    }

    fn is_ready(&self) -> bool {
        self.loan > 0.0 || self.deferred() >= READY
    }
}

/// State that the hashers share.
struct Shared {
    /// The number of cores that the system reports.
    cores: usize,
    slots: Vec<Slot>,
    /// Hashers with something to hash, in order of arrival.
    queue: Vec<Hasher>,
    entered: usize,
    rounds: usize,
    out: usize,
    beside: usize,
    busy: usize,
    lonely: usize,
    recent: usize,
    solo: f64,
    unlent: f64,
    tally: Tally,
}

/// The counters of a simulation.
#[derive(Clone, Debug, Default)]
pub(super) struct Tally {
    /// Bytes written by updates that have returned.
    pub(super) bytes: f64,
    /// Bytes hashed in rounds, and how many that would be in one lane.
    pub(super) shared: f64,
    pub(super) longest: f64,
    /// Bytes hashed in rounds, by number of messages; index 0 has bytes hashed without a round.
    pub(super) rounds: BTreeMap<usize, f64>,
    /// Nanoseconds of each update.
    pub(super) updates: Vec<f64>,
}

/// A server, for the threads that write to it.
#[derive(Clone)]
pub(super) struct Server {
    cores: Cores,
    policy: Policy,
    costs: Rc<Costs>,
    block: f64,
    /// Writes that fit are never lent.
    copies: bool,
    shared: Rc<RefCell<Shared>>,
}

impl Server {
    pub(super) fn new(
        cores: Cores,
        costs: &Costs,
        block: usize,
        hashers: usize,
        believed: usize,
        copies: bool,
    ) -> Self {
        let shared = Shared {
            cores: believed,
            slots: (0..hashers).map(|_| Slot::default()).collect(),
            queue: Vec::new(),
            entered: 0,
            rounds: 0,
            out: 0,
            beside: 0,
            busy: 0,
            lonely: 0,
            recent: 0,
            solo: 0.0,
            unlent: 0.0,
            tally: Tally::default(),
        };
        Self {
            cores,
            policy: Policy::from_costs(costs),
            costs: Rc::new(*costs),
            block: block as f64,
            copies,
            shared: Rc::new(RefCell::new(shared)),
        }
    }

    pub(super) fn tally(&self) -> Tally {
        self.shared.borrow().tally.clone()
    }

    /// A thread that writes pieces of one size forever, in messages of this length.
    pub(super) async fn write(self, hasher: Hasher, size: f64, message: f64) {
        let mut written = 0.0;
        loop {
            let begin = self.cores.now();
            self.update(hasher, size).await;
            written += size;
            if written >= message {
                written = 0.0;
                self.offer(hasher, 0.0).await;
                self.hash_all(hasher, 0.0).await;
            }
            let tally = &mut self.shared.borrow_mut().tally;
            tally.bytes += size;
            tally.updates.push(self.cores.now() - begin);
        }
    }

    async fn update(&self, hasher: Hasher, bytes: f64) {
        let lend = self.shared.borrow_mut().lends(bytes, self.copies);
        match self.append(hasher, bytes, lend).await {
            Appended::Done => {}
            Appended::Lend => self.share(hasher, bytes).await,
            Appended::Solo => self.hash_all(hasher, bytes).await,
        }
    }

    /// Converts picoseconds for one block of each of this many messages to nanoseconds per byte.
    fn cost(&self, messages: usize) -> f64 {
        // More messages than any row has lanes are hashed one after another.
        let known = messages.min(policy::MOST);
        self.costs[known] as f64 * messages as f64 / known as f64 / 1000.0 / self.block
    }

    fn saves_a_yield(&self, bytes: f64) -> bool {
        (bytes / self.block) as u64 * self.policy.saved >= YIELD
    }

    fn is_alone(&self, hasher: Hasher) -> bool {
        let shared = self.shared.borrow();
        let own = usize::from(shared.slots[hasher].queued);
        shared.slots.len() < self.policy.worth
            || shared.solo > 0.0 && shared.queue.len() - own + 1 < self.policy.worth
    }

    async fn append(&self, hasher: Hasher, bytes: f64, lend: bool) -> Appended {
        self.cores.run(takes::CALL).await;
        let home = !self.shared.borrow().slots[hasher].out;
        if home && self.is_alone(hasher) {
            self.hash_alone(hasher, bytes).await;
            return Appended::Done;
        }
        if self.shared.borrow().solo > 0.0 {
            return Appended::Solo;
        }
        if home && lend {
            return Appended::Lend;
        }
        let before = self.shared.borrow().slots[hasher].deferred();
        if !self.shared.borrow_mut().slots[hasher].defer(bytes) {
            return Appended::Lend;
        }
        self.cores.run(bytes * takes::COPY).await;
        let (home, after, queued) = {
            let slot = &self.shared.borrow().slots[hasher];
            (!slot.out, slot.deferred(), slot.queued)
        };
        if home && after > SMALL && (!queued || (before < READY && after >= READY)) {
            self.cores.run(takes::ENTER).await;
            let full = self.shared.borrow_mut().enter(hasher, self.policy.batch);
            if full {
                let taken = self.shared.borrow_mut().take(self.policy.batch);
                self.round(taken, None).await;
            }
        }
        Appended::Done
    }

    async fn hash_alone(&self, hasher: Hasher, bytes: f64) {
        let work = {
            let mut shared = self.shared.borrow_mut();
            shared.leave(hasher);
            let slot = &mut shared.slots[hasher];
            let work = slot.staged + slot.next + bytes;
            (slot.staged, slot.next) = (0.0, 0.0);
            work
        };
        self.cores.run(takes::CALL + work * self.cost(1)).await;
        let mut shared = self.shared.borrow_mut();
        *shared.tally.rounds.entry(0).or_default() += work;
        let slot = &mut shared.slots[hasher];
        slot.unreported += work;
        if slot.unreported >= REPORT {
            let unreported = std::mem::take(&mut slot.unreported);
            shared.solo = (shared.solo - unreported).max(0.0);
        }
    }

    async fn share(&self, hasher: Hasher, bytes: f64) {
        let (left, defers) = self.offer(hasher, bytes).await;
        if left == 0.0 && bytes > 0.0 {
            return;
        }
        if bytes <= STAGING
            && defers
            && matches!(self.append(hasher, left, false).await, Appended::Done)
        {
            return;
        }
        self.hash_all(hasher, left).await;
    }

    /// Lends bytes. Returns how many are left, and whether to defer them.
    async fn offer(&self, hasher: Hasher, bytes: f64) -> (f64, bool) {
        {
            let mut shared = self.shared.borrow_mut();
            shared.beside = policy::look_around(shared.beside, shared.rounds);
        }
        self.wait_home(hasher).await;
        let work = self.shared.borrow().slots[hasher].deferred() + bytes;
        let in_vain = {
            let shared = self.shared.borrow();
            shared.solo > 0.0 || shared.queue.len() >= self.policy.batch
        };
        if !self.saves_a_yield(work) || in_vain || self.is_alone(hasher) {
            return (bytes, false);
        }
        let before = {
            let mut shared = self.shared.borrow_mut();
            shared.slots[hasher].loan = bytes;
            shared.enter(hasher, self.policy.batch);
            shared.entered
        };
        self.cores.run(takes::ENTER).await;
        self.cores.yield_now().await;
        self.help(hasher).await;
        let met = self.shared.borrow().entered != before;
        self.wait_home(hasher).await;
        let mut shared = self.shared.borrow_mut();
        let left = std::mem::take(&mut shared.slots[hasher].loan);
        shared.unlent = if met || left < bytes { 0.0 } else { UNLENT };
        let company = met && left == bytes && shared.queue.len() >= self.policy.worth;
        (left, !company)
    }

    async fn hash_all(&self, hasher: Hasher, mut bytes: f64) {
        loop {
            self.wait_home(hasher).await;
            let work = self.shared.borrow().slots[hasher].deferred() + bytes;
            if work == 0.0 {
                return;
            }
            if work <= SMALL || self.is_alone(hasher) {
                self.hash_alone(hasher, bytes).await;
                return;
            }
            let mut taken = vec![hasher];
            {
                let mut shared = self.shared.borrow_mut();
                shared.leave(hasher);
                shared.slots[hasher].go_out();
                taken.extend(shared.take_company(1, &self.policy));
            }
            bytes -= self.round(taken, Some(bytes)).await;
        }
    }

    async fn wait_home(&self, hasher: Hasher) {
        self.help(hasher).await;
        while self.shared.borrow().slots[hasher].out {
            self.shared.borrow_mut().slots[hasher].sleeping = true;
            self.cores.sleep().await;
        }
    }

    async fn help(&self, hasher: Hasher) {
        while self.shared.borrow().slots[hasher].out {
            let taken = self.shared.borrow_mut().take_company(0, &self.policy);
            if taken.is_empty() {
                return;
            }
            self.round(taken, None).await;
        }
    }

    /// Runs a round. `own` is what follows the deferred bytes of the first message; returns how
    /// much of it was hashed.
    async fn round(&self, taken: Vec<Hasher>, own: Option<f64>) -> f64 {
        let messages = taken.len();
        let totals: Vec<f64> = {
            let mut shared = self.shared.borrow_mut();
            shared.rounds += 1;
            shared.out += messages;
            let lent = |i: usize, slot: &Slot| own.filter(|_| i == 0).unwrap_or(slot.loan);
            let total = |(i, &hasher): (usize, &Hasher)| {
                let slot = &shared.slots[hasher];
                slot.staged + slot.next + lent(i, slot).min(SLICE)
            };
            taken.iter().enumerate().map(total).collect()
        };
        let (time, end) = self.lanes(&totals);
        self.cores.run(takes::ROUND + messages as f64 * takes::MESSAGE + time).await;
        let (own_hashed, sleeping) = self.come_home(&taken, &totals, end, own);
        for hasher in sleeping {
            self.cores.wake(hasher).await;
        }
        own_hashed
    }

    /// Duration of a round in nanoseconds, and how many bytes of each message are hashed when it
    /// ends, which is as soon as a quarter of the lanes is idle.
    fn lanes(&self, totals: &[f64]) -> (f64, f64) {
        let mut ascending = totals.to_vec();
        ascending.sort_by(f64::total_cmp);
        let lanes = self.row_lanes(totals.len());
        let (mut time, mut at) = (0.0, 0.0);
        for (ended, &total) in ascending.iter().enumerate() {
            time += (total - at) * self.cost(totals.len() - ended);
            at = total;
            if totals.len() - ended - 1 <= lanes * 3 / 4 {
                break;
            }
        }
        (time, at)
    }

    /// Lanes of the row that this many messages run in: more messages cost more.
    fn row_lanes(&self, messages: usize) -> usize {
        let same = |&more: &usize| self.costs[more] as f64 <= self.costs[messages] as f64 * 1.1;
        (messages.min(policy::MOST)..=policy::MOST).take_while(same).last().unwrap_or(policy::MOST)
    }

    fn come_home(
        &self,
        taken: &[Hasher],
        totals: &[f64],
        end: f64,
        own: Option<f64>,
    ) -> (f64, Vec<Hasher>) {
        let mut shared = self.shared.borrow_mut();
        shared.rounds -= 1;
        shared.out -= taken.len();
        let (mut own_hashed, mut sleeping) = (0.0, Vec::new());
        for (i, (&hasher, total)) in taken.iter().zip(totals).enumerate() {
            let mut done = total.min(end);
            let slot = &mut shared.slots[hasher];
            for part in [&mut slot.staged, &mut slot.next] {
                let used = part.min(done);
                *part -= used;
                done -= used;
            }
            if i == 0 && own.is_some() {
                own_hashed = done;
            } else {
                slot.loan -= done;
            }
            slot.come_home();
            if slot.deferred() > SMALL || slot.loan > 0.0 {
                shared.enter(hasher, usize::MAX);
            }
            if std::mem::take(&mut shared.slots[hasher].sleeping) {
                sleeping.push(hasher);
            }
        }
        let hashed: f64 = totals.iter().map(|total| total.min(end)).sum();
        *shared.tally.rounds.entry(taken.len()).or_default() += hashed;
        if taken.len() > 1 {
            let most = totals.iter().fold(0.0, |most: f64, total| most.max(total.min(end)));
            shared.tally.shared += hashed;
            shared.tally.longest += most.max(hashed / self.row_lanes(taken.len()) as f64);
        }
        shared.looked_for_company(taken.len() - 1, &self.policy);
        (own_hashed, sleeping)
    }
}

/// The result of trying to append bytes.
enum Appended {
    Done,
    /// There is no room, or lending is better.
    Lend,
    Solo,
}

impl Shared {
    fn lends(&mut self, bytes: f64, copies: bool) -> bool {
        if copies || bytes < READY || self.recent / 4 < LEND {
            return false;
        }
        let unlent = self.unlent;
        self.unlent = (unlent - bytes).max(0.0);
        unlent == 0.0
    }

    /// Enters the queue. Returns whether at least `batch` messages are ready.
    fn enter(&mut self, hasher: Hasher, batch: usize) -> bool {
        if !std::mem::replace(&mut self.slots[hasher].queued, true) {
            self.queue.push(hasher);
            self.entered += 1;
        }
        self.queue.iter().filter(|&&other| self.slots[other].is_ready()).count() >= batch
    }

    fn leave(&mut self, hasher: Hasher) {
        if std::mem::take(&mut self.slots[hasher].queued) {
            self.queue.retain(|&other| other != hasher);
        }
    }

    /// Takes this many out, the ready ones first.
    fn take(&mut self, count: usize) -> Vec<Hasher> {
        let (ready, started): (Vec<_>, Vec<_>) =
            self.queue.iter().partition(|&&hasher| self.slots[hasher].is_ready());
        let taken: Vec<Hasher> = ready.into_iter().chain(started).take(count).collect();
        for &hasher in &taken {
            self.leave(hasher);
            self.slots[hasher].go_out();
        }
        taken
    }

    fn take_company(&mut self, own: usize, policy: &Policy) -> Vec<Hasher> {
        let messages = self.queue.len() + own;
        self.busy = policy::note_busy(self.busy, messages + self.out);
        let share = self.share(policy);
        let round = policy.round(share.min(messages));
        if share < policy.worth || round < 2 {
            return Vec::new();
        }
        self.take(round - own)
    }

    fn share(&self, policy: &Policy) -> usize {
        policy.share(policy::busy(self.busy), policy::concurrency(self.beside, self.cores))
    }

    fn looked_for_company(&mut self, found: usize, policy: &Policy) {
        self.recent = self.recent - self.recent / 4 + found + 1;
        if found > 0 {
            (self.lonely, self.solo) = (0, 0.0);
        } else if self.share(policy) < policy.worth {
            self.lonely += 1;
            let (busy, concurrency) =
                (policy::busy(self.busy), policy::concurrency(self.beside, self.cores));
            self.solo = policy.solo(self.lonely, self.slots.len(), busy, concurrency) as f64;
        }
    }
}
