//! Folders: removed, emptied and copied, with errors that name them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Removes a folder and what is in it, if it exists.
pub fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)
            .with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}

/// An empty folder at this place, whatever was there.
pub fn empty(folder: PathBuf) -> Result<PathBuf> {
    remove(&folder)?;
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// Copies the files of a folder that has no folders into another, which exists.
pub fn copy_files(from: &Path, to: &Path) -> Result<()> {
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let path = entry?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default()))
            .with_context(|| format!("cannot copy {}", path.display()))?;
    }
    Ok(())
}

/// A folder for files of this process, which is removed at the end.
pub(crate) struct Scratch(pub(crate) PathBuf);

impl Scratch {
    pub(crate) fn new(parent: &Path) -> Result<Self> {
        Ok(Self(empty(parent.join(format!("hashlanes-{}", std::process::id())))?))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
