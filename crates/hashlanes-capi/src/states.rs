//! The compression function, for callers that keep everything else themselves, such as bindings for
//! languages with their own memory and threads.

use std::ffi::c_void;
use std::slice;

use hashlanes::Engine;
use hashlanes::hazmat::with_md_function;

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{bytes, exclusive, guard, put};
use crate::error::{Error, hashlanes_error};
use crate::messages::with_messages;
use crate::output::Output;

/// The state of a message after some of its whole blocks. It may be copied and saved, and another
/// process may continue from it.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_state {
    /// The state words of the algorithm's standard, in its order: 4 for MD5, 5 for SHA-1, 8 for the
    /// others. Words of 32 bits are in the lower halves. The remaining bits are 0. The digest
    /// consists of the first words of the final state.
    pub words: [u64; 8],
}

/// Writes the initial state of a message.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, also for SHA-3 and its relatives, whose states are longer.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_state_begin(
    algorithm: hashlanes_algorithm,
    state: *mut hashlanes_state,
) -> hashlanes_error {
    guard(|| {
        let algorithm = crate::algorithm::algorithm(algorithm)?;
        let words = with_md_function!(algorithm, A => Engine::<A>::initial_state());
        let words = words.ok_or(Error::Algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for `state`.
        unsafe { put(state, hashlanes_state { words }) }
    })
}

/// Continues one message by `length` bytes, a multiple of the block length. This is the compression
/// function without padding. See `hashlanes_compress_many`.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_BLOCKS`, `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once, each with its own state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_compress(
    algorithm: hashlanes_algorithm,
    state: *mut hashlanes_state,
    blocks: *const c_void,
    length: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `blocks`.
        let blocks = unsafe { bytes(blocks, length) }?;
        whole_blocks(engine, blocks)?;
        memory_of(state, 1)?.is_apart_from(blocks)?;
        // SAFETY: *Memory* and *Threads* hold for `state`, which does not overlap the blocks.
        let state = unsafe { exclusive(state) }?;
        let done = with_md_function!(engine.algorithm(), A => {
            engine.typed::<A>().compress(&mut state.words, blocks);
        });
        done.ok_or(Error::Algorithm)
    })
}

/// Continues `count` messages side by side: `states[i]` by the `lengths[i]` bytes at `blocks[i]`.
/// Each length is a multiple of the block length. This is the compression function without padding,
/// for callers that keep the length and the last bytes of each message themselves. Everyone else
/// should use a manager or a server.
///
/// `blocks[i]` may be NULL if `lengths[i]` is 0. For more than 256 messages, the call allocates 16
/// bytes for each and frees them before it returns.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_BLOCKS`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, each with its own states.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_compress_many(
    algorithm: hashlanes_algorithm,
    states: *mut hashlanes_state,
    blocks: *const *const c_void,
    lengths: *const usize,
    count: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let memory = memory_of(states, count)?;
        let compress = |blocks: &[&[u8]]| {
            blocks.iter().try_for_each(|blocks| whole_blocks(engine, blocks))?;
            // SAFETY: not null, aligned, and not larger than a slice may be, as `memory_of` has
            // checked. *Memory* and *Threads* hold for `count` states, and no blocks overlap them,
            // as `with_messages` has checked.
            let states = unsafe { slice::from_raw_parts_mut(words_of(states, count), count) };
            let done = with_md_function!(engine.algorithm(), A => {
                engine.typed::<A>().compress_many(states, blocks);
            });
            done.ok_or(Error::Algorithm)
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, and for the blocks
        // that they describe.
        unsafe { with_messages(blocks, lengths, count, &memory, compress) }
    })
}

fn whole_blocks(engine: Engine, bytes: &[u8]) -> Result<(), Error> {
    let whole = bytes.len().is_multiple_of(engine.algorithm().block_len());
    if whole { Ok(()) } else { Err(Error::Blocks) }
}

/// The memory of the states, as an output that must not overlap the input.
fn memory_of(states: *mut hashlanes_state, count: usize) -> Result<Output, Error> {
    if count > 0 && !states.is_aligned() {
        return Err(Error::Misaligned);
    }
    Output::new(states.cast(), usize::MAX, count, size_of::<hashlanes_state>())
}

/// States as arrays of words, their only member. `states` may be null if `count` is 0.
fn words_of(states: *mut hashlanes_state, count: usize) -> *mut [u64; 8] {
    if count == 0 { std::ptr::dangling_mut() } else { states.cast() }
}
