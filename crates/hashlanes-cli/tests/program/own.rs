//! Files that the program writes: it hashes none of them, and replaces nothing else.

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::process::Output;

use crate::common::*;

/// Runs a script of bash. `$0` is the program.
fn script(dir: &Dir, script: &str) -> Output {
    run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")))
}

/// A folder with three files.
fn folder() -> Dir {
    let dir = Dir::new();
    dir.file("a", b"a").file("b/c", b"c").file("z", b"z");
    dir
}

#[test]
fn a_manifest_in_its_own_folder_does_not_list_itself() {
    for sum in ["sum -r .", "tree s3-etag --tag -r .", "sum a b/c M z", "sum -r . --json"] {
        let dir = folder();
        let output = script(&dir, &format!("touch M; $0 {sum} > M && $0 check M"));
        let told = lossy(&output.stderr);
        assert!(output.status.success(), "{sum}: {told}");
        assert_eq!(lossy(&output.stdout).lines().count(), 3, "{sum}");
        let path = if sum.contains("-r") { "./M" } else { "M" };
        let left_out = format!("hashlanes: skipped 1 file that hashlanes writes ({path})\n");
        assert_eq!(told, left_out, "{sum}");
    }
}

#[test]
fn outputs_are_known_by_any_name() {
    let dir = folder();
    let script = script(
        &dir,
        "touch M && ln M other && ln -s M link && $0 sum -rL . > M 2> log && cat M && cat log >&2",
    );
    let listed = lossy(&script.stdout);
    assert_eq!(listed.lines().count(), 3, "{listed}");
    let told = lossy(&script.stderr);
    assert_eq!(told, "hashlanes: skipped 4 files that hashlanes writes (./M)\n");
    let closed = self::script(&dir, "$0 sum -r b 2>&- && $0 sum -r b >&- 2> told; cat told");
    assert!(lossy(&closed.stdout).ends_with("write error: Bad file descriptor\n"));
}

#[test]
fn only_what_this_run_writes_is_left_out() {
    let dir = folder();
    let lock = b"hashlanes replaces a file beside this folder\n";
    dir.file("z.resume", b"{\"hashlanes sum --resume\":").file("x.prom", b"");
    dir.file(".x.hashlanes/lock", lock).file(".x.hashlanes/y", b"y");
    // As if a run had been killed, and something else had written into its folder.
    dir.file(".S.hashlanes/lock", lock).file(".S.hashlanes/y", b"y");
    let names = |lines: &[u8]| {
        let name = |line: &str| line.split("  ").nth(1).unwrap().to_owned();
        lossy(lines).lines().map(name).collect::<Vec<_>>()
    };
    let others = [".x.hashlanes/lock", ".x.hashlanes/y", "a", "b/c", "x.prom", "z", "z.resume"];
    let with = |more: &[&str]| {
        let mut all: Vec<_> = more.iter().chain(&others).map(|name| format!("./{name}")).collect();
        all.sort();
        all
    };
    for _ in 0..2 {
        ok(&mut dir.hashlanes(&["sum", "-r", ".", "--resume", "S"]));
        assert_eq!(names(&fs::read(dir.at("S")).unwrap()), with(&[".S.hashlanes/y"]));
    }
    ok(&mut dir.hashlanes(&["check", "--report", "S", "."]));
    dir.file("S.resume.resume", b"{\"hashlanes sum --resume\":").file(".S.hashlanes/x", b"x");
    let report = run(&mut dir.hashlanes(&["check", "--report", "S", "."]));
    let told = lossy(&report.stdout);
    assert!(told.contains("S.resume.resume: new") && told.contains("hashlanes/x: new"), "{told}");
    // The manifests of other runs are ordinary files.
    let output = ok(&mut dir.hashlanes(&["sum", "-r", "."]));
    let own = ["S", "S.resume", "S.resume.resume"];
    let inside = [".S.hashlanes/lock", ".S.hashlanes/x", ".S.hashlanes/y"];
    assert_eq!(names(&output), with(&[&own[..], &inside].concat()));
}

#[test]
fn quiet_runs_say_nothing_if_all_is_well() {
    let dir = folder();
    symlink("a", dir.at("link")).unwrap();
    let quiet = ["sum", "--quiet", "--summary", "-r", "."];
    let output = script(&dir, "$0 sum --quiet --summary -r . > M");
    assert_eq!(lossy(&output.stderr), "");
    let output = run(dir.hashlanes(&quiet).arg("missing"));
    assert_eq!(lossy(&output.stderr).lines().count(), 2, "{}", lossy(&output.stderr));
}

