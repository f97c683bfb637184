//! One message, many messages, the chunks of one buffer.

use std::ffi::c_void;

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{bytes, guard};
use crate::error::{Error, hashlanes_error};
use crate::messages::with_messages;
use crate::output::Output;

/// Writes the digest of one message to `digest`, which has room for `size` bytes. `data` may be
/// NULL if `length` is 0.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_digest(
    algorithm: hashlanes_algorithm,
    data: *const c_void,
    length: usize,
    digest: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `data`.
        let message = unsafe { bytes(data, length) }?;
        let output = Output::new(digest, size, 1, engine.algorithm().digest_len())?;
        output.is_apart_from(message)?;
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `digest`, which do not
        // overlap the message.
        engine.digest_many_into(&[message], unsafe { output.bytes() });
        Ok(())
    })
}

/// Writes the digests of `count` independent messages of any lengths to `digests`, one after the
/// other, in the order of the messages. Many messages are hashed side by side: this is what the
/// library is for.
///
/// `messages[i]` points to `lengths[i]` bytes, and may be NULL if that is 0. Messages may overlap
/// each other. `digests` has room for `size` bytes, which must be at least `count` times the digest
/// length.
///
/// For more than 256 messages, the call allocates 16 bytes for each and frees them before it
/// returns.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_digest_many(
    algorithm: hashlanes_algorithm,
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    digests: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let output = Output::new(digests, size, count, engine.algorithm().digest_len())?;
        let hash = |messages: &[&[u8]], output: &mut [u8]| {
            engine.digest_many_into(messages, output);
            Ok(())
        };
        // SAFETY: *Memory* and *Threads* hold for `count` pointers and lengths, the messages that
        // they describe, and the `size` bytes of the output.
        unsafe { hash_many(messages, lengths, count, output, hash) }
    })
}

/// Hashes messages from C to an output that must not overlap any of them.
///
/// # Safety
/// There are `count` pointers and lengths, and as many bytes at each pointer as its length says,
/// which nobody changes during the call. Nobody else uses the memory of the output.
#[inline]
pub(crate) unsafe fn hash_many(
    messages: *const *const c_void,
    lengths: *const usize,
    count: usize,
    output: Output,
    hash: impl FnOnce(&[&[u8]], &mut [u8]) -> Result<(), Error>,
) -> Result<(), Error> {
    // SAFETY: `# Safety` above asks the caller for the messages that `with_messages` reads, and for
    // an output that nobody else uses. It becomes a slice only after `with_messages` has found that
    // neither a message nor its pointer or length overlaps it.
    unsafe {
        with_messages(messages, lengths, count, &output, |messages| hash(messages, output.bytes()))
    }
}

/// The number of chunks of `chunk_length` bytes in a buffer of `length` bytes; the last may be
/// shorter. An empty buffer has none. 0 if `chunk_length` is 0.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub extern "C" fn hashlanes_chunk_count(length: usize, chunk_length: usize) -> usize {
    if chunk_length == 0 { 0 } else { length.div_ceil(chunk_length) }
}

/// Writes the digests of the consecutive chunks of a buffer to `digests`, one after the other:
/// Merkle leaves, pieces, parts. Each chunk is `chunk_length` bytes long, except that the last may
/// be shorter. `hashlanes_chunk_count` gives their number.
///
/// To compute a level of a binary Merkle tree, pass the level below as the buffer and twice the
/// digest length as the chunk length.
///
/// Nothing is allocated.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_CHUNK`, `HASHLANES_ERROR_SIZE`,
/// `HASHLANES_ERROR_OVERLAP`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_digest_chunks(
    algorithm: hashlanes_algorithm,
    data: *const c_void,
    length: usize,
    chunk_length: usize,
    digests: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let digest_length = engine.algorithm().digest_len();
        // SAFETY: *Memory* and *Threads* hold for the `length` bytes of `data` and the `size` bytes
        // of `digests`.
        let (data, output) =
            unsafe { chunks(data, length, chunk_length, digests, size, digest_length) }?;
        engine.digest_chunks_into(data, chunk_length, output);
        Ok(())
    })
}

/// A buffer to be hashed in chunks, and the memory for their digests.
///
/// # Safety
/// There are `length` bytes at `data`, which nobody changes during `'a`, and `size` writable bytes
/// at `digests`, which nobody else uses during `'a`.
pub(crate) unsafe fn chunks<'a>(
    data: *const c_void,
    length: usize,
    chunk_length: usize,
    digests: *mut u8,
    size: usize,
    digest_length: usize,
) -> Result<(&'a [u8], &'a mut [u8]), Error> {
    if chunk_length == 0 {
        return Err(Error::Chunk);
    }
    // SAFETY: `# Safety` above asks the caller for `length` bytes that nobody changes during `'a`.
    let data = unsafe { bytes(data, length) }?;
    let count = hashlanes_chunk_count(length, chunk_length);
    let output = Output::new(digests, size, count, digest_length)?;
    output.is_apart_from(data)?;
    // SAFETY: `# Safety` above asks the caller for `size` bytes that nobody else uses during `'a`,
    // which is at least the length of the output, as `Output::new` checked. They do not overlap the
    // buffer, as the line above checked.
    Ok((data, unsafe { output.bytes() }))
}
