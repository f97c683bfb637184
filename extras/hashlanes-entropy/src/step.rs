//! One run of an instruction. Tests substitute fakes.

use crate::failure::Failure;

pub(crate) trait Step: Sync {
    /// Why the instruction must not be used on this CPU, if so.
    fn refused(&self) -> Option<Failure>;

    /// Runs the instruction once. `None` if it cleared the carry flag, which means that there is no
    /// value.
    fn step(&self) -> Option<u64>;
}
