//! Arrays of messages from C, given as pointers and lengths, as slices.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;

use crate::border::{array, bytes};
use crate::error::Error;
use crate::output::Output;

/// The most messages whose slices are kept on the stack, where they take 4 KiB.
const FEW: usize = 256;

/// Calls `hash` with the messages, if all are valid and neither they nor the arrays overlap the
/// output.
///
/// # Safety
/// If `count` is not 0, `messages` and `lengths`, where not null, point to `count` pointers and
/// lengths, and each of these pointers that is not null to as many bytes as its length says. Nobody
/// changes any of this during the call.
#[inline]
pub(crate) unsafe fn with_messages(
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    output: &Output,
    hash: impl FnOnce(&[&[u8]]) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: `# Safety` above asks the caller for `count` pointers and lengths that nobody changes
    // during the call.
    let (messages, lengths) = unsafe { (array(messages, count)?, array(lengths, count)?) };
    output.is_apart_from(messages)?;
    output.is_apart_from(lengths)?;
    let message = |(&message, &length): (&*const c_void, &usize)| {
        // SAFETY: `# Safety` above asks the caller for as many bytes at each pointer as its length
        // says, and that nobody changes them during the call.
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
        // SAFETY: the first `count` elements have just been written.
        return hash(unsafe { slice::from_raw_parts(memory.as_ptr().cast(), count) });
    }
    let mut memory = Vec::new();
    memory.try_reserve_exact(count).map_err(|_| Error::Memory)?;
    for slice in slices {
        memory.push(slice?);
    }
    hash(&memory)
}
