//! Messages of about the same number of blocks, in groups: one in each lane, begun together and run
//! in step.
//!
//! A message of a few blocks takes less time to hash than to decide about: which lane ends when,
//! what comes next. In a group there is nothing to decide. All blocks that every message has in
//! full are one span for the kernel, what follows one or a few more; and the spans of several
//! groups go to the kernel in one call.
//!
//! # Tails
//!
//! The last bytes of a message and its padding, its tail, are put together in a *slot*, without a
//! decision that a CPU could guess wrong. A slot is
//!
//! | bytes | what |
//! |---|---|
//! | `0..BLOCK` | at the end the rest; before it, of a longer message, what comes before the rest, which nobody reads |
//! | `BLOCK..2 * BLOCK + 16` | the byte 0x80, zeros, the length where the tail's last block ends |
//!
//! and its tail begins `rest` bytes before the 0x80, at any alignment.

use core::mem::MaybeUninit;
use core::slice;

use super::padding::{length_field, pad, padded_blocks};
use crate::algorithm::{Family, MAX_BLOCK, State};
use crate::kernel::{Kernel, Kernels, MAX_LANES, Span};
use crate::vector::Word;

/// Messages of a group may differ by this many blocks.
pub(crate) const UNEVEN: usize = 2;

/// Groups in a call of the kernel, if there are many messages.
pub(crate) const GROUPS: usize = 4;

/// Spans of a group: what is common to the bodies, and then block by block. The shortest body is at
/// most two blocks (a tail's) shorter than its message, and that at most `UNEVEN` blocks shorter
/// than the longest.
const SPANS: usize = 1 + 2 + UNEVEN;

/// States that are kept of a group: after the last block of its shortest messages, and after each
/// of the `UNEVEN` ones that others have more.
const ENDS: usize = 1 + UNEVEN;

/// Bytes of one word of all lanes, at most: 32 lanes of 32 bits, 8 of 64.
const WORD_OF_ALL: usize = 128;

/// Bytes of a group's slots, at most, by the same numbers.
const SLOTS: usize = 32 * (2 * 64 + 16);

/// So many bytes, at the beginning of a cache line.
#[repr(C, align(64))]
struct Memory<const N: usize>([u8; N]);

/// At most `N` values for each of `G` groups, of which as many are initialised as there are.
struct List<T, const N: usize, const G: usize> {
    values: [[MaybeUninit<T>; N]; G],
    length: usize,
}

impl<T: Copy, const N: usize, const G: usize> List<T, N, G> {
    fn new() -> Self {
        // Not `[MaybeUninit::uninit(); N]`, which is filled with zeros as if that mattered.
        Self { values: [const { [const { MaybeUninit::uninit() }; N] }; G], length: 0 }
    }

    #[inline(always)]
    fn push(&mut self, value: T) {
        self.values.as_flattened_mut()[self.length].write(value);
        self.length += 1;
    }

    #[inline(always)]
    fn as_slice(&self) -> &[T] {
        // SAFETY: `push` has initialised values 0..length, one by one, or had panicked.
        unsafe { slice::from_raw_parts(self.values.as_ptr().cast(), self.length) }
    }
}

/// The memory of `G` groups, to be used again and again.
///
/// To clear all of it would take longer than to hash two short messages; even to touch a page of it
/// each (which is done for a large frame on the stack) takes longer than to hash one. So few
/// messages have memory for one group.
pub(crate) struct Groups<F: Kernels, const G: usize> {
    /// The state in which every message begins.
    start: State<F>,
    /// The lanes of the kernel that ran last. Lane `l` of group `g` has slot `g * lanes + l`.
    lanes: usize,
    slots: MaybeUninit<[Memory<SLOTS>; G]>,
    /// Slots that have not been initialised: the last ones. (Not those that have been: with a zero
    /// here the compiler makes of it and the uninitialised memory beside it a single
    /// `memset`.)
    blank: usize,
    /// Where the length is in each slot that has been initialised.
    fields: [[MaybeUninit<u16>; MAX_LANES]; G],
    /// For each group, how many of its slots have the padding of messages of one length, and
    /// which: that of the next messages may be the same.
    padded: [(usize, usize); G],
    /// For each group a tail that its messages share, if they are of whole blocks and one length;
    /// and that length.
    shared: [MaybeUninit<[u8; 2 * MAX_BLOCK]>; G],
    shared_length: [usize; G],
    /// For each of a group's spans, where its lanes read.
    data: [[[MaybeUninit<*const u8>; MAX_LANES]; G]; SPANS],
    /// `start` in each of these lanes, word-major.
    initial: MaybeUninit<Memory<{ 8 * WORD_OF_ALL }>>,
    /// For each end and group its states, word-major.
    states: [[MaybeUninit<Memory<{ 8 * WORD_OF_ALL }>>; G]; ENDS],
}

