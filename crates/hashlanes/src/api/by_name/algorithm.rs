//! What can be done with an [`Algorithm`] at once.

use alloc::vec::Vec;

use super::digest::AnyDigest;
use super::dispatch::with_function;
use super::engine::AnyEngine;
use crate::api::engine::Engine;
use crate::function::{Algorithm, sealed::Function};
use crate::kernel::{Features, Kernel, Kernels};

impl Algorithm {
    /// The digest of one message.
    pub fn digest(self, message: &[u8]) -> AnyDigest {
        with_function!(self, A => AnyDigest::new(&Engine::<A>::new().digest(message)))
    }

    /// The digests of many independent messages, in their order. See
    /// [`digest_many`](crate::digest_many).
    pub fn digest_many(self, messages: &[impl AsRef<[u8]>]) -> Vec<AnyDigest> {
        AnyEngine::new(self).digest_many(messages)
    }

    /// The kernels that this crate has for the algorithm on this architecture, the CPU being able
    /// to run them or not.
    pub fn kernels(self) -> impl ExactSizeIterator<Item = KernelInfo> {
        fn info<W>(kernel: &'static Kernel<W>) -> KernelInfo {
            KernelInfo {
                name: kernel.name,
                lanes: kernel.lanes,
                missing: kernel.missing().names().collect(),
            }
        }
        let rows: Vec<_> =
            with_function!(self, A => <A as Function>::Family::TABLE.iter().map(info).collect());
        rows.into_iter()
    }
}

/// One kernel of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Messages that it hashes side by side.
    pub lanes: usize,
    /// What it needs and this CPU, or the operating system, lacks; empty if it can run here.
    pub missing: Vec<&'static str>,
}

impl KernelInfo {
    /// Whether it can run here.
    pub fn is_available(&self) -> bool {
        self.missing.is_empty()
    }
}

/// The CPU features that kernels ask for, each with whether this CPU has it and the operating
/// system allows it.
pub fn cpu_features() -> impl ExactSizeIterator<Item = (&'static str, bool)> {
    let seen = Features::detected();
    Features::NAMED.into_iter().map(move |(feature, name)| (name, seen.contain(feature)))
}
