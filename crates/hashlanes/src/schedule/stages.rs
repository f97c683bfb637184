//! Memory of the lanes, where the blocks of a message are put together that do not lie in the
//! caller's memory.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::family::Family;
use crate::kernel::MAX_LANES;

/// Blocks of a lane's stage: one for the head, two for the tail.
const STAGE_BLOCKS: usize = 3;

/// Bytes of one block of all lanes, at most: 32 lanes of 64 bytes, or 8 of 128.
const BLOCK_OF_ALL: usize = 2048;

/// The memory of all stages.
///
/// It stays uninitialised until a lane needs its part. With few messages it would take longer to
/// clear all of it than to hash.
pub(crate) struct StageMemory([MaybeUninit<u8>; STAGE_BLOCKS * BLOCK_OF_ALL]);

impl StageMemory {
    pub(crate) const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; STAGE_BLOCKS * BLOCK_OF_ALL])
    }

    /// The stages of the lanes of a kernel with `lanes` lanes.
    ///
    /// # Panics
    /// If the memory is too small for `lanes` lanes.
    pub(crate) fn stages<F: Family>(&mut self, lanes: usize) -> Stages<'_, F> {
        assert!(lanes <= MAX_LANES && lanes * F::BLOCK <= BLOCK_OF_ALL);
        Stages {
            base: self.0.as_mut_ptr().cast(),
            lanes,
            initialised: [false; MAX_LANES],
            memory: PhantomData,
        }
    }
}

#[cfg(feature = "zeroize")]
impl Drop for StageMemory {
    fn drop(&mut self) {
        crate::wipe::memory(self.0.as_mut_slice());
    }
}

/// The stages of a kernel's lanes.
///
/// All pointers into the memory are made from one, `base`. So they stay valid for `'m`, whatever is
/// called on this value meanwhile.
pub(crate) struct Stages<'m, F> {
    /// The memory, which is borrowed for `'m`: `lanes * SIZE` bytes, one stage after the other.
    base: *mut u8,
    lanes: usize,
    /// The lanes whose stage is initialised.
    initialised: [bool; MAX_LANES],
    memory: PhantomData<(&'m mut StageMemory, F)>,
}

impl<F: Family> Stages<'_, F> {
    /// Bytes of one stage.
    pub(crate) const SIZE: usize = STAGE_BLOCKS * F::BLOCK;

    /// Where the stage of lane `l` begins: `SIZE` initialised bytes, which overlap no other stage.
    /// Nobody but who asked for them reads or writes them.
    pub(crate) fn of(&mut self, l: usize) -> *mut u8 {
        assert!(l < self.lanes);
        let at = self.base.wrapping_add(l * Self::SIZE);
        if !core::mem::replace(&mut self.initialised[l], true) {
            // SAFETY: `at` is in the memory behind `base`, which has SIZE bytes for each lane and
            // is borrowed for as long as this value. No reference to it exists.
            unsafe { at.write_bytes(0, Self::SIZE) };
        }
        at
    }
}
