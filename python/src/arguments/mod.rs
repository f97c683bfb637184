//! Arguments that several functions have.

#![forbid(unsafe_code)]

pub(crate) mod name;
pub(crate) mod threads;
