//! The trait of all engines.

use std::hint::black_box;
use std::time::Duration;

use anyhow::{Result, bail};
use hashlanes::Algorithm;
use hashlanes_measure::clock;

/// The algorithms that can be compared.
pub(crate) const ALGORITHMS: [Algorithm; 10] = [
    Algorithm::Md5,
    Algorithm::Sha1,
    Algorithm::Sha256,
    Algorithm::Sha512,
    Algorithm::Sha3_256,
    Algorithm::Keccak256,
    Algorithm::Blake2b512,
    Algorithm::Blake2s256,
    Algorithm::Blake3,
    Algorithm::Sha256d,
];

/// Those that are compared unless others are asked for, in the order of engine.h.
pub(crate) const USUAL: &[Algorithm] = ALGORITHMS.split_at(4).0;

/// An implementation of hash functions. This program's README explains how to add one.
pub(crate) trait Engine {
    /// The name in tables and charts.
    fn name(&self) -> &str;

    /// The version, as reported by the engine itself.
    fn version(&self) -> &str;

    /// Whether it supports the algorithm.
    fn supports(&self, algorithm: Algorithm) -> bool;

    /// Hashes messages and writes their digests, concatenated, to `digests`, which has exactly the
    /// length of all digests.
    fn hash(&mut self, algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()>;

    /// Whether it has a function for hash chains.
    fn has_chains(&self, _: Algorithm) -> bool {
        false
    }

    /// Replaces each of the concatenated digests by its own digest, `links` times.
    fn chain(&mut self, algorithm: Algorithm, _digests: &mut [u8], _links: u64) -> Result<()> {
        bail!("no chains of {algorithm}")
    }

    /// Hashes the same messages `times` times and returns the time taken: the CPU time of this
    /// thread, or of the other process for an engine that runs in one.
    fn time(
        &mut self,
        algorithm: Algorithm,
        messages: &[&[u8]],
        digests: &mut [u8],
        times: u32,
    ) -> Result<Duration> {
        let mut result = Ok(());
        let time = clock::time(|| {
            for _ in 0..times {
                result = self.hash(algorithm, black_box(messages), digests);
                black_box(&digests);
                if result.is_err() {
                    break;
                }
            }
        });
        result.map(|()| time)
    }

    /// Continues the chains `times` times, each time by `links` links, and returns the CPU time
    /// taken.
    fn time_chains(
        &mut self,
        algorithm: Algorithm,
        digests: &mut [u8],
        links: u64,
        times: u32,
    ) -> Result<Duration> {
        let mut result = Ok(());
        let time = clock::time(|| {
            for _ in 0..times {
                result = self.chain(algorithm, black_box(&mut *digests), links);
                if result.is_err() {
                    break;
                }
            }
        });
        result.map(|()| time)
    }
}

/// An engine, or why it is missing.
pub(crate) enum Found {
    Engine(Box<dyn Engine>),
    Missing(Missing),
}

/// An engine that this machine lacks.
pub(crate) struct Missing {
    pub(crate) name: &'static str,
    /// Why it cannot run.
    pub(crate) reason: String,
    /// How to install it.
    pub(crate) remedy: &'static str,
}

impl Found {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Engine(engine) => engine.name(),
            Self::Missing(missing) => missing.name,
        }
    }
}
