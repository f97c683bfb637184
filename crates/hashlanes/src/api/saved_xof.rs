//! Messages of extendable-output functions, written down before their output is read.

use alloc::vec::Vec;

use super::saved::{DAMAGED, Reason, Saved, SavedStateError, Under, put};
use super::xof::Xof;
use crate::family::Rules;
use crate::function::{GivenName, XofFunction};
use crate::schedule::Stream;
use crate::wipe;

impl<X: XofFunction> Xof<X> {
    /// Saves the message so far, in the format of [`Hasher::save`](crate::Hasher::save). SHAKE and
    /// BLAKE3 are saved as hashers of these functions are, so that either continues the other's.
    ///
    /// ```
    /// use hashlanes::Shake128;
    /// use hashlanes::xof::Xof;
    ///
    /// let saved = Xof::<Shake128>::new().update("ab").save()?;
    /// let mut output = [0; 4];
    /// Xof::<Shake128>::restore(&saved)?.update("c").finalize().read(&mut output);
    /// assert_eq!(output, [0x58, 0x81, 0x09, 0x2d]);
    /// # Ok::<(), hashlanes::SavedStateError>(())
    /// ```
    ///
    /// # Errors
    /// If the message is under a key of BLAKE3: [`save_with_key`](Self::save_with_key).
    pub fn save(&self) -> Result<Vec<u8>, SavedStateError> {
        if self.stream().holds_key() {
            return Err(SavedStateError(Reason::HasKey(X::NAME)));
        }
        Ok(self.save_with_key())
    }

    /// [`save`](Self::save), with the key of BLAKE3 if the message is under one. Protect these
    /// bytes as you protect the key.
    pub fn save_with_key(&self) -> Vec<u8> {
        let stream = self.stream();
        let domain = domain_of::<X>(stream);
        let under = match domain {
            Some(_) => Under::Domain,
            None if stream.holds_key() => Under::OwnKey,
            None => Under::Nothing,
        };
        save::<X>(X::NAME, under, |saved| {
            saved.extend(domain);
            stream.save(saved);
            stream.length()
        })
    }

    /// Continues a message that was [saved](Self::save).
    ///
    /// # Errors
    /// As of [`Hasher::restore`](crate::Hasher::restore).
    pub fn restore(saved: impl AsRef<[u8]>) -> Result<Self, SavedStateError> {
        let saved = parse::<X>(saved.as_ref(), X::NAME)?;
        wipe::call::<{ wipe::TREE }, _>(|| {
            let empty = Stream::new(X::RULES, X::INITIAL);
            if saved.under != Under::Domain {
                let stream = empty.restored(saved.length, saved.body).ok_or(DAMAGED)?;
                saved.assert_under(stream.holds_key())?;
                return Ok(Self::of_stream(stream, None));
            }
            let (&byte, body) = saved.body.split_first().ok_or(DAMAGED)?;
            let mut stream = empty.restored(saved.length, body).ok_or(DAMAGED)?;
            let domain = X::RULES.domain(stream.state_mut()).filter(|_| (1..0x80).contains(&byte));
            *domain.ok_or(DAMAGED)? = byte.into();
            Ok(Self::of_stream(stream, None))
        })
    }
}

/// A saved state, of which `body` appends what is between the length, which it returns, and the
/// check.
pub(super) fn save<X: XofFunction>(
    name: &str,
    under: Under,
    body: impl FnOnce(&mut Vec<u8>) -> u128,
) -> Vec<u8> {
    let mut saved = Vec::new();
    put(name, under, &mut saved, body);
    let check = check::<X>(&saved);
    saved.extend_from_slice(&check);
    saved
}

/// A saved state of this name, whose check is the output of `X` for what is before it.
pub(super) fn parse<'s, X: XofFunction>(
    saved: &'s [u8],
    expected: &'static str,
) -> Result<Saved<'s>, SavedStateError> {
    Saved::parse(saved, |name, covered| match name == expected {
        true => Ok(check::<X>(covered)),
        false => Err(Reason::NotOf { expected, given: GivenName::new(name) }),
    })
}

/// The domain separation byte, unless it is the function's own.
fn domain_of<X: XofFunction>(stream: &Stream<X::Rules>) -> Option<u8> {
    let byte = |mut state| X::RULES.domain(&mut state).map(|word| *word as u8);
    byte(stream.state()).filter(|&own| Some(own) != byte(X::INITIAL))
}

/// The first bytes of output for what is before them.
fn check<X: XofFunction>(saved: &[u8]) -> [u8; 8] {
    let mut check = [0; 8];
    Xof::<X>::new().update(saved).finalize().read(&mut check);
    check
}
