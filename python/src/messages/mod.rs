//! Messages as they come from Python: how to read what others may change meanwhile.

pub(crate) mod copy;
pub(crate) mod input;
pub(crate) mod piece;
