//! How many large files are read from a disk at the same time.
//!
//! Files that are hashed side by side are read in turns, a buffer of each. On flash and in memory
//! that costs nothing. On a disk that turns, the heads would move with each turn, which takes
//! longer than to read the buffer. So there, large files that are not in memory are read one after
//! the other. Small ones are not limited: a worker asks for many before it reads the first, and
//! the system sorts what it is asked for.

use std::fs::File;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashlanes_pool::lock;

use crate::system::ahead::{self, Attempt};
use crate::system::{Stamp, turns};

/// Counts the files that are read from disks.
pub(super) struct Readers {
    /// The most of them, if that is forced.
    forced: Option<NonZeroUsize>,
    reading: AtomicUsize,
    /// Devices that were asked about, and whether they turn.
    devices: Mutex<Vec<(u64, bool)>>,
}

/// What a file is, for the disk it is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// It is in memory, or the disk can read many.
    Free,
    /// It is one of those that are counted.
    Counted,
    /// It must wait: others are read.
    Later,
}

impl Readers {
    pub(super) fn new(forced: Option<NonZeroUsize>) -> Self {
        Self { forced, reading: AtomicUsize::new(0), devices: Mutex::new(Vec::new()) }
    }

    /// Whether a large file can be read now. If it is counted, `finished` must be called.
    pub(super) fn begin(&self, file: &File, stamp: &Stamp) -> Reading {
        let limit = match self.forced {
            Some(forced) => forced.get(),
            None if self.turns(stamp.device()) => 1,
            None => return Reading::Free,
        };
        if matches!(ahead::read(file, &mut [0]), Attempt::Read(_)) {
            return Reading::Free;
        }
        let add = |reading| (reading < limit).then_some(reading + 1);
        match self.reading.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => Reading::Counted,
            Err(_) => Reading::Later,
        }
    }

    /// Files that are counted now.
    pub(super) fn reading(&self) -> usize {
        self.reading.load(Ordering::Relaxed)
    }

    fn turns(&self, device: u64) -> bool {
        let mut devices = lock(&self.devices);
        if let Some((_, turns)) = devices.iter().find(|(known, _)| *known == device) {
            return *turns;
        }
        devices.push((device, turns(device)));
        devices[devices.len() - 1].1
    }

    pub(super) fn finished(&self) {
        self.reading.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::stamp;

    #[test]
    fn as_many_are_counted_as_may_read() {
        // A pipe is never in memory, and has no disk.
        let (reader, _writer) = std::io::pipe().unwrap();
        #[cfg(unix)]
        let cold = File::from(std::os::fd::OwnedFd::from(reader));
        #[cfg(windows)]
        let cold = File::from(std::os::windows::io::OwnedHandle::from(reader));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "in memory").unwrap();
        let stamp = stamp(&File::open(&path).unwrap()).unwrap().unwrap();

        let free = Readers::new(None);
        assert_eq!(free.begin(&File::open(&path).unwrap(), &stamp), Reading::Free);
        let readers = Readers::new(NonZeroUsize::new(2));
        let begin = || readers.begin(&cold, &stamp);
        assert_eq!(
            [begin(), begin(), begin()],
            [Reading::Counted, Reading::Counted, Reading::Later]
        );
        readers.finished();
        assert_eq!((readers.reading(), begin()), (1, Reading::Counted));
    }
}
