//! Hash chains of SHA-256 in the SHA extensions, four side by side.
//!
//! SHA256RNDS2 has a latency of 4 cycles on Zen cores, and one starts every cycle. Two streams
//! leave half of the cycles unused. Four need more registers than there are, so words of the blocks
//! are read from memory, where the schedules are left as well. A link takes 53 cycles of a Zen 3
//! core.
//!
//! Where the first 20 bytes of a block stay the same, the first four rounds and a part of the
//! schedule are computed once for a chain.
//!
//! This is assembly because the speed depends on the registers: the same in intrinsics takes 96
//! cycles.

#[macro_use]
mod links;

use core::arch::x86_64::*;

use super::chains::copy;
use super::states::Sha256States;
use crate::family::sha256;
use crate::input::{Chains, Frame};
use crate::wipe::Wipe;

/// Chains side by side.
const LANES: usize = 4;

/// Bytes of a vector: a group of four words.
const VECTOR: usize = 16;

/// The most groups that a value and a count touch.
const PARTS: usize = 3;

/// A vector of each lane.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Row([[u8; VECTOR]; LANES]);

const ZERO: Row = Row([[0; VECTOR]; LANES]);

/// What the assembly reads and writes. The first word of a group is lowest.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Memory {
    /// The schedules: first the four groups of a block.
    words: [Row; 16],
    /// The groups that a link changes, with zeros in place of the values.
    kept: [Row; PARTS],
    /// The states after the rounds that are left out: `a`, `b`, `e`, `f` and the others.
    states: [Row; 2],
    /// The first two groups of words, as SHA256MSG1 mixes them.
    mixed: Row,
    /// The state before a block.
    initial: [[u8; VECTOR]; 2],
    /// What is added to the first of the groups that a link changes.
    added: [u8; VECTOR],
    /// For each of these groups, the bytes from the first and the second half of a digest.
    halves: [[[u8; VECTOR]; 2]; PARTS],
    /// A copy of the constants, since loads wait for stores to addresses that end in the same 12
    /// bits. In the program's data they would sometimes be at such addresses.
    constants: [u32; 64],
}

impl Wipe for Memory {
    const ZERO: Self = Self {
        words: [ZERO; 16],
        kept: [ZERO; PARTS],
        states: [ZERO; 2],
        mixed: ZERO,
        initial: [[0; VECTOR]; 2],
        added: [0; VECTOR],
        halves: [[[0; VECTOR]; 2]; PARTS],
        constants: sha256::K,
    };
}

/// Where byte `byte` of a group is, if the bytes of its words are reversed.
fn reversed(byte: usize) -> usize {
    byte ^ 3
}

/// Four chains, or fewer.
struct Four {
    memory: Memory,
    /// The first of the groups that a link changes.
    first: usize,
    /// Which bytes of these groups are no part of a value.
    others: [[u8; VECTOR]; PARTS],
    /// The first and the last bytes of a value from each of these groups, as shuffles.
    values: [[[u8; VECTOR]; 2]; PARTS],
    /// Where the count is in the first of these groups.
    count: usize,
    /// The bytes of an input after its whole vectors, from its last vector, as a shuffle.
    rest: [u8; VECTOR],
    /// Whether a value has more bytes than half a digest.
    long: bool,
    /// Whether links change neither the first group of words nor the word after it.
    skips: bool,
    /// The number of each lane's chain. An idle lane has none.
    ids: [Option<usize>; LANES],
    /// The hashes that are left.
    left: [u64; LANES],
}

