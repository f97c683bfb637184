//! Constant-time AES of the crate `aes`, for CPUs that can run no other kernel.
//!
//! The crate encrypts several blocks side by side if they share a key. So buffers are grouped by
//! key.

use super::job::Job;
use crate::aes::Block;
use crate::lane_use::LaneUse;

pub(super) const NAME: &str = "portable";

/// Buffers in a group: as many as the crate takes at once on any CPU.
pub(super) const LANES: usize = 8;

/// Encrypts jobs, which are sorted by key, and then the longest first.
pub(super) fn run(jobs: &mut [Job<'_>], lane_use: &mut LaneUse) {
    for jobs in jobs.chunk_by_mut(|a, b| a.has_key_of(b)) {
        for group in jobs.chunks_mut(LANES) {
            encrypt(group, lane_use);
        }
    }
}

/// Encrypts jobs that share a key, the longest first.
fn encrypt(jobs: &mut [Job<'_>], lane_use: &mut LaneUse) {
    let key = jobs[0].key.portable();
    let mut chain = [aes::Block::default(); LANES];
    for (chain, job) in chain.iter_mut().zip(jobs.iter()) {
        chain.copy_from_slice(&job.chain.to_ne_bytes());
    }
    for block in 0..jobs[0].blocks() {
        let at = block * size_of::<Block>()..(block + 1) * size_of::<Block>();
        let live = jobs.partition_point(|job| job.blocks() > block);
        for (chain, job) in chain.iter_mut().zip(&jobs[..live]) {
            chain.iter_mut().zip(&job.data[at.clone()]).for_each(|(chain, byte)| *chain ^= byte);
        }
        key.encrypt(&mut chain[..live]);
        for (chain, job) in chain.iter().zip(&mut jobs[..live]) {
            job.data[at.clone()].copy_from_slice(chain);
        }
        lane_use.count(NAME, LANES, live as u64, LANES as u64);
    }
}
