//! BLAKE3 (<https://github.com/BLAKE3-team/BLAKE3-specs>).
//!
//! A message is cut into chunks of 1,024 bytes, each of which is a chain of blocks from the key.
//! The chaining values of two subtrees are a block of their parent. So a lane compresses a chunk or
//! a parent, and the state of a message has the values of the subtrees that are complete.

use super::blake::{Blake, LANE_WORDS, pad, round, words};
use super::blake2::IV_S as IV;
use super::unroll::unroll;
use super::{Between, Family, OneBlockTail, Rules, State, write_words};
use crate::vector::{BLOCK_WORDS, MAX_LANES, Vector};

/// The compression of BLAKE3: 7 rounds on 32-bit words.
#[derive(Clone, Copy)]
pub struct Blake3Family;

/// Bytes in a chunk.
pub(crate) const CHUNK: usize = 1024;

/// Bytes in a block.
pub(crate) const BLOCK: usize = 64;

/// Words in a chaining value.
pub(crate) const VALUE: usize = 8;

/// Flags (section 2.1).
pub(crate) const CHUNK_START: u32 = 1;
pub(crate) const CHUNK_END: u32 = 1 << 1;
pub(crate) const PARENT: u32 = 1 << 2;
pub(crate) const ROOT: u32 = 1 << 3;
pub(crate) const KEYED_HASH: u32 = 1 << 4;
pub(crate) const DERIVE_KEY_CONTEXT: u32 = 1 << 5;
pub(crate) const DERIVE_KEY_MATERIAL: u32 = 1 << 6;

/// Where the words of a lane's state are after the chaining value: the number of the chunk, two
/// words, the bytes in the block, and its flags.
pub(crate) const COUNTER: usize = VALUE;
pub(crate) const LENGTH: usize = COUNTER + 2;
pub(crate) const FLAGS: usize = LENGTH + 1;

/// Words of a state that lanes hold.
pub(crate) const NODE: usize = FLAGS + 1;

/// Where the words of a message's state are after those of a lane: the key, the flags of every
/// block, the number of blocks of the current chunk that are compressed, what is remembered, as in
/// BLAKE2, and the values of subtrees.
pub(crate) const KEY: usize = NODE;
pub(crate) const MODE: usize = KEY + VALUE;
pub(crate) const BLOCKS: usize = MODE + 1;
pub(crate) const BEFORE: usize = BLOCKS + 1;
pub(crate) const LAST: usize = BEFORE + VALUE;
pub(crate) const STACK: usize = LAST + BLOCK_WORDS;

/// The most subtrees: a message has at most 2^64 bytes.
const DEPTH: usize = 54;

const WORDS: usize = STACK + DEPTH * VALUE;

impl Family for Blake3Family {
    type Word = u32;
    const STATE_WORDS: usize = NODE;
    const BLOCK: usize = BLOCK;
}

impl Rules for Blake3Family {
    type Word = u32;
    type State = [u32; WORDS];
    type LaneStates = [u32; NODE * MAX_LANES];
    type Block = [u8; BLOCK];
    type Tail = [u8; BLOCK];
    const LAST_DIFFERS: bool = true;
    const WORDS: usize = NODE;

    #[inline(always)]
    fn block(self) -> usize {
        BLOCK
    }

    fn tail_blocks(self, _: usize) -> usize {
        1
    }

    fn pad(self, state: &State<Self>, tail: &mut [u8], rest: &[u8], length: u128) -> usize {
        let tail = &mut tail[..BLOCK];
        if rest.is_empty() && length > 0 {
            write_words(|w| state[LAST + w], tail);
        } else {
            pad(tail, rest);
        }
        1
    }

    fn enter_tail(self, state: &mut State<Self>, length: u64) {
        if is_ahead(state) {
            return;
        }
        if length > 0 && compressed(state) == length {
            state.copy_within(BEFORE..LAST, 0);
            state[BLOCKS] = state[BLOCKS].wrapping_sub(1);
        }
        // A caller's `AsRef` that returns different slices may make the length too small.
        let rest = length.wrapping_sub(compressed(state));
        let first = if state[BLOCKS] == 0 { CHUNK_START } else { 0 };
        let root = if counter(state) == 0 { ROOT } else { 0 };
        (state[LENGTH], state[FLAGS]) = (rest as u32, state[MODE] | first | CHUNK_END | root);
    }

