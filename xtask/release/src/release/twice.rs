//! Whether the same commit gives the same bytes in another folder, at another time.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};

use super::statement::SUMS;
use xtask::command::{RELEASE, cargo, root, run as announce, succeeds, target};
use xtask::folder::remove;

/// Makes the release again in a clone, and prints a table of both.
pub(super) fn compare(dist: &Path, only: &[String]) -> Result<()> {
    let clone = target().join("again/in-a-folder-with-another-name");
    remove(&clone)?;
    let mut git = Command::new("git");
    announce(git.args(["clone", "--quiet", "--shared"]).arg(root()).arg(&clone))?;
    // With another umask and, where it may be changed, another name of the machine.
    let rename = ["--uts", "sh", "-c", "hostname elsewhere && exec \"$@\"", "sh"];
    let mut again = Command::new("sh");
    again.args(["-c", "umask 077 && exec \"$@\"", "sh"]);
    if succeeds(Command::new("unshare").args(["--uts", "true"])) {
        again.arg("unshare").args(rename);
    }
    again.arg(cargo().get_program()).args(["xtask", "release"]);
    again.args(only.iter().flat_map(|kind| ["--only", kind]));
    for variable in [RELEASE, "CARGO_TARGET_DIR", "CARGO_ENCODED_RUSTFLAGS"] {
        again.env_remove(variable);
    }
    announce(again.current_dir(&clone))?;
    let different = table(dist, &digests(dist)?, &digests(&clone.join("dist"))?)?;
    ensure!(different.is_empty(), "different the second time: {}", different.join(", "));
    Ok(())
}

/// The digest of each file, by its name.
fn digests(dist: &Path) -> Result<BTreeMap<String, String>> {
    let sums = fs::read_to_string(dist.join(SUMS))?;
    let pairs = sums.lines().filter_map(|line| line.split_once("  "));
    Ok(pairs.map(|(digest, name)| (name.to_owned(), digest.to_owned())).collect())
}

/// Prints the table, and returns the names of files that differ.
fn table(
    dist: &Path,
    first: &BTreeMap<String, String>,
    second: &BTreeMap<String, String>,
) -> Result<Vec<String>> {
    println!("\n| file | bytes | SHA-256 | made twice |\n|---|---:|---|---|");
    let mut different = Vec::new();
    for (name, digest) in first {
        let same = second.get(name) == Some(digest);
        let size = fs::metadata(dist.join(name))?.len();
        println!("| `{name}` | {size} | `{digest}` | {} |", if same { "equal" } else { "NO" });
        if !same {
            different.push(name.clone());
        }
    }
    different.extend(second.keys().filter(|name| !first.contains_key(*name)).cloned());
    Ok(different)
}
