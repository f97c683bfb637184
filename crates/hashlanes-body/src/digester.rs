//! What all bodies share: a server for each algorithm, and hashers that are not in use.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use bytes::Bytes;
use hashlanes::{Algorithm, AnyHashServer, AnyServerHasher, ServerOptions, ServerStats};
use http::HeaderMap;
use http_body::Body;

use crate::expected::Expected;
use crate::hasher::Hasher;
use crate::{Checksum, DigestBody, Digests, metrics};

/// Hashers kept for each algorithm when no body uses them, about 1.5 KiB each.
///
/// A server takes the number of its hashers for the number of messages that may meet. If they were
/// made for each body, short bodies would always be hashed by themselves.
const KEPT: usize = 64;

/// Computes the digests of bodies. One is enough for a process: bodies of different digesters never
/// share lanes. Its clones are the same digester.
#[derive(Clone)]
pub struct Digester {
    shared: Arc<Shared>,
}

struct Shared {
    options: ServerOptions,
    sharing: AtomicBool,
    /// In the order of [`Algorithm::ALL`].
    pools: [OnceLock<Pool>; Algorithm::ALL.len()],
}

struct Pool {
    server: AnyHashServer,
    idle: Mutex<Vec<AnyServerHasher>>,
}

impl Pool {
    fn idle(&self) -> MutexGuard<'_, Vec<AnyServerHasher>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Digester {
    /// A digester whose servers have the default options.
    pub fn new() -> Self {
        Self::with_options(ServerOptions::new())
    }

    /// A digester with options for each of its servers, of which there is one for each algorithm
    /// that is used.
    pub fn with_options(options: ServerOptions) -> Self {
        let pools = [const { OnceLock::new() }; Algorithm::ALL.len()];
        Self { shared: Arc::new(Shared { options, sharing: AtomicBool::new(true), pools }) }
    }

    /// The digester of the entire process, with the default options.
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Digester> = OnceLock::new();
        GLOBAL.get_or_init(Self::new)
    }

    /// The same body, whose digests are there at its end: these `checksums`, and those that
    /// `headers` announce, which are verified.
    ///
    /// Of the headers it looks for `Content-MD5`, `x-amz-content-sha256`, `x-amz-checksum-*`, and
    /// for trailers of these names that `x-amz-trailer` announces. Give an empty map to verify
    /// nothing.
    pub fn digest<B>(
        &self,
        body: B,
        checksums: &[Checksum],
        headers: &HeaderMap,
    ) -> (DigestBody<B>, Digests)
    where
        B: Body<Data = Bytes>,
    {
        let expected = Expected::in_headers(headers);
        let mut all = checksums.to_vec();
        all.extend(expected.iter().map(|expected| expected.checksum));
        let mut distinct = Vec::with_capacity(all.len());
        for checksum in all {
            if !distinct.contains(&checksum) {
                distinct.push(checksum);
            }
        }
        DigestBody::new(body, distinct, expected, self.clone())
    }

    /// Whether bodies that begin from now on share lanes; at first they do. Otherwise each is
    /// hashed by itself, with the same digests.
    pub fn set_sharing(&self, on: bool) {
        self.shared.sharing.store(on, Ordering::Relaxed);
    }

    /// What the servers have done so far, for each algorithm that was used.
    pub fn stats(&self) -> Vec<(Algorithm, ServerStats)> {
        let used = self.shared.pools.iter().filter_map(OnceLock::get);
        used.map(|pool| (pool.server.algorithm(), pool.server.stats())).collect()
    }

    /// [`stats`](Digester::stats) in the text format of Prometheus.
    pub fn metrics(&self) -> String {
        metrics::text(&self.stats())
    }

    fn pool(&self, algorithm: Algorithm) -> &Pool {
        self.shared.pools[algorithm as usize].get_or_init(|| Pool {
            server: AnyHashServer::with_options(algorithm, self.shared.options),
            idle: Mutex::default(),
        })
    }

    /// A hasher for each.
    pub(crate) fn hashers(&self, checksums: &[Checksum]) -> Vec<Hasher> {
        checksums.iter().map(|checksum| self.hasher(*checksum)).collect()
    }

    fn hasher(&self, checksum: Checksum) -> Hasher {
        if let Some((parameters, length)) = checksum.crc() {
            return Hasher::Crc(checksum, crc_fast::Digest::new(parameters), length);
        }
        let Checksum::Hash(algorithm) = checksum else { unreachable!("what is no CRC is hashed") };
        if !self.shared.sharing.load(Ordering::Relaxed) {
            return Hasher::Alone(algorithm.hasher());
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

impl Default for Digester {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Digester {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Digester").field("stats", &self.stats()).finish()
    }
}
