//! The state of one message, written down and continued.

use hashlanes::hazmat::wipe;
use hashlanes::{Hasher, MAX_SAVED, SavedStateError};

use crate::border::{bytes, guard, hand_over, put, shared};
use crate::error::{Error, hashlanes_error};
use crate::hasher::hashlanes_hasher;
use crate::hmac::hashlanes_hmac_key;
use crate::output::Output;

/// The most bytes of a saved state.
pub const HASHLANES_MAX_STATE_LENGTH: usize = 2048;

const _: () = assert!(HASHLANES_MAX_STATE_LENGTH == MAX_SAVED);

/// Writes the state of the message so far to `state`, which has room for `size` bytes, and its
/// length in bytes to `*length`. `hashlanes_hasher_restore` continues the message: in another
/// process, in a later version, on another CPU, or in another language. `size` should be
/// `HASHLANES_MAX_STATE_LENGTH`, which always suffices.
///
/// A key for HMAC is not saved. Keep the state as secret as the message: anyone who has it can
/// extend the message and read the last bytes of it.
///
/// Errors: `HASHLANES_ERROR_SIZE`; then `*length` is the number of bytes that are needed.
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, as long as none changes the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_save(
    hasher: *const hashlanes_hasher,
    state: *mut u8,
    size: usize,
    length: *mut usize,
) -> hashlanes_error {
    guard(|| {
        let mut saved = Vec::new();
        saved.try_reserve_exact(MAX_SAVED).map_err(|_| Error::Memory)?;
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let hasher = unsafe { shared(hasher) }?;
        hasher.save_to(&mut saved).map_err(|_| Error::Key)?;
        let copy = || {
            // SAFETY: *Memory* and *Threads* hold for `length`.
            unsafe { put(length, saved.len()) }?;
            let output = Output::new(state, size, 1, saved.len())?;
            // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `state`.
            unsafe { output.bytes() }.copy_from_slice(&saved);
            Ok(())
        };
        let result = copy();
        // It has bytes of the message.
        wipe::clear(&mut saved);
        result
    })
}

/// Creates a hasher that continues the message of a saved state of `length` bytes, which are not
/// needed after the call. If the message is under a key for HMAC, `key` is that key; otherwise it
/// is NULL. A prefix counts as a part of the message, and later messages of the hasher have none.
///
/// On an error, `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_STATE`; `HASHLANES_ERROR_KEY`, if a key is needed, or not needed, or is
/// of another algorithm; `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_hasher_restore(
    state: *const u8,
    length: usize,
    key: *const hashlanes_hmac_key,
    hasher: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    let make = || {
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `state`.
        let saved = unsafe { bytes(state.cast(), length) }?;
        let failed = |error: SavedStateError| {
            if error.needs_other_key() { Error::Key } else { Error::State }
        };
        if key.is_null() {
            return Ok(hashlanes_hasher::restored(Hasher::restore(saved).map_err(failed)?));
        }
        // SAFETY: *Life* and *Threads* hold for `key`.
        let key = unsafe { shared(key) }?;
        Ok(key.restore(saved).map_err(failed)?.into())
    };
    // SAFETY: *Memory* and *Threads* hold for `hasher`, which has room for a pointer.
    guard(|| unsafe { hand_over(hasher, make) })
}
