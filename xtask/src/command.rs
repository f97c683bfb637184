//! Starts other programs, and announces each by its command line.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The packages that are published, in the order in which they have to be published.
pub const PUBLISHED: [&str; 12] = [
    "hashlanes",
    "hashlanes-measure",
    "hashlanes-pool",
    "hashlanes-arrow",
    "hashlanes-body",
    "hashlanes-entropy",
    "hashlanes-records",
    "hashlanes-slh-dsa",
    "hashlanes-files",
    "hashlanes-tree",
    "hashlanes-objects",
    "hashlanes-cli",
];

/// The folder at the root of the repository in which a package is.
pub fn shelf(package: &str) -> &'static str {
    let extra = root().join("extras").join(package).is_dir();
    if extra { "extras" } else { "crates" }
}

/// The repository's address and the maintainer's, from `[workspace.package]` in `Cargo.toml`.
pub const REPOSITORY: &str = env!("CARGO_PKG_REPOSITORY");
pub const MAINTAINER: &str = env!("CARGO_PKG_AUTHORS");

/// Set in the process that makes a release, and in what it starts.
pub const RELEASE: &str = "HASHLANES_RELEASE";

/// The library's features that are not on by default.
pub const ALL_FEATURES: &str = "hashlanes/digest-multi,hashlanes/serde,hashlanes/zeroize";

/// The features of the programs that are released.
pub const PROGRAM_FEATURES: &str = "hashlanes-cli/objects,hashlanes-cli/slh-dsa,hashlanes-cli/lab";

/// The version of a package.
pub fn version(package: &str) -> Result<String> {
    let id = output(cargo().args(["pkgid", "--package", package]))?;
    let (_, version) = id.trim().rsplit_once(['#', '@']).with_context(|| id.clone())?;
    Ok(version.to_owned())
}

/// The root of the workspace.
pub fn root() -> PathBuf {
    // The parent of this package's folder.
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_path_buf).unwrap_or_default()
}

/// The folder for build results and downloads.
pub fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        // Relative to the folder in which cargo was started, which is also this program's.
        Some(folder) => env::current_dir().unwrap_or_default().join(folder),
        None => root().join("target"),
    }
}

/// The cargo that started this program, at the root of the workspace.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    command.current_dir(root());
    // `cargo run` describes this package in these. `ring` is compiled again if they change.
    for (name, _) in env::vars_os() {
        let name = name.to_string_lossy();
        if name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_") {
            command.env_remove(&*name);
        }
    }
    // The time in archives, on which no code depends. `ring` is compiled again if it changes.
    command.env_remove("SOURCE_DATE_EPOCH");
    command
}

/// A program of another rustup toolchain, at the root of the workspace.
pub fn toolchain(name: &str) -> Command {
    let mut command = Command::new("rustup");
    // These variables name the toolchain that runs this program.
    command
        .args(["run", name])
        .current_dir(root())
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO");
    command
}

/// Whether a toolchain has the sources of its standard library, which some tools recompile.
pub fn has_library_sources(name: &str) -> bool {
    let sysroot = output(toolchain(name).args(["rustc", "--print", "sysroot"]));
    sysroot.is_ok_and(|sysroot| {
        Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/std").is_dir()
    })
}

/// Prints the command line, runs it, and fails if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    eprintln!("$ {}", line(command));
    let status = command.status().with_context(|| format!("cannot start {}", program(command)))?;
    ensure!(status.success(), "{}: {status}", line(command));
    Ok(())
}

/// Runs a command and returns its standard output. An error includes its standard error.
pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot start {}", program(command)))?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{}: {}\n{}", line(command), output.status, stderr.trim_end());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Builds an executable with cargo and returns its path. `build` makes the command.
pub fn built(build: impl Fn() -> Command) -> Result<PathBuf> {
    let executable = all_built(&build)?.into_iter().next();
    executable.with_context(|| format!("no executable from {}", line(&build())))
}

/// Builds executables with cargo and returns their paths, sorted. `build` makes the command.
pub fn all_built(build: impl Fn() -> Command) -> Result<Vec<PathBuf>> {
    // Once to show the build, and a second time, with nothing left to build, to get the paths.
    run(&mut build())?;
    let mut paths = Vec::new();
    for message in output(build().arg("--message-format=json"))?.lines() {
        let message: serde_json::Value = serde_json::from_str(message)?;
        paths.extend(message["executable"].as_str().map(PathBuf::from));
    }
    paths.sort();
    Ok(paths)
}

/// Whether a command can be started and succeeds; its output is discarded.
pub fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

fn program(command: &Command) -> String {
    Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The command as one would type it, with the variables that it sets.
fn line(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value?.to_string_lossy())))
    });
    let arguments = command.get_args().map(|argument| quoted(&argument.to_string_lossy()));
    variables.chain([program(command)]).chain(arguments).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &str) -> String {
    if word.is_empty()
        || word.contains(|c: char| c.is_whitespace() || "'\"\\$*?;&|<>()".contains(c))
    {
        format!("'{}'", word.replace('\'', r"'\''"))
    } else {
        word.to_owned()
    }
}

/// Fails if the nightly toolchain cannot compile its library again, and says how to change that.
pub fn needs_library_sources() -> Result<()> {
    ensure!(
        has_library_sources("nightly"),
        "not available here: missing: rustup toolchain install nightly --component rust-src"
    );
    Ok(())
}
