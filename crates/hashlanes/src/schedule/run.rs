//! The scheduler: messages of any length into the lanes of a kernel.
//!
//! A [`Source`] hands out messages and takes back their states; [`run`] keeps the lanes busy in
//! between. One *round* lets the kernel advance all lanes until the first of them comes to the end
//! of what lies contiguous in memory. A message is up to three such stretches: a *head* block that
//! was completed from an earlier piece, the *body*, whole blocks read where the caller has them,
//! and the *tail*, the last one or two blocks with the padding. Head and tail are staged in memory
//! of the lane.
//!
//! No pointer to a message outlives a call of `run`: the messages are borrowed for the lifetime
//! `'a` of the source.

use core::slice;

use super::source::{Source, When};
use super::stages::Stages;
use crate::algorithm::{Family, State};
use crate::kernel::{self, Kernel, Kernels, MAX_LANES};

/// Blocks that lie one after the other in memory.
#[derive(Clone, Copy)]
struct Stretch {
    start: *const u8,
    blocks: usize,
}

impl Stretch {
    const NONE: Self = Self { start: core::ptr::null(), blocks: 0 };
}

/// Whom a lane works for, and what it has to do after the stretch it is in.
#[derive(Clone, Copy)]
struct Lane {
    id: usize,
    /// The stretches to come, in order; empty ones are passed over.
    to_come: [Stretch; 3],
    /// Blocks of the message in all.
    total: usize,
}

impl Lane {
    const NONE: Self = Self { id: 0, to_come: [Stretch::NONE; 3], total: 0 };

    fn next_stretch(&mut self) -> Option<Stretch> {
        let found = self.to_come.iter_mut().find(|stretch| stretch.blocks > 0)?;
        Some(core::mem::replace(found, Stretch::NONE))
    }

    fn blocks_to_come(&self) -> usize {
        self.to_come.iter().map(|stretch| stretch.blocks).sum()
    }
}

/// The lanes of one run. Several arrays rather than one of structures: the kernel reads `data`, and
/// the loops over all lanes become a few vector instructions.
struct Lanes<F: Kernels> {
    /// The kernel's row in the table.
    row: usize,
    kernel: &'static Kernel<F::Word>,
    /// Word-major: word `w` of lane `l` at `w * kernel.lanes + l`.
    state: [F::Word; 8 * MAX_LANES],
    /// Where the lane reads next.
    data: [*const u8; MAX_LANES],
    /// Blocks left of the stretch that the lane is in; `IDLE` if the lane has no message.
    left: [usize; MAX_LANES],
    lane: [Lane; MAX_LANES],
    /// Lanes with a message.
    live: usize,
}

const IDLE: usize = usize::MAX;

impl<F: Kernels> Lanes<F> {
    fn new(row: usize) -> Self {
        Self {
            row,
            kernel: &F::TABLE[row],
            state: [F::Word::default(); 8 * MAX_LANES],
            data: [core::ptr::null(); MAX_LANES],
            left: [IDLE; MAX_LANES],
            lane: [Lane::NONE; MAX_LANES],
            live: 0,
        }
    }

    fn is_idle(&self, l: usize) -> bool {
        self.left[l] == IDLE
    }

    /// Puts a message, which has at least one block to come, into idle lane `l`.
    fn admit(&mut self, l: usize, lane: Lane, state: &State<F>) {
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
    fn release(&mut self, l: usize) -> State<F> {
        let mut state = [F::Word::default(); 8];
        for (w, word) in state.iter_mut().enumerate().take(F::STATE_WORDS) {
            *word = self.state[w * self.kernel.lanes + l];
        }
        self.left[l] = IDLE;
        self.live -= 1;
        state
    }

    /// Blocks of lane `l`'s message that are not compressed yet.
    fn blocks_left(&self, l: usize) -> usize {
        self.left[l] + self.lane[l].blocks_to_come()
    }

    /// Whether idle lanes should get messages now.
    fn wants_messages(&self) -> bool {
        let lanes = self.kernel.lanes;
        self.live == 0
            || self.live < lanes
                && (lanes < WIDE
                    || (0..lanes).any(|l| !self.is_idle(l) && self.blocks_left(l) > IN_STEP))
    }

    /// Fills the idle lanes with messages of `source`.
    fn fill<'a>(&mut self, source: &mut impl Source<'a, F>, stages: &mut Stages<F>) {
        for l in 0..self.kernel.lanes {
            if source.waiting() == 0 {
                return;
            }
            if !self.is_idle(l) {
                continue;
            }
            let at = stages.of(l);
            // SAFETY: `at` has SIZE initialised bytes. The lane is idle: nobody else reads or
            // writes them while this reference lives.
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
                // A source does not hand out such work, unless a caller's `AsRef` is different each
                // time it is asked.
                source.done(work.id, work.state);
            } else {
                self.admit(l, lane, &work.state);
            }
        }
    }

    /// Advances all lanes by as many blocks as the shortest stretch has, and hands the finished
    /// messages back.
    ///
    /// # Safety
    /// At least one lane is live; every live lane's stretches are readable; the CPU can run the
    /// kernel.
    unsafe fn round<'a>(&mut self, source: &mut impl Source<'a, F>) {
        let lanes = self.kernel.lanes;
        let (mut blocks, mut shortest) = (IDLE, 0);
        for l in 0..lanes {
            if self.left[l] < blocks {
                (blocks, shortest) = (self.left[l], l);
            }
        }
        if self.live < lanes {
            // An idle lane computes too, on whatever is readable; nobody looks at its state.
            for l in 0..lanes {
                if self.is_idle(l) {
                    self.data[l] = self.data[shortest];
                }
            }
        }
        // SAFETY: the caller promises the CPU. A live lane is readable for `left >= blocks` blocks
        // (caller); an idle one reads where the shortest reads, which is live.
        unsafe { self.kernel.run::<F>(&mut self.state, &self.data, blocks) };

        for l in 0..lanes {
            if self.is_idle(l) {
                continue;
            }
            self.left[l] -= blocks;
            self.data[l] = self.data[l].wrapping_add(blocks * F::BLOCK);
            if self.left[l] == 0 && !self.enter_next_stretch(l) {
                let state = self.release(l);
                source.done(self.lane[l].id, state);
            }
        }
    }
}

