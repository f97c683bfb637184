//! Detects symbolic links that lead out of a folder.

use std::io;
use std::path::{Path, PathBuf};

/// The reason given for a file that is not read because of such a link.
pub const LEADS_OUT: &str = "a symbolic link leads out of the folder";

/// A folder that files must be in after all symbolic links are resolved.
///
/// An answer is a snapshot: whoever can replace a folder by a link before the file is opened can
/// still lead out.
#[derive(Clone, Debug)]
pub struct Within {
    /// The path with all links resolved.
    folder: PathBuf,
}

impl Within {
    /// The path of the folder may contain links. An empty path is the current folder.
    ///
    /// # Errors
    /// If the folder does not exist.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        Ok(Self { folder: folder.canonicalize()? })
    }

    /// Whether the file at this path is in the folder. A path that leads nowhere counts as inside:
    /// it cannot be opened.
    pub fn has(&self, path: &Path) -> bool {
        path.canonicalize().map_or(true, |real| real.starts_with(&self.folder))
    }
}
