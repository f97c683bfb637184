//! A piece of one message: what `update` and the constructors are given.

#![forbid(unsafe_code)]

use std::mem::MaybeUninit;

use hashlanes::AnyHasher;
use pyo3::prelude::*;

use crate::hash::LARGE;
use crate::input::{self, View};

/// Bytes of a large view which are copied and hashed at a time. They stay in the processor's first
/// cache.
const PART: usize = 16 * 1024;

pub(crate) enum Piece<'a> {
    /// Of a `bytes` object, which the caller holds.
    Bytes(&'a [u8]),
    /// Of a buffer that may change.
    View(&'a View),
}

impl Piece<'_> {
    /// Calls `f` with the bytes of an object: of any buffer, as hashlib takes it.
    ///
    /// # Errors
    /// hashlib's.
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

    /// Appends it to a message.
    #[inline]
    pub(crate) fn add_to(&self, hasher: &mut AnyHasher) {
        match self {
            Self::Bytes(bytes) => {
                hasher.update(bytes);
            }
            Self::View(view) if view.len() < LARGE => add_copies::<LARGE>(view, hasher),
            Self::View(view) => add_copies::<PART>(view, hasher),
        }
    }
}

/// Appends bytes that may change meanwhile: `N` are copied at a time.
#[inline(never)]
fn add_copies<const N: usize>(view: &View, hasher: &mut AnyHasher) {
    let mut memory = [MaybeUninit::uninit(); N];
    for at in (0..view.len()).step_by(N) {
        hasher.update(view.read(at, &mut memory[..N.min(view.len() - at)]));
    }
}
