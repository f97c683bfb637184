//! Shared by the tests: the installed library, the C compiler, and other programs.
//!
//! All of this needs Linux, as does `cargo xtask install-c`. `cargo xtask setup` installs the
//! programs.

#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The compiler's options. Any warning is an error.
pub const C99: [&str; 7] =
    ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-g", "-D_POSIX_C_SOURCE=200809L"];

/// The library with ISA-L's interface.
pub const ISAL: &str = "hashlanes_isal";

/// The root of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().expect("it is there")
}

/// A file of this package's folder `c`.
pub fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("c").join(name)
}

/// A folder for a test's output, below the target folder. Each test has its own.
pub fn folder(name: &str) -> PathBuf {
    let target = match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    };
    let folder = target.join("c/tests").join(name);
    std::fs::create_dir_all(&folder).expect("a folder can be made");
    folder
}

/// The profile for the library under test. It has overflow checks, and the tests of other packages
/// use it too, so the library is not compiled again.
pub const PROFILE: [&str; 2] = ["--profile", "dev"];

/// The prefix where the library is installed, once for all tests.
pub fn installed() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| install("prefix", ""))
}

/// The prefix where the library with the feature `zeroize` is installed.
pub fn wiped() -> &'static Path {
    static PREFIX: OnceLock<PathBuf> = OnceLock::new();
    PREFIX.get_or_init(|| install("wiped", "zeroize"))
}

fn install(name: &str, features: &str) -> PathBuf {
    let prefix = folder(name);
    let mut install = cargo();
    install.args(["xtask", "install-c", "--features", features]).args(PROFILE);
    succeed(install.arg("--prefix").arg(&prefix));
    prefix
}

/// cargo, at the root of the workspace.
pub fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(root());
    cargo
}

/// Runs a command that must succeed, and returns its standard output.
pub fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        text(&output.stdout),
        text(&output.stderr)
    );
    text(&output.stdout)
}

/// How a program is linked with the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// With the shared library.
    Shared,
    /// With the static archive.
    Archive,
    /// With static archives only, including that of the C library.
    Static,
}

/// pkg-config's flags for the library `hashlanes`.
pub fn pkg_config(link: Link) -> Vec<String> {
    pkg_config_of("hashlanes", link)
}

/// pkg-config's flags for a library.
pub fn pkg_config_of(library: &str, link: Link) -> Vec<String> {
    pkg_config_in(installed(), library, link)
}

fn pkg_config_in(prefix: &Path, library: &str, link: Link) -> Vec<String> {
    let mut command = Command::new("pkg-config");
    command.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig"));
    command.args(["--cflags", "--libs"]);
    if link != Link::Shared {
        command.arg("--static");
    }
    let words = succeed(command.arg(library));
    words.split_whitespace().map(str::to_owned).collect()
}

/// Compiles a C program with the library `hashlanes`, and returns its path.
pub fn compile(source: &Path, link: Link, options: &[&str]) -> PathBuf {
    compile_with("hashlanes", source, link, options)
}

/// Compiles a C program with pkg-config's flags for a library, and returns its path.
pub fn compile_with(library: &str, source: &Path, link: Link, options: &[&str]) -> PathBuf {
    compile_in(installed(), library, source, link, options)
}

/// [`compile_with`] a library that is installed at this prefix.
pub fn compile_in(
    prefix: &Path,
    library: &str,
    source: &Path,
    link: Link,
    options: &[&str],
) -> PathBuf {
    let name = source.file_stem().expect("a file").to_string_lossy();
    // Each call writes another file, because a program that another test runs cannot be
    // overwritten.
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let program = folder("programs").join(format!("{name}-{link:?}-{count}"));
    let mut cc = Command::new("cc");
    cc.args(C99).arg("-O1").arg(source).arg("-o").arg(&program).args(options);
    let words = pkg_config_in(prefix, library, link).into_iter();
    let sanitized = sanitized();
    if sanitized.is_some() {
        cc.arg("-fsanitize=thread");
    }
    match link {
        Link::Shared if sanitized.as_ref().is_some_and(|instead| !instead.is_empty()) => {
            cc.args(words.filter(|word| !word.starts_with("-l")));
            cc.args(sanitized.unwrap_or_default().split_whitespace());
        }
        Link::Shared => {
            cc.args(words).arg(format!("-Wl,-rpath,{}", prefix.join("lib").display()));
        }
        // If both exist, the linker takes the shared library, unless the archive is given by file
        // name.
        Link::Archive => {
            let (shared, archive) = (format!("-l{library}"), format!("-l:lib{library}.a"));
            cc.args(words.map(|word| word.replace(&shared, &archive)));
        }
        Link::Static => {
            cc.arg("-static").args(words);
        }
    }
    succeed(&mut cc);
    program
}

/// What `cargo xtask race --c` sets: that programs are compiled for ThreadSanitizer, and what is
/// linked in place of the shared library, if anything.
fn sanitized() -> Option<String> {
    env::var("HASHLANES_SANITIZED").ok()
}

/// The external symbols that a file defines, as `nm` prints them.
pub fn symbols(file: &Path, options: &[&str]) -> BTreeSet<String> {
    let mut nm = Command::new("nm");
    nm.args(["--extern-only", "--defined-only", "--format=posix"]).args(options).arg(file);
    let list = succeed(&mut nm);
    // Lines of one word name the archive and its members.
    let lines = list.lines().filter(|line| line.split_whitespace().count() > 1);
    lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// Runs a program under valgrind, where any invalid memory access and any leak is an error. What is
/// compiled for a sanitizer does not run there.
pub fn valgrind(program: &Path) -> Command {
    if sanitized().is_some() {
        return Command::new(program);
    }
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["-q", "--leak-check=full", "--show-leak-kinds=all"]);
    valgrind.args(["--errors-for-leak-kinds=all", "--error-exitcode=99"]).arg(program);
    valgrind
}
