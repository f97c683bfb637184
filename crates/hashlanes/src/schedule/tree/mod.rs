//! BLAKE3, whose messages are trees: the chunks and the parents of one message, or of many, are
//! nodes that kernels compress side by side.
//!
//! | file | what |
//! |---|---|
//! | `lanes.rs` | nodes in the lanes of kernels |
//! | `nodes.rs` | the values of chunks and parents |
//! | `level.rs` | the values of one level of trees |
//! | `together.rs` | messages of few chunks, whose nodes are computed together |
//! | `side.rs` | pieces of several messages side by side |
//! | `pieces.rs` | a message in pieces: its state, and what is appended to it |
//! | `roots.rs` | output of any length |

mod lanes;
mod level;
mod nodes;
#[forbid(unsafe_code)]
mod pieces;
mod roots;
mod side;
mod together;

use level::{Level, LevelMemory, SUBTREE};
use nodes::{Mode, Run, Value, Words, hash_one, value_of};
use pieces::finish_with;
pub(super) use pieces::{compress, digest_of_stream, finish_stream, root_of_chunk, update};
pub(super) use roots::{Root, squeeze};
pub(super) use side::run;
use together::{Results, Together};

use crate::family::blake3::{Blake3Family, CHUNK, counter};
use crate::schedule::batch::Batch;
use crate::schedule::batch::output::Output;
use crate::schedule::choose::policy::FEW;
use crate::schedule::choose::{counted, first_in_step, hash_many_of_one_block};
use crate::schedule::stream::Stream;
use crate::schedule::stream::midstate::Midstate;
use crate::schedule::stream::squeeze::Sponges;
use crate::wipe::Wiped;

/// Messages of up to this many bytes, with those before them, are copied behind these: there is
/// room for a group.
const COPIED: usize = 256;

/// Writes the digests of many messages.
pub(super) fn hash_many(batch: &Batch<'_, '_, Blake3Family>, output: &mut Output<'_>) {
    let count = counted(batch, output);
    let Midstate { carry, length, .. } = batch.before;
    let most = match carry.len() {
        0 => CHUNK,
        carried => COPIED - carried,
    };
    // The lanes begin with the first block.
    let each = batch.states.is_some() || batch.carries.is_some();
    let begin = !each && length == carry.len() as u128;
    if begin && count > 1 && batch.messages.bounds(0).1 <= most {
        return if count > FEW {
            hash_many_of_one_block(batch, output)
        } else {
            first_in_step(batch, output);
        };
    }
    hash_together(batch, Results::Digests(output));
}

/// Absorbs many messages, and replaces the root of each. Only the roots are not compressed.
pub(super) fn absorb(batch: &Batch<'_, '_, Blake3Family>, roots: &mut dyn Sponges<Blake3Family>) {
    hash_together(batch, Results::Roots(roots));
}

/// Hashes messages of few chunks together, and the others one after the other, as each fills the
/// lanes. What is hashed alone leaves a final state, which remembers the root if there is a subtree
/// before the last one.
fn hash_together(batch: &Batch<'_, '_, Blake3Family>, results: Results<'_, '_>) {
    let Midstate { state, carry, length, .. } = batch.before;
    let mut after;
    let mut before = batch.before;
    let each = batch.states.is_some() || batch.carries.is_some();
    if !each && length > 0 && length.is_multiple_of(CHUNK as u128) {
        // The last chunk before the messages is complete, unless one is empty.
        after = Wiped(*state);
        compress(&mut after, carry, batch.forced);
        before = Midstate { state: &*after, carry: &[], ..before };
    }
    let mut together = Together::new(Mode::of(state, batch.forced), results);
    for i in 0..batch.count() {
        let message = batch.messages.message(i);
        let own = each.then(|| batch.before(i));
        if !together.add(i, own.as_ref().unwrap_or(&before), message) {
            let state = hash_alone(&batch.before(i), message, batch.forced);
            together.results.put_state(i, &state);
        }
    }
    together.hash();
}

/// The digest of the message that consists of the bytes of `before` followed by `message`.
pub(super) fn digest_alone(
    before: &Midstate<'_, Blake3Family>,
    message: &[u8],
    forced: Option<usize>,
) -> Value {
    if before.length == 0 && message.len() <= SUBTREE * CHUNK {
        // Without a copy of the state, which has 2 KiB.
        return hash_subtree(before.state, message, true, forced);
    }
    value_of(&hash_alone(before, message, forced))
}

/// The final state of the message that consists of the bytes of `before` followed by `message`.
pub(super) fn hash_alone(
    before: &Midstate<'_, Blake3Family>,
    message: &[u8],
    forced: Option<usize>,
) -> Words {
    if before.length == 0 && message.len() > CHUNK {
        let mut state = *before.state;
        hash_tree(&mut state, message, forced);
        return state;
    }
    let whole = before.without_carry();
    let mut stream = Stream::resume(Blake3Family, *whole.state, whole.length);
    stream.keep(before.carry);
    stream.update_with(message, |state, bytes, held| update(state, bytes, held, forced));
    finish_stream(&stream, forced)
}

/// Hashes a message of several chunks from its initial state.
fn hash_tree(state: &mut Words, message: &[u8], forced: Option<usize>) {
    let last = (message.len() - 1) / (SUBTREE * CHUNK) * (SUBTREE * CHUNK);
    let (whole, last) = message.split_at(last);
    compress(state, whole, forced);
    let value = hash_subtree(state, last, whole.is_empty(), forced);
    finish_with(state, value, forced);
}

/// The value of the next chunks of a message, at most `SUBTREE`. They are all chunks of it if
/// `is_whole`.
fn hash_subtree(state: &Words, bytes: &[u8], is_whole: bool, forced: Option<usize>) -> Value {
    // Two modes, of which neither is copied in memory: a copy would read the padding after the
    // flags, and wait until these are in the cache.
    let mode = || Mode::of(state, forced);
    if bytes.len() <= CHUNK {
        return hash_one(&mode().chunks(), &Run::chunk(bytes, counter(state), is_whole, 0));
    }
    hash_chunks(mode(), bytes, counter(state), is_whole)
}

/// [`hash_subtree`] of several chunks, the first of which has number `counter`.
#[inline(never)]
fn hash_chunks(mode: Mode<'_>, bytes: &[u8], counter: u64, is_whole: bool) -> Value {
    let mut memory = LevelMemory::new();
    let mut level = Level::of_chunks(&mut memory, mode, bytes, counter);
    while level.count() > 1 {
        level.ascend(mode, is_whole && level.count() == 2);
    }
    level.pop()
}
