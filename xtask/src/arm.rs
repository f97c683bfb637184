//! `cargo xtask arm`: the library's tests on emulated 64-bit Arm CPUs, from an x86-64 Debian
//! machine.
//!
//! If rustup has the standard library of Arm, or can get it, the ordinary compiler is used. If not:
//! Debian has a compiler that it keeps new enough for browsers, in packages with the standard
//! libraries of both architectures. They are unpacked under `target/arm/` and not installed,
//! because they would conflict with rustup. Nor is the system told of a second architecture: apt
//! works with lists of its own there.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::command::{cargo, output, run as announce, succeeds, target};
use crate::setup;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";

/// The packages that have to be installed.
const PACKAGES: [&str; 3] = ["gcc-aarch64-linux-gnu", "libc6-dev-arm64-cross", "qemu-user"];

/// Run the library's tests on emulated 64-bit Arm CPUs.
///
/// The linker and the emulator are Debian packages, which are installed if root runs this. If
/// rustup cannot get the target, Debian's compiler is unpacked under `target/`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The CPUs to emulate, as qemu names them: `max` has all SHA instructions, `cortex-a53` has
    /// no SHA-512.
    #[arg(long, value_delimiter = ',', default_value = "max,cortex-a53")]
    cpu: Vec<String>,
    /// Only the tests that depend on the CPU: of each kernel, and of the choice between them.
    #[arg(long)]
    kernels: bool,
    /// If the compiler, the linker or the emulator cannot be had, say so and succeed.
    #[arg(long)]
    if_possible: bool,
    /// Only tests with one of these in their names.
    filter: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("arm");
    let compiler = match tools(&folder) {
        Err(error) if args.if_possible => {
            eprintln!("the Arm kernels: NOT RUN HERE: {error:#}");
            return Ok(());
        }
        tools => tools?,
    };
    // The build differs from compiler to compiler, and not from CPU to CPU.
    let build = folder.join(if compiler.is_some() { "build" } else { "build-rustup" });
    let tests: &[&str] = if args.kernels {
        &["--lib", "--test", "kernels", "--test", "selection"]
    } else {
        &["--lib", "--tests"]
    };
    for cpu in &args.cpu {
        let mut command = cargo();
        command.args(["test", "-p", "hashlanes", "--target", TARGET]).args(tests);
        command.arg("--target-dir").arg(&build).arg("--").args(&args.filter);
        if let Some(compiler) = &compiler {
            command.env("RUSTC", compiler);
        }
        let runner = format!("qemu-aarch64 -cpu {cpu} -L /usr/aarch64-linux-gnu");
        command
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER)
            .env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", &runner)
            // Tests that start themselves again need it too.
            .env("HASHLANES_RUNNER", &runner)
            .env("HASHLANES_QUICK", "1");
        eprintln!("on {cpu}:");
        announce(&mut command)?;
    }
    Ok(())
}

/// Gets the linker and the emulator, and the compiler if it is not the ordinary one.
fn tools(folder: &Path) -> Result<Option<PathBuf>> {
    let mut missing = Vec::new();
    if ![LINKER, "qemu-aarch64"].into_iter().all(setup::found) {
        setup::system_packages(false, &PACKAGES, &mut missing)?;
    }
    if !missing.is_empty() {
        bail!("missing:\n  {}", missing.join("\n  "));
    }
    if rustup_has_target() {
        return Ok(None);
    }
    if succeeds(Command::new("rustup").args(["target", "add", TARGET])) && rustup_has_target() {
        return Ok(None);
    }
    Ok(Some(compiler(folder)?))
}

/// Whether the compiler that builds this program has a standard library for Arm.
fn rustup_has_target() -> bool {
    let mut rustc = Command::new("rustc");
    let folder = output(rustc.args(["--print", "target-libdir", "--target", TARGET]));
    folder.is_ok_and(|folder| Path::new(folder.trim()).is_dir())
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
