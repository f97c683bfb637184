//! The libraries for C: built, described to other builds, and installed.

pub mod describe;
pub mod install;
pub mod library;
