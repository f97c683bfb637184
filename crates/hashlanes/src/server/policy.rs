//! How many messages share a round: a pure function of what rounds cost on a CPU.
//!
//! Nothing here reads a clock or depends on threads or shared memory, so tests can use the costs of
//! other CPUs.
//!
//! # The rule
//! Assume that `busy` messages have something to hash, and that `concurrency` rounds can run at the
//! same time. Then a round has at most `busy / concurrency` messages, and within this limit the
//! number that costs the least per message ([`Policy::share`]).
//!
//! A larger round would take less CPU time per message, but no less time: one core would work while
//! the others wait. If only one core is available, which may become known only by measuring, one
//! round of all messages is best.

/// The largest number of messages whose cost is known: the largest number of lanes of any kernel.
pub(super) const MOST: usize = 32;

/// `costs[n]` is the time for one block of each of `n` messages, in any unit. `costs[0]` is unused.
pub(super) type Costs = [u64; MOST + 1];

/// The fewest messages that start a round which nobody needs yet.
const MIN_BATCH: usize = 8;

/// Consecutive rounds without peers after which hashers stop searching for them.
const LONELY: usize = 2;

/// Bytes that each busy hasher hashes without peers before the next search for peers.
///
/// A search in vain costs one copy of a buffer and a yield: a few percent of the time to hash a
/// buffer, and less than one percent of the time to hash these bytes. Each further search in vain
/// doubles them, up to 16 times as many.
const SOLO: usize = 256 << 10;

/// The same if peers would be of no use even if there were any.
const HOPELESS: usize = 16 << 20;

/// The number of looks over which the rounds beside the caller's are averaged.
const LOOKS: usize = 16;

/// Means are integers, in which this number stands for one.
const UNIT: usize = 64;

/// What rounds of one algorithm gain on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Policy {
    pub(super) costs: Costs,
    /// Messages that use the lanes best; 1 if sharing lanes gains nothing on this CPU.
    pub(super) full: usize,
    /// The fewest messages that are hashed in a round rather than one after another.
    pub(super) worth: usize,
    /// The most messages in one round. This many ready messages start a round.
    pub(super) batch: usize,
    /// Time that full lanes save per block.
    pub(super) saved: u64,
}

impl Policy {
    /// The policy for these costs of rounds.
    pub(super) fn from_costs(costs: &Costs) -> Self {
        // This rules out division by zero and overflow.
        let costs = costs.map(|cost| cost.clamp(1, 1 << 30));
        let (full, worth) = full_and_worth(&costs);
        Self {
            costs,
            full,
            worth,
            // More messages than lanes keep a few lanes full when lengths differ, and spread the
            // cost of a round.
            batch: full * MIN_BATCH.div_ceil(full),
            saved: costs[1].saturating_sub(costs[full] / full as u64),
        }
    }

    /// How many messages a round should have at most, if `busy` messages have something to hash
    /// and `concurrency` rounds can run side by side. 1 if each is better hashed by itself.
    pub(super) fn share(&self, busy: usize, concurrency: usize) -> usize {
        self.cheapest(self.worth, busy.div_ceil(concurrency.max(1))).unwrap_or(1)
    }

    /// How many of `messages` available ones a round takes. 1 if hashing them one after another is
    /// about as fast.
    ///
    /// The gain may be smaller here than the gain for which a search for peers is worthwhile: these
    /// have been found.
    pub(super) fn round(&self, messages: usize) -> usize {
        let round = self.cheapest(2, messages).unwrap_or(1);
        let singly = self.costs[1] * round as u64;
        if self.costs[round] * 10 <= singly * 9 { round } else { 1 }
    }

    /// The number of messages, from `least` to `most`, with the lowest cost per message. The
    /// largest of several, since a round has a cost of its own.
    fn cheapest(&self, least: usize, most: usize) -> Option<usize> {
        let sizes = (least..=most.min(self.batch).min(MOST)).rev();
        sizes.min_by_key(|&messages| each(&self.costs, messages))
    }

    /// Bytes that all hashers together hash without peers before the next search for peers.
    ///
    /// The last `lonely` rounds had no peers. There are `hashers`, of which `busy` had something to
    /// hash recently.
    pub(super) fn solo(
        &self,
        lonely: usize,
        hashers: usize,
        busy: usize,
        concurrency: usize,
    ) -> usize {
        if self.share(hashers, concurrency) < self.worth {
            return HOPELESS.saturating_mul(hashers);
        }
        let Some(times) = lonely.checked_sub(LONELY) else { return 0 };
        (SOLO << times.min(4)).saturating_mul(busy.max(1))
    }
}

