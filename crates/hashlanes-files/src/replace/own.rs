//! Files that a run writes itself.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{HEADER, LOCK, beside, folder_of, no_link, true_path};
use crate::system::{Stamp, outputs};

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
    /// Those of this file, and of files beside it with these endings appended to its name.
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

    /// Those of both.
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
            || path.parent().is_some_and(|above| self.folders.iter().any(|own| is(own, above)))
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

/// What the files that `hashlanes sum --resume` writes beside its manifests end in.
pub(crate) const RECORD: &[u8] = b".resume";

/// Whether this is the beginning of a file that `hashlanes sum --resume` has written beside a
/// manifest.
pub fn is_record(begin: &[u8]) -> bool {
    begin.starts_with(b"{\"hashlanes sum --resume\":")
}

/// Whether the file at this path was written by `hashlanes sum --resume` beside a manifest.
pub(crate) fn is_record_at(path: &Path) -> bool {
    has_begin(path, is_record)
}

/// Whether the folder at this path is one in which a file beside it is being written.
pub(crate) fn is_folder_of_replacement(path: &Path) -> bool {
    let name = path.file_name().map_or(&b""[..], |name| name.as_encoded_bytes());
    let is_named = name.starts_with(b".") && name.ends_with(b".hashlanes");
    is_named && has_begin(&path.join(LOCK), |begin| begin == HEADER)
}

fn has_begin(path: &Path, is_right: impl FnOnce(&[u8]) -> bool) -> bool {
    let is_file = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
    let begin = || {
        let file: File = no_link(File::options().read(true)).open(path)?;
        let mut begin = Vec::new();
        file.take(HEADER.len() as u64).read_to_end(&mut begin)?;
        io::Result::Ok(begin)
    };
    is_file && begin().is_ok_and(|begin| is_right(&begin))
}
