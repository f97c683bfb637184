//! The scheduler: buffers of any number of blocks into the lanes of a kernel.
//!
//! It works in *rounds*. In a round, the kernel encrypts in every lane as many blocks as the
//! shortest buffer has left. Then free lanes take the next buffers. When no buffer waits and a
//! narrower kernel is faster for the live lanes, they move there.
//!
//! Buffers a multiple of 4 KiB apart, as pages are, share a set of the first-level cache, which has
//! room for 8 or 12 lines. Side by side, 16 lanes would throw each other's lines out at every
//! block. So such lanes start a cache line apart, a few at a time (`stagger.rs`).

use super::choice;
use super::contract::{Kernel, LaneMemory, MAX_LANES};
use super::job::Job;
use super::stagger::Stagger;
use crate::aes::KeySize;
use crate::lane_use::LaneUse;

/// Encrypts jobs whose keys all have this size. Counts in `lane_use` what ran.
///
/// # Panics
/// If no kernel is forced and the CPU can run none.
pub(super) fn run(
    jobs: &mut [Job<'_>],
    size: KeySize,
    forced: Option<&'static Kernel>,
    lane_use: &mut LaneUse,
) {
    let Some(first) = jobs.first() else { return };
    let one_key = jobs.iter().all(|job| job.has_key_of(first));
    let choose = |live| forced.or_else(|| choice::kernel(live)).expect("a kernel that can run");
    let mut lanes = Lanes::new(choose(jobs.len()), one_key);
    let mut stagger = Stagger::new(jobs, lanes.kernel.lanes);
    let mut waiting = jobs.iter_mut();
    loop {
        let most = stagger.lanes();
        lanes.fill(&mut waiting, most);
        if lanes.live == 0 {
            return;
        }
        if waiting.len() == 0 {
            lanes.move_to(choose(lanes.live));
        }
        lanes.round(stagger.blocks(), size, lane_use);
    }
}

/// The lanes of a kernel. The first `live` lanes have a buffer.
struct Lanes {
    kernel: &'static Kernel,
    memory: LaneMemory,
    live: usize,
    /// Blocks to encrypt in each live lane.
    left: [usize; MAX_LANES],
}

impl Lanes {
    fn new(kernel: &'static Kernel, one_key: bool) -> Self {
        assert!(kernel.available());
        Self { kernel, memory: LaneMemory::new(one_key), live: 0, left: [0; MAX_LANES] }
    }

    /// Fills free lanes with waiting jobs, up to `most` live lanes.
    fn fill<'j, 'a: 'j>(
        &mut self,
        waiting: &mut impl Iterator<Item = &'j mut Job<'a>>,
        most: usize,
    ) {
        while self.live < self.kernel.lanes.min(most) {
            let Some(job) = waiting.next() else { return };
            let next = job.data.as_mut_ptr();
            self.memory.set(self.live, job.key.schedule(), job.chain, next);
            self.left[self.live] = job.blocks();
            self.live += 1;
        }
    }

    /// Continues in another kernel, if it has enough lanes.
    fn move_to(&mut self, kernel: &'static Kernel) {
        assert!(kernel.available());
        if kernel.lanes >= self.live {
            self.kernel = kernel;
        }
    }

    /// Encrypts until the first buffers end, but at most `most` blocks, and frees their lanes.
    fn round(&mut self, most: usize, size: KeySize, lane_use: &mut LaneUse) {
        for idle in self.live..self.kernel.lanes {
            self.memory.copy(0, idle);
        }
        let blocks = self.left[..self.live].iter().copied().fold(most, usize::min);
        // SAFETY: the CPU can run the kernel, as asserted when it was taken. Each live lane has at
        // least `blocks` blocks left of the `data` of a job, which is borrowed exclusively while
        // the kernel runs, and is in no other lane. All other lanes are copies of lane 0, which is
        // live.
        unsafe { self.kernel.encrypt(&mut self.memory, blocks, size) };
        let (live, lanes) = (self.live as u64, self.kernel.lanes as u64);
        let blocks_of = |lanes: u64| lanes * blocks as u64;
        lane_use.count(self.kernel.name, self.kernel.lanes, blocks_of(live), blocks_of(lanes));
        for lane in (0..self.live).rev() {
            self.left[lane] -= blocks;
            if self.left[lane] == 0 {
                self.free(lane);
            }
        }
    }

    /// Takes a lane out. The last live one moves to its place.
    fn free(&mut self, lane: usize) {
        self.live -= 1;
        if lane < self.live {
            self.memory.copy(self.live, lane);
            self.left[lane] = self.left[self.live];
        }
    }
}
