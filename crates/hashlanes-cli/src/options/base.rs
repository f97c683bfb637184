//! `--base DIR`: names in manifests are relative to a folder.

use std::env;
use std::io;
use std::path::{Component, Path, PathBuf};

use hashlanes_files::is_stdin;

/// The folder to which names are relative.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// As given: names are resolved in it.
    folder: PathBuf,
    /// Absolute and without `.` and `..`; used to make names.
    absolute: PathBuf,
    /// The current folder.
    here: PathBuf,
}

impl Base {
    /// The base of `sum` and `check`.
    ///
    /// # Errors
    /// If the current folder is not known.
    pub(crate) fn new(folder: PathBuf) -> io::Result<Self> {
        let here = env::current_dir()?;
        let absolute = plain(&here.join(&folder));
        Ok(Self { folder, absolute, here })
    }

    /// The base of a manifest that has its own.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        let here = env::current_dir().unwrap_or_default();
        Self { folder: folder.into(), absolute: plain(&here.join(folder)), here }
    }

    /// The path that a name leads to. Absolute names are kept, and `-` is the standard input.
    pub(crate) fn resolve(&self, name: PathBuf) -> PathBuf {
        if is_stdin(&name) { name } else { self.folder.join(name) }
    }

    /// The name of a path. `None` if it is not inside the folder.
    ///
    /// Only compares the text of the paths: symbolic links are not resolved.
    pub(crate) fn name(&self, path: &Path) -> Option<PathBuf> {
        if is_stdin(path) {
            return Some(path.into());
        }
        let path = plain(&self.here.join(path));
        let name = path.strip_prefix(&self.absolute).ok()?;
        (!name.as_os_str().is_empty()).then(|| name.to_owned())
    }
}

/// An absolute path without `.` and `..`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn names_are_relative_to_the_folder() {
        let base = |folder: &str| {
            let absolute = plain(&Path::new("/here").join(folder));
            Base { folder: folder.into(), absolute, here: "/here".into() }
        };
        for (folder, path, name) in [
            (".", "a", Some("a")),
            (".", "./a//b/", Some("a/b")),
            (".", "/here/a", Some("a")),
            ("..", "a", Some("here/a")),
            ("data", "data/a", Some("a")),
            ("data/", "./data/x/../a", Some("a")),
            ("/srv", "/srv/a", Some("a")),
            ("/srv", "/srvx/a", None),
            ("/srv", "a", None),
            ("data", "data", None),
            ("/", "a", Some("here/a")),
            ("data", "-", Some("-")),
        ] {
            assert_eq!(base(folder).name(Path::new(path)).as_deref(), name.map(Path::new));
        }
        assert_eq!(base("data").resolve("a".into()), Path::new("data/a"));
        assert_eq!(base("data").resolve("/a".into()), Path::new("/a"));
        assert_eq!(base("data").resolve("-".into()), Path::new("-"));
    }
}
