//! `cargo xtask lint`: static checks.

use std::fs;
use std::process::Command;

use anyhow::{Result, ensure};

use crate::command::{ALL_FEATURES, PROGRAM_FEATURES, cargo, output, root, run as announce};
use crate::engines::datafusion::engines;

/// The maximum length of a line. rustfmt limits code, but neither comments nor strings.
const COLUMNS: usize = 100;

/// Sets of the library's features that have to compile, each without the default ones: one function
/// stands for all, and all other features for each.
const FEATURES: [&str; 4] = ["all", "all,alloc", "all,alloc,digest,serde,zeroize", "std,sha2"];

/// Further sets, which seldom fail where the others pass.
const MORE_FEATURES: [&str; 5] =
    ["all,std", "all,digest", "all,serde", "all,zeroize", "all,digest,serde,zeroize"];

/// The library's features with functions. Each has to compile alone, and each two together.
const FUNCTIONS: [&str; 7] = ["md5", "sha1", "sha2", "sm3", "sha3", "blake2", "blake3"];

/// Check formatting, lints and the documentation, for the library with several sets of features
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Check only formatting and the length of lines, as `.githooks/pre-commit` does
    #[arg(long)]
    pub(crate) quick: bool,
    /// Check the library also with each feature alone and with each two functions, and the
    /// documentation of packages that others compile with more features
    #[arg(long)]
    pub(crate) pairs: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    for mut cargo in [cargo(), engines()] {
        announce(cargo.args(["fmt", "--all", "--check"]))?;
    }
    let long = long_lines()?;
    ensure!(long.is_empty(), "lines over {COLUMNS} columns:\n  {}", long.join("\n  "));
    if args.quick {
        return Ok(());
    }
    let features = [ALL_FEATURES, PROGRAM_FEATURES].join(",");
    let everything = ["--workspace", "--features", &features];
    clippy(&[&everything[..], &["--all-targets"]].concat())?;
    for features in FEATURES {
        library(features)?;
    }
    // The program as the README builds it.
    clippy(&["-p", "hashlanes-cli"])?;
    doc(&everything)?;
    if args.pairs { pairs() } else { Ok(()) }
}

/// What a change seldom breaks that passes the rest.
fn pairs() -> Result<()> {
    MORE_FEATURES.into_iter().try_for_each(library)?;
    for (i, one) in FUNCTIONS.iter().enumerate() {
        library(&format!("std,{one}"))?;
        for other in &FUNCTIONS[i + 1..] {
            library(&format!("std,{one},{other}"))?;
        }
    }
    // By themselves: others of the workspace want more of the library.
    for (package, features) in
        [("hashlanes", "all"), ("hashlanes-slh-dsa", ""), ("hashlanes-measure", "")]
    {
        doc(&["-p", package, "--no-default-features", "--features", features])?;
    }
    Ok(())
}

/// Lints the library with these features only.
fn library(features: &str) -> Result<()> {
    clippy(&["-p", "hashlanes", "--no-default-features", "--features", features])
}

fn clippy(options: &[&str]) -> Result<()> {
    announce(cargo().arg("clippy").args(options).args(["--", "-D", "warnings"]))
}

fn doc(options: &[&str]) -> Result<()> {
    announce(cargo().args(["doc", "--no-deps"]).args(options).env("RUSTDOCFLAGS", "-D warnings"))
}

/// The overlong lines of Rust code that git knows, as FILE:LINE.
fn long_lines() -> Result<Vec<String>> {
    let mut long = Vec::new();
    let git = ["ls-files", "-z", "--deduplicate", "*.rs"];
    let files = output(Command::new("git").args(git).current_dir(root()))?;
    for file in files.split_terminator('\0') {
        // A file that is deleted and not committed yet has no lines.
        let text = fs::read_to_string(root().join(file)).unwrap_or_default();
        long.extend(numbers_of_long_lines(&text).map(|line| format!("{file}:{line}")));
    }
    Ok(long)
}

/// The numbers of the overlong lines, counted from 1.
fn numbers_of_long_lines(text: &str) -> impl Iterator<Item = usize> {
    let lines = text.lines().zip(1..);
    lines.filter(|(line, _)| line.chars().count() > COLUMNS).map(|(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_characters() {
        let text = ["\u{e4}".repeat(COLUMNS), "x".repeat(COLUMNS + 1)].join("\n");
        assert_eq!(numbers_of_long_lines(&text).collect::<Vec<_>>(), [2]);
    }
}
