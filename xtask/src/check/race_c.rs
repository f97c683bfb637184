//! `cargo xtask race --c`: the tests in which C programs use a server from many threads, under
//! ThreadSanitizer.
//!
//! Both sides are compiled for the sanitizer: the programs by the C compiler, and the library with
//! Rust's standard library by a nightly toolchain. So the sanitizer sees every lock and every
//! access, and no report is suppressed.
//!
//! With `--light` only the programs are compiled for it, and the library is the installed one. The
//! sanitizer then sees what the library copies and allocates, but not the locks that order it: they
//! are system calls and atomics in code that was not compiled for it. So reports about the library
//! are suppressed (`called_from_lib`), and `cargo xtask race` covers it. Reports about the programs
//! are not.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use crate::c::library::LIBRARIES;
use crate::command::{cargo, needs_library_sources, root, run as announce, target, toolchain};

/// The sanitizer's runtime requires fixed places in memory, which it does not get if the system
/// randomises addresses widely. All that the tests start inherits this.
const RUN: [&str; 2] = ["setarch", "--addr-no-randomize"];

/// The tests: of `threads.c`, and of `examples/c/upload.c` with many clients.
const TESTS: [&str; 2] = ["many_threads_share_a_server", "upload_answers_many_connections"];

/// Functions that LLVM calls in place of the C library's, and that the C compiler's runtime lacks:
/// it intercepts the C library's functions themselves.
const BRIDGE: &str = "\
#include <string.h>
void *__tsan_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
void *__tsan_memset(void *to, int byte, size_t n) { return memset(to, byte, n); }
";

/// Runs the tests.
pub(super) fn run(triple: &str, light: bool) -> Result<()> {
    let folder = target().join("c/race");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // The first report ends the process.
    let mut options = "halt_on_error=1".to_owned();
    let library = if light {
        let file = folder.join("suppressions");
        fs::write(&file, "called_from_lib:libhashlanes.so\n")?;
        options += &format!(" suppressions={}", file.display());
        String::new()
    } else {
        sanitized(&folder, triple)?
    };
    let cargo = cargo();
    let mut tests = Command::new(RUN[0]);
    tests.args(&RUN[1..]).arg(cargo.get_program()).current_dir(root());
    tests.args(["test", "-p", "hashlanes-capi-tests", "--"]).args(TESTS);
    announce(tests.env("HASHLANES_SANITIZED", library).env("TSAN_OPTIONS", options))
}

/// What is linked in place of the library: the library compiled for the sanitizer, with everything
/// that it needs of Rust.
fn sanitized(folder: &Path, triple: &str) -> Result<String> {
    needs_library_sources()?;
    let package = LIBRARIES[0].package;
    let bridge = folder.join("bridge.c");
    fs::write(&bridge, BRIDGE)?;
    let folder = target().join("race");
    let mut build = toolchain("nightly");
    build.args(["cargo", "rustc", "-Zbuild-std", "--target", triple, "-p", package, "--lib"]);
    build.args(["--crate-type", "staticlib"]).arg("--target-dir").arg(&folder);
    announce(build.env("RUSTFLAGS", "-Zsanitizer=thread"))?;
    let name = format!("lib{}.a", package.replace('-', "_"));
    let archive = folder.join(triple).join("debug").join(name);
    Ok(format!("{} {} -ldl -lm", bridge.display(), archive.display()))
}
