//! `cargo xtask cross`: the library's tests on other emulated kinds of CPU, from a Debian machine.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::check::inlined;
use crate::command::{built, cargo, run as announce, target};
use crate::packages;
use crate::setup;

/// Run the library's tests on other emulated kinds of CPU.
///
/// The compiler's target is installed by rustup. The linkers and the emulator (qemu) are Debian
/// packages, which are installed if root runs this.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// The kinds of CPU: 64-bit and 32-bit Arm, 32-bit x86, 64-bit RISC-V, IBM Z [default: all]
    #[arg(value_parser = KINDS.map(|kind| kind.name))]
    kinds: Vec<String>,
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

/// A kind of CPU.
struct Kind {
    name: &'static str,
    /// Rust's name for the target.
    target: &'static str,
    /// Debian's name for the folder of its C library, and the prefix of its compiler.
    gnu: &'static str,
    /// Debian's name for it.
    debian: &'static str,
    emulator: &'static str,
    cpus: &'static [&'static str],
}

impl Kind {
    const fn new(
        [name, target, gnu, debian, emulator]: [&'static str; 5],
        cpus: &'static [&'static str],
    ) -> Self {
        Self { name, target, gnu, debian, emulator, cpus }
    }
}

const KINDS: [Kind; 5] = [
    Kind::new(
        ["aarch64", "aarch64-unknown-linux-gnu", "aarch64-linux-gnu", "arm64", "qemu-aarch64"],
        // With all SHA instructions, and without SHA-512. qemu has no CPU without SHA-256.
        &["max", "cortex-a53"],
    ),
    Kind::new(
        ["armv7", "armv7-unknown-linux-gnueabihf", "arm-linux-gnueabihf", "armhf", "qemu-arm"],
        &["max"],
    ),
    Kind::new(["i686", "i686-unknown-linux-gnu", "i686-linux-gnu", "i386", "qemu-i386"], &["max"]),
    Kind::new(
        ["riscv64", "riscv64gc-unknown-linux-gnu", "riscv64-linux-gnu", "riscv64", "qemu-riscv64"],
        &["max"],
    ),
    // Big-endian.
    Kind::new(
        ["s390x", "s390x-unknown-linux-gnu", "s390x-linux-gnu", "s390x", "qemu-s390x"],
        &["max"],
    ),
];

pub(crate) fn run(args: &Args) -> Result<()> {
    ensure!(args.cpu.is_empty() || args.kinds.len() == 1, "--cpu needs exactly one kind of CPU");
    let wanted = |kind: &&Kind| args.kinds.is_empty() || args.kinds.iter().any(|k| k == kind.name);
    for kind in KINDS.iter().filter(wanted) {
        match kind.get() {
            Err(error) if args.if_possible => {
                eprintln!("the tests on {}: NOT RUN HERE: {error:#}", kind.target);
            }
            got => {
                got?;
                kind.test(args)?;
            }
        }
    }
    Ok(())
}

impl Kind {
    /// Installs the compiler's target, the linker and the emulator if they are missing.
    fn get(&self) -> Result<()> {
        if ![&self.linker(), self.emulator].into_iter().all(packages::found) {
            let libc = format!("libc6-dev-{}-cross", self.debian);
            packages::require(&[&format!("gcc-{}", self.gnu), &libc, "qemu-user"])?;
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
            let tests = if args.kernels { ["--test", "kernels"] } else { ["--lib", "--tests"] };
            command.args(tests).arg("--").args(&args.filter);
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
