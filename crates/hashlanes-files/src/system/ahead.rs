//! Reads that do not wait for a disk, and asks the disk meanwhile.
//!
//! A worker that reads one small file after the other from a disk waits for each. So it first takes
//! what is in memory, and asks the system to fetch the rest. When it comes back to that, the disk
//! has worked on all of it at the same time. A file that is in memory costs no more than before:
//! the first read tells, without another question to the system.

use std::fs::File;

/// What an attempt to read without waiting gave.
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux can tell"))]
pub(crate) enum Attempt {
    /// So many bytes of the beginning. Not all, if the rest is not in memory.
    Read(usize),
    /// The beginning is not in memory. The system has been asked to fetch it.
    Fetching,
    /// The system cannot tell, as for most file systems that are no disk.
    Unknown,
}

/// Reads from the beginning of a file if it is in memory. Asks for the bytes if it is not.
#[cfg(target_os = "linux")]
pub(crate) fn read(file: &File, space: &mut [u8]) -> Attempt {
    use std::io;

    use rustix::fs::{Advice, fadvise};
    use rustix::io::{Errno, ReadWriteFlags, preadv2};

    let length = std::num::NonZeroU64::new(space.len() as u64);
    match preadv2(file, &mut [io::IoSliceMut::new(space)], 0, ReadWriteFlags::NOWAIT) {
        Ok(read) => Attempt::Read(read),
        // A FIFO says so too. But it has nothing that could be fetched.
        Err(Errno::AGAIN) if fadvise(file, 0, length, Advice::WillNeed).is_ok() => {
            Attempt::Fetching
        }
        // Whatever it is, the usual read tells.
        Err(_) => Attempt::Unknown,
    }
}

/// Always unknown: other systems have no such read.
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
