//! How much a server defers, and from how much on it shares lanes.

use super::staging::SMALL;
use crate::api::engine::Engine;
use crate::function::HashFunction;
use crate::kernel::{self, MAX_LANES};

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
}

/// Messages of a round, on average, from which on a write that fits is lent and not deferred. So
/// many threads are at work then that one which gives its processor away, to save a copy, comes
/// back to company. With fewer messages the rounds would be small.
const LEND: usize = 4;

/// The fewest messages for which a round is started that nobody needs yet.
const MIN_BATCH: usize = 8;

/// The options as a server uses them, with what the kernels of this CPU say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Messages that make the best of the lanes; 1 if sharing lanes gains nothing on this CPU.
    pub(super) full: usize,
    /// The fewest messages that are hashed in a round and not one after the other.
    pub(super) worth: usize,
    /// Cycles that full lanes save for each block.
    pub(super) saved: u64,
    /// Bytes of a block.
    pub(super) block: usize,
    /// The most messages in one round. As many ready ones start a round.
    pub(super) batch: usize,
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
        let cycles = |messages| kernel::cycles::<A::Family>(messages, engine.forced());
        let (full, worth) = full_and_worth(cycles);
        let saved = cycles(1).saturating_sub(cycles(full) / full as u64);
        Self {
            full,
            worth,
            saved,
            block: A::ALGORITHM.block_len(),
            // More messages than lanes keep few lanes full when lengths differ, and share the cost
            // of a round.
            batch: full * MIN_BATCH.div_ceil(full),
            lend: LEND,
            staging: options.staging,
            ready: options.ready.clamp(1, options.staging),
            buffers: options.memory / options.staging,
            slice: 1 << 20,
        }
    }

    /// How many of so many messages make the best round: as many as fill the lanes entirely, once
    /// or several times.
    pub(super) fn round(&self, messages: usize) -> usize {
        let messages = messages.min(self.batch);
        if messages > self.full { messages - messages % self.full } else { messages }
    }

    /// The most cycles that company saves when so many bytes are hashed.
    pub(super) fn saved_cycles(&self, bytes: usize) -> u64 {
        (bytes / self.block) as u64 * self.saved
    }
}

/// How many messages make the best of the lanes, and how few are worth a round.
///
/// The first number costs at most a twentieth more for each message than the best one. The second
/// is the smallest that takes at least a fifth less side by side than one after the other. They are
/// (1, usize::MAX) if no number does.
fn full_and_worth(cycles: impl Fn(usize) -> u64) -> (usize, usize) {
    let alone = cycles(1);
    let is_worth = |messages: &usize| cycles(*messages) * 5 <= alone * *messages as u64 * 4;
    let Some(worth) = (2..=MAX_LANES).find(is_worth) else { return (1, usize::MAX) };
    // Per message, in units small enough for whole numbers.
    let each = |messages: usize| cycles(messages) * 1000 / messages as u64;
    let least = (1..=MAX_LANES).map(each).min().unwrap_or(0);
    let full =
        (worth..=MAX_LANES).find(|&messages| each(messages) <= least + least / 20).unwrap_or(worth);
    (full, worth)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_round_fills_the_lanes_or_is_all_there_is() {
        let limits = Limits::new(ServerOptions::new(), Engine::<crate::Sha512>::new());
        for full in [1, 2, 4, 8, 16] {
            let limits = Limits { full, batch: 16, ..limits };
            for messages in 1..40 {
                let round = limits.round(messages);
                assert!(round >= 1 && round <= messages.min(16));
                assert!(round == messages || round.is_multiple_of(full));
                assert!(messages.min(16) - round < full);
            }
        }
    }

    #[test]
    fn full_lanes_and_the_fewest_worth_a_round_follow_the_costs() {
        // One lane at 320 cycles, eight at 440, sixteen at 520.
        let wide = |messages: usize| {
            (messages as u64 * 320)
                .min(440 * messages.div_ceil(8) as u64)
                .min(520 * messages.div_ceil(16) as u64)
        };
        assert_eq!(full_and_worth(wide), (16, 2));
        // Two streams in little more than the time of one.
        assert_eq!(
            full_and_worth(
                |messages| (133 * messages as u64).min(140 * messages.div_ceil(2) as u64)
            ),
            (2, 2)
        );
        // Two are not much faster side by side, four are.
        assert_eq!(
            full_and_worth(
                |messages| (800 * messages as u64).min(1400 * messages.div_ceil(4) as u64)
            ),
            (4, 3)
        );
        // Nothing to gain.
        assert_eq!(full_and_worth(|messages| 100 * messages as u64), (1, usize::MAX));
    }
}
