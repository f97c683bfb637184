//! The scheduler: assigns messages of any length to the lanes of a kernel.
//!
//! A [`Source`] supplies messages and receives their states. [`run`] keeps the lanes busy in
//! between. It works in *rounds*: in each, the kernel advances all lanes until the first one
//! reaches the end of its contiguous blocks.
//!
//! No pointer to a message outlives the lifetime `'a` for which the source borrows its messages.
//!
//! | file | what |
//! |---|---|
//! | `source.rs` | the scheduler's interface to its source of messages |
//! | `active.rs` | the lanes of a run and their progress |
//! | `stages.rs` | the memory in which a lane's first and last blocks are assembled |

mod active;
#[forbid(unsafe_code)]
pub(super) mod source;
pub(super) mod stages;

use core::marker::PhantomData;

use crate::family::{Rules, State};
use crate::kernel::MAX_LANES;
use crate::schedule::refill::active::{ActiveLanes, Lane};
use crate::schedule::refill::source::Source;
use crate::schedule::refill::stages::{StageMemory, Stages};
use crate::schedule::rules::Tabled;
use crate::wipe::{Wipe, Wiped};

/// When a run ends.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// All messages are done.
    AllDone,
    /// No more messages wait and a quarter of the lanes is idle. The rest is suspended, to be
    /// continued together with later messages. If there was any message, at least one is done.
    LanesIdle,
    /// No more messages wait and lanes are idle. Unfinished messages stay in the lanes, and
    /// continue beside those of the next source. The number is how many those will be.
    MoreToCome(usize),
}

/// Hashes the messages of `source` in the lanes of row `forced`, which the CPU can run, or of the
/// best kernel for their number.
pub(crate) fn run<'a, R: Tabled>(
    rules: R,
    source: &mut dyn Source<'a, R>,
    forced: Option<usize>,
    when: When,
) {
    let mut memory = StageMemory::new();
    Scheduler::new(rules, &mut memory, source.waiting(), forced).run(source, when);
}

/// A scheduler that takes messages from several sources in succession.
pub(crate) struct Scheduler<'a, 'm, R: Tabled> {
    rules: R,
    lanes: ActiveLanes<R>,
    stages: Stages<'m>,
    forced: Option<usize>,
    /// The messages in the lanes stay borrowed while the scheduler lives.
    messages: PhantomData<&'a [u8]>,
}

/// The next step.
#[derive(PartialEq, Eq)]
enum Next {
    /// Another round, in the same lanes.
    Round,
    /// End the run, with unfinished messages in the lanes.
    Leave,
    /// Suspend the rest.
    Suspend,
    /// Finish the rest in narrower kernels, in which the live lanes are faster.
    Narrow,
}

impl<'a, 'm, R: Tabled> Scheduler<'a, 'm, R> {
    /// A scheduler for `messages` messages, counted over all sources. It begins with row `forced`,
    /// which the CPU can run, or with the best kernel for their number.
    pub(crate) fn new(
        rules: R,
        memory: &'m mut StageMemory,
        messages: usize,
        forced: Option<usize>,
    ) -> Self {
        let lanes = ActiveLanes::new(rules, rules.row(messages, forced));
        assert!(lanes.can_run());
        let stages = memory.stages(rules.block(), lanes.count());
        Self { rules, lanes, stages, forced, messages: PhantomData }
    }

    /// Hashes the messages of a source, and those of earlier sources that are still in the lanes.
    pub(crate) fn run(&mut self, source: &mut dyn Source<'a, R>, when: When) {
        let mut any_done = false;
        loop {
            let live_before = self.lanes.live();
            if self.lanes.wants_messages() {
                self.lanes.fill(source, &mut self.stages);
                // A source may have fewer messages than it reported.
                if self.lanes.live() == 0 && source.waiting() > 0 {
                    continue;
                }
            }
            // New messages get a round before they may be suspended.
            let may_suspend = any_done && self.lanes.live() == live_before;
            match self.next(source.waiting(), when, may_suspend) {
                Next::Round => {}
                Next::Leave => return,
                Next::Suspend => return self.lanes.suspend(source),
                // SAFETY: as below.
                Next::Narrow => return unsafe { self.narrow(source) },
            }
            let live_before = self.lanes.live();
            // SAFETY: a lane is live. Each stretch is in a message, which is borrowed for 'a, or in
            // a stage, whose memory is borrowed for 'm. The CPU can run the kernel, as asserted in
            // `new`.
            unsafe { self.lanes.round(source) };
            any_done |= self.lanes.live() < live_before;
        }
    }

