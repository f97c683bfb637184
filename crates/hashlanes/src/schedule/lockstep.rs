//! Messages whose tail is one block, in groups: one in each lane, started together.
//!
//! Lanes read the blocks of a message where they are. Only the last one is assembled, if it is not
//! full, in a *slot*: the message's last bytes end in the middle of it, the padding follows, and
//! the tail begins with these bytes, at any alignment. Digests are written from the lanes, and
//! blocks of output by the kernel, which squeezes all lanes of a group together.

use core::marker::PhantomData;
use core::mem::MaybeUninit;
use core::ptr::{null, null_mut};
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
            4 => self.put_lanes::<4>(state),
            _ => self.put_lanes::<8>(state),
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
    /// The blocks that are left to each lane before its tail, or the one of the tail. 0 if the lane
    /// is done.
    left: [usize; LANES],
    /// The lanes that are in their tails, as bits.
    in_tail: u32,
    /// The fewest blocks that are left to a lane, which the next call compresses. 0 if all are
    /// done.
    blocks: usize,
}

impl<F: Kernels + OneBlockTail> Group<F> {
    /// All zeros, which are written quickly.
    const EMPTY: Self = {
        let (data, left) = ([null(); LANES], [0; LANES]);
        Self { number: 0, first: 0, from: null(), data, left, in_tail: 0, blocks: 0 }
    };

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

    /// Moves lane `l` to the tail of its message.
    #[inline(always)]
    fn enter_tail(
        &mut self,
        l: usize,
        message: &[u8],
        tails: &mut Tails<'_, F>,
        memory: &mut Memory<'_, F>,
    ) {
        (self.data[l], self.left[l]) = (tails.tail(self.first + l, message, memory), 1);
        self.in_tail |= 1 << l;
        if F::LAST_DIFFERS {
            let (lanes, length) = (memory.lanes, tails.before + message.len() as u64);
            let words = self.states(memory);
            F::set_for_tail(tails.initial, length, |w, word| words[w * lanes + l] = word);
        }
    }

    /// Decides how many blocks the lanes compress. Idle ones get the address of another. Returns
    /// whether there are any.
    #[inline(always)]
    fn is_live(&mut self, lanes: usize) -> bool {
        let (data, left) = (&mut self.data[..lanes], &self.left[..lanes]);
        let (mut fewest, mut shortest) = (usize::MAX, null());
        for (&left, &data) in left.iter().zip(&*data) {
            // Of a lane that is done, the largest number.
            if left.wrapping_sub(1) < fewest {
                (fewest, shortest) = (left - 1, data);
            }
        }
        self.blocks = fewest.wrapping_add(1);
        if self.blocks == 0 {
            return false;
        }
        for (data, _) in data.iter_mut().zip(left).filter(|(_, left)| **left == 0) {
            *data = shortest;
        }
        true
    }

    /// Records that the blocks are compressed. Returns whether the message of lane `l`, which is
    /// among `members`, ends there.
    #[inline(always)]
    fn advance(
        &mut self,
        l: usize,
        members: &Members<'_>,
        tails: &mut Tails<'_, F>,
        memory: &mut Memory<'_, F>,
    ) -> bool {
        if self.left[l] == 0 {
            return false;
        }
        self.left[l] -= self.blocks;
        self.data[l] = self.data[l].wrapping_add(self.blocks * F::BLOCK);
        if self.left[l] > 0 {
            return false;
        }
        let ends = self.in_tail & 1 << l != 0;
        if !ends {
            self.enter_tail(l, members.message(self.first + l), tails, memory);
        }
        ends
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

    /// How many of the messages, from the first on, can be hashed here, with digests of at most
    /// `longest` bytes. An empty one cannot if a last block that differs was compressed like the
    /// others. Lanes with more output than a block begin it together.
    fn suitable(&self, lengths: &[usize], lanes: usize, longest: usize) -> usize {
        let unsuitable = if F::LAST_DIFFERS && self.before > 0 {
            lengths.iter().position(|&length| length == 0)
        } else if longest > F::BLOCK {
            let blocks = |i: usize| F::padded_blocks(lengths[i]);
            (0..lengths.len()).find(|&i| blocks(i) != blocks(i & !(lanes - 1)))
        } else {
            None
        };
        unsuitable.map_or(lengths.len(), |i| i & !(lanes - 1))
    }
}

/// What the tails of messages are made of.
struct Tails<'t, F: Kernels> {
    initial: &'t State<F>,
    /// The number of bytes before each message.
    before: u64,
    /// The byte after each.
    after: u8,
    slots: &'t mut Slots,
}

