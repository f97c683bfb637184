//! Output of any length for many messages.

use std::ffi::c_void;

use hashlanes::XofAlgorithm;

use crate::algorithm::read_environment;
use crate::border::guard;
use crate::digest::hash_many;
use crate::error::{Error, hashlanes_error};
use crate::output::Output;

/// An extendable-output function: one of the constants such as `HASHLANES_XOF_SHAKE128`.
///
/// Any number may be passed. An unknown one is an error.
pub type hashlanes_xof = u32;

/// SHAKE128 (FIPS 202).
pub const HASHLANES_XOF_SHAKE128: hashlanes_xof = 1;
/// SHAKE256 (FIPS 202).
pub const HASHLANES_XOF_SHAKE256: hashlanes_xof = 2;
/// TurboSHAKE128 (RFC 9861) with the domain separation byte 0x1f.
pub const HASHLANES_XOF_TURBOSHAKE128: hashlanes_xof = 3;
/// TurboSHAKE256 (RFC 9861) with the domain separation byte 0x1f.
pub const HASHLANES_XOF_TURBOSHAKE256: hashlanes_xof = 4;
/// KT128, a form of KangarooTwelve (RFC 9861), without a customization string.
pub const HASHLANES_XOF_KT128: hashlanes_xof = 5;
/// KT256, a form of KangarooTwelve (RFC 9861), without a customization string.
pub const HASHLANES_XOF_KT256: hashlanes_xof = 6;
/// BLAKE3.
pub const HASHLANES_XOF_BLAKE3: hashlanes_xof = 7;

/// The outputs whose places are listed at the same time, on the stack.
const AT_ONCE: usize = 256;

/// Like `hashlanes_digest_many`, but writes the first `output_length` bytes of an extendable-output
/// function for each message.
///
/// It uses about 32 KiB more of stack.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_xof_many(
    xof: hashlanes_xof,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    outputs: *mut u8,
    output_length: usize,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let place = (xof as usize).checked_sub(1).ok_or(Error::Algorithm)?;
        let xof = *XofAlgorithm::ALL.get(place).ok_or(Error::Algorithm)?;
        read_environment()?;
        let output = Output::new(outputs, size, count, output_length)?;
        let fill = |messages: &[&[u8]], output: &mut [u8]| {
            let mut places = output.chunks_exact_mut(output_length.max(1));
            for messages in messages.chunks(AT_ONCE) {
                let mut now: [&mut [u8]; AT_ONCE] =
                    std::array::from_fn(|_| places.next().unwrap_or_default());
                xof.output_many(messages, &mut now[..messages.len()]);
            }
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `size` bytes of the output.
        unsafe { hash_many(messages, lengths, count, output, fill) }
    })
}
