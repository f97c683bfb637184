//! Messages in progress: a single one, many in one thread, and those of many threads.

pub(crate) mod hash;
pub(crate) mod lanes;
pub(crate) mod methods;
pub(crate) mod server;
