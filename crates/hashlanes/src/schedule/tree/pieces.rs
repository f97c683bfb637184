//! A message in pieces: its state, and what is appended to it.

use core::slice;

use super::level::{Level, LevelMemory, SUBTREE};
use super::nodes::{Mode, Run, Value, Words, hash_block, hash_one, value_of};
use super::roots::Root;
use crate::family::Rules;
use crate::family::blake3::{
    BLOCK, BLOCKS, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, COUNTER, FLAGS, KEY, LENGTH, MODE,
    PARENT, ROOT, STACK, VALUE, counter, is_ahead, set_words,
};
use crate::schedule::list::List;
use crate::schedule::stream::Stream;
use crate::schedule::stream::compress::compress_alone;
use crate::schedule::stream::midstate::Midstate;
#[cfg(feature = "alloc")]
use crate::wipe;
use crate::wipe::Wiped;

/// Compresses whole blocks, which are not the last ones of their message.
pub(in crate::schedule) fn compress(state: &mut Words, blocks: &[u8], forced: Option<usize>) {
    update(state, blocks, 0, forced);
}

/// Compresses whole blocks of a message. The last `held` bytes are held back.
///
/// If they end a chunk which is not the only one, it is compressed nevertheless: a chunk may be the
/// last one without a difference, and so it is in lanes with those before it. The state is
/// ahead then.
pub(in crate::schedule) fn update(
    state: &mut Words,
    mut bytes: &[u8],
    held: usize,
    forced: Option<usize>,
) {
    while bytes.len() > held {
        let (chunks, before) = (bytes.len() / CHUNK, BLOCK * state[BLOCKS] as usize);
        let now;
        if is_ahead(state) {
            let value = value_of(state);
            push(state, value, (before / CHUNK) as u64, forced);
            bytes = &bytes[BLOCK..];
        } else if before == 0 && chunks > 0 && (counter(state) > 0 || bytes.len() - held >= CHUNK) {
            (now, bytes) = bytes.split_at(chunks.min(SUBTREE) * CHUNK);
            compress_chunks(state, now, held > 0 && bytes.is_empty(), forced);
        } else {
            (now, bytes) = bytes.split_at((bytes.len() - held).min(CHUNK - before));
            compress_in_chunk(state, now, forced);
        }
    }
}

/// Compresses whole chunks, at most `SUBTREE`. If they may be the last ones of the message, which
/// has others, the state is ahead afterwards.
#[inline(never)]
fn compress_chunks(state: &mut Words, bytes: &[u8], may_be_last: bool, forced: Option<usize>) {
    // Complete subtrees with their numbers of chunks, the last one first.
    let mut subtrees = List::<(Value, u64), { SUBTREE.ilog2() as usize + 2 }>::new();
    let mut memory = LevelMemory::new();
    let mode = Mode::of(state, forced);
    let mut top = counter(state).count_ones() as usize;
    let mut level = Level::of_chunks(&mut memory, mode, bytes, counter(state));
    let mut chunks = 1;
    while level.count() > 0 {
        if level.start % 2 == 1 && level.count() > 1 {
            top -= 1;
            level.push_front(on_stack(state, top));
        }
        // Their parent may be the root.
        let are_halves = level.start == 0 && level.count() == 2 && subtrees.as_slice().is_empty();
        if level.count() % 2 == 1 || may_be_last && are_halves {
            subtrees.push((level.pop(), chunks));
        } else {
            level.ascend(mode, false);
            chunks *= 2;
        }
    }
    begin_chunk(state, level.start * chunks);
    for (i, &(value, chunks)) in subtrees.as_slice().iter().enumerate().rev() {
        if i == 0 && may_be_last {
            set_ahead(state, &value, chunks);
        } else {
            push(state, value, chunks, forced);
        }
    }
}

