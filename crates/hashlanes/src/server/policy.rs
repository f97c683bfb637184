//! How many messages share a round: a pure function of what rounds cost on a CPU.
//!
//! Nothing here looks at a clock, at threads or at shared memory. So the same code decides in the
//! server, in its tests with the costs of CPUs that are not there, and in the simulator of
//! `benches/server`, which compiles this file as it is.
//!
//! # The rule
//! Say that `busy` messages have something to hash, and that `concurrency` rounds can run side by
//! side. Rounds of `n` messages then hash `min(n * concurrency, busy)` messages in the time that
//! one round takes. This, divided by the cost of a round, is the *rate* of `n`. [`Policy::share`]
//! chooses the `n` that takes the least CPU time, of those whose rate is about the best.
//!
//! One round of all messages takes the least CPU time, but then one core works and the others wait.
//! Two rounds of half as many messages are faster if there are two cores and full lanes for both.
//! With one core, which may show only in use, one round is right.

/// The largest number of messages whose cost is known: as many as any kernel has lanes.
pub(super) const MOST: usize = 32;

/// `costs[n]` is the time for one block of each of `n` messages, in any unit. `costs[0]` is not
/// used.
pub(super) type Costs = [u64; MOST + 1];

/// The fewest messages for which a round is started that nobody needs yet.
const MIN_BATCH: usize = 8;

/// Busy messages beyond which more make no difference, for arithmetic without overflow.
const MANY: usize = 1 << 20;

/// Per cent of the best rate that are enough, if a round then takes less CPU time for a message.
const ABOUT: u64 = 97;

/// Rounds in a row without company after which it is not looked for any more.
const LONELY: usize = 2;

/// Bytes that each busy hasher hashes alone before company is looked for again.
///
/// A search in vain costs a copy of one buffer and a yield: some percent of the time to hash as
/// much, so less than one percent of these bytes. Each further search in vain doubles them, up to 4
/// times as many.
const SOLO: usize = 256 << 10;

/// The same where company would be of no use if there were any.
const HOPELESS: usize = 4 << 20;

/// The rounds beside the caller's are a mean over about so many looks.
const LOOKS: usize = 16;

/// Means are whole numbers of this part of one.
const UNIT: usize = 64;

/// What the rounds of one algorithm are worth on one CPU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Policy {
    pub(super) costs: Costs,
    /// Messages that make the best of the lanes; 1 if sharing lanes gains nothing on this CPU.
    pub(super) full: usize,
    /// The fewest messages that are hashed in a round and not one after the other.
    pub(super) worth: usize,
    /// The most messages in one round. As many ready ones start a round.
    pub(super) batch: usize,
    /// Time that full lanes save for each block.
    pub(super) saved: u64,
}

impl Policy {
    /// The limits where rounds cost so much.
    pub(super) fn from_costs(costs: &Costs) -> Self {
        // So that nothing is divided by zero or overflows.
        let costs = costs.map(|cost| cost.clamp(1, 1 << 30));
        let (full, worth) = full_and_worth(&costs);
        Self {
            costs,
            full,
            worth,
            // More messages than lanes keep few lanes full when lengths differ, and share the cost
            // of a round.
            batch: full * MIN_BATCH.div_ceil(full),
            saved: costs[1].saturating_sub(costs[full] / full as u64),
        }
    }

    /// How many messages a round should have at most, if `busy` messages have something to hash
    /// and `concurrency` rounds can run side by side. 1 if each is better hashed alone.
    pub(super) fn share(&self, busy: usize, concurrency: usize) -> usize {
        let busy = busy.clamp(1, MANY);
        let rate = |messages: usize| {
            let side_by_side = messages.saturating_mul(concurrency.max(1)).min(busy);
            ((side_by_side as u64) << 32) / self.costs[messages]
        };
        let most = busy.min(self.batch).min(MOST);
        let best = (1..=most).map(rate).max().unwrap_or(0);
        if !much_less(rate(1), best) {
            return 1;
        }
        let about_best = |&messages: &usize| rate(messages) * 100 >= best * ABOUT;
        let candidates = (self.worth..=most).filter(about_best);
        candidates.min_by_key(|&messages| each(&self.costs, messages)).unwrap_or(1)
    }

    /// How many of so many messages make the best round: as many as fill the lanes entirely, once
    /// or several times.
    pub(super) fn round(&self, messages: usize) -> usize {
        let messages = messages.min(self.batch);
        if messages > self.full { messages - messages % self.full } else { messages }
    }

