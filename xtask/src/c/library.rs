//! The libraries for C, and how they are built.
//!
//! cargo builds a static archive of everything: our functions, the standard library, the compiler's
//! helpers. The system's linker turns it into the installed libraries in three steps:
//!
//! 1. Everything that our functions need is linked into one object (`ld -r`). All symbols that are
//!    not ours become local (`objcopy`). So a program can link two such archives without mixing
//!    them up.
//! 2. That object is the static archive.
//! 3. It is linked into the shared library as well, with a soname and versioned symbols.
//!
//! Neither cargo nor cargo-c suffices: both leave the runtime's symbols global in the archive, and
//! for a shared library rustc passes its own version script, beside which a linker accepts no other
//! that names versions. `cargo cinstall` works with the same packages, without these two features.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::command::version;
use crate::command::{cargo, output, root, run as announce, target};

/// A library for C.
pub struct Library {
    /// The package, a folder of `crates/`. The headers in its folder `include` are installed
    /// unchanged, including subfolders.
    pub package: &'static str,
    /// The name that programs link: `-lNAME`.
    pub name: &'static str,
    /// The subfolder of the installed `include` where programs look for the headers; empty for
    /// `include` itself.
    pub include: &'static str,
    /// What it is, for pkg-config.
    pub description: &'static str,
    /// Patterns of the symbols that it exports.
    pub symbols: &'static [&'static str],
}

/// All libraries. To add one, add an entry.
pub const LIBRARIES: &[Library] = &[
    Library {
        package: "hashlanes-capi",
        name: "hashlanes",
        include: "",
        description: "Cryptographic hashes of many messages side by side, in SIMD lanes",
        symbols: &["hashlanes_*"],
    },
    Library {
        package: "hashlanes-isal",
        name: "hashlanes_isal",
        // `include` may also have ISA-L's own headers.
        include: "hashlanes-isal",
        description: "ISA-L crypto's multi-buffer hashing interface, with hashlanes behind it",
        symbols: &[
            "isal_*",
            "md5_ctx_mgr_*",
            "sha1_ctx_mgr_*",
            "sha256_ctx_mgr_*",
            "sha512_ctx_mgr_*",
            "sm3_ctx_mgr_*",
        ],
    },
];

/// The tools that make libraries for a kind of machine.
pub struct Toolchain {
    /// Rust's name of the target, unless it is this machine's.
    pub target: Option<&'static str>,
    /// The C compiler, with arguments.
    pub compiler: Vec<String>,
    /// The start of the names of the binutils.
    pub binutils: &'static str,
}

impl Toolchain {
    pub fn host() -> Self {
        Self { target: None, compiler: vec!["cc".to_owned()], binutils: "" }
    }

    fn compiler(&self) -> Command {
        let mut command = Command::new(&self.compiler[0]);
        command.args(&self.compiler[1..]);
        command
    }

    fn binutils(&self, name: &str) -> Command {
        Command::new(format!("{}{name}", self.binutils))
    }

    /// Debian's name of the folder for libraries.
    pub fn multiarch(&self) -> Result<String> {
        if let Some(target) = self.target {
            return Ok(target.replace("-unknown", ""));
        }
        let name = output(Command::new("cc").arg("-print-multiarch"))?;
        Ok(name.trim().to_owned())
    }
}

/// The files built for a library.
pub struct Built {
    pub archive: PathBuf,
    pub shared: PathBuf,
    pub version: Version,
    /// The system libraries that the archive needs, as linker arguments.
    pub needs: Vec<String>,
    /// Held while the files are used: another chore would overwrite them.
    _lock: File,
}

/// The version of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    pub text: String,
    /// The part of the version that changes when programs have to be recompiled: 0.1 for 0.1.2, and
    /// 1 for 1.2.3.
    pub interface: String,
}

