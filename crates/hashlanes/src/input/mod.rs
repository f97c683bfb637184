//! The input of the functions that hash: spans of blocks for their lanes, or whole messages.
//!
//! `instruction/` has such functions, `kernel/` compiles and calls them.

mod chains;
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "no kernel takes whole messages there")
)]
mod messages;
mod span;

#[cfg(target_arch = "x86_64")]
pub(crate) use chains::MOST_TOUCHED;
pub(crate) use chains::{Chains, ContinueChains, Frame, LinkLanes, Links, Place};
pub(crate) use messages::{
    Digests, EqualMessages, HashEqual, HashWhole, Initial, Lengths, Padding, RAGGED, WholeMessages,
};
pub(crate) use span::{Compress, Span, SqueezeBlocks, Squeezing};
