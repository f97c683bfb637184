//! The examples of pages in `docs/`: those of a page are run one after the other in one folder.

use std::env;
use std::ffi::OsStr;
use std::path::Path;

use crate::common::*;

/// The lines of all blocks of this kind.
fn blocks<'t>(text: &'t str, kind: &str) -> Vec<&'t str> {
    let mut lines = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if let Some(begun) = line.strip_prefix("```") {
            is_inside = begun == kind;
        } else if is_inside {
            lines.push(line);
        }
    }
    lines
}

/// Programs that need not be there, each with an option that shows that it is.
const OPTIONAL: [(&str, &str); 3] =
    [("hashdeep", "-V"), ("fsverity", "--version"), ("veritysetup", "--version")];

/// Whether a command is of a program that is not there.
fn lacks_program(command: &str, path: &OsStr) -> bool {
    let optional = OPTIONAL.into_iter().find(|(program, _)| {
        command.strip_prefix(program).is_some_and(|rest| rest.starts_with(' '))
    });
    optional.is_some_and(|(program, option)| {
        peer("env").arg(program).arg(option).env("PATH", path).output().is_ok_and(|output| {
            // `env` says 127 of a program that is not there.
            output.status.code() == Some(127)
        })
    })
}

#[test]
fn the_examples_of_the_page_about_manifests_give_what_it_shows() {
    compare("manifests.md", 20);
}

#[test]
fn the_examples_of_the_page_about_trees_give_what_it_shows() {
    compare("trees.md", 20);
}

/// Runs the examples of a page. There are at least so many.
fn compare(page: &str, least: usize) {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(page);
    let Ok(text) = std::fs::read_to_string(page) else {
        eprintln!("left out: the page is not in the package");
        return;
    };
    let program = Path::new(env!("CARGO_BIN_EXE_hashlanes")).parent().unwrap();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::split_paths(&path);
    // `veritysetup` is where only root looks.
    let path = [program.to_owned()].into_iter().chain(path).chain(["/usr/sbin".into()]);
    let path = env::join_paths(path).unwrap();
    let dir = Dir::new();
    let lines = blocks(&text, "console");
    let begins: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("$ "))
        .map(|(i, _)| i)
        .collect();
    assert!(begins.len() >= least);
    for (n, &begin) in begins.iter().enumerate() {
        let end = begins.get(n + 1).copied().unwrap_or(lines.len());
        let command = &lines[begin][2..];
        if lacks_program(command, &path) {
            eprintln!("left out: {command}");
            continue;
        }
        let mut shell = dir.peer("bash", &["-c", &format!("exec 2>&1; {command}")]);
        let output = run(shell.env("PATH", &path).env_remove("HASHLANES_KERNEL"));
        let shown: String = lines[begin + 1..end].iter().map(|line| format!("{line}\n")).collect();
        assert_same(&output.stdout, shown.as_bytes(), command);
    }
}