/// Whether `part` is less than `whole` by a quarter or more: the least gain for which hashers
/// search for peers. The costs leave out copies, switches between threads and the rounds
/// themselves.
fn much_less(part: u64, whole: u64) -> bool {
    part * 4 <= whole * 3
}

/// The cost per message of this many messages, in a unit small enough for integers.
fn each(costs: &Costs, messages: usize) -> u64 {
    costs[messages] * 1000 / messages as u64
}

/// How many messages use the lanes best, and how few are worth a round.
///
/// The first number costs at most a twentieth more per message than the best one, and one more
/// message would cost more. The second is the smallest number that takes at least a quarter less
/// time side by side than one after another. They are (1, usize::MAX) if no number does.
fn full_and_worth(costs: &Costs) -> (usize, usize) {
    let is_worth = |&messages: &usize| much_less(costs[messages], costs[1] * messages as u64);
    let Some(worth) = (2..=MOST).find(is_worth) else { return (1, usize::MAX) };
    let least = (1..=MOST).map(|messages| each(costs, messages)).min().unwrap_or(0);
    let is_full = |&messages: &usize| {
        // All lanes but one are never the best, however close the cost.
        let last = messages == MOST || each(costs, messages + 1) >= each(costs, messages);
        last && each(costs, messages) <= least + least / 20
    };
    ((worth..=MOST).find(is_full).unwrap_or(worth), worth)
}

/// Updates the mean number of rounds that run beside a thread that comes to share: one more thread
/// has come and sees `rounds`. The first `mean` is 0.
pub(super) fn look_around(mean: usize, rounds: usize) -> usize {
    mean - mean / LOOKS + rounds.min(MOST * UNIT) * UNIT / LOOKS
}

/// How many rounds can run at the same time, at most `cores`, according to the mean of
/// [`look_around`].
///
/// This is measured, because the system may report more cores than are available: other programs
/// use them, or a container has less time than cores. But a round whose thread has lost its core is
/// in progress too, so there may also be more rounds than cores.
pub(super) fn concurrency(mean: usize, cores: usize) -> usize {
    (1 + (mean + UNIT / 2) / UNIT).min(cores)
}

/// Updates the recent number of busy messages, which [`busy`] reads, after seeing `now`. It rises
/// at once and falls slowly, since a message that is just being written is not seen. The first
/// `lately` is 0.
pub(super) fn note_busy(lately: usize, now: usize) -> usize {
    (lately - lately / 128).max(now.min(usize::MAX / UNIT) * UNIT)
}

/// How many messages are busy according to what [`note_busy`] returned.
pub(super) fn busy(lately: usize) -> usize {
    lately / UNIT
}

#[cfg(all(test, feature = "all", not(loom)))]
mod tests {
    use super::*;

    /// The costs of rows: (lanes, cycles for a block of all of them).
    fn costs(rows: &[(usize, u64)]) -> Costs {
        core::array::from_fn(|messages| {
            let cost = |&(lanes, cycles): &(usize, u64)| cycles * messages.div_ceil(lanes) as u64;
            rows.iter().map(cost).min().unwrap_or(0)
        })
    }

    fn policy(rows: &[(usize, u64)]) -> Policy {
        Policy::from_costs(&costs(rows))
    }

    // Zen 3: the AMD column of `kernel/table/`, with rows up to AVX2 and the SHA extensions.
    const ZEN3_MD5: &[(usize, u64)] = &[(1, 300), (2, 340), (4, 375), (8, 380), (16, 490)];
    const ZEN3_SHA1: &[(usize, u64)] = &[(1, 122), (2, 136), (4, 416), (8, 430)];
    const ZEN3_SHA256: &[(usize, u64)] = &[(1, 130), (2, 138), (4, 1000), (8, 1000)];
    const ZEN3_SHA512: &[(usize, u64)] = &[(1, 540), (2, 1290), (4, 1200)];

