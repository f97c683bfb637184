//! One engine shared by many hashers, in one thread or in many: ordinary streaming hashers whose
//! messages share lanes.
//!
//! A [`ServerHasher`] belongs to one message. Its bytes are hashed in one of three ways:
//!
//! * **Alone**: at once, in the best kernel for one message. This is so if there is no other
//!   hasher, or if the last ones that looked for company found none.
//! * **Deferred**: a write that fits is copied to the hasher's *staging*, and the call returns. The
//!   hasher's *slot* enters the server's *queue*.
//! * **Shared**: a thread takes messages out of the queue and runs one *round* over them, its own
//!   included. It does so if enough messages are ready to fill the lanes, if its staging is full,
//!   or if a digest is wanted. A write that is too large to be deferred is *lent* to the round, not
//!   copied. A round takes a *share* of what waits, so that threads on other cores find some too. A
//!   thread whose message is in another one's round runs rounds of others before it sleeps.
//!
//! So work is done by whichever thread needs room or a result. There is no other thread, no timer
//! and nothing to close.
//!
//! | file | what |
//! |---|---|
//! | `hasher.rs` | what a hasher's owner calls |
//! | `hmac.rs` | the same for a message under a key |
//! | `write.rs` | how a thread brings its message forward: the choice between the three ways |
//! | `poll.rs` | the same for a task |
//! | `slot.rs` | where a message is: home with its owner, or out with a round |
//! | `loan.rs` | a large write lent to another thread; the only `unsafe` |
//! | `staging.rs` | deferred bytes |
//! | `pool.rs` | the buffers for them |
//! | `queue.rs` | the slots with something to hash, in order |
//! | `shared.rs` | what hashers share: queue, pool, thresholds |
//! | `company.rs` | what was seen of company lately |
//! | `policy.rs` | how many messages share a round: the arithmetic |
//! | `batch.rs` | messages that are out with a thread, and how they come home |
//! | `round.rs` | those messages through the lanes |
//! | `options.rs`, `stats.rs` | what its operator sets and sees |
//! | `any.rs` | the algorithm chosen at run time |
//! | `sync.rs` | locks and atomics, or loom's |
//!
//! # Foreign code
//! A task's waker is foreign code: its clone, its wake and its destructor may panic, wait, or use
//! hashers of the same server. It runs only when this thread holds no lock, and when all messages
//! of its round are home. So it can wait for any of them. The same holds for the program's panic
//! hook when a hasher refuses to go on.
//!
//! The allocator is foreign too, but Rust forbids it to unwind. It is never called with the queue's
//! or the pool's lock held, nor while messages are brought home. Memory for deferred bytes is asked
//! for in a way that can fail. Where other memory is got with a slot's lock held, the slot's
//! message is home and whole.
//!
//! A kernel that panics, which is a bug, calls the panic hook in the middle of a round. So a hook
//! must not use the server.
//!
//! The design and its thresholds are explained in `docs/design/server.md`.

#![deny(unsafe_code)]

mod any;
mod batch;
mod company;
// These tests need threads and caught panics, which WebAssembly lacks.
#[cfg(all(test, not(loom), not(target_family = "wasm")))]
#[allow(unsafe_code)]
mod foreign_tests;
mod hasher;
#[cfg(all(test, not(loom), not(target_family = "wasm")))]
mod help_tests;
mod hmac;
#[allow(unsafe_code)]
mod loan;
#[cfg(all(loom, test))]
mod model;
mod options;
mod policy;
mod poll;
mod pool;
mod queue;
mod round;
mod shared;
mod slot;
mod staging;
mod stats;
mod sync;
mod write;

use std::any::Any;
use std::boxed::Box;
use std::collections::TryReserveError;
use std::sync::OnceLock;

pub use any::{AnyHashServer, AnyServerHasher};
pub use hasher::ServerHasher;
pub use hmac::ServerHmacHasher;
pub use options::ServerOptions;
pub use stats::{KernelUse, ServerStats};

use self::hasher::NO_SEAT;
use self::options::Limits;
use self::shared::Shared;
use self::sync::Arc;
use crate::api::engine::Engine;
use crate::api::hmac::key::HmacKey;
use crate::function::{Algorithm, HashFunction};
use crate::schedule::Stream;

