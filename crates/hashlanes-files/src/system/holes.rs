//! Holes of sparse files: they read as zeros, and nothing is stored for them.

use std::fs::File;
use std::io::{self, Seek};
use std::ops::Range;

use super::{read_at, stamp};
use crate::full::read_full;

/// A shorter hole is read: to look for its ends takes as long.
const LEAST: u64 = 64 << 10;

/// After this many short holes, what lies before the next one is read.
const MOST_SHORT: usize = 64;

/// A regular file with holes, which is read from its beginning to its end.
pub(crate) struct Sparse {
    file: File,
    size: u64,
    at: u64,
    /// The next hole. What is before it is read.
    hole: Range<u64>,
}

impl Sparse {
    /// A file of this size. Gives it back if it has no holes, or if it is not known where they are.
    pub(crate) fn new(file: File, size: u64) -> Result<Self, File> {
        match first(&file, size) {
            Some(hole) => Ok(Self { file, size, at: 0, hole }),
            None => Err(file),
        }
    }

    /// The file.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Reads on from an offset.
    pub(crate) fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.at = offset;
        self.hole = next(&self.file, offset, self.size);
        Ok(())
    }

    /// Fills the buffer, or less of it if a hole comes first. The last value is true if these are
    /// zeros of a hole, which are not in the buffer. True before it if the file ends.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<(usize, bool, bool)> {
        if self.at >= self.hole.end && self.hole.end < self.size {
            self.hole = next(&self.file, self.at, self.size);
        }
        let is_hole = self.hole.contains(&self.at);
        let end = if is_hole { self.hole.end } else { self.hole.start };
        // What comes after the last hole is read until the file ends.
        let left = if self.at < end { end - self.at } else { u64::MAX };
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        let (file, at) = (&self.file, self.at);
        let read = |space: &mut [u8], filled: usize| read_at(file, space, at + filled as u64);
        let length = if is_hole { wanted } else { read_full(&mut buffer[..wanted], read)? };
        self.at += length as u64;
        Ok((length, length < wanted, is_hole))
    }
}

/// Whether a file of this size has holes, and its file system tells exactly where.
pub(crate) fn has_holes(file: &File, size: u64) -> bool {
    first(file, size).is_some()
}

/// The first hole of a file that nobody has read yet, if there is one.
fn first(mut file: &File, size: u64) -> Option<Range<u64>> {
    if size < LEAST || !may_have_holes(file, size) {
        return None;
    }
    let hole = next(file, 0, size);
    // To look for holes moves the place that is read next.
    file.rewind().ok()?;
    (hole.start < size).then_some(hole)
}

/// Whether all of a range of the file is in a hole.
pub(crate) fn is_hole(file: &File, range: Range<u64>) -> bool {
    match data_from(file, range.start) {
        Some(Some(data)) => data >= range.end,
        // The file may have become shorter.
        Some(None) => matches!(stamp(file), Ok(Some(now)) if now.size >= range.end),
        None => false,
    }
}

/// The next hole at or after an offset. Behind the end if there is none, or if it is not known.
/// Without length after many short ones.
fn next(file: &File, mut from: u64, size: u64) -> Range<u64> {
    let none = u64::MAX..u64::MAX;
    for _ in 0..MOST_SHORT {
        let Some(hole) = hole_from(file, from).filter(|hole| *hole < size) else { return none };
        let Some(data) = data_from(file, hole) else { return none };
        let end = data.unwrap_or(size).min(size);
        if end.saturating_sub(hole) >= LEAST {
            return hole..end;
        }
        from = end;
        if from >= size {
            return none;
        }
    }
    from..from
}

/// Where the next hole begins. The end of a file is one.
#[cfg(target_os = "linux")]
fn hole_from(file: &File, from: u64) -> Option<u64> {
    rustix::fs::seek(file, rustix::fs::SeekFrom::Hole(from)).ok()
}

/// Where the next data begin. `Some(None)` if there are none.
#[cfg(target_os = "linux")]
fn data_from(file: &File, from: u64) -> Option<Option<u64>> {
    match rustix::fs::seek(file, rustix::fs::SeekFrom::Data(from)) {
        Ok(data) => Some(Some(data)),
        Err(rustix::io::Errno::NXIO) => Some(None),
        Err(_) => None,
    }
}

/// Whether less is stored than the size says, on a file system that is known to report no hole
/// where somebody has written: ext4, XFS, Btrfs, tmpfs, or a layer over one of them. ZFS has done
/// that before version 2.2.2, and nobody knows what servers do.
#[cfg(target_os = "linux")]
fn may_have_holes(file: &File, size: u64) -> bool {
    use std::os::unix::fs::MetadataExt;

    const EXACT: [u64; 5] = [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630];
    let stored = file.metadata().map(|it| it.blocks() * 512);
    let kind = || rustix::fs::fstatfs(file).map(|it| it.f_type as u64);
    stored.is_ok_and(|stored| stored < size) && kind().is_ok_and(|kind| EXACT.contains(&kind))
}

