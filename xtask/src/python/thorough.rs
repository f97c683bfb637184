//! `cargo xtask python --thorough`: the tests that take longer.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::environment::{Environment, check_name, tag};
use super::interpreters::interpreters;
use crate::command::{root, run as announce, succeeds, target};
use crate::packages;

/// The extras of the package: what it needs for Ray and for Spark.
const EXTRAS: [&str; 2] = ["ray", "spark"];

/// Tools that check the type stubs.
const CHECKERS: [&str; 3] = ["mypy", "pyright", "typing_extensions"];

/// Runs all of it. The package is already installed in `environment`.
pub(super) fn run(environment: &Environment, options: &[String]) -> Result<()> {
    types(environment)?;
    extras(environment)?;
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
    crate::published("wheels", &[])
}

/// Checks the stubs against the package, and a program against the stubs.
fn types(environment: &Environment) -> Result<()> {
    if !environment.has(&CHECKERS) {
        environment.pip(&CHECKERS)?;
    }
    let typing = root().join("python/tests/typing");
    let program = typing.join("use.py");
    // Not in the folder from which the package itself could be imported.
    let python = || {
        let mut python = environment.python();
        python.current_dir(&environment.folder);
        python
    };
    let stubtest = ["-m", "mypy.stubtest", "hashlanes", "--concise", "--allowlist"];
    let settings = root().join("python/pyproject.toml");
    let mut stubtest_all = python();
    stubtest_all.args(stubtest).arg(typing.join("allowed.txt"));
    announce(stubtest_all.arg("--mypy-config-file").arg(settings))?;
    announce(python().args(["-m", "mypy", "--strict", "--warn-unused-ignores"]).arg(&program))?;
    let interpreter = environment.folder.join("bin").join("python");
    announce(python().args(["-m", "pyright", "--pythonpath"]).arg(interpreter).arg(&program))
}

/// Uses each extra as a user who installs it alone.
fn extras(environment: &Environment) -> Result<()> {
    let wheel = environment.made()?;
    let script = root().join("python/tests/extra.py");
    for extra in EXTRAS {
        if extra == "spark" && !succeeds(Command::new("java").arg("-version")) {
            println!("no Java, so the extra {extra} is not tested");
            continue;
        }
        let folder = target().join("python").join(format!("extra-{extra}"));
        let fresh = environment.fresh(folder)?;
        fresh.pip(&[&format!("{}[{extra}]", wheel.display())])?;
        announce(fresh.python().arg(&script).arg(extra).current_dir(&fresh.folder))?;
    }
    Ok(())
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

/// Installs the wheels in a folder under each interpreter that is found, without an index.
pub(super) fn try_all(folder: &Path) -> Result<()> {
    let found = interpreters();
    ensure!(!found.is_empty(), "no interpreter to try");
    for (version, program) in found {
        let environment = target().join("python").join(format!("installed-{version}"));
        packages::environment(&program, &environment)?;
        let python = || Command::new(environment.join("bin").join("python"));
        let folder = folder.to_string_lossy();
        let wheels = ["--no-index", "--only-binary", ":all:", "--find-links", &folder];
        packages::pip(&mut python(), &[&wheels[..], &["hashlanes"]].concat())?;
        // Not in a folder that has a package of this name.
        let script = root().join("xtask/release/trials/installed.py");
        announce(python().arg(script).current_dir(&environment))?;
    }
    Ok(())
}