    fn remember(self, state: &mut State<Self>, block: &[u8]) {
        state.copy_within(..VALUE, BEFORE);
        set_words(&mut state[LAST..STACK], block);
    }

    fn write_digest(self, state: &State<Self>, digest: &mut [u8]) {
        write_words(|w| state[w], digest);
    }

    /// The chaining value, the key with its mode, the number of blocks, and the subtrees.
    #[cfg(feature = "alloc")]
    fn save(self, state: &State<Self>, put: &mut dyn FnMut(u32)) {
        let subtrees = counter(state).count_ones() as usize * VALUE;
        let parts = [&state[..VALUE], &state[KEY..BEFORE], &state[STACK..][..subtrees]];
        parts.into_iter().flatten().for_each(|&word| put(word));
    }

    #[cfg(feature = "alloc")]
    fn restore(
        self,
        state: &mut State<Self>,
        length: u64,
        words: &mut dyn ExactSizeIterator<Item = u32>,
    ) -> bool {
        const IN_CHUNK: u64 = (CHUNK / BLOCK) as u64;
        if !fill(&mut state[..VALUE], words) || !fill(&mut state[KEY..BEFORE], words) {
            return false;
        }
        let (mode, blocks) = (state[MODE], u64::from(state[BLOCKS]));
        // A state that is ahead has compressed the block that is held back, too.
        let done = if is_ahead(state) { length } else { self.compressed(length) };
        let Some(before) = (done / BLOCK as u64).checked_sub(blocks) else { return false };
        let (chunks, count) = (blocks / IN_CHUNK, before / IN_CHUNK);
        let is_subtree = chunks.is_power_of_two()
            && blocks.is_multiple_of(IN_CHUNK)
            && count > 0
            && count.is_multiple_of(chunks);
        let is_possible = done.is_multiple_of(BLOCK as u64)
            && before.is_multiple_of(IN_CHUNK)
            && (chunks == 0 || is_subtree)
            && [0, KEYED_HASH, DERIVE_KEY_MATERIAL].contains(&mode)
            && (mode != 0 || state[KEY..KEY + VALUE] == IV);
        (state[COUNTER], state[COUNTER + 1]) = (count as u32, (count >> 32) as u32);
        if blocks == 0 {
            // As any chunk begins, whatever was saved.
            state.copy_within(KEY..KEY + VALUE, 0);
        }
        let first = if chunks > 0 || blocks == 0 { CHUNK_START } else { 0 };
        state[FLAGS] = mode | first;
        let subtrees = count.count_ones() as usize * VALUE;
        is_possible && words.len() == subtrees && fill(&mut state[STACK..][..subtrees], words)
    }

    #[cfg(feature = "alloc")]
    fn holds_key(self, state: &State<Self>) -> bool {
        state[MODE] != 0
    }
}

/// The messages have one chunk.
impl OneBlockTail for Blake3Family {
    const LAST: u8 = 0;

    #[inline(always)]
    fn after(self, _: &State<Self>) -> u8 {
        0
    }

    #[inline(always)]
    fn set_for_tail(self, initial: &State<Self>, length: u64, mut set: impl FnMut(usize, u32)) {
        let first = if length <= BLOCK as u64 { CHUNK_START } else { 0 };
        set(LENGTH, self.held(length as usize) as u32);
        set(FLAGS, initial[MODE] | first | CHUNK_END | ROOT);
    }
}

/// The number of the current chunk.
pub(crate) fn counter(state: &State<Blake3Family>) -> u64 {
    u64::from(state[COUNTER]) | u64::from(state[COUNTER + 1]) << 32
}

/// Whether the next block is the last one of a subtree whose value is known already: that is in the
/// first words, and the blocks that are compressed are those of the subtree.
pub(crate) fn is_ahead(state: &State<Blake3Family>) -> bool {
    state[BLOCKS] as usize >= CHUNK / BLOCK
}

/// The number of bytes that are compressed.
fn compressed(state: &State<Blake3Family>) -> u64 {
    // A saved state may be forged, and have any number of chunks.
    counter(state).wrapping_mul(CHUNK as u64).wrapping_add(u64::from(state[BLOCKS]) * BLOCK as u64)
}

