//! The memory in which the tails of short messages are assembled.
//!
//! The last bytes of a message, its *rest*, and the padding form its tail. It is assembled in a
//! *slot*, without branches that a CPU could mispredict. A slot is
//!
//! | bytes | what |
//! |---|---|
//! | `0..BLOCK` | the rest, at the end; before it, bytes that are not read |
//! | `BLOCK..2 * BLOCK + 16` | the byte 0x80, zeros, the length at the end of the last block |
//!
//! and the tail begins with the rest, at any alignment.

use core::mem::MaybeUninit;

use super::memory::Lines;
use super::{Blocks, LANES, NO_LENGTH};
use crate::family::padding::length_field;
use crate::schedule::batch::rest::put_rest;
use crate::schedule::rules::{Md, MdWord};

/// The most bytes that a group's slots take: 16 lanes with blocks of 64 bytes, or 8 with 128.
const SLOTS: usize = LANES * (2 * 64 + 16);

/// The memory of the slots of `G` groups, and a record of its contents.
pub(super) struct SlotMemory<const G: usize> {
    bytes: MaybeUninit<[Lines<SLOTS>; G]>,
    known: Known<G>,
}

/// A record of the slots' contents.
struct Known<const G: usize> {
    /// Number of uninitialised slots, all at the end. Counted down because a field that starts at
    /// zero makes LLVM clear the whole struct.
    uninitialised: usize,
    /// For each initialised slot, the byte at which its length field begins.
    fields: [[MaybeUninit<u16>; LANES]; G],
    /// For each group, the padding in its slots, which the next messages may use again.
    padding: [EqualPadding; G],
}

/// The first `slots` slots of a group have the padding of messages of `length` bytes.
#[derive(Clone, Copy)]
struct EqualPadding {
    slots: usize,
    length: usize,
}

impl EqualPadding {
    const NONE: Self = Self { slots: 0, length: NO_LENGTH };
}

impl<const G: usize> SlotMemory<G> {
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self {
            bytes: MaybeUninit::uninit(),
            known: Known {
                uninitialised: G * LANES,
                fields: [const { [const { MaybeUninit::uninit() }; LANES] }; G],
                padding: [EqualPadding::NONE; G],
            },
        }
    }

    /// Forgets the padding in the slots, because the groups begin at other slots from now on.
    #[inline(always)]
    pub(super) fn regroup(&mut self) {
        self.known.padding = [EqualPadding::NONE; G];
    }

    /// The slots, for messages with `before` bytes before them.
    #[inline(always)]
    pub(super) fn open<W: MdWord>(&mut self, rules: Md<W>, before: u64) -> Slots<'_, W, G> {
        let base = self.bytes.as_mut_ptr().cast();
        Slots { base, before, known: &mut self.known, rules }
    }
}

#[cfg(feature = "zeroize")]
impl<const G: usize> Drop for SlotMemory<G> {
    fn drop(&mut self) {
        // Overwrites only what was used, because overwriting everything takes longer than hashing a
        // few messages. The size of a slot for the larger block length is an upper bound.
        let used = (G * LANES - self.known.uninitialised) * slot_bytes(128);
        let all = self.bytes.as_mut_ptr().cast::<MaybeUninit<u8>>();
        // SAFETY: these are the first bytes of `bytes`, which is borrowed exclusively. As
        // `MaybeUninit`, they may be uninitialised.
        crate::wipe::memory(unsafe { core::slice::from_raw_parts_mut(all, used.min(G * SLOTS)) });
    }
}

/// The slots while they are in use.
///
/// All pointers into the memory are derived from `base`, so they stay valid for `'m`, whatever
/// methods are called in between.
pub(super) struct Slots<'m, W: MdWord, const G: usize> {
    /// `G * SLOTS` bytes, borrowed for `'m`. No reference to them exists.
    base: *mut u8,
    /// The number of bytes before each message, a multiple of the block length.
    before: u64,
    known: &'m mut Known<G>,
    rules: Md<W>,
}

/// Bytes of a slot.
const fn slot_bytes(block: usize) -> usize {
    2 * block + 16
}

