//! Reads without waiting for a disk, and has the disk fetch the data meanwhile.
//!
//! A worker that read small files from a disk one after the other would wait for each. So it first
//! reads those that are cached in memory, and asks the system to fetch the others. By the time it
//! returns to them, the disk has worked on all of them at once. A cached file costs no more than
//! before: the first read tells, without another system call.

use std::fs::File;

/// The result of an attempt to read without waiting.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux can tell"))]
pub(crate) enum Attempt {
    /// The number of bytes read from the beginning. The rest may not be in memory.
    Read(usize),
    /// The beginning is not in memory. The system has been asked to fetch it.
    Fetching,
    /// The system cannot tell, as on most file systems that are not on a disk.
    Unknown,
}

/// Reads the beginning of a file if it is in memory. Otherwise asks the system to fetch it.
#[cfg(target_os = "linux")]
pub(crate) fn read(file: &File, space: &mut [u8]) -> Attempt {
    use std::io;

    use rustix::fs::{Advice, fadvise};
    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    let length = std::num::NonZeroU64::new(space.len() as u64);
    match preadv2(file, &mut [io::IoSliceMut::new(space)], 0, ReadWriteFlags::NOWAIT) {
        Ok(read) => Attempt::Read(read),
        // A FIFO gives the same error, but it has nothing to fetch, so `fadvise` fails.
        Err(Errno::AGAIN) if fadvise(file, 0, length, Advice::WillNeed).is_ok() => {
            Attempt::Fetching
        }
        // The usual read will report the error.
        Err(_) => Attempt::Unknown,
    }
}

/// Always `Unknown`: other systems have no such read.
#[cfg(not(target_os = "linux"))]
pub(crate) fn read(_: &File, _: &mut [u8]) -> Attempt {
    Attempt::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_just_written_is_in_memory_or_not_known() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, b"hello").unwrap();
        let mut space = [0; 9];
        match read(&File::open(path).unwrap(), &mut space) {
            Attempt::Read(length) => assert_eq!(&space[..length], b"hello"),
            Attempt::Unknown => {}
            Attempt::Fetching => panic!("it is in memory"),
        }
    }

    #[test]
    #[cfg(unix)]
    fn what_is_no_file_is_not_fetched() {
        let (reader, _writer) = std::io::pipe().unwrap();
        let reader = File::from(std::os::fd::OwnedFd::from(reader));
        assert!(matches!(read(&reader, &mut [0; 9]), Attempt::Unknown));
    }
}
