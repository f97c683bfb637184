//! What the program inherits from its parent: closed standard streams, and the disposition of
//! SIGPIPE.
//!
//! The runtime hides both. It opens `/dev/null` in place of a closed stream: a closed standard
//! input would be hashed as an empty file, and a closed standard output would swallow all lines.
//! And it ignores SIGPIPE: in `hashlanes sum .. | head`, nobody would see that the signal ended the
//! program. So the loader calls a function before the runtime starts, which looks at both, and
//! [`restore`] restores them.

/// Restores what the program inherited. Call this once, before anything else.
pub(crate) fn restore() {
    #[cfg(unix)]
    unix::restore();
}

/// Whether the standard input was closed.
pub(crate) fn is_stdin_closed() -> bool {
    #[cfg(unix)]
    return unix::is_stdin_closed();
    #[cfg(not(unix))]
    return false;
}

/// Whether this is the error that a closed stream causes.
pub(crate) fn is_bad_descriptor(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    return error.raw_os_error() == Some(libc::EBADF);
    #[cfg(not(unix))]
    return {
        let _ = error;
        false
    };
}

#[cfg(unix)]
pub(crate) use unix::is_ignored;

#[cfg(unix)]
#[expect(unsafe_code, reason = "the loader calls a function, and it asks the system")]
mod unix {
    use std::fs::File;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicBool, Ordering};

    use rustix::stdio::{dup2_stderr, dup2_stdin, dup2_stdout};

    /// Whether the standard input, output and error were closed.
    static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

    /// Whether SIGPIPE was ignored, as after `trap '' PIPE` in a shell.
    static IGNORED: AtomicBool = AtomicBool::new(false);

    // SAFETY: The loader calls the functions that this section points to, one after another, before
    // `main`. Some loaders pass arguments, which a C function may ignore. `look` needs nothing that
    // the runtime sets up: it makes system calls and stores to atomics.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: `fcntl` with F_GETFD takes no pointer and no further argument. It fails
            // without effect if the descriptor is not open.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
            closed.store(flags == -1, Ordering::Relaxed);
        }
        IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
    }

    /// Whether a signal is ignored now.
    pub(crate) fn is_ignored(signal: i32) -> bool {
        // SAFETY: `sigaction` is a C struct of integers and function addresses, for which all zeros
        // is a valid value.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: The new action is null, so nothing changes. The old one is written to `action`, a
        // local variable that nothing else refers to during the call.
        let asked = unsafe { libc::sigaction(signal, null_mut(), &raw mut action) };
        asked == 0 && action.sa_sigaction == libc::SIG_IGN
    }

    pub(super) fn is_stdin_closed() -> bool {
        CLOSED[0].load(Ordering::Relaxed)
    }

    pub(super) fn restore() {
        close_streams();
        if !IGNORED.load(Ordering::Relaxed) {
            // SAFETY: SIG_DFL is a valid action, and installs no handler that could run code of
            // this process.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        }
    }

    /// Makes the use of a closed stream fail with `Bad file descriptor`, as if it were still
    /// closed. It must not really be closed, since the next file to be opened would take its place.
    /// So the input becomes a write-only file, and the outputs become read-only ones.
    fn close_streams() {
        let [stdin, stdout, stderr] =
            CLOSED.each_ref().map(|closed| closed.load(Ordering::Relaxed));
        if stdin && let Ok(file) = File::options().write(true).open("/dev/null") {
            let _ = dup2_stdin(file);
        }
        if (stdout || stderr)
            && let Ok(file) = File::open("/dev/null")
        {
            if stdout {
                let _ = dup2_stdout(&file);
            }
            if stderr {
                let _ = dup2_stderr(&file);
            }
        }
    }
}
