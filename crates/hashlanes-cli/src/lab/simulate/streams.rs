//! The streams of one consumer's producers, hashed through a server or one by one.

use hashlanes::server::{HashServer, ServerHasher};
use hashlanes::{AnyDigest, Engine, Hashers};

use super::plan::Plan;

/// The streams of a consumer's producers.
pub(super) trait Streams {
    /// Appends some of the bytes of `rest` to the producers' streams, in order, and removes them
    /// from `rest`.
    fn update(&mut self, rest: &mut Vec<(usize, &[u8])>);

    fn finalize(&mut self, producer: usize) -> AnyDigest;
}

/// Streams that are hashed through a server.
pub(super) struct Served {
    hashers: Vec<ServerHasher>,
}

impl Served {
    /// Length of a write. One thread drives many streams, so a write must be short enough to be
    /// deferred. It then shares lanes with the writes to other streams.
    const WRITE: usize = 32 << 10;

    pub(super) fn new(server: &HashServer, plan: &Plan) -> Self {
        Self { hashers: (0..plan.producers).map(|_| server.hasher()).collect() }
    }
}

impl Streams for Served {
    fn update(&mut self, rest: &mut Vec<(usize, &[u8])>) {
        // A second chunk of the same stream waits until the first one is done.
        let mut written = vec![false; self.hashers.len()];
        rest.retain_mut(|(producer, bytes)| {
            if !std::mem::replace(&mut written[*producer], true) {
                let (now, later) = bytes.split_at(bytes.len().min(Self::WRITE));
                self.hashers[*producer].update(now);
                *bytes = later;
            }
            !bytes.is_empty()
        });
    }

    fn finalize(&mut self, producer: usize) -> AnyDigest {
        self.hashers[producer].finalize_reset()
    }
}

/// Streams that are hashed one by one, by single-message code.
pub(super) struct Plain {
    hashers: Vec<Hashers>,
}

impl Plain {
    pub(super) fn new(engine: &Engine, plan: &Plan) -> Self {
        Self { hashers: (0..plan.producers).map(|_| engine.hashers(1)).collect() }
    }
}

impl Streams for Plain {
    fn update(&mut self, rest: &mut Vec<(usize, &[u8])>) {
        for (producer, bytes) in rest.drain(..) {
            self.hashers[producer].update(&[bytes]);
        }
    }

    fn finalize(&mut self, producer: usize) -> AnyDigest {
        self.hashers[producer].finalize_reset(0)
    }
}
