//! Whether symbolic links lead out of a folder.

use std::io;
use std::path::{Path, PathBuf};

/// Said of a file that is not read for this reason.
pub const LEADS_OUT: &str = "a symbolic link leads out of the folder";

/// A folder that files must be in, whatever symbolic links there are on the way to them.
///
/// The answer is of the moment when it is given. Whoever can replace a folder by a link before the
/// file is opened can still lead out.
#[derive(Clone, Debug)]
pub struct Within {
    /// Without links.
    folder: PathBuf,
}

impl Within {
    /// The folder may be reached by links. An empty path is the current folder.
    ///
    /// # Errors
    /// If there is no such folder.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Ok(Self { folder: folder.canonicalize()? })
    }

    /// Whether the file at this path is in the folder. A file whose path leads nowhere counts as in
    /// it: it cannot be opened.
    pub fn has(&self, path: &Path) -> bool {
        path.canonicalize().map_or(true, |real| real.starts_with(&self.folder))
    }
}
