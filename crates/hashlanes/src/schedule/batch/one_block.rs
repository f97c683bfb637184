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

use crate::family::{OneBlockTail, State};
use crate::input::{EqualMessages, Span};
use crate::kernel::Kernel;
use crate::schedule::batch::members::Members;
use crate::schedule::batch::messages::Numbers;
use crate::schedule::batch::output::Output;
use crate::schedule::batch::rest::put_rest;
use crate::schedule::batch::states::EachState;
use crate::schedule::batch::tails::Tails;
use crate::schedule::choose::policy::SOME;
use crate::schedule::list::List;
use crate::schedule::refill::source::LaneState;
use crate::schedule::rules::Tabled;
use crate::schedule::stream::midstate::Midstate;

/// The number of groups in a call of a kernel, if there are many messages.
const GROUPS: usize = 4;

/// The most lanes of a kernel.
const LANES: usize = 32;

/// The most lanes of all groups.
const MEMBERS: usize = GROUPS * SOME;

/// The most bytes of slots: two blocks of 168 bytes in 8 lanes of each group, or of 64 in all.
const SLOTS: usize = 2 * 8 * 168 * GROUPS;

/// The lanes of as many groups as one call takes.
fn grouped(lanes: usize) -> usize {
    (GROUPS * lanes).min(MEMBERS)
}

/// The reusable memory of groups.
pub(crate) struct OneBlock<'s, R: Tabled> {
    rules: R,
    /// The state that messages continue, and the number of bytes before it, a multiple of the block
    /// length.
    initial: &'s State<R>,
    before: u64,
    /// The number of lanes of the last kernel.
    lanes: usize,
    slots: Slots,
    layout: MaybeUninit<Layout<R>>,
}

/// What the slots have besides the bytes of messages: the place in each padding of the last byte,
/// or `UNPADDED`.
struct Slots([u8; MEMBERS]);

/// Of a slot without padding. No block has so many bytes.
const UNPADDED: u8 = u8::MAX;

/// Vectors of words are loaded from one cache line each.
#[repr(align(64))]
struct Layout<R: Tabled> {
    /// The common initial state of the messages in all lanes, word-major.
    beginning: R::LaneStates,
    /// For each group, the states of its lanes, word-major.
    states: [R::LaneStates; GROUPS],
    slots: [u8; SLOTS],
}

#[cfg(feature = "zeroize")]
impl<R: Tabled> Drop for OneBlock<'_, R> {
    fn drop(&mut self) {
        crate::wipe::memory(slice::from_mut(&mut self.layout));
    }
}

/// The memory while a kernel uses it.
///
/// All pointers into the memory are derived from `base`, so they stay valid for `'m`, whatever
/// methods are called in between.
struct Memory<'m, R: Tabled> {
    rules: R,
    /// Borrowed for `'m`.
    base: *mut Layout<R>,
    /// Few enough for the states and the slots.
    lanes: usize,
    memory: PhantomData<&'m mut Layout<R>>,
}

impl<'m, R: Tabled> Memory<'m, R> {
    /// # Panics
    /// If the memory is too small for this number of lanes.
    fn new(rules: R, layout: &'m mut MaybeUninit<Layout<R>>, lanes: usize) -> Self {
        let (block, words) = (rules.block(), rules.state_words());
        assert!(lanes <= LANES && 2 * grouped(lanes) * block <= SLOTS);
        assert!(lanes * words <= size_of::<R::LaneStates>() / size_of::<R::Word>());
        Self { rules, base: layout.as_mut_ptr(), lanes, memory: PhantomData }
    }

    /// The number of words of all lanes' states, which the layout has room for.
    #[inline(always)]
    fn words_of_all(&self) -> usize {
        self.rules.state_words() * self.lanes
    }

    /// The states that lanes begin in: `STATE_WORDS * lanes` words.
    fn beginning(&self) -> *mut R::Word {
        // SAFETY: `base` points to a layout borrowed for `'m`. Nothing is read.
        unsafe { (&raw mut (*self.base).beginning).cast() }
    }

