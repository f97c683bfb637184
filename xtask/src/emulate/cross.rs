//! `cargo xtask cross`: the library's tests on other emulated kinds of CPU, from a Debian machine.

use std::process::Command;

use anyhow::{Result, ensure};
use clap::ValueEnum;

use crate::check::inlined;
use crate::check::test::library_tests;
use crate::command::{built, cargo, run as announce, target};
use crate::packages;
use crate::setup;

/// Run the library's tests on other emulated kinds of CPU.
///
/// The compiler's target is installed by rustup. The linkers and the emulator (qemu) are Debian
/// packages, which are installed if root runs this.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The kinds of CPU [default: all]
    #[arg(value_enum)]
    kinds: Vec<Kind>,
    /// The CPUs to emulate, by their names in qemu, for a single kind [default: those for which
    /// different kernels are chosen]
    #[arg(long, value_delimiter = ',')]
    cpu: Vec<String>,
    /// Run only the tests that depend on the CPU: of each kernel, and of the choice between them
    #[arg(long)]
    kernels: bool,
    /// If the compiler, the linker or the emulator is unavailable, report that and succeed
    #[arg(long)]
    if_possible: bool,
    /// Run only tests with one of these in their names
    #[arg(last = true)]
    filter: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// 64-bit Arm.
    Aarch64,
    /// 32-bit Arm.
    Armv7,
    /// 32-bit x86.
    I686,
    /// 64-bit RISC-V.
    Riscv64,
    /// IBM Z: big-endian.
    S390x,
}

/// What a kind of CPU requires.
struct Tools {
    /// Rust's name for the target.
    target: &'static str,
    /// Debian's name for the folder of its C library, and the prefix of its compiler.
    gnu: &'static str,
    /// The Debian package of its C library.
    libc: &'static str,
    emulator: &'static str,
    cpus: &'static [&'static str],
}

impl Kind {
    fn tools(self) -> Tools {
        let (target, gnu, libc, emulator, cpus): (_, _, _, _, &[_]) = match self {
            Self::Aarch64 => (
                "aarch64-unknown-linux-gnu",
                "aarch64-linux-gnu",
                "libc6-dev-arm64-cross",
                "qemu-aarch64",
                // With all SHA instructions, and without SHA-512. qemu has no CPU without SHA-256.
                &["max", "cortex-a53"],
            ),
            Self::Armv7 => (
                "armv7-unknown-linux-gnueabihf",
                "arm-linux-gnueabihf",
                "libc6-dev-armhf-cross",
                "qemu-arm",
                &["max"],
            ),
            Self::I686 => (
                "i686-unknown-linux-gnu",
                "i686-linux-gnu",
                "libc6-dev-i386-cross",
                "qemu-i386",
                &["max"],
            ),
            Self::Riscv64 => (
                "riscv64gc-unknown-linux-gnu",
                "riscv64-linux-gnu",
                "libc6-dev-riscv64-cross",
                "qemu-riscv64",
                &["max"],
            ),
            Self::S390x => (
                "s390x-unknown-linux-gnu",
                "s390x-linux-gnu",
                "libc6-dev-s390x-cross",
                "qemu-s390x",
                &["max"],
            ),
        };
        Tools { target, gnu, libc, emulator, cpus }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let kinds = if args.kinds.is_empty() { Kind::value_variants() } else { &args.kinds };
    ensure!(args.cpu.is_empty() || kinds.len() == 1, "--cpu needs exactly one kind of CPU");
    for kind in kinds {
        let tools = kind.tools();
        match tools.get() {
            Err(error) if args.if_possible => {
                eprintln!("the tests on {}: NOT RUN HERE: {error:#}", tools.target);
            }
            got => {
                got?;
                tools.test(args)?;
            }
        }
    }
    Ok(())
}

impl Tools {
    /// Installs the compiler's target, the linker and the emulator if they are missing.
    fn get(&self) -> Result<()> {
        if ![&self.linker(), self.emulator].into_iter().all(packages::found) {
            let packages = [&format!("gcc-{}", self.gnu), self.libc, "qemu-user"];
            packages::require(&packages)?;
        }
        setup::rust_target(self.target)
    }

    fn linker(&self) -> String {
        format!("{}-gcc", self.gnu)
    }

    fn test(&self, args: &Args) -> Result<()> {
        let cpus: Vec<&str> = match args.cpu.as_slice() {
            [] => self.cpus.to_vec(),
            given => given.iter().map(String::as_str).collect(),
        };
        let kernels = built(|| {
            let mut command = self.cargo_test();
            command.args(["--no-run", "--test", "kernels"]);
            command
        })?;
        inlined::check_executable(&kernels, inlined::LIBRARY)?;
        for cpu in cpus {
            let mut command = self.cargo_test();
            command.args(library_tests(args.kernels)).arg("--").args(&args.filter);
            let runner = format!("{} -cpu {cpu} -L /usr/{}", self.emulator, self.gnu);
            command
                .env(self.setting("RUNNER"), &runner)
                // Tests that start themselves again need it, too.
                .env("HASHLANES_RUNNER", &runner)
                .env("HASHLANES_QUICK", "1");
            eprintln!("{} on {cpu}:", self.target);
            announce(&mut command)?;
        }
        Ok(())
    }

    fn cargo_test(&self) -> Command {
        let mut command = cargo();
        command
            .args(["test", "-p", "hashlanes", "--target", self.target, "--target-dir"])
            .arg(target().join("cross"))
            .env(self.setting("LINKER"), self.linker());
        command
    }

    /// The name of the environment variable for a setting of the target.
    fn setting(&self, name: &str) -> String {
        format!("CARGO_TARGET_{}_{name}", self.target.to_uppercase().replace('-', "_"))
    }
}
