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
    /// Others, one after the other, which are copied in pieces. With each is where it ends.
    Joined(Vec<(Part<'a>, usize)>),
}

impl<'a> Part<'a> {
    pub(crate) fn joined(parts: impl Iterator<Item = Part<'a>>) -> Self {
        let mut end = 0;
        let with_end = |part: Part<'a>| {
            end += part.len();
            (part, end)
        };
        Self::Joined(parts.map(with_end).collect())
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::Buffer(_, range) => range.len(),
            Self::Joined(parts) => parts.last().map_or(0, |&(_, end)| end),
        }
    }

    /// Copies as many bytes as `to` has, from `from` on.
    pub(crate) fn read(&self, from: usize, to: &mut [u8]) {
        match self {
            Self::Bytes(bytes) => to.copy_from_slice(&bytes[from..][..to.len()]),
            Self::Buffer(buffer, range) => buffer.read(range.start + from, to),
            Self::Joined(parts) => {
                let first = parts.partition_point(|&(_, end)| end <= from);
                let (mut from, mut rest) = (from, to);
                for (part, end) in &parts[first..] {
                    if rest.is_empty() {
                        break;
                    }
                    let (own, others) = rest.split_at_mut((end - from).min(rest.len()));
                    part.read(from + part.len() - end, own);
                    from = *end;
                    rest = others;
                }
            }
        }
    }

    /// The piece that starts at `at`, at most [`PIECE`] bytes. `place` has room for a copy.
    fn piece<'p>(&'p self, at: usize, place: &'p mut [u8]) -> &'p [u8] {
        let (begin, end) = (at.min(self.len()), self.len().min(at.saturating_add(PIECE)));
        match self {
            Self::Bytes(bytes) => &bytes[begin..end],
            _ => {
                let piece = &mut place[..end - begin];
                self.read(begin, piece);
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
