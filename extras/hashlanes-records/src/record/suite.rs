//! What both sides agree on: the cipher suite, the version, and the order of MAC and encryption.

use std::fmt;

/// A CBC cipher suite, by what it does to records. How the keys were agreed on does not matter
/// here: `TLS_RSA_WITH_AES_128_CBC_SHA` and `TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA` are both
/// [`Aes128Sha`](CipherSuite::Aes128Sha).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum CipherSuite {
    /// AES-128-CBC and HMAC-SHA1.
    Aes128Sha,
    /// AES-256-CBC and HMAC-SHA1.
    Aes256Sha,
    /// AES-128-CBC and HMAC-SHA256; TLS 1.2 only.
    Aes128Sha256,
    /// AES-256-CBC and HMAC-SHA256; TLS 1.2 only.
    Aes256Sha256,
}

impl CipherSuite {
    /// All suites.
    pub const ALL: [Self; 4] =
        [Self::Aes128Sha, Self::Aes256Sha, Self::Aes128Sha256, Self::Aes256Sha256];

    /// Bytes of the encryption key.
    pub const fn encryption_key_len(self) -> usize {
        match self {
            Self::Aes128Sha | Self::Aes128Sha256 => 16,
            Self::Aes256Sha | Self::Aes256Sha256 => 32,
        }
    }

    /// Bytes of the MAC, and of its key (RFC 5246 appendix C).
    pub const fn mac_len(self) -> usize {
        match self {
            Self::Aes128Sha | Self::Aes256Sha => 20,
            Self::Aes128Sha256 | Self::Aes256Sha256 => 32,
        }
    }
}

impl fmt::Display for CipherSuite {
    /// As OpenSSL names them: `AES128-SHA256`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Aes128Sha => "AES128-SHA",
            Self::Aes256Sha => "AES256-SHA",
            Self::Aes128Sha256 => "AES128-SHA256",
            Self::Aes256Sha256 => "AES256-SHA256",
        })
    }
}

/// A version of TLS in which each CBC record has an IV of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Version {
    /// TLS 1.1 (RFC 4346). It is deprecated (RFC 8996).
    Tls11,
    /// TLS 1.2 (RFC 5246).
    Tls12,
}

impl Version {
    pub(super) const fn bytes(self) -> [u8; 2] {
        match self {
            Self::Tls11 => [3, 2],
            Self::Tls12 => [3, 3],
        }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Tls11 => "TLS 1.1",
            Self::Tls12 => "TLS 1.2",
        })
    }
}

/// The input of the MAC.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MacOrder {
    /// The plaintext; it and the MAC are encrypted. This is the order of TLS unless both sides ask
    /// for the other one.
    MacThenEncrypt,
    /// The ciphertext, which the MAC follows (RFC 7366). It leaves no padding oracle.
    EncryptThenMac,
}

/// The content of a record.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ContentType {
    /// A change of cipher.
    ChangeCipherSpec,
    /// An alert.
    Alert,
    /// Messages of the handshake.
    Handshake,
    /// The data that the program sends.
    ApplicationData,
}

impl ContentType {
    pub(super) const fn byte(self) -> u8 {
        match self {
            Self::ChangeCipherSpec => 20,
            Self::Alert => 21,
            Self::Handshake => 22,
            Self::ApplicationData => 23,
        }
    }
}