impl Four {
    /// # Safety
    /// The CPU has SSE2. The chains suit.
    #[inline(always)]
    unsafe fn new(frame: &Frame<'_, u32>, chains: &Chains<'_>) -> Self {
        const NOTHING: u8 = 0x80;
        let value = frame.start + chains.value_start();
        let begin = value - usize::from(chains.counted);
        let (first, long) = (begin / VECTOR, chains.value_len > VECTOR);
        let mut memory = Memory::ZERO;
        memory.halves = [[[NOTHING; VECTOR]; 2]; PARTS];
        let mut others = [[0xff; VECTOR]; PARTS];
        let count = reversed(begin % VECTOR);
        memory.added[count] = u8::from(chains.counted);
        let mut values = [[[NOTHING; VECTOR]; 2]; PARTS];
        for byte in 0..chains.value_len {
            let part = (value + byte) / VECTOR - first;
            let place = reversed((value + byte) % VECTOR);
            others[part][place] = 0;
            memory.halves[part][byte / VECTOR][place] = (VECTOR - 1 - byte % VECTOR) as u8;
            if byte < VECTOR {
                values[part][0][byte] = place as u8;
            }
            if let Some(byte) = (byte + VECTOR).checked_sub(chains.value_len) {
                values[part][1][byte] = place as u8;
            }
        }
        let mut rest = [NOTHING; VECTOR];
        let bytes = chains.input_len % VECTOR;
        for byte in 0..bytes {
            rest[byte] = (VECTOR - bytes + byte) as u8;
        }
        // SAFETY: the caller promises the instructions. Vectors have 16 bytes.
        unsafe {
            let Sha256States { abef, cdgh } = Sha256States::<1>::same(frame.state);
            _mm_storeu_si128(memory.initial[0].as_mut_ptr().cast(), abef[0]);
            _mm_storeu_si128(memory.initial[1].as_mut_ptr().cast(), cdgh[0]);
        }
        for lane in 0..LANES {
            (memory.states[0].0[lane], memory.states[1].0[lane]) =
                (memory.initial[0], memory.initial[1]);
        }
        let skips = begin >= VECTOR + 4;
        let (ids, left) = ([None; LANES], [0; LANES]);
        Self { memory, first, others, values, count, rest, long, skips, ids, left }
    }

    /// Begins chains in idle lanes. Returns the number of hashes until one ends, or 0 if there are
    /// none.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1.
    #[inline(always)]
    unsafe fn refill(&mut self, frame: &Frame<'_, u32>, chains: &mut Chains<'_>) -> u64 {
        for lane in 0..LANES {
            if self.ids[lane].is_none()
                && let Some((id, left)) = chains.take()
            {
                // SAFETY: the contract is that of this function.
                unsafe { self.begin(lane, frame, chains.input(id)) };
                (self.ids[lane], self.left[lane]) = (Some(id), left);
            }
        }
        let live = || (0..LANES).filter(|&lane| self.ids[lane].is_some());
        live().map(|lane| self.left[lane]).min().unwrap_or(0)
    }

