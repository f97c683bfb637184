//! The examples of `docs/manifests.md`, run one after the other in one folder.

#![cfg(unix)]

mod common;

use std::env;
use std::path::Path;

use common::*;

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

#[test]
fn the_examples_of_the_page_about_manifests_give_what_it_shows() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manifests.md");
    let Ok(text) = std::fs::read_to_string(page) else {
        eprintln!("left out: the page is not in the package");
        return;
    };
    let program = Path::new(env!("CARGO_BIN_EXE_hashlanes")).parent().unwrap();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::split_paths(&path);
    let path = env::join_paths([program.to_owned()].into_iter().chain(path)).unwrap();
    let dir = Dir::new();
    let lines = blocks(&text, "console");
    let begins: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("$ "))
        .map(|(i, _)| i)
        .collect();
    assert!(begins.len() > 20);
    for (n, &begin) in begins.iter().enumerate() {
        let end = begins.get(n + 1).copied().unwrap_or(lines.len());
        let command = &lines[begin][2..];
        if command.starts_with("hashdeep ") && peer("hashdeep").arg("-V").output().is_err() {
            eprintln!("left out: there is no hashdeep");
            continue;
        }
        let mut shell = dir.peer("bash", &["-c", &format!("exec 2>&1; {command}")]);
        let output = run(shell.env("PATH", &path).env_remove("HASHLANES_KERNEL"));
        let shown: String = lines[begin + 1..end].iter().map(|line| format!("{line}\n")).collect();
        assert_same(&output.stdout, shown.as_bytes(), command);
    }
}
