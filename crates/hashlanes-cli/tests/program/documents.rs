//! The commands in the README files and in the guide, `docs/guide`: those of a page are run one
//! after the other in one folder, which is empty at first.

use std::env;
use std::ffi::OsStr;
use std::fs;
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

/// The pages of the guide. An unpacked package has none, since it is not in the repository.
fn pages() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide");
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths
        .filter(|path| path.extension() == Some(OsStr::new("md")))
        .filter(|path| cfg!(feature = "slh-dsa") || !path.ends_with("slh-dsa.md"))
        .map(|path| {
            let name = path.file_name().expect("it has one").to_string_lossy().into_owned();
            (name, fs::read_to_string(&path).expect("it can be read"))
        })
        .collect()
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let pages = pages();
    let commands: usize = pages.iter().map(|(page, text)| compare(page, text, Shown::All)).sum();
    assert!(pages.is_empty() || commands > 50, "{commands} commands");
}

/// README files show commands with a comment each and no output.
#[test]
fn the_commands_of_the_readme_files_succeed() {
    for path in ["README.md", "../../README.md"] {
        let Ok(text) = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)) else {
            // An unpacked package is not in the repository.
            assert_ne!(path, "README.md");
            continue;
        };
        let commands = compare(path, &text, Shown::Nothing);
        assert!(commands > 5, "{path}: {commands} commands");
    }
}

/// The commands whose output the guide does not show have options that exist. `--help` at the end
/// keeps them from doing anything.
#[test]
#[cfg(all(feature = "lab", feature = "objects"))]
fn the_programs_know_the_options_in_the_guide() {
    let pages = pages();
    let mut known = 0;
    for (page, text) in &pages {
        for line in blocks(text, "sh") {
            let command = [("hashlanes ", hashlanes()), ("hashlanes-lab ", lab())]
                .into_iter()
                .find_map(|(name, command)| Some((line.split_once(name)?.1, command)));
            let Some((arguments, mut program)) = command else { continue };
            let arguments = arguments.split("  ").next().unwrap_or_default().split(' ');
            let arguments = arguments.map(|word| word.trim_matches('\''));
            let output = run(program.args(arguments).arg("--help"));
            assert!(output.status.success(), "{page}: {line}\n{}", lossy(&output.stderr));
            known += 1;
        }
    }
    assert!(pages.is_empty() || known > 15, "{known} commands");
}

/// The jobs for cron, with the folders of a test.
#[test]
fn the_jobs_of_the_guide_are_silent_while_all_is_well() {
    let Some((_, text)) = pages().into_iter().find(|(page, _)| page == "files.md") else { return };
    let dir = Dir::new();
    let program = Path::new(env!("CARGO_BIN_EXE_hashlanes"));
    let old = |bytes: &[u8]| {
        dir.file("srv/a", bytes);
        ok(&mut dir.peer("touch", &["-d", "2025-12-24", "srv/a"]));
    };
    old(b"good");
    let jobs = blocks(&text, "crontab").into_iter().filter(|line| !line.starts_with("MAILTO"));
    let jobs: Vec<String> = jobs
        .map(|line| {
            let command = line.split_once("cd / && ").unwrap().1.replace("\\%", "%");
            command.replace("/var/lib/", "").replace("hashlanes", program.to_str().unwrap())
        })
        .collect();
    assert_eq!(jobs.len(), 3);
    let run = |job: &String| run(&mut dir.peer("sh", &["-c", &format!("exec 2>&1; {job}")]));
    for job in jobs.iter().chain(&jobs) {
        let output = run(job);
        assert_eq!((lossy(&output.stdout), output.status.code()), (String::new(), Some(0)));
    }
    old(b"gooe");
    let output = run(&jobs[2]);
    assert!(lossy(&output.stdout).contains("srv/a: damaged\n"), "{}", lossy(&output.stdout));
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn the_units_of_the_guide_are_those_of_systemd() {
    let Some((_, text)) = pages().into_iter().find(|(page, _)| page == "files.md") else { return };
    let dir = Dir::new();
    let mut unit = String::new();
    let mut units = Vec::new();
    for line in blocks(&text, "ini").into_iter().chain(["# end"]) {
        if let Some(path) = line.strip_prefix("# ") {
            let name = path.rsplit('/').next().unwrap().to_owned();
            if let Some(previous) = units.last() {
                dir.file(previous, std::mem::take(&mut unit).as_bytes());
            }
            units.push(name);
        } else {
            let program = env!("CARGO_BIN_EXE_hashlanes");
            unit += &(line.replace("/usr/bin/hashlanes", program) + "\n");
        }
    }
    units.pop();
    assert_eq!(units, ["scrub.service", "scrub.timer"]);
    if peer("systemd-analyze").arg("--version").output().is_err() {
        return leave_out("the units, since there is no systemd-analyze");
    }
    let mut verify = dir.peer("systemd-analyze", &["verify", "--man=no"]);
    let output = run(verify.args(units.iter().map(|unit| dir.at(unit))));
    let told = lossy(&output.stderr);
    assert!(output.status.success() && !told.contains("scrub."), "{told}");
}

/// What a page shows of the output of its commands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    All,
    Nothing,
}

/// Runs the commands of a page in one folder, and returns their number. All have to succeed: one
/// that fails ends in `; echo "status $?"` on the page.
fn compare(page: &str, text: &str, shown: Shown) -> usize {
    let program = Path::new(env!("CARGO_BIN_EXE_hashlanes")).parent().unwrap();
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::split_paths(&path);
    // `veritysetup` is where only root looks.
    let path = [program.to_owned()].into_iter().chain(path).chain(["/usr/sbin".into()]);
    let path = env::join_paths(path).unwrap();
    let dir = Dir::new();
    let lines = blocks(text, "console");
    let begins: Vec<usize> = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| line.starts_with("$ "))
        .map(|(i, _)| i)
        .collect();
    for (n, &begin) in begins.iter().enumerate() {
        let end = begins.get(n + 1).copied().unwrap_or(lines.len());
        let command = &lines[begin][2..];
        if lacks_program(command, &path) {
            eprintln!("left out: {command}");
            continue;
        }
        let mut shell = dir.peer("bash", &["-c", &format!("exec 2>&1; {command}")]);
        let output = run(shell.env("PATH", &path).env_remove("HASHLANES_KERNEL"));
        let lines = lines[begin + 1..end].iter().map(|line| format!("{line}\n"));
        let lines: String = lines.collect();
        if shown == Shown::All {
            assert_same(&output.stdout, lines.as_bytes(), &format!("{page}: {command}"));
        }
        assert!(output.status.success(), "{page}: {command}\n{}", lossy(&output.stdout));
    }
    begins.len()
}

/// The options and the guide have the formats of one table.
#[test]
fn the_guide_has_every_format() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/manifests.md");
    let guide = fs::read_to_string(path).unwrap();
    let help = lossy(&ok(hashlanes().args(["check", "--help"])));
    for about in &hashlanes_files::manifest::FORMATS {
        let row = format!("| `{}` | {} | `{}` |\n", about.name, about.title, about.example);
        assert!(guide.contains(&row), "{row}");
        assert!(help.contains(about.title), "{}", about.title);
    }
}
