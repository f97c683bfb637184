//! Messages whose tail is one block, in groups: one in each lane, started together.
//!
//! Lanes read the blocks of a message where they are. Only the last one is assembled, if it is not
//! full, in a *slot*: the message's last bytes end in the middle of it, the padding follows, and
//! the tail begins with these bytes, at any alignment. Digests are written from the lanes.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::null;
use core::slice;

use super::caller::Caller;
use super::list::List;
use super::members::Members;
use super::messages::Numbers;
use super::midstate::Midstate;
use super::output::Output;
use super::rest::put_rest;
use super::source::LaneState;
use super::states::EachState;
use crate::family::{OneBlockTail, State};
use crate::input::Span;
use crate::kernel::{Kernel, Kernels};

/// The number of groups in a call of a kernel, if there are many messages.
const GROUPS: usize = 4;

/// The most lanes of a kernel.
const LANES: usize = 16;

/// The most bytes of a group's slots: two blocks of 168 bytes in 8 lanes, or of 64 in 16.
const SLOTS: usize = 2 * 8 * 168;

/// The reusable memory of groups.
pub(super) struct Lockstep<'s, F: Kernels> {
    /// The state that messages continue, and the number of bytes before it, a multiple of the block
    /// length.
    initial: &'s State<F>,
    before: u64,
    /// The number of lanes of the last kernel.
    lanes: usize,
    slots: Slots,
    layout: MaybeUninit<Layout<F>>,
}

/// What the slots have besides the bytes of messages: the place in each padding of the last byte,
/// or `UNPADDED`.
struct Slots([u8; GROUPS * LANES]);

/// Of a slot without padding. No block has so many bytes.
const UNPADDED: u8 = u8::MAX;

struct Layout<F: Kernels> {
    /// The common initial state of the messages in all lanes, word-major.
    beginning: F::LaneStates,
    /// For each group, the states of its lanes, word-major.
    states: [F::LaneStates; GROUPS],
    slots: [[u8; SLOTS]; GROUPS],
}

#[cfg(feature = "zeroize")]
impl<F: Kernels> Drop for Lockstep<'_, F> {
    fn drop(&mut self) {
        crate::wipe::memory(slice::from_mut(&mut self.layout));
    }
}

/// The memory while a kernel uses it.
///
/// All pointers into the memory are derived from `base`, so they stay valid for `'m`, whatever
/// methods are called in between.
struct Memory<'m, F: Kernels> {
    /// Borrowed for `'m`.
    base: *mut Layout<F>,
    /// Few enough for the states and the slots.
    lanes: usize,
    memory: PhantomData<&'m mut Layout<F>>,
}

impl<'m, F: Kernels> Memory<'m, F> {
    /// # Panics
    /// If the memory is too small for this number of lanes.
    fn new(layout: &'m mut MaybeUninit<Layout<F>>, lanes: usize) -> Self {
        let words = size_of::<F::LaneStates>() / size_of::<F::Word>();
        assert!(lanes <= LANES && 2 * lanes * F::BLOCK <= SLOTS && lanes * F::STATE_WORDS <= words);
        Self { base: layout.as_mut_ptr(), lanes, memory: PhantomData }
    }

    /// The states that lanes begin in: `STATE_WORDS * lanes` words.
    fn beginning(&self) -> *mut F::Word {
        // SAFETY: `base` points to a layout borrowed for `'m`. Nothing is read.
        unsafe { (&raw mut (*self.base).beginning).cast() }
    }

    /// The states of group `g`: `STATE_WORDS * lanes` words.
    fn states(&self, g: usize) -> *mut F::Word {
        // SAFETY: `base` points to a layout borrowed for `'m`, and the index is checked. Nothing is
        // read.
        unsafe { (&raw mut (*self.base).states[g]).cast() }
    }

    /// The slot of member `i`: two blocks.
    fn slot(&self, i: usize) -> *mut u8 {
        assert!(i < GROUPS * self.lanes);
        // SAFETY: `base` points to a layout borrowed for `'m`. Nothing is read.
        let slots: *mut u8 = unsafe { (&raw mut (*self.base).slots).cast() };
        slots.wrapping_add(i * 2 * F::BLOCK)
    }

    /// Writes the state in which all lanes begin.
    fn put_beginning(&self, state: &State<F>) {
        match self.lanes {
            1 | 2 => self.put_lanes::<1>(state),
            _ => self.put_lanes::<4>(state),
        }
    }

    /// [`put_beginning`](Self::put_beginning), `N` lanes at once.
    #[inline(always)]
    fn put_lanes<const N: usize>(&self, state: &State<F>) {
        assert!(self.lanes.is_multiple_of(N));
        for (w, &word) in state.as_ref().iter().enumerate().take(F::STATE_WORDS) {
            for l in (0..self.lanes).step_by(N) {
                let to = self.beginning().wrapping_add(w * self.lanes + l).cast::<[F::Word; N]>();
                // SAFETY: there are STATE_WORDS * lanes words, derived from `base`, through which
                // the memory may be written. N of them begin here, as N divides the lanes.
                unsafe { to.write([word; N]) };
            }
        }
    }

