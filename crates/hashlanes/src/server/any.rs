//! The server whose algorithm is chosen at run time.

use std::boxed::Box;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use super::{HashServer, ServerHasher, ServerOptions, ServerStats};
use crate::api::by_name::{AnyDigest, with_function};
use crate::function::{Algorithm, HashFunction};

/// A [`HashServer`] whose algorithm is chosen at run time.
///
/// ```
/// use hashlanes::{Algorithm, AnyHashServer};
///
/// let server = AnyHashServer::new(Algorithm::from_name("sha256")?);
/// let mut hasher = server.hasher();
/// hasher.update("abc");
/// assert_eq!(hasher.finalize(), Algorithm::Sha256.digest(b"abc"));
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
#[derive(Clone)]
pub struct AnyHashServer {
    algorithm: Algorithm,
    inner: Arc<dyn ErasedServer>,
}

impl AnyHashServer {
    /// As [`HashServer::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self::with_options(algorithm, ServerOptions::new())
    }

    /// As [`HashServer::with_options`].
    pub fn with_options(algorithm: Algorithm, options: ServerOptions) -> Self {
        Self {
            algorithm,
            inner: with_function!(algorithm, A => Arc::new(HashServer::<A>::with_options(options))),
        }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// As [`HashServer::hasher`].
    pub fn hasher(&self) -> AnyServerHasher {
        AnyServerHasher { algorithm: self.algorithm, inner: self.inner.hasher() }
    }

    /// As [`HashServer::stats`].
    pub fn stats(&self) -> ServerStats {
        self.inner.stats()
    }
}

impl core::fmt::Debug for AnyHashServer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyHashServer")
            .field("algorithm", &self.algorithm)
            .field("stats", &self.stats())
            .finish()
    }
}

/// A [`ServerHasher`] whose algorithm is chosen at run time.
pub struct AnyServerHasher {
    algorithm: Algorithm,
    inner: Box<dyn ErasedHasher>,
}

impl AnyServerHasher {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// As [`ServerHasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) {
        self.inner.update(bytes.as_ref());
    }

    /// As [`ServerHasher::finalize`].
    pub fn finalize(mut self) -> AnyDigest {
        self.inner.finalize_reset()
    }

    /// As [`ServerHasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        self.inner.finalize_reset()
    }

    /// As [`ServerHasher::reset`].
    pub fn reset(&mut self) {
        self.inner.reset();
    }

    /// As [`ServerHasher::update_async`].
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) {
        self.inner.update_async(bytes.as_ref()).await;
    }

    /// As [`ServerHasher::finalize_async`].
    pub async fn finalize_async(mut self) -> AnyDigest {
        self.inner.finalize_reset_async().await
    }

    /// As [`ServerHasher::finalize_reset_async`].
    pub async fn finalize_reset_async(&mut self) -> AnyDigest {
        self.inner.finalize_reset_async().await
    }
}

impl Clone for AnyServerHasher {
    /// Hashes what is deferred, so that it is not hashed twice.
    fn clone(&self) -> Self {
        Self { algorithm: self.algorithm, inner: self.inner.boxed_clone() }
    }
}

impl std::io::Write for AnyServerHasher {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl core::fmt::Debug for AnyServerHasher {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyServerHasher")
            .field("algorithm", &self.algorithm)
            .finish_non_exhaustive()
    }
}

trait ErasedServer: Send + Sync {
    fn hasher(&self) -> Box<dyn ErasedHasher>;
    fn stats(&self) -> ServerStats;
}

impl<A: HashFunction> ErasedServer for HashServer<A> {
    fn hasher(&self) -> Box<dyn ErasedHasher> {
        Box::new(self.hasher())
    }

    fn stats(&self) -> ServerStats {
        self.stats()
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

trait ErasedHasher: Send + Sync {
    fn update(&mut self, bytes: &[u8]);
    fn finalize_reset(&mut self) -> AnyDigest;
    fn reset(&mut self);
    fn update_async<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, ()>;
    fn finalize_reset_async(&mut self) -> BoxFuture<'_, AnyDigest>;
    fn boxed_clone(&self) -> Box<dyn ErasedHasher>;
}

impl<A: HashFunction> ErasedHasher for ServerHasher<A> {
    fn update(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }

    fn finalize_reset(&mut self) -> AnyDigest {
        AnyDigest::new(&self.finalize_reset())
    }

    fn reset(&mut self) {
        self.reset();
    }

    fn update_async<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, ()> {
        Box::pin(self.update_async(bytes))
    }

    fn finalize_reset_async(&mut self) -> BoxFuture<'_, AnyDigest> {
        Box::pin(async { AnyDigest::new(&self.finalize_reset_async().await) })
    }

    fn boxed_clone(&self) -> Box<dyn ErasedHasher> {
        Box::new(self.clone())
    }
}
