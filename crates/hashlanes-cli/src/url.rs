//! URLs among paths.

use std::borrow::Cow;
use std::path::Path;

use hashlanes_files::name::quote_name;
use hashlanes_files::system;
pub(crate) use hashlanes_files::{has_query, is_url, public};

/// A name as it is printed: that of a URL has no password and no signature.
pub(crate) fn public_name(name: &[u8]) -> Cow<'_, [u8]> {
    let text = String::from_utf8_lossy(name);
    let path = Path::new(&*text);
    match public(path) {
        Cow::Borrowed(_) => name.into(),
        Cow::Owned(public) => system::name(&public).into_owned().into(),
    }
}

/// [`public_name`], quoted.
pub(crate) fn quote_public(name: &[u8]) -> String {
    quote_name(&public_name(name)).into_owned()
}

/// What is wrong with a path that looks like a URL, but is none that can be read.
pub(crate) fn hint(path: &Path) -> Option<&'static str> {
    let (scheme, _) = path.to_str()?.split_once("://")?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let is_scheme = scheme.len() > 1 && scheme.chars().all(is_letter);
    (is_scheme && !is_url(path) && path.symlink_metadata().is_err()).then_some(SCHEMES)
}

const SCHEMES: &str = "URLs begin with s3://, gs://, az://, http:// or https://";
