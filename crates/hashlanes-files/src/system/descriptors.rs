//! The number of files that a process may have open, and how to open files near that limit.

use std::fs;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A soft limit that suffices for any run. macOS accepts no higher one.
const ENOUGH: u64 = 10_240;

/// Descriptors that [`free_descriptors`] reserves for anything but the files to hash: 32
/// directories of a walk, manifests, and pipes for signals.
const RESERVE: usize = 48;

/// How many milliseconds a file waits for a descriptor if waiting has helped or was not tried yet.
const PATIENT: u64 = 2000;

/// How many milliseconds a file waits if another has waited in vain, but one was opened since.
const HARDLY_PATIENT: u64 = 10;

/// How long the next file waits. 0 if one has waited in vain, and none was opened since.
static PATIENCE: AtomicU64 = AtomicU64::new(PATIENT);

/// Raises the limit of open files, as far as the hard limit allows.
pub fn raise_descriptor_limit() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
    if current.is_some_and(|current| current < wanted) {
        // If this is refused, the limit stays and fewer files are read side by side.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

/// The number of files that a run may have open at the same time. At least 1.
pub fn free_descriptors() -> usize {
    let Some(limit) = getrlimit(Resource::Nofile).current else { return usize::MAX };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    // Counting the open files pays only if the limit is low.
    let is_low = (limit as u64) < ENOUGH / 4;
    let open = if is_low { fs::read_dir("/dev/fd").map_or(16, Iterator::count) } else { 16 };
    let free = limit.saturating_sub(open);
    (free - RESERVE.min(free / 2)).max(1)
}

/// Opens a file. Tries again after a signal. If no descriptor is free, waits for a while: other
/// threads and processes close files meanwhile.
pub(crate) fn patiently<T>(mut open: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    let mut begin: Option<Instant> = None;
    loop {
        match open() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if is_exhausted(&error) => {
                let patience = Duration::from_millis(PATIENCE.load(Ordering::Relaxed));
                if begin.get_or_insert_with(Instant::now).elapsed() >= patience {
                    PATIENCE.store(0, Ordering::Relaxed);
                    return Err(error);
                }
                thread::sleep(Duration::from_millis(2));
            }
            opened => {
                if opened.is_ok() {
                    become_patient(if begin.is_some() { PATIENT } else { HARDLY_PATIENT });
                }
                return opened;
            }
        }
    }
}

fn become_patient(at_least: u64) {
    // Most files are opened at once. Threads share this, so it is written only if necessary.
    if PATIENCE.load(Ordering::Relaxed) < at_least {
        PATIENCE.store(at_least, Ordering::Relaxed);
    }
}

/// Whether the process or the system has too many open files.
fn is_exhausted(error: &io::Error) -> bool {
    let code = error.raw_os_error();
    [Errno::MFILE, Errno::NFILE].iter().any(|errno| code == Some(errno.raw_os_error()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_or_a_lack_of_descriptors_does_not_lose_a_file() {
        let mut errors = vec![Errno::INTR, Errno::MFILE, Errno::NFILE, Errno::INTR];
        let opened = patiently(|| errors.pop().map_or(Ok(7), |errno| Err(errno.into())));
        assert_eq!(opened.unwrap(), 7);
        let refused = patiently(|| Err::<(), _>(Errno::ACCESS.into()));
        assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }

    #[test]
    fn some_descriptors_are_left() {
        assert!(free_descriptors() >= 1);
    }
}
