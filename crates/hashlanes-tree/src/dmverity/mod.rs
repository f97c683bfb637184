//! dm-verity: block devices and images that Linux verifies while reading.
//!
//! Blocks of the data are hashed, then blocks of digests, up to the *root hash*. The tree is in a
//! file or on a device of its own, after a *superblock* with the parameters. `veritysetup format`
//! and `verify` do the same on one core, one block after the other.
//!
//! ```
//! use hashlanes_tree::dmverity::{Parameters, TreeFile, Verity};
//! use hashlanes_tree::{Job, Settings, hash_content};
//!
//! let image = vec![7; 1 << 20];
//! let verity = Verity::new(Parameters { salt: vec![1; 32], ..Parameters::default() }, 1 << 20)?;
//! let mut file = std::io::Cursor::new(Vec::new());
//! let mut tree = verity.tree(TreeFile::write(&verity, &mut file)?);
//! let plan = verity.plan();
//! hash_content(image.as_slice(), &mut [Job::new(&plan, &mut tree)], &Settings::default())?;
//! let (root, _) = tree.finish()?;
//! assert_eq!(root.as_bytes().len(), 32);
//! // A superblock, a block of two digests, and two of 128 each.
//! assert_eq!(file.into_inner().len(), 4 * 4096);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod file;
mod geometry;
mod superblock;
mod verify;

use std::fmt;
use std::io;

pub use file::TreeFile;
use geometry::Geometry;
use hashlanes::{Algorithm, AnyDigest, Engine};
pub use superblock::{SUPERBLOCK, Superblock};
pub use verify::{Difference, Verifier};

use crate::fold::BlockFold;
pub use crate::fold::Blocks;
use crate::{Plan, Sink};

/// The maximum length of a salt.
pub const LONGEST_SALT: usize = 256;

/// The layout of the salt and the digests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Type {
    /// Type 0, of Chrome OS: the salt follows each block, and digests are packed.
    ChromeOs,
    /// Type 1, the usual one: the salt precedes each block, and digests are at powers of two.
    #[default]
    Normal,
}

impl Type {
    /// The number in the superblock: 0 or 1.
    pub fn number(self) -> u32 {
        match self {
            Self::ChromeOs => 0,
            Self::Normal => 1,
        }
    }

    /// The type with this number.
    pub fn from_number(number: u32) -> Option<Self> {
        [Self::ChromeOs, Self::Normal].into_iter().find(|kind| kind.number() == number)
    }
}

/// The parameters of a tree. The defaults are those of `veritysetup`, but without a salt and a
/// UUID.
#[derive(Clone, Debug)]
pub struct Parameters {
    /// Hashes all blocks.
    pub engine: Engine,
    /// The layout of the salt and the digests.
    pub hash_type: Type,
    /// The size of a block of data: a power of two from 512 bytes to 512 KiB.
    pub data_block: u32,
    /// The size of a block of digests, with the same limits.
    pub hash_block: u32,
    /// At most 256 bytes.
    pub salt: Vec<u8>,
    /// The UUID in the superblock.
    pub uuid: [u8; 16],
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            engine: Engine::of(Algorithm::Sha256),
            hash_type: Type::Normal,
            data_block: 4096,
            hash_block: 4096,
            salt: Vec::new(),
            uuid: [0; 16],
        }
    }
}

/// Parameters or data that dm-verity does not allow. The message says what it allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// A block of this size.
    Block(u32),
    /// A salt of this many bytes.
    Salt(usize),
    /// Two digests do not fit in a block.
    Digest,
    /// Less than a block of data.
    NoData,
    /// The last block of data is incomplete.
    Unaligned {
        /// Bytes of data.
        length: u64,
        /// Bytes of a block.
        block: u32,
    },
    /// The superblock cannot be at this offset.
    Offset(u64),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(block) => {
                write!(
                    f,
                    "a dm-verity block must be a power of two from 512 B to 512 KiB, not {block}"
                )
            }
            Self::Salt(length) => {
                write!(f, "a dm-verity salt has at most {LONGEST_SALT} bytes, not {length}")
            }
            Self::Digest => f.write_str("the hash block is too small for two digests"),
            Self::NoData => f.write_str("dm-verity needs at least one block of data"),
            Self::Unaligned { length, block } => {
                write!(f, "{length} bytes are not a multiple of the block size {block}")
            }
            Self::Offset(offset) => {
                write!(
                    f,
                    "an offset must be a multiple of {SUPERBLOCK}, with room after it, not {offset}"
                )
            }
        }
    }
}

