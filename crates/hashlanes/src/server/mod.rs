//! One engine shared by many hashers, in one thread or many: ordinary streaming hashers whose
//! messages share lanes.
//!
//! A *hasher* ([`ServerHasher`]) belongs to one message. A *writer* is the thread or task that
//! calls it. There are three ways to hash what it writes:
//!
//! * **At once**, in the best kernel for one message, if there is no other hasher, or if recent
//!   searches for peers found none.
//! * **Deferred**: a write that fits is copied to the hasher's *staging*, and the call returns. The
//!   hasher's *slot* enters the server's *queue*.
//! * **Shared**: a thread takes messages out of the queue and hashes them in one *round* together
//!   with its own. It does so if enough messages are ready to fill the lanes, if its staging is
//!   full, or if it needs a digest. A write that is too large to be deferred is *lent* to the round
//!   instead of copied. A round takes only a *share* of the queue, to leave work for threads on
//!   other cores. A writer whose message is in another thread's round runs rounds itself before it
//!   sleeps.
//!
//! So whichever thread needs room or a result does the work. There is no other thread, no timer and
//! nothing to close.
//!
//! # The states of a message
//! ```text
//!        +-------------------- home, in its slot (the guard is `Home`) -------------------+
//!        |            defer              enter                enter                       |
//!  new ----> empty ----------> filling ----------> started ----------> ready              |
//!        |     ^                 |   ^                |                  |                |
//!        |     +- hash_at_once --+   +---- leave -----+------------------+                |
//!        +--------------------------------------------------------------------------------+
//!            |     ^              |                    |                  |
//!            |     |              | take, by the       | take, by         | abandon
//!            |     | come_home    | owner's round      | another round    | (reset, drop)
//!            |     |              v                    v                  v
//!            |   +---------------------------------------+         +-----------+
//!            |   | out, with the round of one thread     | abandon | abandoned |
//!            |   | Bytes may be put aside. The owner     |-------->|           |
//!            |   | runs other rounds, sleeps, or leaves  |         |           |
//!            |   | a waker.                              |         +-----------+
//!            |   +---------------------------------------+
//!            | a kernel panicked, at home or out
//!            v
//!          lost: home, but refuses to continue until `reset`, which abandons it
//! ```
//!
//! | state | meaning |
//! |---|---|
//! | empty | nothing is deferred |
//! | filling | a few bytes are deferred, not worth offering to others |
//! | started | in the queue; a round takes it if it has lanes to spare |
//! | ready | in the queue with many bytes or a loan; enough of these start a round |
//! | out | a round is hashing it; if much is left, it returns to the queue |
//! | lost | a kernel panicked while hashing it, so its state is unknown |
//! | abandoned | its owner has gone: what comes home is dropped |
//!
//! Threads (`write.rs`) and tasks (`poll.rs`) take the same steps. Threads may sleep and lend.
//! Tasks leave wakers and copy.
//!
//! | file | content |
//! |---|---|
//! | `hasher.rs` | what a hasher's user calls |
//! | `owner.rs` | the same, whatever the function |
//! | `function.rs` | a function as a value, so that the server is compiled once |
//! | `message.rs` | a message of any family, with what is still to be hashed of it |
//! | `many.rs` | the same for many hashers of one thread |
//! | `hmac.rs` | the same for a message under a key |
//! | `write.rs` | how a writer advances its message: the choice between the three ways |
//! | `poll.rs` | the same for a task |
//! | `slot.rs` | where a message is, and the guards that say so |
//! | `loan.rs`, `lend.rs` | a large write lent to another thread: the only `unsafe` code |
//! | `staging.rs` | deferred bytes |
//! | `pool.rs` | the buffers for them |
//! | `queue.rs` | the slots with something to hash, in order |
//! | `shared.rs` | what hashers share: queue, pool, thresholds |
//! | `peers.rs` | how many peers messages have met recently |
//! | `policy.rs` | how many messages share a round: the arithmetic |
//! | `round.rs` | the messages that are out with a thread, and how they come home |
//! | `task.rs` | one of those messages as the scheduler sees it |
//! | `options.rs`, `stats.rs` | what the server's operator sets and sees |
//! | `any.rs` | the algorithm chosen at run time |
//! | `sync.rs` | locks and atomics, or loom's |
//!
//! # Foreign code
//! A task's waker is foreign code: its clone, its wake and its destructor may panic, wait, or use
//! hashers of the same server. It runs only while this thread holds no lock and all messages of its
//! round are home, so it can wait for any of them. The same holds for the program's panic hook when
//! a hasher refuses to go on.
//!
//! The allocator is foreign too, but Rust forbids it to unwind. It is never called while the
//! queue's or the pool's lock is held, nor while messages are brought home. Requests for memory for
//! deferred bytes and for rounds can fail. If memory is requested while a slot is locked, the
//! slot's message is home and intact.
//!
//! A kernel that panics, which would be a bug, calls the panic hook in the middle of a round. So a
//! hook must not use the server.
//!
//! `docs/design/server.md` explains the design and its thresholds.

