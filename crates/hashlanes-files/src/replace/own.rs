//! Files that a run writes itself.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{LOCK, beside, folder_of, true_path};
use crate::system::{Stamp, outputs};

/// The names of files in the folder of a replacement. Others there do not belong to it.
const INSIDE: [&str; 9] = [
    LOCK,
    "new",
    "new-resume",
    "new-done",
    "new-partial",
    "journal",
    "done",
    "partial",
    "finished",
];

/// The files used to replace files, these files themselves, and open outputs. A walk of the tree
/// around them should skip them.
#[derive(Clone, Debug, Default)]
pub struct Own {
    files: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    /// Of files that may have other names, too.
    stamps: Vec<Stamp>,
}

impl Own {
    /// The files that belong to this file, and to the files beside it with these endings appended
    /// to its name.
    ///
    /// # Errors
    /// If the folder of the file does not exist.
    pub fn new(path: &Path, endings: &[&str]) -> io::Result<Self> {
        let target = true_path(path)?;
        let folders = vec![folder_of(&target)];
        let mut files: Vec<_> = endings.iter().map(|ending| beside(&target, ending)).collect();
        files.push(target);
        let stamps = fs::metadata(path).iter().map(Stamp::from).collect();
        Ok(Self { files, folders, stamps })
    }

    /// The standard output and the standard error, if they are regular files.
    pub fn outputs() -> Self {
        Self { stamps: outputs(), ..Self::default() }
    }

    /// The files of both.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.files.extend(other.files);
        self.folders.extend(other.folders);
        self.stamps.extend(other.stamps);
        self
    }

    /// Whether this path is one of the replaced files, or is used to replace one. Costs nothing
    /// unless the names are the same.
    pub fn has(&self, path: &Path) -> bool {
        let is = |own: &Path, path: &Path| {
            own.file_name() == path.file_name() && path.canonicalize().is_ok_and(|path| path == own)
        };
        self.files.iter().chain(&self.folders).any(|own| is(own, path))
            || path.file_name().is_some_and(|name| INSIDE.iter().any(|inside| name == *inside))
                && path.parent().is_some_and(|above| self.folders.iter().any(|own| is(own, above)))
    }

    /// Whether the file with this stamp is a replaced one or an open output, whatever its name.
    pub fn is(&self, stamp: &Stamp) -> bool {
        self.stamps.iter().any(|own| own.is_of_same_file(stamp))
    }

    /// Like [`is`](Self::is), for a path. Costs nothing if there is none of these files.
    pub fn is_at(&self, path: &Path) -> bool {
        let found = |metadata: fs::Metadata| self.is(&Stamp::from(&metadata));
        !self.stamps.is_empty() && crate::system::metadata(path).is_ok_and(found)
    }
}