impl std::error::Error for Invalid {}

/// A tree over data of a given length.
#[derive(Clone, Debug)]
pub struct Verity {
    parameters: Parameters,
    geometry: Geometry,
}

impl Verity {
    /// A tree over `length` bytes of data.
    ///
    /// # Errors
    /// If dm-verity does not allow the parameters, or the data is not a multiple of the block size.
    pub fn new(parameters: Parameters, length: u64) -> Result<Self, Invalid> {
        let Parameters { data_block, hash_block, .. } = parameters;
        for block in [data_block, hash_block] {
            if !block.is_power_of_two() || !(512..=512 << 10).contains(&block) {
                return Err(Invalid::Block(block));
            }
        }
        if parameters.salt.len() > LONGEST_SALT {
            return Err(Invalid::Salt(parameters.salt.len()));
        }
        if length == 0 {
            return Err(Invalid::NoData);
        }
        if !length.is_multiple_of(data_block.into()) {
            return Err(Invalid::Unaligned { length, block: data_block });
        }
        let geometry = Geometry::new(&parameters, length / u64::from(data_block));
        if geometry.layout.per_block < 2 {
            return Err(Invalid::Digest);
        }
        Ok(Self { parameters, geometry })
    }

    /// The same tree, with its superblock at this offset of the hash file, which may be the file or
    /// device of the data. Blocks of digests are still aligned relative to the beginning of the
    /// file. The root hash is the same.
    ///
    /// # Errors
    /// If the offset is not a multiple of 512, or too large for a file.
    pub fn with_hash_offset(self, offset: u64) -> Result<Self, Invalid> {
        let Self { parameters, geometry } = self;
        let aligned = Some(geometry).filter(|_| offset.is_multiple_of(SUPERBLOCK as u64));
        let geometry = aligned.and_then(|geometry| geometry.behind(offset));
        Ok(Self { parameters, geometry: geometry.ok_or(Invalid::Offset(offset))? })
    }

    /// The parameters of the tree.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The number of blocks of data.
    pub fn data_blocks(&self) -> u64 {
        self.geometry.data_blocks
    }

    /// The end of the tree in the hash file, which is the file's length if nothing follows.
    pub fn file_len(&self) -> u64 {
        self.geometry.blocks * u64::from(self.parameters.hash_block)
    }

    /// The bytes before and after each block.
    fn salt(&self) -> (&[u8], &[u8]) {
        match self.parameters.hash_type {
            Type::Normal => (&self.parameters.salt, &[]),
            Type::ChromeOs => (&[], &self.parameters.salt),
        }
    }

    /// The plan of the data blocks.
    pub fn plan(&self) -> Plan {
        let (prefix, suffix) = self.salt();
        Plan::with_engine(self.parameters.engine, self.parameters.data_block.into())
            .with_prefix(prefix)
            .with_suffix(suffix)
    }

    /// The sink of the data blocks, which passes the blocks of the tree to `blocks`: a
    /// [`TreeFile`], a [`Verifier`], or `()` if only the root hash is needed.
    pub fn tree<B: Blocks>(&self, blocks: B) -> VerityTree<B> {
        let (prefix, suffix) = self.salt();
        let engine = self.parameters.engine;
        VerityTree(BlockFold::new(engine, self.geometry.layout, prefix, suffix, blocks))
    }
}

/// A tree as it grows.
pub struct VerityTree<B>(BlockFold<B>);

impl<B: Blocks> VerityTree<B> {
    /// The root hash, and the receiver of the blocks.
    ///
    /// # Errors
    /// Any error that [`Blocks`] returns for the last blocks of each level, and one if there was no
    /// data.
    pub fn finish(self) -> io::Result<(AnyDigest, B)> {
        let root = self.0.finish()?;
        let digest = root.digest.and_then(|digest| AnyDigest::try_from(digest.as_slice()).ok());
        let digest = digest.ok_or_else(|| io::Error::other(Invalid::NoData))?;
        Ok((digest, root.writer))
    }
}

impl<B: Blocks> Sink for VerityTree<B> {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        self.0.push(digests)
    }
}
