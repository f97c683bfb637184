//! The lanes of a run, with the message of each and its progress.
//!
//! A message consists of up to three *stretches*, which are contiguous blocks in memory: the
//! *head*, a block that began with bytes of an earlier piece, the *body*, whole blocks in the
//! caller's memory, and the *tail*, the last one or two blocks with the padding. Head and tail are
//! in the lane's stage.

use core::slice;

use crate::family::State;
use crate::kernel::{Kernel, MAX_LANES};
use crate::schedule::refill::source::{LaneState, Source};
use crate::schedule::refill::stages::Stages;
use crate::schedule::rules::Tabled;
use crate::wipe::{Wipe, Wiped};

/// Contiguous blocks in memory.
#[derive(Clone, Copy)]
pub(crate) struct Stretch {
    pub(crate) start: *const u8,
    pub(crate) blocks: usize,
}

impl Stretch {
    const NONE: Self = Self { start: core::ptr::null(), blocks: 0 };
}

/// The place of the tail among the stretches.
const TAIL: usize = 2;

/// The message of a lane, and the stretches that follow the current one.
#[derive(Clone, Copy)]
pub(crate) struct Lane {
    id: usize,
    /// The following stretches, in order. Empty ones are skipped.
    to_come: [Stretch; 3],
    /// The total number of blocks of the message.
    total: usize,
    /// The number of bytes of the message.
    length: u64,
}

impl Lane {
    pub(crate) const NONE: Self = Self { id: 0, to_come: [Stretch::NONE; 3], total: 0, length: 0 };

    /// The next stretch, and whether it is the tail.
    fn next_stretch(&mut self) -> Option<(Stretch, bool)> {
        let place = self.to_come.iter().position(|stretch| stretch.blocks > 0)?;
        let stretch = core::mem::replace(&mut self.to_come[place], Stretch::NONE);
        Some((stretch, place == TAIL))
    }

    /// Puts back a stretch, as the next one.
    pub(crate) fn put_back(&mut self, stretch: Stretch) {
        debug_assert_eq!(self.to_come[0].blocks, 0);
        self.to_come[0] = stretch;
    }

    pub(crate) fn blocks_to_come(&self) -> usize {
        self.to_come.iter().map(|stretch| stretch.blocks).sum()
    }
}

/// The lanes of a kernel with their messages.
///
/// A structure of arrays, because the kernel reads `data`, and loops over all lanes become a few
/// vector instructions.
pub(crate) struct ActiveLanes<R: Tabled> {
    rules: R,
    /// The kernel's row in the table.
    row: usize,
    kernel: &'static Kernel<R::Word>,
    /// Word-major: word `w` of lane `l` at `w * kernel.lanes + l`.
    state: Wiped<R::LaneStates>,
    /// The address from which each lane reads next.
    data: [*const u8; MAX_LANES],
    /// The remaining blocks of each lane's current stretch; `IDLE` if the lane has no message.
    left: [usize; MAX_LANES],
    lane: [Lane; MAX_LANES],
    /// Lanes with a message.
    live: usize,
}

const IDLE: usize = usize::MAX;

/// While the longest message in the lanes has at most this many blocks left, idle lanes of a wide
/// kernel are not refilled. Letting them idle for such a short time costs less than having the
/// lanes out of step, where each end of a message costs a separate round.
pub(crate) const IN_STEP: usize = 4;

/// The fewest lanes for which `IN_STEP` applies. In a narrow kernel, an idle lane is a large part
/// of the capacity.
pub(crate) const WIDE: usize = 8;

impl<R: Tabled> ActiveLanes<R> {
    pub(crate) fn new(rules: R, row: usize) -> Self {
        Self {
            rules,
            row,
            kernel: rules.kernel(row),
            state: Wiped(R::LaneStates::ZERO),
            data: [core::ptr::null(); MAX_LANES],
            left: [IDLE; MAX_LANES],
            lane: [Lane::NONE; MAX_LANES],
            live: 0,
        }
    }

    /// Switches to another kernel. All lanes must be idle.
    pub(crate) fn restart(&mut self, row: usize) {
        debug_assert_eq!(self.live, 0);
        self.row = row;
        self.kernel = self.rules.kernel(row);
        self.left = [IDLE; MAX_LANES];
    }

    /// Whether the CPU can run the kernel.
    pub(crate) fn can_run(&self) -> bool {
        self.kernel.available()
    }

    pub(crate) fn row(&self) -> usize {
        self.row
    }

    pub(crate) fn count(&self) -> usize {
        self.kernel.lanes
    }

    /// Lanes with a message.
    pub(crate) fn live(&self) -> usize {
        self.live
    }

    pub(crate) fn is_idle(&self, l: usize) -> bool {
        self.left[l] == IDLE
    }

    /// Puts a message with at least one remaining block into the idle lane `l`.
    pub(crate) fn admit(&mut self, l: usize, lane: Lane, state: &State<R>) {
        self.lane[l] = lane;
        self.put_state(l, state);
        let entered = self.enter_next_stretch(l);
        assert!(entered, "a message without blocks needs no lane");
        self.live += 1;
    }

    fn put_state(&mut self, l: usize, state: &State<R>) {
        for w in 0..R::WORDS {
            self.state[w * self.kernel.lanes + l] = state[w];
        }
    }

