//! Hashing of files on all cores, and their manifests.

#![forbid(unsafe_code)]

mod location;
pub(crate) mod manifest;
pub(crate) mod run;
