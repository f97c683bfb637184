//! The superblock, which holds the parameters of a tree. Integers are little-endian.

use std::fmt;

use hashlanes::{Algorithm, Engine};

use super::{LONGEST_SALT, Parameters, Type, Verity};

/// The size of a superblock in bytes. Zeros follow up to the first block of digests.
pub const SUPERBLOCK: usize = 512;

const SIGNATURE: &[u8; 8] = b"verity\0\0";

/// The content of a superblock.
#[derive(Clone, Debug)]
pub struct Superblock {
    /// The parameters of the tree.
    pub parameters: Parameters,
    /// The number of blocks of data.
    pub data_blocks: u64,
}

/// Why a superblock cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoSuperblock {
    /// It does not begin with the signature.
    Signature,
    /// Its version is not 1, or its hash type is neither 0 nor 1.
    Version(u32),
    /// The algorithm is unknown.
    Algorithm(String),
    /// The salt is too long.
    Salt(usize),
}

impl fmt::Display for NoSuperblock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signature => f.write_str("not a dm-verity superblock"),
            Self::Version(version) => {
                write!(f, "a dm-verity superblock of unknown version or type {version}")
            }
            Self::Algorithm(name) => {
                write!(f, "a dm-verity superblock with the unknown algorithm {name:?}")
            }
            Self::Salt(length) => {
                write!(f, "the dm-verity superblock has too long a salt: {length} bytes")
            }
        }
    }
}

impl std::error::Error for NoSuperblock {}

impl Verity {
    /// The superblock of the tree.
    pub fn superblock(&self) -> [u8; SUPERBLOCK] {
        let Parameters { engine, hash_type, data_block, hash_block, salt, uuid } =
            self.parameters();
        let name = engine.algorithm().name().as_bytes();
        let mut block = [0; SUPERBLOCK];
        let mut put = |at: usize, bytes: &[u8]| block[at..][..bytes.len()].copy_from_slice(bytes);
        put(0, SIGNATURE);
        put(8, &1_u32.to_le_bytes());
        put(12, &hash_type.number().to_le_bytes());
        put(16, uuid);
        put(32, name);
        put(64, &data_block.to_le_bytes());
        put(68, &hash_block.to_le_bytes());
        put(72, &self.data_blocks().to_le_bytes());
        put(80, &(salt.len() as u16).to_le_bytes());
        put(88, salt);
        block
    }
}

impl Superblock {
    /// Parses a superblock. [`Verity::new`] checks the sizes in it.
    ///
    /// # Errors
    /// If this is not a superblock, or is of an unknown kind.
    pub fn read(block: &[u8; SUPERBLOCK]) -> Result<Self, NoSuperblock> {
        let number_at = |at: usize| {
            let mut bytes = [0; 4];
            bytes.copy_from_slice(&block[at..at + 4]);
            u32::from_le_bytes(bytes)
        };
        if &block[..8] != SIGNATURE {
            return Err(NoSuperblock::Signature);
        }
        if number_at(8) != 1 {
            return Err(NoSuperblock::Version(number_at(8)));
        }
        let number = number_at(12);
        let hash_type = Type::from_number(number).ok_or(NoSuperblock::Version(number))?;
        let name = block[32..64].split(|&byte| byte == 0).next().unwrap_or_default();
        let name = String::from_utf8_lossy(name);
        let algorithm = Algorithm::from_name(&name)
            .map_err(|_| NoSuperblock::Algorithm(name.clone().into_owned()))?;
        let length = usize::from(u16::from_le_bytes([block[80], block[81]]));
        if length > LONGEST_SALT {
            return Err(NoSuperblock::Salt(length));
        }
        let mut uuid = [0; 16];
        uuid.copy_from_slice(&block[16..32]);
        let parameters = Parameters {
            engine: Engine::of(algorithm),
            hash_type,
            data_block: number_at(64),
            hash_block: number_at(68),
            salt: block[88..88 + length].to_vec(),
            uuid,
        };
        let data_blocks = u64::from(number_at(72)) | u64::from(number_at(76)) << 32;
        Ok(Self { parameters, data_blocks })
    }
}