/// No slice is so long.
const NO_LENGTH: usize = usize::MAX;

/// What is to be compressed, and what has to be known of a group when that is done.
struct Plan<W, const G: usize> {
    spans: List<Span<W>, SPANS, G>,
    /// Blocks of each group's shortest and longest messages.
    blocks: [(usize, usize); G],
}

/// Blocks of a message: in its body, and with its tail.
#[derive(Clone, Copy)]
struct Blocks {
    body: usize,
    all: usize,
}

impl Blocks {
    #[inline(always)]
    fn of<F: Family>(length: usize) -> Self {
        Self { body: length / F::BLOCK, all: padded_blocks::<F>(length) }
    }
}

impl<F: Kernels, const G: usize> Groups<F, G> {
    /// Bytes of a slot.
    const SLOT: usize = slot_bytes::<F>();

    pub(crate) fn new(start: State<F>) -> Self {
        Self {
            start,
            lanes: 0,
            slots: MaybeUninit::uninit(),
            blank: G * MAX_LANES,
            fields: [const { [const { MaybeUninit::uninit() }; MAX_LANES] }; G],
            padded: [(0, NO_LENGTH); G],
            shared: [const { MaybeUninit::uninit() }; G],
            shared_length: [NO_LENGTH; G],
            data: [const { [const { [const { MaybeUninit::uninit() }; MAX_LANES] }; G] }; SPANS],
            initial: MaybeUninit::uninit(),
            states: [const { [const { MaybeUninit::uninit() }; G] }; ENDS],
        }
    }

