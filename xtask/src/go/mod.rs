//! `cargo xtask go`: the Go module; see `go/` and docs/guide/go.md.

pub(crate) mod assembly;
pub(crate) mod tool;

use std::process::Command;

use anyhow::{Result, ensure};

use crate::command::{output, root, run as announce, target};
use tool::go;

/// The linter, in the version that the module is checked with.
const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.8.2";

/// The modules besides `go`, which replace minio's through a replace line.
pub(crate) const REPLACEMENTS: [&str; 2] = ["go/replace/md5-simd", "go/replace/sha256-simd"];

/// Check and test the Go module, with its kernels and without.
///
/// `--thorough` adds what takes longer.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also test with a collection of garbage at each allocation, fuzz for longer, test
    /// the kernels for 64-bit Arm under qemu, and run the benches' tests, which download minio's
    /// packages
    #[arg(long)]
    thorough: bool,
    /// Measure beside minio's packages and the standard library instead of testing
    #[arg(long)]
    measure: bool,
    /// Options of the measurement: `--measure -- -h` lists them
    #[arg(last = true)]
    options: Vec<String>,
}

/// Systems and architectures besides this one: those with kernels, and some of the others.
const OTHERS: [&str; 5] =
    ["linux/arm64", "darwin/arm64", "windows/arm64", "freebsd/amd64", "linux/386"];

pub(crate) fn run(args: &Args) -> Result<()> {
    tool::require()?;
    if args.measure {
        return measure(&args.options);
    }
    check()?;
    test()?;
    if args.thorough { test_thoroughly() } else { Ok(()) }
}

/// Runs `go` in a folder of the repository.
fn run_go(folder: &str, arguments: &[&str]) -> Result<()> {
    announce(go(folder)?.args(arguments))
}

fn check() -> Result<()> {
    // It lists the files that it would change.
    let mut gofmt = Command::new(tool::gofmt()?);
    let unformatted = output(gofmt.args(["-l", "."]).current_dir(root().join("go")))?;
    ensure!(unformatted.is_empty(), "gofmt would change:\n{unformatted}");
    for folder in ["go"].iter().chain(&REPLACEMENTS) {
        run_go(folder, &["vet", "./..."])?;
        run_go(folder, &["vet", "-tags", "purego", "./..."])?;
    }
    for other in OTHERS {
        let (system, architecture) = other.split_once('/').unwrap_or((other, ""));
        let mut vet = go("go")?;
        vet.args(["vet", "./..."]).env("GOOS", system).env("GOARCH", architecture);
        announce(&mut vet)?;
    }
    run_go("go", &["run", STATICCHECK, "./..."])?;
    run_go("go", &["run", STATICCHECK, "-tags", "purego", "./..."])
}

fn test() -> Result<()> {
    run_go("go", &["test", "./..."])?;
    // Go's cache does not see that the guide, which lies outside of the module, was changed.
    run_go("go", &["test", "-count=1", "-run", "Guide", "."])?;
    run_go("go", &["test", "-tags", "purego", "./..."])?;
    // Only the race detector needs a C compiler.
    announce(go("go")?.args(["test", "-race", "./..."]).env("CGO_ENABLED", "1"))
}

fn test_thoroughly() -> Result<()> {
    announce(go("go")?.args(["test", "-count=1", "./..."]).env("GOGC", "1"))?;
    let fuzz = ["test", "-run", "^$", "-fuzz", "FuzzHashers", "-fuzztime", "120s", "."];
    run_go("go", &fuzz)?;
    // Other tests start programs that they have built.
    let emulated = ["-exec", "qemu-aarch64 -cpu max", "-skip", "Minio|Guide", "./..."];
    announce(go("go")?.arg("test").args(emulated).env("GOARCH", "arm64"))?;
    run_go("go/bench", &["test", "./..."])
}

fn measure(options: &[String]) -> Result<()> {
    let program = target().join("go").join("measure");
    let program = program.to_string_lossy();
    run_go("go/bench", &["build", "-o", &program, "."])?;
    announce(Command::new(&*program).args(options))
}
