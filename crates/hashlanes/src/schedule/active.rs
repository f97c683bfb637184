//! The lanes of one run: which message each of them works for, and how far it is.
//!
//! A message is up to three *stretches* of blocks that lie contiguous in memory: a *head* block
//! that was completed from an earlier piece, the *body*, whole blocks that are read where the
//! caller has them, and the *tail*, the last one or two blocks with the padding. Head and tail are
//! in the lane's stage.

use core::slice;

use super::source::{LaneState, Source};
use super::stages::Stages;
use crate::family::State;
use crate::kernel::{Kernel, Kernels, MAX_LANES};
use crate::wipe::Wiped;

/// Blocks that lie one after the other in memory.
#[derive(Clone, Copy)]
pub(super) struct Stretch {
    pub(super) start: *const u8,
    pub(super) blocks: usize,
}

impl Stretch {
    const NONE: Self = Self { start: core::ptr::null(), blocks: 0 };
}

/// The message of a lane, and what the lane has to do after the stretch it is in.
#[derive(Clone, Copy)]
pub(super) struct Lane {
    id: usize,
    /// The stretches to come, in order. Empty ones are passed over.
    to_come: [Stretch; 3],
    /// Blocks of the message in all.
    total: usize,
}

impl Lane {
    pub(super) const NONE: Self = Self { id: 0, to_come: [Stretch::NONE; 3], total: 0 };

    fn next_stretch(&mut self) -> Option<Stretch> {
        let found = self.to_come.iter_mut().find(|stretch| stretch.blocks > 0)?;
        Some(core::mem::replace(found, Stretch::NONE))
    }

    /// Puts a stretch back that was taken out and is the next one.
    pub(super) fn put_back(&mut self, stretch: Stretch) {
        debug_assert_eq!(self.to_come[0].blocks, 0);
        self.to_come[0] = stretch;
    }

    pub(super) fn blocks_to_come(&self) -> usize {
        self.to_come.iter().map(|stretch| stretch.blocks).sum()
    }
}

/// The lanes of a kernel with their messages.
///
/// These are several arrays rather than one of structures: the kernel reads `data`, and the loops
/// over all lanes become a few vector instructions.
pub(super) struct ActiveLanes<F: Kernels> {
    /// The kernel's row in the table.
    row: usize,
    kernel: &'static Kernel<F::Word>,
    /// Word-major: word `w` of lane `l` at `w * kernel.lanes + l`.
    state: Wiped<[F::Word; 8 * MAX_LANES]>,
    /// Where the lane reads next.
    data: [*const u8; MAX_LANES],
    /// Blocks left of the stretch that the lane is in; `IDLE` if the lane has no message.
    left: [usize; MAX_LANES],
    lane: [Lane; MAX_LANES],
    /// Lanes with a message.
    live: usize,
}

const IDLE: usize = usize::MAX;

/// While the longest message in the lanes has no more than this many blocks left, idle lanes of a
/// wide kernel are not refilled. To let them idle for so short a time costs less than to have the
/// lanes out of step, where every end of a message costs a round of its own.
pub(super) const IN_STEP: usize = 4;

/// The fewest lanes for which `IN_STEP` holds. In a narrow kernel an idle lane is a large part of
/// the whole.
pub(super) const WIDE: usize = 8;

impl<F: Kernels> ActiveLanes<F> {
    pub(super) fn new(row: usize) -> Self {
        Self {
            row,
            kernel: &F::TABLE[row],
            state: Wiped([F::Word::default(); 8 * MAX_LANES]),
            data: [core::ptr::null(); MAX_LANES],
            left: [IDLE; MAX_LANES],
            lane: [Lane::NONE; MAX_LANES],
            live: 0,
        }
    }

    /// Goes on with another kernel. All lanes are idle.
    pub(super) fn restart(&mut self, row: usize) {
        debug_assert_eq!(self.live, 0);
        self.row = row;
        self.kernel = &F::TABLE[row];
        self.left = [IDLE; MAX_LANES];
    }

    /// Whether the CPU can run the kernel.
    pub(super) fn can_run(&self) -> bool {
        self.kernel.available()
    }

    pub(super) fn row(&self) -> usize {
        self.row
    }

    pub(super) fn count(&self) -> usize {
        self.kernel.lanes
    }

    /// Lanes with a message.
    pub(super) fn live(&self) -> usize {
        self.live
    }

    pub(super) fn is_idle(&self, l: usize) -> bool {
        self.left[l] == IDLE
    }

    /// Puts a message, which has at least one block to come, into idle lane `l`.
    pub(super) fn admit(&mut self, l: usize, lane: Lane, state: &State<F>) {
        self.lane[l] = lane;
        let entered = self.enter_next_stretch(l);
        assert!(entered, "a message without blocks wants no lane");
        for w in 0..F::STATE_WORDS {
            self.state[w * self.kernel.lanes + l] = state[w];
        }
        self.live += 1;
    }