    /// The states of group `g`: `STATE_WORDS * lanes` words.
    fn states(&self, g: usize) -> *mut R::Word {
        // SAFETY: `base` points to a layout borrowed for `'m`, and the index is checked. Nothing is
        // read.
        unsafe { (&raw mut (*self.base).states[g]).cast() }
    }

    /// The slot of member `i`: two blocks.
    fn slot(&self, i: usize) -> *mut u8 {
        assert!(i < grouped(self.lanes));
        // SAFETY: `base` points to a layout borrowed for `'m`. Nothing is read.
        let slots: *mut u8 = unsafe { (&raw mut (*self.base).slots).cast() };
        slots.wrapping_add(i * 2 * self.rules.block())
    }

    /// Writes the state in which all lanes begin.
    fn put_beginning(&self, state: &State<R>) {
        match self.lanes {
            1 | 2 => self.put_lanes::<1>(state),
            4 => self.put_lanes::<4>(state),
            _ => self.put_lanes::<8>(state),
        }
    }

    /// [`put_beginning`](Self::put_beginning), `N` lanes at once.
    #[inline(always)]
    fn put_lanes<const N: usize>(&self, state: &State<R>) {
        assert!(self.lanes.is_multiple_of(N));
        for (w, &word) in state.as_ref().iter().enumerate().take(self.rules.state_words()) {
            for l in (0..self.lanes).step_by(N) {
                let to = self.beginning().wrapping_add(w * self.lanes + l).cast::<[R::Word; N]>();
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
    unsafe fn words(&mut self, g: usize) -> &mut [R::Word] {
        // SAFETY: there are STATE_WORDS * lanes words, initialised as the caller promises. The
        // borrow of `self` keeps other references away.
        unsafe { slice::from_raw_parts_mut(self.states(g), self.words_of_all()) }
    }
}

/// A group of messages, and what its lanes compress next.
#[derive(Clone, Copy)]
struct Group<R: Tabled> {
    number: usize,
    /// The number of its first member.
    first: usize,
    /// The states before the blocks.
    from: *const R::Word,
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

impl<R: Tabled + OneBlockTail> Group<R> {
    /// All zeros, which are written quickly.
    const EMPTY: Self = {
        let (data, left) = ([null(); LANES], [0; LANES]);
        Self { number: 0, first: 0, from: null(), data, left, in_tail: 0, blocks: 0 }
    };

    /// The states before the next blocks, to be changed.
    fn states<'m>(&mut self, memory: &'m mut Memory<'_, R>) -> &'m mut [R::Word] {
        let states = memory.states(self.number);
        if self.from != states {
            // SAFETY: both have STATE_WORDS * lanes words.
            unsafe { states.copy_from_nonoverlapping(self.from, memory.words_of_all()) };
            self.from = states;
        }
        // SAFETY: just initialised, or by a kernel.
        unsafe { memory.words(self.number) }
    }

    /// Writes the state of each lane.
    #[inline(never)]
    fn put_states<'s>(
        &mut self,
        memory: &mut Memory<'_, R>,
        state: impl Fn(usize) -> &'s State<R>,
    ) {
        let (lanes, count) = (memory.lanes, memory.rules.state_words());
        let words = self.states(memory);
        for l in 0..lanes {
            let state = state(l).as_ref();
            for w in 0..count {
                words[w * lanes + l] = state[w];
            }
        }
    }

    /// Moves lane `l` to the tail of its message. Lanes with messages of equal length enter their
    /// tails together.
    #[inline(always)]
    fn enter_tail(
        &mut self,
        l: usize,
        message: &[u8],
        tails: &mut Endings<'_, R>,
        memory: &mut Memory<'_, R>,
    ) {
        (self.data[l], self.left[l]) = (tails.tail(self.first + l, message, memory), 1);
        self.in_tail |= 1 << l;
        if R::LAST_DIFFERS && (l == 0 || !tails.equal) {
            let (lanes, length) = (memory.lanes, tails.before + message.len() as u64);
            let (rules, words) = (memory.rules, self.states(memory));
            if tails.equal {
                // A vector of words that were stored one by one would be loaded only when all of
                // them are in the cache.
                let set = |w: usize, word| words[w * lanes..][..lanes].fill(word);
                rules.set_for_tail(tails.initial, length, set);
            } else {
                rules.set_for_tail(tails.initial, length, |w, word| words[w * lanes + l] = word);
            }
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
        tails: &mut Endings<'_, R>,
        memory: &mut Memory<'_, R>,
    ) -> bool {
        if self.left[l] == 0 {
            return false;
        }
        self.left[l] -= self.blocks;
        self.data[l] = self.data[l].wrapping_add(self.blocks * memory.rules.block());
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

impl<'s, R: Tabled + OneBlockTail> OneBlock<'s, R> {
    /// Memory for messages that continue `before`, which consists of whole blocks.
    pub(crate) fn new(before: &Midstate<'s, R>) -> Self {
        assert!(before.is_whole_blocks());
        Self {
            rules: before.rules,
            initial: before.state,
            before: before.length as u64,
            lanes: 0,
            slots: Slots([UNPADDED; MEMBERS]),
            layout: MaybeUninit::uninit(),
        }
    }

    /// How many of the messages, from the first on, can be hashed here, with digests of at most
    /// `longest` bytes. An empty one cannot if a last block that differs was compressed like the
    /// others. Lanes with more output than a block begin it together.
    fn suitable(&self, lengths: &[usize], lanes: usize, longest: usize) -> usize {
        let unsuitable = if R::LAST_DIFFERS && self.before > 0 {
            lengths.iter().position(|&length| length == 0)
        } else if longest > self.rules.block() {
            let blocks = |i: usize| self.rules.padded_blocks(lengths[i]);
            (0..lengths.len()).find(|&i| blocks(i) != blocks(i & !(lanes - 1)))
        } else {
            None
        };
        unsuitable.map_or(lengths.len(), |i| i & !(lanes - 1))
    }
}

/// What the tails of messages are made of.
struct Endings<'t, R: Tabled> {
    initial: &'t State<R>,
    /// The number of bytes before each message.
    before: u64,
    /// The byte after each.
    after: u8,
    /// Whether the messages have equal lengths.
    equal: bool,
    slots: &'t mut Slots,
}

impl<R: Tabled + OneBlockTail> Endings<'_, R> {
    /// The tail of member `i`: its last block if that is full, or a copy in its slot.
    #[inline(always)]
    fn tail(&mut self, i: usize, message: &[u8], memory: &Memory<'_, R>) -> *const u8 {
        let (rules, block) = (memory.rules, memory.rules.block());
        let (held, slot, after) = (rules.held(message.len()), memory.slot(i), self.after);
        let padding = slot.wrapping_add(block);
        if held == block {
            return message[message.len() - held..].as_ptr();
        }
        let (mark, before) = (block - 1 - held, self.slots.0[i]);
        self.slots.0[i] = mark as u8;
        // SAFETY: a slot has two blocks, which nothing else accesses. Marks are in a block.
        unsafe {
            if before == UNPADDED {
                padding.write_bytes(0, block);
            } else {
                padding.add(usize::from(before)).write(0);
            }
            if R::LAST > 0 {
                padding.write(after);
                padding.add(mark).write(if mark == 0 { after ^ R::LAST } else { R::LAST });
            }
            put_rest(block, slot, message);
        }
        padding.wrapping_sub(held)
    }
}

impl<R: Tabled + OneBlockTail> Tails<R> for OneBlock<'_, R> {
    const PREFETCHES: bool = true;
    const FEW_BLOCKS: usize = 2;

    fn most(lanes: usize) -> usize {
        grouped(lanes)
    }

    fn suits(_: &Kernel<R::Word>) -> bool {
        true
    }

    /// Hashes `members`, at most those of the groups. If there are `states`, each message
    /// continues its own. Writes each digest to the position of its message's number.
    ///
    /// # Panics
    /// If there are more messages, or the CPU cannot run the kernel.
    fn hash(
        &mut self,
        kernel: &Kernel<R::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, R>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        let lanes = kernel.lanes;
        assert!(kernel.available() && members.count() == numbers.count);
        if let (Some(hash), None, true) = (kernel.hash_equal, states, members.are_equal())
            && output.is_together()
        {
            let (count, length) = (members.count(), members.lengths()[0]);
            members.fill_lanes(count, kernel.lanes);
            let (messages, digests) = (members.pointers().as_ptr(), output.digests(numbers));
            let initial = self.initial.as_ref();
            // SAFETY: the kernel is available, as asserted. The messages are borrowed, and there
            // are pointers up to a multiple of the lanes. `digests` has a place for each number.
            unsafe { hash(&EqualMessages { initial, messages, count, length, digests }) };
            return count;
        }
        let longest = output.longest();
        let count = self.suitable(members.lengths(), lanes, longest);
        let Self { rules, initial, before, ref mut slots, .. } = *self;
        let mut tails = Endings {
            initial,
            before,
            after: rules.after(initial),
            equal: members.are_equal(),
            slots,
        };
        let mut memory = Memory::new(rules, &mut self.layout, lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            memory.put_beginning(initial);
        }
        let mut groups = List::<Group<R>, GROUPS>::new();
        for number in 0..count.div_ceil(lanes) {
            let (first, from) = (number * lanes, memory.beginning().cast_const());
            groups.push(Group { number, first, from, ..Group::EMPTY });
        }
        let groups = groups.as_mut_slice();
        for group in &mut *groups {
            if let Some(states) = states {
                let first = group.first;
                group.put_states(&mut memory, |l| {
                    states.state(numbers.number((first + l).min(count - 1)))
                });
            }
            for l in 0..lanes.min(count - group.first) {
                let message = members.message(group.first + l);
                (group.data[l], group.left[l]) =
                    (message.as_ptr(), rules.whole_blocks(message.len()));
                if group.left[l] == 0 {
                    group.enter_tail(l, message, &mut tails, &mut memory);
                }
            }
        }
        loop {
            let mut spans = List::<Span<R::Word>, GROUPS>::new();
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
                let (mut to, mut is_output) = ([null_mut(); LANES], false);
                for l in 0..lanes {
                    if group.advance(l, members, &mut tails, &mut memory) {
                        let number = numbers.number(group.first + l);
                        to[l] = output.blocks(rules.block(), number);
                        if to[l].is_null() {
                            // SAFETY: the kernel has written the states of the group.
                            let words = unsafe { memory.words(group.number) };
                            let state = LaneState::<R>::new(words, words.len() / lanes, lanes, l);
                            output.put_lane(rules, number, state);
                        } else {
                            is_output = true;
                        }
                    }
                }
                if is_output {
                    // SAFETY: the kernel has written the states of the group, and is available.
                    // There are `longest` bytes at each pointer, each to another output.
                    unsafe { squeeze(rules, kernel, memory.words(group.number), longest, &to) };
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
unsafe fn squeeze<R: Tabled>(
    rules: R,
    kernel: &Kernel<R::Word>,
    states: &mut [R::Word],
    length: usize,
    to: &[*mut u8; LANES],
) {
    let (block, words) = (rules.block(), rules.state_words());
    let (blocks, rest) = (length / block, length % block);
    // SAFETY: the caller promises the kernel, and pointers to at least as many blocks.
    unsafe { kernel.squeeze(states, words, false, blocks, to) };
    if rest > 0 {
        // SAFETY: as above. Nothing is written.
        unsafe { kernel.squeeze(states, words, true, 1, &[null_mut(); LANES]) };
        for (l, to) in to.iter().enumerate().filter(|(_, to)| !to.is_null()) {
            // SAFETY: the caller promises blocks, and this rest of another behind them.
            let rest = unsafe { slice::from_raw_parts_mut(to.add(blocks * block), rest) };
            LaneState::<R>::new(states, words, kernel.lanes, l).write(rest);
        }
    }
}