    // Golden Cove with AVX-512: the Intel column.
    const INTEL_MD5: &[(usize, u64)] =
        &[(1, 305), (2, 342), (4, 395), (8, 283), (16, 304), (32, 439)];
    const INTEL_SHA1: &[(usize, u64)] = &[(1, 124), (2, 209), (8, 360), (16, 433)];
    const INTEL_SHA256: &[(usize, u64)] = &[(1, 135), (2, 211), (4, 397), (8, 691), (16, 857)];
    const INTEL_SHA512: &[(usize, u64)] = &[(1, 662), (4, 859), (8, 1104)];

    const ALL: [&[(usize, u64)]; 8] = [
        ZEN3_MD5,
        ZEN3_SHA1,
        ZEN3_SHA256,
        ZEN3_SHA512,
        INTEL_MD5,
        INTEL_SHA1,
        INTEL_SHA256,
        INTEL_SHA512,
    ];

    /// Full lanes, the fewest messages worth a round, and the most of one.
    fn numbers(rows: &[(usize, u64)]) -> (usize, usize, usize) {
        let Policy { full, worth, batch, .. } = policy(rows);
        (full, worth, batch)
    }

    #[test]
    fn full_lanes_and_the_fewest_worth_a_round_follow_the_costs() {
        assert_eq!(numbers(ZEN3_MD5), (16, 2, 16));
        assert_eq!(numbers(ZEN3_SHA1), (8, 2, 8));
        assert_eq!(numbers(ZEN3_SHA256), (2, 2, 8));
        assert_eq!(numbers(ZEN3_SHA512), (4, 3, 8));
        assert_eq!(numbers(INTEL_MD5), (32, 2, 32));
        assert_eq!(numbers(INTEL_SHA1), (16, 4, 16));
        // Two streams save only 22 %, four 26 %.
        assert_eq!(numbers(INTEL_SHA256), (16, 4, 16));
        assert_eq!(numbers(INTEL_SHA512), (8, 2, 8));
        // Nothing to gain.
        assert_eq!(numbers(&[(1, 100)]), (1, usize::MAX, 8));
        // Four lanes are full: 16 would cost 4 % less per message.
        assert_eq!(numbers(&[(1, 1000), (4, 1040), (16, 4000)]), (4, 2, 8));
        assert_eq!(policy(ZEN3_MD5).saved, 300 - 490 / 16);
        // No CPU has such costs, but there must be no division by zero.
        policy(&[(1, 0)]).share(9, 2);
    }

    #[test]
    fn one_core_takes_what_there_is() {
        for rows in ALL {
            let policy = policy(rows);
            for busy in policy.worth..100 {
                let share = policy.share(busy, 1);
                let least = (1..=busy.min(policy.batch)).map(|n| each(&policy.costs, n)).min();
                assert_eq!(Some(each(&policy.costs, share)), least, "{busy} of {rows:?}");
            }
        }
    }

    #[test]
    fn two_writers_with_a_core_each_are_hashed_singly() {
        for rows in ALL {
            assert_eq!(policy(rows).share(2, 2), 1, "{rows:?}");
            assert_eq!(policy(rows).share(1, 1), 1);
            assert_eq!(policy(rows).share(0, 0), 1);
        }
        // With one core they share, if two are worth it.
        assert_eq!(policy(ZEN3_MD5).share(2, 1), 2);
        assert_eq!(policy(ZEN3_SHA512).share(2, 1), 1);
    }

    #[test]
    fn two_cores_share_what_one_would_take() {
        let shares = |rows, busy: [usize; 5]| busy.map(|busy| policy(rows).share(busy, 2));
        let busy = [3, 4, 8, 16, 64];
        assert_eq!(shares(ZEN3_MD5, busy), [2, 2, 4, 8, 16]);
        assert_eq!(shares(ZEN3_SHA1, busy), [2, 2, 4, 8, 8]);
        assert_eq!(shares(ZEN3_SHA256, busy), [2, 2, 4, 8, 8]);
        // Two of SHA-512 are not worth a round, three and four are.
        assert_eq!(shares(ZEN3_SHA512, busy), [1, 1, 4, 8, 8]);
        assert_eq!(shares(INTEL_MD5, busy), [2, 2, 4, 8, 32]);
        assert_eq!(shares(INTEL_SHA1, busy), [1, 1, 4, 8, 16]);
        // 8 and 8 take 691 cycles, all 16 at once 857.
        assert_eq!(shares(INTEL_SHA256, busy), [1, 1, 4, 8, 16]);
        assert_eq!(shares(INTEL_SHA512, busy), [2, 2, 4, 8, 8]);
    }

