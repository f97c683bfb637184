//! The parameters of BLAKE2 (RFC 7693), and the keys of BLAKE3.

use core::fmt;

use super::prefix::Prefix;
#[cfg(feature = "blake3")]
use super::xof::Xof;
use crate::family::blake2::{initial_b, initial_s};
use crate::family::blake3::{
    Blake3Family, DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL, INITIAL, KEYED_HASH, VALUE, keyed,
    set_words,
};
#[cfg(feature = "blake3")]
use crate::function::Blake3;
#[cfg(feature = "blake2")]
use crate::function::{Blake2b512, Blake2s256, sealed::Typed};
use crate::schedule::Stream;
use crate::vector::Word;
use crate::wipe::{self, Wiped};

/// The parameters of BLAKE2b or BLAKE2s (section 2.8 of its authors' paper; RFC 7693 section 2.5):
/// [`Prefix::<Blake2b512>::with_params`](Prefix::with_params). Parameters that are not set have the
/// function's defaults: the longest digest, and no key, salt or personalization.
///
/// ```
/// use hashlanes::{Blake2Params, Blake2b512, Prefix};
///
/// let params = Blake2Params::new().length(20).key(b"secret").personal(b"ACME backups");
/// let keyed = Prefix::<Blake2b512>::with_params(params)?;
/// let macs = keyed.digest_many(&["one", "another"]);
/// assert_ne!(macs[0][..20], macs[1][..20]);
/// # Ok::<(), hashlanes::Blake2Error>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct Blake2Params<'p> {
    length: Option<usize>,
    key: &'p [u8],
    salt: &'p [u8],
    personal: &'p [u8],
}

impl<'p> Blake2Params<'p> {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// The bytes of a digest. As [`Prefix`] has digests of one length, the digest is the first
    /// `bytes` of its 64 or 32 bytes. It is not a part of a longer digest.
    #[must_use]
    pub fn length(self, bytes: usize) -> Self {
        Self { length: Some(bytes), ..self }
    }

    /// A key of at most 64 bytes (BLAKE2b) or 32 (BLAKE2s). An empty key means no key.
    #[must_use]
    pub fn key(self, key: &'p [u8]) -> Self {
        Self { key, ..self }
    }

    /// A salt of at most 16 bytes (BLAKE2b) or 8 (BLAKE2s). A shorter one is padded with zeros.
    #[must_use]
    pub fn salt(self, salt: &'p [u8]) -> Self {
        Self { salt, ..self }
    }

    /// A text of at most 16 bytes (BLAKE2b) or 8 (BLAKE2s) that separates uses of the function from
    /// each other. A shorter one is padded with zeros.
    #[must_use]
    pub fn personal(self, text: &'p [u8]) -> Self {
        Self { personal: text, ..self }
    }
}

impl fmt::Debug for Blake2Params<'_> {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blake2Params")
            .field("length", &self.length)
            .field("salt", &self.salt)
            .field("personal", &self.personal)
            .finish_non_exhaustive()
    }
}

/// The error for a parameter whose length BLAKE2 does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blake2Error {
    function: &'static str,
    parameter: &'static str,
    least: usize,
    most: usize,
    given: usize,
}

impl fmt::Display for Blake2Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, parameter, least, most, given } = self;
        write!(f, "the {parameter} of {function} must have {least} to {most} bytes, not {given}")
    }
}

impl core::error::Error for Blake2Error {}

macro_rules! blake2 {
    ($function:ident, $initial:ident, $most:literal, $block:literal, $name:literal) => {
        impl Prefix<$function> {
            #[doc = concat!($name, " with these parameters.")]
            ///
            /// ```
            #[doc = concat!("use hashlanes::{Blake2Params, Prefix, ", stringify!($function), "};")]
            ///
            /// let params = Blake2Params::new().salt(b"a salt");
            #[doc = concat!("type Salted = Prefix<", stringify!($function), ">;")]
            /// let salted = Salted::with_params(params)?;
            #[doc = concat!("let plain = ", stringify!($function), "::digest(\"abc\");")]
            /// assert_ne!(salted.digest("abc"), plain);
            /// # Ok::<(), hashlanes::Blake2Error>(())
            /// ```
            ///
            /// # Errors
            /// If [`Blake2Params`] does not allow the length of the digest, the key, the salt or
            /// the personalization.
            pub fn with_params(params: Blake2Params<'_>) -> Result<Self, Blake2Error> {
                let Blake2Params { length, key, salt, personal } = params;
                let length = length.unwrap_or($most);
                for (parameter, given, least, most) in [
                    ("digest", length, 1, $most),
                    ("key", key.len(), 0, $most),
                    ("salt", salt.len(), 0, $most / 4),
                    ("personalization", personal.len(), 0, $most / 4),
                ] {
                    if !(least..=most).contains(&given) {
                        return Err(Blake2Error { function: $name, parameter, least, most, given });
                    }
                }
                let mut state = $initial(length, key.len());
                add_bytes(&mut state[4..6], salt);
                add_bytes(&mut state[6..8], personal);
                Ok(wipe::call::<{ wipe::ALONE }, _>(|| {
                    let mut stream = Stream::new(<$function as Typed>::RULES, state);
                    if !key.is_empty() {
                        let mut block = Wiped([0; $block]);
                        block[..key.len()].copy_from_slice(key);
                        stream.keep(&*block);
                    }
                    Self::of_stream(stream)
                }))
            }
        }
    };
}

