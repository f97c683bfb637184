//! What a server has seen of company lately, and what follows from it.
//!
//! All of it are hints: threads that race here make a round a little larger or smaller, or a search
//! a little earlier or later. No digest, no wake-up and no message depends on them. The arithmetic
//! is in `policy.rs`.

use super::policy::{self as means, Policy};
use super::sync::{Hint, Ordering};

/// Bytes of writes that are deferred after one was lent in vain, as in an event loop. The yield
/// costs less than a percent of them.
const UNLENT: usize = 1 << 20;

pub(super) struct Company {
    /// Cores that the system says there are: no more rounds run side by side.
    cores: usize,
    /// Entries to the queue so far.
    entered: Hint,
    /// Rounds in a row in which a message had no company.
    lonely: Hint,
    /// Bytes to be hashed alone before company is looked for again.
    solo: Hint,
    /// Bytes to be deferred before a write that fits is lent again.
    unlent: Hint,
    /// Messages of a round, the mean of about the last four, times four.
    recent: Hint,
    /// Rounds under way.
    rounds: Hint,
    /// Messages in those rounds.
    out: Hint,
    /// Rounds under way beside threads that came to share: see [`means::look_around`].
    beside: Hint,
    /// Busy messages: see [`means::note_busy`].
    busy: Hint,
}

/// A round under way, from here until it is dropped.
pub(super) struct Underway<'c> {
    company: &'c Company,
    messages: usize,
}

impl Company {
    pub(super) fn new(cores: usize) -> Self {
        let [entered, lonely, solo, unlent, recent, rounds, out, beside, busy] =
            core::array::from_fn(|_| Hint::new(0));
        Self { cores, entered, lonely, solo, unlent, recent, rounds, out, beside, busy }
    }

    /// Counts an entry to the queue.
    pub(super) fn enter(&self) {
        self.entered.fetch_add(1, Ordering::Relaxed);
    }

    /// How many entries to the queue there have been; changes when somebody else is at work.
    pub(super) fn entered(&self) -> usize {
        self.entered.load(Ordering::Relaxed)
    }

    /// Counts a round of so many messages.
    pub(super) fn begin(&self, messages: usize) -> Underway<'_> {
        self.rounds.fetch_add(1, Ordering::Relaxed);
        self.out.fetch_add(messages, Ordering::Relaxed);
        Underway { company: self, messages }
    }

    /// Takes note of the rounds beside a thread that comes to share: cores that are really at work
    /// for this server.
    pub(super) fn look_around(&self) {
        let rounds = self.rounds.load(Ordering::Relaxed);
        let beside = self.beside.load(Ordering::Relaxed);
        self.beside.store(means::look_around(beside, rounds), Ordering::Relaxed);
    }

    /// How many rounds can run side by side.
    pub(super) fn concurrency(&self) -> usize {
        means::concurrency(self.beside.load(Ordering::Relaxed), self.cores)
    }

    /// How many messages have had something to hash lately.
    pub(super) fn busy(&self) -> usize {
        means::busy(self.busy.load(Ordering::Relaxed))
    }

    /// How many messages a round should have at most, where `here` are in the queue or at hand.
    pub(super) fn share(&self, policy: &Policy, here: usize) -> usize {
        let now = here + self.out.load(Ordering::Relaxed);
        let busy = means::note_busy(self.busy.load(Ordering::Relaxed), now);
        self.busy.store(busy, Ordering::Relaxed);
        policy.share(means::busy(busy), self.concurrency())
    }

    /// Whether company is not to be looked for at the moment.
    pub(super) fn is_solo(&self) -> bool {
        self.solo.load(Ordering::Relaxed) > 0
    }

    /// Takes note of bytes that were hashed alone.
    pub(super) fn hashed_alone(&self, bytes: usize) {
        let solo = self.solo.load(Ordering::Relaxed);
        if solo > 0 {
            self.solo.store(solo.saturating_sub(bytes), Ordering::Relaxed);
        }
    }

    /// Whether enough messages have been busy lately to share rounds.
    pub(super) fn is_expected(&self, policy: &Policy) -> bool {
        policy.share(self.busy(), self.concurrency()) >= policy.worth
    }

    /// Takes note of how many others a message found that looked for company. There are `hashers`.
    pub(super) fn looked_for_company(&self, policy: &Policy, found: usize, hashers: usize) {
        let recent = self.recent.load(Ordering::Relaxed);
        self.recent.store(recent - recent / 4 + found + 1, Ordering::Relaxed);
        let (lonely, solo) = if found > 0 {
            (0, 0)
        } else if self.is_expected(policy) {
            // They are in rounds of others, or about to write.
            return;
        } else {
            let lonely = self.lonely.load(Ordering::Relaxed).saturating_add(1);
            (lonely, policy.solo(lonely, hashers, self.busy(), self.concurrency()))
        };
        self.lonely.store(lonely, Ordering::Relaxed);
        self.solo.store(solo, Ordering::Relaxed);
    }

    /// Messages of a round lately.
    pub(super) fn recent(&self) -> usize {
        self.recent.load(Ordering::Relaxed) / 4
    }

    /// Whether so many bytes that fit are to be lent, going by what came of it lately. If not, the
    /// caller is going to defer them.
    pub(super) fn lends(&self, bytes: usize) -> bool {
        let unlent = self.unlent.load(Ordering::Relaxed);
        if unlent > 0 {
            self.unlent.store(unlent.saturating_sub(bytes), Ordering::Relaxed);
        }
        unlent == 0
    }

    /// Takes note of whether others came while bytes were lent.
    pub(super) fn lent(&self, met: bool) {
        self.unlent.store(if met { 0 } else { UNLENT }, Ordering::Relaxed);
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        self.company.rounds.fetch_sub(1, Ordering::Relaxed);
        self.company.out.fetch_sub(self.messages, Ordering::Relaxed);
    }
}
