//! Messages in pieces, written down and continued later.

use alloc::vec::Vec;
use core::fmt;

use super::engine::Engine;
use super::hasher::Hasher;
use super::hmac::key::HmacKey;
use super::update::Hashers;
use crate::function::choice::InPieces;
use crate::function::{Algorithm, Function, GivenName};
use crate::wipe;

/// What every saved state begins with.
const MAGIC: [u8; 4] = *b"hlst";

/// The version of the format, which follows.
const VERSION: u8 = 1;

/// What precedes a message. The next byte says which it is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Under {
    Nothing = 0,
    /// A key of BLAKE2 or BLAKE3, which is in the state.
    OwnKey = 1,
    /// A key for HMAC, which is not.
    Hmac = 2,
    /// The domain separation byte of a sponge, which is before the state.
    Domain = 3,
}

/// The most bytes of a saved state.
pub const MAX_SAVED: usize = 2048;

/// Bytes of the check at the end.
const CHECK: usize = 8;

impl<A: Function> Hasher<A> {
    /// Saves the message so far, to be continued by [`restore`](Self::restore): in another process,
    /// in another version, on another CPU, or by another language's package of hashlanes.
    ///
    /// The bytes are, with integers in little-endian order:
    ///
    /// | bytes | what |
    /// |---|---|
    /// | 4 | `hlst` |
    /// | 1 | the version of the format: 1 |
    /// | 1 | what precedes it: 0 nothing, 1 a key of BLAKE2 or BLAKE3, 2 a key for HMAC, 3 domain |
    /// | 1, n | the length of the function's [name](Algorithm::name), and the name |
    /// | 16 | the length of the message in bytes, with a prefix or a block of a key |
    /// | words | the state |
    /// | the rest | the bytes of the message that are not compressed yet, at most a block |
    /// | 8 | the first bytes of the function's digest of all this |
    ///
    /// The words of a state are those of the function's standard: 4 for MD5, 5 for SHA-1, 8 for
    /// SHA-2 and SM3, 25 for Keccak. BLAKE2 has 8, and the length of the key in bytes. BLAKE3 has
    /// the chaining value, the key, the mode, the number of blocks in the chunk, and the values of
    /// the subtrees.
    ///
    /// A domain is the domain separation byte of cSHAKE or TurboSHAKE, which is before the state.
    ///
    /// Anyone who has them can extend the message, and read the last bytes of it. The check finds
    /// damage, not forgery.
    ///
    /// ```
    /// use hashlanes::{Hasher, Sha256};
    ///
    /// let saved = Sha256::hasher().update("ab").save()?;
    /// let mut hasher = Hasher::<Sha256>::restore(&saved)?;
    /// assert_eq!(hasher.update("c").finalize_reset(), Sha256::digest("abc"));
    /// # Ok::<(), hashlanes::SavedStateError>(())
    /// ```
    ///
    /// # Errors
    /// If the message is under a key of BLAKE2 or BLAKE3, because the state has the key:
    /// [`save_with_key`](Self::save_with_key).
    pub fn save(&self) -> Result<Vec<u8>, SavedStateError> {
        let mut saved = Vec::new();
        self.save_to(&mut saved)?;
        Ok(saved)
    }

    /// Appends what [`save`](Self::save) returns, at most [`MAX_SAVED`] bytes: for callers that
    /// allocate the memory themselves.
    ///
    /// # Errors
    /// As of `save`.
    pub fn save_to(&self, saved: &mut Vec<u8>) -> Result<(), SavedStateError> {
        if self.stream().holds_key() {
            return Err(SavedStateError(Reason::HasKey(self.algorithm().name())));
        }
        save(self.algorithm(), Under::Nothing, self.stream(), true, saved);
        Ok(())
    }

    /// [`save`](Self::save), with the key of BLAKE2 or BLAKE3 if the message is under one.
    /// Protect these bytes as you protect the key.
    pub fn save_with_key(&self) -> Vec<u8> {
        let (stream, mut saved) = (self.stream(), Vec::new());
        let under = if stream.holds_key() { Under::OwnKey } else { Under::Nothing };
        save(self.algorithm(), under, stream, true, &mut saved);
        saved
    }

    /// Continues a message that was [saved](Self::save), with the best kernels of this CPU.
    ///
    /// ```
    /// use hashlanes::{Algorithm, Hasher};
    ///
    /// let saved = Hasher::of(Algorithm::Blake3).update("ab").save()?;
    /// let mut hasher = Hasher::<Algorithm>::restore(&saved)?;
    /// assert_eq!(hasher.algorithm(), Algorithm::Blake3);
    /// assert_eq!(hasher.update("c").finalize_reset(), Algorithm::Blake3.digest("abc"));
    /// # Ok::<(), hashlanes::SavedStateError>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are damaged, of another version or function, or of a message under a key for
    /// HMAC ([`HmacKey::restore`]).
    pub fn restore(saved: impl AsRef<[u8]>) -> Result<Self, SavedStateError> {
        let (saved, algorithm) = Saved::of_algorithm(saved.as_ref())?;
        let function = saved.function::<A>(algorithm)?;
        wipe::call::<{ wipe::TREE }, _>(|| {
            let stream = function.restore(saved.length, saved.body);
            saved.assert_under(stream.as_ref().is_some_and(InPieces::holds_key))?;
            Ok(Self::resume(stream.ok_or(DAMAGED)?, Engine::of(function)))
        })
    }
}

