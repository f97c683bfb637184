//! Hashers on many threads that share lanes.

use std::ffi::{c_char, c_void};

use hashlanes::server::{HashServer, ServerHasher, ServerOptions, ServerStats};
use hashlanes::{Algorithm, HmacKey};

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{bytes, copy_text, destroy, exclusive, guard, hand_over, put, shared};
use crate::error::{Error, hashlanes_error};
use crate::hmac::hashlanes_hmac_key;
use crate::memory::set_aside;
use crate::output::Output;

/// Creates hashers for many concurrent messages, on one thread or many, which share the lanes of
/// the CPU.
///
/// A hasher that is in use alone is as fast as a `hashlanes_hasher`. The more there are, the more
/// messages are hashed side by side. A server has no thread of its own.
pub struct hashlanes_server(HashServer);

/// A streaming hasher of one message, which shares lanes with the other hashers of its server.
pub struct hashlanes_server_hasher(ServerHasher<Algorithm, Option<Box<HmacKey>>>);

/// Options of a server. Set all to 0 first: 0 stands for a member's default, and later versions may
/// use the reserved members.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_server_options {
    /// The maximum number of bytes deferred by all hashers together; by default 16 MiB. If this is
    /// less than one buffer, a hasher defers at most 1 KiB.
    pub memory: usize,
    /// The size of a buffer for deferred data in bytes, at least 2 KiB; by default 64 KiB. A longer
    /// write is never copied.
    pub staging: usize,
    /// The number of deferred bytes that make a message a candidate for a lane; by default 16 KiB.
    pub ready: usize,
    /// 1 to copy every write that fits a buffer, so that most writes return in microseconds. This
    /// costs CPU time. By default 0.
    pub low_latency: u32,
    /// Must be 0.
    pub reserved: [u32; 7],
}

/// What a server has done since it was created. A hasher reports the bytes that it hashes alone
/// only from time to time and at the end of a message, so the figures lag slightly.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_server_stats {
    /// The number of digests returned.
    pub messages: u64,
    /// The number of bytes hashed, side by side or alone.
    pub bytes: u64,
    /// The number of bytes hashed side by side with other messages.
    pub bytes_shared: u64,
    /// The number of times that two or more messages were hashed side by side.
    pub rounds: u64,
    /// The average number of lanes in use, weighted by bytes. 0 if there was no round.
    pub mean_lanes: f64,
    /// The number of messages that fill the lanes of the best kernel; 1 if sharing lanes gains
    /// nothing on this CPU.
    pub full_lanes: usize,
    /// The number of kernels that ran. `hashlanes_server_kernel_at` describes each.
    pub kernels: usize,
}

/// A kernel's share in what a server has done.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_server_kernel {
    /// Its name.
    pub name: [c_char; 32],
    /// The number of bytes of the rounds that began in it.
    pub bytes: u64,
    /// The number of rounds that began in it.
    pub rounds: u64,
}

impl hashlanes_server {
    fn stats(&self) -> Result<ServerStats, Error> {
        set_aside(OF_STATS, || Ok(self.0.stats()))
    }
}

/// Infallible allocations when a server is created: for its handle, for its function, for what its
/// hashers share, and for the files that the standard library reads to count the cores.
const OF_SERVER: usize = 10;

/// The same for a message: the message itself and its slot.
const OF_MESSAGE: usize = 2;

/// The same for a hasher: its message and the hasher itself. Before them the server's queue grows;
/// this may fail, but would use up a reserve block first.
const OF_HASHER: usize = OF_MESSAGE + 2;

/// The same for a server's statistics: the list of kernels.
const OF_STATS: usize = 1;

/// Checks and converts the options.
fn options(given: &hashlanes_server_options) -> Result<ServerOptions, Error> {
    let hashlanes_server_options { memory, staging, ready, low_latency, reserved } = *given;
    if low_latency > 1 || reserved != [0; 7] {
        return Err(Error::Option);
    }
    let mut options = ServerOptions::new().low_latency(low_latency == 1);
    if memory != 0 {
        options = options.memory(memory);
    }
    if staging != 0 {
        options = options.staging(staging);
    }
    if ready != 0 {
        options = options.ready(ready);
    }
    Ok(options)
}

/// Creates a server. `options` may be NULL for the defaults.
///
/// On an error, `*server` is NULL.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_OPTION`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_create(
    algorithm: hashlanes_algorithm,
    options: *const hashlanes_server_options,
    server: *mut *mut hashlanes_server,
) -> hashlanes_error {
    let make = || {
        let engine = engine(algorithm)?;
        let options = if options.is_null() {
            ServerOptions::new()
        } else {
            // SAFETY: *Memory* and *Threads* hold for `options`.
            self::options(unsafe { shared(options) }?)?
        };
        set_aside(OF_SERVER, || Ok(hashlanes_server(HashServer::with_engine(engine, options))))
    };
    // SAFETY: *Memory* and *Threads* hold for `server`, which has room for a pointer.
    guard(|| unsafe { hand_over(server, make) })
}

