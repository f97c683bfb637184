//! Where paths really lead.

use std::path::{Path, PathBuf};

/// Resolves the folders of paths.
#[derive(Default)]
pub(crate) struct RealPaths {
    /// The folder that was resolved last.
    last: Option<(PathBuf, PathBuf)>,
}

impl RealPaths {
    /// The path with all links, `.` and `..` before its last part resolved, as far as it exists.
    pub(crate) fn of(&mut self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return real(path);
        };
        match &self.last {
            Some((last, real)) if last == folder => real.join(name),
            _ => {
                let real = real(folder);
                let path = real.join(name);
                self.last = Some((folder.to_owned(), real));
                path
            }
        }
    }
}

/// The path with all links, `.` and `..` resolved, as far as it exists.
pub(crate) fn real(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let Ok(real) = or_here(above).canonicalize() {
            return match path.strip_prefix(above) {
                Ok(below) if !below.as_os_str().is_empty() => real.join(below),
                _ => real,
            };
        }
    }
    path.to_owned()
}

/// The path, or that of the current folder if it is empty.
pub(crate) fn or_here(path: &Path) -> &Path {
    if path.as_os_str().is_empty() { Path::new(".") } else { path }
}