// macOS has been seen to report holes wrongly, and Windows has no such call.
#[cfg(not(target_os = "linux"))]
fn hole_from(_: &File, _: u64) -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
fn data_from(_: &File, _: u64) -> Option<Option<u64>> {
    None
}

#[cfg(not(target_os = "linux"))]
fn may_have_holes(_: &File, _: u64) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    /// A file of this size with data in these ranges, and its content.
    fn sparse(size: u64, data: &[Range<u64>]) -> (File, Vec<u8>) {
        let file = tempfile::tempfile().unwrap();
        file.set_len(size).unwrap();
        let mut content = vec![0; size as usize];
        for range in data {
            let part = &mut content[range.start as usize..range.end as usize];
            part.iter_mut().enumerate().for_each(|(at, byte)| *byte = (at % 251 + 1) as u8);
            file.write_all_at(part, range.start).unwrap();
        }
        (file, content)
    }

    /// What is read of the file in buffers of this length, and how much of it as a hole.
    fn read(file: &mut Sparse, buffer: usize) -> (Vec<u8>, usize) {
        let (mut all, mut zeros, mut buffer) = (Vec::new(), 0, vec![0xff; buffer]);
        loop {
            let (length, is_end, is_hole) = file.read(&mut buffer).unwrap();
            match is_hole {
                true => all.resize(all.len() + length, 0),
                false => all.extend(&buffer[..length]),
            }
            zeros += if is_hole { length } else { 0 };
            if is_end {
                return (all, zeros);
            }
        }
    }

    #[test]
    fn holes_are_not_read_and_nothing_else_is_lost() {
        const M: u64 = 1 << 20;
        let scattered: Vec<_> = (0..200).map(|i| i * 8192..i * 8192 + 4096).collect();
        for (size, data, least) in [
            (M, &[][..], M),
            (M + 5, std::slice::from_ref(&(M - 10..M + 5)), M - 8192),
            (3 * M, &[0..1, 2 * M..2 * M + 100_000], 2 * M),
            (3 * M + 1, std::slice::from_ref(&(M..M + 70_000)), 2 * M),
            // The holes between these are short.
            (3 * M, &scattered, M),
        ] {
            for buffer in [4096, 64 << 10, 100_001] {
                let (file, content) = sparse(size, data);
                assert!(has_holes(&file, size));
                let Ok(mut file) = Sparse::new(file, size) else { panic!("no holes in {data:?}") };
                let (all, zeros) = read(&mut file, buffer);
                assert!(all == content, "{size} {data:?}");
                assert!(zeros as u64 >= least, "{zeros} of {size}: {data:?}");
            }
        }
        let (file, _) = sparse(M, std::slice::from_ref(&(0..M)));
        assert!(!has_holes(&file, M) && Sparse::new(file, M).is_err());
    }

    #[test]
    fn a_file_that_changes_is_read_as_it_is_until_its_end() {
        const M: u64 = 1 << 20;
        let begun = || {
            let (file, _) = sparse(3 * M, std::slice::from_ref(&(0..100)));
            let other = file.try_clone().unwrap();
            let Ok(file) = Sparse::new(file, 3 * M) else { panic!("no hole") };
            (file, other)
        };
        let (mut file, other) = begun();
        other.write_all_at(b"more", 4 * M).unwrap();
        let (all, _) = read(&mut file, 64 << 10);
        assert_eq!((all.len() as u64, &all[all.len() - 4..]), (4 * M + 4, &b"more"[..]));
        // Nothing waits, and nothing is read beyond what was there. The stamp shows the change.
        let (mut file, other) = begun();
        other.set_len(10).unwrap();
        assert!(read(&mut file, 64 << 10).0.len() as u64 <= 3 * M);
        assert!(!is_hole(&other, M..2 * M) && !is_hole(&other, 0..5));
    }

    #[test]
    fn a_range_with_any_data_is_no_hole() {
        const M: u64 = 1 << 20;
        let (file, _) = sparse(4 * M, std::slice::from_ref(&(M..M + 4096)));
        for (range, expected) in [
            (0..M, true),
            (0..M + 1, false),
            (M + 4096..4 * M, true),
            (M + 4096..4 * M + 1, false),
            (M + 10..M + 20, false),
        ] {
            assert_eq!(is_hole(&file, range.clone()), expected, "{range:?}");
        }
    }
}
