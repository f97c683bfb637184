//! Memory of the lanes: where the blocks of a message are put together that do not lie in the
//! caller's memory.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::algorithm::{Family, MAX_BLOCK};
use crate::kernel::MAX_LANES;

/// Blocks of a lane's stage: one for the head, two for the tail.
const STAGE_BLOCKS: usize = 3;

/// Memory for the heads and tails of all lanes: three blocks each.
pub(crate) struct Stages<F> {
    /// Left uninitialised until a lane needs its part: with few messages, clearing all would cost
    /// more than hashing.
    bytes: MaybeUninit<[u8; STAGE_BLOCKS * MAX_BLOCK * MAX_LANES]>,
    /// The lanes whose part is initialised.
    initialised: [bool; MAX_LANES],
    family: PhantomData<F>,
}

impl<F: Family> Stages<F> {
    /// Bytes of one lane.
    pub(crate) const SIZE: usize = STAGE_BLOCKS * F::BLOCK;

    pub(crate) fn new() -> Self {
        Self { bytes: MaybeUninit::uninit(), initialised: [false; MAX_LANES], family: PhantomData }
    }

    /// Where the stage of lane `l` begins: `SIZE` initialised bytes, which overlap no other lane's.
    pub(crate) fn of(&mut self, l: usize) -> *mut u8 {
        let at = self.bytes.as_mut_ptr().cast::<u8>().wrapping_add(l * Self::SIZE);
        if !core::mem::replace(&mut self.initialised[l], true) {
            // SAFETY: `l < MAX_LANES`, or the index above had panicked; so `at` has SIZE bytes
            // within the array.
            unsafe { at.write_bytes(0, Self::SIZE) };
        }
        at
    }
}

#[cfg(feature = "zeroize")]
impl<F> Drop for Stages<F> {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.bytes);
    }
}
