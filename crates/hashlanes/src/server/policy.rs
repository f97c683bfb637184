//! How many messages share a round: a pure function of what rounds cost on a CPU.
//!
//! Nothing here looks at a clock, at threads or at shared memory. So the same code decides in the
//! server, in its tests with the costs of CPUs that are not there, and in the simulator of
//! `benches/server`, which compiles this file as it is.
//!
//! # The rule
//! Say that `busy` messages have something to hash, and that `concurrency` rounds can run side by
//! side. Then a round has at most `busy / concurrency` messages, and of these numbers the one that
//! costs the least for each message ([`Policy::share`]).
//!
//! A round of more messages would take less CPU time for each, but no less time: one core would
//! work and the others wait. With one core, which may show only in use, one round of all is right.

/// The largest number of messages whose cost is known: as many as any kernel has lanes.
pub(super) const MOST: usize = 32;

/// `costs[n]` is the time for one block of each of `n` messages, in any unit. `costs[0]` is not
/// used.
pub(super) type Costs = [u64; MOST + 1];

/// The fewest messages for which a round is started that nobody needs yet.
const MIN_BATCH: usize = 8;

/// Rounds in a row without company after which it is not looked for any more.
const LONELY: usize = 2;

/// Bytes that each busy hasher hashes alone before company is looked for again.
///
/// A search in vain costs a copy of one buffer and a yield: some percent of the time to hash as
/// much, so less than one percent of these bytes. Each further search in vain doubles them, up to
/// 16 times as many.
const SOLO: usize = 256 << 10;

/// The same where company would be of no use if there were any.
const HOPELESS: usize = 16 << 20;

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
        self.cheapest(self.worth, busy.div_ceil(concurrency.max(1))).unwrap_or(1)
    }

    /// How many messages a round has, of `messages` that there are and may be in it. 1 if one after
    /// the other is about as fast.
    ///
    /// Where company is looked for it is there for less than what makes it worth looking for.
    pub(super) fn round(&self, messages: usize) -> usize {
        let round = self.cheapest(2, messages).unwrap_or(1);
        let alone = self.costs[1] * round as u64;
        if self.costs[round] * 10 <= alone * 9 { round } else { 1 }
    }

    /// The number of messages, from `least` to `most`, that costs the least for each. The largest
    /// of equal ones: a round has its own cost.
    fn cheapest(&self, least: usize, most: usize) -> Option<usize> {
        let sizes = (least..=most.min(self.batch).min(MOST)).rev();
        sizes.min_by_key(|&messages| each(&self.costs, messages))
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
        (SOLO << times.min(4)).saturating_mul(busy.max(1))
    }
}

/// Whether `part` is less than `whole` by a quarter or more: the least gain for which company is
/// looked for. Copies, switches between threads and the rounds themselves are not in the costs.
fn much_less(part: u64, whole: u64) -> bool {
    part * 4 <= whole * 3
}

/// The cost for each of so many messages, in units small enough for whole numbers.
fn each(costs: &Costs, messages: usize) -> u64 {
    costs[messages] * 1000 / messages as u64
}

/// How many messages make the best of the lanes, and how few are worth a round.
///
/// The first number costs at most a twentieth more for each message than the best one, and one more
/// message would cost more. The second is the smallest that takes at least a quarter less side by
/// side than one after the other. They are (1, usize::MAX) if no number does.
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

/// How many rounds can run side by side, by the mean of [`look_around`], on at most so many cores.
///
/// This is measured, for the system may say that there are more cores than there are: others use
/// them, or a container has less time than cores. But a round whose thread has lost its core is
/// under way too, so there may also be more rounds than cores.
pub(super) fn concurrency(mean: usize, cores: usize) -> usize {
    (1 + (mean + UNIT / 2) / UNIT).min(cores)
}

/// The number of busy messages lately, as [`busy`] reads it, after `now` were seen. It rises at
/// once and falls slowly, since a message that is just being written is not seen. Begins at 0.
pub(super) fn note_busy(lately: usize, now: usize) -> usize {
    (lately - lately / 128).max(now.min(usize::MAX / UNIT) * UNIT)
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
        assert_eq!(numbers(INTEL_SHA256), (16, 7, 16));
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
                assert_eq!(Some(each(&policy.costs, share)), least, "{busy} of {rows:?}");
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
        // 8 and 8 take 655 cycles, all 16 at once 884.
        assert_eq!(shares(INTEL_SHA256, busy), [1, 1, 1, 8, 16]);
        assert_eq!(shares(INTEL_SHA512, busy), [2, 2, 4, 8, 8]);
    }

    #[test]
    fn a_share_is_of_the_least_cost_and_no_more_than_the_cores_leave() {
        // Nine in two rows of eight cost more than eight.
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
                let alone = policy.costs[1] * share as u64;
                assert!(share == 1 || much_less(policy.costs[share], alone), "{busy} on {cores}");
            }
        }
    }

    #[test]
    fn a_round_is_of_the_least_cost_or_each_is_alone() {
        let rounds = |rows, messages: [usize; 6]| messages.map(|n| policy(rows).round(n));
        let messages = [0, 1, 2, 3, 9, 100];
        assert_eq!(rounds(ZEN3_MD5, messages), [1, 1, 2, 3, 8, 16]);
        assert_eq!(rounds(ZEN3_SHA256, messages), [1, 1, 2, 2, 8, 8]);
        assert_eq!(rounds(ZEN3_SHA512, messages), [1, 1, 1, 3, 8, 8]);
        // Two streams save 16 %: less than is looked for, and taken where it is found.
        assert_eq!(rounds(INTEL_SHA256, messages), [1, 1, 2, 2, 8, 16]);
        assert_eq!(policy(&[(1, 100), (2, 181)]).round(2), 1);
    }

    #[test]
    fn concurrency_follows_the_rounds_beside() {
        assert_eq!(concurrency(0, 200), 1);
        for cores in 1..100 {
            let mut mean = 0;
            // A thread sees the rounds of the others.
            (0..400).for_each(|_| mean = look_around(mean, cores - 1));
            assert_eq!(concurrency(mean, 200), cores);
            (0..400).for_each(|_| mean = look_around(mean, 0));
            assert_eq!(concurrency(mean, 200), 1);
        }
        // Rounds that wait for a core do not make more of them.
        let mean = (0..400).fold(0, |mean, _| look_around(mean, 9));
        assert_eq!(concurrency(mean, 2), 2);
        // One look more or less is no core. Half of the looks are.
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
    fn company_is_looked_for_less_often_the_more_often_in_vain() {
        let policy = policy(ZEN3_MD5);
        let solo = |lonely| policy.solo(lonely, 100, 1, 1);
        assert_eq!(solo(1), 0);
        assert_eq!([2, 3, 6, 7].map(solo), [SOLO, 2 * SOLO, 16 * SOLO, 16 * SOLO]);
        // All busy hashers consume the same bytes.
        assert_eq!(policy.solo(2, 100, 8, 1), 8 * SOLO);
        // Two hashers on two cores gain nothing, three do.
        assert_eq!(policy.solo(1, 2, 2, 2), 2 * HOPELESS);
        assert_eq!(policy.solo(1, 3, 2, 2), 0);
    }
}