    /// Begins a chain.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1.
    #[inline(always)]
    unsafe fn begin(&mut self, lane: usize, frame: &Frame<'_, u32>, input: &[u8]) {
        let memory = &mut self.memory;
        // SAFETY: the caller promises the instructions. All vectors have 16 bytes, and K has more.
        unsafe {
            let reverse = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
            let load = |bytes: &[u8; VECTOR]| _mm_loadu_si128(bytes.as_ptr().cast());
            let mut words = [_mm_setzero_si128(); 4];
            if let (0, Some(last)) = (frame.start, input.last_chunk()) {
                // In registers: a load of bytes from several stores would wait.
                let (whole, frame) = (input.as_chunks().0, frame.block.as_chunks().0);
                for group in 0..4 {
                    words[group] = match whole.get(group) {
                        Some(bytes) => load(bytes),
                        None => load(&frame[group]),
                    };
                }
                if let Some(partial) = words.get_mut(whole.len()) {
                    *partial =
                        _mm_or_si128(*partial, _mm_shuffle_epi8(load(last), load(&self.rest)));
                }
            } else {
                let mut block = [0; 4 * VECTOR];
                block.copy_from_slice(frame.block);
                copy(&mut block[frame.start..][..input.len()], input);
                for (words, bytes) in words.iter_mut().zip(block.as_chunks().0) {
                    *words = load(bytes);
                }
            }
            for (words, row) in words.iter_mut().zip(&mut memory.words) {
                *words = _mm_shuffle_epi8(*words, reverse);
                _mm_storeu_si128(row.0[lane].as_mut_ptr().cast(), *words);
            }
            for part in 0..PARTS.min(4 - self.first) {
                let kept = _mm_and_si128(words[self.first + part], load(&self.others[part]));
                _mm_storeu_si128(memory.kept[part].0[lane].as_mut_ptr().cast(), kept);
            }
            if self.skips {
                let (mut abef, mut cdgh) = (load(&memory.initial[0]), load(&memory.initial[1]));
                let sum = _mm_add_epi32(words[0], _mm_loadu_si128(sha256::K.as_ptr().cast()));
                cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
                abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32::<0x0e>(sum));
                let mixed = _mm_sha256msg1_epu32(words[0], words[1]);
                _mm_storeu_si128(memory.states[0].0[lane].as_mut_ptr().cast(), abef);
                _mm_storeu_si128(memory.states[1].0[lane].as_mut_ptr().cast(), cdgh);
                _mm_storeu_si128(memory.mixed.0[lane].as_mut_ptr().cast(), mixed);
            }
        }
    }

    /// Continues all chains.
    ///
    /// # Safety
    /// The CPU has SHA, SSSE3 and SSE4.1. `links` is not 0.
    #[inline(always)]
    unsafe fn advance(&mut self, links: u64) {
        let memory = &raw mut self.memory;
        // SAFETY: the caller promises the instructions and the links. The assembly has the layout
        // of `Memory`, checked below. It writes two groups from `first` on, or three if values are
        // long: `suits` says that the block has them.
        unsafe {
            let value = (&raw mut (*memory).words).byte_add(size_of::<Row>() * self.first);
            match (self.skips, self.long) {
                (true, false) => links!(skipping, put_half, memory, value, links),
                (true, true) => links!(skipping, put_all, memory, value, links),
                (false, _) => links!(all, put_all, memory, value, links),
            }
        }
    }

    /// Stores the value and the count of a chain that has ended.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    #[inline(always)]
    unsafe fn end(&self, lane: usize, chains: &mut Chains<'_>, id: usize) {
        let (start, count) = (chains.value_start(), chains.counted);
        let (others, value) = chains.input(id).split_at_mut(start);
        if let (true, Some(byte)) = (count, others.last_mut()) {
            *byte = self.memory.words[self.first].0[lane][self.count];
        }
        // SAFETY: the caller promises the instructions. All vectors have 16 bytes.
        let [first, last] = unsafe {
            let load = |bytes: &[u8; VECTOR]| _mm_loadu_si128(bytes.as_ptr().cast());
            let mut values = [_mm_setzero_si128(); 2];
            for part in 0..PARTS.min(4 - self.first) {
                let words = load(&self.memory.words[self.first + part].0[lane]);
                for (value, places) in values.iter_mut().zip(&self.values[part]) {
                    *value = _mm_or_si128(*value, _mm_shuffle_epi8(words, load(places)));
                }
            }
            values.map(|value| {
                let mut bytes = [0; VECTOR];
                _mm_storeu_si128(bytes.as_mut_ptr().cast(), value);
                bytes
            })
        };
        match value.first_chunk_mut() {
            Some(to) => *to = first,
            None => value.copy_from_slice(&first[..value.len()]),
        }
        if let (true, Some(to)) = (self.long, value.last_chunk_mut()) {
            *to = last;
        }
    }
}

const _: () = {
    use core::mem::offset_of;
    assert!(offset_of!(Memory, kept) == 1024 && offset_of!(Memory, states) == 1216);
    assert!(offset_of!(Memory, mixed) == 1344 && offset_of!(Memory, initial) == 1408);
    assert!(offset_of!(Memory, added) == 1440 && offset_of!(Memory, halves) == 1456);
    assert!(offset_of!(Memory, constants) == 1552);
};

/// Whether links change groups that [`continue_four`] can put values into.
#[inline(always)]
pub(crate) fn suits(frame: &Frame<'_, u32>, chains: &Chains<'_>) -> bool {
    let begin = frame.start + chains.value_start() - usize::from(chains.counted);
    // Also groups in which there is nothing must be in the block.
    begin / VECTOR + if chains.value_len > VECTOR { PARTS } else { 2 } <= 4
}

/// Continues chains, four side by side.
///
/// # Safety
/// The CPU has SHA, SSSE3 and SSE4.1. The chains suit.
#[inline(always)]
pub(crate) unsafe fn continue_four(frame: &Frame<'_, u32>, chains: &mut Chains<'_>) {
    // SAFETY: the caller promises the instructions. `due` is not 0.
    unsafe {
        let mut four = Four::new(frame, chains);
        loop {
            let due = four.refill(frame, chains);
            if due == 0 {
                break;
            }
            four.advance(due);
            for lane in 0..LANES {
                four.left[lane] = four.left[lane].saturating_sub(due);
                if four.left[lane] == 0
                    && let Some(id) = four.ids[lane].take()
                {
                    four.end(lane, chains, id);
                }
            }
        }
        four.memory.wipe();
    }
}
