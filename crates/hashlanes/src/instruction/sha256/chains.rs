//! Hash chains of SHA-256 in the SHA extensions: one block after another of each chain.
//!
//! A chain waits for its last digest before its next block can begin. So the chains take turns: as
//! many as are compressed side by side, and as many whose schedule begins meanwhile. Blocks stay in
//! memory, because schedules are loaded from there. A digest goes into its block by whole vectors:
//! a load of 16 bytes that were stored in parts would wait until they have left the store buffer.
//!
//! If a link hashes nothing but a digest, the next block is made of the state, in registers.

use core::arch::x86_64::*;

use super::states::{FirstWords, InMemory, Sha256States};
use super::streams::Streams;
use crate::input::{Chains, Frame};
use crate::wipe::Wipe;

/// Bytes of a block.
const BLOCK: usize = 64;

/// Bytes of a vector.
const VECTOR: usize = 16;

/// The most vectors of a block that a digest and a count touch.
const MOST: usize = 3;

/// The block of a chain.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Block([u8; BLOCK]);

/// How a digest gets into a vector of a block.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Part {
    /// Which bytes are no part of the value.
    kept: [u8; VECTOR],
    /// What is added to these.
    added: [u8; VECTOR],
    /// The bytes that come from the first and from the second half of the digest, as shuffles of
    /// vectors that have the first byte last.
    halves: [[u8; VECTOR]; 2],
}

/// How digests get into blocks.
struct Places {
    /// The first vector.
    first: usize,
    parts: [Part; MOST],
    count: usize,
    /// Whether a value has more bytes than half a digest.
    long: bool,
}

impl Places {
    fn new(start: usize, chains: &Chains<'_>) -> Self {
        const NOTHING: u8 = 0x80;
        let part =
            Part { kept: [0xff; VECTOR], added: [0; VECTOR], halves: [[NOTHING; VECTOR]; 2] };
        let value = start + chains.value_start();
        let first = (value - usize::from(chains.counted)) / VECTOR;
        let count = (value + chains.value_len).div_ceil(VECTOR) - first;
        let mut parts = [part; MOST];
        if chains.counted {
            parts[0].added[(value - 1) % VECTOR] = 1;
        }
        for byte in 0..chains.value_len {
            let part = &mut parts[(value + byte) / VECTOR - first];
            let place = (value + byte) % VECTOR;
            part.kept[place] = 0;
            part.halves[byte / VECTOR][place] = (VECTOR - 1 - byte % VECTOR) as u8;
        }
        Self { first, parts, count, long: chains.value_len > VECTOR }
    }

    /// Puts the digests of these states into blocks.
    ///
    /// # Safety
    /// The CPU has SSSE3.
    #[inline(always)]
    unsafe fn put<const N: usize>(&self, states: &Sha256States<N>, blocks: &mut [Block; N]) {
        for (part, v) in self.parts[..self.count].iter().zip(self.first..) {
            for n in 0..N {
                let vector = &mut blocks[n].0.as_chunks_mut::<VECTOR>().0[v];
                // SAFETY: the caller promises the instructions. All arrays have 16 bytes.
                unsafe {
                    let load = |bytes: &[u8; VECTOR]| _mm_loadu_si128(bytes.as_ptr().cast());
                    let (abef, cdgh) = (states.abef[n], states.cdgh[n]);
                    let abcd = _mm_unpackhi_epi64(cdgh, abef);
                    let mut value = _mm_shuffle_epi8(abcd, load(&part.halves[0]));
                    if self.long {
                        let efgh = _mm_unpacklo_epi64(cdgh, abef);
                        let second = _mm_shuffle_epi8(efgh, load(&part.halves[1]));
                        value = _mm_or_si128(value, second);
                    }
                    let kept = _mm_and_si128(load(vector), load(&part.kept));
                    let kept = _mm_add_epi8(kept, load(&part.added));
                    _mm_storeu_si128(vector.as_mut_ptr().cast(), _mm_or_si128(kept, value));
                }
            }
        }
    }
}

/// Copies bytes in vectors of which the last overlaps others: fewer than 64 bytes do not deserve a
/// call.
#[inline(always)]
pub(super) fn copy(to: &mut [u8], from: &[u8]) {
    let (Some(&last), true) = (from.last_chunk::<VECTOR>(), to.len() == from.len()) else {
        return to.copy_from_slice(from);
    };
    for (to, from) in to.as_chunks_mut::<VECTOR>().0.iter_mut().zip(from.as_chunks().0) {
        *to = *from;
    }
    if let Some(to) = to.last_chunk_mut() {
        *to = last;
    }
}

/// Chains that are compressed side by side.
struct Turn<const N: usize> {
    blocks: [Block; N],
    /// The number of each chain. An idle lane has none.
    ids: [Option<usize>; N],
    /// The hashes of each that are left after `due`.
    left: [u64; N],
    /// The hashes until a chain ends. 0 if there are no chains.
    due: u64,
}