impl Version {
    pub fn new(text: &str) -> Result<Self> {
        let mut numbers = text.split('.');
        let (major, minor) = (numbers.next(), numbers.next());
        let (Some(major), Some(minor)) = (major, minor) else { bail!("not a version: {text}") };
        let interface = if major == "0" { format!("0.{minor}") } else { major.to_owned() };
        Ok(Self { text: text.to_owned(), interface })
    }
}

impl Library {
    /// The folder with its headers.
    pub fn headers(&self) -> PathBuf {
        root().join("crates").join(self.package).join("include")
    }

    /// The name by which a program looks for the shared library when it starts.
    pub fn soname(&self, version: &Version) -> String {
        format!("lib{}.so.{}", self.name, version.interface)
    }

    /// The version of its symbols in the shared library.
    pub fn node(&self, version: &Version) -> String {
        format!("{}_{}", self.name.to_uppercase(), version.interface)
    }

    /// Builds the libraries under the target folder.
    pub fn build(&self, profile: &str, features: &str, toolchain: &Toolchain) -> Result<Built> {
        ensure!(
            cfg!(target_os = "linux"),
            "not available here: it is set up for Linux. `cargo cinstall -p {}`, of cargo-c, \
             installs the library on other systems",
            self.package
        );
        let version = Version::new(&version(self.package)?)?;
        let (everything, needs) = self.compile(profile, features, toolchain)?;
        let folder = target().join("c").join(toolchain.target.unwrap_or_default()).join(profile);
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let lock = File::create(folder.join(format!("{}.lock", self.name)))?;
        lock.lock().context("cannot wait for other chores")?;
        let object = self.object(&everything, &folder, toolchain)?;
        let archive = self.archive(&object, &folder, toolchain)?;
        let shared = self.shared(&object, &folder, &version, &needs, toolchain)?;
        Ok(Built { archive, shared, version, needs, _lock: lock })
    }

    /// The static archive that cargo builds, and the system libraries that it needs.
    fn compile(
        &self,
        profile: &str,
        features: &str,
        toolchain: &Toolchain,
    ) -> Result<(PathBuf, Vec<String>)> {
        let build = |options: &[&str]| {
            let mut command = cargo();
            command.args(["rustc", "-p", self.package, "--lib", "--profile", profile]);
            command.args(toolchain.target.into_iter().flat_map(|target| ["--target", target]));
            command.args(["--features", features, "--crate-type", "staticlib"]).args(options);
            command.args(["--", "--print", "native-static-libs"]);
            command
        };
        announce(&mut build(&[]))?;
        // A second time, with nothing left to build, for its messages.
        let messages = output(&mut build(&["--message-format=json"]))?;
        let (mut archive, mut needs) = (None, None);
        for line in messages.lines() {
            let message: serde_json::Value = serde_json::from_str(line)?;
            let files = message["filenames"].as_array().into_iter().flatten();
            let ours = message["target"]["kind"][0] == "staticlib";
            archive =
                archive.or(files.filter(|_| ours).find_map(|file| file.as_str()).map(Into::into));
            let note = message["message"]["message"].as_str();
            needs = needs.or(note.and_then(native_libraries));
        }
        let none = || format!("cargo said nothing of the archive of {}", self.package);
        Ok((archive.with_context(none)?, needs.with_context(none)?))
    }

    /// Links everything that the library's functions need into one object, with all other symbols
    /// local.
    fn object(&self, archive: &Path, folder: &Path, toolchain: &Toolchain) -> Result<PathBuf> {
        let (all, ours) =
            (folder.join(format!("{}-all.o", self.name)), folder.join(format!("{}.o", self.name)));
        let functions = self.functions(archive, toolchain)?;
        let mut link = toolchain.binutils("ld");
        // Section groups (COMDAT) are dissolved: a program's linker would keep one of two groups
        // with the same name, and the other archive's local symbols would lose theirs.
        link.args(["-r", "--gc-sections", "--force-group-allocation", "-o"]).arg(&all);
        link.args(functions.iter().flat_map(|function| ["-u", function])).arg(archive);
        // Not announced: the line has some sixty names.
        output(&mut link)?;
        let mut localise = toolchain.binutils("objcopy");
        localise.arg("--wildcard").arg("--strip-unneeded");
        // Remove the standard library's bitcode, which `ar` with a plugin of an older LLVM cannot
        // read.
        localise.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
        localise.args(self.symbols.iter().map(|symbol| format!("--keep-global-symbol={symbol}")));
        announce(localise.arg(&all).arg(&ours))?;
        Ok(ours)
    }

