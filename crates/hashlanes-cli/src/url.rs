//! URLs among paths.

use std::borrow::Cow;
use std::path::Path;

use hashlanes_files::system;
pub(crate) use hashlanes_files::{is_url, public};

/// A name as it is printed: that of a URL has no password and no signature.
pub(crate) fn public_name(name: &[u8]) -> Cow<'_, [u8]> {
    match std::str::from_utf8(name) {
        Ok(text) if text.contains("://") => {
            system::name(&public(Path::new(text))).into_owned().into()
        }
        _ => name.into(),
    }
}

/// What is wrong with a path that looks like a URL, but is none that can be read.
pub(crate) fn hint(path: &Path) -> Option<&'static str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_scheme = scheme.len() > 1 && scheme.chars().all(is_letter);
    (is_scheme && !is_url(path) && path.symlink_metadata().is_err()).then_some(SCHEMES)
}

const SCHEMES: &str = "URLs begin with s3://, gs://, az://, http:// or https://";