    /// Decides what to do after a round.
    fn next(&self, waiting: usize, when: When, may_suspend: bool) -> Next {
        let lanes = &self.lanes;
        if lanes.live() == 0 {
            return Next::Leave;
        }
        if waiting > 0 {
            return Next::Round;
        }
        // A first round may finish only the head or the body of a message. At least one message
        // must finish, so that repeated calls make progress.
        let quarter_idle = lanes.live() <= lanes.count() * 3 / 4;
        match when {
            When::LanesIdle if may_suspend && quarter_idle => Next::Suspend,
            When::MoreToCome(1..) if lanes.wants_messages() => Next::Leave,
            When::MoreToCome(1..) => Next::Round,
            _ if self.rules.row(lanes.live(), self.forced) != lanes.row() => Next::Narrow,
            _ => Next::Round,
        }
    }

    /// Finishes the last messages, always in the best kernel for the remaining number.
    ///
    /// # Safety
    /// The stretches of all live lanes are readable. The CPU can run row `forced`.
    #[inline(never)]
    unsafe fn narrow(&mut self, source: &mut dyn Source<'a, R>) {
        let Self { rules, lanes, forced, .. } = self;
        let choose = |messages: usize| rules.row(messages, *forced);
        let mut places: [Parked<R>; MAX_LANES] =
            core::array::from_fn(|_| Parked { lane: Lane::NONE, state: Wiped(R::State::ZERO) });
        let mut parked = 0;
        loop {
            lanes.release_all(|mut lane, left, state| {
                // The current stretch was taken out of `to_come`, so the first element is free.
                // Putting the rest of the stretch there keeps the order.
                lane.put_back(left);
                places[parked] = Parked { lane, state: Wiped(state) };
                parked += 1;
            });
            if parked == 0 {
                return;
            }
            lanes.restart(choose(parked));
            while lanes.live() + parked > 0 && choose(lanes.live() + parked) == lanes.row() {
                for l in 0..lanes.count() {
                    if parked > 0 && lanes.is_idle(l) {
                        // The longest start first, so that the last ones have similar lengths.
                        let mut longest = 0;
                        for i in 1..parked {
                            let blocks = |i: usize| places[i].lane.blocks_to_come();
                            longest = if blocks(i) > blocks(longest) { i } else { longest };
                        }
                        parked -= 1;
                        places.swap(longest, parked);
                        lanes.admit(l, places[parked].lane, &places[parked].state);
                    }
                }
                // SAFETY: a lane is live, because some were or a parked message was admitted. The
                // caller promises that the stretches are readable, and that the CPU can run row
                // `forced`.
                unsafe { lanes.round(source) };
            }
        }
    }
}

/// A message that moves from one kernel to another.
#[derive(Clone)]
struct Parked<R: Rules> {
    lane: Lane,
    state: Wiped<State<R>>,
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use alloc::vec;
    use alloc::vec::Vec;

    use super::*;
    use crate::family::md5::{self, Md5Family};
    use crate::kernel::Kernels;
    use crate::schedule::refill::active::{IN_STEP, WIDE};
    use crate::schedule::refill::source::{LaneState, Work};
    use crate::schedule::rules::{Md, Ruled};

    /// An action of a run.
    #[derive(Debug, PartialEq, Eq)]
    enum Event {
        Next(usize),
        Done(usize),
        Suspended(usize, usize),
    }