    /// The functions that cargo's archive exports for C.
    fn functions(&self, archive: &Path, toolchain: &Toolchain) -> Result<Vec<String>> {
        let symbols = output(
            toolchain.binutils("nm").args(["-g", "--defined-only", "--format=posix"]).arg(archive),
        )?;
        let names = symbols.lines().filter_map(|line| line.split_whitespace().next());
        let names: Vec<_> = names.filter(|name| self.exports(name)).map(str::to_owned).collect();
        ensure!(!names.is_empty(), "{}: no function of the library", archive.display());
        Ok(names)
    }

    pub fn exports(&self, symbol: &str) -> bool {
        self.symbols.iter().any(|pattern| match pattern.strip_suffix('*') {
            Some(start) => symbol.starts_with(start),
            None => symbol == *pattern,
        })
    }

    fn archive(&self, object: &Path, folder: &Path, toolchain: &Toolchain) -> Result<PathBuf> {
        let archive = folder.join(format!("lib{}.a", self.name));
        if archive.exists() {
            // `ar` adds to an existing archive.
            fs::remove_file(&archive)
                .with_context(|| format!("cannot remove {}", archive.display()))?;
        }
        announce(toolchain.binutils("ar").arg("rcsD").arg(&archive).arg(object))?;
        Ok(archive)
    }

    fn shared(
        &self,
        object: &Path,
        folder: &Path,
        version: &Version,
        needs: &[String],
        toolchain: &Toolchain,
    ) -> Result<PathBuf> {
        let script = folder.join(format!("{}.map", self.name));
        let node = self.node(version);
        let symbols = self.symbols.join("; ");
        fs::write(&script, format!("{node} {{ global: {symbols}; local: *; }};\n"))
            .with_context(|| format!("cannot write {}", script.display()))?;
        let shared = folder.join(format!("lib{}.so.{}", self.name, version.text));
        let mut link = toolchain.compiler();
        link.args(["-shared", "-Wl,-z,defs", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,--gc-sections"]);
        link.arg("-Wl,--as-needed").arg(format!("-Wl,-soname,{}", self.soname(version)));
        link.arg(format!("-Wl,--version-script={}", script.display()));
        announce(link.arg(object).arg("-o").arg(&shared).args(needs))?;
        Ok(shared)
    }
}

/// The linker arguments in a note of rustc's, without those that a C compiler adds itself.
///
/// It adds the library that unwinds, too: the shared one if a program is linked dynamically, the
/// static one (`libgcc_eh`) with `-static`, where it is the only one.
fn native_libraries(note: &str) -> Option<Vec<String>> {
    let list = note.strip_prefix("native-static-libs: ")?;
    let given = ["-lgcc_s", "-lc"];
    Some(list.split_whitespace().filter(|word| !given.contains(word)).map(str::to_owned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minor_version_is_an_interface_until_the_first_major_one() {
        let interface = |text| Version::new(text).unwrap().interface;
        assert_eq!(interface("0.1.2"), "0.1");
        assert_eq!(interface("1.2.3"), "1");
        assert!(Version::new("1").is_err());
    }

    #[test]
    fn patterns_match_the_start() {
        let library = &LIBRARIES[0];
        assert!(library.exports("hashlanes_digest"));
        assert!(!library.exports("rust_eh_personality"));
    }

    #[test]
    fn the_compiler_adds_its_own_libraries() {
        let note = "native-static-libs: -lgcc_s -lutil -lpthread -lc";
        assert_eq!(native_libraries(note).unwrap(), ["-lutil", "-lpthread"]);
        assert_eq!(native_libraries("something else"), None);
    }
}
