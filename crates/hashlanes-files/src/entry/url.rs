//! URLs among paths.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// The schemes of stores, each with the name that is shown. Further names are those of fsspec and
/// Hadoop.
const SCHEMES: [(&str, &str); 8] = [
    ("s3", "s3"),
    ("s3a", "s3"),
    ("gs", "gs"),
    ("gcs", "gs"),
    ("az", "az"),
    ("abfs", "az"),
    ("http", "http"),
    ("https", "https"),
];

/// The scheme of the URL of an object, by the name that is shown, and what follows `://`. `None`
/// if it is none.
pub fn split_url(url: &str) -> Option<(&'static str, &str)> {
    let (name, rest) = url.split_once("://")?;
    let (_, scheme) = SCHEMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some((scheme, rest))
}

/// Whether the path is the URL of an object or a prefix, rather than a file.
pub fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|path| split_url(path).is_some())
}

/// What is before and after the `?` of a URL of the web. Names in other stores may have a `?`.
fn split_query(url: &str) -> Option<(&str, &str)> {
    let (scheme, _) = split_url(url)?;
    url.split_once('?').filter(|_| scheme.starts_with("http"))
}

/// Whether the path is a URL with a query, which names of objects cannot follow.
pub fn has_query(path: &Path) -> bool {
    split_query(&path.to_string_lossy()).is_some()
}

/// The path without passwords and signatures. These would let everyone who reads a manifest or a
/// message read the object.
pub fn public(path: &Path) -> Cow<'_, Path> {
    let url = path.to_string_lossy();
    if split_url(&url).is_none() {
        return path.into();
    }
    let mut public = Cow::Borrowed(&*url);
    if let Some((address, query)) = split_query(&url) {
        let query = query.to_ascii_lowercase();
        let secrets = "sig token credential key pass pwd auth jwt sas secret hmac md5= expires= \
                       code= ticket=";
        if secrets.split(' ').any(|word| query.contains(word)) {
            public = Cow::Owned(address.to_owned());
        }
    }
    let (scheme, rest) = public.split_once("://").expect("it has been split");
    let host = &rest[..rest.find('/').unwrap_or(rest.len())];
    if let Some((user, _)) = host.rsplit_once('@') {
        public = format!("{scheme}://{}", &rest[user.len() + 1..]).into();
    }
    match public {
        Cow::Borrowed(_) => path.into(),
        Cow::Owned(public) => PathBuf::from(public).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_and_signatures_are_not_shown() {
        for (url, expected) in [
            ("https://h/k?X-Amz-Signature=s&x=1", "https://h/k"),
            ("https://h/k?sv=1&sig=s", "https://h/k"),
            ("https://h/k?hmac=s", "https://h/k"),
            ("https://h/k?md5=s&expires=1", "https://h/k"),
            ("https://h/k?code=s", "https://h/k"),
            ("https://h/k?Ticket=s", "https://h/k"),
            ("https://h/k?page=2&name=a.md5", "https://h/k?page=2&name=a.md5"),
            ("s3://b/k?sig=1", "s3://b/k?sig=1"),
            ("https://u:p@ss@h/a@b?sig=s", "https://h/a@b"),
            ("s3://u:p@b", "s3://b"),
            ("HTTPS://u:p@h/k?PWD=1", "HTTPS://h/k"),
            ("u:p@h/?sig=1", "u:p@h/?sig=1"),
        ] {
            assert_eq!(public(Path::new(url)), Path::new(expected));
        }
    }
}
