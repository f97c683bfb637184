//! Flags, states and errors, as the headers number them.

use std::ffi::c_int;

/// What a piece is to its message.
pub(crate) mod flag {
    use super::c_int;

    pub(crate) const UPDATE: c_int = 0;
    pub(crate) const FIRST: c_int = 1;
    pub(crate) const LAST: c_int = 2;
    pub(crate) const ENTIRE: c_int = FIRST | LAST;
}

/// What a context is doing.
pub(crate) mod status {
    use super::c_int;

    /// The manager has given it back, and its message goes on.
    pub(crate) const IDLE: c_int = 0;
    /// The manager has it.
    pub(crate) const PROCESSING: c_int = 1;
    /// Together with `PROCESSING`: its piece is the last one, and blocks of it are to come.
    pub(crate) const LAST: c_int = 2;
    /// Its digest is there, or it has never been submitted. Together with `PROCESSING`: its piece
    /// is the last one, and at most the padding is to come.
    pub(crate) const COMPLETE: c_int = 4;
}

/// What a job in a context is doing.
pub(crate) mod job {
    use super::c_int;

    pub(crate) const BEING_PROCESSED: c_int = 1;
    pub(crate) const COMPLETED: c_int = 2;
}

/// Why a context was refused: its member `error`.
pub(crate) mod refused {
    use super::c_int;

    pub(crate) const NONE: c_int = 0;
    pub(crate) const INVALID_FLAGS: c_int = -1;
    pub(crate) const ALREADY_PROCESSING: c_int = -2;
    pub(crate) const ALREADY_COMPLETED: c_int = -3;
}

/// What the functions return.
pub(crate) mod code {
    use super::c_int;

    pub(crate) const NONE: c_int = 0;
    pub(crate) const NULL_SRC: c_int = 2000;
    pub(crate) const NULL_CTX: c_int = 2002;
    pub(crate) const NULL_MGR: c_int = 2003;
    pub(crate) const INVALID_FLAGS: c_int = 2011;
    pub(crate) const ALREADY_PROCESSING: c_int = 2012;
    pub(crate) const ALREADY_COMPLETED: c_int = 2013;
    pub(crate) const FIPS_DISABLED: c_int = 2023;
}

/// The code for a context with this error.
pub(crate) fn code_of(error: c_int) -> c_int {
    match error {
        refused::INVALID_FLAGS => code::INVALID_FLAGS,
        refused::ALREADY_PROCESSING => code::ALREADY_PROCESSING,
        refused::ALREADY_COMPLETED => code::ALREADY_COMPLETED,
        _ => code::NONE,
    }
}
