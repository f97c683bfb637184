//! `cargo xtask arm`: the library's tests on an emulated 64-bit Arm CPU, from an x86-64 Debian
//! machine.
//!
//! The toolchain of this machine need not know Arm. Debian has a compiler that it keeps new enough
//! for browsers, in packages with the standard libraries of both architectures. They are unpacked
//! under `target/arm/` and not installed, because they would conflict with rustup. Nor is the
//! system told of a second architecture: apt works with lists of its own there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, output, run as announce, target};
use crate::setup;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";

/// The packages that have to be installed.
const PACKAGES: [&str; 3] = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"];

/// Run the library's tests on an emulated 64-bit Arm CPU.
///
/// The linker and the emulator are Debian packages, which are installed if root runs this. The
/// compiler is unpacked under `target/`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The CPU to emulate, as qemu names it: `cortex-a53` lacks what `max` has.
    #[arg(long, default_value = "max")]
    cpu: String,
    /// Only tests with one of these in their names.
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut missing = Vec::new();
    if ![LINKER, "qemu-aarch64"].into_iter().all(setup::found) {
        setup::system_packages(false, &PACKAGES, &mut missing)?;
    }
    if !missing.is_empty() {
        bail!("missing:\n  {}", missing.join("\n  "));
    }
    let folder = target().join("arm");
    let compiler = compiler(&folder)?;
    announce(
        cargo()
            .args([
                "test",
                "-p",
                "hashlanes",
                "--lib",
                "--tests",
                "--target",
                TARGET,
                "--target-dir",
            ])
            .arg(folder.join("build"))
            .arg("--")
            .args(&args.filter)
            .env("RUSTC", compiler)
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)
            .env(
                "CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER",
                format!("qemu-aarch64 -cpu {} -L /usr/aarch64-linux-gnu", args.cpu),
            )
            .env("HASHLANES_QUICK", "1"),
    )
}

/// A script that runs the unpacked compiler, which is fetched if it is not there.
fn compiler(folder: &Path) -> Result<PathBuf> {
    let script = folder.join("rustc");
    if script.is_file() {
        return Ok(script);
    }
    let (packages, root) = (folder.join("packages"), folder.join("root"));
    fs::create_dir_all(&packages)?;
    let apt = Apt::new(folder)?;
    announce(apt.command("apt-get").args(["-q", "update"]))?;
    // The names of the libraries' packages have version numbers.
    let library = apt.dependency("libstd-rust-web-dev", "libstd-rust-web-")?;
    let llvm = apt.dependency(&library, "libllvm")?;
    let wanted =
        ["rustc-web", "libstd-rust-web-dev:amd64", "libstd-rust-web-dev:arm64", &library, &llvm];
    announce(apt.command("apt-get").args(["-q", "download"]).args(wanted).current_dir(&packages))?;
    for package in fs::read_dir(&packages)? {
        announce(Command::new("dpkg").arg("-x").arg(package?.path()).arg(&root))?;
    }
    fs::remove_dir_all(&packages)?;

    let root = root.join("usr");
    let text = format!(
        "#!/bin/sh
LD_LIBRARY_PATH='{root}/lib/x86_64-linux-gnu' exec '{root}/bin/rustc' --sysroot '{root}' \"$@\"
",
        root = root.display(),
    );
    let partial = folder.join("rustc.partial");
    fs::write(&partial, text)?;
    announce(Command::new("chmod").arg("+x").arg(&partial))?;
    output(Command::new(&partial).arg("--version"))
        .context("the unpacked compiler does not run")?;
    fs::rename(partial, &script)?;
    Ok(script)
}

/// apt with package lists of its own, for both architectures.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    fn new(folder: &Path) -> Result<Self> {
        let (lists, cache) = (folder.join("lists"), folder.join("cache"));
        fs::create_dir_all(lists.join("partial"))?;
        fs::create_dir_all(cache.join("archives/partial"))?;
        let options = [
            "APT::Architectures::=amd64".to_owned(),
            "APT::Architectures::=arm64".to_owned(),
            // Else apt would fetch as a user that may not write here.
            "APT::Sandbox::User=root".to_owned(),
            format!("Dir::State::lists={}", lists.display()),
            format!("Dir::Cache={}", cache.display()),
        ];
        Ok(Self {
            options: options.into_iter().flat_map(|option| ["-o".to_owned(), option]).collect(),
        })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options);
        command
    }

    /// The package with this prefix that `package` depends on.
    fn dependency(&self, package: &str, prefix: &str) -> Result<String> {
        output(self.command("apt-cache").args(["depends", "--important", package]))?
            .lines()
            .filter_map(|line| line.trim().strip_prefix("Depends: "))
            .find(|name| name.starts_with(prefix))
            .map(str::to_owned)
            .with_context(|| format!("{package} depends on no {prefix}*"))
    }
}
