//! The versions of Python that this machine has.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::command::output;

/// The interpreters that are found, one per version: on the `PATH`, among those of pyenv, and in
/// `HASHLANES_PYTHONS`, a list like `PATH`.
pub(super) fn interpreters() -> BTreeMap<String, PathBuf> {
    let named = env::var_os("HASHLANES_PYTHONS").unwrap_or_default();
    let path = env::var_os("PATH").unwrap_or_default();
    let home = env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let pyenv = fs::read_dir(home.join(".pyenv").join("versions")).into_iter().flatten();
    let pyenv = pyenv.flatten().map(|version| version.path().join("bin").join("python3"));
    let on_path = env::split_paths(&path).flat_map(|folder| {
        (9..20).flat_map(move |minor| {
            ["", "t"].map(|kind| folder.join(format!("python3.{minor}{kind}")))
        })
    });
    let mut found = BTreeMap::new();
    for program in env::split_paths(&named).chain(pyenv).chain(on_path) {
        if let Some(version) = version(&program) {
            found.entry(version).or_insert(program);
        }
    }
    found
}

/// The version of an interpreter that the package supports: `3.9`, `3.14t`.
fn version(program: &Path) -> Option<String> {
    const VERSION: &str = "import ensurepip, sys; assert sys.version_info >= (3, 9); \
                           print('%d.%d' % sys.version_info[:2] + getattr(sys, 'abiflags', ''))";
    // A shim of pyenv exists for versions that are not selected, but does not work.
    let version = output(Command::new(program).args(["-c", VERSION])).ok()?;
    Some(version.trim().to_owned())
}
