//! Arguments that several functions share.

#![forbid(unsafe_code)]

pub(crate) mod name;
pub(crate) mod threads;