    /// Moves lane `l` to its next stretch. Returns false if there is none.
    fn enter_next_stretch(&mut self, l: usize) -> bool {
        let Some((stretch, is_tail)) = self.lane[l].next_stretch() else { return false };
        if R::LAST_DIFFERS && is_tail {
            let mut state = self.lane_state(l).get();
            self.rules.enter_tail(&mut state, self.lane[l].length);
            self.put_state(l, &state);
        }
        self.data[l] = stretch.start;
        self.left[l] = stretch.blocks;
        true
    }

    /// Makes lane `l` idle, and returns its state.
    fn release(&mut self, l: usize) -> LaneState<'_, R> {
        self.left[l] = IDLE;
        self.live -= 1;
        self.lane_state(l)
    }

    /// The state of lane `l`.
    #[inline(always)]
    fn lane_state(&self, l: usize) -> LaneState<'_, R> {
        LaneState::new(self.state.as_ref(), R::WORDS, self.kernel.lanes, l)
    }

    /// Takes all messages out of their lanes, each with the rest of its stretch and its state.
    pub(crate) fn release_all(&mut self, mut each: impl FnMut(Lane, Stretch, State<R>)) {
        for l in 0..self.kernel.lanes {
            if !self.is_idle(l) {
                let left = Stretch { start: self.data[l], blocks: self.left[l] };
                let lane = self.lane[l];
                let state = self.release(l).get();
                each(lane, left, state);
            }
        }
    }

    /// Returns all messages to `source`, each with its state and its number of compressed blocks.
    pub(crate) fn suspend<'a>(&mut self, source: &mut dyn Source<'a, R>) {
        self.release_all(|lane, left, state| {
            let compressed = lane.total - left.blocks - lane.blocks_to_come();
            source.suspended(lane.id, state, compressed);
        });
    }

    /// The remaining blocks of lane `l`'s message.
    fn blocks_left(&self, l: usize) -> usize {
        self.left[l] + self.lane[l].blocks_to_come()
    }

    /// Whether to refill idle lanes now: always in a narrow kernel, and in a wide one only if other
    /// lanes have many blocks left.
    pub(crate) fn wants_messages(&self) -> bool {
        let lanes = self.kernel.lanes;
        let goes_on = |l: usize| !self.is_idle(l) && self.blocks_left(l) > IN_STEP;
        self.live == 0 || self.live < lanes && (lanes < WIDE || (0..lanes).any(goes_on))
    }

    /// Fills the idle lanes with messages of `source`.
    pub(crate) fn fill<'a>(&mut self, source: &mut dyn Source<'a, R>, stages: &mut Stages<'_>) {
        let block = self.rules.block();
        let mut waiting = source.waiting();
        for l in 0..self.kernel.lanes {
            if waiting == 0 {
                return;
            }
            if !self.is_idle(l) {
                continue;
            }
            waiting -= 1;
            let at = stages.of(l);
            // SAFETY: `at` points to `size` initialised bytes of this lane. The lane is idle, so
            // nothing else accesses them while this reference lives.
            let stage = unsafe { slice::from_raw_parts_mut(at, stages.size()) };
            // Not moved out of the option: its fields were written separately just now, so the
            // vector loads of a copy would wait until they are in the cache.
            let next = source.next(stage);
            let Some(work) = &next else { return };
            let to_come = [
                Stretch { start: at, blocks: usize::from(work.head) },
                Stretch { start: work.body.as_ptr(), blocks: work.body.len() / block },
                Stretch { start: at.wrapping_add(block), blocks: work.tail.min(2) },
            ];
            let mut lane = Lane { id: work.id, to_come, total: 0, length: work.length };
            lane.total = lane.blocks_to_come();
            if lane.total == 0 {
                // This happens only if a caller's `AsRef` returns different slices.
                source.done(work.id, LaneState::of_one(&work.state));
            } else {
                self.admit(l, lane, &work.state);
            }
        }
    }

    /// Advances all lanes by the number of blocks of the shortest stretch, and returns finished
    /// messages to `source`.
    ///
    /// # Safety
    /// At least one lane is live. Every live lane's stretches are readable. The CPU can run the
    /// kernel.
    pub(crate) unsafe fn round<'a>(&mut self, source: &mut dyn Source<'a, R>) {
        let lanes = self.kernel.lanes;
        let (mut blocks, mut shortest) = (IDLE, 0);
        for l in 0..lanes {
            if self.left[l] < blocks {
                (blocks, shortest) = (self.left[l], l);
            }
        }
        if self.live < lanes {
            // Idle lanes compute as well, on any readable bytes. Their states are not used.
            for l in 0..lanes {
                if self.is_idle(l) {
                    self.data[l] = self.data[shortest];
                }
            }
        }
        // SAFETY: the caller promises that the CPU can run the kernel, and that each live lane is
        // readable for its `left >= blocks` blocks. Idle lanes read from the address of the
        // shortest stretch, which belongs to a live lane.
        unsafe {
            let words = self.rules.state_words();
            self.kernel.run(self.state.as_mut(), words, &self.data, blocks, None);
        }

        let bytes = blocks * self.rules.block();
        for l in 0..lanes {
            if self.is_idle(l) {
                continue;
            }
            self.left[l] -= blocks;
            self.data[l] = self.data[l].wrapping_add(bytes);
            if self.left[l] == 0 && !self.enter_next_stretch(l) {
                let id = self.lane[l].id;
                source.done(id, self.release(l));
            }
        }
    }
}
