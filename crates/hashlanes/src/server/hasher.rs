//! A server's hasher as its user sees it.

use std::boxed::Box;
use std::collections::TryReserveError;
use std::io;

use super::HashServer;
use super::message::Message;
use super::owner::Owner;
use crate::api::hasher::{Under, finish};
use crate::api::reader::for_each_piece;
use crate::function::choice::{InPieces, VisitStream};
use crate::function::{Algorithm, Function};
use crate::schedule::{Scheduled, Stream};
use crate::wipe;

/// What a panic says that the caller did not want as an error.
pub(super) const NO_SEAT: &str = "no memory for one more hasher in the server's queue";

/// A streaming hasher of one message, whose work is shared with the other hashers of its
/// [`HashServer`].
///
/// It is used like a [`Hasher`](crate::Hasher), and with a key it computes a MAC as that does:
/// [`HashServer::hmac_hasher`] makes one. It is `Send`, implements [`std::io::Write`], and
/// with the feature `digest` also the traits of the crate `digest`. Bytes written to it may be
/// hashed later, by this thread or by another one that uses a hasher of the same server. A clone
/// continues independently from the same point.
///
/// Dropping a hasher abandons its message.
///
/// ```
/// use hashlanes::server::HashServer;
/// use hashlanes::Sha256;
///
/// let server = HashServer::<Sha256>::new();
/// let mut hasher = server.hasher();
/// hasher.update("ab").update("c");
/// let snapshot = hasher.clone();
/// hasher.update("d");
/// assert_ne!(snapshot.finalize(), hasher.finalize_reset());
/// assert_eq!(hasher.finalize(), server.hasher().finalize());
/// ```
///
/// # Panics
/// A hasher refuses to continue, and says why, if its message is not what its owner expects:
///
/// * after an [`update_async`](ServerHasher::update_async) whose future was polled and then dropped
///   before it was ready;
/// * after a kernel panicked while hashing the message, which would be a bug of this crate.
///
/// Updating, finalizing and cloning it then panic until [`reset`](ServerHasher::reset).
pub struct ServerHasher<A: Function = Algorithm, K = ()> {
    server: HashServer<A>,
    /// Its length does not include the block of a key.
    pub(super) owner: Owner,
    key: K,
}

impl<A: Function, K: Under<A>> ServerHasher<A, K> {
    pub(super) fn new(server: &HashServer<A>, key: K) -> Result<Self, TryReserveError> {
        if let Some(key) = key.key() {
            let right = key.algorithm() == server.algorithm();
            assert!(right, "the key must be of the server's algorithm");
        }
        let owner = Owner::new(&server.shared, beginning(server, &key))?;
        Ok(Self { owner, server: server.clone(), key })
    }

    /// The server that made this hasher.
    pub fn server(&self) -> &HashServer<A> {
        &self.server
    }

    /// The function as a value.
    pub fn algorithm(&self) -> Algorithm {
        self.server.algorithm()
    }

    /// The length of the message so far in bytes.
    pub fn len(&self) -> u128 {
        self.owner.length
    }

