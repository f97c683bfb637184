//! `cargo xtask emulate`: the tests of kernels on an emulated CPU, for instructions that this
//! machine's CPU lacks.

mod bochs;
pub(crate) mod cross;
mod guest;
pub(crate) mod wasm;
pub(crate) mod windows;

use std::path::PathBuf;

use anyhow::Result;
use clap::ValueEnum;

use crate::command::{ALL_FEATURES, built, cargo};
use bochs::Computer;
use guest::Cpu;

/// Run the library's tests of AVX-512 kernels on an emulated CPU.
///
/// The emulator (Bochs) and a kernel for it are Debian packages, which are installed if root runs
/// this. It takes several minutes.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[arg(long, value_enum, default_value_t = Machine::Avx512)]
    machine: Machine,
    /// Run only tests with one of these in their names [default: those about the machine]
    filter: Vec<String>,
    /// Do nothing if this CPU has AVX-512, since the ordinary tests have covered it
    #[arg(long)]
    if_needed: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Machine {
    /// Skylake-X, with the minimum of AVX-512 that the kernels may rely on: anything beyond is an
    /// illegal instruction
    Avx512,
    /// The same CPU, on a system that does not enable the 512-bit registers
    Avx512NotEnabled,
}

impl Machine {
    fn cpu(self) -> Cpu {
        const SKYLAKE_X: &str = "corei7_skylake_x";
        let (model, flags, unused): (_, &[&str], &[&str]) = match self {
            Self::Avx512 => {
                (SKYLAKE_X, &["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"], &[])
            }
            Self::Avx512NotEnabled => (SKYLAKE_X, &["avx2"], &["avx512f"]),
        };
        Cpu { model, flags, unused }
    }

    /// Makes tests that skip what the CPU cannot run fail instead, or requires that they skip it.
    fn sets(self) -> (&'static str, &'static str) {
        const SETS: &str = "avx512,avx512_256";
        match self {
            Self::Avx512 => ("HASHLANES_REQUIRE", SETS),
            Self::Avx512NotEnabled => ("HASHLANES_ABSENT", SETS),
        }
    }

    /// What each of the emulated machines runs, side by side. Their parts take as long as each
    /// other.
    fn filters(self) -> &'static [&'static [&'static str]] {
        match self {
            Self::Avx512 => &[&["avx512::"], &["avx512_256::", "avx512_copy::"]],
            Self::Avx512NotEnabled => &[&["avx512", "absent", "summary"]],
        }
    }
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if args.if_needed && has_avx512() {
        eprintln!("this CPU has AVX-512: nothing to emulate");
        return Ok(());
    }
    let machine = args.machine;
    // Leave out what would take long.
    let variables = [machine.sets(), ("HASHLANES_QUICK", "1")];
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    let filters: Vec<Vec<String>> = match args.filter.as_slice() {
        [] => machine.filters().iter().map(|names| owned(names)).collect(),
        given => vec![given.to_vec()],
    };
    let binary = test_binary()?;
    let computer = Computer::new()?;
    std::thread::scope(|scope| {
        let run = |filter| computer.run(&machine.cpu(), &binary, filter, &variables);
        let runs: Vec<_> = filters.iter().map(|filter| scope.spawn(move || run(filter))).collect();
        runs.into_iter().try_for_each(|run| match run.join() {
            Ok(outcome) => outcome,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })
}

/// The features that the library requires for its AVX-512 kernels.
fn has_avx512() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::is_x86_feature_detected as has;
        has!("avx512f") && has!("avx512bw") && has!("avx512dq") && has!("avx512vl")
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Builds the library's tests of kernels and returns the executable, which is the one that
/// `cargo xtask test` runs.
fn test_binary() -> Result<PathBuf> {
    built(|| {
        let mut command = cargo();
        command.args(["test", "-p", "hashlanes", "--features", ALL_FEATURES]);
        command.args(["--test", "kernels", "--no-run"]);
        command
    })
}