impl<A: Function> Hasher<A, HmacKey<A>> {
    /// Saves the message so far, to be continued by [`HmacKey::restore`], in the format of
    /// [`Hasher::save`]. The key is not saved. The state is to be kept as secret as the message.
    pub fn save(&self) -> Vec<u8> {
        let mut saved = Vec::new();
        self.save_to(&mut saved);
        saved
    }

    /// Appends what [`save`](Self::save) returns, at most [`MAX_SAVED`] bytes.
    pub fn save_to(&self, saved: &mut Vec<u8>) {
        // Before the message, the state is the key's.
        save(self.algorithm(), Under::Hmac, self.stream(), !self.is_empty(), saved);
    }
}

impl<A: Function> HmacKey<A> {
    /// Continues a message under this key whose hasher was [saved](Hasher::save). With another key,
    /// the MAC will be that of no message.
    ///
    /// ```
    /// use hashlanes::{HmacKey, Sha256};
    ///
    /// let key = HmacKey::<Sha256>::new("secret");
    /// let saved = key.hasher().update("mess").save();
    /// let mut hasher = key.restore(saved)?;
    /// assert_eq!(hasher.update("age").finalize_reset(), key.mac("message"));
    /// # Ok::<(), hashlanes::SavedStateError>(())
    /// ```
    ///
    /// # Errors
    /// If the bytes are damaged, of another version or function, or of a message without a key for
    /// HMAC.
    pub fn restore(&self, saved: impl AsRef<[u8]>) -> Result<Hasher<A, Self>, SavedStateError> {
        let (saved, algorithm) = Saved::of_algorithm(saved.as_ref())?;
        if algorithm != self.algorithm() {
            return Err(saved.not_of(self.algorithm().name()));
        }
        let function = saved.function::<A>(algorithm)?;
        if saved.under != Under::Hmac {
            return Err(SavedStateError(Reason::NotForHmac));
        }
        wipe::call::<{ wipe::TREE }, _>(|| {
            let mut hasher = self.hasher();
            if saved.length < hasher.stream().length() {
                return Err(DAMAGED);
            }
            if !(saved.length == hasher.stream().length() && saved.body.is_empty()) {
                *hasher.stream_mut() = function.restore(saved.length, saved.body).ok_or(DAMAGED)?;
            }
            Ok(hasher)
        })
    }
}

impl<A: Function> Hashers<A> {
    /// Saves message `index` as [`Hasher::save`] does.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn save(&self, index: usize) -> Vec<u8> {
        let mut saved = Vec::new();
        put(self.algorithm().name(), Under::Nothing, &mut saved, |saved| {
            self.streams().save(index, saved)
        });
        end(self.algorithm(), 0, &mut saved);
        saved
    }

    /// Continues a message that was [saved](Hasher::save), in place of message `index`.
    ///
    /// # Errors
    /// As of [`Hasher::restore`]. Then message `index` is unchanged.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn restore(
        &mut self,
        index: usize,
        saved: impl AsRef<[u8]>,
    ) -> Result<(), SavedStateError> {
        let (saved, algorithm) = Saved::of_algorithm(saved.as_ref())?;
        if algorithm != self.algorithm() {
            return Err(saved.not_of(self.algorithm().name()));
        }
        saved.assert_under(false)?;
        let streams = self.streams_mut();
        let restore = || streams.restore(index, saved.length, saved.body);
        if wipe::call::<{ wipe::TREE }, _>(restore) { Ok(()) } else { Err(DAMAGED) }
    }
}

/// Appends the bytes of a message in pieces.
fn save(
    algorithm: Algorithm,
    under: Under,
    stream: &impl InPieces,
    with_state: bool,
    saved: &mut Vec<u8>,
) {
    let start = saved.len();
    put(algorithm.name(), under, saved, |saved| {
        if with_state {
            stream.save(saved);
        }
        stream.length()
    });
    end(algorithm, start, saved);
}

/// Appends all but the check. `body` appends the state and the bytes that are held back, and
/// returns the length of the message.
pub(super) fn put(
    name: &str,
    under: Under,
    saved: &mut Vec<u8>,
    body: impl FnOnce(&mut Vec<u8>) -> u128,
) {
    // What grows would leave copies behind.
    saved.reserve(MAX_SAVED);
    saved.extend_from_slice(&MAGIC);
    saved.extend_from_slice(&[VERSION, under as u8, name.len() as u8]);
    saved.extend_from_slice(name.as_bytes());
    let (at, zero) = (saved.len(), 0_u128.to_le_bytes());
    saved.extend_from_slice(&zero);
    let length = body(saved);
    saved[at..at + zero.len()].copy_from_slice(&length.to_le_bytes());
}

/// Appends the check of what begins at `start`.
fn end(algorithm: Algorithm, start: usize, saved: &mut Vec<u8>) {
    let check = check(algorithm, &saved[start..]);
    saved.extend_from_slice(&check);
    wipe::stack::<{ wipe::ALONE }>();
}

