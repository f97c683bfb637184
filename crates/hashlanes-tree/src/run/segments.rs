//! Divides content into segments.

use std::num::NonZeroUsize;
use std::ops::Range;

use super::Settings;
use crate::Plan;

/// If no leaf is larger than this, the buffer of one cursor has enough leaves for all lanes.
const SMALL_LEAF: u64 = 32 << 10;

/// Bytes that a worker with a single cursor reads per turn.
const ONE_BUFFER: usize = 1 << 20;

/// The maximum and minimum number of bytes that one of many cursors reads per turn.
const BUFFER: usize = 128 << 10;
const LEAST_BUFFER: usize = 16 << 10;

/// The approximate minimum of a segment in bytes, so that handing it out costs little.
const SEGMENT: u64 = 1 << 20;

/// If leaf sizes do not divide each other, a segment may be this many times the largest, so that
/// little is read twice.
const STRETCH: u64 = 8;

/// The leaves to hash in a part of the content.
pub(super) struct Region<'p> {
    pub(super) plans: Vec<&'p Plan>,
    /// The leaf numbers of each plan.
    pub(super) leaves: Vec<Range<u64>>,
    /// The end of the content, as far as it has been read.
    pub(super) length: u64,
}

impl<'p> Region<'p> {
    /// All leaves.
    pub(super) fn whole(plans: Vec<&'p Plan>, length: u64) -> Self {
        let leaves = plans.iter().map(|plan| 0..plan.leaves(length)).collect();
        Self { plans, leaves, length }
    }

    /// For each plan, the complete leaves from `first` on. At the end of the content, the last one
    /// may be shorter.
    pub(super) fn part(plans: Vec<&'p Plan>, first: &[u64], length: u64, is_end: bool) -> Self {
        let end = |plan: &Plan| if is_end { plan.leaves(length) } else { length / plan.leaf };
        let pairs = plans.iter().zip(first);
        let leaves = pairs.map(|(plan, &first)| first..end(plan).max(first)).collect();
        Self { plans, leaves, length }
    }

    /// The range of bytes of all leaves.
    fn bytes(&self) -> Range<u64> {
        self.bytes_of(&self.leaves).unwrap_or(0..0)
    }

    /// The range of bytes of these leaves. `None` if there are none.
    fn bytes_of(&self, leaves: &[Range<u64>]) -> Option<Range<u64>> {
        let some = || self.plans.iter().zip(leaves).filter(|(_, leaves)| !leaves.is_empty());
        let begin = some().map(|(plan, leaves)| leaves.start * plan.leaf).min()?;
        let end = some().map(|(plan, leaves)| leaves.end.saturating_mul(plan.leaf)).max()?;
        Some(begin..end.min(self.length))
    }
}

/// The segments of a region.
pub(super) struct Segments<'p> {
    pub(super) region: Region<'p>,
    begin: u64,
    /// Bytes of a segment.
    size: u64,
    pub(super) count: u64,
    pub(super) workers: usize,
    /// Cursors of a worker.
    pub(super) cursors: usize,
    /// Bytes of a cursor's buffer.
    pub(super) buffer: usize,
    /// The maximum number of segments that are in progress or wait for an earlier one.
    pub(super) ahead: usize,
}

/// The work of one cursor: the leaves of each plan, and their range of bytes.
pub(super) struct Segment {
    pub(super) leaves: Vec<Range<u64>>,
    pub(super) bytes: Range<u64>,
    /// The end of the bytes that count as progress. Those after it are read by another cursor, too.
    pub(super) own_end: u64,
}

