//! The server whose algorithm is chosen at run time.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::io;

use super::hasher::NO_SEAT;
use super::message::Message;
use super::owner::Owner;
use super::shared::Shared;
use super::sync::Arc;
use super::{HashServer, ServerOptions, ServerStats};
#[cfg(doc)]
use super::{ServerHasher, ServerHmacHasher};
use crate::api::by_name::{AnyDigest, AnyEngine, AnyHmacKey, LONGEST};
use crate::api::hmac::key::HmacKey;
use crate::api::reader::for_each_piece;
use crate::function::{Algorithm, HashFunction};
use crate::wipe::{self, Wipe, Wiped};
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
    shared: Arc<Shared>,
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
        Self { algorithm, shared: with_function!(algorithm, A => shared::<A>(engine, options)) }
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
        let owner = Owner::new(&self.shared, self.shared.function.message())?;
        Ok(AnyServerHasher { algorithm: self.algorithm, owner, key: None })
    }

    /// Like [`HashServer::hmac_hasher`]. The hasher returns the MAC of the message.
    ///
    /// ```
    /// use hashlanes::{Algorithm, AnyHashServer, AnyHmacKey};
    ///
    /// let key = AnyHmacKey::new(Algorithm::Sha256, "secret");
    /// let mut hasher = AnyHashServer::new(Algorithm::Sha256).hmac_hasher(&key);
    /// hasher.update("message");
    /// assert_eq!(hasher.finalize(), key.mac("message"));
    /// ```
    ///
    /// # Panics
    /// If the key is of another algorithm, and like [`HashServer::hmac_hasher`].
    pub fn hmac_hasher(&self, key: &AnyHmacKey) -> AnyServerHasher {
        self.try_hmac_hasher(key).expect(NO_SEAT)
    }

    /// Like [`HashServer::try_hmac_hasher`]. The hasher returns the MAC of the message.
    ///
    /// # Errors
    /// Like [`HashServer::try_hmac_hasher`].
    ///
    /// # Panics
    /// If the key is of another algorithm.
    pub fn try_hmac_hasher(&self, key: &AnyHmacKey) -> Result<AnyServerHasher, TryReserveError> {
        let algorithm = self.algorithm;
        assert!(key.algorithm() == algorithm, "the key must be of the server's algorithm");
        wipe::call::<{ wipe::TREE }, _>(|| {
            let owner = Owner::new(&self.shared, message_under(algorithm, key))?;
            Ok(AnyServerHasher { algorithm, owner, key: Some(Box::new(key.clone())) })
        })
    }

    /// Like [`HashServer::stats`].
    pub fn stats(&self) -> ServerStats {
        self.shared.stats()
    }
}

/// A server in memory of its own. Its padding keeps what was on the stack where the server was
/// made. So that is in a frame of its own, below the caller's, which has wiped the stack there.
#[inline(never)]
fn shared<A: HashFunction>(engine: AnyEngine, options: ServerOptions) -> Arc<Shared> {
    HashServer::<A>::with_engine(engine.typed(), options).shared
}

/// The beginning of a message under a key.
fn message_under(algorithm: Algorithm, key: &AnyHmacKey) -> Box<Message> {
    with_function!(algorithm, A => Message::new(typed::<A>(key).stream()))
}

/// The key of a hasher as that of its function.
fn typed<A: HashFunction>(key: &AnyHmacKey) -> &HmacKey<A> {
    key.typed().expect("the key must be of the server's algorithm")
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
    owner: Owner,
    /// Of a message whose MAC is computed: the inner hash is the owner's.
    key: Option<Box<AnyHmacKey>>,
}

/// Memory for a digest.
type Memory = Wiped<[u8; LONGEST]>;

impl AnyServerHasher {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// Like [`ServerHasher::len`].
    pub fn len(&self) -> u128 {
        self.owner.length
    }

    /// Like [`ServerHasher::is_empty`].
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Like [`ServerHasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.owner.update(bytes.as_ref());
        self
    }

    /// Like [`ServerHasher::update_reader`].
    ///
    /// # Errors
    /// Like [`ServerHasher::update_reader`].
    pub fn update_reader(&mut self, reader: impl io::Read) -> io::Result<&mut Self> {
        for_each_piece(reader, |piece| self.owner.update(piece))?;
        Ok(self)
    }

    /// Like [`ServerHasher::finalize`].
    pub fn finalize(mut self) -> AnyDigest {
        self.finalize_reset()
    }

    /// Like [`ServerHasher::finalize_reset`].
    pub fn finalize_reset(&mut self) -> AnyDigest {
        let mut digest = Wiped([0; LONGEST]);
        self.owner.finish(&mut digest[..self.algorithm.digest_len()]);
        self.begin_again();
        self.named(&digest)
    }

    /// Like [`ServerHasher::digest_so_far`].
    pub fn digest_so_far(&self) -> AnyDigest {
        let mut digest = Wiped([0; LONGEST]);
        self.owner.digest_so_far(&mut digest[..self.algorithm.digest_len()]);
        self.named(&digest)
    }

    /// Like [`ServerHasher::reset`].
    pub fn reset(&mut self) {
        self.owner.restart(match &self.key {
            None => self.owner.shared.function.message(),
            Some(key) => message_under(self.algorithm, key),
        });
    }

    /// Like [`ServerHasher::update_async`].
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.owner.update_async(bytes.as_ref()).await;
        self
    }

    /// Like [`ServerHasher::finalize_async`].
    pub async fn finalize_async(mut self) -> AnyDigest {
        self.finalize_reset_async().await
    }

    /// Like [`ServerHasher::finalize_reset_async`].
    pub async fn finalize_reset_async(&mut self) -> AnyDigest {
        let mut digest = Wiped([0; LONGEST]);
        self.owner.finish_async(&mut digest[..self.algorithm.digest_len()]).await;
        self.begin_again();
        self.named(&digest)
    }

    /// Lets the message, which is empty, begin with the key, if there is one.
    fn begin_again(&mut self) {
        if let Some(key) = &self.key {
            with_function!(self.algorithm, A => self.owner.begin(typed::<A>(key).stream()));
        }
    }

    /// The digest, or the MAC of the message that has it as its inner digest.
    fn named(&self, digest: &Memory) -> AnyDigest {
        let digest = &digest[..self.algorithm.digest_len()];
        match &self.key {
            None => AnyDigest::new(&digest),
            Some(key) => {
                with_function!(self.algorithm, A => by_name(typed::<A>(key).finish(digest)))
            }
        }
    }
}

impl Clone for AnyServerHasher {
    /// A snapshot, like a clone of a [`ServerHasher`].
    fn clone(&self) -> Self {
        let owner = self.owner.fork().expect(NO_SEAT);
        Self { algorithm: self.algorithm, owner, key: self.key.clone() }
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

/// Converts a digest. With the feature `zeroize` it wipes the original.
fn by_name(mut digest: impl AsMut<[u8]> + AsRef<[u8]>) -> AnyDigest {
    let named = AnyDigest::new(&digest);
    digest.as_mut().iter_mut().for_each(Wipe::wipe);
    named
}

#[cfg(all(test, feature = "all", not(loom)))]
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
