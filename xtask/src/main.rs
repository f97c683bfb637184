//! The project's chores, one module per command: `cargo xtask --help`.
//!
//! | folder | chores |
//! |---|---|
//! | `check/` | tests, lints, models and sanitizers on this machine |
//! | `emulate/` | tests for other CPUs and systems |
//! | `engines/` | the functions for query engines |
//! | `go/`, `python/` | tests of the faces in these languages |
//! | `measure/` | benchmarks and their records |
//! | `objects/` | the program against object stores and their faults |
//! | `package/` | what is published and installed |
//! | `release/` | all files of a release at once |
//!
//! A command announces what it starts and what it installs. Downloads and results are kept under
//! `target/`. The exceptions are system packages, which are installed only if root runs it, and
//! components and toolchains of rustup.

#![forbid(unsafe_code)]

mod book;
mod check;
mod command;
mod emulate;
mod engines;
mod go;
mod measure;
mod objects;
mod package;
mod packages;
mod python;
mod release;
mod s3_server;
mod setup;
mod tree;
mod version;
mod web;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use check::{
    acvp, compiles, fuzz, inlined, lint, loom, miri, msrv, race, race_c, secrecy, stability,
    supply, test,
};
use emulate::{cross, wasm, windows};
use measure::{peers, record, records, weight};
use package::{install_c, system};

/// The chores of hashlanes.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    Setup(setup::Args),
    Lint(lint::Args),
    Book(book::Args),
    Test(test::Args),
    Inlined(inlined::Args),
    Emulate(emulate::Args),
    Cross(cross::Args),
    Compiles(compiles::Args),
    Windows(windows::Args),
    Wasm(wasm::Args),
    Web(web::Args),
    Msrv(msrv::Args),
    Package(package::Args),
    Acvp(acvp::Args),
    Miri(miri::Args),
    Loom(loom::Args),
    Race(race::Args),
    RaceC(race_c::Args),
    Secrecy(secrecy::Args),
    Stability(stability::Args),
    Supply(supply::Args),
    Fuzz(fuzz::Args),
    Peers(peers::Args),
    Record(record::Args),
    Records(records::Args),
    Weight(weight::Args),
    S3Server(s3_server::Args),
    InstallC(install_c::Args),
    Deb(system::Args),
    Version(version::Args),
    Release(release::Args),
    Go(go::Args),
    Tree(tree::Args),
    Objects(objects::Args),
    Python(python::Args),
    Engines(engines::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().task {
        Task::Setup(args) => setup::run(&args),
        Task::Lint(args) => lint::run(&args),
        Task::Book(args) => book::run(&args),
        Task::Test(args) => test::run(&args),
        Task::Inlined(args) => inlined::run(&args),
        Task::Emulate(args) => emulate::run(&args),
        Task::Cross(args) => cross::run(&args),
        Task::Compiles(args) => compiles::run(&args),
        Task::Windows(args) => windows::run(&args),
        Task::Wasm(args) => wasm::run(&args),
        Task::Web(args) => web::run(&args),
        Task::Msrv(args) => msrv::run(&args),
        Task::Package(args) => package::run(&args),
        Task::Acvp(args) => acvp::run(&args),
        Task::Miri(args) => miri::run(&args),
        Task::Loom(args) => loom::run(&args),
        Task::Race(args) => race::run(&args),
        Task::RaceC(args) => race_c::run(&args),
        Task::Secrecy(args) => secrecy::run(&args),
        Task::Stability(args) => stability::run(&args),
        Task::Supply(args) => supply::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Peers(args) => peers::run(&args),
        Task::Record(args) => record::run(&args),
        Task::Records(args) => records::run(&args),
        Task::Weight(args) => weight::run(&args),
        Task::S3Server(args) => s3_server::run(&args),
        Task::InstallC(args) => install_c::run(&args),
        Task::Deb(args) => system::run(&args),
        Task::Version(args) => version::run(&args),
        Task::Release(args) => release::run(&args),
        Task::Go(args) => go::run(&args),
        Task::Tree(args) => tree::run(&args),
        Task::Objects(args) => objects::run(&args),
        Task::Python(args) => python::run(&args),
        Task::Engines(args) => engines::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cargo xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