/// Hashers for many messages at the same time, in one thread or many, that share the lanes of the
/// CPU.
///
/// A server makes ordinary streaming hashers, one for each message. While only one of them is in
/// use, it hashes as fast as any other. The more there are, the more messages are hashed side by
/// side. A server is a handle: clones are the same server. It has no thread of its own, and nothing
/// needs to be closed.
///
/// ```
/// use hashlanes::{HashServer, Md5};
///
/// let server = HashServer::<Md5>::new();
/// let digests: Vec<_> = std::thread::scope(|scope| {
///     let uploads: Vec<_> = (0..4_u8)
///         .map(|i| {
///             let mut hasher = server.hasher();
///             scope.spawn(move || {
///                 for _ in 0..100 {
///                     hasher.update([i; 1000]);
///                 }
///                 hasher.finalize()
///             })
///         })
///         .collect();
///     uploads.into_iter().map(|upload| upload.join().unwrap()).collect()
/// });
/// assert_eq!(digests[3], hashlanes::digest_many::<Md5>(&[[3; 100_000]])[0]);
/// assert_eq!(server.stats().messages, 4);
/// ```
pub struct HashServer<A: HashFunction> {
    shared: Arc<Shared<A>>,
}

impl<A: HashFunction> HashServer<A> {
    /// A server that chooses kernels by itself, with the default options.
    pub fn new() -> Self {
        Self::with_options(ServerOptions::new())
    }

    /// A server that chooses kernels by itself.
    pub fn with_options(options: ServerOptions) -> Self {
        Self::with_engine(Engine::new(), options)
    }

    /// A server that uses the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<A>, options: ServerOptions) -> Self {
        Self { shared: Arc::new(Shared::new(engine, Limits::new(options, engine))) }
    }

    /// The server that the whole process shares, made when first needed, with the default options.
    ///
    /// Its hashers are those of [`ServerHasher::default`].
    pub fn global() -> &'static Self {
        static SERVERS: [OnceLock<Box<dyn Any + Send + Sync>>; Algorithm::ALL.len()] =
            [const { OnceLock::new() }; Algorithm::ALL.len()];
        SERVERS[A::ALGORITHM as usize]
            .get_or_init(|| Box::new(Self::new()))
            .downcast_ref()
            .expect("each algorithm stands for one type")
    }

    /// A hasher of an empty message.
    ///
    /// While it is the only one of its server it hashes alone and at once. Where short messages
    /// come one after the other on each of many connections, keep a hasher for each connection and
    /// use [`ServerHasher::finalize_reset`]. If a hasher is made for each message, they may never
    /// meet.
    ///
    /// # Panics
    /// If memory for one more hasher in the server's queue cannot be had. In
    /// [`try_hasher`](HashServer::try_hasher) this is an error.
    pub fn hasher(&self) -> ServerHasher<A> {
        self.try_hasher().expect(NO_SEAT)
    }

    /// As [`hasher`](HashServer::hasher).
    ///
    /// # Errors
    /// If memory for one more hasher in the server's queue cannot be had. With 100,000 hashers this
    /// is one allocation of several MiB.
    pub fn try_hasher(&self) -> Result<ServerHasher<A>, TryReserveError> {
        ServerHasher::with_stream(self.clone(), Stream::new(A::INITIAL), 0)
    }

    /// A hasher of an empty message under a key, for its MAC. It shares lanes with all hashers of
    /// the server. The block of the digest, which comes last, is hashed alone.
    ///
    /// # Panics
    /// As [`hasher`](HashServer::hasher).
    pub fn hmac(&self, key: &HmacKey<A>) -> ServerHmacHasher<A> {
        self.try_hmac(key).expect(NO_SEAT)
    }

    /// As [`hmac`](HashServer::hmac).
    ///
    /// # Errors
    /// As [`try_hasher`](HashServer::try_hasher).
    pub fn try_hmac(&self, key: &HmacKey<A>) -> Result<ServerHmacHasher<A>, TryReserveError> {
        ServerHmacHasher::new(self.clone(), key.clone())
    }

    /// What the server has done so far.
    pub fn stats(&self) -> ServerStats {
        self.shared
            .counters
            .stats::<A>(self.shared.engine.row_for(1), self.shared.limits.policy.full)
    }
}

impl<A: HashFunction> Clone for HashServer<A> {
    /// Another handle of the same server.
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

impl<A: HashFunction> Default for HashServer<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: HashFunction> Default for ServerHasher<A> {
    /// A hasher of an empty message, of the server that the whole process shares:
    /// [`HashServer::global`].
    fn default() -> Self {
        HashServer::global().hasher()
    }
}

impl<A: HashFunction> core::fmt::Debug for HashServer<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HashServer")
            .field("algorithm", &A::ALGORITHM)
            .field("stats", &self.stats())
            .finish()
    }
}