impl<F: Kernels + OneBlockTail> Tails<'_, F> {
    /// The tail of member `i`: its last block if that is full, or a copy in its slot.
    #[inline(always)]
    fn tail(&mut self, i: usize, message: &[u8], memory: &Memory<'_, F>) -> *const u8 {
        let (held, slot, after) = (F::held(message.len()), memory.slot(i), self.after);
        let padding = slot.wrapping_add(F::BLOCK);
        if held == F::BLOCK {
            return message[message.len() - held..].as_ptr();
        }
        let (mark, before) = (F::BLOCK - 1 - held, self.slots.0[i]);
        self.slots.0[i] = mark as u8;
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
        let longest = output.longest();
        let count = self.suitable(members.lengths(), lanes, longest);
        let Self { initial, before, ref mut slots, .. } = *self;
        let mut tails = Tails { initial, before, after: F::after(initial), slots };
        let mut memory = Memory::new(&mut self.layout, lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            memory.put_beginning(initial);
        }
        let mut groups = [Group::<F>::EMPTY; GROUPS];
        let groups = &mut groups[..count.div_ceil(lanes)];
        for (number, group) in groups.iter_mut().enumerate() {
            (group.number, group.first) = (number, number * lanes);
            group.from = memory.beginning();
            if let Some(states) = states {
                group.put_states(&mut memory, |l| {
                    states.state(numbers.number((number * lanes + l).min(count - 1)))
                });
            }
            for l in 0..lanes.min(count - group.first) {
                let message = members.message(group.first + l);
                (group.data[l], group.left[l]) = (message.as_ptr(), F::whole_blocks(message.len()));
                if group.left[l] == 0 {
                    group.enter_tail(l, message, &mut tails, &mut memory);
                }
            }
        }
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
            for group in groups.iter_mut().filter(|group| group.blocks > 0) {
                let mut to = [null_mut(); LANES];
                for l in 0..lanes {
                    if group.advance(l, members, &mut tails, &mut memory) {
                        let number = numbers.number(group.first + l);
                        to[l] = output.blocks::<F>(number);
                        if to[l].is_null() {
                            // SAFETY: the kernel has written the states of the group.
                            let words = unsafe { memory.words(group.number) };
                            output.put_lane::<F>(number, LaneState::new(words, lanes, l));
                        }
                    }
                }
                if to.iter().any(|to| !to.is_null()) {
                    // SAFETY: the kernel has written the states of the group, and is available.
                    // There are `longest` bytes at each pointer, each to another output.
                    unsafe { squeeze::<F>(kernel, memory.words(group.number), longest, &to) };
                }
            }
        }
    }
}

/// Writes output of `length` bytes, at least a block, from those lanes that have a place for it.
///
/// # Safety
/// The kernel is available. Each pointer is null, or writable for `length` bytes that overlap
/// nothing else.
#[inline(never)]
unsafe fn squeeze<F: Kernels>(
    kernel: &Kernel<F::Word>,
    states: &mut [F::Word],
    length: usize,
    to: &[*mut u8; LANES],
) {
    let (blocks, rest) = (length / F::BLOCK, length % F::BLOCK);
    // SAFETY: the caller promises the kernel, and pointers to at least as many blocks.
    unsafe { kernel.squeeze::<F>(states, false, blocks, to) };
    if rest > 0 {
        // SAFETY: as above. Nothing is written.
        unsafe { kernel.squeeze::<F>(states, true, 1, &[null_mut(); LANES]) };
        for (l, to) in to.iter().enumerate().filter(|(_, to)| !to.is_null()) {
            // SAFETY: the caller promises blocks, and this rest of another behind them.
            let rest = unsafe { slice::from_raw_parts_mut(to.add(blocks * F::BLOCK), rest) };
            LaneState::<F>::new(states, kernel.lanes, l).write(rest);
        }
    }
}
