//! The library as its users see it.

mod control;
mod functions;
mod parts;
mod source;
#[cfg(unix)]
mod swapped;
