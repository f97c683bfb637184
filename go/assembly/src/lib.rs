//! The library's kernels alone, for `cargo xtask go-assembly`.

#![no_std]

extern crate hashlanes;

/// A kernel never panics. If it does, the process ends by a signal.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: it ends the process.
    unsafe {
        core::arch::asm!("ud2", options(noreturn, nomem, nostack))
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: it ends the process.
    unsafe {
        core::arch::asm!("udf #0", options(noreturn, nomem, nostack))
    }
}