/// The values of the two halves of the subtree of these bytes, whose first chunk has number
/// `counter`. The subtree may be the whole message, whose root is then the parent of both.
///
/// # Panics
/// If the number of chunks is not a power of two, or less than 2.
#[cfg(feature = "alloc")]
fn halves(mode: Mode<'_>, bytes: &[u8], counter: u64) -> [Value; 2] {
    let chunks = bytes.len() / CHUNK;
    assert!(bytes.len().is_power_of_two() && chunks >= 2);
    if chunks <= SUBTREE {
        return halves_of_level(mode, bytes, counter);
    }
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let second_counter = counter + (chunks / 2) as u64;
    [(first, counter), (second, second_counter)].map(|(bytes, counter)| {
        let pair = halves(mode, bytes, counter);
        hash_one(&mode.parents(), &Run::parents(slice::from_ref(&pair), false, 0))
    })
}

/// [`halves`] of at most `SUBTREE` chunks. Not inlined, so that its memory is on the stack once.
#[cfg(feature = "alloc")]
#[inline(never)]
fn halves_of_level(mode: Mode<'_>, bytes: &[u8], counter: u64) -> [Value; 2] {
    let mut memory = LevelMemory::new();
    let mut level = Level::of_chunks(&mut memory, mode, bytes, counter);
    while level.count() > 2 {
        level.ascend(mode, false);
    }
    let second = level.pop();
    [level.pop(), second]
}

/// Appends a subtree of `bytes` bytes by the values of its halves.
///
/// # Panics
/// If the bytes before it are not a multiple of its bytes.
#[cfg(feature = "alloc")]
fn append(
    stream: &mut Stream<Blake3Family>,
    halves: &[Value; 2],
    bytes: usize,
    forced: Option<usize>,
) {
    let chunks = (bytes / CHUNK) as u64;
    let mut state = Wiped(stream.state());
    compress(&mut state, stream.midstate().carry, forced);
    assert!(state[BLOCKS] == 0 && counter(&state).is_multiple_of(chunks));
    push(&mut state, halves[0], chunks / 2, forced);
    set_ahead(&mut state, &halves[1], chunks / 2);
    stream.absorb_ahead(bytes, *state);
}

#[cfg(feature = "alloc")]
impl Stream<Blake3Family> {
    /// [`halves`] of a part of this message, from this byte on.
    pub(crate) fn hash_halves(
        &self,
        part: &[u8],
        offset: u64,
        forced: Option<usize>,
    ) -> [Value; 2] {
        let counter = offset / CHUNK as u64;
        wipe::call::<{ wipe::TREE }, _>(|| {
            halves(Mode::of(self.midstate().state, forced), part, counter)
        })
    }

    /// Appends such a part.
    ///
    /// # Panics
    /// If the length so far is not a multiple of that of the part.
    pub(crate) fn append_halves(
        &mut self,
        halves: &[Value; 2],
        bytes: usize,
        forced: Option<usize>,
    ) {
        wipe::call::<{ wipe::TREE }, _>(|| append(self, halves, bytes, forced));
    }
}

/// Lets the state be ahead by a subtree.
fn set_ahead(state: &mut Words, value: &Value, chunks: u64) {
    set_words(&mut state[..VALUE], value);
    state[BLOCKS] = (chunks * (CHUNK / BLOCK) as u64) as u32;
}

/// Compresses blocks of one chunk.
fn compress_in_chunk(state: &mut Words, blocks: &[u8], forced: Option<usize>) {
    state[BLOCKS] += (blocks.len() / BLOCK) as u32;
    if (state[BLOCKS] as usize) < CHUNK / BLOCK {
        return compress_alone(Blake3Family, state, blocks, forced);
    }
    let (first, last) = blocks.split_at(blocks.len() - BLOCK);
    compress_alone(Blake3Family, state, first, forced);
    state[FLAGS] |= CHUNK_END;
    compress_alone(Blake3Family, state, last, forced);
    push(state, value_of(state), 1, forced);
}

/// The value of subtree number `i` of the stack.
fn on_stack(state: &Words, i: usize) -> Value {
    value_of(&state[STACK + VALUE * i..])
}

/// The value of the parent of two subtrees.
fn parent(state: &Words, pair: &[Value; 2], forced: Option<usize>) -> Value {
    let kind = Mode::of(state, forced).parents();
    hash_one(&kind, &Run::parents(slice::from_ref(pair), false, 0))
}

