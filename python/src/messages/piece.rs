//! A piece of one message: the argument of `update` and the constructors.

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use hashlanes::Hasher;
use pyo3::prelude::*;

use super::input::{self, View};
use crate::interpreter::steps::in_steps;

/// Minimum bytes for which the thread detaches from the interpreter, as in CPython.
pub(crate) const LARGE: usize = 2048;

/// Bytes of a large view that are copied and hashed at a time. They fit in the first-level cache.
const PART: usize = 16 * 1024;

pub(crate) enum Piece<'a> {
    /// The bytes of a `bytes` object, which the caller holds.
    Bytes(&'a [u8]),
    /// A buffer that may change.
    View(&'a View),
}

impl Piece<'_> {
    /// Calls `f` with the bytes of an object that hashlib would accept.
    ///
    /// # Errors
    /// hashlib's, for other objects.
    #[inline]
    pub(crate) fn with<R>(
        object: &Bound<'_, PyAny>,
        f: impl FnOnce(Piece<'_>) -> R,
    ) -> PyResult<R> {
        match input::bytes(object) {
            Some(bytes) => Ok(f(Piece::Bytes(bytes))),
            None => View::of_hashlib(object, |view| f(Piece::View(view))),
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes.len(),
            Self::View(view) => view.len(),
        }
    }

    /// Appends the piece to a message.
    #[inline]
    pub(crate) fn add_to(&self, hasher: &mut Hasher) {
        self.add_part_to(0..self.len(), hasher);
    }

    #[inline]
    fn add_part_to(&self, part: Range<usize>, hasher: &mut Hasher) {
        match self {
            Self::Bytes(bytes) => {
                hasher.update(&bytes[part]);
            }
            Self::View(view) if part.len() < LARGE => add_copies::<LARGE>(view, part, hasher),
            Self::View(view) => add_copies::<PART>(view, part, hasher),
        }
    }

    /// Appends the piece to a message in steps. Other threads and signal handlers run in between.
    ///
    /// # Errors
    /// Exceptions of signal handlers. Part of the piece has been appended then.
    pub(crate) fn add_in_steps(&self, py: Python<'_>, hasher: &mut Hasher) -> PyResult<()> {
        in_steps(py, self.len(), |part| self.add_part_to(part, hasher))
    }
}

/// Appends bytes that may change, copying `N` at a time.
#[inline(never)]
fn add_copies<const N: usize>(view: &View, part: Range<usize>, hasher: &mut Hasher) {
    let mut memory = [MaybeUninit::uninit(); N];
    for at in part.clone().step_by(N) {
        hasher.update(view.read(at, &mut memory[..N.min(part.end - at)]));
    }
}
