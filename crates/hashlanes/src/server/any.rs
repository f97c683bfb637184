//! The server whose algorithm is chosen at run time.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;

use super::hasher::NO_SEAT;
use super::{HashServer, ServerHasher, ServerHmacHasher, ServerOptions, ServerStats};
use crate::api::by_name::{AnyDigest, AnyEngine, AnyHmacKey};
use crate::api::reader::for_each_piece;
use crate::function::{Algorithm, HashFunction};
use crate::wipe::{self, Wipe};
use crate::with_function;

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
    /// Like [`HashServer::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self::with_options(algorithm, ServerOptions::new())
    }

    /// Like [`HashServer::with_options`].
    pub fn with_options(algorithm: Algorithm, options: ServerOptions) -> Self {
        Self::with_engine(AnyEngine::new(algorithm), options)
    }

    /// Like [`HashServer::with_engine`].
    pub fn with_engine(engine: AnyEngine, options: ServerOptions) -> Self {
        let algorithm = engine.algorithm();
        wipe::stack::<{ wipe::MANY }>();
        Self { algorithm, inner: with_function!(algorithm, A => erased::<A>(engine, options)) }
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Like [`HashServer::hasher`].
    pub fn hasher(&self) -> AnyServerHasher {
        self.try_hasher().expect(NO_SEAT)
    }

    /// Like [`HashServer::try_hasher`].
    ///
    /// # Errors
    /// Like [`HashServer::try_hasher`].
    pub fn try_hasher(&self) -> Result<AnyServerHasher, TryReserveError> {
        Ok(AnyServerHasher { algorithm: self.algorithm, inner: self.inner.hasher()? })
    }

    /// Like [`HashServer::hmac`]. The hasher returns the MAC of the message.
    ///
    /// ```
    /// use hashlanes::{Algorithm, AnyHashServer, AnyHmacKey};
    ///
    /// let key = AnyHmacKey::new(Algorithm::Sha256, "secret");
    /// let mut hasher = AnyHashServer::new(Algorithm::Sha256).hmac(&key);
    /// hasher.update("message");
    /// assert_eq!(hasher.finalize(), key.mac("message"));
    /// ```
    ///
    /// # Panics
    /// If the key is of another algorithm, and like [`HashServer::hmac`].
    pub fn hmac(&self, key: &AnyHmacKey) -> AnyServerHasher {
        self.try_hmac(key).expect(NO_SEAT)
    }

    /// Like [`HashServer::try_hmac`]. The hasher returns the MAC of the message.
    ///
    /// # Errors
    /// Like [`HashServer::try_hmac`].
    ///
    /// # Panics
    /// If the key is of another algorithm.
    pub fn try_hmac(&self, key: &AnyHmacKey) -> Result<AnyServerHasher, TryReserveError> {
        let inner = wipe::call::<{ wipe::TREE }, _>(|| self.inner.hmac(key))?;
        Ok(AnyServerHasher { algorithm: self.algorithm, inner })
    }

    /// Like [`HashServer::stats`].
    pub fn stats(&self) -> ServerStats {
        self.inner.stats()
    }
}

/// A server in memory of its own. Its padding keeps what was on the stack where the server was
/// made. So that is in a frame of its own, below the caller's, which has wiped the stack there.
#[inline(never)]
fn erased<A: HashFunction>(engine: AnyEngine, options: ServerOptions) -> Arc<dyn ErasedServer> {
    Arc::new(HashServer::<A>::with_engine(engine.typed(), options))
}

impl core::fmt::Debug for AnyHashServer {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyHashServer")
            .field("algorithm", &self.algorithm)
            .field("stats", &self.stats())
            .finish()
    }
}

/// A [`ServerHasher`] or a [`ServerHmacHasher`] whose algorithm is chosen at run time.
pub struct AnyServerHasher {
    algorithm: Algorithm,
    inner: Box<dyn ErasedHasher>,
}

impl AnyServerHasher {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Like [`ServerHasher::len`].
    pub fn len(&self) -> u128 {
        self.inner.len()
    }

