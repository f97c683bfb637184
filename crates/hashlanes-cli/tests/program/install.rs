//! Completions and the manual: generated from the options, and understood by shells and `man`.

use std::fs;
use std::process::Command;

use crate::common::*;

/// How bash completes the last word of a command line.
fn bash_completes(dir: &Dir, words: &[&str]) -> Vec<String> {
    let script = "\
        . ./hashlanes.bash
        COMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))
        _hashlanes \"$1\" \"${!#}\" \"${COMP_WORDS[COMP_CWORD - 1]}\"
        echo \"${COMPREPLY[@]}\"";
    let output = ok(dir.peer("bash", &["-c", script, "bash"]).args(words));
    lossy(&output).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn shells_accept_their_completions() {
    let dir = Dir::new();
    let output = ok(&mut dir.hashlanes(&["install-completions", "--dir", "."]));
    let files: Vec<String> = lossy(&output).lines().map(str::to_owned).collect();
    assert_eq!(files.len(), 5);
    for file in &files {
        let text = lossy(&fs::read(dir.at(file)).unwrap());
        for word in ["ignore-missing", "files-from", "install-completions"] {
            assert!(text.contains(word), "{file}: {word}");
        }
    }
    assert_eq!(bash_completes(&dir, &["hashlanes", "che"]), ["check"]);
    assert_eq!(bash_completes(&dir, &["hashlanes", "check", "--rep"]), ["--report"]);
    assert_eq!(bash_completes(&dir, &["hashlanes", "sum", "--format", "hash"]), ["hashdeep"]);
    for (shell, flag) in [("zsh", "-n"), ("fish", "--no-execute")] {
        let file = if shell == "zsh" { "_hashlanes" } else { "hashlanes.fish" };
        if Command::new(shell).arg("--version").output().is_ok() {
            ok(&mut dir.peer(shell, &[flag, file]));
        } else {
            eprintln!("left out: there is no {shell}");
        }
    }
}

#[test]
fn completions_go_where_the_shell_looks() {
    let dir = Dir::new();
    let install = |variables: &[(&str, &str)], arguments: &[&str]| {
        let mut command = dir.hashlanes(&["install-completions"]);
        for variable in ["SHELL", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env_remove(variable);
        }
        command.env("HOME", dir.path()).envs(variables.iter().copied());
        run(command.args(arguments))
    };
    let bash = ".local/share/bash-completion/completions/hashlanes";
    assert!(install(&[("SHELL", "/bin/bash")], &[]).status.success());
    assert!(dir.at(bash).is_file());
    assert!(install(&[], &["--shell", "fish", "--shell", "zsh"]).status.success());
    assert!(dir.at(".config/fish/completions/hashlanes.fish").is_file());
    assert!(dir.at(".local/share/zsh/site-functions/_hashlanes").is_file());
    let data = dir.at("data");
    let xdg = ("XDG_DATA_HOME", data.to_str().unwrap());
    assert!(install(&[("SHELL", "bash"), xdg], &[]).status.success());
    assert!(data.join("bash-completion/completions/hashlanes").is_file());
    let output = install(&[("SHELL", "/bin/tcsh")], &[]);
    assert!(lossy(&output.stderr).contains("SHELL does not name a known shell"));
    assert_eq!(output.status.code(), Some(1));
    dir.file("file", b"");
    assert_eq!(install(&[], &["--dir", "file"]).status.code(), Some(1));
}

#[test]
fn every_option_is_in_the_manual() {
    let dir = Dir::new();
    let pages = lossy(&ok(&mut dir.hashlanes(&["man", "man1"])));
    let help = lossy(&ok(&mut dir.hashlanes(&["--help"])));
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|command| *command != "help")
        .collect();
    assert!(commands.len() >= 8, "{help}");
    assert_eq!(pages.lines().count(), commands.len() + 1);
    for command in commands {
        let path = format!("man1/hashlanes-{command}.1");
        let page = lossy(&fs::read(dir.at(&path)).unwrap()).replace("\\-", "-");
        let help = lossy(&ok(&mut dir.hashlanes(&[command, "--help"])));
        let words = help.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        for option in words.filter(|word| word.starts_with("--") && word.len() > 3) {
            assert!(page.contains(option), "{command} {option}");
        }
        // It is a valid page: the formatter reports no problem.
        match dir.peer("man", &["--warnings", "-l", &path]).env("MANPAGER", "cat").output() {
            Ok(output) => {
                assert!(output.status.success());
                assert_eq!(lossy(&output.stderr), "", "{path}");
                assert!(lossy(&output.stdout).contains("SYNOPSIS"));
            }
            Err(_) => eprintln!("left out: there is no man"),
        }
    }
}