#[cfg(feature = "zeroize")]
impl<F: Kernels> Drop for Lanes<F> {
    fn drop(&mut self) {
        use crate::vector::Word;
        F::Word::wipe(&mut self.state);
    }
}

/// While the longest message in the lanes has no more than this many blocks left, idle lanes of a
/// wide kernel are not refilled: to let them idle for so short a time costs less than to have the
/// lanes out of step, where every single end of a message costs a round.
const IN_STEP: usize = 4;

/// The fewest lanes for which `IN_STEP` holds. In a narrow kernel an idle lane is a large part of
/// the whole.
const WIDE: usize = 8;

/// Runs the messages of `source` through the lanes of the kernel that is best for their number, or
/// of row `forced`, which the CPU can run.
pub(crate) fn run<'a, F: Kernels>(
    source: &mut impl Source<'a, F>,
    forced: Option<usize>,
    when: When,
) {
    let choose = |messages: usize| kernel::row::<F>(messages, forced);
    let mut stages = Stages::<F>::new();
    let mut lanes = Lanes::<F>::new(choose(source.waiting()));
    assert!(lanes.kernel.available());
    let mut any_done = false;
    loop {
        if lanes.wants_messages() {
            lanes.fill(source, &mut stages);
        }
        if lanes.live == 0 {
            if source.waiting() == 0 {
                return;
            }
            continue;
        }
        let live_before = lanes.live;
        // SAFETY: a lane is live. The stretches are in a body, which is borrowed for 'a, or in
        // `stages`, which live until the end of this function; the CPU can run the kernel,
        // as asserted above.
        unsafe { lanes.round(source) };
        any_done |= lanes.live < live_before;

        if source.waiting() == 0 && lanes.live > 0 {
            // The first round may have ended no more than the head or the body of a message.
            if when == When::LanesIdle && any_done && lanes.live <= lanes.kernel.lanes * 3 / 4 {
                for l in 0..lanes.kernel.lanes {
                    if !lanes.is_idle(l) {
                        let compressed = lanes.lane[l].total - lanes.blocks_left(l);
                        let state = lanes.release(l);
                        source.suspended(lanes.lane[l].id, state, compressed);
                    }
                }
                return;
            }
            if choose(lanes.live) != lanes.row {
                // SAFETY: as above; `stages` outlive the call.
                return unsafe { drain(lanes, source, choose) };
            }
        }
    }
}

/// A message between two kernels.
#[derive(Clone, Copy)]
struct Parked<F: Family> {
    lane: Lane,
    state: State<F>,
}

