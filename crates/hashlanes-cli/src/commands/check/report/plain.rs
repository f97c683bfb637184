//! Names without what leads nowhere.

use std::borrow::Cow;
use std::path::Path;

use crate::url::is_url;

/// A name without `.` parts and double slashes. Two such names that lead to the same file are
/// equal, except for links and `..`. A URL stays as it is.
pub(super) fn plain(name: &[u8]) -> Cow<'_, [u8]> {
    if is_url(Path::new(&*String::from_utf8_lossy(name))) {
        return name.into();
    }
    let is_idle = |part: &[u8]| part.is_empty() || part == b".";
    let mut parts = name.split(|byte| *byte == b'/');
    let rooted = name.starts_with(b"/");
    if !parts.clone().skip(usize::from(rooted)).any(is_idle) {
        return name.into();
    }
    let mut plain = Vec::with_capacity(name.len());
    for part in parts.by_ref().filter(|part| !is_idle(part)) {
        if rooted || !plain.is_empty() {
            plain.push(b'/');
        }
        plain.extend(part);
    }
    plain.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_to_one_file_are_equal() {
        for (name, expected) in [
            ("a", "a"),
            ("./a", "a"),
            (".//./a/", "a"),
            ("a/./b", "a/b"),
            ("/a//b", "/a/b"),
            ("/./a", "/a"),
            ("../a", "../a"),
            (".a", ".a"),
            ("https://h//a", "https://h//a"),
        ] {
            assert_eq!(plain(name.as_bytes()), expected.as_bytes(), "{name}");
        }
    }
}
