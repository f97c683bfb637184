//! A key and its round keys.

use std::borrow::Cow;
use std::fmt;

use zeroize::Zeroizing;

use super::portable::PortableKey;
use super::schedule::{Block, KeySize, MAX_ROUND_KEYS, Schedule};

/// An AES key, expanded for encryption. It is wiped when it is dropped.
///
/// Expand a key once, and lend it to all buffers that it encrypts. Buffers that share a key are the
/// fastest: their round keys stay in registers.
///
/// ```
/// use hashlanes_records::AesKey;
///
/// let key = AesKey::new(&[7; 32])?;
/// assert_eq!(key.bits(), 256);
/// assert!(AesKey::new(&[7; 20]).is_err());
/// # Ok::<(), hashlanes_records::KeyLengthError>(())
/// ```
#[derive(Clone)]
pub struct AesKey {
    size: KeySize,
    /// Without AES instructions, only the key itself.
    schedule: Box<Zeroizing<Schedule>>,
    /// The portable kernel's key, where no other kernel can run.
    portable: Option<Box<PortableKey>>,
}

impl AesKey {
    /// Expands a key of 16, 24 or 32 bytes.
    ///
    /// # Errors
    /// If the key has any other length.
    pub fn new(bytes: &[u8]) -> Result<Self, KeyLengthError> {
        let size = KeySize::of(bytes.len()).ok_or(KeyLengthError { length: bytes.len() })?;
        let mut schedule = Box::new(Zeroizing::new([0; MAX_ROUND_KEYS]));
        #[cfg(target_arch = "x86_64")]
        if std::is_x86_feature_detected!("aes") {
            // SAFETY: the CPU has the AES instructions, as just detected.
            unsafe { super::expand::expand(bytes, size, &mut schedule) };
            return Ok(Self { size, schedule, portable: None });
        }
        for (block, bytes) in schedule.iter_mut().zip(bytes.chunks(16)) {
            let mut padded = Zeroizing::new([0; 16]);
            padded[..bytes.len()].copy_from_slice(bytes);
            *block = Block::from_ne_bytes(*padded);
        }
        let portable = Some(Box::new(PortableKey::new(bytes, size)));
        Ok(Self { size, schedule, portable })
    }

    /// 128, 192 or 256.
    pub fn bits(&self) -> usize {
        8 * self.size.bytes()
    }

    pub(crate) fn size(&self) -> KeySize {
        self.size
    }

    pub(crate) fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// The key for the portable kernel, which is expanded for the call where it is rarely needed.
    pub(crate) fn portable(&self) -> Cow<'_, PortableKey> {
        match &self.portable {
            Some(key) => Cow::Borrowed(key),
            // Where another kernel can run, the portable one only runs when chosen by name.
            None => Cow::Owned(PortableKey::new(&self.bytes(), self.size)),
        }
    }

    /// The key itself: the first bytes of its schedule.
    fn bytes(&self) -> Zeroizing<Vec<u8>> {
        let mut bytes = Zeroizing::new(Vec::with_capacity(32));
        for block in &self.schedule[..2] {
            bytes.extend_from_slice(&block.to_ne_bytes());
        }
        bytes.truncate(self.size.bytes());
        bytes
    }
}

impl fmt::Debug for AesKey {
    /// Shows the size, and nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AesKey({} bits)", self.bits())
    }
}

/// The length of an AES key is not 16, 24 or 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyLengthError {
    length: usize,
}

impl fmt::Display for KeyLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "an AES key must have 16, 24 or 32 bytes, not {}", self.length)
    }
}

impl std::error::Error for KeyLengthError {}