    /// Like [`ServerHasher::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Like [`ServerHasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.inner.update(bytes.as_ref());
        self
    }

    /// Like [`ServerHasher::update_reader`].
    ///
    /// # Errors
    /// Like [`ServerHasher::update_reader`].
    pub fn update_reader(&mut self, reader: impl io::Read) -> io::Result<&mut Self> {
        for_each_piece(reader, |piece| self.inner.update(piece))?;
        Ok(self)
    }

    /// Like [`ServerHasher::finalize`].
    pub fn finalize(mut self) -> AnyDigest {
        self.inner.finalize_reset()
    }

    /// Like [`ServerHasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        self.inner.finalize_reset()
    }

    /// Like [`ServerHasher::digest_so_far`].
    pub fn digest_so_far(&self) -> AnyDigest {
        self.inner.digest_so_far()
    }

    /// Like [`ServerHasher::reset`].
    pub fn reset(&mut self) {
        self.inner.reset();
    }

    /// Like [`ServerHasher::update_async`].
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.inner.update_async(bytes.as_ref()).await;
        self
    }

    /// Like [`ServerHasher::finalize_async`].
    pub async fn finalize_async(mut self) -> AnyDigest {
        self.inner.finalize_reset_async().await
    }

    /// Like [`ServerHasher::finalize_reset_async`].
    pub async fn finalize_reset_async(&mut self) -> AnyDigest {
        self.inner.finalize_reset_async().await
    }
}

impl Clone for AnyServerHasher {
    /// A snapshot, like a clone of a [`ServerHasher`].
    fn clone(&self) -> Self {
        Self { algorithm: self.algorithm, inner: self.inner.boxed_clone() }
    }
}

impl io::Write for AnyServerHasher {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl core::fmt::Debug for AnyServerHasher {
    /// Shows the length of the message so far, but not its state.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("AnyServerHasher")
            .field("algorithm", &self.algorithm)
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

trait ErasedServer: Send + Sync {
    fn hasher(&self) -> Result<Box<dyn ErasedHasher>, TryReserveError>;
    fn hmac(&self, key: &AnyHmacKey) -> Result<Box<dyn ErasedHasher>, TryReserveError>;
    fn stats(&self) -> ServerStats;
}

impl<A: HashFunction> ErasedServer for HashServer<A> {
    fn hasher(&self) -> Result<Box<dyn ErasedHasher>, TryReserveError> {
        Ok(Box::new(self.try_hasher()?))
    }

    fn hmac(&self, key: &AnyHmacKey) -> Result<Box<dyn ErasedHasher>, TryReserveError> {
        let key = key.typed().expect("the key is of the server's algorithm");
        Ok(Box::new(self.try_hmac(key)?))
    }

    fn stats(&self) -> ServerStats {
        self.stats()
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

trait ErasedHasher: Send + Sync {
    fn len(&self) -> u128;
    fn update(&mut self, bytes: &[u8]);
    fn finalize_reset(&mut self) -> AnyDigest;
    fn digest_so_far(&self) -> AnyDigest;
    fn reset(&mut self);
    fn update_async<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, ()>;
    fn finalize_reset_async(&mut self) -> BoxFuture<'_, AnyDigest>;
    fn boxed_clone(&self) -> Box<dyn ErasedHasher>;
}

macro_rules! erased_hashers {
    ($($hasher:ident)*) => {
        $(impl<A: HashFunction> ErasedHasher for $hasher<A> {
            fn len(&self) -> u128 {
                self.len()
            }

            fn update(&mut self, bytes: &[u8]) {
                self.update(bytes);
            }

            fn finalize_reset(&mut self) -> AnyDigest {
                by_name(self.finalize_reset())
            }

            fn digest_so_far(&self) -> AnyDigest {
                by_name(self.digest_so_far())
            }

            fn reset(&mut self) {
                self.reset();
            }

            fn update_async<'a>(&'a mut self, bytes: &'a [u8]) -> BoxFuture<'a, ()> {
                Box::pin(async move {
                    self.update_async(bytes).await;
                })
            }

            fn finalize_reset_async(&mut self) -> BoxFuture<'_, AnyDigest> {
                Box::pin(async { by_name(self.finalize_reset_async().await) })
            }

            fn boxed_clone(&self) -> Box<dyn ErasedHasher> {
                Box::new(self.clone())
            }
        })*
    };
}

erased_hashers!(ServerHasher ServerHmacHasher);

/// Converts a digest. With the feature `zeroize` it wipes the original.
fn by_name(mut digest: impl AsMut<[u8]> + AsRef<[u8]>) -> AnyDigest {
    let named = AnyDigest::new(&digest);
    digest.as_mut().iter_mut().for_each(Wipe::wipe);
    named
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_server_by_name_has_the_statistics_of_its_server() {
        let server = AnyHashServer::new(Algorithm::Md5);
        let mut hasher = server.hasher();
        hasher.update([0; 70_000]).finalize_reset();
        let stats = server.stats();
        assert_eq!((stats.messages, stats.bytes, stats.hashers), (1, 70_000, 1));
    }
}
