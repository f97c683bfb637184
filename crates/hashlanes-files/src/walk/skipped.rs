//! Counts what a walk skips.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::name::quote;

use crate::system::directory::Type;

/// The number of entries that were skipped because they are not regular files, or because the
/// run itself writes them.
#[derive(Debug, Default)]
pub struct Skipped {
    links: AtomicU64,
    fifos: AtomicU64,
    sockets: AtomicU64,
    devices: AtomicU64,
    mounts: AtomicU64,
    own: AtomicU64,
    /// The path of one of `own`.
    example: OnceLock<PathBuf>,
}

impl Skipped {
    /// Whether nothing was skipped.
    pub fn is_empty(&self) -> bool {
        self.counts().iter().all(|(count, ..)| *count == 0)
    }

    pub(super) fn count(&self, kind: Type) {
        let counter = match kind {
            Type::Link => &self.links,
            Type::Fifo => &self.fifos,
            Type::Socket => &self.sockets,
            Type::Device => &self.devices,
            Type::File | Type::Directory => return,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a directory on another file system.
    pub(super) fn count_mount(&self) {
        self.mounts.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a file that the run itself writes.
    pub fn count_own(&self, path: &Path) {
        self.own.fetch_add(1, Ordering::Relaxed);
        self.example.get_or_init(|| path.to_owned());
    }

    fn counts(&self) -> [(u64, &'static str, &'static str); 6] {
        let load = |count: &AtomicU64| count.load(Ordering::Relaxed);
        [
            (load(&self.links), "symbolic link", "symbolic links"),
            (load(&self.fifos), "FIFO", "FIFOs"),
            (load(&self.sockets), "socket", "sockets"),
            (load(&self.devices), "device", "devices"),
            (load(&self.mounts), "other file system", "other file systems"),
            (load(&self.own), "file that hashlanes writes", "files that hashlanes writes"),
        ]
    }
}

/// `2 symbolic links, 1 FIFO`, or nothing.
impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for (count, one, many) in self.counts() {
            if count > 0 {
                write!(f, "{separator}{count} {}", if count == 1 { one } else { many })?;
                separator = ", ";
            }
        }
        match self.example.get() {
            Some(path) => write!(f, " ({})", quote(path)),
            None => Ok(()),
        }
    }
}