#![deny(unsafe_code)]

mod any;

// These tests need threads and caught panics, which WebAssembly lacks.
#[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
#[allow(unsafe_code)]
mod foreign_tests;
mod function;
mod hasher;
#[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
mod help_tests;
mod hmac;
#[allow(unsafe_code)]
mod lend;
#[allow(unsafe_code)]
mod loan;
mod many;
mod message;
#[cfg(all(loom, test, feature = "all"))]
mod model;
mod options;
mod owner;
mod peers;
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
mod task;
mod write;

use std::any::Any;
use std::boxed::Box;
use std::collections::TryReserveError;
use std::marker::PhantomData;
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
use crate::wipe;

/// Hashers for many messages at the same time, in one thread or many, that share the lanes of the
/// CPU.
///
/// A server makes ordinary streaming hashers, one for each message. While only one of them is in
/// use, it is as fast as any other hasher. The more are in use, the more messages are hashed side
/// by side. A server is a handle: its clones are the same server. It has no thread of its own, and
/// nothing needs to be closed.
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
    shared: Arc<Shared>,
    function: PhantomData<fn() -> A>,
}

impl<A: HashFunction> HashServer<A> {
    /// A server with the default options that chooses kernels automatically.
    pub fn new() -> Self {
        Self::with_options(ServerOptions::new())
    }

    /// A server that chooses kernels automatically.
    pub fn with_options(options: ServerOptions) -> Self {
        Self::with_engine(Engine::new(), options)
    }

    /// A server that uses the engine's kernel if that was chosen by name.
    pub fn with_engine(engine: Engine<A>, options: ServerOptions) -> Self {
        Self::of(Shared::new(engine, Limits::new(options, engine)))
    }

    fn of(shared: Shared) -> Self {
        Self { shared: Arc::new(shared), function: PhantomData }
    }

    /// The server that the entire process shares, with the default options. The first call makes
    /// it.
    ///
    /// [`ServerHasher::default`] returns its hashers.
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
    /// While it is the server's only hasher, it hashes everything at once. If each of many
    /// connections carries short messages one after another, keep a hasher for each connection and
    /// use [`ServerHasher::finalize_reset`]. Hashers that are made for each message may never meet.
    ///
    /// # Panics
    /// If there is no memory for one more hasher in the server's queue.
    /// [`try_hasher`](HashServer::try_hasher) returns an error instead.
    pub fn hasher(&self) -> ServerHasher<A> {
        self.try_hasher().expect(NO_SEAT)
    }

    /// Like [`hasher`](HashServer::hasher).
    ///
    /// # Errors
    /// If there is no memory for one more hasher in the server's queue. With 100,000 hashers the
    /// queue is one allocation of several MiB.
    pub fn try_hasher(&self) -> Result<ServerHasher<A>, TryReserveError> {
        ServerHasher::with_message(self, self.shared.function.message())
    }

    /// A hasher that computes the MAC of an empty message under a key. It shares lanes with all
    /// hashers of the server, except for the last block, which is hashed by itself.
    ///
    /// # Panics
    /// Like [`hasher`](HashServer::hasher).
    pub fn hmac_hasher(&self, key: &HmacKey<A>) -> ServerHmacHasher<A> {
        self.try_hmac_hasher(key).expect(NO_SEAT)
    }

    /// Like [`hmac_hasher`](HashServer::hmac_hasher).
    ///
    /// # Errors
    /// Like [`try_hasher`](HashServer::try_hasher).
    pub fn try_hmac_hasher(
        &self,
        key: &HmacKey<A>,
    ) -> Result<ServerHmacHasher<A>, TryReserveError> {
        wipe::call::<{ wipe::ALONE }, _>(|| ServerHmacHasher::new(self, key.clone()))
    }

    /// What the server has done so far.
    pub fn stats(&self) -> ServerStats {
        self.shared.stats()
    }
}

impl<A: HashFunction> Clone for HashServer<A> {
    /// Another handle to the same server.
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), function: PhantomData }
    }
}

impl<A: HashFunction> Default for HashServer<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: HashFunction> Default for ServerHasher<A> {
    /// A hasher of an empty message on the server that the entire process shares:
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
