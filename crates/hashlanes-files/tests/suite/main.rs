//! The library as its users see it.

mod control;
mod functions;
#[cfg(unix)]
mod swapped;
