//! Messages from C: an array of pointers and one of lengths, turned into slices.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use crate::border::{array, bytes};
use crate::error::Error;
use crate::output::Output;

/// The most messages whose slices are on the stack, where they take 4 KiB.
const FEW: usize = 256;

/// Calls `hash` with the messages, if all are valid and none overlaps the output.
///
/// # Safety
/// If `count` is not 0, pointers that are not null point to `count` pointers and lengths, and each
/// of these that is not null to as many bytes. Nobody changes any of it during the call.
#[inline]
pub(crate) unsafe fn with_messages(
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    output: &Output,
    hash: impl FnOnce(&[&[u8]]) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: the caller promises `count` pointers and lengths that nobody changes during the call.
    let (messages, lengths) = unsafe { (array(messages, count)?, array(lengths, count)?) };
    let message = |(&message, &length): (&*const c_void, &usize)| {
        // SAFETY: the caller promises as many bytes at each pointer as its length says, which
        // nobody changes during the call.
        let message = unsafe { bytes(message, length) }?;
        output.is_apart_from(message)?;
        Ok(message)
    };
    let slices = messages.iter().zip(lengths).map(message);
    if count <= FEW {
        let mut memory = [const { MaybeUninit::<&[u8]>::uninit() }; FEW];
        for (place, slice) in memory.iter_mut().zip(slices) {
            place.write(slice?);
        }
        // SAFETY: the first `count` places have just been written.
        return hash(unsafe { slice::from_raw_parts(memory.as_ptr().cast(), count) });
    }
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).map_err(|_| Error::Memory)?;
    for slice in slices {
        memory.push(slice?);
    }
    hash(&memory)
}
