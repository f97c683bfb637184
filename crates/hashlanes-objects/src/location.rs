//! The URLs of objects and of prefixes.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use hashlanes_files::split_url;

/// The protocol of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// S3 and all stores that speak its protocol: `s3://BUCKET/KEY`.
    S3,
    /// Google Cloud Storage: `gs://BUCKET/NAME`.
    Gcs,
    /// Azure blobs: `az://CONTAINER/NAME`.
    Azure,
    /// A single file of a server: `http://..`.
    Http,
    /// A single file of a server: `https://..`.
    Https,
}

const SCHEMES: [(Scheme, &str); 5] = [
    (Scheme::S3, "s3"),
    (Scheme::Gcs, "gs"),
    (Scheme::Azure, "az"),
    (Scheme::Http, "http"),
    (Scheme::Https, "https"),
];

/// An object, or all objects whose names begin with a prefix.
///
/// Names are taken literally: `%20` is not a space, and nothing is normalised, because `a//b`,
/// `a/./b` and `a/` are different objects.
///
/// # Examples
/// ```
/// use hashlanes_objects::{Location, Scheme};
///
/// let location: Location = "s3://bucket/folder/a b".parse()?;
/// assert_eq!(location.scheme, Scheme::S3);
/// assert_eq!(location.bucket, "bucket");
/// assert_eq!(location.key, "folder/a b");
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Location {
    /// The protocol.
    pub scheme: Scheme,
    /// The bucket or container; for HTTP, the host with its port.
    pub bucket: String,
    /// The name of the object, or the beginning of names.
    pub key: String,
}

impl std::str::FromStr for Location {
    type Err = io::Error;

    fn from_str(url: &str) -> io::Result<Self> {
        let invalid = |why: &str| io::Error::new(io::ErrorKind::InvalidInput, why);
        let (scheme, rest) = split(url).ok_or_else(|| invalid("not the URL of an object"))?;
        let is_web = matches!(scheme, Scheme::Http | Scheme::Https);
        let (bucket, key) = match rest.find(['/', '?']) {
            Some(end) if is_web && rest[end..].starts_with('?') => rest.split_at(end),
            _ => rest.split_once('/').unwrap_or((rest, "")),
        };
        // Dots would be resolved as folders.
        if matches!(bucket, "" | "." | "..") {
            let what = if is_web { "host" } else { "bucket" };
            return Err(invalid(&format!("the URL has no {what}")));
        }
        if bucket.contains('@') {
            return Err(invalid("the URL has a user name or password, which is not supported"));
        }
        Ok(Self { scheme, bucket: bucket.into(), key: key.into() })
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = SCHEMES.iter().find(|(scheme, _)| *scheme == self.scheme);
        let (_, name) = name.expect("all schemes have a name");
        write!(f, "{name}://{}/{}", self.bucket, self.key)
    }
}

impl Location {
    /// The location at this path, which must be a URL.
    ///
    /// # Errors
    /// If the path is not such a URL.
    pub fn of(path: &Path) -> io::Result<Self> {
        path.to_str()
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not Unicode"))?
            .parse()
    }

    /// The name of the object.
    ///
    /// # Errors
    /// If it is a bucket. A host may have a file without a name.
    pub(crate) fn object(&self) -> io::Result<&str> {
        if self.key.is_empty() && !matches!(self.scheme, Scheme::Http | Scheme::Https) {
            let why = "a bucket, not an object; use -r for all objects in it";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        Ok(&self.key)
    }

    /// The path that stands for this location.
    pub fn path(&self) -> PathBuf {
        self.to_string().into()
    }

    /// The location of another object in the same bucket.
    pub fn with_key(&self, key: &str) -> Self {
        Self { key: key.into(), ..self.clone() }
    }
}

fn split(url: &str) -> Option<(Scheme, &str)> {
    let (name, rest) = split_url(url)?;
    let (scheme, _) = SCHEMES.iter().find(|(_, known)| *known == name)?;
    Some((*scheme, rest))
}

#[cfg(test)]
mod tests {
    use hashlanes_files::is_url;

    use super::*;

    #[test]
    fn names_are_taken_literally() {
        for url in ["s3://b/", "s3://b/a//b/../c/", "gs://b/%20 \n?#", "az://c/é", "http://h:1/x?y"]
        {
            assert_eq!(url.parse::<Location>().unwrap().to_string(), url);
            assert!(is_url(Path::new(url)));
        }
        let bucket: Location = "s3://bucket".parse().unwrap();
        assert_eq!((&*bucket.bucket, &*bucket.key), ("bucket", ""));
        assert_eq!(bucket.with_key("a/b").path(), Path::new("s3://bucket/a/b"));
        let query: Location = "http://h:1?x=/y".parse().unwrap();
        assert_eq!((&*query.bucket, &*query.key), ("h:1", "?x=/y"));
        assert_eq!("gcs://b/k".parse::<Location>().unwrap().to_string(), "gs://b/k");
        assert_eq!("S3://b/k".parse::<Location>().unwrap().to_string(), "s3://b/k");
    }

    #[test]
    fn other_paths_are_no_urls() {
        for path in ["s3:/b/a", "file", "ftp://h/a", "", "./s3://b/a"] {
            assert!(!is_url(Path::new(path)) && path.parse::<Location>().is_err(), "{path}");
        }
        for url in ["s3://", "s3:///key", "s3://../key", "https://user:secret@host/x"] {
            let why = url.parse::<Location>().unwrap_err().to_string();
            assert!(!why.contains("secret"), "{why}");
        }
    }
}
