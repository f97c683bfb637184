//! Flags, states and errors, with the numbers in the headers.

use std::ffi::c_int;

/// The position of a piece in its message.
pub(crate) mod flag {
    use super::c_int;

    pub(crate) const UPDATE: c_int = 0;
    pub(crate) const FIRST: c_int = 1;
    pub(crate) const LAST: c_int = 2;
    pub(crate) const ENTIRE: c_int = FIRST | LAST;
}

/// The status of a context.
pub(crate) mod status {
    use super::c_int;

    /// Returned by the manager; the message is unfinished.
    pub(crate) const IDLE: c_int = 0;
    /// Held by the manager.
    pub(crate) const PROCESSING: c_int = 1;
    /// With `PROCESSING`: the piece is the last one, and some of its blocks are left to compress.
    pub(crate) const LAST: c_int = 2;
    /// The digest is available, or the context has never been submitted. With `PROCESSING`: the
    /// piece is the last one, and at most its padding is left to compress.
    pub(crate) const COMPLETE: c_int = 4;
}

/// The status of the job in a context.
pub(crate) mod job {
    use super::c_int;

    pub(crate) const BEING_PROCESSED: c_int = 1;
    pub(crate) const COMPLETED: c_int = 2;
}

/// Why a context was rejected: its member `error`.
pub(crate) mod refused {
    use super::c_int;

    pub(crate) const NONE: c_int = 0;
    pub(crate) const INVALID_FLAGS: c_int = -1;
    pub(crate) const ALREADY_PROCESSING: c_int = -2;
    pub(crate) const ALREADY_COMPLETED: c_int = -3;
}

/// Return values of the functions.
pub(crate) mod code {
    use super::c_int;

    pub(crate) const NONE: c_int = 0;
    pub(crate) const NULL_SRC: c_int = 2000;
    pub(crate) const NULL_CTX: c_int = 2002;
    pub(crate) const NULL_MGR: c_int = 2003;
    pub(crate) const INVALID_FLAGS: c_int = 2011;
    pub(crate) const ALREADY_PROCESSING: c_int = 2012;
    pub(crate) const ALREADY_COMPLETED: c_int = 2013;
    pub(crate) const SELF_TEST: c_int = 2016;
}

/// The return value for a context with this error.
pub(crate) fn code_of(error: c_int) -> c_int {
    match error {
        refused::INVALID_FLAGS => code::INVALID_FLAGS,
        refused::ALREADY_PROCESSING => code::ALREADY_PROCESSING,
        refused::ALREADY_COMPLETED => code::ALREADY_COMPLETED,
        _ => code::NONE,
    }
}
