//! The library as its users see it.

mod control;
mod functions;
mod source;
#[cfg(unix)]
mod swapped;
