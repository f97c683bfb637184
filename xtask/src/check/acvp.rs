//! `cargo xtask acvp`: NIST's ACVP vectors, and a table of what ran.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::command::{cargo, root, run as announce, target};

/// Test the library with NIST's ACVP vectors, also with messages of up to 8 GiB.
///
/// The repository has a few: the Monte Carlo tests, the large messages, and some of PBKDF2. Folders
/// with NIST's files add all that are in them; `crates/hashlanes/tests/suite/acvp.py` says in which
/// form. The table of what ran is also written to `target/acvp/ran.md`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Folders with NIST's files: checkouts of public repositories, which have tens of thousands
    folders: Vec<PathBuf>,
    /// Leave out the messages of gigabytes, which take most of the time
    #[arg(long)]
    quick: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = target().join("acvp");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut test = cargo();
    test.args(["test", "-p", "hashlanes", "--test", "suite", "acvp::", "--", "--nocapture"]);
    if !args.quick {
        test.arg("--include-ignored");
    }
    if !args.folders.is_empty() {
        let script = root().join("crates/hashlanes/tests/suite/acvp.py");
        announce(Command::new("python3").arg(script).arg(&folder).args(&args.folders))?;
        test.env("HASHLANES_ACVP", &folder);
        let mut signatures = cargo();
        signatures.args(["test", "-p", "hashlanes-slh-dsa", "acvp::"]);
        announce(signatures.env("HASHLANES_ACVP", &folder))?;
    }
    let table = table(&rows(&mut test)?);
    print!("{table}");
    let file = folder.join("ran.md");
    fs::write(&file, table).with_context(|| format!("cannot write {}", file.display()))
}

/// Runs the tests, shows what they print, and returns the rows of the table.
fn rows(test: &mut Command) -> Result<Vec<String>> {
    let mut test = test.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = test.stdout.take().context("no output of cargo")?;
    let mut rows = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        // The harness prints a test's name without an end of line before what the test prints.
        match line.find("| ") {
            Some(at) => rows.push(line[at..].to_owned()),
            None => println!("{line}"),
        }
    }
    ensure!(test.wait()?.success(), "ACVP: a vector failed");
    ensure!(!rows.is_empty(), "ACVP: no vectors ran");
    Ok(rows)
}

/// The rows sorted, with one row for all kernels that ran the same vectors.
fn table(rows: &[String]) -> String {
    let mut kernels: BTreeMap<[&str; 3], Vec<&str>> = BTreeMap::new();
    for row in rows {
        let mut cells = row.trim_matches(['|', ' ']).split(" | ");
        let mut next = || cells.next().unwrap_or_default();
        let (kind, function, cases) = (next(), next(), next());
        if cases != "0" {
            kernels.entry([function, kind, cases]).or_default().push(next());
        }
    }
    let mut table = "| function | group | vectors | kernels |\n|---|---|---|---|\n".to_owned();
    for ([function, kind, cases], names) in kernels {
        table += &format!("| {function} | {kind} | {cases} | {} |\n", names.join(", "));
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_ran_the_same_vectors_share_a_row() {
        let rows = ["| LDT | sha1 | 2 | portable |", "| LDT | sha1 | 4 | automatic |"];
        let rows = [rows[0], rows[1], "| LDT | sha1 | 2 | avx2 |", "| AFT | md5 | 0 | avx2 |"];
        let table = table(&rows.map(str::to_owned));
        let lines: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            ["| sha1 | LDT | 2 | portable, avx2 |", "| sha1 | LDT | 4 | automatic |"]
        );
    }
}
