//! The memory in which messages end.

use super::members::Members;
use super::messages::Numbers;
use super::output::Output;
use super::states::EachState;
use crate::kernel::Kernel;
#[cfg(doc)]
use crate::schedule::choose::policy;
use crate::schedule::rules::Tabled;

/// Hashes the messages of a call of a kernel, with reusable memory for their tails:
///
/// | tails | in |
/// |---|---|
/// | assembled in slots, shared by messages of one length, or as sums of padding | [`Groups`] |
/// | one block, in a slot or in the message | [`OneBlock`] |
/// | loaded by a kernel that takes whole messages | [`Wholes`] |
/// | those of messages behind a copy of what precedes them | [`Prefixed`] |
///
/// [`Groups`]: super::groups::Groups
/// [`Prefixed`]: super::prefixed::Prefixed
/// [`OneBlock`]: super::one_block::OneBlock
/// [`Wholes`]: super::whole::Wholes
pub(crate) trait Tails<R: Tabled> {
    /// Whether messages are read soon enough after the call for a prefetch to help.
    const PREFETCHES: bool;

    /// How many blocks a message has at most for which kernels of more than [`SOME`](policy::SOME)
    /// lanes take too long to begin.
    const FEW_BLOCKS: usize = 0;

    /// The most messages for a kernel of `lanes` lanes.
    fn most(lanes: usize) -> usize;

    /// Whether this kernel can be used.
    fn suits(kernel: &Kernel<R::Word>) -> bool;

    /// Hashes the first of `members`, at most [`most`](Self::most), which have these numbers. If
    /// there are `states`, each message continues its own. Stops before the first group whose
    /// lengths differ too much. Returns how many were hashed.
    fn hash(
        &mut self,
        kernel: &Kernel<R::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, R>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize;
}
