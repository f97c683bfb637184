//! Memory of the lanes, in which the first and last blocks of a message are assembled if they are
//! not contiguous in the caller's memory.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::kernel::MAX_LANES;

/// The number of blocks of a lane's stage: one for the head, two for the tail.
const STAGE_BLOCKS: usize = 3;

/// The most bytes that a block of each lane takes: 32 lanes with 64 bytes, or 16 with 128.
const BLOCK_OF_ALL: usize = 2048;

/// The memory of all stages.
///
/// A stage stays uninitialised until its lane needs it. With few messages, clearing all of it would
/// take longer than hashing.
pub(crate) struct StageMemory([MaybeUninit<u8>; STAGE_BLOCKS * BLOCK_OF_ALL]);

impl StageMemory {
    pub(crate) const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; STAGE_BLOCKS * BLOCK_OF_ALL])
    }

    /// The stages of a kernel with `lanes` lanes, for blocks of `block` bytes.
    ///
    /// # Panics
    /// If the memory is too small for `lanes` lanes.
    pub(crate) fn stages(&mut self, block: usize, lanes: usize) -> Stages<'_> {
        assert!(lanes <= MAX_LANES && lanes * block <= BLOCK_OF_ALL);
        Stages {
            base: self.0.as_mut_ptr().cast(),
            lanes,
            size: STAGE_BLOCKS * block,
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
/// All pointers into the memory are derived from `base`, so they stay valid for `'m`, whatever
/// methods are called in between.
pub(crate) struct Stages<'m> {
    /// The memory, which is borrowed for `'m`: `lanes * size` bytes, one stage after the other.
    base: *mut u8,
    lanes: usize,
    size: usize,
    /// The lanes whose stage is initialised.
    initialised: [bool; MAX_LANES],
    memory: PhantomData<&'m mut StageMemory>,
}

impl Stages<'_> {
    /// The length of a stage in bytes.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// The stage of lane `l`: `size` initialised bytes, which overlap no other stage. Only the
    /// caller accesses them.
    pub(crate) fn of(&mut self, l: usize) -> *mut u8 {
        assert!(l < self.lanes);
        let at = self.base.wrapping_add(l * self.size);
        if !core::mem::replace(&mut self.initialised[l], true) {
            // SAFETY: `base` points to memory with `size` bytes for each lane, which is borrowed
            // for
            // `'m`, and to which no reference exists. So `at` is writable for `size` bytes.
            unsafe { at.write_bytes(0, self.size) };
        }
        at
    }
}