/// Appends the value of a subtree of `chunks` chunks, a power of two, to those of the subtrees
/// before it. More chunks follow. Pairs of equal size become one.
pub(super) fn push(state: &mut Words, mut value: Value, chunks: u64, forced: Option<usize>) {
    let mut top = counter(state).count_ones() as usize;
    let count = counter(state) + chunks;
    for _ in chunks.trailing_zeros()..count.trailing_zeros() {
        top -= 1;
        value = parent(state, &[on_stack(state, top), value], forced);
    }
    set_words(&mut state[STACK + VALUE * top..], &value);
    begin_chunk(state, count);
}

/// Begins chunk number `count`.
pub(super) fn begin_chunk(state: &mut Words, count: u64) {
    (state[COUNTER], state[COUNTER + 1]) = (count as u32, (count >> 32) as u32);
    state.copy_within(KEY..KEY + VALUE, 0);
    (state[FLAGS], state[BLOCKS]) = (state[MODE] | CHUNK_START, 0);
}

/// Compresses the last block of a message of `length` bytes. Leaves the digest in the state, which
/// remembers the root.
pub(super) fn finish(state: &mut Words, block: &[u8], length: u64, forced: Option<usize>) {
    if !is_ahead(state) {
        Blake3Family.enter_tail(state, length);
        compress_root(state, block, forced);
    }
    finish_with(state, value_of(state), forced);
}

/// Merges the value of the last subtree with those before it. Leaves the digest in the state, which
/// remembers the root if it is a parent.
pub(super) fn finish_with(state: &mut Words, mut value: Value, forced: Option<usize>) {
    let subtrees = counter(state).count_ones() as usize;
    for top in (1..subtrees).rev() {
        value = parent(state, &[on_stack(state, top), value], forced);
    }
    set_words(state, &value);
    if subtrees > 0 {
        let root = [on_stack(state, 0), value];
        state.copy_within(KEY..KEY + VALUE, 0);
        (state[COUNTER], state[COUNTER + 1], state[LENGTH]) = (0, 0, BLOCK as u32);
        state[FLAGS] = state[MODE] | PARENT | ROOT;
        compress_root(state, root.as_flattened(), forced);
    }
}

/// Compresses a block that may be the root, and remembers it.
fn compress_root(state: &mut Words, block: &[u8], forced: Option<usize>) {
    Blake3Family.remember(state, block);
    let flags = state[FLAGS];
    compress_alone(Blake3Family, state, block, forced);
    state[FLAGS] = flags;
}

/// The state after the last bytes of a message in pieces: its first words are the digest.
pub(in crate::schedule) fn finish_stream(
    stream: &Stream<Blake3Family>,
    forced: Option<usize>,
) -> Words {
    let mut state = stream.state();
    let mut tail = Wiped([0; BLOCK]);
    Blake3Family.pad(&state, &mut *tail, stream.midstate().carry, stream.length());
    finish(&mut state, &*tail, stream.length() as u64, forced);
    state
}

/// The digest of a message in pieces.
pub(in crate::schedule) fn digest_of_stream(
    stream: &Stream<Blake3Family>,
    forced: Option<usize>,
) -> Value {
    match flags_of_chunk(stream) {
        // Without a copy of the state, which has 2 KiB.
        Some(flags) => {
            let Midstate { state, carry, .. } = stream.midstate();
            hash_block(&state[..VALUE], carry, flags, forced)
        }
        None => value_of(&*Wiped(finish_stream(stream, forced))),
    }
}

/// The root of a message in pieces that is one chunk, without compressing it.
pub(in crate::schedule) fn root_of_chunk(stream: &Stream<Blake3Family>) -> Option<Root> {
    let Midstate { state, carry, .. } = stream.midstate();
    flags_of_chunk(stream).map(|flags| Root::new(&state[..VALUE], carry, flags))
}

/// The flags of the last block of a message in pieces, which is the carry, if the message is one
/// chunk.
fn flags_of_chunk(stream: &Stream<Blake3Family>) -> Option<u32> {
    let Midstate { state, carry, length, .. } = stream.midstate();
    // Without a carry, the state remembers the last block.
    let is_chunk = counter(state) == 0 && !is_ahead(state) && (length == 0 || !carry.is_empty());
    let first = if state[BLOCKS] == 0 { CHUNK_START } else { 0 };
    is_chunk.then_some(state[MODE] | first | CHUNK_END | ROOT)
}