    /// Hashes `messages`, at most `G * kernel.lanes`, as many at a time as the kernel has lanes;
    /// calls `done` with each one's number and its state. Ends before the first group whose
    /// messages differ by more than `UNEVEN` blocks, and returns the number of messages that
    /// have been hashed.
    ///
    /// # Panics
    /// If there are more messages, or the CPU cannot run the kernel.
    #[inline]
    pub(crate) fn hash<'a>(
        &mut self,
        kernel: &Kernel<F::Word>,
        messages: impl Iterator<Item = &'a [u8]>,
        mut done: impl FnMut(usize, &State<F>),
    ) -> usize {
        let lanes = kernel.lanes;
        assert!(kernel.available() && lanes * F::Word::BYTES <= WORD_OF_ALL);
        // A caller's `AsRef` may answer differently each time, so it is asked once.
        let mut members = List::<&[u8], MAX_LANES, G>::new();
        messages.for_each(|message| members.push(message));
        let members = members.as_slice();
        assert!(members.len() <= G * lanes);
        if self.lanes != lanes {
            self.lanes = lanes;
            self.padded = [(0, NO_LENGTH); G];
            let initial = (&raw mut self.initial).cast::<F::Word>();
            for (w, &word) in self.start.iter().enumerate().take(F::STATE_WORDS) {
                for l in 0..lanes {
                    // SAFETY: `initial` has 8 words for each lane, since these have WORD_OF_ALL
                    // bytes at most, as asserted.
                    unsafe { initial.add(w * lanes + l).write(word) };
                }
            }
        }
        let mut plan = Plan { spans: List::new(), blocks: [(0, 0); G] };
        let mut taken = 0;
        for (g, group) in members.chunks(lanes).enumerate() {
            if !self.plan(&mut plan, g, group) {
                break;
            }
            taken += group.len();
        }
        // SAFETY: the kernel is available. The spans are those of `plan`: `from` is `initial`, of
        // which STATE_WORDS * lanes words were written when `lanes` was, or what the span
        // before writes.
        unsafe { kernel.run_spans(plan.spans.as_slice()) };

        for (g, group) in members[..taken].chunks(lanes).enumerate() {
            let (fewest, most) = plan.blocks[g];
            for (l, message) in group.iter().enumerate() {
                let end =
                    if fewest == most { 0 } else { padded_blocks::<F>(message.len()) - fewest };
                let states = self.states(end, g);
                let mut state = [F::Word::default(); 8];
                for (w, word) in state.iter_mut().enumerate().take(F::STATE_WORDS) {
                    // SAFETY: a span of the group has written STATE_WORDS * lanes words to the
                    // states of this end.
                    *word = unsafe { states.add(w * lanes + l).read() };
                }
                done(g * lanes + l, &state);
            }
        }
        taken
    }

    /// Where the states of group `g` go at end `end`: 8 words for each lane.
    #[inline(always)]
    fn states(&mut self, end: usize, g: usize) -> *mut F::Word {
        (&raw mut self.states[end][g]).cast()
    }

    /// Where the lanes of group `g` read in its span number `span`: `MAX_LANES` pointers.
    #[inline(always)]
    fn data(&mut self, span: usize, g: usize) -> *mut *const u8 {
        (&raw mut self.data[span][g]).cast()
    }

    /// The memory of a slot, `SLOT` bytes.
    #[inline(always)]
    fn slot(&mut self, slot: usize) -> *mut u8 {
        assert!((slot + 1) * Self::SLOT <= G * SLOTS);
        (&raw mut self.slots).cast::<u8>().wrapping_add(slot * Self::SLOT)
    }

    /// Initialises the slots up to number `end`, but not what comes before the 0x80.
    #[inline(always)]
    fn clear_slots(&mut self, end: usize) {
        for slot in G * MAX_LANES - self.blank..end {
            let at = self.slot(slot);
            // SAFETY: a slot has BLOCK + BLOCK + 16 bytes.
            unsafe {
                at.add(F::BLOCK).write_bytes(0, F::BLOCK + 16);
                at.add(F::BLOCK).write(0x80);
            }
            // Among the zeros is as good as anywhere.
            self.fields.as_flattened_mut()[slot].write(F::BLOCK as u16 + 8);
        }
        self.blank = self.blank.min(G * MAX_LANES - end);
    }

    /// Writes the length of a message of `length` bytes to a slot that has been initialised, in
    /// place of the one before.
    #[inline(always)]
    fn put_length(&mut self, slot: usize, length: usize) {
        assert!(slot < G * MAX_LANES - self.blank);
        let blocks = Blocks::of::<F>(length);
        // The tail begins at BLOCK - rest.
        let field = (1 + blocks.all - blocks.body) * F::BLOCK - length % F::BLOCK - 8;
        let at = self.slot(slot).cast::<[u8; 8]>();
        let before = &mut self.fields.as_flattened_mut()[slot];
        // SAFETY: the slot has been initialised, as asserted, and with it its field's place. That
        // and `field` are at most SLOT - 8: a tail of one block ends in byte 2 * BLOCK or
        // before, and a rest of a tail of two blocks is at least BLOCK - LENGTH_BYTES bytes long,
        // so that ends in byte 2 * BLOCK + LENGTH_BYTES or before. And they are greater
        // than BLOCK, where the 0x80 is, since the padding has LENGTH_BYTES after that.
        unsafe {
            at.byte_add(usize::from(before.assume_init())).write([0; 8]);
            at.byte_add(field).write(length_field::<F>(length));
        }
        before.write(field as u16);
    }

    /// Copies the padding of slot `first`, which has been initialised, to the `count - 1` slots
    /// that follow. (In whole, which takes fewer stores than to initialise those that are
    /// blank.)
    #[inline(always)]
    fn copy_padding(&mut self, first: usize, count: usize) {
        assert!(first < G * MAX_LANES - self.blank);
        let from = self.slot(first).wrapping_add(F::BLOCK);
        for slot in first + 1..first + count {
            let to = self.slot(slot).wrapping_add(F::BLOCK);
            // SAFETY: from byte BLOCK on, a slot has BLOCK + 16 bytes. These are two slots.
            unsafe { to.copy_from_nonoverlapping(from, F::BLOCK + 16) };
            self.fields.as_flattened_mut()[slot] = self.fields.as_flattened()[first];
        }
        self.blank = self.blank.min(G * MAX_LANES - (first + count));
    }

    /// Adds the spans of group `g` to the plan; false, and nothing is added, if its messages are
    /// too uneven.
    ///
    /// In the spans, `to` is writable, and `data` and its pointers are readable, as `Compress` asks
    /// for, as long as the messages are borrowed and the memory of `self` is not moved.
    #[inline(always)]
    fn plan(&mut self, plan: &mut Plan<F::Word, G>, g: usize, group: &[&[u8]]) -> bool {
        let length = group[0].len();
        if group.iter().all(|message| message.len() == length) {
            self.plan_level(plan, g, group, length);
            true
        } else {
            self.plan_uneven(plan, g, group)
        }
    }

    /// Adds the span of the first `blocks` blocks of all messages, if there are any. Returns where
    /// the states are after it.
    #[inline(always)]
    fn plan_bodies(
        &mut self,
        plan: &mut Plan<F::Word, G>,
        g: usize,
        group: &[&[u8]],
        blocks: usize,
    ) -> *const F::Word {
        assert!(self.lanes <= MAX_LANES);
        let from = (&raw const self.initial).cast::<F::Word>();
        if blocks == 0 {
            return from;
        }
        let (data, to) = (self.data(0, g), self.states(0, g));
        // SAFETY: there are no more than MAX_LANES lanes.
        unsafe { read_from(data, group.len(), self.lanes, |l| group[l].as_ptr()) };
        plan.spans.push(Span { from, to, data, blocks });
        to
    }

    /// [`plan`](Self::plan) for messages of `length` bytes each.
    #[inline(always)]
    fn plan_level(
        &mut self,
        plan: &mut Plan<F::Word, G>,
        g: usize,
        group: &[&[u8]],
        length: usize,
    ) {
        let (lanes, live) = (self.lanes, group.len());
        assert!(live <= lanes && lanes <= MAX_LANES);
        let blocks = Blocks::of::<F>(length);
        let rest = length % F::BLOCK;
        let first = g * lanes;
        if rest == 0 {
            if self.shared_length[g] != length {
                self.shared_length[g] = length;
                pad::<F>(self.shared[g].write([0; 2 * MAX_BLOCK]), &[], length as u128);
            }
        } else {
            let (padded, padded_length) = self.padded[g];
            if padded_length != length || padded < live {
                self.padded[g] = (live, length);
                self.clear_slots(first + 1);
                self.put_length(first, length);
                self.copy_padding(first, live);
            }
            // SAFETY: the group's slots are that many.
            unsafe { put_rests::<F>(self.slot(first), group, rest) };
        }

        plan.blocks[g] = (blocks.all, blocks.all);
        let (from, to) = (self.plan_bodies(plan, g, group, blocks.body), self.states(0, g));
        let data = self.data(1, g);
        let (tail, step) = if rest == 0 {
            ((&raw mut self.shared[g]).cast(), 0)
        } else {
            (self.slot(first).wrapping_add(F::BLOCK - rest), Self::SLOT)
        };
        // SAFETY: there are no more than MAX_LANES lanes.
        unsafe { read_from(data, live, lanes, |l| tail.wrapping_add(l * step).cast_const()) };
        plan.spans.push(Span { from, to, data, blocks: blocks.all - blocks.body });
    }

    /// [`plan`](Self::plan) for messages of any lengths.
    #[inline(always)]
    fn plan_uneven(&mut self, plan: &mut Plan<F::Word, G>, g: usize, group: &[&[u8]]) -> bool {
        let (lanes, live) = (self.lanes, group.len());
        assert!(live <= lanes && lanes <= MAX_LANES);
        let mut lane_blocks = List::<Blocks, MAX_LANES, 1>::new();
        let (mut common, mut fewest, mut most) = (usize::MAX, usize::MAX, 0);
        for message in group {
            let blocks = Blocks::of::<F>(message.len());
            common = common.min(blocks.body);
            (fewest, most) = (fewest.min(blocks.all), most.max(blocks.all));
            lane_blocks.push(blocks);
        }
        if most - fewest > UNEVEN {
            return false;
        }
        plan.blocks[g] = (fewest, most);
        let first = g * lanes;
        self.padded[g] = (0, NO_LENGTH);
        self.clear_slots(first + live);
        let mut tails = List::<*const u8, MAX_LANES, 1>::new();
        for (slot, message) in (first..).zip(group) {
            self.put_length(slot, message.len());
            let at = self.slot(slot);
            // SAFETY: a slot begins with BLOCK bytes.
            unsafe { put_rest::<F>(at, message) };
            tails.push(at.wrapping_add(F::BLOCK - message.len() % F::BLOCK));
        }

        let (lane_blocks, tails) = (lane_blocks.as_slice(), tails.as_slice());
        let mut from = self.plan_bodies(plan, g, group, common);
        for block in common..most {
            let data = self.data(1 + block - common, g);
            let next = |l: usize| {
                let Blocks { body, all } = lane_blocks[l];
                // A message that is done stays in its last block: its lane computes something that
                // nobody looks at.
                let block = block.min(all - 1);
                let (stretch, block) = if block < body {
                    (group[l].as_ptr(), block)
                } else {
                    (tails[l], block - body)
                };
                stretch.wrapping_add(block * F::BLOCK)
            };
            // SAFETY: there are no more than MAX_LANES lanes.
            unsafe { read_from(data, live, lanes, next) };
            let to = self.states((block + 1).saturating_sub(fewest), g);
            plan.spans.push(Span { from, to, data, blocks: 1 });
            from = to;
        }
        true
    }
}

