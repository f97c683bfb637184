//! What was made: digests, and a statement of how it was made.
//!
//! The statement has the form of in-toto and the fields of SLSA's provenance. It is not signed:
//! whoever publishes signs it, or the forge, which knows who started the build.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::command::{output, root};

/// The digests of all files.
pub(super) const SUMS: &str = "SHA256SUMS";

/// How it was made, as a line of JSON.
const STATEMENT: &str = "provenance.intoto.jsonl";

/// Writes both. The digests are by our own program, if it was made, or else by sha256sum.
pub(super) fn write(dist: &Path, program: Option<&Path>) -> Result<()> {
    let subjects = sums(dist, program)?;
    let text = statement(&subjects)?.to_string();
    fs::write(dist.join(STATEMENT), format!("{text}\n"))?;
    fs::write(dist.join(SUMS), sums(dist, program)?)?;
    print!("{}", fs::read_to_string(dist.join(SUMS))?);
    Ok(())
}

/// A manifest of the files in a folder, in the order of their names.
fn sums(dist: &Path, program: Option<&Path>) -> Result<String> {
    let entries = fs::read_dir(dist)?.map(|entry| Ok(entry?.file_name()));
    let mut names = entries.collect::<Result<Vec<_>>>()?;
    names.sort();
    let mut command = match program {
        Some(program) => Command::new(program),
        None => Command::new("sha256sum"),
    };
    command.args(program.map(|_| "sum"));
    output(command.args(names).current_dir(dist))
}

fn statement(sums: &str) -> Result<Value> {
    let subject = |line: &str| {
        let (digest, name) = line.split_once("  ").with_context(|| line.to_owned())?;
        Ok(json!({ "name": name, "digest": { "sha256": digest } }))
    };
    let subjects = sums.lines().map(subject).collect::<Result<Vec<_>>>()?;
    let git = |options: &[&str]| output(Command::new("git").args(options).current_dir(root()));
    let commit = git(&["rev-parse", "HEAD"])?;
    let compiler = output(Command::new("rustc").arg("--version"))?;
    let zig = output(Command::new("python3").args(["-m", "ziglang", "version"]))?;
    Ok(json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:hashlanes:cargo-xtask-release",
                "externalParameters": { "commit": commit.trim() },
                "resolvedDependencies": [
                    { "name": "hashlanes", "digest": { "gitCommit": commit.trim() } },
                    { "name": "rustc", "annotations": { "version": compiler.trim() } },
                    { "name": "zig", "annotations": { "version": zig.trim() } },
                ],
            },
            "runDetails": { "builder": { "id": "urn:hashlanes:maintainer" } },
        },
    }))
}
