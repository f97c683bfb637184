//! `cargo xtask python`: the Python package, built as a wheel, installed and tested; see `python/`
//! and docs/python.md.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{output, root, run as announce, succeeds, target};
use crate::{packages, python_thorough};

/// What builds and tests the package, got by pip.
const TOOLS: [&str; 3] = ["maturin", "numpy", "pytest"];

/// What the tests of columns hash columns of. A Python that one of them has no wheel for skips its
/// tests.
const COLUMNS: [&str; 5] = ["arro3-core", "duckdb", "pandas", "polars", "pyarrow"];

/// What the example of Spark needs, and the Debian package of a Java that runs it.
const SPARK: &str = "pyspark";
const JAVA: &str = "default-jre-headless";

/// What is measured beside ours.
const MEASURED: [&str; 1] = ["polars-hash"];

/// Build the Python package as a wheel, install it below the target folder, and test it.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The interpreter
    #[arg(long, value_name = "PROGRAM", default_value = "python3")]
    python: PathBuf,
    /// Measure beside hashlib, polars-hash and DuckDB, and print tables in Markdown
    #[arg(long)]
    measure: bool,
    /// Test also under all other interpreters that are found, and with buffers of more than 2 GiB.
    /// Check the type stubs, install the source distribution, build wheels for old systems and for
    /// Arm
    #[arg(long)]
    thorough: bool,
    /// Test the example of PySpark too. Gets PySpark, and Java by apt-get
    #[arg(long)]
    spark: bool,
    /// How to compile the extension module: `release`, or `dev` for checks of overflow
    #[arg(long, default_value = "release")]
    profile: String,
    /// Options of pytest
    #[arg(last = true)]
    options: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let environment = Environment::new(&args.python, &args.profile)?;
    environment.install(&environment.build(&[])?)?;
    environment.get(&COLUMNS);
    if args.measure {
        environment.get(&MEASURED);
        return announce(
            environment.python().arg("benches/measure.py").current_dir(root().join("python")),
        );
    }
    if args.spark || args.thorough {
        environment.get_spark();
    }
    environment.test(&args.options, args.thorough)?;
    if args.thorough { python_thorough::run(&environment, &args.options) } else { Ok(()) }
}

/// A virtual environment of an interpreter, with the tools.
pub(crate) struct Environment {
    pub(crate) folder: PathBuf,
    profile: String,
}

impl Environment {
    /// Makes it, if it is not there.
    pub(crate) fn new(python: &Path, profile: &str) -> Result<Self> {
        // Of what `sys.implementation` and the ABI are called, as `cpython-311` or `cpython-314t`.
        const TAG: &str = "import sys; print(sys.implementation.cache_tag + sys.abiflags)";
        let tag = output(Command::new(python).args(["-c", TAG]))?;
        let folder = target().join("python").join(tag.trim());
        let environment = Self { folder, profile: profile.to_owned() };
        if !environment.has(&TOOLS) {
            packages::environment(python, &environment.folder)?;
            environment.pip(&TOOLS)?;
        }
        Ok(environment)
    }

    /// Another one, of another interpreter.
    pub(crate) fn of(&self, python: &Path) -> Result<Self> {
        Self::new(python, &self.profile)
    }

    /// An empty one, of the same interpreter.
    pub(crate) fn fresh(&self, folder: PathBuf) -> Result<Self> {
        packages::environment(Path::new(self.python().get_program()), &folder)?;
        Ok(Self { folder, profile: self.profile.clone() })
    }

    /// Its interpreter.
    pub(crate) fn python(&self) -> Command {
        Command::new(self.folder.join("bin").join("python"))
    }

    /// Installs packages.
    pub(crate) fn pip(&self, names: &[&str]) -> Result<()> {
        packages::pip(&mut self.python(), names)
    }

    /// Installs those packages that have wheels for this Python.
    fn get(&self, packages: &[&str]) {
        for package in packages {
            let got =
                self.has(&[package]) || self.pip(&["--only-binary", ":all:", package]).is_ok();
            if !got {
                println!("there is no {package} for this Python");
            }
        }
    }

    /// Gets PySpark, and Java by apt-get. Says so if they cannot be had: then the tests go without.
    fn get_spark(&self) {
        if !succeeds(Command::new("java").arg("-version"))
            && let Err(error) = packages::require(&[JAVA])
        {
            println!("no Java, so PySpark is not tested: {error:#}");
            return;
        }
        // It has no wheel, so pip builds one, of nothing but files.
        if !self.has(&[SPARK]) && self.pip(&[SPARK]).is_err() {
            println!("no {SPARK} for this Python, so it is not tested");
        }
    }

    /// Whether these packages are installed, in any version.
    pub(crate) fn has(&self, packages: &[&str]) -> bool {
        const FIND: &str =
            "import sys, importlib.metadata as m; [m.version(p) for p in sys.argv[1:]]";
        succeeds(self.python().args(["-c", FIND]).args(packages))
    }

    /// Builds a wheel, with more options of maturin, and returns its path.
    pub(crate) fn build(&self, options: &[&str]) -> Result<PathBuf> {
        let interpreter = self.folder.join("bin").join("python");
        let interpreter = ["--interpreter", &*interpreter.to_string_lossy()];
        let build = ["build", "--quiet", "--profile", &self.profile];
        self.maturin(&[&build, &interpreter[..], options].concat())
    }

    /// Runs maturin, which makes one file, and returns its path.
    pub(crate) fn maturin(&self, arguments: &[&str]) -> Result<PathBuf> {
        let made = self.folder.join("made");
        // Only the new one is to be found.
        if made.exists() {
            fs::remove_dir_all(&made)
                .with_context(|| format!("cannot clear {}", made.display()))?;
        }
        let mut maturin = self.python();
        maturin.args(["-m", "maturin"]).args(arguments).arg("--out").arg(&made);
        if arguments.contains(&"--zig") {
            // It looks for zig in the packages of the interpreter that is first on the PATH.
            let path = env::var_os("PATH").unwrap_or_default();
            let folders = [self.folder.join("bin")].into_iter().chain(env::split_paths(&path));
            maturin.env("PATH", env::join_paths(folders)?);
        }
        announce(maturin.current_dir(root().join("python")))?;
        self.made()
    }

    /// What maturin made last, with this interpreter: a wheel, or a source distribution.
    pub(crate) fn made(&self) -> Result<PathBuf> {
        let mut made = fs::read_dir(self.folder.join("made"))?;
        Ok(made.next().context("maturin made nothing")??.path())
    }

    /// Installs a wheel or a source distribution of the package.
    pub(crate) fn install(&self, file: &Path) -> Result<()> {
        self.pip(&["--force-reinstall", "--no-deps", &file.to_string_lossy()])
    }

    /// Runs the tests of the package that is installed.
    pub(crate) fn test(&self, options: &[String], thorough: bool) -> Result<()> {
        // Not as a module: that could import the package from the folder.
        let mut pytest = Command::new(self.folder.join("bin").join("pytest"));
        pytest.args(["-q", "-p", "no:cacheprovider"]).args(options);
        if thorough {
            pytest.env("HASHLANES_THOROUGH", "1");
        }
        announce(pytest.current_dir(root().join("python")))
    }
}
