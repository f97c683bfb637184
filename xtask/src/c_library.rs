//! The libraries for C, and how they are made.
//!
//! cargo makes a static archive of everything: our functions, the standard library, the compiler's
//! helpers. What is installed is made of that, in three steps, by the system's linker:
//!
//! 1. All that our functions need is linked into one object (`ld -r`). Every symbol that is not
//!    ours becomes local (`objcopy`). So a program can link two such archives, and nothing of one
//!    is taken for the other's.
//! 2. That object is the static archive.
//! 3. It is linked into the shared library as well, with a soname and versioned symbols.
//!
//! Why not cargo alone, or cargo-c: both leave the runtime's symbols global in the archive, and for
//! a shared library rustc has a version script of its own, beside which a linker takes no other one
//! that names versions. `cargo cinstall` works with the same packages, without these two.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::{cargo, output, root, run as announce, target};

/// A library for C.
pub(crate) struct Library {
    /// The package, a folder of `crates/`. The headers in its folder `include` are installed as
    /// they are, with the folders in it.
    pub(crate) package: &'static str,
    /// The name that programs link: `-lNAME`.
    pub(crate) name: &'static str,
    /// What it is, for pkg-config.
    pub(crate) description: &'static str,
    /// Patterns of the symbols that it exports.
    pub(crate) symbols: &'static [&'static str],
}

/// All of them. Another one is another line.
pub(crate) const LIBRARIES: &[Library] = &[Library {
    package: "hashlanes-capi",
    name: "hashlanes",
    description: "Cryptographic hashes of many messages side by side, in SIMD lanes",
    symbols: &["hashlanes_*"],
}];

/// What was made of a library.
pub(crate) struct Built {
    pub(crate) archive: PathBuf,
    pub(crate) shared: PathBuf,
    pub(crate) version: Version,
    /// The system's libraries that the archive needs, as a linker's arguments.
    pub(crate) needs: Vec<String>,
}

/// The version of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) text: String,
    /// The part that tells whether programs need to be compiled again: of 0.1.2 it is 0.1, of 1.2.3
    /// it is 1.
    pub(crate) interface: String,
}

impl Version {
    fn new(text: &str) -> Result<Self> {
        let mut numbers = text.split('.');
        let (major, minor) = (numbers.next(), numbers.next());
        let (Some(major), Some(minor)) = (major, minor) else { bail!("not a version: {text}") };
        let interface = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
        Ok(Self { text: text.to_owned(), interface })
    }
}

impl Library {
    /// The folder of its headers.
    pub(crate) fn headers(&self) -> PathBuf {
        root().join("crates").join(self.package).join("include")
    }

    /// The name by which a program asks for the shared library when it starts.
    pub(crate) fn soname(&self, version: &Version) -> String {
        format!("lib{}.so.{}", self.name, version.interface)
    }

    /// Makes the libraries, below the target folder.
    pub(crate) fn build(&self, profile: &str) -> Result<Built> {
        ensure!(
            cfg!(target_os = "linux"),
            "not available here: it is set up for Linux. `cargo cinstall -p {}`, of cargo-c, \
             installs the library on other systems",
            self.package
        );
        let version = Version::new(&self.version()?)?;
        let (everything, needs) = self.compile(profile)?;
        let folder = target().join("c").join(profile);
        fs::create_dir_all(&folder)
            .with_context(|| format!("cannot make {}", folder.display()))?;
        let object = self.object(&everything, &folder, profile)?;
        let archive = self.archive(&object, &folder)?;
        let shared = self.shared(&object, &folder, &version, &needs)?;
        Ok(Built { archive, shared, version, needs })
    }

    fn version(&self) -> Result<String> {
        let id = output(cargo().args(["pkgid", "--package", self.package]))?;
        let (_, version) = id.trim().rsplit_once(['#', '@']).with_context(|| id.clone())?;
        Ok(version.to_owned())
    }

    /// The static archive that cargo makes, and what of the system it needs.
    fn compile(&self, profile: &str) -> Result<(PathBuf, Vec<String>)> {
        let build = || {
            let mut command = cargo();
            command.args(["rustc", "-p", self.package, "--lib", "--profile", profile]);
            command.args(["--crate-type", "staticlib"]);
            command
        };
        announce(build().args(["--", "--print", "native-static-libs"]))?;
        // Once more, when there is nothing left to build, for what it said.
        let messages =
            output(build().arg("--message-format=json").args(["--", "--print", NATIVE]))?;
        let (mut archive, mut needs) = (None, None);
        for line in messages.lines() {
            let message: serde_json::Value = serde_json::from_str(line)?;
            if let Some(list) = message["message"]["message"].as_str()
                && let Some(list) = list.strip_prefix("native-static-libs: ")
            {
                needs = Some(list.split_whitespace().filter(|l| !GIVEN.contains(l)));
                needs = needs.map(|needs| needs);
                let list = list.split_whitespace().filter(|word| !GIVEN.contains(word));
                archive = archive.or(None::<PathBuf>);
                let _ = list;
            }
        }
        let _ = (&mut archive, &mut needs);
        bail!("unreachable")
    }
}

const NATIVE: &str = "native-static-libs";
const GIVEN: [&str; 2] = ["-lgcc_s", "-lc"];
