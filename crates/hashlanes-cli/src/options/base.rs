//! `--base DIR`: names in manifests are relative to a folder.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::io;
use std::path::{Component, Path, PathBuf};

use hashlanes_files::{is_stdin, system};

use crate::url::is_url;

/// Why what a manifest names is not read: a line of somebody else must not open a connection with
/// the user's credentials.
pub(crate) const UNASKED: &str = "a URL, which is read only with --allow-remote";

/// Whether a name of a manifest is a URL that nobody asked to read.
pub(crate) fn is_unasked(path: &Path, base: Option<&Base>, is_allowed: bool) -> bool {
    is_url(path) && !is_allowed && !base.is_some_and(|base| base.has_url(path))
}

/// Where a name of a manifest leads. `None` if no file can have it here.
pub(crate) fn path_of(name: &[u8], base: Option<&Base>) -> Option<PathBuf> {
    let path = system::path(name.to_vec()).ok()?;
    Some(match base {
        Some(base) => base.resolve(path),
        None => path,
    })
}

/// The folder to which names are relative.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    /// As given: names are resolved in it.
    folder: PathBuf,
    /// Absolute and without `.` and `..`; used to make names.
    absolute: PathBuf,
    /// The current folder.
    here: PathBuf,
    /// The URL that all names continue, if the folder is one.
    url: Option<String>,
}

impl Base {
    /// The base of `sum` and `check`.
    ///
    /// # Errors
    /// If the current folder is not known.
    pub(crate) fn new(folder: PathBuf) -> io::Result<Self> {
        let here = env::current_dir()?;
        let absolute = plain(&here.join(&folder));
        let url = folder.to_str().filter(|_| is_url(&folder));
        let url = url.map(|url| format!("{}/", url.strip_suffix('/').unwrap_or(url)));
        Ok(Self { folder, absolute, here, url })
    }

    /// Whether names are those of objects.
    pub(crate) fn is_url(&self) -> bool {
        self.url.is_some()
    }

    /// Whether this URL is below the one that all names continue, which the user has given.
    pub(crate) fn has_url(&self, path: &Path) -> bool {
        let below = |url: &String| path.to_str()?.strip_prefix(&**url);
        let Some(rest) = self.url.as_ref().and_then(below) else { return false };
        // In a store, dots are letters of a name. On the way to a web server they lead upwards,
        // in whatever way they are written.
        let codes = [("%2e", "."), ("%2f", "/"), ("%5c", "/"), ("\\", "/")];
        let rest = rest.to_ascii_lowercase();
        let rest = codes.iter().fold(rest, |rest, (code, plain)| rest.replace(code, plain));
        !self.url.as_ref().is_some_and(|url| is_web(url))
            || rest.split('/').all(|part| part != "..")
    }

    /// The base of a manifest that has its own.
    pub(crate) fn of_folder(folder: &Path) -> Self {
        let here = env::current_dir().unwrap_or_default();
        let absolute = plain(&here.join(folder));
        Self { folder: folder.into(), absolute, here, url: None }
    }

    /// The path that a name leads to. Absolute names and URLs are kept, and `-` is the standard
    /// input.
    pub(crate) fn resolve(&self, name: PathBuf) -> PathBuf {
        match &self.url {
            // A name with a slash at its beginning is one below the URL, too.
            Some(url) if !is_url(&name) => {
                let mut path = OsString::from(url);
                let name = name.as_os_str();
                // `sum -r .` puts this before the names of files.
                let name =
                    name.to_str().and_then(|name| name.strip_prefix("./")).map_or(name, OsStr::new);
                match name.to_str().filter(|_| is_web(url)) {
                    Some(name) => path.push(encoded(name)),
                    None => path.push(name),
                }
                path.into()
            }
            Some(_) => name,
            None if is_stdin(&name) || is_url(&name) => name,
            None => self.folder.join(name),
        }
    }

    /// The name of a path. `None` if it is not inside the folder.
    ///
    /// Only compares the text of the paths: symbolic links are not resolved.
    pub(crate) fn name(&self, path: &Path) -> Option<PathBuf> {
        if is_stdin(path) {
            return Some(path.into());
        }
        if let Some(url) = &self.url {
            let path = path.to_str()?;
            // The URL may also be that of an object. It keeps the URL as its name, since its last
            // part may be the name of an object below the URL.
            let is_object = url.strip_suffix('/') == Some(path);
            let name = if is_object { path } else { path.strip_prefix(url)? };
            // What another writing of the path names keeps its URL.
            let plain = decoded(name).filter(|plain| encoded(plain) == name);
            let name =
                if is_web(url) && !is_object { plain.as_deref().unwrap_or(path) } else { name };
            return (!name.is_empty()).then(|| name.into());
        }
        if is_url(path) {
            return None;
        }
        let path = plain(&self.here.join(path));
        let name = path.strip_prefix(&self.absolute).ok()?;
        (!name.as_os_str().is_empty()).then(|| name.to_owned())
    }
}

/// Whether a URL is that of a web server, where it is written as RFC 3986 says.
fn is_web(url: &str) -> bool {
    url.starts_with("http")
}

/// A name as part of the path of a URL (RFC 3986 section 3.3).
fn encoded(name: &str) -> String {
    let mut path = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) {
            path.push(byte.into());
        } else {
            let _ = write!(path, "%{byte:02X}");
        }
    }
    path
}

/// The name of which this is the path in a URL. `None` if there is none.
fn decoded(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut name = parts.next()?.as_bytes().to_vec();
    for part in parts {
        name.push(u8::from_str_radix(part.get(..2)?, 16).ok()?);
        name.extend_from_slice(&part.as_bytes()[2..]);
    }
    String::from_utf8(name).ok()
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
            Base { folder: folder.into(), absolute, here: "/here".into(), url: None }
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

    #[test]
    fn names_on_a_web_server_are_written_as_in_urls() {
        let base = Base::new("https://host/d".into()).unwrap();
        for (name, url) in [
            ("a/b-1.tgz", "https://host/d/a/b-1.tgz"),
            ("h#i", "https://host/d/h%23i"),
            ("x?y=1", "https://host/d/x%3Fy=1"),
            ("p%20q r", "https://host/d/p%2520q%20r"),
            ("\u{fc}", "https://host/d/%C3%BC"),
        ] {
            assert_eq!(base.resolve(name.into()), Path::new(url));
            assert_eq!(base.name(Path::new(url)).as_deref(), Some(Path::new(name)));
        }
        for url in
            ["https://host/d/%2f", "https://host/d/a b", "https://host/d/a?b", "https://host/d/%"]
        {
            assert_eq!(base.name(Path::new(url)).as_deref(), Some(Path::new(url)));
        }
        let base = Base::new("s3://bucket/d".into()).unwrap();
        assert_eq!(base.resolve("h#i%20".into()), Path::new("s3://bucket/d/h#i%20"));
        assert_eq!(base.name(Path::new("s3://bucket/d/%41")).as_deref(), Some(Path::new("%41")));
    }
}
