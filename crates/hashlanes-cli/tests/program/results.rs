//! Output for machines: objects, exit statuses, summaries, metrics, lines of progress.

use std::fs;

use serde_json::Value;

use crate::common::*;

/// A manifest of four files, one of which is changed, one is missing and one is a directory.
fn directory() -> Dir {
    let dir = Dir::new();
    for name in ["good", "bad", "gone", "folder"] {
        dir.file(name, name.as_bytes());
    }
    let names = ["sum", "good", "bad", "gone", "folder"];
    dir.file("SUMS", &ok(&mut dir.hashlanes(&names)));
    dir.file("bad", b"changed");
    fs::remove_file(dir.at("gone")).unwrap();
    fs::remove_file(dir.at("folder")).unwrap();
    fs::create_dir(dir.at("folder")).unwrap();
    dir
}

fn objects(text: &[u8]) -> Vec<Value> {
    lossy(text).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn check_prints_an_object_for_each_file_and_a_summary() {
    let dir = directory();
    let output = run(&mut dir.hashlanes(&["check", "--json", "SUMS"]));
    assert_eq!(output.status.code(), Some(1));
    let objects = objects(&output.stdout);
    let paths_and_states: Vec<_> = objects[..4]
        .iter()
        .map(|object| (object["path"].as_str().unwrap(), object["status"].as_str().unwrap()))
        .collect();
    let expected =
        [("good", "ok"), ("bad", "differs"), ("gone", "missing"), ("folder", "unreadable")];
    assert_eq!(paths_and_states, expected);
    assert!(objects[..4].iter().all(|object| object["algorithm"] == "sha256"));
    assert!(objects[0]["reason"].is_null() && objects[2]["reason"].is_string());
    let summary = &objects[4]["summary"];
    for (name, count) in
        [("files", 4), ("ok", 1), ("differs", 1), ("missing", 1), ("unreadable", 1), ("errors", 3)]
    {
        assert_eq!(summary[name], count, "{name}");
    }
    assert_eq!(summary["bytes"], 11);
    assert!(summary["seconds"].is_number() && summary["bytes_per_second"].is_number());
    let output = run(&mut dir.hashlanes(&["check", "--json", "--quiet", "SUMS"]));
    assert_eq!(lossy(&output.stdout).lines().count(), 4);
}

#[test]
fn exit_statuses_tell_what_differs_from_what_cannot_be_read() {
    let dir = directory();
    let sums = lossy(&fs::read(dir.at("SUMS")).unwrap());
    for (names, status) in [
        (&["good"][..], 0),
        (&["good", "bad"], 1),
        (&["good", "gone"], 3),
        (&["folder"], 3),
        (&["bad", "gone", "folder"], 1),
    ] {
        let lines = sums.lines().filter(|line| names.iter().any(|name| line.ends_with(name)));
        dir.file("some", lines.collect::<Vec<_>>().join("\n").as_bytes());
        let output = run(&mut dir.hashlanes(&["check", "some"]));
        assert_eq!(output.status.code(), Some(status), "{names:?}");
    }
    assert_eq!(run(&mut dir.hashlanes(&["check", "missing"])).status.code(), Some(1));
}

#[test]
fn a_summary_is_printed_on_request() {
    let dir = directory();
    let output = run(&mut dir.hashlanes(&["check", "--status", "--summary", "SUMS"]));
    let text = lossy(&output.stderr);
    let counts =
        "4 files (1 ok, 1 differs, 0 damaged, 1 missing, 1 unreadable, 0 left out), 11 B in ";
    assert!(text.contains(counts), "{text}");
    let output = run(&mut dir.hashlanes(&["sum", "--summary", "good", "gone"]));
    let text = lossy(&output.stderr);
    let counts =
        "2 files (1 ok, 0 differs, 0 damaged, 0 missing, 1 unreadable, 0 left out), 4 B in ";
    assert!(text.contains(counts), "{text}");
}

#[test]
fn metrics_are_replaced_and_keep_the_latest_success() {
    let dir = directory();
    dir.file("good-sums", &ok(&mut dir.hashlanes(&["sum", "good"])));
    let metrics = |manifest: &str| {
        run(&mut dir.hashlanes(&["check", "--metrics", "night.prom", manifest]));
        lossy(&fs::read(dir.at("night.prom")).unwrap())
    };
    let never = metrics("SUMS");
    for line in [
        "hashlanes_files_total{command=\"check\",run=\"night\",status=\"differs\"} 1\n",
        "hashlanes_bytes_total{command=\"check\",run=\"night\"} 11\n",
        "hashlanes_errors_total{command=\"check\",run=\"night\"} 3\n",
        "# TYPE hashlanes_duration_seconds gauge\n",
    ] {
        assert!(never.contains(line), "{never}");
    }
    let success = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("hashlanes_last_success"));
        line.map(str::to_owned)
    };
    assert_eq!(success(&never), None);
    let good = metrics("good-sums");
    assert!(good.contains("hashlanes_errors_total{command=\"check\",run=\"night\"} 0\n"));
    assert!(success(&good).is_some());
    assert_eq!(success(&metrics("SUMS")), success(&good));
    assert!(!good.contains("good"), "no names of files");
    let rest = fs::read_dir(dir.path()).unwrap().flatten();
    assert_eq!(
        rest.filter(|e| lossy(e.file_name().as_encoded_bytes()).contains("night")).count(),
        1
    );
    let output = run(&mut dir.hashlanes(&["check", "--metrics", "none/x.prom", "good-sums"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(lossy(&output.stderr).contains("none/x.prom: "));
}

#[test]
#[cfg(unix)]
fn lines_of_progress_come_without_a_terminal() {
    let dir = Dir::new();
    let program = env!("CARGO_BIN_EXE_hashlanes");
    let script = "(head -c 1000000 /dev/zero; sleep 1.5) | \"$0\" sum";
    let shown = |option: &str| {
        let script = format!("{script} {option}");
        lossy(&run(dir.peer("bash", &["-c", &script]).arg(program)).stderr)
    };
    let lines = shown("--progress lines");
    assert_eq!(lines.lines().count(), 1, "{lines}");
    // Less than a MiB, in a second or more.
    assert!(lines.contains(" KiB/s, 0 files\n"), "{lines}");
    assert_eq!(shown("--progress bar"), "");
}

#[test]
fn a_sample_is_the_same_for_the_same_seed_and_parts_add_up() {
    let dir = Dir::new();
    let names: Vec<String> = (0..40).map(|i| format!("{i}")).collect();
    names.iter().for_each(|name| _ = dir.file(name, name.as_bytes()));
    dir.file("SUMS", &ok(dir.hashlanes(&["sum"]).args(&names)));
    let sample = |seed: &str| {
        let output =
            run(&mut dir.hashlanes(&["check", "--sample", "25%", "--sample-seed", seed, "SUMS"]));
        assert!(output.status.success());
        let checked = lossy(&output.stdout).lines().map(str::to_owned).collect::<Vec<_>>();
        let said = format!(
            "hashlanes: left out {} of 40 listed files: not the sample of --sample-seed {seed}\n",
            40 - checked.len()
        );
        assert_eq!(lossy(&output.stderr), said);
        checked
    };
    assert_eq!(sample("5"), sample("5"));
    let quiet = ["check", "--quiet", "--summary", "--sample", "25%", "SUMS"];
    let output = run(&mut dir.hashlanes(&quiet));
    assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), Default::default());
    let mut all: Vec<String> = ["5", "6", "7", "8"].into_iter().flat_map(sample).collect();
    all.sort();
    let mut expected: Vec<String> = names.iter().map(|name| format!("{name}: OK")).collect();
    expected.sort();
    assert_eq!(all, expected);
}