    /// Lets lane `l` go on to its next stretch; false if there is none.
    fn enter_next_stretch(&mut self, l: usize) -> bool {
        let Some(stretch) = self.lane[l].next_stretch() else { return false };
        self.data[l] = stretch.start;
        self.left[l] = stretch.blocks;
        true
    }

    /// Takes the state out of lane `l`, which is idle from now on.
    fn release(&mut self, l: usize) -> LaneState<'_, F> {
        self.left[l] = IDLE;
        self.live -= 1;
        LaneState::new(&*self.state, self.kernel.lanes, l)
    }

    /// Takes all messages out of their lanes: each with what is left of its stretch, and its state.
    pub(super) fn release_all(&mut self, mut each: impl FnMut(Lane, Stretch, State<F>)) {
        for l in 0..self.kernel.lanes {
            if !self.is_idle(l) {
                let left = Stretch { start: self.data[l], blocks: self.left[l] };
                let lane = self.lane[l];
                let state = self.release(l).get();
                each(lane, left, state);
            }
        }
    }

    /// Gives all messages back to `source`, each with its state and the blocks that are compressed.
    pub(super) fn suspend<'a>(&mut self, source: &mut dyn Source<'a, F>) {
        self.release_all(|lane, left, state| {
            let compressed = lane.total - left.blocks - lane.blocks_to_come();
            source.suspended(lane.id, state, compressed);
        });
    }

    /// Blocks of lane `l`'s message that are not compressed yet.
    fn blocks_left(&self, l: usize) -> usize {
        self.left[l] + self.lane[l].blocks_to_come()
    }

    /// Whether idle lanes should get messages now: at once in a narrow kernel. In a wide one only
    /// if others have a while to go.
    pub(super) fn wants_messages(&self) -> bool {
        let lanes = self.kernel.lanes;
        let goes_on = |l: usize| !self.is_idle(l) && self.blocks_left(l) > IN_STEP;
        self.live == 0 || self.live < lanes && (lanes < WIDE || (0..lanes).any(goes_on))
    }

    /// Fills the idle lanes with messages of `source`.
    pub(super) fn fill<'a>(&mut self, source: &mut dyn Source<'a, F>, stages: &mut Stages<'_, F>) {
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
            // SAFETY: `at` has SIZE initialised bytes, which are this lane's. The lane is idle, so
            // nobody else reads or writes them while this reference lives.
            let stage = unsafe { slice::from_raw_parts_mut(at, Stages::<F>::SIZE) };
            let Some(work) = source.next(stage) else { return };
            let to_come = [
                Stretch { start: at, blocks: usize::from(work.head) },
                Stretch { start: work.body.as_ptr(), blocks: work.body.len() / F::BLOCK },
                Stretch { start: at.wrapping_add(F::BLOCK), blocks: work.tail.min(2) },
            ];
            let mut lane = Lane { id: work.id, to_come, total: 0 };
            lane.total = lane.blocks_to_come();
            if lane.total == 0 {
                // Only of a caller whose `AsRef` answers differently each time it is asked.
                source.done(work.id, LaneState::alone(&work.state));
            } else {
                self.admit(l, lane, &work.state);
            }
        }
    }

    /// Advances all lanes by as many blocks as the shortest stretch has, and hands the finished
    /// messages back.
    ///
    /// # Safety
    /// At least one lane is live. Every live lane's stretches are readable. The CPU can run the
    /// kernel.
    pub(super) unsafe fn round<'a>(&mut self, source: &mut dyn Source<'a, F>) {
        let lanes = self.kernel.lanes;
        let (mut blocks, mut shortest) = (IDLE, 0);
        for l in 0..lanes {
            if self.left[l] < blocks {
                (blocks, shortest) = (self.left[l], l);
            }
        }
        if self.live < lanes {
            // An idle lane computes too, on whatever is readable. Nobody looks at its state.
            for l in 0..lanes {
                if self.is_idle(l) {
                    self.data[l] = self.data[shortest];
                }
            }
        }
        // SAFETY: the caller promises the CPU. A live lane is readable for `left >= blocks` blocks
        // (caller); an idle one reads where the shortest reads, which is live.
        unsafe { self.kernel.run::<F>(&mut *self.state, &self.data, blocks, None) };

        for l in 0..lanes {
            if self.is_idle(l) {
                continue;
            }
            self.left[l] -= blocks;
            self.data[l] = self.data[l].wrapping_add(blocks * F::BLOCK);
            if self.left[l] == 0 && !self.enter_next_stretch(l) {
                let id = self.lane[l].id;
                source.done(id, self.release(l));
            }
        }
    }
}
