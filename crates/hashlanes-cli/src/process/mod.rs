//! The process and its environment: arguments, what it inherits, signals, its allocator.

pub(crate) mod allocator;
pub(crate) mod inherited;
pub(crate) mod interrupt;
pub(crate) mod priority;
