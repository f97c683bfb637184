//! How many peers messages have met recently, and what follows from it.
//!
//! All of these numbers are hints: a race makes a round a little larger or smaller, or a search a
//! little earlier or later. No digest, wake-up or message depends on them. The arithmetic is in
//! `policy.rs`.

use super::policy::{self as means, Policy};
use super::sync::{Hint, Ordering};
use super::trial::Trial;

/// Bytes of writes to defer after lending one was in vain, as in an event loop. The yield costs
/// less than one percent of the time to hash them.
const UNLENT: usize = 1 << 20;

pub(super) struct Peers {
    /// Cores according to the system: no more rounds run side by side.
    cores: usize,
    /// Entries to the queue so far.
    entered: Hint,
    /// Consecutive rounds in which a message had no peers.
    lonely: Hint,
    /// Bytes to hash without peers before the next search for peers.
    solo: Hint,
    /// Bytes to defer before a write that fits is lent again.
    unlent: Hint,
    /// Messages in a round: the mean of about the last four, times four.
    recent: Hint,
    /// Rounds in progress.
    rounds: Hint,
    /// Messages in those rounds.
    out: Hint,
    /// Rounds in progress when a thread came to share: see [`means::look_around`].
    beside: Hint,
    /// Busy messages: see [`means::note_busy`].
    busy: Hint,
    pub(super) trial: Trial,
}

/// A round in progress, until this is dropped.
pub(super) struct Underway<'c> {
    peers: &'c Peers,
    messages: usize,
}

impl Peers {
    pub(super) fn new(cores: usize) -> Self {
        let [entered, lonely, solo, unlent, recent, rounds, out, beside, busy] =
            core::array::from_fn(|_| Hint::new(0));
        let trial = Trial::new();
        Self { cores, entered, lonely, solo, unlent, recent, rounds, out, beside, busy, trial }
    }

    /// Counts an entry to the queue.
    pub(super) fn enter(&self) {
        self.entered.fetch_add(1, Ordering::Relaxed);
    }

    /// How many times a slot has entered the queue. A change shows that others are at work.
    pub(super) fn entered(&self) -> usize {
        self.entered.load(Ordering::Relaxed)
    }

    /// Counts a round of this many messages.
    pub(super) fn begin(&self, messages: usize) -> Underway<'_> {
        self.rounds.fetch_add(1, Ordering::Relaxed);
        self.out.fetch_add(messages, Ordering::Relaxed);
        Underway { peers: self, messages }
    }

    /// Records the rounds that run beside a thread that comes to share: they show how many cores
    /// really work for this server.
    pub(super) fn look_around(&self) {
        let rounds = self.rounds.load(Ordering::Relaxed);
        let beside = self.beside.load(Ordering::Relaxed);
        self.beside.store(means::look_around(beside, rounds), Ordering::Relaxed);
    }

    /// How many rounds can run side by side.
    pub(super) fn concurrency(&self) -> usize {
        means::concurrency(self.beside.load(Ordering::Relaxed), self.cores)
    }

    /// How many messages have had something to hash recently.
    pub(super) fn busy(&self) -> usize {
        means::busy(self.busy.load(Ordering::Relaxed))
    }

    /// How many messages a round should have at most, if `here` are in the queue or at hand.
    pub(super) fn share(&self, policy: &Policy, here: usize) -> usize {
        let now = here + self.out.load(Ordering::Relaxed);
        let busy = means::note_busy(self.busy.load(Ordering::Relaxed), now);
        self.busy.store(busy, Ordering::Relaxed);
        policy.share(means::busy(busy), self.concurrency())
    }

    /// Whether not to search for peers at the moment.
    pub(super) fn is_solo(&self) -> bool {
        self.solo.load(Ordering::Relaxed) > 0 || self.trial.is_apart()
    }

    /// Records bytes that were hashed without peers.
    pub(super) fn hashed_singly(&self, bytes: usize) {
        let solo = self.solo.load(Ordering::Relaxed);
        if solo > 0 {
            self.solo.store(solo.saturating_sub(bytes), Ordering::Relaxed);
        }
    }

    /// Whether enough messages have been busy recently to share rounds.
    pub(super) fn is_expected(&self, policy: &Policy) -> bool {
        policy.share(self.busy(), self.concurrency()) >= policy.worth
    }

    /// Records how many peers a message found that searched for some, among `hashers` in total.
    pub(super) fn searched(&self, policy: &Policy, found: usize, hashers: usize) {
        let recent = self.recent.load(Ordering::Relaxed);
        self.recent.store(recent - recent / 4 + found + 1, Ordering::Relaxed);
        let (lonely, solo) = if found > 0 {
            (0, 0)
        } else if self.is_expected(policy) {
            // The peers are in rounds of other threads, or about to write.
            return;
        } else {
            let lonely = self.lonely.load(Ordering::Relaxed).saturating_add(1);
            (lonely, policy.solo(lonely, hashers, self.busy(), self.concurrency()))
        };
        self.lonely.store(lonely, Ordering::Relaxed);
        self.solo.store(solo, Ordering::Relaxed);
    }

    /// Messages in recent rounds, on average.
    pub(super) fn recent(&self) -> usize {
        self.recent.load(Ordering::Relaxed) / 4
    }

    /// Whether to lend this many bytes that fit, judging by recent loans. If not, the caller will
    /// defer them.
    pub(super) fn lends(&self, bytes: usize) -> bool {
        let unlent = self.unlent.load(Ordering::Relaxed);
        if unlent > 0 {
            self.unlent.store(unlent.saturating_sub(bytes), Ordering::Relaxed);
        }
        unlent == 0
    }

    /// Records whether other threads came while bytes were lent.
    pub(super) fn lent(&self, met: bool) {
        self.unlent.store(if met { 0 } else { UNLENT }, Ordering::Relaxed);
    }
}