    /// Bytes to be hashed alone before company is looked for again, by all hashers together.
    ///
    /// `lonely` rounds in a row had no company. There are `hashers`, of which `busy` were seen with
    /// something to hash lately.
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
        (SOLO << times.min(2)).saturating_mul(busy.max(1))
    }
}

/// Whether `part` is less than `whole` by a fifth or more: the least gain for which messages share
/// a round. What a round costs beside hashing is not in the costs.
fn much_less(part: u64, whole: u64) -> bool {
    part * 5 <= whole * 4
}

/// The cost for each of so many messages, in units small enough for whole numbers.
fn each(costs: &Costs, messages: usize) -> u64 {
    costs[messages] * 1000 / messages as u64
}

/// How many messages make the best of the lanes, and how few are worth a round.
///
/// The first number costs at most a twentieth more for each message than the best one. The second
/// is the smallest that takes at least a fifth less side by side than one after the other. They are
/// (1, usize::MAX) if no number does.
fn full_and_worth(costs: &Costs) -> (usize, usize) {
    let is_worth = |&messages: &usize| much_less(costs[messages], costs[1] * messages as u64);
    let Some(worth) = (2..=MOST).find(is_worth) else { return (1, usize::MAX) };
    let least = (1..=MOST).map(|messages| each(costs, messages)).min().unwrap_or(0);
    let is_full = |&messages: &usize| {
        // A lane less than all is not the best, however near.
        let last = messages == MOST || each(costs, messages + 1) >= each(costs, messages);
        last && each(costs, messages) <= least + least / 20
    };
    ((worth..=MOST).find(is_full).unwrap_or(worth), worth)
}

/// The mean of the rounds that ran beside threads that came to share, after one more thread has
/// come, beside whom `rounds` run. Begins at 0.
pub(super) fn look_around(mean: usize, rounds: usize) -> usize {
    mean - mean / LOOKS + rounds.min(MOST * UNIT) * UNIT / LOOKS
}

/// How many rounds can run side by side, by the mean of [`look_around`].
///
/// This is measured, for what the system says of cores is often wrong: others may use them, or a
/// container may have less time than cores.
pub(super) fn concurrency(mean: usize) -> usize {
    1 + (mean + UNIT / 2) / UNIT
}

/// The number of busy messages lately, as [`busy`] reads it, after `now` were seen. It rises at
/// once and falls slowly, since a message that is just being written is not seen. Begins at 0.
pub(super) fn note_busy(lately: usize, now: usize) -> usize {
    (lately - lately / 32).max(now.min(MANY) * UNIT)
}

/// How many messages are busy, by what [`note_busy`] returned.
pub(super) fn busy(lately: usize) -> usize {
    lately / UNIT
}