    /// Whether the message is empty so far.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends bytes to the message.
    ///
    /// A short write is copied and hashed later. A long one is hashed before this returns, together
    /// with what waits in other hashers. The call may wait for rounds that hash this message, and
    /// may run rounds itself, including rounds of other messages. A round hashes at most what is
    /// deferred and 1 MiB of a write, for as many hashers as fill the lanes.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.owner.update(bytes.as_ref());
        self
    }

    /// Appends everything up to the reader's end. It is read 64 KiB at a time, so a `BufReader`
    /// gains nothing.
    ///
    /// ```
    /// use hashlanes::server::HashServer;
    /// use hashlanes::Md5;
    ///
    /// let mut hasher = HashServer::<Md5>::global().hasher();
    /// hasher.update_reader(&b"abc"[..])?;
    /// assert_eq!(hasher.finalize()[..4], [0x90, 0x01, 0x50, 0x98]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The reader's first error, except that an interrupted read
    /// ([`ErrorKind::Interrupted`](io::ErrorKind::Interrupted)) is repeated. What was read before
    /// the error has been appended.
    ///
    /// # Panics
    /// Like [`update`](ServerHasher::update).
    pub fn update_reader(&mut self, reader: impl io::Read) -> io::Result<&mut Self> {
        for_each_piece(reader, |piece| {
            self.update(piece);
        })?;
        Ok(self)
    }

    /// The digest of the message, or its MAC. For an intermediate one use
    /// [`digest_so_far`](ServerHasher::digest_so_far).
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn finalize(mut self) -> A::Digest {
        self.finalize_reset()
    }

    /// The digest of the message, or its MAC. The hasher then begins a new, empty message, under
    /// the same key.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn finalize_reset(&mut self) -> A::Digest {
        let mut digest = self.server.function.zero();
        self.owner.finish(A::digest_bytes(&mut digest));
        self.begin_again();
        finish(&self.key, &mut digest);
        digest
    }

    /// The digest of the message so far, or its MAC; the message may be continued. This is what
    /// [`finalize`](ServerHasher::finalize) returns for a clone, without another hasher.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub fn digest_so_far(&self) -> A::Digest {
        let mut digest = self.server.function.zero();
        self.owner.digest_so_far(A::digest_bytes(&mut digest));
        finish(&self.key, &mut digest);
        digest
    }

    /// Abandons the message and begins a new, empty one, under the same key, without waiting for a
    /// round that is hashing the old one.
    pub fn reset(&mut self) {
        let message = wipe::call::<{ wipe::ALONE }, _>(|| beginning(&self.server, &self.key));
        self.owner.restart(message);
    }

    /// Like [`update`](ServerHasher::update), for asynchronous programs of any runtime.
    ///
    /// The future never blocks the thread: it is ready at once if the bytes can be deferred, and
    /// waits as a task while another thread hashes this message. When it has to hash, it does so in
    /// portions, between which other tasks run. A portion is one buffer (64 KiB by default) of this
    /// message and of each other message in the round, or eight buffers of this message if it is
    /// hashed by itself.
    ///
    /// # Dropping the future
    /// Dropping the future before it has been polled has no effect. If it is dropped later, but
    /// before it is ready, some of the bytes have been appended and others have not. The hasher
    /// then refuses to continue until [`reset`](ServerHasher::reset).
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub async fn update_async(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.owner.update_async(bytes.as_ref()).await;
        self
    }

    /// Like [`finalize`](ServerHasher::finalize), for asynchronous programs of any runtime; see
    /// [`update_async`](ServerHasher::update_async).
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub async fn finalize_async(mut self) -> A::Digest {
        self.finalize_reset_async().await
    }

    /// Like [`finalize_reset`](ServerHasher::finalize_reset), for asynchronous programs of any
    /// runtime; see [`update_async`](ServerHasher::update_async).
    ///
    /// If the future is dropped before it is ready, the message is unchanged and can be continued.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    pub async fn finalize_reset_async(&mut self) -> A::Digest {
        let mut digest = self.server.function.zero();
        self.owner.finish_async(A::digest_bytes(&mut digest)).await;
        self.begin_again();
        finish(&self.key, &mut digest);
        digest
    }

    /// Lets the message, which is empty, begin with the key, if there is one.
    fn begin_again(&mut self) {
        if let Some(key) = self.key.key() {
            wipe::call::<{ wipe::ALONE }, _>(|| key.stream().visit(BeginWith(&mut self.owner)));
        }
    }
}

/// An empty message under a key.
fn beginning<A: Function>(server: &HashServer<A>, key: &impl Under<A>) -> Box<Message> {
    match key.key() {
        None => server.shared.function.message(),
        Some(key) => key.stream().visit(Begin),
    }
}

/// Makes a message of a stream.
struct Begin;

impl VisitStream for Begin {
    type Output = Box<Message>;

    fn visit<R: Scheduled>(self, stream: Stream<R>) -> Box<Message> {
        Message::new(stream)
    }
}

/// Lets a message continue a stream.
struct BeginWith<'o>(&'o mut Owner);

impl VisitStream for BeginWith<'_> {
    type Output = ();

    fn visit<R: Scheduled>(self, stream: Stream<R>) {
        self.0.begin(stream);
    }
}

impl<A: Function, K: Under<A>> Clone for ServerHasher<A, K> {
    /// A snapshot: a hasher that continues independently from here. Deferred bytes are hashed
    /// first, so that they are not hashed twice.
    ///
    /// # Panics
    /// If the message cannot be continued; see [`ServerHasher`].
    fn clone(&self) -> Self {
        let (server, owner) = (self.server.clone(), self.owner.fork().expect(NO_SEAT));
        Self { server, owner, key: self.key.clone() }
    }
}

impl<A: Function, K: Under<A>> core::fmt::Debug for ServerHasher<A, K> {
    /// Shows the length of the message so far, but not its state, and nothing of the key.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("ServerHasher")
            .field("algorithm", &self.algorithm())
            .field("bytes", &self.len())
            .finish_non_exhaustive()
    }
}

impl<A: Function, K: Under<A>> io::Write for ServerHasher<A, K> {
    /// Appends all bytes to the message; never fails.
    ///
    /// # Panics
    /// Like [`update`](ServerHasher::update).
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
