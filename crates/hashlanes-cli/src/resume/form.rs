//! How the lines of a manifest are written, and where its names lead.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use hashlanes_files::manifest::{Writer, Written};
use hashlanes_files::system;

use super::state::Known;
use crate::options::base::Base;

/// The form of the lines.
pub(crate) struct Form {
    pub(crate) writer: Writer,
    pub(crate) base: Option<Base>,
}

impl Form {
    /// The name that a file gets in its line.
    pub(crate) fn name<'p>(&self, path: &'p Path) -> Result<Cow<'p, Path>, &'static str> {
        match &self.base {
            None => Ok(path.into()),
            Some(base) => base.name(path).map(Into::into).ok_or("not inside the folder of --base"),
        }
    }

    /// The name that a file of this name gets, whether the manifest can have it or not.
    pub(crate) fn named(&self, name: &[u8]) -> Vec<u8> {
        let path = system::path(name.to_vec());
        let named = path.ok().and_then(|path| Some(system::name(&self.name(&path).ok()?).into()));
        named.unwrap_or_else(|| name.to_vec())
    }

    /// Appends the lines for a file whose digests are known. The error is its path with the reason.
    pub(crate) fn line(&self, known: &Known, to: &mut Vec<u8>) -> Result<(), (PathBuf, String)> {
        let path = system::path(known.name.clone()).map_err(|_| (PathBuf::new(), String::new()))?;
        let written = self.name(&path).map_err(str::to_owned).and_then(|name| {
            let (size, modified) = (known.size, known.modified);
            let file = Written {
                name: &system::name(&name),
                size,
                modified,
                version: known.version.as_deref(),
                digests: &known.digests,
            };
            self.writer.file(&file, to).map_err(|why| why.to_string())
        });
        written.map_err(|why| (path, why))
    }
}
