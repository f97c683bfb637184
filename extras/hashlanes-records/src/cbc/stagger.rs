//! The start of lanes whose buffers share a set of the first-level cache.
//!
//! On Zen 4, 16 buffers exactly 16 KiB apart are encrypted at 1.4 bytes per cycle if their lanes
//! start together, and at 4.2 if they start four at a time, a cache line apart.

use super::contract::BLOCK;
use super::job::Job;

/// Lanes that start together: half of the ways of a set, since each lane's next line may come
/// before its last one is done.
const TOGETHER: usize = 4;

/// Bytes of a cache line, and of all sets of a cache that has 64 of them.
const LINE: usize = 64;
const SETS: usize = 64 * LINE;

/// How many lanes may be live, and for how long.
pub(super) struct Stagger {
    lanes: usize,
    all: usize,
}

impl Stagger {
    /// For `all` lanes, which get the first jobs.
    pub(super) fn new(jobs: &[Job<'_>], all: usize) -> Self {
        let first = &jobs[..all.min(jobs.len())];
        let lanes = if most_in_a_set(first) > TOGETHER { TOGETHER } else { all };
        Self { lanes, all }
    }

    /// The lanes that may be live in the next round.
    pub(super) fn lanes(&self) -> usize {
        self.lanes
    }

    /// The blocks of the next round, at most. After it, more lanes may be live.
    pub(super) fn blocks(&mut self) -> usize {
        if self.lanes >= self.all {
            return usize::MAX;
        }
        self.lanes += TOGETHER;
        LINE / BLOCK
    }
}

/// The most jobs whose first bytes are in one set.
fn most_in_a_set(jobs: &[Job<'_>]) -> usize {
    let mut sets = [0_usize; SETS / LINE];
    for job in jobs {
        sets[job.data.as_ptr().addr() % SETS / LINE] += 1;
    }
    sets.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aes::AesKey;

    fn lanes(distance: usize) -> Vec<usize> {
        let key = AesKey::new(&[0; 16]).unwrap();
        let mut memory = vec![0; 16 * distance];
        let jobs: Vec<_> =
            memory.chunks_mut(distance).map(|data| Job { key: &key, chain: 0, data }).collect();
        let mut stagger = Stagger::new(&jobs, 16);
        let round = |_| {
            let lanes = stagger.lanes();
            assert_eq!(stagger.blocks() == usize::MAX, lanes == 16);
            lanes
        };
        (0..5).map(round).collect()
    }

    #[test]
    fn only_buffers_that_share_a_set_start_apart() {
        assert_eq!(lanes(4096), [4, 8, 12, 16, 16]);
        assert_eq!(lanes(16384), [4, 8, 12, 16, 16]);
        assert_eq!(lanes(4096 + 64), [16; 5]);
        assert_eq!(lanes(1024), [16; 5]);
    }
}
