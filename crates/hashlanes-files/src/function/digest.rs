//! The digest of any function.

use std::fmt;

use hashlanes::AnyDigest;

/// The length of the longest digest in bytes.
const LONGEST: usize = 64;

/// The digest of any [`Function`](super::Function): 2 to 64 bytes. `{}` shows it in hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    /// The digest, padded with zeros.
    bytes: [u8; LONGEST],
    length: u8,
}

impl Digest {
    /// # Panics
    /// If `digest` has more than 64 bytes.
    pub(super) fn new(digest: &[u8]) -> Self {
        let mut bytes = [0; LONGEST];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, length: digest.len() as u8 }
    }

    /// The digest with these bytes. `None` if there are more than 64.
    pub fn from_slice(digest: &[u8]) -> Option<Self> {
        (digest.len() <= LONGEST).then(|| Self::new(digest))
    }

    /// The digest's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl From<AnyDigest> for Digest {
    fn from(digest: AnyDigest) -> Self {
        Self::new(digest.as_bytes())
    }
}

impl PartialEq<AnyDigest> for Digest {
    fn eq(&self, other: &AnyDigest) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&base16ct::lower::encode_string(self.as_bytes()))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}
