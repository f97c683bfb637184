//! The project's chores, one module per command: `cargo xtask --help`.
//!
//! | folder | chores |
//! |---|---|
//! | `c/` | the libraries for C |
//! | `check/` | tests, lints, models and sanitizers on this machine |
//! | `emulate/` | tests for other CPUs and systems |
//! | `engines/` | the functions for query engines |
//! | `go/`, `python/`, `jvm.rs` | tests of the faces in these languages |
//! | `measure/` | benchmarks and their records |
//! | `objects.rs` | the program against object stores and their faults |
//!
//! What is published is made by a program of its own, `xtask-release` in `xtask/release/`, which is
//! compiled when one of its chores is asked for.
//!
//! A command announces what it starts and what it installs. Downloads and results are kept under
//! `target/`. The exceptions are system packages, which are installed only if root runs it, and
//! components and toolchains of rustup.

#![forbid(unsafe_code)]

mod book;
pub mod c;
mod check;
pub mod command;
mod emulate;
mod engines;
pub mod folder;
mod go;
pub mod jvm;
mod measure;
mod objects;
pub mod packages;
pub mod programs;
pub mod python;
mod s3_server;
pub mod setup;
mod tested;
mod tree;

use std::env;
use std::process::{self, ExitCode};

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};

/// The chores of hashlanes.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

/// The chores here, each with the module that has its `Args` and `run`, and those of
/// `xtask-release`, which gets their arguments as they are.
macro_rules! chores {
    (
        here { $($name:ident: $($module:ident)::+,)+ }
        published { $($(#[$doc:meta])+ $other:ident: $command:literal,)+ }
    ) => {
        #[derive(Subcommand)]
        enum Task {
            $($name($($module)::+::Args),)+
            $(
                $(#[$doc])+
                #[command(disable_help_flag = true)]
                $other(Published),
            )+
        }

        fn run(task: &Task) -> Result<()> {
            match task {
                $(Task::$name(args) => $($module)::+::run(args),)+
                $(Task::$other(args) => published($command, &args.args),)+
            }
        }
    };
}

chores! {
    here {
        Setup: setup,
        Lint: check::lint,
        Book: book,
        Test: check::test,
        Inlined: check::inlined,
        Emulate: emulate,
        Cross: emulate::cross,
        Compiles: check::compiles,
        Windows: emulate::windows,
        Wasm: emulate::wasm,
        Msrv: check::msrv,
        Miri: check::miri,
        Loom: check::loom,
        Race: check::race,
        Secrecy: check::secrecy,
        Stability: check::stability,
        Supply: check::supply,
        Fuzz: check::fuzz,
        Peers: measure::peers,
        Weight: measure::weight,
        S3Server: s3_server,
        InstallC: c::install,
        Go: go,
        GoAssembly: go::assembly,
        Jvm: jvm,
        Tree: tree,
        Objects: objects,
        Python: python,
        Engines: engines,
    }
    published {
        /// Make the packages to publish, and test their content
        Package: "package",
        /// Make Debian packages of the programs and of the libraries for C
        Deb: "deb",
        /// Build the npm package, and the page that hashes files; test and measure both
        Web: "web",
        /// Set the version everywhere
        Version: "version",
        /// Make everything that a release consists of, into `dist/`
        Release: "release",
    }
}

/// The arguments of a chore of `xtask-release`, `--help` among them.
#[derive(clap::Args)]
struct Published {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    args: Vec<String>,
}

/// Runs a chore of `xtask-release`, which is compiled first.
fn published(chore: &str, args: &[String]) -> Result<()> {
    let mut program = command::cargo();
    // In the same folder, to which a target folder may be relative.
    program.current_dir(env::current_dir()?).args(["run", "--quiet", "--manifest-path"]);
    program.arg(command::root().join("xtask/release/Cargo.toml")).args(["--", chore]).args(args);
    match program.status().context("cannot start cargo")?.code() {
        Some(0) => Ok(()),
        // It has said why.
        code => process::exit(code.unwrap_or(1)),
    }
}

/// Runs the chore that the command line asks for.
pub fn chore() -> ExitCode {
    exit_code(run(&Cli::parse().task))
}

/// Prints an error, if there is one.
pub fn exit_code(result: Result<()>) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
