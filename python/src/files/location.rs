//! Where files are: paths, and URLs of objects in stores.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::sync::Arc;

#[cfg(not(feature = "objects"))]
use hashlanes_files::source::NoStores;
use hashlanes_files::source::Stores;
use pyo3::prelude::*;
use pyo3::types::PyString;

/// Converts an object to a path, as `open` does. Objects of fsspec and universal_pathlib give URLs.
///
/// # Errors
/// TypeError, and anything that `__fspath__` raises.
pub(super) fn path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    if object.is_exact_instance_of::<PyString>() {
        return object.extract();
    }
    if let Some(url) = url(object)? {
        return Ok(url.into());
    }
    object.py().import("os")?.call_method1("fsdecode", (object,))?.extract()
}

/// The URL of an `OpenFile` of fsspec, or of a `UPath`. `None` for other objects and local files.
fn url(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if let Some(name) = object.getattr_opt("full_name")? {
        let name: String = name.extract()?;
        return Ok(Some(name.strip_prefix("file://").map_or(name.clone(), str::to_owned)));
    }
    let Some(protocol) = object.getattr_opt("protocol")? else { return Ok(None) };
    let protocol: String = protocol.extract()?;
    if matches!(&*protocol, "" | "file" | "local") {
        return Ok(None);
    }
    let path: String = object.getattr("path")?.extract()?;
    Ok(Some(format!("{protocol}://{path}")))
}

/// What URLs name.
#[cfg(feature = "objects")]
pub(super) fn stores() -> Arc<dyn Stores> {
    Arc::<hashlanes_objects::Stores>::default()
}

/// What URLs name: nothing that this build can read.
#[cfg(not(feature = "objects"))]
pub(super) fn stores() -> Arc<dyn Stores> {
    Arc::new(NoStores("this build of hashlanes lacks the feature objects, which reads URLs"))
}
