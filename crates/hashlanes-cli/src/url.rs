//! URLs among paths.

#[cfg(feature = "objects")]
pub(crate) use hashlanes_objects::{is_url, public};

#[cfg(not(feature = "objects"))]
pub(crate) fn is_url(_: &std::path::Path) -> bool {
    false
}

#[cfg(not(feature = "objects"))]
pub(crate) fn public(path: &std::path::Path) -> std::borrow::Cow<'_, std::path::Path> {
    path.into()
}
