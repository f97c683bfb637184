//! `cargo xtask python --thorough`: the tests that take longer.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Result;

use super::environment::Environment;
use super::wheels::{self, check_name, tag};
use crate::command::{output, root, run as announce, target};

/// Tools that check the type stubs.
const CHECKERS: [&str; 3] = ["mypy", "pyright", "typing_extensions"];

/// Runs all of it. The package is already installed in `environment`.
pub(super) fn run(environment: &Environment, options: &[String]) -> Result<()> {
    types(environment)?;
    for (version, program) in interpreters() {
        eprintln!("Python {version}: {}", program.display());
        let other = environment.of(&program)?;
        if other.folder == environment.folder {
            continue; // It has been tested.
        }
        // One wheel serves all interpreters that have its tag. Others need their own.
        let tag = format!("-{}-", tag(&version));
        let wheel = match environment.made()? {
            ours if check_name(&ours, &tag).is_ok() => ours,
            _ => other.build(&[])?,
        };
        check_name(&wheel, &tag)?;
        other.install(&wheel)?;
        other.test(options, false)?;
    }
    source(environment)?;
    wheels::make(environment)
}

/// Checks the stubs against the package, and a program against the stubs.
fn types(environment: &Environment) -> Result<()> {
    if !environment.has(&CHECKERS) {
        environment.pip(&CHECKERS)?;
    }
    let typing = root().join("python").join("typing");
    let program = typing.join("use.py");
    // Not in the folder from which the package itself could be imported.
    let python = || {
        let mut python = environment.python();
        python.current_dir(&environment.folder);
        python
    };
    let stubtest = ["-m", "mypy.stubtest", "hashlanes", "--concise", "--allowlist"];
    let settings = typing.with_file_name("pyproject.toml");
    let mut stubtest_all = python();
    stubtest_all.args(stubtest).arg(typing.join("allowed.txt"));
    announce(stubtest_all.arg("--mypy-config-file").arg(settings))?;
    announce(python().args(["-m", "mypy", "--strict", "--warn-unused-ignores"]).arg(&program))?;
    let interpreter = environment.folder.join("bin").join("python");
    announce(python().args(["-m", "pyright", "--pythonpath"]).arg(interpreter).arg(&program))
}

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

/// Installs the source distribution in a folder with nothing else of the repository.
fn source(environment: &Environment) -> Result<()> {
    let file = environment.maturin(&["sdist"])?;
    check_name(&file, ".tar.gz")?;
    let fresh = environment.fresh(target().join("python").join("source"))?;
    fresh.install(&file)?;
    let program = "import hashlanes; print(hashlanes.digest_many(['abc'], 'md5', out='hex'))";
    announce(fresh.python().args(["-c", program]).current_dir(&fresh.folder))
}
