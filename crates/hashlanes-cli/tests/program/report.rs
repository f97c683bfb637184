//! `check --report`: the state of the files of a folder, and replaced manifests.

use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};

use crate::common::*;

/// A folder `data` with files, and its manifest `m`.
fn files(options: &[&str]) -> Dir {
    let dir = Dir::new();
    for (i, name) in ["a", "b", "c", "d/e", "d/f", "d-"].iter().enumerate() {
        dir.file(format!("data/{name}"), &noise(i * 40_000, i as u64 + 1));
    }
    let manifest = ok(dir.hashlanes(&["sum", "-r", "data"]).args(options));
    dir.file("m", &manifest);
    dir
}

/// Changes one file, removes one, adds one, and moves one.
fn change(dir: &Dir) {
    dir.file("data/b", b"changed").file("data/x", b"new");
    fs::remove_file(dir.at("data/c")).unwrap();
    fs::rename(dir.at("data/d/f"), dir.at("data/y")).unwrap();
}

const TEXT: &str = "\
data/a: unchanged
data/b: changed
data/d-: unchanged
data/d/e: unchanged

3 unchanged, 1 changed, 1 missing, 1 new, 1 moved, 0 unreadable
data/b: changed
data/c: missing
data/x: new
data/y: moved from data/d/f
";

/// All formats that can represent these files.
const FORMATS: [&[&str]; 8] = [
    &[],
    &["--tag"],
    &["--json"],
    &["-a", "md5,sha256"],
    &["--json", "-a", "md5,sha256"],
    &["--format", "csv", "-a", "sha1,crc32"],
    &["--format", "hashdeep", "-a", "md5,sha256"],
    &["--format", "sfv", "-a", "crc32"],
];

#[test]
fn files_are_compared_both_ways() {
    for format in FORMATS {
        let dir = files(format);
        let report = |options: &[&str]| {
            run(dir.hashlanes(&["check", "m", "data", "--report"]).args(options))
        };
        let output = report(&["--quiet"]);
        assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), Default::default());
        let summary = "\n6 unchanged, 0 changed, 0 missing, 0 new, 0 moved, 0 unreadable\n";
        assert!(lossy(&report(&[]).stdout).ends_with(summary), "{format:?}");
        assert!(output.status.success());
        change(&dir);
        let output = report(&[]);
        assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), (TEXT.into(), String::new()));
        assert_eq!(output.status.code(), Some(1));
        let output = report(&["--status"]);
        assert_eq!((output.stdout.len(), output.status.code()), (0, Some(1)));
    }
}

#[test]
fn objects_say_the_same() {
    let dir = files(&[]);
    change(&dir);
    let output = run(&mut dir.hashlanes(&["check", "--report=json", "m", "data"]));
    let expected = r#"{"path":"data/a","status":"unchanged"}
{"path":"data/b","status":"changed"}
{"path":"data/d-","status":"unchanged"}
{"path":"data/d/e","status":"unchanged"}
{"path":"data/c","status":"missing"}
{"path":"data/x","status":"new"}
{"path":"data/y","status":"moved","from":"data/d/f"}
"#;
    let summary = concat!(
        r#"{"summary":{"unchanged":3,"changed":1,"damaged":0,"missing":1,"new":1,"moved":1,"#,
        r#""unreadable":0,"left_out":0}}"#
    );
    assert_eq!(lossy(&output.stdout), format!("{expected}{summary}\n"));
    assert_eq!(output.status.code(), Some(1));
    let other = run(&mut dir.hashlanes(&["check", "--report", "--json", "m", "data"]));
    assert_same(&other.stdout, &output.stdout, "--report --json");
}