impl<const N: usize> Turn<N> {
    /// The next chains.
    fn new(frame: &Frame<'_, u32>, chains: &mut Chains<'_>) -> Self {
        let blocks = [Block([0; BLOCK]); N];
        let mut turn = Self { blocks, ids: [None; N], left: [0; N], due: 0 };
        turn.refill(frame, chains);
        turn
    }

    /// The addresses of the blocks.
    #[inline(always)]
    fn data(&self) -> [*const u8; N] {
        let mut data = [core::ptr::null(); N];
        for n in 0..N {
            data[n] = self.blocks[n].0.as_ptr();
        }
        data
    }

    /// Stores the chains that end, and begins others in their lanes.
    #[inline(never)]
    fn end(&mut self, frame: &Frame<'_, u32>, chains: &mut Chains<'_>) {
        for n in 0..N {
            if self.left[n] == 0
                && let Some(id) = self.ids[n].take()
            {
                let input = chains.input(id);
                copy(input, &self.blocks[n].0[frame.start..][..input.len()]);
            }
        }
        self.refill(frame, chains);
    }

    /// Begins chains in idle lanes, and sets what is due.
    fn refill(&mut self, frame: &Frame<'_, u32>, chains: &mut Chains<'_>) {
        for n in 0..N {
            if self.ids[n].is_none()
                && let Some((id, left)) = chains.take()
            {
                let input = chains.input(id);
                self.blocks[n].0.copy_from_slice(frame.block);
                copy(&mut self.blocks[n].0[frame.start..][..input.len()], input);
                (self.ids[n], self.left[n]) = (Some(id), left);
            }
        }
        let live = || (0..N).filter(|&n| self.ids[n].is_some());
        self.due = live().map(|n| self.left[n]).min().unwrap_or(0);
        self.left.iter_mut().for_each(|left| *left = left.saturating_sub(self.due));
    }
}

/// Continues chains whose links hash nothing but a digest, `N` side by side, with all words in
/// registers. Returns whether the chains are such.
///
/// # Safety
/// The CPU has SHA, SSSE3 and SSE4.1.
#[inline(always)]
pub(crate) unsafe fn continue_digests<const N: usize>(
    frame: &Frame<'_, u32>,
    chains: &mut Chains<'_>,
) -> bool {
    let alone = frame.start + chains.value_start() == 0;
    if !alone || chains.counted || chains.value_len != 2 * VECTOR {
        return false;
    }
    let places = Places::new(frame.start, chains);
    let mut turn = Turn::<N>::new(frame, chains);
    while turn.due > 0 {
        // SAFETY: the caller promises the instructions. Blocks have 64 bytes.
        unsafe {
            let block = InMemory(turn.data());
            let mut words = [[_mm_setzero_si128(); N]; 4];
            for group in 0..4 {
                for n in 0..N {
                    words[group][n] = block.words(group, n);
                }
            }
            let mut states = Sha256States::same(frame.state);
            for link in 0..turn.due {
                if link > 0 {
                    states = Sha256States::same(frame.state);
                }
                states.compress(&words);
                for n in 0..N {
                    let [abcd, efgh] = states.words(n);
                    (words[0][n], words[1][n]) = (abcd, efgh);
                }
            }
            places.put(&states, &mut turn.blocks);
        }
        turn.end(frame, chains);
    }
    turn.blocks.iter_mut().for_each(|block| block.0.wipe());
    true
}

/// Continues chains, `N` side by side.
///
/// # Safety
/// The CPU has SSSE3, SSE4.1 and what the streams need.
#[inline(always)]
pub(crate) unsafe fn continue_chains<const N: usize, S: Streams<N>>(
    frame: &Frame<'_, u32>,
    chains: &mut Chains<'_>,
    streams: &mut S,
) {
    let places = Places::new(frame.start, chains);
    let mut now = Turn::<N>::new(frame, chains);
    let mut other = Turn::<N>::new(frame, chains);
    let (mut now, mut other) = (&mut now, &mut other);
    let mut begun = false;
    while now.due > 0 {
        // SAFETY: the caller promises the instructions. Blocks have 64 bytes. A block is begun
        // here, or as the next one of the other turn, after which it does not change.
        unsafe {
            if !begun {
                streams.begin(now.data());
            }
            begun = other.due > 0;
            let next = if begun { Some(other.data()) } else { None };
            let mut states = Sha256States::same(frame.state);
            streams.compress(&mut states, now.data(), 1, None, next);
            places.put(&states, &mut now.blocks);
        }
        now.due -= 1;
        if now.due == 0 {
            now.end(frame, chains);
        }
        if begun {
            core::mem::swap(&mut now, &mut other);
        }
    }
    for turn in [now, other] {
        turn.blocks.iter_mut().for_each(|block| block.0.wipe());
    }
}
