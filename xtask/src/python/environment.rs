//! A virtual environment with the tools that build and test the package.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::command::{cargo, output, root, run as announce, succeeds, target};
use crate::folder;
use crate::packages;

/// Tools that build and test the package, installed with pip. The version of maturin is part of
/// what decides the bytes of a wheel.
pub const TOOLS: [&str; 3] = ["maturin==1.16.0", "numpy", "pytest"];

/// Packages for the tests of Spark, with a server of objects.
const SPARK: [&str; 3] = ["boto3", "moto[server]", "pyspark"];

/// The Debian package of a Java that runs Spark.
const JAVA: &str = "default-jre-headless";

/// A virtual environment of an interpreter, with the tools, for one package.
pub struct Environment {
    pub folder: PathBuf,
    profile: String,
    package: PathBuf,
}

impl Environment {
    /// The environment of the package `hashlanes`, which is created if it does not exist.
    pub fn new(python: &Path, profile: &str) -> Result<Self> {
        Self::of_package(python, profile, "", root().join("python"))
    }

    /// The environment of the package in a folder. `prefix` tells environments apart.
    pub fn of_package(
        python: &Path,
        profile: &str,
        prefix: &str,
        package: PathBuf,
    ) -> Result<Self> {
        // The implementation and its ABI, such as `cpython-311` or `cpython-314t`.
        const TAG: &str = "import sys; print(sys.implementation.cache_tag + sys.abiflags)";
        let tag = output(Command::new(python).args(["-c", TAG]))?;
        let folder = target().join("python").join(format!("{prefix}{}", tag.trim()));
        let environment = Self { folder, profile: profile.to_owned(), package };
        if !environment.has(&TOOLS) {
            packages::environment(python, &environment.folder)?;
            environment.pip(&TOOLS)?;
        }
        Ok(environment)
    }

    /// Another one, for another interpreter.
    pub fn of(&self, python: &Path) -> Result<Self> {
        Self::new(python, &self.profile)
    }

    /// An empty one, for the same interpreter.
    pub fn fresh(&self, folder: PathBuf) -> Result<Self> {
        packages::environment(Path::new(self.python().get_program()), &folder)?;
        Ok(Self { folder, profile: self.profile.clone(), package: self.package.clone() })
    }

    /// Its interpreter.
    pub fn python(&self) -> Command {
        Command::new(self.folder.join("bin").join("python"))
    }

    /// Installs packages.
    pub fn pip(&self, names: &[&str]) -> Result<()> {
        packages::pip(&mut self.python(), names)
    }

    /// Installs those packages that have wheels for this Python.
    pub fn get(&self, packages: &[&str]) {
        for package in packages {
            let got =
                self.has(&[package]) || self.pip(&["--only-binary", ":all:", package]).is_ok();
            if !got {
                println!("there is no {package} for this Python");
            }
        }
    }

    /// Installs PySpark, and Java with apt-get. If that fails, reports it and the tests go without.
    pub fn get_spark(&self) {
        if !succeeds(Command::new("java").arg("-version"))
            && let Err(error) = packages::require(&[JAVA])
        {
            println!("no Java, so PySpark is not tested: {error:#}");
            return;
        }
        // It has no wheel, so pip builds one, which only contains files.
        if !self.has(&SPARK) && self.pip(&SPARK).is_err() {
            println!("no PySpark for this Python, so it is not tested");
        }
    }

    /// Whether these packages are installed, in the version that `name==version` asks for.
    pub fn has(&self, packages: &[&str]) -> bool {
        const FIND: &str = "import sys, importlib.metadata as m; \
                            found = [(m.version(p), v) for p, _, v in \
                            (a.partition('==') for a in sys.argv[1:])]; \
                            sys.exit(any(v not in ('', installed) for installed, v in found))";
        let names = packages.iter().map(|package| {
            let extras = package.find('[').zip(package.find(']'));
            extras.map_or_else(
                || (*package).to_owned(),
                |(first, last)| [&package[..first], &package[last + 1..]].concat(),
            )
        });
        succeeds(self.python().args(["-c", FIND]).args(names))
    }

    /// Builds a wheel, with more options of maturin, and returns its path.
    pub fn build(&self, options: &[&str]) -> Result<PathBuf> {
        let interpreter = self.folder.join("bin").join("python");
        let interpreter = ["--interpreter", &*interpreter.to_string_lossy()];
        let build = ["build", "--quiet", "--profile", &self.profile];
        self.maturin(&[&build, &interpreter[..], options].concat())
    }

    /// Runs maturin, which produces one file, and returns its path.
    pub fn maturin(&self, arguments: &[&str]) -> Result<PathBuf> {
        let made = self.folder.join("made");
        // Remove older files, so that only the new one is found.
        folder::remove(&made)?;
        let mut maturin = self.python();
        maturin.args(["-m", "maturin"]).args(arguments).arg("--out").arg(&made);
        if arguments.contains(&"build") {
            // As in `cargo()`. `repack.py` sets the time of the files in a wheel.
            maturin.env_remove("SOURCE_DATE_EPOCH");
        }
        // In `integrations`, a file names another folder, which is for that workspace's packages.
        let locate = ["locate-project", "--workspace", "--message-format=plain"];
        let workspace = output(cargo().args(locate).current_dir(&self.package))?;
        if Path::new(workspace.trim()) == root().join("Cargo.toml") {
            maturin.env("CARGO_TARGET_DIR", target());
        }
        if arguments.contains(&"--zig") {
            // It looks for zig in the packages of the first interpreter on the PATH.
            let path = env::var_os("PATH").unwrap_or_default();
            let folders = [self.folder.join("bin")].into_iter().chain(env::split_paths(&path));
            maturin.env("PATH", env::join_paths(folders)?);
        }
        announce(maturin.current_dir(&self.package))?;
        self.made()
    }

    /// The latest file that maturin produced with this interpreter: a wheel or a source
    /// distribution.
    pub fn made(&self) -> Result<PathBuf> {
        let mut made = fs::read_dir(self.folder.join("made"))?;
        Ok(made.next().context("maturin made nothing")??.path())
    }

    /// Installs a wheel or a source distribution of the package.
    pub fn install(&self, file: &Path) -> Result<()> {
        self.pip(&["--force-reinstall", "--no-deps", &file.to_string_lossy()])
    }

    /// Runs the tests of the installed package.
    pub fn test(&self, options: &[String], thorough: bool) -> Result<()> {
        // Not as a module, and not beside the package's sources: Python's processes, such as those
        // of Spark, import from the folder they start in.
        let mut pytest = Command::new(self.folder.join("bin").join("pytest"));
        pytest.args(["-q", "-p", "no:cacheprovider"]).args(options);
        if thorough {
            pytest.env("HASHLANES_THOROUGH", "1");
        }
        announce(pytest.current_dir(self.package.join("tests")))
    }
}

/// The tag of the wheel for a version of Python: its own and its ABI's.
pub fn tag(version: &str) -> String {
    let digits = version.replace('.', "");
    match version {
        "3.9" | "3.10" => format!("cp{digits}-cp{digits}"),
        _ if version.ends_with('t') => format!("cp{}-cp{digits}", digits.trim_end_matches('t')),
        _ => "cp311-abi3".to_owned(),
    }
}

pub fn check_name(file: &Path, part: &str) -> Result<()> {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    ensure!(name.contains(part), "{name} should have {part} in its name");
    Ok(())
}
