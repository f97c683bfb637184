//! Detects whether a file has changed, by its length and its time of modification.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::LastingNumbers;

/// The length, the time of modification and the identity of a file at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The size in bytes. 0 if the system does not know it, as in `/proc`.
    pub size: u64,
    /// The time of modification in seconds since 1970, rounded down. Negative before 1970.
    pub seconds: i64,
    /// Nanoseconds of that second. The resolution depends on the file system.
    pub nanoseconds: u32,
    /// The time of the last change of the content or the metadata, as `seconds` and `nanoseconds`.
    /// Programs cannot set it. Where the system does not record it, this is the time of
    /// modification.
    pub changed: (i64, u32),
    /// The device and the number of the file. 0 if the system has none.
    identity: (u64, u64),
    has_several_names: bool,
}

/// The coarsest times of file systems: FAT counts in steps of two seconds. The rest is for clocks
/// of kernels, which tick every 1 to 10 ms.
const COARSEST: Duration = Duration::from_millis(2020);

impl Stamp {
    /// The stamp of something that is not a file.
    pub fn of_object(size: u64, (seconds, nanoseconds): (i64, u32)) -> Self {
        let changed = (seconds, nanoseconds);
        Self { size, seconds, nanoseconds, changed, identity: (0, 0), has_several_names: false }
    }

    /// Whether any later change gives the file other times, if it was read at `begin` or later. The
    /// times of a file that was written shortly before may stay the same when it is written again.
    pub fn is_settled(&self, begin: SystemTime) -> bool {
        let Some(latest) = begin.checked_sub(COARSEST) else { return false };
        let latest = latest.duration_since(UNIX_EPOCH).unwrap_or_default();
        let latest = (latest.as_secs() as i64, latest.subsec_nanos());
        (self.seconds, self.nanoseconds) <= latest && self.changed <= latest
    }

    /// The number of the file on its file system. `None` if the system has none, or if the file may
    /// get another number when its file system is mounted again.
    pub fn number(&self, lasting: &mut LastingNumbers, path: &Path) -> Option<u64> {
        let (device, number) = self.identity;
        (number != 0 && lasting.are_on(device, path)).then_some(number)
    }

    /// Whether the file has this number.
    pub fn has_number(&self, number: u64) -> bool {
        self.identity.1 == number
    }

    /// The device and the number of the file, and whether it has several names. `None` if the
    /// system has no such numbers.
    pub fn id(&self) -> Option<((u64, u64), bool)> {
        (self.identity != (0, 0)).then_some((self.identity, self.has_several_names))
    }

    /// Whether both are stamps of the same file, which may have several names.
    pub fn is_of_same_file(&self, other: &Self) -> bool {
        self.identity != (0, 0) && self.identity == other.identity
    }

    /// Whether the file was modified between this and a later stamp.
    ///
    /// A write that keeps the length is detected if the clock of the file system has ticked since
    /// the previous write, as it does every 1 to 10 ms on Linux. If another file has taken the name
    /// in the meantime, neither file counts as modified.
    pub fn is_changed(&self, later: &Self) -> bool {
        self.identity == later.identity && !self.has_content_of(later)
    }

    /// Whether the open file was modified since this stamp. To be called after the last read.
    pub(crate) fn is_changed_in(&self, file: &File) -> bool {
        matches!(stamp(file), Ok(Some(later)) if self.is_changed(&later))
    }

    /// Whether this is the same file, and it was not modified.
    pub(crate) fn has_content_of(&self, later: &Self) -> bool {
        let content = |stamp: &Self| (stamp.size, stamp.seconds, stamp.nanoseconds);
        self.identity == later.identity && content(self) == content(later)
    }
}

impl Stamp {
    /// The number of the file system.
    pub(crate) fn device(&self) -> u64 {
        self.identity.0
    }
}