impl Drop for Underway<'_> {
    fn drop(&mut self) {
        self.peers.rounds.fetch_sub(1, Ordering::Relaxed);
        self.peers.out.fetch_sub(self.messages, Ordering::Relaxed);
    }
}

#[cfg(all(test, feature = "all", not(loom)))]
mod tests {
    use super::*;

    /// Eight messages cost as much as one.
    fn policy() -> Policy {
        Policy::from_costs(&core::array::from_fn(|messages| 1000 * messages.div_ceil(8) as u64))
    }

    #[test]
    fn searches_in_vain_are_followed_by_bytes_without_one() {
        let (peers, policy) = (Peers::new(4), policy());
        peers.searched(&policy, 0, 2);
        assert!(!peers.is_solo(), "one search may have been bad luck");
        peers.searched(&policy, 0, 2);
        let bytes = policy.solo(2, 2, 0, 1);
        peers.hashed_singly(bytes - 1);
        assert!(peers.is_solo());
        peers.hashed_singly(100);
        assert!(!peers.is_solo());
        // After another search that finds nobody, there are twice as many bytes without one.
        peers.searched(&policy, 0, 2);
        peers.hashed_singly(2 * bytes - 1);
        assert!(peers.is_solo());
        // A search that finds a peer ends this, and the count begins again.
        peers.searched(&policy, 1, 2);
        assert!(!peers.is_solo());
        peers.searched(&policy, 0, 2);
        assert!(!peers.is_solo());
    }

    #[test]
    fn a_search_is_not_in_vain_while_peers_are_busy_elsewhere() {
        let (peers, policy) = (Peers::new(4), policy());
        assert!(!peers.is_expected(&policy));
        assert_eq!(peers.share(&policy, 2), 2);
        assert!(peers.is_expected(&policy));
        (0..10).for_each(|_| peers.searched(&policy, 0, 9));
        assert!(!peers.is_solo());
    }

    #[test]
    fn messages_and_rounds_count_while_they_are_under_way() {
        let (peers, policy) = (Peers::new(4), policy());
        assert_eq!((peers.entered(), peers.concurrency(), peers.busy()), (0, 1, 0));
        peers.enter();
        peers.enter();
        assert_eq!(peers.entered(), 2);
        let first = peers.begin(3);
        let second = peers.begin(2);
        (0..200).for_each(|_| peers.look_around());
        assert_eq!(peers.concurrency(), 3);
        drop((first, second));
        (0..200).for_each(|_| peers.look_around());
        assert_eq!(peers.concurrency(), 1);
        // Five are no longer out.
        assert_eq!((peers.share(&policy, 2), peers.busy()), (2, 2));
        let _third = peers.begin(5);
        assert_eq!((peers.share(&policy, 2), peers.busy()), (7, 7));
    }

    #[test]
    fn the_mean_of_recent_rounds_follows_them() {
        let (peers, policy) = (Peers::new(4), policy());
        assert_eq!(peers.recent(), 0);
        for messages in [4, 30, 2] {
            (0..60).for_each(|_| peers.searched(&policy, messages - 1, 99));
            assert_eq!(peers.recent(), messages);
        }
        peers.searched(&policy, 29, 99);
        assert_eq!(peers.recent(), 9, "one of the last four was of 30");
    }

    #[test]
    fn after_a_loan_in_vain_bytes_are_deferred_before_the_next() {
        let peers = Peers::new(4);
        assert!(peers.lends(5000));
        peers.lent(false);
        assert!(!peers.lends(UNLENT - 1));
        assert!(!peers.lends(5000));
        assert!(peers.lends(5000));
        peers.lent(false);
        peers.lent(true);
        assert!(peers.lends(5000));
    }
}