/// Bytes of a slot.
const fn slot_bytes<F: Family>() -> usize {
    2 * F::BLOCK + 16
}

/// Writes where the first `live` lanes read; the others read what the first one reads, and nobody
/// looks at what they compute.
///
/// # Safety
/// `data` is writable for `lanes` pointers.
#[inline(always)]
unsafe fn read_from(
    data: *mut *const u8,
    live: usize,
    lanes: usize,
    from: impl Fn(usize) -> *const u8,
) {
    for l in 0..live.min(lanes) {
        // SAFETY: the caller's promise.
        unsafe { data.add(l).write(from(l)) };
    }
    for l in live..lanes {
        // SAFETY: the caller's promise.
        unsafe { data.add(l).write(from(0)) };
    }
}

/// Writes a message's rest before the 0x80 of its slot.
///
/// # Safety
/// `slot` is writable for `BLOCK` bytes.
#[inline(always)]
unsafe fn put_rest<F: Family>(slot: *mut u8, message: &[u8]) {
    /// The first `N` bytes of the message and the last ones, to where they are in the message if
    /// that begins at `to`.
    ///
    /// # Safety
    /// `to` is writable for as many bytes as the message has.
    #[inline(always)]
    unsafe fn ends<const N: usize>(to: *mut u8, message: &[u8]) {
        let (Some(first), Some(last)) = (message.first_chunk::<N>(), message.last_chunk::<N>())
        else {
            return;
        };
        // SAFETY: the caller's promise; the message has at least N bytes, or there were no such
        // chunks.
        unsafe {
            to.cast::<[u8; N]>().write(*first);
            to.add(message.len() - N).cast::<[u8; N]>().write(*last);
        }
    }
    let to = slot.wrapping_add(F::BLOCK).wrapping_sub(message.len());
    // Of a longer message its last BLOCK bytes: every copy is of a length that the compiler knows.
    // SAFETY: BLOCK bytes are writable; a message that is shorter ends with them.
    unsafe {
        match (message.last_chunk::<64>(), message.last_chunk::<128>()) {
            (Some(last), _) if F::BLOCK == 64 => slot.cast::<[u8; 64]>().write(*last),
            (_, Some(last)) if F::BLOCK == 128 => slot.cast::<[u8; 128]>().write(*last),
            _ => match message.len() {
                64.. => ends::<64>(to, message),
                32.. => ends::<32>(to, message),
                16.. => ends::<16>(to, message),
                8.. => ends::<8>(to, message),
                4.. => ends::<4>(to, message),
                2.. => ends::<2>(to, message),
                _ => ends::<1>(to, message),
            },
        }
    }
}

