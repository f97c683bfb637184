//! How many large files are read from a disk at the same time.
//!
//! Files that are hashed side by side are read in turns, one buffer of each. On flash or in memory
//! that costs nothing. A rotational disk would seek at every turn, which takes longer than reading
//! the buffer. So large files on such disks are read one after the other, unless they are cached in
//! memory. Small files are not limited: a worker requests many before it reads the first, and the
//! system sorts the requests.

use std::fs::File;
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use hashlanes_pool::lock;

use crate::system::ahead::{self, Attempt};
use crate::system::{Stamp, is_rotational};

/// Counts the large files that are being read from disks.
pub(super) struct Readers {
    /// The maximum, if the settings have one.
    forced: Option<NonZeroUsize>,
    reading: AtomicUsize,
    /// Known devices, and whether they are rotational.
    devices: Mutex<Vec<(u64, bool)>>,
}

/// Whether a file can be read now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Yes: it is in memory, or its disk has no limit.
    Free,
    /// Yes, and it counts.
    Counted,
    /// Not before others are finished.
    Later,
}

impl Readers {
    pub(super) fn new(forced: Option<NonZeroUsize>) -> Self {
        Self { forced, reading: AtomicUsize::new(0), devices: Mutex::new(Vec::new()) }
    }

    /// Whether a large file can be read now. If it counts, the caller must call `finished` later.
    pub(super) fn begin(&self, file: &File, stamp: &Stamp) -> Reading {
        let limit = match self.forced {
            Some(forced) => forced.get(),
            None if self.is_rotational(stamp.device()) => 1,
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

    /// The number of files that count.
    pub(super) fn reading(&self) -> usize {
        self.reading.load(Ordering::Relaxed)
    }

    fn is_rotational(&self, device: u64) -> bool {
        let mut devices = lock(&self.devices);
        if let Some((_, is_rotational)) = devices.iter().find(|(known, _)| *known == device) {
            return *is_rotational;
        }
        devices.push((device, is_rotational(device)));
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
        // A pipe is never cached in memory, and has no disk.
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