    #[test]
    fn a_share_is_of_the_least_cost_and_no_more_than_the_cores_leave() {
        // Nine messages take two runs of eight lanes, so each costs more than with eight.
        assert_eq!(policy(ZEN3_MD5).share(18, 2), 8);
        assert_eq!(policy(ZEN3_MD5).share(9, 1), 8);
        assert_eq!(policy(ZEN3_SHA256).share(7, 1), 6);
        for rows in ALL {
            let policy = policy(rows);
            for (busy, cores) in (0..200).flat_map(|busy| (0..70).map(move |cores| (busy, cores))) {
                let share = policy.share(busy, cores);
                assert!((1..=policy.batch).contains(&share));
                assert!(share == 1 || share >= policy.worth, "{busy} on {cores}: {share}");
                assert!(share == 1 || (share - 1) * cores < busy, "{busy} on {cores}: {share}");
                let singly = policy.costs[1] * share as u64;
                assert!(share == 1 || much_less(policy.costs[share], singly), "{busy} on {cores}");
            }
        }
    }

    #[test]
    fn a_round_is_of_the_least_cost_or_each_is_hashed_singly() {
        let rounds = |rows, messages: [usize; 6]| messages.map(|n| policy(rows).round(n));
        let messages = [0, 1, 2, 3, 9, 100];
        assert_eq!(rounds(ZEN3_MD5, messages), [1, 1, 2, 3, 8, 16]);
        assert_eq!(rounds(ZEN3_SHA256, messages), [1, 1, 2, 2, 8, 8]);
        assert_eq!(rounds(ZEN3_SHA512, messages), [1, 1, 1, 3, 8, 8]);
        // Two streams save 22 %: not worth a search, but taken when found.
        assert_eq!(rounds(INTEL_SHA256, messages), [1, 1, 2, 2, 8, 16]);
        assert_eq!(policy(&[(1, 100), (2, 181)]).round(2), 1);
    }

    #[test]
    fn concurrency_follows_the_rounds_beside() {
        assert_eq!(concurrency(0, 200), 1);
        for cores in 1..100 {
            let mut mean = 0;
            // A thread sees the rounds of the other cores.
            (0..400).for_each(|_| mean = look_around(mean, cores - 1));
            assert_eq!(concurrency(mean, 200), cores);
            (0..400).for_each(|_| mean = look_around(mean, 0));
            assert_eq!(concurrency(mean, 200), 1);
        }
        // Rounds that wait for a core do not add cores.
        let mean = (0..400).fold(0, |mean, _| look_around(mean, 9));
        assert_eq!(concurrency(mean, 2), 2);
        // A single look does not count as a core. Half of all looks do.
        assert_eq!(concurrency(look_around(0, 1), 200), 1);
        let seen = |rounds: [usize; 4]| {
            let mean = (0..400).fold(0, |mean, look| look_around(mean, rounds[look % 4]));
            concurrency(mean, 200)
        };
        assert_eq!(seen([0, 1, 0, 0]), 1);
        assert_eq!(seen([1, 1, 0, 1]), 2);
    }

    #[test]
    fn busy_messages_are_noticed_at_once_and_forgotten_slowly() {
        let mut lately = note_busy(0, 16);
        assert_eq!(busy(lately), 16);
        lately = note_busy(lately, 3);
        assert_eq!(busy(lately), 15);
        (0..1000).for_each(|_| lately = note_busy(lately, 3));
        assert_eq!(busy(lately), 3);
        assert_eq!(busy(note_busy(0, usize::MAX)), usize::MAX / UNIT);
    }

    #[test]
    fn searches_become_rarer_the_more_often_they_are_in_vain() {
        let policy = policy(ZEN3_MD5);
        let solo = |lonely| policy.solo(lonely, 100, 1, 1);
        assert_eq!(solo(1), 0);
        assert_eq!([2, 3, 6, 7].map(solo), [SOLO, 2 * SOLO, 16 * SOLO, 16 * SOLO]);
        // All busy hashers count towards the same number of bytes.
        assert_eq!(policy.solo(2, 100, 8, 1), 8 * SOLO);
        // Two hashers on two cores gain nothing, three do.
        assert_eq!(policy.solo(1, 2, 2, 2), 2 * HOPELESS);
        assert_eq!(policy.solo(1, 3, 2, 2), 0);
    }
}