/// The check of the bytes before it.
fn check(algorithm: Algorithm, saved: &[u8]) -> [u8; CHECK] {
    *algorithm.digest(saved).as_bytes().first_chunk().expect("a digest has at least 16 bytes")
}

/// A saved state, whose parts are not verified.
pub(super) struct Saved<'s> {
    pub(super) name: &'s str,
    pub(super) under: Under,
    pub(super) length: u128,
    /// The state and the bytes that are held back.
    pub(super) body: &'s [u8],
}

pub(super) const DAMAGED: SavedStateError = SavedStateError(Reason::Damaged);

impl<'s> Saved<'s> {
    /// A saved state of any algorithm.
    fn of_algorithm(saved: &'s [u8]) -> Result<(Self, Algorithm), SavedStateError> {
        let mut found = Algorithm::ALL[0];
        let saved = Self::parse(saved, |name, covered| {
            let named = Algorithm::ALL.iter().find(|algorithm| algorithm.name() == name);
            found = *named.ok_or(Reason::Unknown(GivenName::new(name)))?;
            Ok(check(found, covered))
        })?;
        Ok((saved, found))
    }

    /// A saved state with the check that is computed from a name and the bytes before the check.
    pub(super) fn parse(
        saved: &'s [u8],
        check: impl FnOnce(&str, &[u8]) -> Result<[u8; CHECK], Reason>,
    ) -> Result<Self, SavedStateError> {
        let rest = saved.strip_prefix(&MAGIC).ok_or(SavedStateError(Reason::NotSaved))?;
        let (&version, rest) = rest.split_first().ok_or(DAMAGED)?;
        if version != VERSION {
            return Err(SavedStateError(Reason::Version(version)));
        }
        let (&[under, name], rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
        let (name, rest) = rest.split_at_checked(name.into()).ok_or(DAMAGED)?;
        let name = str::from_utf8(name).map_err(|_| DAMAGED)?;
        let (covered, expected) = saved.split_last_chunk().ok_or(DAMAGED)?;
        let is_sound = check(name, covered).map_err(SavedStateError)? == *expected;
        let (length, body) = rest.split_first_chunk().ok_or(DAMAGED)?;
        let body = body.get(..body.len().wrapping_sub(CHECK)).ok_or(DAMAGED)?;
        const UNDER: [Under; 4] = [Under::Nothing, Under::OwnKey, Under::Hmac, Under::Domain];
        match UNDER.get(usize::from(under)) {
            Some(&under) if is_sound => {
                Ok(Self { name, under, length: u128::from_le_bytes(*length), body })
            }
            _ => Err(DAMAGED),
        }
    }

    /// The function, if it is one of these.
    fn function<A: Function>(&self, algorithm: Algorithm) -> Result<A, SavedStateError> {
        A::of_value(algorithm).map_err(|expected| self.not_of(expected.name()))
    }

    pub(super) fn not_of(&self, expected: &'static str) -> SavedStateError {
        SavedStateError(Reason::NotOf { expected, given: GivenName::new(self.name) })
    }

    /// Fails unless this is of a message under a key of its own, or under none.
    pub(super) fn assert_under(&self, has_key: bool) -> Result<(), SavedStateError> {
        match self.under {
            Under::Hmac => Err(SavedStateError(Reason::ForHmac)),
            Under::OwnKey if has_key => Ok(()),
            Under::Nothing if !has_key => Ok(()),
            _ => Err(DAMAGED),
        }
    }
}

/// The error of saving a state, or of continuing a saved one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedStateError(pub(super) Reason);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    HasKey(&'static str),
    NotSaved,
    Version(u8),
    Unknown(GivenName),
    NotOf { expected: &'static str, given: GivenName },
    ForHmac,
    NotForHmac,
    Damaged,
}

impl SavedStateError {
    /// Whether the state is sound, but needs a key for HMAC, or none, or one of another function.
    pub fn needs_other_key(&self) -> bool {
        matches!(self.0, Reason::ForHmac | Reason::NotForHmac | Reason::NotOf { .. })
    }
}

impl fmt::Display for SavedStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Reason::HasKey(algorithm) => write!(
                f,
                "the state of a message under a key of {algorithm} contains the key, which is \
                 saved only on request"
            ),
            Reason::NotSaved => f.write_str("not a saved state: it does not begin with 'hlst'"),
            Reason::Version(version) => write!(
                f,
                "a saved state of format version {version}; this version reads format {VERSION}"
            ),
            Reason::Unknown(name) => {
                write!(f, "a saved state of the function {name}, which this build does not have")
            }
            Reason::NotOf { expected, given } => {
                write!(f, "a saved state of {given}, not of {expected}")
            }
            Reason::ForHmac => f.write_str("the saved state is of HMAC: its key is needed"),
            Reason::NotForHmac => f.write_str("the saved state is not of HMAC, but a key is given"),
            Reason::Damaged => f.write_str("the saved state is damaged"),
        }
    }
}

impl core::error::Error for SavedStateError {}
