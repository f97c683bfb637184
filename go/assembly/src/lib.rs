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

/// What the compiler calls for copies of many bytes.
///
/// # Safety
/// As in C.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memcpy(to: *mut u8, from: *const u8, count: usize) -> *mut u8 {
    // SAFETY: the caller promises memory of `count` bytes at both, and a clear direction flag.
    unsafe {
        core::arch::asm!(
            "rep movsb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            inout("rsi") from => _,
            options(nostack, preserves_flags)
        )
    }
    to
}

/// As [`memcpy`], for memory of one value.
///
/// # Safety
/// As in C.
#[cfg(target_arch = "x86_64")]
#[unsafe(no_mangle)]
unsafe extern "C" fn memset(to: *mut u8, value: i32, count: usize) -> *mut u8 {
    // SAFETY: the caller promises memory of `count` bytes, and a clear direction flag.
    unsafe {
        core::arch::asm!(
            "rep stosb",
            inout("rcx") count => _,
            inout("rdi") to => _,
            in("al") value as u8,
            options(nostack, preserves_flags)
        )
    }
    to
}