/// Creates a hasher, with an empty message. If `key` is not NULL, the hasher computes MACs under
/// it. The server and the key may be destroyed before the hasher.
///
/// If short messages follow each other on each of many connections, keep a hasher for each
/// connection. With a new hasher for each message, there may never be two messages to hash side by
/// side.
///
/// On an error, `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_hasher_create(
    server: *const hashlanes_server,
    key: *const hashlanes_hmac_key,
    hasher: *mut *mut hashlanes_server_hasher,
) -> hashlanes_error {
    let make = || {
        // SAFETY: *Life* and *Threads* hold for `server`.
        let server = &unsafe { shared(server) }?.0;
        let key = if key.is_null() {
            None
        } else {
            // SAFETY: *Life* and *Threads* hold for `key`.
            Some(unsafe { shared(key) }?.of(server.algorithm())?)
        };
        set_aside(OF_HASHER, || {
            let key = key.map(|key| Box::new(key.clone()));
            let hasher = server.try_hasher_under(key).map_err(|_| Error::Memory)?;
            Ok(hashlanes_server_hasher(hasher))
        })
    };
    // SAFETY: *Memory* and *Threads* hold for `hasher`, which has room for a pointer.
    guard(|| unsafe { hand_over(hasher, make) })
}

/// Appends bytes to the message. `data` may be NULL if `length` is 0. The bytes are not needed
/// after the call.
///
/// Short writes are copied and hashed later. Long writes are hashed before the call returns, side
/// by side with what other hashers have deferred. The call may wait for another thread that hashes
/// this message.
///
/// Errors: only those for pointers and lengths; then nothing was appended.
///
/// Threads: one at a time for each hasher. Hashers of one server may be used by any number of
/// threads at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_hasher_update(
    hasher: *mut hashlanes_server_hasher,
    data: *const c_void,
    length: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`, *Memory* and *Threads* for the `length`
        // bytes of `data`.
        let (hasher, piece) = unsafe { (exclusive(hasher)?, bytes(data, length)?) };
        hasher.0.update(piece);
        Ok(())
    })
}

/// Writes the digest of the message so far to `digest`, which has room for `size` bytes. Deferred
/// bytes of the message are hashed first. The message can be continued.
///
/// Errors: `HASHLANES_ERROR_SIZE`.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_hasher_digest(
    hasher: *mut hashlanes_server_hasher,
    digest: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let hasher = &unsafe { exclusive(hasher) }?.0;
        let output = Output::new(digest, size, 1, hasher.algorithm().digest_len())?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `digest`.
        unsafe { output.bytes() }.copy_from_slice(hasher.digest_so_far().as_bytes());
        Ok(())
    })
}

/// Writes the digest of the message to `digest`, which has room for `size` bytes, and begins a new
/// message.
///
/// Errors: `HASHLANES_ERROR_SIZE`; then the message can be continued.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_hasher_finish(
    hasher: *mut hashlanes_server_hasher,
    digest: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let hasher = &mut unsafe { exclusive(hasher) }?.0;
        let output = Output::new(digest, size, 1, hasher.algorithm().digest_len())?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `digest`.
        unsafe { output.bytes() }.copy_from_slice(hasher.finalize_reset().as_bytes());
        Ok(())
    })
}

/// Abandons the message and begins a new one. The call does not wait for a thread that hashes the
/// message.
///
/// Errors: `HASHLANES_ERROR_MEMORY`; then the message can be continued.
///
/// Threads: one at a time for each hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_hasher_reset(
    hasher: *mut hashlanes_server_hasher,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `hasher`.
        let hasher = &mut unsafe { exclusive(hasher) }?.0;
        set_aside(OF_MESSAGE, || {
            hasher.reset();
            Ok(())
        })
    })
}

/// Destroys a hasher. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the hasher.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_hasher_destroy(hasher: *mut hashlanes_server_hasher) {
    // SAFETY: *Life* holds for `hasher` and ends here; by *Threads*, no other thread uses it.
    unsafe { destroy(hasher) };
}

/// Writes the statistics of a server to `*stats`.
///
/// Errors: `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_stats_now(
    server: *const hashlanes_server,
    stats: *mut hashlanes_server_stats,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `server`.
        let now = unsafe { shared(server) }?.stats()?;
        let value = hashlanes_server_stats {
            messages: now.messages,
            bytes: now.bytes,
            bytes_shared: now.bytes_shared,
            rounds: now.rounds,
            mean_lanes: now.mean_lanes,
            full_lanes: now.full_lanes,
            kernels: now.kernels.len(),
        };
        // SAFETY: *Memory* and *Threads* hold for `stats`.
        unsafe { put(stats, value) }
    })
}

/// Describes one of the kernels that ran in a server. There may be one more at the next call.
///
/// Errors: `HASHLANES_ERROR_INDEX`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same server.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_kernel_at(
    server: *const hashlanes_server,
    index: usize,
    kernel: *mut hashlanes_server_kernel,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `server`.
        let now = unsafe { shared(server) }?.stats()?;
        let ran = now.kernels.get(index).ok_or(Error::Index)?;
        let name = copy_text(ran.kernel);
        let value = hashlanes_server_kernel { name, bytes: ran.bytes, rounds: ran.rounds };
        // SAFETY: *Memory* and *Threads* hold for `kernel`.
        unsafe { put(kernel, value) }
    })
}

/// Destroys a server. Its hashers stay valid. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the server itself; its hashers may be in use.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_server_destroy(server: *mut hashlanes_server) {
    // SAFETY: *Life* holds for `server` and ends here; by *Threads*, no other thread uses it.
    unsafe { destroy(server) };
}