    /// The states of group `g`, to be changed.
    ///
    /// # Safety
    /// They are initialised.
    unsafe fn words(&mut self, g: usize) -> &mut [F::Word] {
        // SAFETY: there are STATE_WORDS * lanes words, initialised as the caller promises. The
        // borrow of `self` keeps other references away.
        unsafe { slice::from_raw_parts_mut(self.states(g), F::STATE_WORDS * self.lanes) }
    }
}

/// A group of messages, and what its lanes compress next.
#[derive(Clone, Copy)]
struct Group<F: Kernels> {
    number: usize,
    /// The number of its first member.
    first: usize,
    /// The states before the blocks.
    from: *const F::Word,
    /// The address from which each lane reads next.
    data: [*const u8; LANES],
    /// The blocks that are left to each lane before its tail, or the one of the tail. `IDLE` if the
    /// lane is done.
    left: [usize; LANES],
    /// The tail of each lane, until it is entered.
    tails: [*const u8; LANES],
    /// The length of each message.
    ends: [u64; LANES],
    /// The fewest blocks that are left to a lane, which the next call compresses.
    blocks: usize,
}

const IDLE: usize = usize::MAX;

impl<F: Kernels + OneBlockTail> Group<F> {
    fn new(number: usize, first: usize, from: *const F::Word) -> Self {
        let (data, tails, left, ends) =
            ([null(); LANES], [null(); LANES], [IDLE; LANES], [0; LANES]);
        Self { number, first, from, data, left, tails, ends, blocks: 0 }
    }

    /// The states before the next blocks, to be changed.
    fn states<'m>(&mut self, memory: &'m mut Memory<'_, F>) -> &'m mut [F::Word] {
        let states = memory.states(self.number);
        if self.from != states {
            // SAFETY: both have STATE_WORDS * lanes words.
            unsafe { states.copy_from_nonoverlapping(self.from, F::STATE_WORDS * memory.lanes) };
            self.from = states;
        }
        // SAFETY: just initialised, or by a kernel.
        unsafe { memory.words(self.number) }
    }

    /// Writes the state of each lane.
    #[inline(never)]
    fn put_states<'s>(
        &mut self,
        memory: &mut Memory<'_, F>,
        state: impl Fn(usize) -> &'s State<F>,
    ) {
        let lanes = memory.lanes;
        let words = self.states(memory);
        for l in 0..lanes {
            let state = state(l).as_ref();
            for w in 0..F::STATE_WORDS {
                words[w * lanes + l] = state[w];
            }
        }
    }

    /// Moves lane `l` to its tail.
    #[inline(always)]
    fn enter_tail(&mut self, l: usize, initial: &State<F>, memory: &mut Memory<'_, F>) {
        (self.data[l], self.left[l], self.tails[l]) = (self.tails[l], 1, null());
        if F::LAST_DIFFERS {
            let lanes = memory.lanes;
            let words = self.states(memory);
            F::set_for_tail(initial, self.ends[l], |w, word| words[w * lanes + l] = word);
        }
    }

    /// Decides how many blocks the lanes compress. Idle ones get the address of another. Returns
    /// whether there are any.
    #[inline(always)]
    fn is_live(&mut self, lanes: usize) -> bool {
        let (mut blocks, mut shortest) = (IDLE, 0);
        for l in 0..lanes {
            if self.left[l] < blocks {
                (blocks, shortest) = (self.left[l], l);
            }
        }
        for l in 0..lanes {
            if self.left[l] == IDLE {
                self.data[l] = self.data[shortest];
            }
        }
        self.blocks = blocks;
        blocks != IDLE
    }

    /// Records that the blocks are compressed. Returns whether the message of lane `l` ends there.
    #[inline(always)]
    fn advance(&mut self, l: usize, initial: &State<F>, memory: &mut Memory<'_, F>) -> bool {
        if self.left[l] == IDLE {
            return false;
        }
        self.left[l] -= self.blocks;
        self.data[l] = self.data[l].wrapping_add(self.blocks * F::BLOCK);
        match (self.left[l], self.tails[l].is_null()) {
            (0, true) => self.left[l] = IDLE,
            (0, false) => self.enter_tail(l, initial, memory),
            _ => {}
        }
        self.left[l] == IDLE
    }
}

impl<'s, F: Kernels + OneBlockTail> Lockstep<'s, F> {
    /// Memory for messages that continue `before`, which consists of whole blocks.
    pub(super) fn new(before: &Midstate<'s, F>) -> Self {
        assert!(before.is_whole_blocks());
        Self {
            initial: before.state,
            before: before.length as u64,
            lanes: 0,
            slots: Slots([UNPADDED; GROUPS * LANES]),
            layout: MaybeUninit::uninit(),
        }
    }

