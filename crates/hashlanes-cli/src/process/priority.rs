//! The priority of a run that yields to other programs.

use std::io;

/// Lowers the priority of the calling thread, for cores and, on Linux, for disks. Threads that it
/// starts later inherit it.
///
/// # Errors
/// If the system refuses, or does not support it.
#[cfg(unix)]
#[cfg_attr(
    target_os = "linux",
    expect(unsafe_code, reason = "no safe crate at hand sets the priority for disks")
)]
pub(crate) fn lower() -> io::Result<()> {
    /// The lowest CPU priority.
    const NICE: i32 = 19;
    rustix::process::setpriority_process(None, NICE)?;
    #[cfg(target_os = "linux")]
    {
        /// `IOPRIO_WHO_PROCESS`, which means a thread.
        const THREAD: libc::c_int = 1;
        /// `IOPRIO_CLASS_IDLE`, above the 13 bits of the priority within the class.
        const IDLE: libc::c_int = 3 << 13;
        // SAFETY: `ioprio_set` takes three integers and no pointer. 0 is the calling thread.
        if unsafe { libc::syscall(libc::SYS_ioprio_set, THREAD, 0, IDLE) } != 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

#[cfg(not(unix))]
pub(crate) fn lower() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
