//! Vectors: registers that hold one block of each of several lanes.
//!
//! An intrinsic becomes one instruction only where it is inlined into a function that enables its
//! CPU feature. So methods are `inline(always)` without `#[target_feature]`: they are inlined into
//! the entry functions of `table.rs`, which enable it.
//!
//! The arithmetic is safe to call because a value is a proof. The only constructors are
//! [`Vector::load`] and [`Vector::gather`], whose callers promise that the CPU has the instruction
//! set. So a vector only exists on such a CPU.

use crate::aes::Block;

/// One block of each of `LANES` lanes.
pub(super) trait Vector: Copy {
    const LANES: usize;

    /// `LANES` blocks that lie one after the other.
    ///
    /// # Safety
    /// The CPU has the instruction set. `source` is aligned for blocks, and readable for `LANES` of
    /// them.
    unsafe fn load(source: *const Block) -> Self;

    /// The opposite of [`load`](Vector::load).
    ///
    /// # Safety
    /// `target` is aligned for blocks, and writable for `LANES` of them.
    unsafe fn store(self, target: *mut Block);

    /// The block at `offset` of each of `LANES` lanes.
    ///
    /// # Safety
    /// The CPU has the instruction set. `data` is readable for `LANES` pointers, and each of them,
    /// plus `offset`, for a block.
    unsafe fn gather(data: *const *mut u8, offset: usize) -> Self;

    /// The opposite of [`gather`](Vector::gather).
    ///
    /// # Safety
    /// `data` is readable for `LANES` pointers, and each of them, plus `offset`, is writable for a
    /// block.
    unsafe fn scatter(self, data: *const *mut u8, offset: usize);

    fn xor(self, other: Self) -> Self;

    /// A round of AES.
    fn round(self, key: Self) -> Self;

    /// The last round of AES.
    fn last_round(self, key: Self) -> Self;
}
