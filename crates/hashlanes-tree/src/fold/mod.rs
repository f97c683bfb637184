//! From the digests of leaves to the root of a tree.

mod binary;
mod blocks;
mod proof;

pub use binary::{MerkleFold, Root};
pub(crate) use blocks::{BlockFold, BlockWriter, Layout};
pub use proof::InclusionProof;
