//! The sizes of keys, and the round keys that the kernels take.

/// 16 bytes in memory order.
pub(crate) type Block = u128;

/// The round keys in the order of encryption. A shorter schedule ends with zeros.
pub(crate) type Schedule = [Block; MAX_ROUND_KEYS];

/// Round keys of AES-256: one before the first round, one in each of 14.
pub(crate) const MAX_ROUND_KEYS: usize = 15;

/// The three sizes of keys.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum KeySize {
    Aes128,
    Aes192,
    Aes256,
}

impl KeySize {
    pub(super) fn of(bytes: usize) -> Option<Self> {
        match bytes {
            16 => Some(Self::Aes128),
            24 => Some(Self::Aes192),
            32 => Some(Self::Aes256),
            _ => None,
        }
    }

    /// Rounds, for the key expansion.
    #[cfg(target_arch = "x86_64")]
    pub(super) const fn rounds(self) -> usize {
        match self {
            Self::Aes128 => 10,
            Self::Aes192 => 12,
            Self::Aes256 => 14,
        }
    }

    pub(super) const fn bytes(self) -> usize {
        match self {
            Self::Aes128 => 16,
            Self::Aes192 => 24,
            Self::Aes256 => 32,
        }
    }
}
