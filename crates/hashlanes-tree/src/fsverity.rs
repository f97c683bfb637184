//! The digest of fs-verity, with which Linux verifies files of ext4, f2fs and btrfs while reading.
//!
//! Blocks of the file are hashed, then blocks of digests, up to a root. The file's digest is that
//! of a *descriptor*: algorithm, block size, length, root and salt. `fsverity digest` prints it,
//! and the kernel reports it for files with fs-verity enabled.
//!
//! ```
//! use hashlanes_tree::fsverity::FsVerity;
//! use hashlanes_tree::{Job, Settings, hash_content};
//!
//! let verity = FsVerity::default();
//! let mut tree = verity.tree();
//! let plan = verity.plan();
//! hash_content(b"".as_slice(), &mut [Job::new(&plan, &mut tree)], &Settings::default())?;
//! // The digest of an empty file, as in the kernel's documentation of fs-verity tools.
//! assert_eq!(
//!     verity.digest(tree, 0)?.to_string(),
//!     "3d248ca542a24fc62d1c43b916eae5016878e2533c88238480b26128a1f1af95"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::fmt;
use std::io;

use hashlanes::{Algorithm, AnyDigest, Engine};

use crate::fold::{BlockFold, Layout};
use crate::{LastLeaf, Plan, Sink};

/// The block size that all systems accept.
pub const BLOCK: u32 = 4096;

/// The maximum length of a salt.
pub const LONGEST_SALT: usize = 32;

/// The parameters of a digest.
#[derive(Clone, Debug)]
pub struct FsVerity {
    engine: Engine,
    block: u32,
    salt: Vec<u8>,
}

/// SHA-256, blocks of 4 KiB, no salt.
impl Default for FsVerity {
    fn default() -> Self {
        let engine = Engine::of(Algorithm::Sha256);
        Self { engine, block: BLOCK, salt: Vec::new() }
    }
}

/// Parameters that fs-verity does not allow. The message says which it allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// Only SHA-256 and SHA-512.
    Algorithm(Algorithm),
    /// A power of two, from 1 KiB to 64 KiB.
    Block(u32),
    /// At most 32 bytes.
    Salt(usize),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Algorithm(algorithm) => {
                write!(f, "fs-verity supports sha256 and sha512, not {algorithm}")
            }
            Self::Block(block) => {
                write!(
                    f,
                    "an fs-verity block must be a power of two from 1 KiB to 64 KiB, not {block}"
                )
            }
            Self::Salt(length) => {
                write!(f, "an fs-verity salt has at most {LONGEST_SALT} bytes, not {length}")
            }
        }
    }
}

impl std::error::Error for Invalid {}

impl FsVerity {
    /// Checks and returns these parameters.
    ///
    /// # Errors
    /// If fs-verity does not allow them.
    pub fn new(engine: Engine, block: u32, salt: &[u8]) -> Result<Self, Invalid> {
        let algorithm = engine.algorithm();
        if !matches!(algorithm, Algorithm::Sha256 | Algorithm::Sha512) {
            return Err(Invalid::Algorithm(algorithm));
        }
        if !block.is_power_of_two() || !(1 << 10..=64 << 10).contains(&block) {
            return Err(Invalid::Block(block));
        }
        if salt.len() > LONGEST_SALT {
            return Err(Invalid::Salt(salt.len()));
        }
        Ok(Self { engine, block, salt: salt.to_vec() })
    }

    /// The algorithm of all digests.
    pub fn algorithm(&self) -> Algorithm {
        self.engine.algorithm()
    }

    /// Bytes of a block.
    pub fn block(&self) -> u32 {
        self.block
    }

    /// The salt. It may be empty.
    pub fn salt(&self) -> &[u8] {
        &self.salt
    }

    /// The bytes before each block: the salt, padded with zeros to a block of the hash function.
    fn prefix(&self) -> Vec<u8> {
        let mut prefix = self.salt.clone();
        prefix.resize(prefix.len().next_multiple_of(self.algorithm().block_len()), 0);
        prefix
    }

    /// The plan of the data blocks.
    pub fn plan(&self) -> Plan {
        Plan::with_engine(self.engine, self.block.into())
            .with_prefix(self.prefix())
            .with_last_leaf(LastLeaf::Zeros)
    }

    /// The sink of the data blocks.
    pub fn tree(&self) -> FsVerityTree {
        let (block, slot) = (self.block as usize, self.algorithm().digest_len());
        let layout = Layout { block, per_block: block / slot, slot };
        FsVerityTree(BlockFold::new(self.engine, layout, &self.prefix(), &[], ()))
    }

    /// The digest of a file of this length.
    ///
    /// # Errors
    /// Never, because the tree is in memory. The type is that of trees that are written.
    pub fn digest(&self, tree: FsVerityTree, length: u64) -> io::Result<AnyDigest> {
        let root = tree.0.finish()?.digest.unwrap_or_default();
        Ok(self.engine.digest(self.descriptor(&root, length).as_slice()))
    }

    /// `struct fsverity_descriptor` of Linux. Integers are little-endian.
    fn descriptor(&self, root: &[u8], length: u64) -> [u8; 256] {
        let mut descriptor = [0; 256];
        descriptor[0] = 1;
        descriptor[1] = if self.algorithm() == Algorithm::Sha512 { 2 } else { 1 };
        descriptor[2] = self.block.ilog2() as u8;
        descriptor[3] = self.salt.len() as u8;
        descriptor[8..16].copy_from_slice(&length.to_le_bytes());
        descriptor[16..][..root.len()].copy_from_slice(root);
        descriptor[80..][..self.salt.len()].copy_from_slice(&self.salt);
        descriptor
    }
}

/// The tree over the blocks of a file. Only its root is kept.
pub struct FsVerityTree(BlockFold<()>);

impl Sink for FsVerityTree {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        self.0.push(digests)
    }
}
