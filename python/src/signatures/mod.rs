//! Signatures by SLH-DSA.

#![forbid(unsafe_code)]

mod domain;
pub(crate) mod signing;
pub(crate) mod verifying;