#[test]
fn reports_and_counts_leave_out_their_output() {
    let dir = folder();
    let update = "$0 sum -r . > M; echo b > b/new; $0 check --report --update M . > log 2> b/told; \
                  cat log M b/told";
    let told = lossy(&script(&dir, update).stdout);
    assert!(told.contains("\n3 unchanged, 0 changed, 0 missing, 1 new, 0 moved"), "{told}");
    assert!(!told.contains("/log") && !told.contains("/told"), "{told}");
    // Listed before, they are not files of the folder either.
    let told =
        lossy(&script(&dir, "$0 sum -r . > M; $0 check --report M . >> log; cat log").stdout);
    assert!(told.ends_with(", 0 changed, 0 missing, 0 new, 0 moved, 0 unreadable\n"), "{told}");
    let dedup = script(&dir, "cp z log; $0 dedup . >> log; cat log");
    assert!(
        lossy(&dedup.stdout).contains("\nfiles                 6\n"),
        "{}",
        lossy(&dedup.stdout)
    );
    let left_out = "hashlanes: skipped 1 file that hashlanes writes (./log)\n";
    assert_eq!(lossy(&dedup.stderr), left_out);
    let torrent = "$0 tree torrent-v1 b -o t && $0 check --report t b > b/log; cat b/log";
    assert!(lossy(&script(&dir, torrent).stdout).contains(" 0 new, "));
}

/// A run that must not write `target`, whatever its content. It may fail before or after its work.
#[track_caller]
fn assert_keeps(dir: &Dir, target: &str, command: &[&str]) {
    let before = (fs::read(dir.at(target)).unwrap(), fs::metadata(dir.at(target)).unwrap().ino());
    let output = run(&mut dir.hashlanes(command));
    assert!(!output.status.success(), "{command:?}");
    let told = lossy(&output.stderr);
    assert!(
        told.contains("not replaced: ") || told.contains("is also an input"),
        "{command:?}: {told}"
    );
    let after = (fs::read(dir.at(target)).unwrap(), fs::metadata(dir.at(target)).unwrap().ino());
    assert!(before == after, "{command:?} has replaced {target}");
}

#[test]
fn metrics_replace_only_metrics() {
    let dir = folder();
    dir.file("list", b"a\nz\n").file("SUMS", &ok(&mut dir.hashlanes(&["sum", "a", "z"])));
    symlink("a", dir.at("link")).unwrap();
    ok(&mut dir.hashlanes(&["sum", "-r", "b", "--resume", "R"]));
    for (target, metrics, command) in [
        ("a", "a", &["sum", "-r", "."][..]),
        ("a", "link", &["sum", "-r", "."]),
        ("a", "a", &["sum", "--files-from", "list"]),
        ("list", "list", &["sum", "--files-from", "list"]),
        ("a", "a", &["check", "SUMS"]),
        ("SUMS", "SUMS", &["check", "SUMS"]),
        ("R", "R", &["sum", "-r", "b", "--resume", "R"]),
        ("R.resume", "R.resume", &["sum", "-r", "b", "--resume", "R"]),
        ("z", "z", &["sum", "a"]),
    ] {
        assert_keeps(&dir, target, &[command, &["--metrics", metrics]].concat());
    }
    // Neither exists before the run.
    let same = ["sum", "-r", "b", "--resume", "N", "--metrics"];
    for metrics in ["N", "./N.resume"] {
        let output = run(dir.hashlanes(&same).arg(metrics));
        assert_eq!(output.status.code(), Some(2), "{}", lossy(&output.stderr));
    }
    // Metrics that are listed are an input of a check.
    ok(&mut dir.hashlanes(&["sum", "--metrics", "x.prom", "a"]));
    dir.file("SUMS", &ok(&mut dir.hashlanes(&["sum", "x.prom"])));
    assert_keeps(&dir, "x.prom", &["check", "SUMS", "--metrics", "x.prom"]);
    ok(&mut dir.hashlanes(&["sum", "--metrics", "x.prom", "-r", "."]));
    // Something else takes the place during the run.
    let race = "(sleep 0.3; rm x.prom; echo precious > x.prom; cat a) | \
                $0 sum - --metrics x.prom; echo $?; cat x.prom";
    let output = script(&dir, race);
    assert!(lossy(&output.stdout).ends_with("\n1\nprecious\n"), "{}", lossy(&output.stdout));
}

