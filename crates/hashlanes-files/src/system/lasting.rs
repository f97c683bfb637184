//! Tells on which file systems the numbers of files last.

use std::path::Path;

/// Remembers the file system that was asked for last.
#[derive(Debug, Default)]
pub struct LastingNumbers(Option<(u64, bool)>);

impl LastingNumbers {
    /// Whether files on the device, such as the one at this path, keep their numbers when it is
    /// mounted again.
    pub(super) fn are_on(&mut self, device: u64, path: &Path) -> bool {
        match self.0 {
            Some((last, lasts)) if last == device => lasts,
            _ => self.0.insert((device, lasts(path))).1,
        }
    }
}

/// FAT and exFAT have no numbers, so Linux counts the files that it has opened. Many file systems
/// of FUSE do the same.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn lasts(path: &Path) -> bool {
    const COUNTED: [u32; 3] = [0x4d44, 0x2011_bab0, 0x6573_5546];
    rustix::fs::statfs(path).is_ok_and(|system| !COUNTED.contains(&(system.f_type as u32)))
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn lasts(_: &Path) -> bool {
    true
}
