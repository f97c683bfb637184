//! Output of any length for many messages.

use std::ffi::c_void;
use std::slice;

use hashlanes::xof::{XofAlgorithm, XofParams};

use crate::algorithm::read_environment;
use crate::border::{bytes, guard, shared};
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
/// TurboSHAKE128 (RFC 9861).
pub const HASHLANES_XOF_TURBOSHAKE128: hashlanes_xof = 3;
/// TurboSHAKE256 (RFC 9861).
pub const HASHLANES_XOF_TURBOSHAKE256: hashlanes_xof = 4;
/// KT128, a form of KangarooTwelve (RFC 9861).
pub const HASHLANES_XOF_KT128: hashlanes_xof = 5;
/// KT256, a form of KangarooTwelve (RFC 9861).
pub const HASHLANES_XOF_KT256: hashlanes_xof = 6;
/// BLAKE3.
pub const HASHLANES_XOF_BLAKE3: hashlanes_xof = 7;

/// The parameters that a function takes besides messages. Nothing is kept after a call.
///
/// | function | members |
/// |---|---|
/// | SHAKE | `customization`, `function_name`: cSHAKE (NIST SP 800-185 section 3) |
/// | SHAKE | `key`, `customization`: KMACXOF (NIST SP 800-185 section 4.3.1) |
/// | TurboSHAKE | `domain` |
/// | KT128, KT256 | `customization` |
/// | BLAKE3 | `key` of 32 bytes, or `customization`: the context to derive keys for |
#[repr(C)]
pub struct hashlanes_xof_params {
    /// A secret key, or NULL if there is none. An empty key that is not NULL counts as a key.
    pub key: *const c_void,
    /// The number of bytes of the key.
    pub key_length: usize,
    /// A string that customizes the function, or NULL.
    pub customization: *const c_void,
    /// The number of bytes of the string.
    pub customization_length: usize,
    /// The name of a function that is defined by cSHAKE, or NULL. NIST reserves it for its own
    /// functions.
    pub function_name: *const c_void,
    /// The number of bytes of the name.
    pub function_name_length: usize,
    /// The domain separation byte, from 0x01 to 0x7f, or 0 for the usual one, 0x1f.
    pub domain: u32,
}

impl hashlanes_xof_params {
    /// The parameters, if the output overwrites none of them.
    ///
    /// # Safety
    /// The strings are as long as the members say, and nobody changes them during `'a`.
    unsafe fn get<'a>(&self, output: &Output) -> Result<XofParams<'a>, Error> {
        output.is_apart_from(slice::from_ref(self))?;
        let string = |start: *const c_void, length: usize| {
            // SAFETY: `# Safety` above asks the caller for strings as long as the members say,
            // which nobody changes during `'a`.
            let string = unsafe { bytes(start, length) }?;
            output.is_apart_from(string)?;
            Ok::<_, Error>(Some(string).filter(|_| !start.is_null()))
        };
        let domain = u8::try_from(self.domain).map_err(|_| Error::Option)?;
        Ok(XofParams {
            key: string(self.key, self.key_length)?,
            customization: string(self.customization, self.customization_length)?,
            function_name: string(self.function_name, self.function_name_length)?,
            domain: Some(domain).filter(|&domain| domain != 0),
        })
    }
}

/// The outputs whose places are listed at the same time, on the stack.
const AT_ONCE: usize = 256;

/// Like `hashlanes_digest_many`, but writes the first `output_length` bytes of an extendable-output
/// function for each message. `params` may be NULL if the function has only messages.
///
/// The call uses up to 192 KiB of stack.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_OPTION` (the function does not take a
/// parameter, or not with this value or length), `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`
/// (also with a parameter), `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_xof_many(
    xof: hashlanes_xof,
    params: *const hashlanes_xof_params,
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
        let params = if params.is_null() {
            XofParams::new()
        } else {
            // SAFETY: *Memory* and *Threads* hold for the parameters and their strings.
            unsafe { shared(params)?.get(&output) }?
        };
        let xof = xof.with_params(&params).map_err(|_| Error::Option)?;
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
