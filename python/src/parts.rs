//! Long parts of buffers side by side, a piece of each at a time.

#![forbid(unsafe_code)]

use std::ops::Range;

use hashlanes::{Algorithm, AnyEngine};

use crate::input::Buffer;

/// Bytes of each message that are copied and hashed at a time.
const PIECE: usize = 16 << 10;

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