#[test]
fn no_command_replaces_what_it_has_not_made() {
    let dir = folder();
    dir.file("SUMS", &ok(&mut dir.hashlanes(&["sum", "a", "z"])));
    dir.file("precious", b"precious").file("man/hashlanes.1", b"mine");
    dir.file("made/hashlanes.bash", b"mine");
    for (target, command) in [
        ("precious", &["manifest", "sort", "-o", "precious", "SUMS"][..]),
        ("man/hashlanes.1", &["man", "man"]),
        ("made/hashlanes.bash", &["install-completions", "--dir", "made"]),
    ] {
        assert_keeps(&dir, target, command);
    }
    // What it has made, it replaces.
    for _ in 0..2 {
        ok(&mut dir.hashlanes(&["manifest", "sort", "-o", "SUMS", "SUMS"]));
        ok(&mut dir.hashlanes(&["man", "new-man"]));
        ok(&mut dir.hashlanes(&["install-completions", "--dir", "new-completions"]));
        ok(&mut dir.hashlanes(&["tree", "torrent-v1", "-f", "-o", "t", "b"]));
    }
}

#[cfg(feature = "slh-dsa")]
#[test]
fn signatures_replace_only_signatures() {
    let dir = folder();
    ok(&mut dir.hashlanes(&["slh-dsa", "keygen", "--set", "SLH-DSA-SHA2-128f", "key"]));
    dir.file("a.sig", b"precious");
    let key = fs::read(dir.at("key")).unwrap();
    assert_keeps(&dir, "a.sig", &["slh-dsa", "sign", "--key", "key", "a"]);
    let sign = ["slh-dsa", "sign", "--key", "key", "a", "--signature", "key"];
    assert!(!run(&mut dir.hashlanes(&sign)).status.success());
    assert!(!run(dir.hashlanes(&sign).arg("--force")).status.success());
    assert_eq!(fs::read(dir.at("key")).unwrap(), key);
    for _ in 0..2 {
        ok(&mut dir.hashlanes(&["slh-dsa", "sign", "--force", "--key", "key", "a"]));
        ok(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key", "z"]));
    }
    ok(&mut dir.hashlanes(&["slh-dsa", "verify", "--key", "key.pub", "a", "z"]));
}

#[cfg(feature = "lab")]
#[test]
fn charts_replace_only_charts() {
    let dir = Dir::new();
    let bench = |chart| {
        let samples = ["--size", "64", "--samples", "1", "--sample-time", "1", "--plot", chart];
        run(lab().current_dir(dir.path()).args(["bench", "-a", "md5"]).args(samples))
    };
    dir.file("precious.svg", b"<svg/>");
    assert_eq!(bench("precious.svg").status.code(), Some(1));
    assert_eq!(fs::read(dir.at("precious.svg")).unwrap(), b"<svg/>");
    for _ in 0..2 {
        let output = bench("chart.svg");
        assert!(output.status.success(), "{}", lossy(&output.stderr));
    }
}

#[test]
fn changes_since_the_run_before_are_told() {
    let dir = folder();
    dir.file("odd\nname", b"odd").file("same", b"same");
    let list = b"z\na\nsame\n";
    for (options, file) in
        [(&["-r", ".", "--exclude", "M*"][..], "./"), (&["--files-from", "list"], "")]
    {
        dir.file("list", list);
        let resume = ["sum", "--quiet", "--changes", "--resume", "M"];
        let told = || {
            let output = run(dir.hashlanes(&resume).args(options));
            assert!(output.status.success(), "{}", lossy(&output.stderr));
            lossy(&output.stdout)
        };
        assert_eq!(told().lines().count(), if file.is_empty() { 3 } else { 6 });
        assert_eq!(told(), "");
        dir.file("a", b"other");
        dir.file("same", b"same");
        dir.file("new", b"new");
        fs::remove_file(dir.at("z")).unwrap();
        // A file that is listed twice is not new the second time.
        dir.file("list", b"a\nsame\nnew\nsame\n");
        let mut lines: Vec<_> = told().lines().map(str::to_owned).collect();
        lines.retain(|line| line != "./list: changed");
        let expected = ["a: changed", "new: new", "z: gone"].map(|line| format!("{file}{line}"));
        assert_eq!(lines, expected);
        dir.file("a", b"a").file("z", b"z");
        fs::remove_file(dir.at("new")).unwrap();
        fs::remove_file(dir.at("M")).unwrap();
        fs::remove_file(dir.at("M.resume")).unwrap();
    }
    let output = run(&mut dir.hashlanes(&["sum", "--changes", "a"]));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn pairs_of_functions_that_check_could_not_read_are_refused() {
    let dir = folder();
    for (functions, is_refused) in [
        ("md5,sha256", false),
        ("sha1,sha512,md5", false),
        ("md5,sha3-256", true),
        ("sha1,blake2s", true),
        ("crc32,md5", true),
        ("sha256,sha3-256", true),
    ] {
        let output = run(&mut dir.hashlanes(&["sum", "-a", functions, "a"]));
        assert_eq!(output.status.code(), Some(if is_refused { 2 } else { 0 }), "{functions}");
        assert_eq!(lossy(&output.stderr).ends_with("; use --tag\n"), is_refused, "{functions}");
        dir.file("M", &ok(&mut dir.hashlanes(&["sum", "--tag", "-a", functions, "a"])));
        ok(&mut dir.hashlanes(&["check", "--strict", "M"]));
    }
}

#[test]
fn what_a_format_cannot_hold_is_no_write_error() {
    let dir = folder();
    dir.file("M", &ok(&mut dir.hashlanes(&["sum", "-a", "sha512", "a"])));
    let output = run(&mut dir.hashlanes(&["manifest", "convert", "--format", "hashdeep", "M"]));
    let told = lossy(&output.stderr);
    assert!(
        !output.status.success() && told.starts_with("hashlanes: hashdeep files support"),
        "{told}"
    );
    let script = script(&dir, "$0 sum a > /dev/full");
    assert!(lossy(&script.stderr).starts_with("hashlanes: write error: "));
}

/// What a command prints on a terminal, without the carriage returns of the terminal itself.
fn on_terminal(dir: &Dir, command: &str) -> String {
    // The terminal's shell need not know `$'..'`.
    dir.file("command", format!("{} {command}\n", env!("CARGO_BIN_EXE_hashlanes")).as_bytes());
    let script = ["--quiet", "--return", "--command", "bash command", "/dev/null"];
    lossy(&run(&mut dir.peer("script", &script)).stdout).replace("\r\n", "\n")
}

#[test]
fn a_terminal_gets_no_control_characters_from_names() {
    let dir = Dir::new();
    let names =
        ["app.iso\rapp.iso: OK\x1b[K", "\x1b]0;title\x07", "\u{9b}2J", "tab\there", "del\x7f"];
    names.iter().for_each(|name| _ = dir.file(format!("t/{name}"), b"x"));
    dir.file("SUMS", &ok(&mut dir.hashlanes(&["sum", "-r", "t"])));
    dir.file("tags", &ok(&mut dir.hashlanes(&["sum", "-r", "--tag", "t"])));
    dir.file("t/new\x1b[2J", b"new");
    dir.file("json", &ok(&mut dir.hashlanes(&["sum", "-r", "--json", "t"])));
    fs::write(dir.at(format!("t/{}", names[0])), "other").unwrap();
    fs::remove_file(dir.at(format!("t/{}", names[1]))).unwrap();
    for command in [
        "sum -r t --progress none",
        "sum -r t --format csv --progress none",
        "sum -r t -z --progress none",
        "check SUMS --progress none",
        "check tags --progress none",
        "check --report SUMS t --progress none",
        "tree s3-etag -r t --progress none",
        "tree torrent-v1 t -o x.torrent -f --progress none",
        "manifest convert SUMS",
        "manifest diff SUMS json",
        "sum -r t --resume R --changes --progress none",
        "sum $'\\x1b[31mmissing'",
        "sum $'--\\x1b[31mmissing'",
        "sum -a $'\\x1b[31m' t",
    ] {
        let printed = on_terminal(&dir, command);
        let bad = printed.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\0'));
        assert_eq!(bad, None, "{command}: {printed:?}");
        assert!(!printed.is_empty(), "{command}");
    }
    // Elsewhere, as our links print them.
    let output = run(&mut dir.hashlanes(&["check", "SUMS"]));
    let failed = "\\t/app.iso\\rapp.iso: OK\x1b[K: FAILED\n";
    assert!(lossy(&output.stdout).contains(failed), "{}", lossy(&output.stdout));
}

#[test]
fn messages_have_no_control_characters_from_names_of_functions() {
    let dir = Dir::new();
    let digest = "0".repeat(64);
    let json = format!("{{\"path\":\"t\",\"digests\":{{\"x\\u001b[2J\\ny\":\"{digest}\"}}}}\n");
    let header = "%%%% HASHDEEP-1.0\n%%%% size,x\x1b[2J,filename\n";
    let hashdeep = format!("{header}0,{digest},t\n");
    dir.file("json", json.as_bytes()).file("hashdeep", hashdeep.as_bytes());
    dir.file("bag/bagit.txt", b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir.file("bag/manifest-x\x1b[2J.txt", b"").file("bag/data/t", b"");
    for command in [
        &["check", "json"][..],
        &["check", "-w", "json"],
        &["check", "--report", "json", "bag"],
        &["manifest", "sort", "json"],
        &["manifest", "convert", "json"],
        &["check", "hashdeep"],
        &["check", "bag"],
    ] {
        let told = lossy(&run(&mut dir.hashlanes(command)).stderr);
        assert!(told.contains("'x'$'\\033''[2J"), "{command:?}: {told:?}");
        let is_bad = |line: &str| line.contains(char::is_control) || !line.starts_with("hashlanes");
        assert_eq!(told.lines().find(|line| is_bad(line)), None, "{command:?}");
    }
}