#[test]
fn an_update_is_what_sum_would_write() {
    for format in FORMATS {
        let dir = files(format);
        fs::set_permissions(dir.at("m"), fs::Permissions::from_mode(0o640)).unwrap();
        change(&dir);
        let update = ["check", "--report", "--update", "m", "data"];
        let output = run(&mut dir.hashlanes(&update));
        assert_eq!(lossy(&output.stdout), TEXT, "{}", lossy(&output.stderr));
        let fresh = ok(dir.hashlanes(&["sum", "-r", "data"]).args(format));
        assert_same(&fs::read(dir.at("m")).unwrap(), &fresh, &format!("{format:?}"));
        assert_eq!(fs::metadata(dir.at("m")).unwrap().permissions().mode() & 0o7777, 0o640);
        assert!(run(&mut dir.hashlanes(&update)).status.success());
        assert_same(&fs::read(dir.at("m")).unwrap(), &fresh, "nothing changed");
        let names: Vec<_> =
            fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert_eq!(names.len(), 2, "{names:?}");
    }
}

#[test]
fn a_manifest_that_cannot_be_replaced_is_kept() {
    let dir = files(&[]);
    let before = fs::read(dir.at("m")).unwrap();
    let damaged = [&before[..], b"MD6 (a) = d41d8cd98f00b204e9800998ecf8427e\n"].concat();
    dir.file("m", &damaged);
    let output = run(&mut dir.hashlanes(&["check", "--report", "--update", "m", "data"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(lossy(&output.stderr).contains("m: not updated: unusable lines would be lost\n"));
    assert_same(&fs::read(dir.at("m")).unwrap(), &damaged, "damaged");
    // A name that the format cannot represent is reported, and the others are written.
    let dir = files(&["--format", "hashdeep", "-a", "md5"]);
    dir.file("data/new\nline", b"");
    let output = run(&mut dir.hashlanes(&["check", "--report", "--update", "m", "data"]));
    assert_eq!(output.status.code(), Some(1));
    assert!(lossy(&output.stderr).contains("names in hashdeep files cannot contain a newline"));
    assert!(lossy(&output.stdout).contains("\\data/new\\nline: new\n"));
    assert_eq!(fs::read(dir.at("m")).unwrap().iter().filter(|b| **b == b'\n').count(), 8);
    // No space for the new manifest.
    let dir = files(&[]);
    let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" check --report --update --status m data";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert!(lossy(&output.stderr).contains("m: not updated: File too large\n"));
    assert_eq!(output.status.code(), Some(1));
    assert_same(&fs::read(dir.at("m")).unwrap(), &before, "no space");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 2);
}

#[test]
fn a_link_to_a_manifest_stays_a_link() {
    let dir = files(&[]);
    dir.file("folder/real", &fs::read(dir.at("m")).unwrap());
    fs::remove_file(dir.at("m")).unwrap();
    symlink("folder/real", dir.at("m")).unwrap();
    dir.file("data/x", b"new");
    run(&mut dir.hashlanes(&["check", "--report", "--update", "m", "data"]));
    assert!(fs::symlink_metadata(dir.at("m")).unwrap().is_symlink());
    assert!(lossy(&fs::read(dir.at("folder/real")).unwrap()).contains("  data/x\n"));
}

#[test]
fn the_manifest_does_not_list_itself() {
    let dir = files(&[]);
    let script = "cd data && \"$0\" sum -r . > MANIFEST";
    ok(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert!(!lossy(&fs::read(dir.at("data/MANIFEST")).unwrap()).contains("./MANIFEST\n"));
    for base in [&[][..], &["--base", "."]] {
        let mut command = dir.hashlanes(&["check", "--report", "MANIFEST", "."]);
        let output = run(command.args(base).current_dir(dir.at("data")));
        assert!(lossy(&output.stdout).contains("\n6 unchanged, 0 changed, 0 missing, 0 new"));
        assert!(output.status.success());
    }
    // From elsewhere, names need their base. Without it, the reason is reported.
    let report = ["check", "--report", "--quiet", "data/MANIFEST", "data"];
    let output = run(dir.hashlanes(&report).args(["--base", "data", "--update"]));
    assert!(output.status.success(), "{}", lossy(&output.stderr));
    let updated = lossy(&fs::read(dir.at("data/MANIFEST")).unwrap());
    assert_eq!(updated.lines().count(), 6);
    assert!(updated.lines().all(|line| line[64..].starts_with("  ./")));
    let output = run(&mut dir.hashlanes(&report));
    assert!(lossy(&output.stderr).contains("use --base\n"), "{}", lossy(&output.stderr));
    assert!(lossy(&output.stdout).contains("\n0 unchanged, 0 changed, 0 missing, 0 new, 6 moved"));
}

#[test]
fn files_listed_elsewhere_are_looked_up_there() {
    let dir = files(&[]);
    dir.file("other/z", b"z");
    symlink("a", dir.at("data/link")).unwrap();
    let more = ok(&mut dir.hashlanes(&["sum", "other/z", "data/link"]));
    dir.file("m", &[fs::read(dir.at("m")).unwrap(), more].concat());
    let report = || run(&mut dir.hashlanes(&["check", "--report", "m", "data"]));
    assert!(lossy(&report().stdout).contains("\n8 unchanged, 0 changed, 0 missing, 0 new"));
    dir.file("other/z", b"changed");
    fs::remove_file(dir.at("data/link")).unwrap();
    let shown = lossy(&report().stdout);
    assert!(shown.ends_with("other/z: changed\ndata/link: missing\n"), "{shown}");
}

#[test]
fn two_digests_of_a_name_must_both_match() {
    let dir = files(&["-a", "md5,sha256"]);
    let manifest = lossy(&fs::read(dir.at("m")).unwrap());
    let (md5, rest) = manifest.split_once('\n').unwrap();
    // The digest of another file for the first name, next to the right one.
    let wrong = rest.lines().find(|line| line.ends_with("data/b")).unwrap();
    dir.file("m", format!("{md5}\n{}data/a\n{rest}", &wrong[..34]).as_bytes());
    let output = run(&mut dir.hashlanes(&["check", "--report", "--quiet", "m", "data"]));
    assert!(lossy(&output.stdout).starts_with("data/a: changed\n"), "{}", lossy(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn odd_names_are_reported() {
    let dir = Dir::new();
    fs::create_dir(dir.at("data")).unwrap();
    for name in odd_names() {
        fs::write(dir.at("data").join(name), name.as_bytes()).unwrap();
    }
    for format in [&[][..], &["--json"], &["--format", "csv"]] {
        dir.file("m", &ok(dir.hashlanes(&["sum", "-r", "data"]).args(format)));
        for style in ["--report", "--report=json"] {
            let output = run(&mut dir.hashlanes(&["check", style, "m", "data"]));
            assert!(output.status.success(), "{}", lossy(&output.stdout));
        }
    }
    fs::rename(dir.at("data/new\nline"), dir.at("data/\u{e9}\u{e9}")).unwrap();
    let output = run(&mut dir.hashlanes(&["check", "--report", "m", "data"]));
    assert!(lossy(&output.stdout).ends_with("\\data/éé: moved from data/new\\nline\n"));
    fs::rename(dir.at("data/éé"), dir.at("data/new\nline")).unwrap();
    // Python reads the objects.
    let output = ok(&mut dir.hashlanes(&["check", "--report=json", "m", "data"]));
    let program = "import json, sys\n\
                   print(sum('status' in json.loads(line) for line in sys.stdin))";
    let count = run_with_input(&mut dir.peer("python3", &["-c", program]), &output);
    assert_eq!(lossy(&count.stdout).trim(), odd_names().len().to_string());
}

#[test]
fn an_empty_manifest_is_filled() {
    let dir = files(&[]);
    let manifest = fs::read(dir.at("m")).unwrap();
    dir.file("m", b"");
    let output = run(&mut dir.hashlanes(&["check", "--report", "--update", "m", "data"]));
    assert!(lossy(&output.stdout).contains("\n0 unchanged, 0 changed, 0 missing, 6 new"));
    assert_same(&fs::read(dir.at("m")).unwrap(), &manifest, "filled");
}

#[test]
fn wrong_usage_is_refused() {
    let dir = files(&[]);
    for arguments in [
        &["--report", "m"][..],
        &["--report", "m", "data", "data"],
        &["--report=xml", "m", "data"],
        &["--update", "m", "data"],
        &["--report", "--strict", "m", "data"],
    ] {
        let output = run(dir.hashlanes(&["check"]).args(arguments));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
    for arguments in [["missing", "data"], ["m", "missing"], ["m", "m"], ["data", "data"]] {
        let output = run(dir.hashlanes(&["check", "--report"]).args(arguments));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{arguments:?}");
    }
}

/// The folder of `files`, with the lines that `hashlanes tree` prints.
fn with_trees(arguments: &[&str]) -> Dir {
    let dir = files(&[]);
    let manifest = ok(dir.hashlanes(&["tree", "-r"]).args(arguments).arg("data"));
    dir.file("m", &manifest);
    dir
}

#[test]
fn lines_of_trees_are_compared_both_ways() {
    for arguments in [&["glacier", "--tag"][..], &["s3-etag,s3-sha256"], &["fs-verity,merkle"]] {
        let dir = with_trees(arguments);
        let report = |options: &[&str]| {
            run(dir.hashlanes(&["check", "m", "data", "--report"]).args(options))
        };
        let output = report(&["--quiet"]);
        assert_eq!(lossy(&output.stdout), "", "{arguments:?}: {}", lossy(&output.stderr));
        assert!(output.status.success());
        change(&dir);
        let output = report(&[]);
        assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), (TEXT.into(), String::new()));
        assert_eq!(output.status.code(), Some(1));
        let output = report(&["--update", "--status"]);
        let refused =
            "m: not updated: it has lines of `hashlanes tree`; that command writes them\n";
        assert_eq!(lossy(&output.stderr), format!("hashlanes: {refused}"));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn lines_of_trees_mix_with_others() {
    let dir = files(&["--tag"]);
    let tree = ok(&mut dir.hashlanes(&["tree", "glacier", "--tag", "data/a", "data/d/e"]));
    let tree = lossy(&tree).replace("(data/a)", "(./data/a)");
    let sums = fs::read(dir.at("m")).unwrap();
    dir.file("m", &[&sums, tree.as_bytes()].concat());
    let report = || lossy(&run(&mut dir.hashlanes(&["check", "--report", "m", "data"])).stdout);
    assert!(report().contains("\n6 unchanged, 0 changed"), "{}", report());
    // One of the two digests is wrong.
    let digest = tree.split_once(" = ").unwrap().1.split('\n').next().unwrap();
    let wrong = tree.replace(digest, &"0".repeat(64));
    dir.file("m", &[&sums, wrong.as_bytes()].concat());
    assert!(report().ends_with("\ndata/a: changed\n"), "{}", report());
    assert!(report().contains("\n5 unchanged, 1 changed"), "{}", report());
    // A file that cannot be read has neither.
    fs::remove_file(dir.at("data/a")).unwrap();
    assert!(report().ends_with("\ndata/a: missing\n"), "{}", report());
}

#[test]
fn a_folder_is_compared_with_a_torrent() {
    for version in ["torrent-v1", "torrent-v2", "torrent-hybrid"] {
        let dir = files(&[]);
        ok(&mut dir.hashlanes(&["tree", version, "--piece-length", "16KiB", "data"]));
        let report = |options: &[&str]| {
            run(dir.hashlanes(&["check", "data.torrent", "data", "--report"]).args(options))
        };
        let output = report(&["--quiet"]);
        assert_eq!(lossy(&output.stdout), "", "{version}: {}", lossy(&output.stderr));
        let summary = "\n6 unchanged, 0 changed, 0 missing, 0 new, 0 moved, 0 unreadable, \
                       0 unchecked\n";
        assert!(lossy(&report(&[]).stdout).ends_with(summary), "{version}");
        assert!(output.status.success());
        dir.file("data/d/f", b"changed").file("data/x", b"new");
        fs::remove_file(dir.at("data/d-")).unwrap();
        let output = report(&[]);
        let text = lossy(&output.stdout);
        let end = "data/d-: missing\ndata/x: new\n";
        assert!(text.ends_with(end), "{version}: {text}");
        assert!(text.contains("\ndata/d/f: changed\n"), "{version}: {text}");
        assert!(text.contains(" 1 missing, 1 new, 0 moved, 0 unreadable, "), "{version}: {text}");
        assert_eq!(output.status.code(), Some(1));
        let objects = run(&mut dir.hashlanes(&["check", "--report=json", "data.torrent", "data"]));
        let objects = lossy(&objects.stdout);
        assert!(objects.contains("{\"path\":\"data/x\",\"status\":\"new\"}\n"), "{objects}");
        assert!(objects.lines().last().unwrap().contains("\"missing\":1,\"new\":1"), "{objects}");
        let output = report(&["--update"]);
        let refused = "not updated: only `hashlanes tree` writes torrents\n";
        assert!(lossy(&output.stderr).ends_with(refused), "{}", lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_killed_update_changes_nothing() {
    let dir = Dir::new();
    for number in 0..300 {
        dir.file(format!("data/{}/{number}", number % 7), &noise(number * 10, number as u64));
    }
    let sum = ["sum", "-r", "data", "--exclude", "MANIFEST", "--exclude", ".MANIFEST.hashlanes"];
    let manifest = || fs::read(dir.at("data/MANIFEST")).unwrap();
    dir.file("data/MANIFEST", &ok(&mut dir.hashlanes(&sum)));
    let report = ["check", "--report", "--quiet", "data/MANIFEST", "data"];
    let mut before = manifest();
    kill_at_random(
        30,
        40_000,
        |number| {
            dir.file("data/0/0", number.to_string().as_bytes());
            dir.hashlanes(&[&report[..], &["--update"]].concat())
        },
        |ended| {
            let after = ok(&mut dir.hashlanes(&sum));
            let now = manifest();
            assert!(now == after || now == before && !ended, "neither the old nor the new one");
            let told = lossy(&run(&mut dir.hashlanes(&report)).stdout);
            assert!(told.is_empty() || told.contains("0 missing, 0 new, 0 moved"), "{told}");
            before = now;
        },
    );
    run(&mut dir.hashlanes(&[&report[..], &["--update"]].concat()));
    assert_same(&manifest(), &ok(&mut dir.hashlanes(&sum)), "the manifest in the end");
    assert!(!dir.at("data/.MANIFEST.hashlanes").exists());
}

#[test]
fn two_updates_do_not_mix() {
    let dir = files(&[]);
    let manifest = fs::read(dir.at("m")).unwrap();
    dir.file("data/m", &manifest);
    fs::File::create(dir.at("data/z")).unwrap().set_len(1 << 28).unwrap();
    let update = ["check", "--report", "--update", "--status", "data/m", "data"];
    let start = || {
        let mut command = dir.hashlanes(&update);
        command.stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let both = [start(), start()].map(|child| child.wait_with_output().unwrap());
    let refused = both.iter().filter(|output| lossy(&output.stderr).contains("another run"));
    // One may have ended before the other begins.
    assert!(refused.count() <= 1);
    let updated = lossy(&fs::read(dir.at("data/m")).unwrap());
    assert_eq!(updated.lines().count(), 7);
    assert!(!updated.contains("hashlanes"));
}

#[test]
fn the_files_that_the_manifest_leaves_out_are_not_new() {
    let dir = files(&["--exclude", "d/", "--no-hidden"]);
    dir.file("data/.git/x", b"left out");
    let report = ["check", "--report", "m", "data"];
    let all_well = |options: &[&str]| run(dir.hashlanes(&report).args(options)).status.success();
    assert!(!all_well(&[]));
    assert!(all_well(&["--exclude", "d/", "--no-hidden"]));
    assert!(all_well(&["--exclude", "d/", "--exclude", ".git/"]));
    // After --resume, the options are known.
    fs::remove_file(dir.at("m")).unwrap();
    ok(&mut dir.hashlanes(&["sum", "-r", "data", "--resume", "m", "--exclude", "{d,.git}/"]));
    assert!(all_well(&[]));
    assert!(!all_well(&["--exclude", "d/"]));
    let wrong = run(&mut dir.hashlanes(&["check", "--exclude", "d/", "m"]));
    assert_eq!(wrong.status.code(), Some(2));
}

/// The exit status, the standard error, and the manifest `m` after an update.
fn updated(dir: &Dir, options: &[&str]) -> (Option<i32>, String, String) {
    let report = ["check", "--report", "--quiet", "--update", "m", "data"];
    let output = run(dir.hashlanes(&report).args(options));
    let manifest = lossy(&fs::read(dir.at("m")).unwrap());
    (output.status.code(), lossy(&output.stderr), manifest)
}

#[test]
fn files_that_are_not_manifests_are_not_replaced() {
    let refused = "hashlanes: m: not updated: unusable lines would be lost\n";
    for (text, why) in
        [("dear diary\n", "no usable line"), ("# dear diary\n", "the manifest has only comments")]
    {
        let dir = files(&[]);
        dir.file("m", text.as_bytes());
        let (status, told, after) = updated(&dir, &[]);
        assert_eq!((status, &*after), (Some(1), text), "{told}");
        assert!(told.ends_with(&format!("hashlanes: m: {why}\n{refused}")), "{told}");
        let output = run(&mut dir.hashlanes(&["check", "--report", "m", "data"]));
        assert!(lossy(&output.stderr).contains(why), "{}", lossy(&output.stderr));
    }
    // A damaged line among others.
    for format in [&[][..], &["--tag"], &["--json"]] {
        let dir = files(format);
        let damaged = lossy(&fs::read(dir.at("m")).unwrap()).replacen('\n', "\ndamaged\n", 1);
        dir.file("m", damaged.as_bytes());
        let (status, told, after) = updated(&dir, &[]);
        assert_eq!((status, after), (Some(1), damaged), "{told}");
        assert!(told.starts_with("hashlanes: m: line 2: ") && told.ends_with(refused), "{told}");
    }
}

#[test]
fn unusable_lines_are_reported_and_counted() {
    let dir = files(&[]);
    let manifest = lossy(&fs::read(dir.at("m")).unwrap());
    dir.file("m", ["damaged\n".repeat(12), manifest].concat().as_bytes());
    let output = run(&mut dir.hashlanes(&["check", "--report", "m", "data"]));
    let told = lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(told.lines().count(), 9, "{told}");
    assert!(told.contains("m: line 8: ") && told.ends_with("m: 12 lines are unusable\n"));
    assert!(lossy(&output.stdout).contains("\n6 unchanged, 0 changed"));
}

#[test]
fn an_update_keeps_the_digests_of_all_functions() {
    for format in [&["-a", "md5,sha256"][..], &["-a", "md5,sha256", "--tag"]] {
        let dir = files(format);
        let before = lossy(&fs::read(dir.at("m")).unwrap());
        let (status, told, after) = updated(&dir, &["-a", "md5"]);
        assert_eq!((status, after), (Some(1), before), "{told}");
        assert!(told.ends_with("m: not updated: unusable lines would be lost\n"), "{told}");
    }
}

#[test]
fn digests_that_may_be_of_another_function_are_not_replaced() {
    for function in ["sha3-256", "blake2b"] {
        let dir = files(&["-a", function]);
        let before = lossy(&fs::read(dir.at("m")).unwrap());
        let (status, told, after) = updated(&dir, &[]);
        assert_eq!((status, &after), (Some(1), &before), "{told}");
        assert!(told.contains(" digits were taken for "), "{told}");
        assert!(told.contains(function), "{told}");
        let refused = "m: not updated: its digests may be of another function; name it with -a\n";
        assert!(told.ends_with(refused), "{told}");
        // With the name of the function, all files match.
        dir.file("data/x", b"new");
        let (_, told, after) = updated(&dir, &["-a", function]);
        assert_eq!((told.as_str(), after.lines().count()), ("", 7));
        assert!(after.starts_with(&before));
    }
    // Nor does the size of a change make another function of it.
    for part in [&[][..], &["--shard", "1/2"], &["--since", "1d"]] {
        let dir = files(&[]);
        for name in ["a", "b", "c", "d/e", "d/f", "d-"] {
            dir.file(format!("data/{name}"), name.as_bytes());
        }
        let fresh = lossy(&ok(&mut dir.hashlanes(&["sum", "-r", "data"])));
        let (status, told, after) = updated(&dir, part);
        assert_eq!((status, told.as_str()), (Some(1), ""), "{part:?}");
        let renewed = after.lines().filter(|line| fresh.contains(line)).count();
        assert!(renewed == 6 || part.first() == Some(&"--shard") && renewed > 0, "{after}");
    }
    let dir = files(&[]);
    dir.file("data/a", b"changed");
    let output = run(&mut dir.hashlanes(&["check", "m", "--since", "1s"]));
    assert!(!lossy(&output.stderr).contains("were taken for"), "{}", lossy(&output.stderr));
    // A moved file reveals the function, too.
    let dir = files(&[]);
    fs::rename(dir.at("data"), dir.at("old")).unwrap();
    dir.file("data/y", &fs::read(dir.at("old/b")).unwrap());
    let (_, told, after) = updated(&dir, &[]);
    assert!(after.lines().count() == 1 && !told.contains("not updated"), "{told}");
}

#[test]
fn an_emptied_folder_loses_no_line() {
    for format in FORMATS {
        let dir = files(format);
        let before = lossy(&fs::read(dir.at("m")).unwrap());
        fs::remove_dir_all(dir.at("data")).unwrap();
        fs::create_dir(dir.at("data")).unwrap();
        let (status, told, after) = updated(&dir, &[]);
        assert_eq!((status, &after), (Some(1), &before), "{told}");
        let refused = "m: not updated: no listed file was found; --prune replaces it\n";
        assert!(told.ends_with(refused), "{told}");
        let (_, told, after) = updated(&dir, &["--prune"]);
        assert!(!told.contains("not updated"), "{told}");
        assert!(!after.contains("data/a"), "{after}");
    }
}

#[test]
fn one_emptied_folder_among_others_loses_no_line() {
    let dir = Dir::new();
    for file in ["data/disk1/a", "data/disk2/b", "data/disk2/c"] {
        dir.file(file, file.as_bytes());
    }
    let before = ok(&mut dir.hashlanes(&["sum", "-r", "data"]));
    dir.file("m", &before);
    fs::remove_dir_all(dir.at("data/disk2")).unwrap();
    fs::create_dir(dir.at("data/disk2")).unwrap();
    dir.file("data/disk1/new", b"new");
    let (status, told, after) = updated(&dir, &[]);
    assert_eq!((status, after), (Some(1), lossy(&before)), "{told}");
    let refused = "m: not updated: 2 missing files are in folders that are empty or cannot be \
                   read; --prune drops their lines\n";
    assert!(told.ends_with(refused), "{told}");
    // As an automounter leaves it.
    fs::remove_dir(dir.at("data/disk2")).unwrap();
    symlink("nowhere", dir.at("data/disk2")).unwrap();
    let (status, told, after) = updated(&dir, &["-L"]);
    assert_eq!((status, after), (Some(1), lossy(&before)), "{told}");
    assert!(told.ends_with(refused), "{told}");
    fs::remove_file(dir.at("data/disk2")).unwrap();
    // In a folder with other files, a missing file counts as deleted.
    dir.file("data/disk2/d", b"d");
    let (_, told, after) = updated(&dir, &[]);
    assert!(!told.contains("not updated"), "{told}");
    assert_eq!(after.as_bytes(), ok(&mut dir.hashlanes(&["sum", "-r", "data"])));
}

#[test]
fn what_options_leave_out_is_neither_compared_nor_lost() {
    let dir = files(&[]);
    change(&dir);
    fs::remove_file(dir.at("data/d/e")).unwrap();
    let before = lossy(&fs::read(dir.at("m")).unwrap());
    let report = |options: &[&str]| {
        let output = run(dir.hashlanes(&["check", "--report", "m", "data"]).args(options));
        assert_eq!(lossy(&output.stderr), "");
        lossy(&output.stdout)
    };
    let told = report(&["--exclude", "*"]);
    assert_eq!(
        told,
        "\n0 unchanged, 0 changed, 0 missing, 0 new, 0 moved, 0 unreadable, 6 left out\n"
    );
    // Also files whose folder is gone.
    fs::remove_dir(dir.at("data/d")).unwrap();
    let told = report(&["--exclude", "d/", "--exclude", "[bcxy]", "--update"]);
    assert!(told.contains("\n2 unchanged, 0 changed, 0 missing, 0 new, 0 moved"), "{told}");
    assert_eq!(lossy(&fs::read(dir.at("m")).unwrap()), before);
    assert!(report(&["--include", "x", "--update"]).contains("1 new, 0 moved"));
    let lines = lossy(&fs::read(dir.at("m")).unwrap());
    assert!(lines.starts_with(&before) && lines.ends_with("  data/x\n"), "{lines}");
}

#[test]
fn a_damaged_record_of_the_options_is_an_error() {
    let dir = files(&[]);
    fs::remove_file(dir.at("m")).unwrap();
    ok(&mut dir.hashlanes(&["sum", "-r", "data", "--resume", "m", "--exclude", "d/"]));
    let before = lossy(&fs::read(dir.at("m")).unwrap());
    for (damage, why) in [
        (
            &b"damaged\n"[..],
            "its first line is damaged, or was not written by --resume of this version",
        ),
        (b"", "its first line is truncated"),
    ] {
        dir.file("m.resume", damage);
        let (status, told, after) = updated(&dir, &[]);
        assert_eq!((status, &after), (Some(1), &before), "{told}");
        assert!(told.contains(&format!("m.resume: cannot be used: {why}; ")), "{told}");
        // Options select the files.
        let (status, told, after) = updated(&dir, &["--exclude", "d/"]);
        assert_eq!((status, &*told, &after), (Some(0), "", &before));
    }
    fs::remove_file(dir.at("m.resume")).unwrap();
    fs::create_dir(dir.at("m.resume")).unwrap();
    let (status, told, after) = updated(&dir, &[]);
    assert_eq!((status, &after), (Some(1), &before), "{told}");
    assert!(told.contains("m.resume: cannot be used: is a directory; "), "{told}");
}

#[test]
fn a_manifest_of_a_bag_is_not_replaced() {
    let dir = files(&[]);
    dir.file("bagit.txt", b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir.file("manifest-sha256.txt", &fs::read(dir.at("m")).unwrap());
    dir.file("data/x", b"new");
    for options in [&[][..], &["-a", "sha256"], &["--format", "bagit"]] {
        let report = ["check", "--report", "--update", "manifest-sha256.txt", "data"];
        let output = run(dir.hashlanes(&report).args(options));
        let why = "not updated: it belongs to a bag, whose other files would no longer match";
        let told = lossy(&output.stderr);
        assert_eq!(told, format!("hashlanes: manifest-sha256.txt: {why}\n"));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_manifest_may_be_the_standard_input() {
    let dir = files(&[]);
    let manifest = fs::read(dir.at("m")).unwrap();
    let report = ["check", "--report", "-", "data"];
    let output = run_with_input(&mut dir.hashlanes(&report), &manifest);
    assert_eq!(output.status.code(), Some(0), "{}", lossy(&output.stderr));
    assert!(lossy(&output.stdout).contains("\n6 unchanged, 0 changed, 0 missing, 0 new"));
    let output = run_with_input(dir.hashlanes(&report).arg("--update"), &manifest);
    assert_eq!(output.status.code(), Some(2));
    assert!(lossy(&output.stderr).contains("--update needs a manifest that is a file"));
}
