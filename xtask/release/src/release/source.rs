//! The source as an archive: the commit's files, for distributions that compile it themselves.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::archive::{empty_tree, pack};
use xtask::command::version;
use xtask::command::{root, run as announce};

pub(super) fn make() -> Result<Vec<PathBuf>> {
    let name = format!("hashlanes-v{}-source", version("hashlanes-cli")?);
    let tree = empty_tree(&format!("archive/{name}"))?;
    let tar = tree.with_extension("tar");
    let git = ["archive", "--format=tar", "HEAD", "--output"];
    announce(Command::new("git").args(git).arg(&tar).current_dir(root()))?;
    announce(Command::new("tar").arg("-xf").arg(&tar).arg("-C").arg(&tree))?;
    Ok(vec![pack(&tree, &name)?])
}