#[cfg(feature = "blake2")]
blake2!(Blake2b512, initial_b, 64, 128, "BLAKE2b");
#[cfg(feature = "blake2")]
blake2!(Blake2s256, initial_s, 32, 64, "BLAKE2s");

/// Adds a field of the parameter block to words of the initial state, by an exclusive or.
fn add_bytes<W: Word>(words: &mut [W], field: &[u8]) {
    for (word, bytes) in words.iter_mut().zip(field.chunks(W::BYTES)) {
        let mut all = [0; 8];
        all[..bytes.len()].copy_from_slice(bytes);
        *word = W::from_u64(word.to_u64() ^ u64::from_le_bytes(all));
    }
}

#[cfg(feature = "blake3")]
impl Prefix<Blake3> {
    /// BLAKE3 with a key.
    pub fn keyed(key: &[u8; 32]) -> Self {
        below(|| Self::of_stream(with_mode(key, KEYED_HASH)))
    }

    /// BLAKE3 in its mode that derives keys: the digest of a message is a key for this context, a
    /// text that names the application and the purpose.
    pub fn derive_key(context: impl AsRef<[u8]>) -> Self {
        let context = context.as_ref();
        below(|| Self::of_stream(for_context(context)))
    }
}

#[cfg(feature = "blake3")]
impl Xof<Blake3> {
    /// BLAKE3 with a key.
    ///
    /// ```
    /// use hashlanes::xof::Xof;
    /// use hashlanes::{Blake3, Prefix};
    ///
    /// let mut mac = [0; 64];
    /// Xof::<Blake3>::keyed(&[1; 32]).update("a message").finalize().read(&mut mac);
    /// assert_eq!(mac[..32], Prefix::<Blake3>::keyed(&[1; 32]).digest("a message"));
    /// ```
    pub fn keyed(key: &[u8; 32]) -> Self {
        below(|| Self::of_stream(with_mode(key, KEYED_HASH), None))
    }

    /// BLAKE3 in its mode that derives keys: the output for a message is a key of any length for
    /// this context, a text that names the application and the purpose.
    ///
    /// ```
    /// use hashlanes::xof::Xof;
    /// use hashlanes::Blake3;
    ///
    /// let mut keys = [[0; 32]; 2];
    /// let mut reader = Xof::<Blake3>::derive_key("example.org 2026: two keys of a session")
    ///     .update("a shared secret")
    ///     .finalize();
    /// reader.read(keys.as_flattened_mut());
    /// assert_ne!(keys[0], keys[1]);
    /// ```
    pub fn derive_key(context: impl AsRef<[u8]>) -> Self {
        let context = context.as_ref();
        below(|| Self::of_stream(for_context(context), None))
    }
}

/// A call that moves states, which have the key and 2 KiB.
#[inline(always)]
fn below<R>(make: impl FnOnce() -> R) -> R {
    wipe::call::<{ wipe::TREE }, R>(make)
}

/// An empty message under a key.
fn with_mode(key: &[u8; 32], mode: u32) -> Stream<Blake3Family> {
    let mut words = Wiped([0; VALUE]);
    set_words(&mut *words, key);
    Stream::new(Blake3Family, keyed(*words, mode))
}

#[cfg(feature = "blake3")]
/// An empty message from which keys for a context are derived.
fn for_context(context: &[u8]) -> Stream<Blake3Family> {
    let mut key = [0; VALUE];
    key.copy_from_slice(&INITIAL[..VALUE]);
    let stream = Stream::new(Blake3Family, keyed(key, DERIVE_KEY_CONTEXT));
    with_mode(&Prefix::<Blake3>::of_stream(stream).digest(context), DERIVE_KEY_MATERIAL)
}
