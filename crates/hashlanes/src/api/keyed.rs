//! Keys and lengths of digests, of the functions that have them: BLAKE2 (RFC 7693) and BLAKE3.

use core::fmt;

use super::prefix::Prefix;
use crate::family::blake2::{initial_b, initial_s};
use crate::family::blake3::{
    DERIVE_KEY_CONTEXT, DERIVE_KEY_MATERIAL, INITIAL, KEYED_HASH, VALUE, keyed, set_words,
};
use crate::function::{Blake2b512, Blake2s256, Blake3};
use crate::schedule::Stream;
use crate::wipe::Wiped;

/// The error for a length of digests or a key that BLAKE2 does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blake2Error {
    most: usize,
    digest: usize,
    key: usize,
}

impl fmt::Display for Blake2Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { most, digest, key } = self;
        write!(f, "digests have 1 to {most} bytes and keys at most {most}, not {digest} and {key}")
    }
}

impl core::error::Error for Blake2Error {}

macro_rules! blake2 {
    (
        $name:ident, $function:ident, $initial:ident, $most:literal, $block:literal, $text:literal
    ) => {
        impl Prefix<$function> {
            #[doc = concat!(
                $text, " with digests of `length` bytes, and with a key, unless that is empty."
            )]
            ///
            #[doc = concat!("A digest is the first `length` of ", $most, " bytes.")]
            ///
            /// ```
            #[doc = concat!("use hashlanes::{Prefix, ", stringify!($function), "};")]
            ///
            #[doc = concat!(
                "let keyed = Prefix::<", stringify!($function), ">::", stringify!($name),
                "(20, b\"secret\")?;"
            )]
            /// let macs = keyed.digest_many(&["one", "another"]);
            /// assert_ne!(macs[0][..20], macs[1][..20]);
            /// # Ok::<(), hashlanes::Blake2Error>(())
            /// ```
            ///
            /// # Errors
            #[doc = concat!(
                "If `length` is not 1 to ", $most, ", or the key has more than ", $most, " bytes."
            )]
            pub fn $name(length: usize, key: impl AsRef<[u8]>) -> Result<Self, Blake2Error> {
                let key = key.as_ref();
                if length == 0 || length > $most || key.len() > $most {
                    return Err(Blake2Error { most: $most, digest: length, key: key.len() });
                }
                let mut stream = Stream::new($initial(length, key.len()));
                if !key.is_empty() {
                    let mut block = Wiped([0; $block]);
                    block[..key.len()].copy_from_slice(key);
                    stream.keep(&*block);
                }
                Ok(Self::of_stream(stream))
            }
        }
    };
}

blake2!(blake2b, Blake2b512, initial_b, 64, 128, "BLAKE2b");
blake2!(blake2s, Blake2s256, initial_s, 32, 64, "BLAKE2s");

impl Prefix<Blake3> {
    /// BLAKE3 with a key.
    pub fn keyed(key: &[u8; 32]) -> Self {
        Self::with_mode(key, KEYED_HASH)
    }

    /// BLAKE3 that derives keys: the digest of a message is a key for this context, a text that
    /// names the application and the purpose.
    pub fn derive_key(context: &str) -> Self {
        let mut key = [0; VALUE];
        key.copy_from_slice(&INITIAL[..VALUE]);
        let context = Self::of_stream(Stream::new(keyed(key, DERIVE_KEY_CONTEXT))).digest(context);
        Self::with_mode(&context, DERIVE_KEY_MATERIAL)
    }

    fn with_mode(key: &[u8; 32], mode: u32) -> Self {
        let mut words = Wiped([0; VALUE]);
        set_words(&mut *words, key);
        Self::of_stream(Stream::new(keyed(*words, mode)))
    }
}
