//! How much a server defers, and from how much on it shares lanes.

use super::staging::SMALL;
use crate::engine::Engine;
use crate::function::HashFunction;

/// Options of a [`HashServer`](super::HashServer). The defaults are measured; see `docs/server.md`.
///
/// ```
/// use hashlanes::{HashServer, Md5, ServerOptions};
///
/// let server = HashServer::<Md5>::with_options(ServerOptions::new().memory(1 << 20));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServerOptions {
    memory: usize,
    staging: usize,
    ready: usize,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { memory: 16 << 20, staging: 64 << 10, ready: 16 << 10 }
    }
}

impl ServerOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The most memory, in bytes, for deferred data of all hashers together; 16 MiB unless set. It is divided into buffers of
    /// the size [`staging`](ServerOptions::staging); with less than one buffer nothing is deferred.
    ///
    /// What a hasher has itself, about 1.5 KiB, is not counted.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The most bytes that are deferred in one buffer, at least 2 KiB; 64 KiB unless set. A hasher has at most two buffers at
    /// a time. A longer write is never copied.
    #[must_use]
    pub fn staging(mut self, bytes: usize) -> Self {
        self.staging = bytes.max(2 * SMALL);
        self
    }

    /// From how many deferred bytes on a message counts when the lanes are to be filled; 16 KiB unless set.
    #[must_use]
    pub fn ready(mut self, bytes: usize) -> Self {
        self.ready = bytes;
        self
    }
}

/// The options as a server uses them, with what the kernels of this CPU say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Messages that fill the lanes; 1 if sharing lanes gains nothing on this CPU.
    pub(super) full: usize,
    /// Bytes in a buffer.
    pub(super) staging: usize,
    /// Bytes that make a message ready.
    pub(super) ready: usize,
    /// Buffers at most.
    pub(super) buffers: usize,
    /// Bytes of one write that are hashed in one round, at most: bounds how long a round takes, and so how long others wait
    /// whose messages are in it.
    pub(super) slice: usize,
}

impl Limits {
    pub(super) fn new<A: HashFunction>(options: ServerOptions, engine: Engine<A>) -> Self {
        Self {
            full: engine.full_set(),
            staging: options.staging,
            ready: options.ready.clamp(1, options.staging),
            buffers: options.memory / options.staging,
            slice: 1 << 20,
        }
    }
}
