//! Memory of secrets, and which values are public although they depend on a private key.
//!
//! With `--cfg memcheck`, valgrind takes secrets for undefined memory, and reports each branch and
//! each address that depends on them: `cargo xtask secrecy`. In other builds nothing happens.

use alloc::vec;
use alloc::vec::Vec;
use core::ops::{Deref, DerefMut};

/// Bytes that are overwritten when they are dropped. They cannot grow, so no copy stays behind.
///
/// They are overwritten in whole vectors. `Zeroizing` writes single bytes, which took a tenth of
/// the time of verifying a signature.
pub(crate) struct Wiped(Vec<u8>);

impl Wiped {
    pub(crate) fn new(length: usize) -> Self {
        Self(vec![0; length])
    }
}

impl Deref for Wiped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl DerefMut for Wiped {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl Drop for Wiped {
    fn drop(&mut self) {
        self.0.fill(0);
        zeroize::optimization_barrier(&self.0[..]);
    }
}

/// Declares bytes to be public: they are in a signature or follow from it.
#[inline(always)]
pub(crate) fn reveal(bytes: &[u8]) {
    #[cfg(memcheck)]
    memcheck::reveal(bytes);
    #[cfg(not(memcheck))]
    let _ = bytes;
}

/// Requests to valgrind (its `valgrind.h` and `memcheck.h`) on x86-64.
#[cfg(memcheck)]
#[allow(missing_docs)]
pub mod memcheck {
    use core::arch::asm;

    pub fn conceal(bytes: &[u8]) {
        request(0x4d43_0001, bytes);
    }

    pub fn reveal(bytes: &[u8]) {
        request(0x4d43_0002, bytes);
    }

    /// The reports so far. 0 without valgrind.
    pub fn reports() -> usize {
        request(0x1201, &[])
    }

    fn request(code: usize, bytes: &[u8]) -> usize {
        let arguments = [code, bytes.as_ptr().addr(), bytes.len(), 0, 0, 0];
        let mut answer = 0;
        // SAFETY: the rotations are by 128 bits together, and a register is exchanged with itself,
        // so this does nothing. Valgrind knows these instructions, reads the arguments, and writes
        // the answer.
        unsafe {
            asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                in("rax") &arguments, inout("rdx") answer,
            );
        }
        answer
    }
}