    /// A source that records its calls. Its messages have neither head nor tail.
    struct Recorder<'a> {
        messages: Vec<&'a [u8]>,
        /// A message that arrives when the first one is done.
        late: Option<&'a [u8]>,
        handed_out: usize,
        events: Vec<Event>,
    }

    impl<'a> Source<'a, Md<u32>> for Recorder<'a> {
        fn waiting(&self) -> usize {
            self.messages.len() - self.handed_out
        }

        fn next(&mut self, _: &mut [u8]) -> Option<Work<'a, Md<u32>>> {
            let id = self.handed_out;
            self.handed_out += 1;
            self.events.push(Event::Next(id));
            Some(Work {
                id,
                state: md5::INITIAL,
                head: false,
                body: self.messages[id],
                tail: 0,
                length: 0,
            })
        }

        fn done(&mut self, id: usize, _: LaneState<'_, Md<u32>>) {
            self.events.push(Event::Done(id));
            self.messages.extend(self.late.take());
        }

        fn suspended(&mut self, id: usize, _: State<Md<u32>>, blocks: usize) {
            self.events.push(Event::Suspended(id, blocks));
        }
    }

    fn events(blocks: &[usize], row: usize, when: When) -> Vec<Event> {
        events_with_late(blocks, None, row, when)
    }

    fn events_with_late(
        blocks: &[usize],
        late: Option<usize>,
        row: usize,
        when: When,
    ) -> Vec<Event> {
        let bytes = vec![1; 64 * blocks.iter().max().unwrap()];
        let messages = blocks.iter().map(|blocks| &bytes[..64 * blocks]).collect();
        let late = late.map(|blocks| &bytes[..64 * blocks]);
        let mut source = Recorder { messages, late, handed_out: 0, events: Vec::new() };
        run(Md5Family::RULES, &mut source, Some(row), when);
        source.events
    }

    /// The rows that can run here and have wide kernels, or narrow ones with several lanes.
    fn rows(wide: bool) -> impl Iterator<Item = (usize, usize)> {
        let lanes = |row: usize| Md5Family::TABLE[row].lanes;
        let rows = (0..Md5Family::TABLE.len()).filter(|&row| Md5Family::TABLE[row].available());
        rows.map(move |row| (row, lanes(row)))
            .filter(move |&(_, lanes)| lanes > 1 && (lanes >= WIDE) == wide)
    }

    /// Whether an idle lane is refilled when the first message, of one block, has ended, the others
    /// have `left` blocks left, and one more waits.
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
    fn a_wide_kernel_is_refilled_only_if_many_blocks_are_left() {
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

    /// A run that may end early continues until three quarters of the lanes are live, and reports
    /// the progress of the others.
    #[test]
    fn the_rest_is_suspended_with_its_blocks() {
        for (row, lanes) in rows(true) {
            // Message i ends in round i, until the run ends.
            let blocks: Vec<_> = (1..=lanes).map(|i| 3 * i).collect();
            let ended = lanes / 4;
            let mut right: Vec<_> = (0..lanes).map(Event::Next).collect();
            right.extend((0..ended).map(Event::Done));
            right.extend((ended..lanes).map(|id| Event::Suspended(id, 3 * ended)));
            assert_eq!(events(&blocks, row, When::LanesIdle), right);
        }
    }

    /// A message that arrives when another one is done gets a round before it is suspended.
    #[test]
    fn a_suspended_message_is_partly_compressed() {
        for (row, _) in rows(true) {
            assert_eq!(
                events_with_late(&[1, 3 * IN_STEP], Some(3), row, When::LanesIdle),
                [
                    Event::Next(0),
                    Event::Next(1),
                    Event::Done(0),
                    Event::Next(2),
                    Event::Done(2),
                    Event::Suspended(1, 4),
                ]
            );
        }
    }

    /// With few messages, most lanes of a wide kernel are idle from the start. One message is
    /// finished nevertheless.
    #[test]
    fn a_run_finishes_at_least_one_message() {
        for (row, _) in rows(true) {
            assert_eq!(
                events(&[2, 5], row, When::LanesIdle),
                [Event::Next(0), Event::Next(1), Event::Done(0), Event::Suspended(1, 2)]
            );
        }
    }
}
