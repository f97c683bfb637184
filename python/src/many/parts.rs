//! Hashes long parts of messages side by side, one piece of each at a time.

#![forbid(unsafe_code)]

use std::ops::Range;

use hashlanes::{Algorithm, Engine};

use crate::interpreter::steps::STEP;
use crate::messages::input::Buffer;

/// Bytes of each part that are copied and hashed at a time.
const PIECE: usize = 16 << 10;

/// A range of a long message.
pub(crate) enum Part<'a> {
    /// Immutable bytes.
    Bytes(&'a [u8]),
    /// Mutable bytes, which are copied in pieces.
    Buffer(&'a Buffer, Range<usize>),
}

impl Part<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Buffer(_, range) => range.len(),
        }
    }

    /// The piece that starts at `at`, at most [`PIECE`] bytes. `place` has room for a copy.
    fn piece<'a>(&'a self, at: usize, place: &'a mut [u8]) -> &'a [u8] {
        let (begin, end) = (at.min(self.len()), self.len().min(at.saturating_add(PIECE)));
        match self {
            Self::Bytes(bytes) => &bytes[begin..end],
            Self::Buffer(buffer, range) => {
                let piece = &mut place[..end - begin];
                buffer.read(range.start + begin, piece);
                piece
            }
        }
    }
}

/// Calls `done` with the index and the digest of each part. Calls `go_on` after every [`STEP`]
/// bytes, and returns early if it answers `false`.
pub(crate) fn digest_parts(
    algorithm: Algorithm,
    parts: &[Part<'_>],
    go_on: &mut dyn FnMut() -> bool,
    mut done: impl FnMut(usize, &[u8]),
) {
    let mut hashers = Engine::of(algorithm).hashers(parts.len());
    let longest = parts.iter().map(Part::len).max().unwrap_or(0);
    let mut memory = vec![0; parts.len() * PIECE.min(longest)];
    let mut step = 0;
    for at in (0..longest).step_by(PIECE) {
        let places = memory.chunks_exact_mut(PIECE.min(longest));
        let pieces: Vec<_> = places.zip(parts).map(|(place, part)| part.piece(at, place)).collect();
        step += pieces.iter().map(|piece| piece.len()).sum::<usize>();
        hashers.update(&pieces);
        if step >= STEP {
            step = 0;
            if !go_on() {
                return;
            }
        }
    }
    for number in 0..parts.len() {
        done(number, hashers.finalize_reset(number).as_bytes());
    }
}
