//! What all bodies share: a server for each algorithm, and hashers that are not in use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use hashlanes::Algorithm;
use hashlanes::server::{HashServer, ServerHasher, ServerOptions, ServerStats};

use crate::Checksum;
use crate::hasher::Hasher;

/// Hashers kept for each algorithm when no body uses them, 0.7 to 3.7 KiB each.
///
/// A server takes the number of its hashers for the number of messages that may meet. If they were
/// made for each body, short bodies would always be hashed by themselves.
const KEPT: usize = 64;

pub(crate) struct Pools {
    options: ServerOptions,
    sharing: AtomicBool,
    /// In the order of [`Algorithm::ALL`].
    pools: [OnceLock<Pool>; Algorithm::ALL.len()],
}

struct Pool {
    server: HashServer,
    idle: Mutex<Vec<ServerHasher>>,
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Vec<ServerHasher>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pools {
    pub(crate) fn new(options: ServerOptions) -> Self {
        let pools = [const { OnceLock::new() }; Algorithm::ALL.len()];
        Self { options, sharing: AtomicBool::new(true), pools }
    }

    /// Whether hashers that are taken from now on share lanes.
    pub(crate) fn set_sharing(&self, on: bool) {
        self.sharing.store(on, Ordering::Relaxed);
    }

    /// What the servers have done so far, for each algorithm that was used.
    pub(crate) fn stats(&self) -> Vec<(Algorithm, ServerStats)> {
        let used = self.pools.iter().filter_map(OnceLock::get);
        used.map(|pool| (pool.server.algorithm(), pool.server.stats())).collect()
    }

    fn pool(&self, algorithm: Algorithm) -> &Pool {
        self.pools[algorithm as usize].get_or_init(|| Pool {
            server: HashServer::with_engine(hashlanes::Engine::of(algorithm), self.options),
            idle: Mutex::default(),
        })
    }

    /// A hasher for each.
    pub(crate) fn hashers(&self, checksums: &[Checksum]) -> Vec<Hasher> {
        checksums.iter().map(|checksum| self.hasher(*checksum)).collect()
    }

    fn hasher(&self, checksum: Checksum) -> Hasher {
        if let Some((parameters, length)) = checksum.crc() {
            return Hasher::Crc(checksum, Box::new(crc_fast::Digest::new(parameters)), length);
        }
        let Checksum::Hash(algorithm) = checksum else { unreachable!("what is no CRC is hashed") };
        if !self.sharing.load(Ordering::Relaxed) {
            return Hasher::Alone(Box::new(algorithm.hasher()));
        }
        let pool = self.pool(algorithm);
        let idle = pool.idle().pop();
        Hasher::Shared(idle.unwrap_or_else(|| pool.server.hasher()))
    }

    /// Keeps hashers whose message has been finished.
    pub(crate) fn put_back(&self, hashers: Vec<Hasher>) {
        for hasher in hashers {
            if let Hasher::Shared(hasher) = hasher {
                let mut idle = self.pool(hasher.algorithm()).idle();
                if idle.len() < KEPT {
                    idle.push(hasher);
                }
            }
        }
    }
}