#[cfg(all(test, not(loom)))]
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

    // Zen 3: the AMD column of `kernel/table.rs`, rows up to AVX2 and the SHA extensions.
    const ZEN3_MD5: &[(usize, u64)] = &[(1, 300), (2, 340), (4, 375), (8, 380), (16, 490)];
    const ZEN3_SHA1: &[(usize, u64)] = &[(1, 122), (2, 136), (4, 416), (8, 430)];
    const ZEN3_SHA256: &[(usize, u64)] = &[(1, 130), (2, 138), (4, 1000), (8, 1000)];
    const ZEN3_SHA512: &[(usize, u64)] = &[(1, 540), (2, 1290), (4, 1200)];

    // Golden Cove with AVX-512: measured cycles, with rows for 256-bit and 512-bit registers.
    const INTEL_MD5: &[(usize, u64)] =
        &[(1, 305), (2, 344), (4, 393), (8, 269), (16, 303), (32, 509)];
    const INTEL_SHA1: &[(usize, u64)] = &[(1, 124), (2, 218), (8, 322), (16, 432)];
    const INTEL_SHA256: &[(usize, u64)] = &[(1, 139), (2, 234), (8, 655), (16, 884)];
    const INTEL_SHA512: &[(usize, u64)] = &[(1, 650), (4, 817), (8, 1121)];

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
        // Two streams save 16 % only.
        assert_eq!(numbers(INTEL_SHA256), (16, 6, 16));
        assert_eq!(numbers(INTEL_SHA512), (8, 2, 8));
        // Nothing to gain.
        assert_eq!(numbers(&[(1, 100)]), (1, usize::MAX, 8));
        // Not what any CPU does, but nothing is divided by zero.
        policy(&[(1, 0)]).share(9, 2);
    }

    #[test]
    fn one_core_takes_what_there_is() {
        for rows in ALL {
            let policy = policy(rows);
            for busy in policy.worth..100 {
                let share = policy.share(busy, 1);
                let least = (1..=busy.min(policy.batch)).map(|n| each(&policy.costs, n)).min();
                // Within the tolerance, of which the cheapest is taken.
                assert!(each(&policy.costs, share) * ABOUT <= least.unwrap() * 100, "{busy}");
            }
        }
    }

    #[test]
    fn two_writers_with_a_core_each_are_hashed_alone() {
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
    fn two_cores_share_what_would_fill_one() {
        // 8 and 8 take 2/655 of a round; 16 at once take 1/884.
        assert_eq!(policy(INTEL_SHA256).share(16, 2), 8);
        assert_eq!(policy(INTEL_SHA256).share(16, 1), 16);
        assert_eq!(policy(INTEL_SHA256).share(64, 2), 16);
        // Four messages in two cores are better alone: two streams gain too little.
        assert_eq!(policy(INTEL_SHA256).share(4, 2), 1);
        assert_eq!(policy(INTEL_MD5).share(16, 2), 8);
        assert_eq!(policy(INTEL_MD5).share(32, 2), 16);
        assert_eq!(policy(INTEL_MD5).share(64, 2), 32);
        assert_eq!(policy(ZEN3_MD5).share(4, 2), 2);
        assert_eq!(policy(ZEN3_MD5).share(16, 2), 8);
        assert_eq!(policy(ZEN3_MD5).share(64, 2), 16);
        assert_eq!(policy(ZEN3_SHA256).share(16, 2), 2);
        assert_eq!(policy(ZEN3_SHA1).share(4, 2), 2);
        // 1200 cycles for four at once, and 1080 for two and two one after the other.
        assert_eq!(policy(ZEN3_SHA512).share(4, 2), 1);
        assert_eq!(policy(ZEN3_SHA512).share(8, 2), 4);
    }

    #[test]
    fn a_share_is_never_slower_than_each_alone_whatever_the_cores() {
        for rows in ALL {
            let policy = policy(rows);
            for busy in 1..200 {
                for cores in 1..70 {
                    let share = policy.share(busy, cores);
                    let speed = |n: usize| (n * cores).min(busy) as f64 / policy.costs[n] as f64;
                    assert!((1..=policy.batch.min(busy)).contains(&share));
                    assert!(share == 1 || share >= policy.worth, "{busy} on {cores}: {share}");
                    assert!(share == 1 || speed(share) > speed(1) * 1.2, "{busy} on {cores}");
                }
            }
        }
    }

    #[test]
    fn a_round_fills_the_lanes_or_is_all_there_is() {
        for full in [1, 2, 4, 8, 16] {
            let policy = Policy { full, batch: 16, ..policy(ZEN3_SHA512) };
            for messages in 1..40 {
                let round = policy.round(messages);
                assert!(round >= 1 && round <= messages.min(16));
                assert!(round == messages || round.is_multiple_of(full));
                assert!(messages.min(16) - round < full);
            }
        }
    }

    #[test]
    fn concurrency_follows_the_rounds_beside() {
        assert_eq!(concurrency(0), 1);
        for cores in 1..100 {
            let mut mean = 0;
            // A thread sees the rounds of the others.
            (0..400).for_each(|_| mean = look_around(mean, cores - 1));
            assert_eq!(concurrency(mean), cores);
            (0..400).for_each(|_| mean = look_around(mean, 0));
            assert_eq!(concurrency(mean), 1);
        }
        // One look more or less is no core. Half of the looks are.
        assert_eq!(concurrency(look_around(0, 1)), 1);
        let seen = |rounds: [usize; 4]| {
            let mean = (0..400).fold(0, |mean, look| look_around(mean, rounds[look % 4]));
            concurrency(mean)
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
        (0..200).for_each(|_| lately = note_busy(lately, 3));
        assert_eq!(busy(lately), 3);
        assert_eq!(busy(note_busy(0, usize::MAX)), MANY);
    }

    #[test]
    fn company_is_looked_for_less_often_the_more_often_in_vain() {
        let policy = policy(ZEN3_MD5);
        let solo = |lonely| policy.solo(lonely, 100, 1, 1);
        assert_eq!(solo(1), 0);
        assert_eq!([2, 3, 4, 5].map(solo), [SOLO, 2 * SOLO, 4 * SOLO, 4 * SOLO]);
        // All busy hashers consume the same bytes.
        assert_eq!(policy.solo(2, 100, 8, 1), 8 * SOLO);
        // Two hashers on two cores gain nothing, three do.
        assert_eq!(policy.solo(1, 2, 2, 2), 2 * HOPELESS);
        assert_eq!(policy.solo(1, 3, 2, 2), 0);
    }
}
