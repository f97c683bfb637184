//! Output of any length: states are permuted in lanes, and each time a lane has another block of
//! output.

use core::ptr::null_mut;

use crate::family::{OneBlockTail, Rules, State, write_words};
use crate::kernel::MAX_LANES;
use crate::schedule::batch::Batch;
use crate::schedule::batch::output::Output;
use crate::schedule::batch::places::{Apart, Places};
use crate::schedule::choose::hash_many_of_one_block;
use crate::schedule::refill::source::LaneState;
use crate::schedule::rules::Tabled;
use crate::schedule::stream::Stream;
use crate::wipe::{Wipe, Wiped};

/// A sponge that has absorbed its message.
#[derive(Clone)]
pub struct Squeezed<R: Rules> {
    rules: R,
    state: Wiped<State<R>>,
    /// The bytes of the state's block that are output already, at most a block.
    used: usize,
}

impl<R: Rules<Word = u64>> Squeezed<R> {
    pub(crate) fn new(rules: R, state: &State<R>) -> Self {
        Self { rules, state: Wiped(*state), used: 0 }
    }

    /// Replaces the sponge by one with the state in a lane, of whose block `used` bytes are output.
    #[inline(always)]
    fn set(&mut self, state: LaneState<'_, R>, used: usize) {
        state.copy_to(&mut self.state.as_mut()[..self.rules.state_words()]);
        self.used = used;
    }

    /// Writes what is left of the current block to the start of `output`. Returns its length.
    #[inline(always)]
    fn take(&mut self, output: &mut [u8]) -> usize {
        let count = output.len().min(self.rules.block() - self.used);
        let output = &mut output[..count];
        if self.used.is_multiple_of(8) {
            let words = &self.state.as_ref()[self.used / 8..];
            LaneState::<R>::from_first(words, 1).write(output);
        } else {
            let mut block = Wiped(R::Block::ZERO);
            write_words(|w| self.state[w], &mut block.as_mut()[..self.rules.block()]);
            output.copy_from_slice(&block.as_ref()[self.used..][..count]);
        }
        self.used += count;
        count
    }
}

/// Absorbs many messages and replaces the sponge of each.
pub(crate) fn absorb<R: OneBlockTail<Word = u64> + Squeeze<Squeezed = Squeezed<R>>>(
    batch: &Batch<'_, '_, R>,
    sponges: &mut dyn Sponges<R>,
) {
    let take = &mut |i: usize, words: &[u64], lanes: usize| {
        sponges.sponge(i).set(LaneState::from_first(words, lanes), 0);
    };
    hash_many_of_one_block(batch, &mut Output::states(take, batch.count()));
}

/// The entry point for output of any length.
pub trait Squeeze: Tabled {
    /// What the output of a message continues.
    type Squeezed: Clone;

    /// The most bytes of output that a message's digest has.
    fn as_digest(self) -> usize;

    /// What precedes the output of a message with this final state, which a source or a stream
    /// got.
    fn squeezed(self, state: &State<Self>) -> Self::Squeezed;

    /// What precedes the output of the message of `stream`.
    fn finished(self, stream: &Stream<Self>, forced: Option<usize>) -> Self::Squeezed;

    /// Absorbs many messages, and replaces what the output of each continues.
    fn absorb(self, batch: &Batch<'_, '_, Self>, sponges: &mut dyn Sponges<Self>);

    /// Writes output of one length, more than that of a digest, of messages from the first on, as
    /// far as nothing is needed between messages and outputs. Returns of how many.
    fn hash_first(self, batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) -> usize;

    /// Fills all outputs, in the lanes of row `forced`, which the CPU can run, or of the best
    /// kernel for their number.
    fn squeeze(self, outputs: &mut dyn Outputs<Self>, forced: Option<usize>);
}

/// What the output of each of many messages continues.
pub trait Sponges<R: Squeeze> {
    fn sponge(&mut self, i: usize) -> &mut R::Squeezed;
}

/// Many outputs with the memory for their next bytes. The memory may be another one in each call,
/// as a caller's `AsMut` decides; then its contents are meaningless.
///
/// # Safety
/// Of the memory, `at` promises what [`Places`] does.
pub unsafe trait Outputs<R: Squeeze> {
    fn count(&self) -> usize;

