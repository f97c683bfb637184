//! What calls a kernel for many messages.

use super::members::Members;
use super::messages::Numbers;
use super::output::Output;
use super::rules::Tabled;
use super::states::EachState;
use crate::kernel::Kernel;

/// Hashes the messages of a call, with reusable memory.
pub(super) trait Caller<R: Tabled> {
    /// Whether messages are read soon enough after the call for a prefetch to help.
    const PREFETCHES: bool;

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
