//! Makes bodies that compute their digests.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use hashlanes::Algorithm;
use hashlanes::server::{ServerOptions, ServerStats};
use http::HeaderMap;
use http_body::Body;

use crate::expected::{Expected, hinted};
use crate::pools::Pools;
use crate::{Checksum, DigestBody, Digests, metrics};

/// Computes the digests of bodies. One is enough for a process: bodies of different digesters never
/// share lanes. Clones are handles to the same digester.
#[derive(Clone)]
pub struct Digester {
    pools: Arc<Pools>,
}

impl Digester {
    /// A digester whose servers have the default options.
    pub fn new() -> Self {
        Self::with_options(ServerOptions::new())
    }

    /// A digester with these options for its servers. There is one server for each algorithm that
    /// is used.
    pub fn with_options(options: ServerOptions) -> Self {
        Self { pools: Arc::new(Pools::new(options)) }
    }

    /// The digester of the entire process, with the default options.
    pub fn global() -> &'static Self {
        static GLOBAL: OnceLock<Digester> = OnceLock::new();
        GLOBAL.get_or_init(Self::new)
    }

    /// Wraps a body so that its digests are available at its end: these `checksums`, and those that
    /// `headers` announce, which are verified.
    ///
    /// The headers considered are `Content-MD5`, `x-amz-content-sha256` and `x-amz-checksum-*`.
    /// Trailers of these names that `x-amz-trailer` announces must arrive. If a field occurs
    /// several times, in the headers or the trailers, each value must match. A trailer that
    /// `Trailer` announces need not arrive, and one that nothing announces is compared if its
    /// digest is computed anyway. Pass an empty map to verify no header.
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
        let certain = all.len();
        all.extend(hinted(headers));
        let hinted = all.len() > certain;
        let mut distinct = Vec::with_capacity(all.len());
        for checksum in all {
            if !distinct.contains(&checksum) {
                distinct.push(checksum);
            }
        }
        DigestBody::new(body, distinct, expected, hinted, Arc::clone(&self.pools))
    }

    /// Sets whether bodies that begin from now on share lanes, as they do by default. Otherwise
    /// each is hashed by itself, with the same digests.
    pub fn set_sharing(&self, on: bool) {
        self.pools.set_sharing(on);
    }

    /// What the servers have done so far, for each algorithm that was used.
    pub fn stats(&self) -> Vec<(Algorithm, ServerStats)> {
        self.pools.stats()
    }

    /// [`stats`](Digester::stats) in the text format of Prometheus.
    pub fn metrics(&self) -> String {
        metrics::text(&self.stats())
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
