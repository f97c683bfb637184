//! A digest of any algorithm.

use core::fmt;

/// A digest of any algorithm: 16 to 64 bytes. Shows itself in lower-case hexadecimal.
#[derive(Clone, Copy)]
pub struct AnyDigest {
    bytes: [u8; 64],
    len: u8,
}

impl AnyDigest {
    pub(crate) fn new(digest: &impl AsRef<[u8]>) -> Self {
        let digest = digest.as_ref();
        let mut bytes = [0; 64];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, len: digest.len() as u8 }
    }

    /// The digest's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl AsRef<[u8]> for AnyDigest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for AnyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for AnyDigest {}

impl core::hash::Hash for AnyDigest {
    fn hash<H: core::hash::Hasher>(&self, hasher: &mut H) {
        self.as_bytes().hash(hasher);
    }
}

impl fmt::LowerHex for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hex = [0; 128];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
            pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
        }
        f.pad(str::from_utf8(&hex[..2 * usize::from(self.len)]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Display for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl fmt::Debug for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyDigest({self})")
    }
}
