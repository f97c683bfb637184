//! Error codes and their texts.

use std::ffi::{CStr, c_char};

/// What a function returns: `HASHLANES_OK`, or the reason why it did nothing.
pub type hashlanes_error = i32;

/// Success.
pub const HASHLANES_OK: hashlanes_error = 0;
/// A required pointer is NULL.
pub const HASHLANES_ERROR_NULL: hashlanes_error = 1;
/// A pointer is not aligned for what it points to. Pointers to bytes need no alignment.
pub const HASHLANES_ERROR_MISALIGNED: hashlanes_error = 2;
/// A length, or an array of the given number of elements, is larger than the address space.
pub const HASHLANES_ERROR_OVERFLOW: hashlanes_error = 3;
/// No algorithm has this number or name.
pub const HASHLANES_ERROR_ALGORITHM: hashlanes_error = 4;
/// The algorithm has no kernel of this name.
pub const HASHLANES_ERROR_KERNEL: hashlanes_error = 5;
/// The CPU or the operating system lacks a feature that the kernel needs.
pub const HASHLANES_ERROR_UNSUPPORTED: hashlanes_error = 6;
/// The output buffer is too small.
pub const HASHLANES_ERROR_SIZE: hashlanes_error = 7;
/// The output buffer overlaps the input.
pub const HASHLANES_ERROR_OVERLAP: hashlanes_error = 8;
/// The chunk length is 0.
pub const HASHLANES_ERROR_CHUNK: hashlanes_error = 9;
/// An index is out of range.
pub const HASHLANES_ERROR_INDEX: hashlanes_error = 10;
/// A key belongs to an algorithm other than that of the object or of the other keys in the call, or
/// its length is not that of its parameter set.
pub const HASHLANES_ERROR_KEY: hashlanes_error = 11;
/// The MAC or the signature does not match the message.
pub const HASHLANES_ERROR_MISMATCH: hashlanes_error = 12;
/// The job is not valid: it was already used, or never issued.
pub const HASHLANES_ERROR_JOB: hashlanes_error = 13;
/// An option has an invalid value.
pub const HASHLANES_ERROR_OPTION: hashlanes_error = 14;
/// Out of memory.
pub const HASHLANES_ERROR_MEMORY: hashlanes_error = 15;
/// A bug in the library. Destroy the object that was used.
pub const HASHLANES_ERROR_INTERNAL: hashlanes_error = 16;
/// A length is not a multiple of the block length.
pub const HASHLANES_ERROR_BLOCKS: hashlanes_error = 17;
/// The private key is damaged, or its use was disturbed.
pub const HASHLANES_ERROR_FAULT: hashlanes_error = 18;
/// The bytes are not a saved state, are damaged, or are of a later version.
pub const HASHLANES_ERROR_STATE: hashlanes_error = 19;
/// A kernel does not give the known digests.
pub const HASHLANES_ERROR_SELF_TEST: hashlanes_error = 20;

/// The reason why a call did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub(crate) enum Error {
    Null = HASHLANES_ERROR_NULL,
    Misaligned = HASHLANES_ERROR_MISALIGNED,
    Overflow = HASHLANES_ERROR_OVERFLOW,
    Algorithm = HASHLANES_ERROR_ALGORITHM,
    Kernel = HASHLANES_ERROR_KERNEL,
    Unsupported = HASHLANES_ERROR_UNSUPPORTED,
    Size = HASHLANES_ERROR_SIZE,
    Overlap = HASHLANES_ERROR_OVERLAP,
    Chunk = HASHLANES_ERROR_CHUNK,
    Index = HASHLANES_ERROR_INDEX,
    Key = HASHLANES_ERROR_KEY,
    Mismatch = HASHLANES_ERROR_MISMATCH,
    Job = HASHLANES_ERROR_JOB,
    Option = HASHLANES_ERROR_OPTION,
    Memory = HASHLANES_ERROR_MEMORY,
    Internal = HASHLANES_ERROR_INTERNAL,
    Blocks = HASHLANES_ERROR_BLOCKS,
    Fault = HASHLANES_ERROR_FAULT,
    State = HASHLANES_ERROR_STATE,
    SelfTest = HASHLANES_ERROR_SELF_TEST,
}

impl Error {
    pub(crate) fn code(self) -> hashlanes_error {
        self as hashlanes_error
    }
}

/// The text of a code, in English and without a full stop. The text for an unknown code says that
/// it is unknown.
///
/// Never NULL. The string is valid as long as the library is loaded.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_error_text(code: hashlanes_error) -> *const c_char {
    text(code).as_ptr()
}

fn text(code: hashlanes_error) -> &'static CStr {
    match code {
        HASHLANES_OK => c"no error",
        HASHLANES_ERROR_NULL => c"a required pointer is NULL",
        HASHLANES_ERROR_MISALIGNED => c"a pointer is not aligned for what it points to",
        HASHLANES_ERROR_OVERFLOW => c"a length is larger than the address space",
        HASHLANES_ERROR_ALGORITHM => c"no algorithm has this number or name",
        HASHLANES_ERROR_KERNEL => c"the algorithm has no kernel of this name",
        HASHLANES_ERROR_UNSUPPORTED => {
            c"the CPU or the system lacks a feature that the kernel needs"
        }
        HASHLANES_ERROR_SIZE => c"the output buffer is too small",
        HASHLANES_ERROR_OVERLAP => c"the output buffer overlaps the input",
        HASHLANES_ERROR_CHUNK => c"a chunk must have at least one byte",
        HASHLANES_ERROR_INDEX => c"an index is out of range",
        HASHLANES_ERROR_KEY => c"a key belongs to another algorithm, or has a wrong length",
        HASHLANES_ERROR_MISMATCH => c"the MAC or the signature does not match the message",
        HASHLANES_ERROR_JOB => c"the job was already used, or never issued",
        HASHLANES_ERROR_OPTION => c"an option has an invalid value",
        HASHLANES_ERROR_MEMORY => c"out of memory",
        HASHLANES_ERROR_INTERNAL => c"internal error: a bug in the library",
        HASHLANES_ERROR_BLOCKS => c"a length is not a multiple of the block length",
        HASHLANES_ERROR_FAULT => c"the private key is damaged, or its use was disturbed",
        HASHLANES_ERROR_STATE => c"not a saved state, or damaged, or of a later version",
        HASHLANES_ERROR_SELF_TEST => c"a kernel does not give the known digests",
        _ => c"not an error code of hashlanes",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_text_of_its_own() {
        let unknown = text(-1);
        let texts: Vec<_> = (0..=Error::SelfTest.code()).map(text).collect();
        for (code, text) in texts.iter().enumerate() {
            assert_ne!(*text, unknown, "{code}");
            assert!(!texts[..code].contains(text), "{code}");
        }
        assert_eq!(super::text(Error::SelfTest.code() + 1), unknown);
    }
}
