//! Messages in pieces, written down and continued later.

use alloc::vec::Vec;
use core::fmt;

use super::engine::Engine;
use super::hasher::Hasher;
use super::hmac::key::HmacKey;
use crate::function::choice::InPieces;
use crate::function::{Algorithm, Function, GivenName};
use crate::wipe;

/// What every saved state begins with.
const MAGIC: [u8; 4] = *b"hlst";

/// The version of the format, which follows.
const VERSION: u8 = 1;

/// What precedes a message. The next byte says which it is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Under {
    Nothing = 0,
    /// A key of BLAKE2 or BLAKE3, which is in the state.
    OwnKey = 1,
    /// A key for HMAC, which is not.
    Hmac = 2,
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
    /// | 1 | what precedes the message: 0 nothing, 1 a key of BLAKE2 or BLAKE3, 2 a key for HMAC |
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
            return Err(SavedStateError(Reason::HasKey(self.algorithm())));
        }
        save(self.algorithm(), Under::Nothing, self.stream(), true, saved);
        Ok(())
    }

    /// [`save`](Self::save), with the key of BLAKE2 or BLAKE3 if the message is under one. Keep
    /// these bytes as the key itself.
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
        let saved = Saved::parse(saved.as_ref())?;
        let function = saved.function::<A>()?;
        if saved.under == Under::Hmac {
            return Err(SavedStateError(Reason::ForHmac));
        }
        wipe::call::<{ wipe::TREE }, _>(|| {
            let stream = saved.stream(function)?;
            if stream.holds_key() != (saved.under == Under::OwnKey) {
                return Err(DAMAGED);
            }
            Ok(Self::resume(stream, Engine::of(function)))
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
        let saved = Saved::parse(saved.as_ref())?;
        if saved.algorithm != self.algorithm() {
            return Err(saved.not_of(self.algorithm()));
        }
        let function = saved.function::<A>()?;
        if saved.under != Under::Hmac {
            return Err(SavedStateError(Reason::NotForHmac));
        }
        wipe::call::<{ wipe::TREE }, _>(|| {
            let mut hasher = self.hasher();
            if saved.length < hasher.stream().length() {
                return Err(DAMAGED);
            }
            if !(saved.length == hasher.stream().length() && saved.body.is_empty()) {
                *hasher.stream_mut() = saved.stream(function)?;
            }
            Ok(hasher)
        })
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
    let (start, name) = (saved.len(), algorithm.name().as_bytes());
    saved.extend_from_slice(&MAGIC);
    saved.extend_from_slice(&[VERSION, under as u8, name.len() as u8]);
    saved.extend_from_slice(name);
    saved.extend_from_slice(&stream.length().to_le_bytes());
    if with_state {
        stream.save(saved);
    }
    let check = check(algorithm, &saved[start..]);
    saved.extend_from_slice(&check);
    wipe::stack::<{ wipe::ALONE }>();
}

/// The check of the bytes before it.
fn check(algorithm: Algorithm, saved: &[u8]) -> [u8; CHECK] {
    *algorithm.digest(saved).as_bytes().first_chunk().expect("a digest has at least 16 bytes")
}

/// A saved state, whose parts are not verified.
struct Saved<'s> {
    algorithm: Algorithm,
    under: Under,
    length: u128,
    /// The state and the bytes that are held back.
    body: &'s [u8],
}

const DAMAGED: SavedStateError = SavedStateError(Reason::Damaged);

impl<'s> Saved<'s> {
    fn parse(saved: &'s [u8]) -> Result<Self, SavedStateError> {
        let rest = saved.strip_prefix(&MAGIC).ok_or(SavedStateError(Reason::NotSaved))?;
        let (&version, rest) = rest.split_first().ok_or(DAMAGED)?;
        if version != VERSION {
            return Err(SavedStateError(Reason::Version(version)));
        }
        let (&[under, name], rest) = rest.split_first_chunk().ok_or(DAMAGED)?;
        let (name, rest) = rest.split_at_checked(name.into()).ok_or(DAMAGED)?;
        let name = str::from_utf8(name).map_err(|_| DAMAGED)?;
        let algorithm = Algorithm::ALL.iter().find(|algorithm| algorithm.name() == name);
        let algorithm = *algorithm.ok_or(SavedStateError(Reason::Unknown(GivenName::new(name))))?;
        let (covered, expected) = saved.split_last_chunk().ok_or(DAMAGED)?;
        let (length, body) = rest.split_first_chunk().ok_or(DAMAGED)?;
        let body = body.get(..body.len().wrapping_sub(CHECK)).ok_or(DAMAGED)?;
        let under = [Under::Nothing, Under::OwnKey, Under::Hmac].get(usize::from(under));
        if check(algorithm, covered) != *expected {
            return Err(DAMAGED);
        }
        let under = *under.ok_or(DAMAGED)?;
        Ok(Self { algorithm, under, length: u128::from_le_bytes(*length), body })
    }

    /// The function, if it is one of these.
    fn function<A: Function>(&self) -> Result<A, SavedStateError> {
        A::of_value(self.algorithm).map_err(|expected| self.not_of(expected))
    }

    fn not_of(&self, expected: Algorithm) -> SavedStateError {
        SavedStateError(Reason::NotOf { expected, given: self.algorithm })
    }

    fn stream<A: Function>(&self, function: A) -> Result<A::Stream, SavedStateError> {
        function.restore(self.length, self.body).ok_or(DAMAGED)
    }
}

/// The error of saving a state, or of continuing a saved one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedStateError(Reason);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Reason {
    HasKey(Algorithm),
    NotSaved,
    Version(u8),
    Unknown(GivenName),
    NotOf { expected: Algorithm, given: Algorithm },
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
                "the state of a message under a key of {algorithm} has the key, which is only \
                 saved on request"
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