impl From<&Metadata> for Stamp {
    #[cfg(unix)]
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self {
            size: metadata.size(),
            seconds: metadata.mtime(),
            nanoseconds: metadata.mtime_nsec() as u32,
            changed: (metadata.ctime(), metadata.ctime_nsec() as u32),
            identity: (metadata.dev(), metadata.ino()),
            has_several_names: metadata.nlink() > 1,
        }
    }

    #[cfg(not(unix))]
    fn from(metadata: &Metadata) -> Self {
        // Before 1970 the seconds are negative, but the nanoseconds still count upwards.
        let (seconds, nanoseconds) = match metadata.modified().map(|t| t.duration_since(UNIX_EPOCH))
        {
            Ok(Ok(after)) => (after.as_secs() as i64, after.subsec_nanos()),
            Ok(Err(before)) => {
                let before = -(before.duration().as_nanos() as i128);
                (before.div_euclid(1_000_000_000) as i64, before.rem_euclid(1_000_000_000) as u32)
            }
            Err(_) => (0, 0),
        };
        Self::of_object(metadata.len(), (seconds, nanoseconds))
    }
}

/// The stamp of an open file if it is a regular one.
#[cfg(unix)]
pub(crate) fn stamp(file: &File) -> io::Result<Option<Stamp>> {
    use rustix::fs::{FileType, fstat};

    // The standard library would call `statx`, which costs more. This is called twice per file.
    let stat = fstat(file)?;
    #[allow(clippy::unnecessary_cast, reason = "the types differ between systems")]
    let stamp = Stamp {
        size: stat.st_size as u64,
        seconds: stat.st_mtime as i64,
        nanoseconds: stat.st_mtime_nsec as u32,
        changed: (stat.st_ctime as i64, stat.st_ctime_nsec as u32),
        identity: (stat.st_dev as u64, stat.st_ino as u64),
        has_several_names: stat.st_nlink > 1,
    };
    Ok((FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile).then_some(stamp))
}

/// The stamp of an open file if it is a regular one.
#[cfg(not(unix))]
pub(crate) fn stamp(file: &File) -> io::Result<Option<Stamp>> {
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then(|| Stamp::from(&metadata)))
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::time::{Duration, SystemTime};

    use super::*;

    #[test]
    fn a_write_changes_the_stamp() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, "hello").unwrap();
        let mut file = File::options().append(true).open(&path).unwrap();
        let before = stamp(&file).unwrap().unwrap();
        assert_eq!(before.size, 5);
        assert_eq!(before, Stamp::from(&std::fs::metadata(&path).unwrap()));
        assert!(!before.is_changed(&stamp(&file).unwrap().unwrap()));

        file.write_all(b"!").unwrap();
        assert!(before.is_changed(&stamp(&file).unwrap().unwrap()));

        let now = stamp(&file).unwrap().unwrap();
        let time = SystemTime::UNIX_EPOCH - Duration::from_millis(1500);
        file.set_modified(time).unwrap();
        let then = stamp(&file).unwrap().unwrap();
        assert!(now.is_changed(&then));
        assert_eq!((then.seconds, then.nanoseconds), (-2, 500_000_000));
        assert_eq!(then, Stamp::from(&std::fs::metadata(&path).unwrap()));
    }

    #[test]
    fn a_file_is_settled_two_seconds_after_its_times() {
        let at = |millis: u64| UNIX_EPOCH + Duration::from_millis(millis);
        let stamp = Stamp::of_object(1, (10, 500_000_000));
        assert!(!stamp.is_settled(at(10_400)));
        assert!(!stamp.is_settled(at(12_500)));
        assert!(stamp.is_settled(at(12_520)));
        // Whoever sets the time of modification back still changes the other time.
        let set_back = Stamp { seconds: 1, ..stamp };
        assert!(!set_back.is_settled(at(12_500)) && set_back.is_settled(at(12_520)));
        assert!(!Stamp { changed: (1, 0), ..stamp }.is_settled(at(12_500)));
    }

    #[test]
    #[cfg(unix)]
    fn another_file_of_the_name_is_no_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let written = |name: &str| {
            std::fs::write(path(name), name).unwrap();
            Stamp::from(&std::fs::metadata(path(name)).unwrap())
        };
        assert!(!written("one").is_changed(&written("other")));
        assert!(stamp(&File::open(folder.path()).unwrap()).unwrap().is_none());
    }
}