/// Runs the last messages, fewer and fewer, to their ends, always in the kernel that is best for
/// what is left of them.
///
/// # Safety
/// The stretches of all live lanes are readable, `choose` returns rows that the CPU can run.
unsafe fn drain<'a, F: Kernels>(
    mut lanes: Lanes<F>,
    source: &mut impl Source<'a, F>,
    choose: impl Fn(usize) -> usize,
) {
    let mut places = [Parked::<F> { lane: Lane::NONE, state: [F::Word::default(); 8] }; MAX_LANES];
    let mut parked = 0;
    loop {
        for l in 0..lanes.kernel.lanes {
            if !lanes.is_idle(l) {
                let rest = Stretch { start: lanes.data[l], blocks: lanes.left[l] };
                let mut lane = lanes.lane[l];
                // At least the stretch that the lane is in has been taken out of `to_come`, so its
                // first place is free or was never used, and moving up keeps the
                // order.
                debug_assert_eq!(lane.to_come[0].blocks, 0);
                lane.to_come[0] = rest;
                places[parked] = Parked { lane, state: lanes.release(l) };
                parked += 1;
            }
        }
        if parked == 0 {
            return;
        }
        // The longest first, from the end of the array: what is left at last is then as even as
        // possible.
        places[..parked].sort_unstable_by_key(|message| message.lane.blocks_to_come());
        lanes = Lanes::new(choose(parked));
        while lanes.live + parked > 0 && choose(lanes.live + parked) == lanes.row {
            for l in 0..lanes.kernel.lanes {
                if parked > 0 && lanes.is_idle(l) {
                    parked -= 1;
                    lanes.admit(l, places[parked].lane, &places[parked].state);
                }
            }
            // SAFETY: a lane is live, since some were or a parked message was admitted; the rest is
            // the caller's promise.
            unsafe { lanes.round(source) };
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::super::source::Work;
    use super::*;
    use crate::algorithm::md5::{self, Md5Family};

    /// What a run did, in order.
    #[derive(Debug, PartialEq, Eq)]
    enum Event {
        Next(usize),
        Done(usize),
        Suspended(usize, usize),
    }

    /// Messages of so many blocks, all of them body.
    struct Recorder<'a> {
        messages: Vec<&'a [u8]>,
        handed_out: usize,
        events: Vec<Event>,
    }

    impl<'a> Source<'a, Md5Family> for Recorder<'a> {
        fn waiting(&self) -> usize {
            self.messages.len() - self.handed_out
        }

        fn next(&mut self, _: &mut [u8]) -> Option<Work<'a, Md5Family>> {
            let id = self.handed_out;
            self.handed_out += 1;
            self.events.push(Event::Next(id));
            Some(Work { id, state: md5::INITIAL, head: false, body: self.messages[id], tail: 0 })
        }

        fn done(&mut self, id: usize, _: State<Md5Family>) {
            self.events.push(Event::Done(id));
        }

        fn suspended(&mut self, id: usize, _: State<Md5Family>, blocks: usize) {
            self.events.push(Event::Suspended(id, blocks));
        }
    }

    fn events(blocks: &[usize], row: usize, when: When) -> Vec<Event> {
        let bytes = vec![1; 64 * blocks.iter().max().unwrap()];
        let messages = blocks.iter().map(|blocks| &bytes[..64 * blocks]).collect();
        let mut source = Recorder { messages, handed_out: 0, events: Vec::new() };
        run::<Md5Family>(&mut source, Some(row), when);
        source.events
    }

    /// The rows that can run here and whose kernels are wide, or narrow but of several lanes.
    fn rows(wide: bool) -> impl Iterator<Item = (usize, usize)> {
        let lanes = |row: usize| Md5Family::TABLE[row].lanes;
        let rows = (0..Md5Family::TABLE.len()).filter(|&row| Md5Family::TABLE[row].available());
        rows.map(move |row| (row, lanes(row)))
            .filter(move |&(_, lanes)| lanes > 1 && (lanes >= WIDE) == wide)
    }

    /// After the first message of one block has ended, the others have `left` blocks to go; one
    /// more is waiting.
    fn refilled_at_once(row: usize, lanes: usize, left: usize) -> bool {
        let mut blocks = vec![1 + left; lanes];
        blocks[0] = 1;
        blocks.push(1);
        let events = events(&blocks, row, When::AllDone);
        assert_eq!(events[lanes], Event::Done(0));
        assert_eq!(
            events.iter().filter(|event| matches!(event, Event::Done(_))).count(),
            lanes + 1
        );
        events[lanes + 1] == Event::Next(lanes)
    }

    #[test]
    fn a_wide_kernel_is_refilled_only_if_it_goes_on_for_long() {
        for (row, lanes) in rows(true) {
            assert!(!refilled_at_once(row, lanes, 1));
            assert!(!refilled_at_once(row, lanes, IN_STEP));
            assert!(refilled_at_once(row, lanes, IN_STEP + 1));
        }
    }

    #[test]
    fn a_narrow_kernel_is_always_refilled() {
        for (row, lanes) in rows(false) {
            assert!(refilled_at_once(row, lanes, 1));
            assert!(refilled_at_once(row, lanes, IN_STEP + 1));
        }
    }

    /// A run that is to end early goes on until three quarters of the lanes are live, and says how
    /// far the others came.
    #[test]
    fn the_rest_is_suspended_with_its_blocks() {
        for (row, lanes) in rows(true) {
            // Message i ends in round i, as long as the run lasts.
            let blocks: Vec<_> = (1..=lanes).map(|i| 3 * i).collect();
            let ended = lanes / 4;
            let mut right: Vec<_> = (0..lanes).map(Event::Next).collect();
            right.extend((0..ended).map(Event::Done));
            right.extend((ended..lanes).map(|id| Event::Suspended(id, 3 * ended)));
            assert_eq!(events(&blocks, row, When::LanesIdle), right);
        }
    }

    /// Few messages leave a wide kernel idle from the start; still one of them is finished.
    #[test]
    fn a_run_finishes_a_message_at_least() {
        for (row, _) in rows(true) {
            assert_eq!(
                events(&[2, 5], row, When::LanesIdle),
                [Event::Next(0), Event::Next(1), Event::Done(0), Event::Suspended(1, 2)]
            );
        }
    }
}
