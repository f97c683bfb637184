//! Messages from Python, read safely even while other threads change them.

pub(crate) mod copy;
pub(crate) mod input;
pub(crate) mod piece;
pub(crate) mod rows;
