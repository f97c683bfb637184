//! How much a server defers, and how much data makes it share lanes.

use super::function::Served;
use super::policy::{self, Policy};
use super::staging::SMALL;
use crate::kernel::MAX_LANES;

/// Options of a [`HashServer`](super::HashServer). `docs/design/server.md` says where the defaults
/// come from.
///
/// ```
/// use hashlanes::server::{HashServer, ServerOptions};
/// use hashlanes::Md5;
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

    /// The maximum memory in bytes for deferred data of all hashers together; 16 MiB by default. It
    /// is divided into buffers of [`staging`](ServerOptions::staging) bytes. If it is less than one
    /// buffer, a hasher defers at most 1 KiB.
    ///
    /// This does not include each hasher's own memory: 0.7 KiB (MD5, SHA-1, SHA-2, SM3)
    /// to 2.5 KiB (BLAKE3), and up to 2 KiB more once it has deferred a few bytes.
    #[must_use]
    pub fn memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// The maximum number of bytes deferred in one buffer, at least 2 KiB; 64 KiB by default. A
    /// hasher has at most two buffers at a time. Longer writes are never copied.
    #[must_use]
    pub fn staging(mut self, bytes: usize) -> Self {
        self.staging = bytes.max(2 * SMALL);
        self
    }

    /// The number of deferred bytes that make a message ready: enough ready messages to fill the
    /// lanes start a round. 16 KiB by default.
    #[must_use]
    pub fn ready(mut self, bytes: usize) -> Self {
        self.ready = bytes;
        self
    }

    /// Whether a write that fits a buffer is always copied to it; off by default.
    ///
    /// Otherwise, with many busy writers, a write of [`ready`](ServerOptions::ready) bytes or more
    /// is lent to the next round and waits for it, which saves the copy. With this option most such
    /// writes return in microseconds. But copying takes CPU time, and the few writes that find the
    /// buffer full wait longer. `docs/record/zen4/README.md` has figures.
    #[must_use]
    pub fn low_latency(mut self, on: bool) -> Self {
        self.low_latency = on;
        self
    }
}

/// The average number of messages in a round from which on a write that fits is lent instead of
/// deferred. A thread that yields its processor to save a copy then finds peers when it returns.
/// With fewer messages the rounds would be small.
const LEND: usize = 4;

/// The options as a server uses them, and what follows from the kernels of this CPU.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How many messages share a round.
    pub(super) policy: Policy,
    /// Cores according to the system.
    pub(super) cores: usize,
    /// Bytes of a block.
    pub(super) block: usize,
    /// The average number of messages in a round from which on writes that fit are lent.
    pub(super) lend: usize,
    /// Bytes in a buffer.
    pub(super) staging: usize,
    /// Bytes that make a message ready.
    pub(super) ready: usize,
    /// The most buffers.
    pub(super) buffers: usize,
    /// The most bytes of one write that are hashed in one round. This bounds the duration of a
    /// round, and so how long the writers of its other messages wait.
    pub(super) slice: usize,
}

impl Limits {
    #[cfg(all(test, feature = "all"))]
    pub(super) fn new<A: crate::function::Function>(
        options: ServerOptions,
        engine: crate::Engine<A>,
    ) -> Self {
        let (block, function) =
            (engine.algorithm().block_len(), super::function::served(engine.function()));
        Self::of(options, block, &*function, engine.forced())
    }

    pub(super) fn of(
        options: ServerOptions,
        block: usize,
        function: &dyn Served,
        forced: Option<usize>,
    ) -> Self {
        const { assert!(policy::MOST == MAX_LANES) };
        let costs = core::array::from_fn(|messages| match messages {
            0 => 0,
            _ => function.cycles(messages, forced),
        });
        Self {
            policy: Policy::from_costs(&costs),
            cores: std::thread::available_parallelism().map_or(usize::MAX, usize::from),
            block,
            lend: if options.low_latency { usize::MAX } else { LEND },
            staging: options.staging,
            ready: options.ready.clamp(1, options.staging),
            buffers: options.memory / options.staging,
            slice: 1 << 20,
        }
    }

    /// The most cycles that peers save when this many bytes are hashed.
    pub(super) fn saved_cycles(&self, bytes: usize) -> u64 {
        (bytes / self.block) as u64 * self.policy.saved
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;
    use crate::function::sealed::Typed;
    use crate::schedule::Tabled;
    use crate::{Engine, Md5};

    #[test]
    fn each_option_stands_beside_the_others() {
        let options = ServerOptions::new().memory(1).staging(5000).ready(3).low_latency(true);
        let all = ServerOptions { memory: 1, staging: 5000, ready: 3, low_latency: true };
        assert_eq!(options, all);
        // A buffer holds at least two small writes.
        assert_eq!(options.staging(0).staging, 2 * SMALL);
        let all = ServerOptions { memory: 16_777_216, staging: 65536, ready: 16384, ..all };
        assert_eq!(ServerOptions::new(), ServerOptions { low_latency: false, ..all });
    }

    #[test]
    fn limits_follow_from_the_options_and_from_the_costs_of_the_kernels() {
        let limits = |options| Limits::new(options, Engine::<Md5>::new());
        let options = ServerOptions::new();
        let default = limits(options);
        assert_eq!((default.staging, default.ready, default.buffers), (65536, 16384, 256));
        assert_eq!((default.block, default.slice, default.lend), (64, 1_048_576, LEND));
        assert_eq!(limits(options.low_latency(true)).lend, usize::MAX);
        assert_eq!(
            (limits(options.ready(0)).ready, limits(options.ready(1 << 20)).ready),
            (1, 65536)
        );
        assert_eq!(limits(options.memory(9999).staging(5000)).buffers, 1);
        for messages in 1..=MAX_LANES {
            let cycles = crate::kernel::cycles(Md5::RULES.table(), messages, None);
            assert_eq!(default.policy.costs[messages], cycles, "{messages}");
        }
        let policy = Policy { saved: 7, ..default.policy };
        assert_eq!(Limits { policy, ..default }.saved_cycles(64 * 100 + 63), 700);
    }
}
