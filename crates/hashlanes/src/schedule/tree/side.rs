//! Pieces of several messages side by side.

use super::level::SUBTREE;
use super::nodes::{Mode, Words, value_of};
use super::pieces::{begin_chunk, compress, finish, push};
use super::together::{Kept, PIECES, Results, Together};
use crate::family::blake3::{
    BLOCK, BLOCKS, Blake3Family, CHUNK, FLAGS, KEY, MODE, STACK, VALUE, counter, is_ahead,
    set_words,
};
use crate::schedule::list::List;
use crate::schedule::refill::source::{LaneState, Source, Work};
use crate::wipe::Wiped;

/// Hashes the messages of `source`, `PIECES` at a time.
pub(in crate::schedule) fn run<'a>(
    source: &mut dyn Source<'a, Blake3Family>,
    forced: Option<usize>,
) {
    let mut stages = Wiped([[0; 3 * BLOCK]; PIECES]);
    while source.waiting() > 0 {
        let mut works = [const { None }; PIECES];
        let mut count = 0;
        while count < PIECES && source.waiting() > 0 {
            works[count] = source.next(&mut stages[count]);
            count += usize::from(works[count].is_some());
        }
        let mut first = 0;
        while first < count {
            first += hash_alike(&mut works[first..count], &stages[first..], forced);
        }
        for (work, stage) in works.iter_mut().flatten().zip(&*stages) {
            if work.tail > 0 {
                finish(&mut work.state, &stage[BLOCK..2 * BLOCK], work.length, forced);
            }
            source.done(work.id, LaneState::<Blake3Family>::of_one(&work.state));
        }
    }
}

/// Compresses the blocks of works before the tails, of the first ones with the same key. Returns
/// their number.
fn hash_alike(
    works: &mut [Option<Work<'_, Blake3Family>>],
    stages: &[[u8; 3 * BLOCK]],
    forced: Option<usize>,
) -> usize {
    let mut kept = List::new();
    let mut first = None;
    let mut count = 0;
    for (work, stage) in works.iter_mut().flatten().zip(stages) {
        let state = &mut work.state;
        let mode = *first.get_or_insert(mode_of(state));
        if mode_of(state) != mode {
            break;
        }
        count += 1;
        if is_ahead(state) && work.head {
            let (value, chunks) = (value_of(state), state[BLOCKS] as usize / (CHUNK / BLOCK));
            push(state, value, chunks as u64, forced);
            work.head = false;
        }
        if work.body.len() >= (SUBTREE - 1) * CHUNK {
            compress(state, &stage[..if work.head { BLOCK } else { 0 }], forced);
            compress(state, work.body, forced);
            (work.head, work.body) = (false, &[]);
        }
    }
    let works = &mut works[..count];
    let Some(Some(Work { state, .. })) = works.first() else { return count };
    {
        let mut together = Together::new(Mode::of(state, forced), Results::Kept(&mut kept));
        for (id, (work, stage)) in works.iter().flatten().zip(stages).enumerate() {
            let carry = &stage[..if work.head { BLOCK } else { 0 }];
            if carry.len() + work.body.len() > 0 {
                together.add_blocks(id, &work.state, carry, work.body);
            }
        }
        together.hash();
    }
    for work in works.iter_mut().flatten() {
        let state = &mut work.state;
        let head = if work.head { BLOCK } else { 0 };
        let bytes = BLOCK * state[BLOCKS] as usize + head + work.body.len();
        if head + work.body.len() > 0 {
            begin_chunk(state, counter(state) + (bytes / CHUNK) as u64);
            state[BLOCKS] = (bytes % CHUNK / BLOCK) as u32;
        }
    }
    for Kept { id, level, value } in kept.as_slice() {
        let Some(Work { state, .. }) = &mut works[*id] else { continue };
        if let Some(level) = level {
            let larger = counter(state) >> level >> 1;
            set_words(&mut state[STACK + VALUE * larger.count_ones() as usize..], value);
        } else {
            set_words(&mut state[..VALUE], value);
            state[FLAGS] = state[MODE];
        }
    }
    count
}

/// The key and the flags of every block.
fn mode_of(state: &Words) -> [u32; VALUE + 1] {
    let mut mode = [0; VALUE + 1];
    mode.copy_from_slice(&state[KEY..=MODE]);
    mode
}
