//! Signals that ask the program to end. On systems other than Unix, none are caught here.

#[cfg(not(unix))]
pub(crate) use other::{Signals, is_pipe};
#[cfg(unix)]
pub(crate) use unix::{Signals, is_pipe};

#[cfg(unix)]
mod unix {
    use std::io::{PipeReader, pipe};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::time::Duration;

    use hashlanes_files::system;
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::{SigId, flag, low_level};

    /// Caught signals. Clones share their state.
    #[derive(Clone)]
    pub(crate) struct Signals(Arc<Caught>);

    struct Caught {
        /// The signal that arrived, or 0.
        signal: Arc<AtomicUsize>,
        /// Receives a byte with each signal. `None` if no signal is caught.
        bytes: Option<PipeReader>,
        registered: Vec<SigId>,
    }

    impl Signals {
        /// Catches signals from now on, except those that are ignored: a shell has commands in the
        /// background ignore SIGINT.
        pub(crate) fn catch() -> Self {
            let signal = Arc::new(AtomicUsize::new(0));
            let mut registered = Vec::new();
            let bytes = match pipe() {
                Err(_) => None,
                Ok((reader, writer)) => {
                    let mut is_written = false;
                    let came = Arc::new(AtomicBool::new(false));
                    for caught in [SIGINT, SIGTERM] {
                        if crate::process::inherited::is_ignored(caught) {
                            continue;
                        }
                        let Ok(writer) = writer.try_clone() else { continue };
                        // A second signal, after the first one has arrived, has its usual effect.
                        let attempts = [
                            flag::register_conditional_default(caught, came.clone()),
                            flag::register(caught, came.clone()),
                            flag::register_usize(caught, signal.clone(), caught as usize),
                            low_level::pipe::register(caught, writer),
                        ];
                        is_written |= attempts[3].is_ok();
                        registered.extend(attempts.into_iter().flatten());
                    }
                    // Without a writer the pipe is at its end, which would look like a signal.
                    is_written.then_some(reader)
                }
            };
            Self(Arc::new(Caught { signal, bytes, registered }))
        }

        /// Stops catching them.
        pub(crate) fn give_back(&self) {
            for &id in &self.0.registered {
                low_level::unregister(id);
            }
        }

        /// Waits for a signal. False if none arrived within the limit.
        pub(crate) fn wait(&self, limit: Option<Duration>) -> bool {
            match &self.0.bytes {
                Some(bytes) => system::wait_for_input(bytes, limit) && self.came(),
                None => {
                    std::thread::sleep(limit.unwrap_or(Duration::MAX));
                    false
                }
            }
        }

        fn came(&self) -> bool {
            self.0.signal.load(Ordering::Relaxed) != 0
        }

        /// Ends the program by the signal that arrived.
        pub(crate) fn die(&self) {
            let signal = self.0.signal.load(Ordering::Relaxed) as i32;
            let _ = low_level::emulate_default_handler(signal);
        }
    }

    /// Whether the standard output is a pipe.
    pub(crate) fn is_pipe() -> bool {
        use std::os::unix::fs::FileTypeExt;
        let metadata = system::stdout().and_then(|stdout| stdout.metadata());
        metadata.is_ok_and(|metadata| metadata.file_type().is_fifo())
    }
}

#[cfg(not(unix))]
mod other {
    use std::time::Duration;

    /// No signals: the system ends the program.
    #[derive(Clone)]
    pub(crate) struct Signals;

    impl Signals {
        pub(crate) fn catch() -> Self {
            Self
        }

        pub(crate) fn give_back(&self) {}

        /// Waits until the limit; no signal can arrive.
        pub(crate) fn wait(&self, limit: Option<Duration>) -> bool {
            std::thread::sleep(limit.unwrap_or(Duration::MAX));
            false
        }

        pub(crate) fn die(&self) {}
    }

    /// Whether the standard output is not a terminal; more cannot be determined.
    pub(crate) fn is_pipe() -> bool {
        use std::io::IsTerminal;
        !std::io::stdout().is_terminal()
    }
}
