//! What has passed since its sources changed: a cheap test of change for chores that take minutes.
//!
//! `.ci/tested` has a line for each, with git's name for the tree of its sources. A chore that
//! passes writes its line; commit it with the sources.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result};

use crate::command::{output, root, target};

const PASSED: &str = ".ci/tested";

/// Runs a test of these sources and records that it passed. With `if_changed`, it is left out if
/// the same sources have passed before.
pub(crate) fn test(
    name: &str,
    sources: &[&str],
    if_changed: bool,
    test: impl FnOnce() -> Result<()>,
) -> Result<()> {
    let line = format!("{name} {}", tree(sources)?);
    let path = root().join(PASSED);
    let passed = || fs::read_to_string(&path).with_context(|| format!("no {}", path.display()));
    if if_changed && passed()?.lines().any(|passed| passed == line) {
        println!("{name}: nothing has changed since it was tested");
        return Ok(());
    }
    test()?;
    fs::write(&path, with_line(&passed()?, name, &line))
        .with_context(|| format!("cannot write {}", path.display()))
}

/// The lines with one of them in place of the one with the same name.
fn with_line(passed: &str, name: &str, line: &str) -> String {
    let others = passed.lines().filter(|passed| passed.split(' ').next() != Some(name));
    let mut lines: Vec<_> = others.chain([line]).collect();
    lines.sort_unstable();
    lines.join("\n") + "\n"
}

/// Git's name for the tree of these files and folders as they are now.
fn tree(sources: &[&str]) -> Result<String> {
    // An index of its own, so that the user's keeps what is staged.
    let index = target().join(format!("tested-{}.index", std::process::id()));
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        output(git.current_dir(root()).env("GIT_INDEX_FILE", &index).args(arguments))
    };
    let name = git(&["read-tree", "--empty"])
        .and_then(|_| git(&[&["add", "--"], sources].concat()))
        .and_then(|_| git(&["write-tree"]));
    let _ = fs::remove_file(&index);
    Ok(name?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_takes_the_place_of_its_own_name_only() {
        let passed = with_line("a 1\nab 2\n", "a", "a 3");
        assert_eq!(passed, "a 3\nab 2\n");
        assert_eq!(with_line(&passed, "aa", "aa 4"), "a 3\naa 4\nab 2\n");
    }

    #[test]
    fn other_sources_have_another_name() {
        let name = tree(&["deny.toml"]).unwrap();
        assert_eq!(name, tree(&["deny.toml"]).unwrap());
        assert_ne!(name, tree(&["deny.toml", "rustfmt.toml"]).unwrap());
        assert!(tree(&["no such file"]).is_err());
    }
}