impl<W: MdWord, const G: usize> Slots<'_, W, G> {
    /// Bytes of a slot.
    pub(super) const SIZE: usize = slot_bytes(Md::<W>::BLOCK);

    /// The first of a slot's `SIZE` bytes.
    #[inline(always)]
    fn at(&self, slot: usize) -> *mut u8 {
        assert!((slot + 1) * Self::SIZE <= G * SLOTS);
        self.base.wrapping_add(slot * Self::SIZE)
    }

    #[inline(always)]
    fn is_initialised(&self, slot: usize) -> bool {
        slot < G * LANES - self.known.uninitialised
    }

    /// Assembles the tails of messages of equal `length`, not a multiple of the block length, in
    /// the slots from `first` on. Returns the address of the first tail. The next ones follow at
    /// intervals of `SIZE` bytes.
    #[inline(always)]
    pub(super) fn put_equal<'a>(
        &mut self,
        group: usize,
        first: usize,
        messages: impl ExactSizeIterator<Item = &'a [u8]>,
        length: usize,
    ) -> *const u8 {
        let (rest, count) = (length % Md::<W>::BLOCK, messages.len());
        let padding = self.known.padding[group];
        if padding.length != length || padding.slots < count {
            self.known.padding[group] = EqualPadding { slots: count, length };
            self.initialise(first + 1);
            self.put_length(first, length);
            self.copy_padding(first, count);
        }
        let base = self.at(first);
        assert!(count <= LANES && (first + count) * Self::SIZE <= G * SLOTS);
        let each = messages.enumerate().map(|(l, message)| {
            debug_assert!(l < count);
            (base.wrapping_add(l * Self::SIZE), message)
        });
        // SAFETY: each message has a slot, as asserted. A slot has at least BLOCK bytes, which
        // nothing else accesses.
        unsafe { put_rests::<W>(each, rest) };
        base.wrapping_add(Md::<W>::BLOCK - rest)
    }

    /// Assembles the tails of messages of any lengths in the slots from `first` on. Reports the
    /// address of each.
    #[inline(always)]
    pub(super) fn put_uneven<'a>(
        &mut self,
        group: usize,
        first: usize,
        messages: impl ExactSizeIterator<Item = &'a [u8]>,
        mut tail: impl FnMut(*const u8),
    ) {
        self.known.padding[group] = EqualPadding::NONE;
        self.initialise(first + messages.len());
        for (slot, message) in (first..).zip(messages) {
            self.put_length(slot, message.len());
            let at = self.at(slot);
            // SAFETY: a slot has at least BLOCK bytes, which nothing else accesses.
            unsafe { put_rest(Md::<W>::BLOCK, at, message) };
            tail(at.wrapping_add(Md::<W>::BLOCK - message.len() % Md::<W>::BLOCK));
        }
    }

    /// Initialises the slots before number `end`, except for the bytes before the 0x80.
    #[inline(always)]
    fn initialise(&mut self, end: usize) {
        for slot in G * LANES - self.known.uninitialised..end {
            let at = self.at(slot);
            // SAFETY: a slot has 2 * BLOCK + 16 bytes, which nothing else accesses.
            unsafe {
                at.add(Md::<W>::BLOCK).write_bytes(0, Md::<W>::BLOCK + 16);
                at.add(Md::<W>::BLOCK).write(0x80);
            }
            // There is no length yet, so any position among the zeros will do.
            self.known.fields.as_flattened_mut()[slot].write(Md::<W>::BLOCK as u16 + 8);
        }
        self.known.uninitialised = self.known.uninitialised.min(G * LANES - end);
    }

    /// Replaces the length field of an initialised slot by that of a message of `length` bytes.
    #[inline(always)]
    fn put_length(&mut self, slot: usize, length: usize) {
        assert!(self.is_initialised(slot));
        let blocks = Blocks::of::<W>(length);
        // The tail begins at BLOCK - rest.
        let field = (1 + blocks.all - blocks.body) * Md::<W>::BLOCK - length % Md::<W>::BLOCK - 8;
        let at = self.at(slot).cast::<[u8; 8]>();
        let before = &mut self.known.fields.as_flattened_mut()[slot];
        // SAFETY: the slot is initialised, as asserted, and so is the position of its old field.
        // That and `field` are at most SIZE - 8: a tail of one block ends at byte 2 * BLOCK or
        // before. In a tail of two blocks, the rest has at least BLOCK - LENGTH_BYTES bytes, so the
        // tail ends at byte 2 * BLOCK + LENGTH_BYTES or before. Both fields are after the 0x80,
        // since LENGTH_BYTES of padding follow it.
        unsafe {
            at.byte_add(usize::from(before.assume_init())).write([0; 8]);
            let length = self.before + length as u64;
            at.byte_add(field).write(length_field(self.rules.big_endian(), length));
        }
        before.write(field as u16);
    }

    /// Copies the padding of the initialised slot `first` to the next `count - 1` slots. Copying
    /// all of it takes fewer stores than initialising the other slots.
    #[inline(always)]
    fn copy_padding(&mut self, first: usize, count: usize) {
        assert!(self.is_initialised(first));
        let from = self.at(first).wrapping_add(Md::<W>::BLOCK);
        for slot in first + 1..first + count {
            let to = self.at(slot).wrapping_add(Md::<W>::BLOCK);
            // SAFETY: a slot has BLOCK + 16 bytes from byte BLOCK on, and these are different
            // slots. Those of `from` are initialised.
            unsafe { to.copy_from_nonoverlapping(from, Md::<W>::BLOCK + 16) };
            self.known.fields.as_flattened_mut()[slot] = self.known.fields.as_flattened()[first];
        }
        let end = G * LANES - (first + count);
        self.known.uninitialised = self.known.uninitialised.min(end);
    }
}

/// [`put_rest`] for messages with their slots. All have `rest` bytes, not 0, after their whole
/// blocks.
///
/// # Safety
/// Each slot is writable for `BLOCK` bytes.
#[inline(always)]
unsafe fn put_rests<'a, W: MdWord>(each: impl Iterator<Item = (*mut u8, &'a [u8])>, rest: usize) {
    // Equal lengths are often multiples of 16 bytes. For each of these there is a loop without
    // branches.
    // SAFETY: `put_whole_rests` and `put_rest` ask for what the caller promises: slots writable for
    // BLOCK bytes.
    unsafe {
        match rest {
            16 => put_whole_rests::<W, 16>(each),
            32 => put_whole_rests::<W, 32>(each),
            48 => put_whole_rests::<W, 48>(each),
            64 => put_whole_rests::<W, 64>(each),
            _ => each.for_each(|(slot, message)| put_rest(Md::<W>::BLOCK, slot, message)),
        }
    }
}

/// [`put_rests`] of `N` bytes.
///
/// # Safety
/// Each slot is writable for `BLOCK` bytes.
#[inline(always)]
unsafe fn put_whole_rests<'a, W: MdWord, const N: usize>(
    each: impl Iterator<Item = (*mut u8, &'a [u8])>,
) {
    const { assert!(N <= 64) };
    for (slot, message) in each {
        if let Some(last) = message.last_chunk::<N>() {
            // SAFETY: the caller promises that the slot is writable for BLOCK bytes, and N is not
            // more than any BLOCK.
            unsafe { slot.add(Md::<W>::BLOCK - N).cast::<[u8; N]>().write(*last) };
        }
    }
}
