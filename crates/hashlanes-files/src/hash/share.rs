//! How many files each worker may have open.

use crate::system;

/// The maximum number of files that all workers together have open. Most systems allow a process
/// 1,024.
const OPEN: usize = 896;

/// The files that a worker may have open at the same time, besides the one it is opening.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The number of workers: fewer than requested if there are not two descriptors for each.
    pub(super) workers: usize,
    /// Large files.
    pub(super) streams: usize,
    /// Small files that the disk is fetching.
    pub(super) fetched: usize,
}

/// Descriptors of a worker that is added while others wait for files.
const ADDED: usize = 16;

impl Share {
    /// The number of workers that can be added, at most `wanted`.
    pub(super) fn most_added(wanted: usize) -> usize {
        wanted.min(system::free_descriptors().saturating_sub(OPEN) / ADDED)
    }

    /// The share of a worker that is added later.
    pub(super) fn of_added(self) -> Self {
        Self { workers: 4 * self.workers.max(8), streams: ADDED / 2, fetched: ADDED / 4 }
    }

    /// The share of each of `workers` workers.
    pub(super) fn of(workers: usize) -> Self {
        Self::with(workers, system::free_descriptors())
    }

    fn with(workers: usize, descriptors: usize) -> Self {
        let open = descriptors.min(OPEN);
        let workers = workers.min(open / 2).max(1);
        let each = (open / workers).saturating_sub(1).max(1);
        let streams = (each * 5).div_ceil(7);
        Self { workers, streams, fetched: each - streams }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_workers_together_stay_below_the_limit() {
        for descriptors in 2..1000 {
            for workers in [1, 2, 16, 700] {
                let share = Share::with(workers, descriptors);
                let open = share.workers * (1 + share.streams + share.fetched);
                assert!(open <= descriptors, "{share:?} of {descriptors}");
                assert!(share.streams > 0 && share.workers > 0);
            }
        }
        let usual = Share { workers: 2, streams: 320, fetched: 127 };
        assert_eq!(Share::with(2, usize::MAX), usual);
    }
}
