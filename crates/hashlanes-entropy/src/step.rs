//! What an instruction has to offer: a word, or none for now. Tests put a fake in its place.

use crate::failure::Failure;

pub(crate) trait Step: Sync {
    /// Why the instruction must not be used on this CPU, if it must not.
    fn refused(&self) -> Option<Failure>;

    /// Runs the instruction once. `None` if it cleared the carry flag: there is no value.
    fn step(&self) -> Option<u64>;
}