    /// How many of the messages, from the first on, can be hashed here. An empty one cannot if a
    /// last block that differs was compressed like the others.
    fn suitable(&self, lengths: &[usize], lanes: usize) -> usize {
        if !F::LAST_DIFFERS || self.before == 0 {
            return lengths.len();
        }
        let empty = lengths.iter().position(|&length| length == 0);
        empty.map_or(lengths.len(), |i| i & !(lanes - 1))
    }
}

impl Slots {
    /// The tail of member `i`: its last block if that is full, or a copy in its slot.
    #[inline(always)]
    fn tail<F: OneBlockTail>(
        &mut self,
        i: usize,
        slot: *mut u8,
        message: &[u8],
        after: u8,
    ) -> *const u8 {
        let (held, padding) = (F::held(message.len()), slot.wrapping_add(F::BLOCK));
        if held == F::BLOCK {
            return message[message.len() - held..].as_ptr();
        }
        let (mark, before) = (F::BLOCK - 1 - held, self.0[i]);
        self.0[i] = mark as u8;
        // SAFETY: a slot has two blocks, which nothing else accesses. Marks are in a block.
        unsafe {
            if before == UNPADDED {
                padding.write_bytes(0, F::BLOCK);
            } else {
                padding.add(usize::from(before)).write(0);
            }
            if F::LAST > 0 {
                padding.write(after);
                padding.add(mark).write(if mark == 0 { after ^ F::LAST } else { F::LAST });
            }
            put_rest::<F>(slot, message);
        }
        padding.wrapping_sub(held)
    }
}

impl<F: Kernels + OneBlockTail> Caller<F> for Lockstep<'_, F> {
    const PREFETCHES: bool = false;

    fn most(lanes: usize) -> usize {
        GROUPS * lanes
    }

    fn suits(_: &Kernel<F::Word>) -> bool {
        true
    }

    /// Hashes `members`, at most `GROUPS * kernel.lanes`. If there are `states`, each message
    /// continues its own. Writes each digest to the position of its message's number.
    ///
    /// # Panics
    /// If there are more messages, or the CPU cannot run the kernel.
    fn hash(
        &mut self,
        kernel: &Kernel<F::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, F>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        let lanes = kernel.lanes;
        assert!(kernel.available() && members.count() == numbers.count);
        let count = self.suitable(members.lengths(), lanes);
        let (before, after) = (self.before, F::after(self.initial));
        let mut memory = Memory::new(&mut self.layout, lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            memory.put_beginning(self.initial);
        }
        let mut groups = List::<Group<F>, GROUPS>::new();
        for first in (0..count).step_by(lanes) {
            // Filled in the list: a copy of it takes as long as a lane's message.
            let number = first / lanes;
            groups.push(Group::new(number, first, memory.beginning()));
            let group = &mut groups.as_mut_slice()[number];
            if let Some(states) = states {
                group.put_states(&mut memory, |l| {
                    states.state(numbers.number((first + l).min(count - 1)))
                });
            }
            for l in 0..lanes.min(count - first) {
                let message = members.message(first + l);
                let slot = memory.slot(first + l);
                group.tails[l] = self.slots.tail::<F>(first + l, slot, message, after);
                (group.data[l], group.left[l]) = (message.as_ptr(), F::whole_blocks(message.len()));
                group.ends[l] = before + message.len() as u64;
                if group.left[l] == 0 {
                    group.enter_tail(l, self.initial, &mut memory);
                }
            }
        }
        let groups = groups.as_mut_slice();
        loop {
            let mut spans = List::<Span<F::Word>, GROUPS>::new();
            for group in &mut *groups {
                if group.is_live(lanes) {
                    let (to, data) = (memory.states(group.number), group.data.as_ptr());
                    let Group { from, blocks, .. } = *group;
                    spans.push(Span { from, to, data, blocks, known: null() });
                    group.from = to;
                }
            }
            if spans.as_slice().is_empty() {
                return count;
            }
            // SAFETY: the kernel is available, as asserted, and `memory` is for its lanes. States
            // are written before they are read: `beginning` above, those of a group by its spans or
            // as copies of `beginning`. Each lane's pointer is to the blocks that are left to it in
            // a message, which is borrowed, or to a tail, or it is that of another lane.
            unsafe { kernel.run_spans(spans.as_slice()) };
            for group in groups.iter_mut().filter(|group| group.blocks != IDLE) {
                for l in 0..lanes {
                    if group.advance(l, self.initial, &mut memory) {
                        let number = numbers.number(group.first + l);
                        // SAFETY: the kernel has written the states of the group.
                        let words = unsafe { memory.words(group.number) };
                        output.put_lane::<F>(number, LaneState::new(words, lanes, l));
                    }
                }
            }
        }
    }
}