/// [`put_rest`] for messages that all have `rest` bytes, not 0, to one slot after the other.
///
/// # Safety
/// From `slots` on there are as many slots as messages.
#[inline(always)]
unsafe fn put_rests<F: Family>(slots: *mut u8, messages: &[&[u8]], rest: usize) {
    /// # Safety
    /// Each message's slot is writable for `BLOCK` bytes.
    #[inline(always)]
    unsafe fn whole<'a, F: Family, const N: usize>(
        each: impl Iterator<Item = (*mut u8, &'a &'a [u8])>,
    ) {
        const { assert!(N <= 64) };
        for (slot, message) in each {
            if let Some(last) = message.last_chunk::<N>() {
                // SAFETY: the caller's promise; N is not more than any BLOCK.
                unsafe { slot.add(F::BLOCK - N).cast::<[u8; N]>().write(*last) };
            }
        }
    }
    let each = (0..messages.len()).map(|l| slots.wrapping_add(l * slot_bytes::<F>())).zip(messages);
    // What has all one length often is a multiple of 16 bytes long: a loop for each, without a
    // decision. SAFETY: every slot begins with BLOCK bytes.
    unsafe {
        match rest {
            16 => whole::<F, 16>(each),
            32 => whole::<F, 32>(each),
            48 => whole::<F, 48>(each),
            64 => whole::<F, 64>(each),
            _ => each.for_each(|(slot, message)| put_rest::<F>(slot, message)),
        }
    }
}

#[cfg(feature = "zeroize")]
impl<F: Kernels, const G: usize> Drop for Groups<F, G> {
    fn drop(&mut self) {
        use zeroize::Zeroize;
        let (at, used) = (self.slot(0), (G * MAX_LANES - self.blank) * Self::SLOT);
        // SAFETY: so many slots have been used.
        unsafe { slice::from_raw_parts_mut(at.cast::<MaybeUninit<u8>>(), used) }.zeroize();
        for memory in self.states.as_flattened_mut() {
            memory.zeroize();
        }
    }
}
