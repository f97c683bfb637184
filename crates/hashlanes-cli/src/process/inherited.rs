//! What the program inherits from the one that starts it: standard streams that are closed, and
//! what SIGPIPE does.
//!
//! The runtime hides both. It opens `/dev/null` in the place of a closed stream: a closed standard
//! input would be hashed as an empty file, and a closed standard output would swallow all lines.
//! And it ignores SIGPIPE: a pipeline such as `hashlanes sum .. | head` would not see that the
//! signal ended the program. So a function that the loader calls before the runtime asks for both,
//! and [`restore`] brings them back.

/// Gives back what the program inherited. To be called once, before anything else.
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

/// Whether this is the error of a stream that was closed.
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

    // SAFETY: The loader calls what the functions in this section point to, one after the other,
    // before `main`. Some pass arguments, which a C function may leave unread. `look` needs nothing
    // that the runtime sets up: it makes two system calls and stores to atomics.
    #[used]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    #[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
    static LOOK: extern "C" fn() = look;

    extern "C" fn look() {
        for (descriptor, closed) in (0..).zip(&CLOSED) {
            // SAFETY: F_GETFD takes no further argument, and any number may be asked for.
            let flags = unsafe { libc::fcntl(descriptor, libc::F_GETFD) };
            closed.store(flags == -1, Ordering::Relaxed);
        }
        IGNORED.store(is_ignored(libc::SIGPIPE), Ordering::Relaxed);
    }

    /// Whether a signal has no effect now.
    pub(crate) fn is_ignored(signal: i32) -> bool {
        // SAFETY: All bytes zero is a valid `sigaction`, a plain struct of C.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        // SAFETY: The new action is null, so nothing changes. The old one is written to `action`.
        let asked = unsafe { libc::sigaction(signal, null_mut(), &raw mut action) };
        asked == 0 && action.sa_sigaction == libc::SIG_IGN
    }

    pub(super) fn is_stdin_closed() -> bool {
        CLOSED[0].load(Ordering::Relaxed)
    }

    pub(super) fn restore() {
        close_streams();
        if !IGNORED.load(Ordering::Relaxed) {
            // SAFETY: The default action of SIGPIPE ends the process. No code of it runs.
            unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
        }
    }

    /// Makes the use of a stream that was closed fail with `Bad file descriptor`, as if it still
    /// were. It must not really be closed: the next file that is opened would take its place. So
    /// the input becomes a file that can only be written, and the others one that can only be read.
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