/// Sets words to saved ones. Returns whether there are enough.
#[cfg(feature = "alloc")]
fn fill(words: &mut [u32], saved: &mut dyn ExactSizeIterator<Item = u32>) -> bool {
    let are_enough = saved.len() >= words.len();
    words.iter_mut().zip(saved).for_each(|(word, saved)| *word = saved);
    are_enough
}

/// Sets words to little-endian bytes.
pub(crate) fn set_words(words: &mut [u32], bytes: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks().0) {
        *word = u32::from_le_bytes(*bytes);
    }
}

/// The initial state with a key and flags for every block.
pub(crate) const fn keyed(key: [u32; VALUE], mode: u32) -> [u32; WORDS] {
    let mut state = [0; WORDS];
    let mut i = 0;
    while i < VALUE {
        (state[i], state[KEY + i]) = (key[i], key[i]);
        i += 1;
    }
    (state[LENGTH], state[FLAGS], state[MODE]) = (BLOCK as u32, mode | CHUNK_START, mode);
    state
}

/// The initial state without a key.
pub(crate) const INITIAL: [u32; WORDS] = keyed(IV, 0);

/// The places of the message's words in each round (section 2.2).
const ORDER: [[u8; BLOCK_WORDS]; 7] = {
    const NEXT: [usize; BLOCK_WORDS] = [2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8];
    let mut order = [[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]; 7];
    let mut round = 1;
    while round < order.len() {
        let mut i = 0;
        while i < BLOCK_WORDS {
            order[round][i] = order[round - 1][NEXT[i]];
            i += 1;
        }
        round += 1;
    }
    order
};

/// The sixteen words before the first round (section 2.2).
#[inline(always)]
pub(crate) fn before_rounds<V: Vector<Word = u32>>(state: &[V; LANE_WORDS]) -> [V; 16] {
    let mut v = words(state, super::fresh(&IV));
    v[12..].copy_from_slice(&state[COUNTER..NODE]);
    v
}

impl Blake for Blake3Family {
    type Last<V: Vector<Word = u32>> = [V; VALUE];

    #[inline(always)]
    fn compress<V: Vector<Word = u32>>(
        state: &mut [V; LANE_WORDS],
        block: &[V; BLOCK_WORDS],
        between: &mut impl Between,
    ) -> [V; VALUE] {
        let mut v = before_rounds(state);
        unroll!(7, T => {
            if T.is_multiple_of(2) {
                between.part(T / 2);
            }
            round::<V, 16, 12, 8, 7>(&mut v, block, &ORDER[T]);
        });
        after_rounds(state, &v)
    }
}

/// Sets the state to what follows from the words after the rounds, the last eight of which it
/// returns.
#[inline(always)]
pub(crate) fn after_rounds<V: Vector<Word = u32>>(
    state: &mut [V; LANE_WORDS],
    v: &[V; 16],
) -> [V; VALUE] {
    unroll!(8, I => { state[I] = v[I].xor(&v[VALUE + I]); });
    end_start(state);
    let [.., v8, v9, v10, v11, v12, v13, v14, v15] = *v;
    [v8, v9, v10, v11, v12, v13, v14, v15]
}

/// After a block, none is the first one of its chunk.
#[inline(always)]
pub(crate) fn end_start<V: Vector<Word = u32>>(state: &mut [V; LANE_WORDS]) {
    let zero = state[FLAGS].xor(&state[FLAGS]);
    state[FLAGS] = zero.add_word(CHUNK_START).and_not(&state[FLAGS]);
}

/// The sixteen words of output (section 2.6) that follow from the chaining values before and after
/// a block, and from the last eight words after its rounds.
#[inline(always)]
pub(crate) fn output<V: Vector<Word = u32>>(
    before: &[V; LANE_WORDS],
    after: &[V; LANE_WORDS],
    last: &[V; VALUE],
) -> [V; 16] {
    let mut output = *after;
    unroll!(8, I => { output[VALUE + I] = before[I].xor(&last[I]); });
    output
}

/// Output of any length (section 2.6): the root is compressed once for each block of output, with
/// the number of that block. As a message, the root is one block. Its state before is that of a
/// lane, and afterwards the sixteen words of output, those of one lane after those of another.
#[derive(Clone, Copy)]
pub(crate) enum Blake3Output {}

impl Family for Blake3Output {
    type Word = u32;
    /// Those before the compression.
    const STATE_WORDS: usize = NODE;
    const BLOCK: usize = BLOCK;
}
