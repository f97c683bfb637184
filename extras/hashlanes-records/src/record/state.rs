//! The write state of a connection, which TLS calls its current write state.

use std::fmt;

use super::mac::MacKey;
use super::suite::{CipherSuite, MacOrder, Version};
use crate::aes::AesKey;

/// The most bytes of plaintext in a record (RFC 5246 section 6.2.1).
pub(super) const MAX_FRAGMENT: usize = 1 << 14;

/// The keys of one direction of a connection, and the number of its next record. The keys are wiped
/// when it is dropped.
///
/// They come from the handshake, which a TLS library performs: they are `client_write_key` or
/// `server_write_key`, and so on, of the key block (RFC 5246 section 6.3).
///
/// ```
/// use hashlanes_records::{CipherSuite, MacOrder, Version, WriteState};
///
/// let (key, mac_key) = ([1; 16], [2; 20]);
/// let order = MacOrder::MacThenEncrypt;
/// let state =
///     WriteState::new(CipherSuite::Aes128Sha, Version::Tls12, order, &key, &mac_key)?
///         .with_sequence_number(1);
/// assert_eq!(state.sequence_number(), 1);
/// # Ok::<(), hashlanes_records::WriteStateError>(())
/// ```
#[derive(Clone)]
pub struct WriteState {
    pub(super) suite: CipherSuite,
    pub(super) version: Version,
    pub(super) order: MacOrder,
    pub(super) key: AesKey,
    pub(super) mac_key: MacKey,
    pub(super) fragment: usize,
    pub(super) next: u64,
}

impl WriteState {
    /// A state whose next record has the number 0.
    ///
    /// # Errors
    /// If a key's length is not what the suite needs, or the version does not have the suite.
    pub fn new(
        suite: CipherSuite,
        version: Version,
        order: MacOrder,
        encryption_key: &[u8],
        mac_key: &[u8],
    ) -> Result<Self, WriteStateError> {
        let length = |which, key: &[u8], needed| match key.len() {
            length if length == needed => Ok(()),
            length => Err(WriteStateError::KeyLength { which, needed, length }),
        };
        length("encryption", encryption_key, suite.encryption_key_len())?;
        length("MAC", mac_key, suite.mac_len())?;
        if version == Version::Tls11 && suite.mac_len() == 32 {
            return Err(WriteStateError::Version { suite, version });
        }
        let key = AesKey::new(encryption_key).map_err(|_| WriteStateError::KeyLength {
            which: "encryption",
            needed: suite.encryption_key_len(),
            length: encryption_key.len(),
        })?;
        let mac_key = MacKey::new(suite, mac_key);
        Ok(Self { suite, version, order, key, mac_key, fragment: MAX_FRAGMENT, next: 0 })
    }

    /// Sets the number of the next record, for when another library has already sealed records
    /// under the same keys.
    #[must_use]
    pub fn with_sequence_number(mut self, next: u64) -> Self {
        self.next = next;
        self
    }

    /// Limits the plaintext of a record to `bytes`, instead of 16,384. Smaller records of one write
    /// fill more lanes, and each costs some 50 bytes on the wire.
    ///
    /// # Errors
    /// If `bytes` is 0, or more than 16,384.
    pub fn with_fragment(mut self, bytes: usize) -> Result<Self, WriteStateError> {
        if !(1..=MAX_FRAGMENT).contains(&bytes) {
            return Err(WriteStateError::Fragment { bytes });
        }
        self.fragment = bytes;
        Ok(self)
    }

    /// The number of the next record.
    pub fn sequence_number(&self) -> u64 {
        self.next
    }

    /// The suite.
    pub fn suite(&self) -> CipherSuite {
        self.suite
    }

    /// How many records can follow. The last number, 2^64 - 1, is not used, so numbers never wrap
    /// (RFC 5246 section 6.1).
    pub fn records_left(&self) -> u64 {
        u64::MAX - self.next
    }
}

impl fmt::Debug for WriteState {
    /// Shows everything but the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteState")
            .field("suite", &self.suite)
            .field("version", &self.version)
            .field("order", &self.order)
            .field("sequence_number", &self.next)
            .finish_non_exhaustive()
    }
}

/// The reason why a write state cannot be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum WriteStateError {
    /// A key does not have the length that the suite needs.
    #[non_exhaustive]
    KeyLength {
        /// Which key: `"encryption"` or `"MAC"`.
        which: &'static str,
        /// Bytes that the suite needs.
        needed: usize,
        /// Bytes of the key.
        length: usize,
    },
    /// The version does not have the suite.
    #[non_exhaustive]
    Version {
        /// The suite.
        suite: CipherSuite,
        /// The version.
        version: Version,
    },
    /// A record cannot have this many bytes of plaintext.
    #[non_exhaustive]
    Fragment {
        /// The requested number of bytes.
        bytes: usize,
    },
}

impl fmt::Display for WriteStateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::KeyLength { which, needed, length } => {
                write!(f, "the {which} key has {length} bytes, but the suite needs {needed}")
            }
            Self::Version { suite, version } => write!(f, "{version} does not have {suite}"),
            Self::Fragment { bytes } => {
                write!(f, "a record must have 1 to {MAX_FRAGMENT} bytes of plaintext, not {bytes}")
            }
        }
    }
}

impl std::error::Error for WriteStateError {}
