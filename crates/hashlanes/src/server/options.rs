//! How much a server defers, and from how much on it shares lanes.

use super::policy::{self, Policy};
use super::staging::SMALL;
use crate::api::engine::Engine;
use crate::function::HashFunction;
use crate::kernel::{self, MAX_LANES};

/// Options of a [`HashServer`](super::HashServer). `docs/design/server.md` says where the defaults
/// come from.
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
    low_latency: bool,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self { memory: 16 << 20, staging: 64 << 10, ready: 16 << 10, low_latency: false }
    }
}

impl ServerOptions {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The most memory, in bytes, for deferred data of all hashers together; 16 MiB unless set. It
    /// is divided into buffers of the size [`staging`](ServerOptions::staging). With less than one
    /// buffer, a hasher defers 1 KiB at most.
    ///
    /// What a hasher has itself, about 1.5 KiB, is not counted.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The most bytes that are deferred in one buffer, at least 2 KiB; 64 KiB unless set. A hasher
    /// has at most two buffers at a time. A longer write is never copied.
    #[must_use]
    pub fn staging(mut self, bytes: usize) -> Self {
        self.staging = bytes.max(2 * SMALL);
        self
    }

    /// From how many deferred bytes on a message counts when the lanes are to be filled; 16 KiB
    /// unless set.
    #[must_use]
    pub fn ready(mut self, bytes: usize) -> Self {
        self.ready = bytes;
        self
    }

    /// Whether a write that fits a buffer is always copied to it; not unless set.
    ///
    /// With many busy writers, a write of [`ready`](ServerOptions::ready) bytes or more is
    /// otherwise lent to the next round, which saves the copy, and waits for it. With this option
    /// most such writes return in microseconds. But a copy takes CPU time, and the few writes that
    /// find the buffer full wait longer. `docs/record/zen4/server.md` has figures.
    #[must_use]
    pub fn low_latency(mut self, on: bool) -> Self {
        self.low_latency = on;
        self
    }
}

/// Messages of a round, on average, from which on a write that fits is lent and not deferred. So
/// many threads are at work then that one which gives its processor away, to save a copy, comes
/// back to company. With fewer messages the rounds would be small.
const LEND: usize = 4;

/// The options as a server uses them, with what the kernels of this CPU say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many messages share a round.
    pub(super) policy: Policy,
    /// Cores that the system says there are.
    pub(super) cores: usize,
    /// Bytes of a block.
    pub(super) block: usize,
    /// Messages of a round, on average, from which on writes that fit are lent.
    pub(super) lend: usize,
    /// Bytes in a buffer.
    pub(super) staging: usize,
    /// Bytes that make a message ready.
    pub(super) ready: usize,
    /// Buffers at most.
    pub(super) buffers: usize,
    /// The most bytes of one write that are hashed in one round. This bounds how long a round
    /// takes, and so how long others wait whose messages are in it.
    pub(super) slice: usize,
}

impl Limits {
    pub(super) fn new<A: HashFunction>(options: ServerOptions, engine: Engine<A>) -> Self {
        const { assert!(policy::MOST == MAX_LANES) };
        let costs = core::array::from_fn(|messages| match messages {
            0 => 0,
            _ => kernel::cycles::<A::Family>(messages, engine.forced()),
        });
        Self {
            policy: Policy::from_costs(&costs),
            cores: std::thread::available_parallelism().map_or(usize::MAX, usize::from),
            block: A::ALGORITHM.block_len(),
            lend: if options.low_latency { usize::MAX } else { LEND },
            staging: options.staging,
            ready: options.ready.clamp(1, options.staging),
            buffers: options.memory / options.staging,
            slice: 1 << 20,
        }
    }

    /// The most cycles that company saves when so many bytes are hashed.
    pub(super) fn saved_cycles(&self, bytes: usize) -> u64 {
        (bytes / self.block) as u64 * self.policy.saved
    }
}
