//! Computes the root of a tree from the digests of its leaves.

mod binary;
mod blocks;
mod proof;

pub use binary::{MerkleFold, Root};
pub use blocks::Blocks;
pub(crate) use blocks::{BlockFold, Layout};
pub use proof::InclusionProof;
