//! `cargo xtask go`: the Go module, built on the C library; see `go/` and docs/guide/go.md.

pub(crate) mod assembly;
pub(crate) mod tool;

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::c::install;
use crate::command::{output, root, run as announce, target};
use tool::go;

/// The linter, in the version that the module is checked with.
const STATICCHECK: &str = "honnef.co/go/tools/cmd/staticcheck@v0.8.2";

/// The modules besides `go`, which replace minio's through a replace line.
pub(crate) const REPLACEMENTS: [&str; 2] = ["go/replace/md5-simd", "go/replace/sha256-simd"];

/// Check and test the Go module, with the C library and without.
///
/// The C library is installed under the target folder. `--thorough` adds what takes longer.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also test under the full check of pointers that are passed to C, fuzz for longer, and run
    /// the benches' tests, which download minio's packages
    #[arg(long)]
    thorough: bool,
    /// Measure beside minio's packages and the standard library instead of testing
    #[arg(long)]
    measure: bool,
    /// The profile to compile the C library with: `release-c`, or `dev` for overflow checks
    #[arg(long, default_value = install::PROFILE)]
    profile: String,
    /// Options of the measurement: `--measure -- -h` lists them
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    tool::require()?;
    let prefix = target().join("go").join("prefix");
    install::install_all(&prefix.to_string_lossy(), &args.profile)?;
    let module = Module { pkg_config: prefix.join("lib").join("pkgconfig") };
    if args.measure {
        return module.measure(&args.options);
    }
    module.check()?;
    module.test()?;
    if args.thorough { module.test_thoroughly() } else { Ok(()) }
}

struct Module {
    /// The folder with the files for pkg-config.
    pkg_config: PathBuf,
}

impl Module {
    /// Runs `go` such that it finds the C library.
    fn run(&self, folder: &str, arguments: &[&str]) -> Result<()> {
        announce(go(folder)?.args(arguments).env("PKG_CONFIG_PATH", &self.pkg_config))
    }

    fn check(&self) -> Result<()> {
        // It lists the files that it would change.
        let mut gofmt = Command::new(tool::gofmt()?);
        let unformatted = output(gofmt.args(["-l", "."]).current_dir(root().join("go")))?;
        ensure!(unformatted.is_empty(), "gofmt would change:\n{unformatted}");
        for folder in ["go"].iter().chain(&REPLACEMENTS) {
            self.run(folder, &["vet", "./..."])?;
            self.run(folder, &["vet", "-tags", "purego", "./..."])?;
        }
        self.run("go", &["run", STATICCHECK, "./..."])?;
        self.run("go", &["run", STATICCHECK, "-tags", "purego", "./..."])
    }

    fn test(&self) -> Result<()> {
        self.run("go", &["test", "./..."])?;
        // Go's cache does not see that the guide, which lies outside of the module, was changed.
        self.run("go", &["test", "-count=1", "-run", "Guide", "."])?;
        self.run("go", &["test", "-race", "./..."])?;
        self.run("go", &["test", "-tags", "purego", "./..."])?;
        // Neither a C compiler nor the C library is needed.
        let mut without = go("go")?;
        announce(without.args(["test", "./..."]).env("CGO_ENABLED", "0"))
    }

    fn test_thoroughly(&self) -> Result<()> {
        let mut checked = go("go")?;
        checked.args(["test", "-count=1", "./..."]).env("GOEXPERIMENT", "cgocheck2");
        announce(checked.env("PKG_CONFIG_PATH", &self.pkg_config))?;
        let fuzz = ["test", "-run", "^$", "-fuzz", "FuzzHashers", "-fuzztime", "120s", "."];
        self.run("go", &fuzz)?;
        self.run("go/bench", &["test", "./..."])
    }

    fn measure(&self, options: &[String]) -> Result<()> {
        let program = target().join("go").join("measure");
        let program = program.to_string_lossy();
        self.run("go/bench", &["build", "-o", &program, "."])?;
        announce(Command::new(&*program).args(options))
    }
}