impl<'p> Segments<'p> {
    pub(super) fn new(region: Region<'p>, settings: &Settings<'_>) -> Self {
        let bytes = region.bytes();
        let length = bytes.end - bytes.start;
        let readers = settings.readers.map_or(usize::MAX, NonZeroUsize::get);
        let threads = settings.threads.get().min(readers);
        let largest = region.plans.iter().map(|plan| plan.leaf).max().unwrap_or(1);
        let common = region.plans.iter().try_fold(1, |all, plan| least_common(all, plan.leaf));
        let is_small = largest <= SMALL_LEAF;
        let lanes = match is_small {
            true => 1,
            false => region.plans.iter().map(|plan| plan.engine.lanes()).max().unwrap_or(1),
        };
        let size = if is_small {
            let unit = common.filter(|&common| common <= SEGMENT).unwrap_or(largest);
            unit * (SEGMENT / unit).max(1)
        } else {
            let share = length / (threads as u64 * lanes as u64);
            match common {
                Some(common) if common <= largest.max(share) => {
                    common * share.min(SEGMENT).max(common).div_euclid(common)
                }
                _ => largest * (share / largest).clamp(1, STRETCH),
            }
        };
        let count = length.div_ceil(size);
        let workers = count.min(threads as u64).max(1) as usize;
        let digests = digests_of(&region.plans, size).max(1);
        let half = (settings.memory / 2) as u64;
        // As many segments as fit in memory, but at least one per worker.
        let ahead = (half / digests).max(workers as u64);
        let places = (lanes as u64).min((readers / workers) as u64);
        let most = (ahead / workers as u64).min(places).max(1);
        // All rounds have the same number of cursors, so that the last is not left with a few.
        let rounds = count.div_ceil(workers as u64 * most).max(1);
        let cursors = count.div_ceil(workers as u64 * rounds).clamp(1, most) as usize;
        let buffer = match is_small {
            true => ONE_BUFFER,
            false => (settings.memory / 2 / (workers * cursors)).clamp(LEAST_BUFFER, BUFFER),
        };
        // A power of two divides most sizes of leaves.
        let buffer = 1 << buffer.ilog2();
        let ahead = ahead.min(4 * (workers * cursors) as u64) as usize;
        Self { region, begin: bytes.start, size, count, workers, cursors, buffer, ahead }
    }

    pub(super) fn segment(&self, number: u64) -> Segment {
        let begin = self.begin + number * self.size;
        // The last segment has the rest.
        let end = if number + 1 == self.count { u64::MAX } else { begin + self.size };
        let all = self.region.plans.iter().zip(&self.region.leaves);
        let leaves = all.map(|(plan, all)| {
            let first = begin.div_ceil(plan.leaf).max(all.start);
            first..end.div_ceil(plan.leaf).min(all.end).max(first)
        });
        let leaves: Vec<Range<u64>> = leaves.collect();
        let bytes = self.region.bytes_of(&leaves).unwrap_or(begin..begin);
        Segment { leaves, bytes, own_end: end }
    }
}

/// Which plans are hashed in one pass: the first, which has the largest leaf, and all whose digests
/// of such a leaf's bytes fit in memory.
pub(super) fn together(plans: &[&Plan], settings: &Settings<'_>) -> Vec<bool> {
    let largest = plans.first().map_or(1, |plan| plan.leaf);
    let share = (settings.memory / 4 / settings.threads) as u64;
    let fits = |plan: &&Plan| {
        largest <= SEGMENT || plan.leaf == largest || digests_of(&[plan], largest) <= share
    };
    plans.iter().map(fits).collect()
}

/// The length of the digests of `bytes` bytes of content.
fn digests_of(plans: &[&Plan], bytes: u64) -> u64 {
    let each =
        plans.iter().map(|plan| bytes.div_ceil(plan.leaf).saturating_mul(plan.digest_len() as u64));
    each.fold(0, u64::saturating_add)
}

/// The least common multiple. `None` if it is larger than any content.
fn least_common(a: u64, b: u64) -> Option<u64> {
    let (mut divisor, mut rest) = (a, b);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (a / divisor).checked_mul(b)
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::*;

    #[test]
    fn the_digests_of_tiny_leaves_have_a_length() {
        let plan = Plan::new(Algorithm::Md5, 5);
        assert_eq!(digests_of(&[&plan, &plan], 11), 2 * 3 * 16);
        assert_eq!(digests_of(&[&plan], u64::MAX), u64::MAX);
    }
}
