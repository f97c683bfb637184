//! The kinds of machines that a release has files for, and libraries compiled for them.

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};

use xtask::command::{cargo, run as announce, target};
use xtask::setup;

/// The oldest glibc that a library needs, as zig takes it.
pub(crate) const GLIBC: &str = ".2.17";

/// A kind of machine that files are made for.
pub(crate) struct Machine {
    /// Rust's name.
    pub(crate) arch: &'static str,
    /// Debian's name.
    pub(crate) debian: &'static str,
    pub(crate) musl: &'static str,
    pub(crate) gnu: &'static str,
    /// The start of the names of gcc and the binutils, and Debian's package of gcc.
    pub(crate) tools: (&'static str, &'static str),
}

pub(crate) const MACHINES: [Machine; 2] = [
    Machine {
        arch: "x86_64",
        debian: "amd64",
        musl: "x86_64-unknown-linux-musl",
        gnu: "x86_64-unknown-linux-gnu",
        tools: ("x86_64-linux-gnu-", "gcc"),
    },
    Machine {
        arch: "aarch64",
        debian: "arm64",
        musl: "aarch64-unknown-linux-musl",
        gnu: "aarch64-unknown-linux-gnu",
        tools: ("aarch64-linux-gnu-", "gcc-aarch64-linux-gnu"),
    },
];

/// Compiles a library for a target with zig, and returns its folder.
pub(crate) fn library(
    package: &str,
    profile: &str,
    triple: &str,
    glibc: &str,
    flags: &str,
) -> Result<PathBuf> {
    setup::rust_target(triple)?;
    let inherited = env::var("CARGO_ENCODED_RUSTFLAGS").context("it is set at the start")?;
    let flags = [&*inherited, flags].join("\u{1f}");
    let mut command = cargo();
    command.args(["zigbuild", "--locked", "--package", package, "--profile", profile]);
    command.args(["--target", &format!("{triple}{glibc}")]);
    announce(command.env("CARGO_ENCODED_RUSTFLAGS", flags.trim_end_matches('\u{1f}')))?;
    Ok(target().join(triple).join(profile))
}