    /// What output number `i` continues, and that output.
    fn at(&mut self, i: usize) -> (&mut R::Squeezed, &mut [u8]);
}

/// The outputs of a caller's slice, and the sponges that they continue.
pub(crate) struct Reading<'o, S, O> {
    pub(crate) sponges: S,
    pub(crate) outputs: Apart<'o, O>,
}

// SAFETY: sponges are no outputs, for which this is what `Apart` promises.
unsafe impl<R: Squeeze, S: Sponges<R>, O: AsMut<[u8]>> Outputs<R> for Reading<'_, S, O> {
    fn count(&self) -> usize {
        self.outputs.0.len()
    }

    fn at(&mut self, i: usize) -> (&mut R::Squeezed, &mut [u8]) {
        (self.sponges.sponge(i), self.outputs.place(i))
    }
}

/// A lane's sponge, and how much of its output is written.
#[derive(Clone, Copy)]
struct Lane {
    id: usize,
    written: usize,
}

/// Fills all outputs, in the lanes of row `forced`, which the CPU can run, or of the best kernel
/// for their number. Lanes are refilled, so outputs may have any lengths.
pub(crate) fn squeeze<R: Squeeze<Squeezed = Squeezed<R>> + Rules<Word = u64>>(
    rules: R,
    outputs: &mut dyn Outputs<R>,
    forced: Option<usize>,
) {
    let (block, words) = (rules.block(), rules.state_words());
    let count = outputs.count();
    let exceeds = |&i: &usize| {
        let (sponge, output) = outputs.at(i);
        output.len() > block - sponge.used
    };
    let long = (0..count).filter(exceeds).count();
    if long == 0 {
        for i in 0..count {
            let (sponge, output) = outputs.at(i);
            sponge.take(output);
        }
        return;
    }
    let kernel = rules.kernel(rules.row(long, forced));
    assert!(kernel.available() && words * kernel.lanes <= R::LaneStates::ZERO.as_ref().len());
    let mut waiting = 0..count;
    let mut states = Wiped(R::LaneStates::ZERO);
    let states = states.as_mut();
    let mut lanes = [None; MAX_LANES];
    loop {
        let (mut blocks, mut to) = (usize::MAX, [null_mut(); MAX_LANES]);
        for (l, lane) in lanes[..kernel.lanes].iter_mut().enumerate() {
            while lane.is_none()
                && let Some(id) = waiting.next()
            {
                let (sponge, output) = outputs.at(id);
                let written = sponge.take(output);
                if written < output.len() {
                    *lane = Some(Lane { id, written });
                    for (w, &word) in sponge.state.as_ref().iter().enumerate() {
                        states[w * kernel.lanes + l] = word;
                    }
                }
            }
            if let Some(Lane { id, written }) = *lane {
                let (_, output) = outputs.at(id);
                let rest = output.get_mut(written..).unwrap_or_default();
                blocks = blocks.min((rest.len() / block).max(1));
                if rest.len() >= block {
                    to[l] = rest.as_mut_ptr();
                }
            }
        }
        if lanes.iter().all(Option::is_none) {
            return;
        }
        // SAFETY: the kernel is available, as asserted. There are at least `blocks` blocks at each
        // pointer, in the memory of different outputs.
        unsafe { kernel.squeeze(states, words, true, blocks, &to) };
        for (l, lane) in lanes[..kernel.lanes].iter_mut().enumerate() {
            let Some(Lane { id, written }) = lane else { continue };
            let (sponge, output) = outputs.at(*id);
            let before = *written + (blocks - 1) * block;
            let rest = output.get_mut(before..).unwrap_or_default();
            let used = rest.len().min(block);
            let state = LaneState::<R>::new(states, words, kernel.lanes, l);
            if to[l].is_null() {
                state.write(&mut rest[..used]);
            }
            if used == rest.len() {
                sponge.set(state, used);
                *lane = None;
            } else {
                *written = before + used;
            }
        }
    }
}
