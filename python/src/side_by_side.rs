//! Messages through the library's lanes, their algorithm known by name only.

#![forbid(unsafe_code)]

use std::ops::Range;

use hashlanes::{Algorithm, AnyEngine, Engine, HashFunction};

use crate::input::Buffer;
use crate::name::with_function;

/// Bytes of each message that are copied and hashed at a time.
const PIECE: usize = 16 << 10;

/// Writes the digests of messages, one after the other.
pub(crate) fn digest_many(algorithm: Algorithm, messages: &[impl AsRef<[u8]>], digests: &mut [u8]) {
    with_function!(algorithm, A => {
        const LENGTH: usize = size_of::<<A as HashFunction>::Digest>();
        Engine::<A>::new().digest_many_into(messages, digests.as_chunks_mut::<LENGTH>().0);
    });
}

/// Writes the digests of the chunks of some bytes, one after the other.
pub(crate) fn digest_chunks(
    algorithm: Algorithm,
    data: &[u8],
    chunk_length: usize,
    digests: &mut [u8],
) {
    with_function!(algorithm, A => {
        const LENGTH: usize = size_of::<<A as HashFunction>::Digest>();
        let digests = digests.as_chunks_mut::<LENGTH>().0;
        Engine::<A>::new().digest_chunks_into(data, chunk_length, digests);
    });
}

/// Calls `done` with the number and the digest of each of some parts of buffers, which may change
/// meanwhile: a piece of each is copied at a time.
pub(crate) fn digest_parts(
    algorithm: Algorithm,
    parts: &[(&Buffer, Range<usize>)],
    mut done: impl FnMut(usize, &[u8]),
) {
    let mut hashers = AnyEngine::new(algorithm).hashers(parts.len());
    let longest = parts.iter().map(|(_, part)| part.len()).max().unwrap_or(0);
    let mut memory = vec![0; parts.len() * PIECE.min(longest)];
    for at in (0..longest).step_by(PIECE) {
        let places = memory.chunks_exact_mut(PIECE.min(longest));
        let pieces = places.zip(parts).map(|(place, (buffer, part))| {
            let begin = (part.start + at).min(part.end);
            let piece = &mut place[..PIECE.min(part.end - begin)];
            buffer.read(begin, piece);
            &*piece
        });
        hashers.update(&pieces.collect::<Vec<_>>());
    }
    for number in 0..parts.len() {
        done(number, hashers.finalize_reset(number).as_bytes());
    }
}
