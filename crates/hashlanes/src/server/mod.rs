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

// # The states of a message
// ```text
//        +-------------------- home, in its slot (the guard is `Home`) -------------------+
//        |            defer              enter                enter                       |
//  new ----> empty ----------> filling ----------> started ----------> ready              |
//        |     ^                 |   ^                |                  |                |
//        |     +- hash_at_once --+   +---- leave -----+------------------+                |
//        +--------------------------------------------------------------------------------+
//            |     ^              |                    |                  |
//            |     |              | take, by the       | take, by         | abandon
//            |     | come_home    | owner's round      | another round    | (reset, drop)
//            |     |              v                    v                  v
//            |   +---------------------------------------+         +-----------+
//            |   | out, with the round of one thread     | abandon | abandoned |
//            |   | Bytes may be put aside. The owner     |-------->|           |
//            |   | runs other rounds, sleeps, or leaves  |         |           |
//            |   | a waker.                              |         +-----------+
//            |   +---------------------------------------+
//            | a kernel panicked, at home or out
//            v
//          lost: home, but refuses to continue until `reset`, which abandons it
// ```
//
// | state | meaning |
// |---|---|
// | empty | nothing is deferred |
// | filling | a few bytes are deferred, not worth offering to others |
// | started | in the queue; a round takes it if it has lanes to spare |
// | ready | in the queue with many bytes or a loan; enough of these start a round |
// | out | a round is hashing it; if much is left, it returns to the queue |
// | lost | a kernel panicked while hashing it, so its state is unknown |
// | abandoned | its owner has gone: what comes home is dropped |
//
// Threads (`write.rs`) and tasks (`poll.rs`) take the same steps. Threads may sleep and lend.
// Tasks leave wakers and copy.
//
// | file | content |
// |---|---|
// | `hasher.rs` | what a hasher's user calls |
// | `owner.rs` | the same, whatever the function |
// | `function.rs` | a function as a value, so that the server is compiled once |
// | `message.rs` | a message of any family, with what is still to be hashed of it |
// | `many.rs` | the same for many hashers of one thread |
// | `write.rs` | how a writer advances its message: the choice between the three ways |
// | `poll.rs` | the same for a task |
// | `slot.rs` | where a message is, and the guards that say so |
// | `loan.rs`, `lend.rs` | a large write lent to another thread: the only `unsafe` code |
// | `staging.rs` | deferred bytes |
// | `pool.rs` | the buffers for them |
// | `queue.rs` | the slots with something to hash, in order |
// | `shared.rs` | what hashers share: queue, pool, thresholds |
// | `peers.rs` | how many peers messages have met recently |
// | `policy.rs` | how many messages share a round: the arithmetic |
// | `trial.rs` | whether sharing pays while other threads want the cores |
// | `round.rs` | the messages that are out with a thread, and how they come home |
// | `task.rs` | one of those messages as the scheduler sees it |
// | `options.rs`, `stats.rs` | what the server's operator sets and sees |
// | `sync.rs` | locks and atomics, or loom's |
// | `docs/design/server.md` | the design and its thresholds |

#![deny(unsafe_code)]

// These tests need threads and caught panics, which WebAssembly lacks.
#[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
#[allow(unsafe_code)]
mod foreign_tests;
mod function;
mod hasher;
#[cfg(all(test, feature = "all", not(loom), not(target_family = "wasm")))]
mod help_tests;
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
mod trial;
mod write;

use std::any::Any;
use std::boxed::Box;
use std::collections::TryReserveError;
use std::sync::OnceLock;

pub use hasher::ServerHasher;
pub use options::ServerOptions;
pub use stats::{KernelUse, ServerStats};

use self::function::served;
use self::hasher::NO_SEAT;
use self::options::Limits;
use self::shared::Shared;
use self::sync::Arc;
use crate::api::engine::Engine;
use crate::api::hasher::Under;
use crate::api::hmac::key::HmacKey;
use crate::function::{Algorithm, Function, HashFunction};
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
/// use hashlanes::server::HashServer;
/// use hashlanes::Md5;
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
pub struct HashServer<A = Algorithm> {
    shared: Arc<Shared>,
    function: A,
}

impl<A: HashFunction> HashServer<A> {
    /// A server with the default options, for a function that is a type: [`HashServer::of`] it.
    pub fn new() -> Self {
        Self::of(A::default())
    }