#[test]
#[cfg(unix)]
fn only_what_was_modified_since_is_checked() {
    let dir = directory();
    ok(&mut dir.peer("touch", &["-d", "2020-01-01T12:00:00Z", "good", "bad"]));
    let check = |since: &str| run(&mut dir.hashlanes(&["check", "--since", since, "SUMS"]));
    let output = check("2020-01-02");
    // Missing files are reported nevertheless.
    let printed = "gone: FAILED open or read\nfolder: FAILED open or read\n";
    assert_eq!(lossy(&output.stdout), printed);
    let said = "left out 2 of 4 listed files: not modified since 2020-01-02T00:00:00Z\n";
    assert!(lossy(&output.stderr).ends_with(said), "{}", lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(check("2020-01-01").status.code(), Some(1));
    assert_eq!(check("1d").status.code(), Some(3));
    for since in ["then", "60y", "2999-01-01"] {
        assert_eq!(check(since).status.code(), Some(2), "{since}");
    }
}

#[test]
fn a_rate_is_kept_whatever_reads() {
    let dir = Dir::new();
    dir.file("a", &noise(300_000, 1)).file("b", &noise(20_000, 2));
    dir.file("SUMS", &ok(&mut dir.hashlanes(&["sum", "a", "b"])));
    for command in [&["sum", "a", "b"][..], &["check", "SUMS"]] {
        let begin = std::time::Instant::now();
        ok(dir.hashlanes(command).args(["--rate", "640kB/s"]));
        assert!(begin.elapsed().as_millis() >= 490, "{command:?}");
    }
    #[cfg(unix)]
    assert_eq!(lossy(&run(&mut dir.hashlanes(&["sum", "--idle", "b"])).stderr), "");
}

/// When the last run of these metrics succeeded.
fn success(dir: &Dir, metrics: &str) -> Option<String> {
    let text = fs::read_to_string(dir.at(metrics)).unwrap();
    text.lines().find(|line| line.starts_with("hashlanes_last_success")).map(str::to_owned)
}

#[test]
#[cfg(unix)]
fn leaving_out_everything_is_no_success() {
    let dir = directory();
    ok(&mut dir.peer("touch", &["-d", "2020-01-01", "good"]));
    dir.file("one", &ok(&mut dir.hashlanes(&["sum", "good"])));
    let check = ["check", "--metrics", "x.prom", "--since", "2020-01-02"];
    let output = run(dir.hashlanes(&check).arg("one"));
    let said = "hashlanes: WARNING: no file was checked\nhashlanes: left out 1 of 1 listed ";
    assert!(lossy(&output.stderr).starts_with(said), "{}", lossy(&output.stderr));
    assert_eq!(success(&dir, "x.prom"), None);
    let output = run(dir.hashlanes(&check).args(["--quiet", "one"]));
    assert_eq!((output.status.code(), lossy(&output.stderr)), (Some(0), String::new()));
    assert_eq!(success(&dir, "x.prom"), None);
    // None of the selected files exists.
    let line = format!("{}  none\n", "0".repeat(64));
    let lines = lossy(&fs::read(dir.at("one")).unwrap()) + &line;
    dir.file("two", lines.as_bytes());
    let output = run(dir.hashlanes(&check).args(["--ignore-missing", "two"]));
    assert!(lossy(&output.stderr).contains("two: no file was verified\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn unreadable_files_have_a_status_even_with_ignore_missing() {
    let dir = Dir::new();
    std::fs::create_dir(dir.at("folder")).unwrap();
    let lines = ["folder", "none"].map(|name| format!("{}  {name}\n", "0".repeat(64)));
    dir.file("SUMS", lines.concat().as_bytes());
    let output = run(&mut dir.hashlanes(&["check", "--ignore-missing", "SUMS"]));
    assert_eq!(output.status.code(), Some(3), "{}", lossy(&output.stderr));
}

#[test]
#[cfg(unix)]
fn metrics_replace_nothing_else() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let dir = directory();
    dir.file("one", &ok(&mut dir.hashlanes(&["sum", "good"])));
    ok(&mut dir.peer("mkfifo", &["fifo"]));
    symlink("nothing", dir.at("dangling")).unwrap();
    symlink("one", dir.at("link-to-one")).unwrap();
    fs::hard_link(dir.at("one"), dir.at("other-name-of-one")).unwrap();
    let before = fs::read(dir.at("one")).unwrap();
    for (metrics, why) in [
        ("fifo", "fifo: not a regular file"),
        ("folder", "folder: not a regular file"),
        ("/dev/null", "/dev/null: not a regular file"),
        ("dangling", "dangling: a broken link"),
        ("one", "one: it is also an input of this run"),
        ("link-to-one", "link-to-one: it is also an input of this run"),
        ("other-name-of-one", "other-name-of-one: it is also an input of this run"),
    ] {
        for command in ["check", "sum"] {
            let output = run(&mut dir.hashlanes(&[command, "one", "--metrics", metrics]));
            assert_eq!(output.status.code(), Some(2), "{metrics}");
            assert!(lossy(&output.stderr).contains(why), "{}", lossy(&output.stderr));
            assert_eq!(lossy(&output.stdout), "", "{metrics}");
        }
    }
    assert_eq!(fs::read(dir.at("one")).unwrap(), before);
    // A link is kept, and so is the mode.
    dir.file("x.prom", b"");
    fs::set_permissions(dir.at("x.prom"), fs::Permissions::from_mode(0o640)).unwrap();
    symlink("x.prom", dir.at("link")).unwrap();
    ok(&mut dir.hashlanes(&["check", "one", "--metrics", "link"]));
    assert!(dir.at("link").is_symlink());
    assert!(success(&dir, "x.prom").is_some());
    assert_eq!(fs::metadata(dir.at("x.prom")).unwrap().permissions().mode() & 0o777, 0o640);
}
