//! A server's hasher of a message under a key.

use std::collections::TryReserveError;
use std::io;

use super::message::Message;
use super::{HashServer, ServerHasher};
use crate::api::by_name::LONGEST;
use crate::api::hmac::key::HmacKey;
use crate::function::HashFunction;
use crate::wipe::Wiped;

/// A streaming hasher that computes the MAC of one message under a key, and shares its work with
/// the other hashers of its [`HashServer`]. [`HashServer::hmac_hasher`] makes one.
///
/// It is used like a [`ServerHasher`], and panics under the same conditions.
///
/// ```
/// use hashlanes::{HashServer, HmacKey, Sha256};
///
/// let server = HashServer::<Sha256>::new();
/// let key = HmacKey::new("secret");
/// let mut hasher = server.hmac_hasher(&key);
/// hasher.update("mess").update("age");
/// assert_eq!(hasher.finalize_reset(), key.mac("message"));
/// assert_eq!(hasher.finalize(), key.mac(""));
/// ```
#[derive(Clone)]
pub struct ServerHmacHasher<A: HashFunction> {
    /// The hasher of the inner hash. Its length does not include the key's block.
    inner: ServerHasher<A>,
    key: HmacKey<A>,
}

impl<A: HashFunction> ServerHmacHasher<A> {
    /// Bytes of a digest.
    const SIZE: usize = size_of::<A::Digest>();

    pub(super) fn new(server: &HashServer<A>, key: HmacKey<A>) -> Result<Self, TryReserveError> {
        Ok(Self { inner: ServerHasher::with_message(server, Message::new(key.stream()))?, key })
    }

    /// The server that made this hasher.
    pub fn server(&self) -> &HashServer<A> {
        self.inner.server()
    }

    /// The length of the message so far in bytes.
    pub fn len(&self) -> u128 {
        self.inner.len()
    }

    /// Whether the message is empty so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Like [`ServerHasher::update`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.inner.update(bytes);
        self
    }

    /// Like [`ServerHasher::update_reader`].
    ///
    /// # Errors
    /// Like [`ServerHasher::update_reader`].
    pub fn update_reader(&mut self, reader: impl io::Read) -> io::Result<&mut Self> {
        self.inner.update_reader(reader)?;
        Ok(self)
    }

    /// The MAC of the message. For an intermediate MAC use
    /// [`digest_so_far`](ServerHmacHasher::digest_so_far).
    pub fn finalize(mut self) -> A::Digest {
        self.finalize_reset()
    }

    /// The MAC of the message. The hasher then begins a new, empty message under the same key.
    pub fn finalize_reset(&mut self) -> A::Digest {
        let mut inner = Wiped([0; LONGEST]);
        self.inner.owner.finish(&mut inner[..Self::SIZE]);
        self.inner.owner.begin(self.key.stream());
        self.key.finish(&inner[..Self::SIZE])
    }

    /// The MAC of the message so far, which may be continued; see [`ServerHasher::digest_so_far`].
    pub fn digest_so_far(&self) -> A::Digest {
        let mut inner = Wiped([0; LONGEST]);
        self.inner.owner.digest_so_far(&mut inner[..Self::SIZE]);
        self.key.finish(&inner[..Self::SIZE])
    }

    /// Abandons the message and begins a new, empty one under the same key; see
    /// [`ServerHasher::reset`].
    pub fn reset(&mut self) {
        self.inner.owner.restart(Message::new(self.key.stream()));
    }

    /// Like [`ServerHasher::update_async`].
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.inner.update_async(bytes).await;
        self
    }

    /// Like [`finalize`](ServerHmacHasher::finalize), for asynchronous programs; see
    /// [`ServerHasher::finalize_async`].
    pub async fn finalize_async(mut self) -> A::Digest {
        self.finalize_reset_async().await
    }

    /// Like [`finalize_reset`](ServerHmacHasher::finalize_reset), for asynchronous programs; see
    /// [`ServerHasher::finalize_reset_async`].
    pub async fn finalize_reset_async(&mut self) -> A::Digest {
        let mut inner = Wiped([0; LONGEST]);
        self.inner.owner.finish_async(&mut inner[..Self::SIZE]).await;
        self.inner.owner.begin(self.key.stream());
        self.key.finish(&inner[..Self::SIZE])
    }
}

impl<A: HashFunction> core::fmt::Debug for ServerHmacHasher<A> {
    /// Shows the length of the message so far, and nothing about the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ServerHmacHasher")
            .field("algorithm", &A::ALGORITHM)
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

impl<A: HashFunction> io::Write for ServerHmacHasher<A> {
    /// Appends all bytes to the message; never fails.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
