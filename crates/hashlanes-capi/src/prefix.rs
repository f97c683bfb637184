//! Messages with a common prefix.

use std::ffi::c_void;

use hashlanes::Prefix;

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{bytes, destroy, guard, hand_over, shared};
use crate::digest::{chunks, hash_many};
use crate::error::hashlanes_error;
use crate::hasher::hashlanes_hasher;
use crate::output::Output;

/// A prefix that many messages share, such as a tag or a domain separator. Its whole blocks are
/// hashed only once.
pub struct hashlanes_prefix(Prefix);

/// Creates a prefix from `length` bytes, which are not needed after the call. `bytes` may be NULL
/// if `length` is 0.
///
/// On an error, `*prefix` is NULL.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_prefix_create(
    algorithm: hashlanes_algorithm,
    bytes: *const c_void,
    length: usize,
    prefix: *mut *mut hashlanes_prefix,
) -> hashlanes_error {
    let make = || {
        let engine = engine(algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `bytes`.
        let start = unsafe { self::bytes(bytes, length) }?;
        Ok(hashlanes_prefix(Prefix::with_engine(engine, start)))
    };
    // SAFETY: *Memory* and *Threads* hold for `prefix`, which has room for a pointer.
    guard(|| unsafe { hand_over(prefix, make) })
}

/// Like `hashlanes_digest_many`, but hashes the prefix followed by each message.
///
/// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_prefix_digest_many(
    prefix: *const hashlanes_prefix,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    digests: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `prefix`.
        let prefix = &unsafe { shared(prefix) }?.0;
        let output = Output::new(digests, size, count, prefix.algorithm().digest_len())?;
        let hash = |messages: &[&[u8]], output: &mut [u8]| {
            prefix.digest_many_into(messages, output);
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `size` bytes of the output.
        unsafe { hash_many(messages, lengths, count, output, hash) }
    })
}

/// Like `hashlanes_digest_chunks`, but hashes the prefix followed by each chunk.
///
/// Errors: `HASHLANES_ERROR_CHUNK`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once, even with the same prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_prefix_digest_chunks(
    prefix: *const hashlanes_prefix,
    data: *const c_void,
    length: usize,
    chunk_length: usize,
    digests: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        // SAFETY: *Life* and *Threads* hold for `prefix`.
        let prefix = &unsafe { shared(prefix) }?.0;
        let digest_length = prefix.algorithm().digest_len();
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `data` and the `size` bytes
        // of `digests`.
        let (data, output) =
            unsafe { chunks(data, length, chunk_length, digests, size, digest_length) }?;
        prefix.digest_chunks_into(data, chunk_length, output);
        Ok(())
    })
}

/// Creates a hasher whose messages begin with the prefix: its first one, and each that it begins
/// later. The prefix may be destroyed before the hasher.
///
/// On an error, `*hasher` is NULL.
///
/// Errors: `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once, even with the same prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_prefix_hasher(
    prefix: *const hashlanes_prefix,
    hasher: *mut *mut hashlanes_hasher,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `prefix`.
    let make = || Ok(unsafe { shared(prefix) }?.0.hasher().into());
    // SAFETY: *Memory* and *Threads* hold for `hasher`, which has room for a pointer.
    guard(|| unsafe { hand_over(hasher, make) })
}

/// Destroys a prefix. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the prefix.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_prefix_destroy(prefix: *mut hashlanes_prefix) {
    // SAFETY: *Life* holds for `prefix` and ends here; by *Threads*, no other thread uses it.
    unsafe { destroy(prefix) };
}