    /// A server for a function that is a type, which chooses kernels automatically.
    pub fn with_options(options: ServerOptions) -> Self {
        Self::with_engine(Engine::new(), options)
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
}

impl<A: Function> HashServer<A> {
    /// A server with the default options that chooses kernels automatically.
    ///
    /// ```
    /// use hashlanes::server::HashServer;
    /// use hashlanes::Algorithm;
    ///
    /// let server = HashServer::of(Algorithm::from_name("sha256")?);
    /// let mut hasher = server.hasher();
    /// hasher.update("abc");
    /// assert_eq!(hasher.finalize(), Algorithm::Sha256.digest("abc"));
    /// # Ok::<(), hashlanes::UnknownAlgorithm>(())
    /// ```
    pub fn of(function: A) -> Self {
        Self::with_engine(Engine::of(function), ServerOptions::new())
    }

    /// A server that uses the engine's kernel if that was chosen by name.
    pub fn with_engine(engine: Engine<A>, options: ServerOptions) -> Self {
        wipe::stack::<{ wipe::MANY }>();
        Self::of_shared(engine.function(), shared(engine, options))
    }

    fn of_shared(function: A, shared: Arc<Shared>) -> Self {
        Self { shared, function }
    }

    /// The function as a value.
    pub fn algorithm(&self) -> Algorithm {
        self.function.algorithm()
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
        self.try_hasher_under(())
    }

    /// A hasher that computes the MAC of an empty message under a key. It shares lanes with all
    /// hashers of the server, except for the last block, which is hashed by itself.
    ///
    /// ```
    /// use hashlanes::server::HashServer;
    /// use hashlanes::{HmacKey, Sha256};
    ///
    /// let server = HashServer::<Sha256>::new();
    /// let key = HmacKey::new("secret");
    /// let mut hasher = server.hmac_hasher(&key);
    /// hasher.update("mess").update("age");
    /// assert_eq!(hasher.finalize_reset(), key.mac("message"));
    /// assert_eq!(hasher.finalize(), key.mac(""));
    /// ```
    ///
    /// # Panics
    /// If the key is of another algorithm, and like [`hasher`](HashServer::hasher).
    pub fn hmac_hasher(&self, key: &HmacKey<A>) -> ServerHasher<A, HmacKey<A>> {
        let hasher = wipe::call::<{ wipe::ALONE }, _>(|| self.try_hasher_under(key.clone()));
        hasher.expect(NO_SEAT)
    }

    /// A hasher that computes a MAC if there is a key: [`Under`] says what a key may be.
    ///
    /// ```
    /// use hashlanes::server::{HashServer, ServerHasher};
    /// use hashlanes::{Algorithm, HmacKey};
    ///
    /// let server = HashServer::of(Algorithm::Sha256);
    /// let key = HmacKey::of(Algorithm::Sha256, "secret");
    /// let hashers: [ServerHasher<_, Option<Box<HmacKey>>>; 2] =
    ///     [None, Some(Box::new(key.clone()))].map(|key| server.try_hasher_under(key).unwrap());
    /// let [digest, mac] = hashers.map(|mut hasher| hasher.update("message").finalize_reset());
    /// assert_eq!(digest, Algorithm::Sha256.digest("message"));
    /// assert_eq!(mac, key.mac("message"));
    /// ```
    ///
    /// # Errors
    /// Like [`try_hasher`](HashServer::try_hasher).
    ///
    /// # Panics
    /// If the key is of another algorithm.
    pub fn try_hasher_under<K: Under<A>>(
        &self,
        key: K,
    ) -> Result<ServerHasher<A, K>, TryReserveError> {
        wipe::call::<{ wipe::ALONE }, _>(|| ServerHasher::new(self, key))
    }

    /// What the server has done so far.
    pub fn stats(&self) -> ServerStats {
        self.shared.stats()
    }
}

/// A server in memory of its own. Its padding keeps what was on the stack where the server was
/// made. So that is in a frame of its own, below the caller's, which has wiped the stack there.
#[inline(never)]
fn shared<A: Function>(engine: Engine<A>, options: ServerOptions) -> Arc<Shared> {
    let (function, forced) = (served(engine.function()), engine.forced());
    let limits = Limits::of(options, engine.algorithm().block_len(), &*function, forced);
    Arc::new(Shared::of(function, forced, limits))
}

impl<A: Function> Clone for HashServer<A> {
    /// Another handle to the same server.
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared), function: self.function }
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

impl<A: Function> core::fmt::Debug for HashServer<A> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("HashServer")
            .field("algorithm", &self.algorithm())
            .field("stats", &self.stats())
            .finish()
    }
}
