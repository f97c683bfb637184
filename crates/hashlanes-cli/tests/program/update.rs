//! `check --report`: which files are the same, and what an update of the manifest keeps.

use std::fs::{self, File, FileTimes};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, symlink};
use std::time::{Duration, SystemTime};

use crate::common::*;

const NAMES: [&str; 6] = ["a", "b", "c", "d/e", "d/f", "d-"];

/// A folder `data` with old files.
fn files() -> Dir {
    let dir = Dir::new();
    for (i, name) in NAMES.iter().enumerate() {
        dir.file(format!("data/{name}"), &noise(3000 + i * 100, i as u64 + 1));
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        set_time(&dir, &format!("data/{name}"), time);
    }
    dir
}

fn set_time(dir: &Dir, name: &str, time: SystemTime) {
    let file = File::options().write(true).open(dir.at(name)).unwrap();
    file.set_times(FileTimes::new().set_modified(time)).unwrap();
}

/// Writes the manifest `m` with these arguments of `sum`.
fn sum(dir: &Dir, arguments: &[&str]) -> String {
    dir.file("m", &ok(dir.hashlanes(&["sum", "-r"]).args(arguments)));
    text(dir)
}

fn text(dir: &Dir) -> String {
    lossy(&fs::read(dir.at("m")).unwrap())
}

/// The exit status, the output and the messages of a report on `m`.
fn report(dir: &Dir, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = run(dir.hashlanes(&["check", "--report", "m"]).args(arguments));
    (output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
}

/// Changes a byte of a file, whose size and time stay.
fn damage(dir: &Dir, name: &str) {
    let time = fs::metadata(dir.at(name)).unwrap().modified().unwrap();
    let mut bytes = fs::read(dir.at(name)).unwrap();
    bytes[1] ^= 1;
    fs::write(dir.at(name), bytes).unwrap();
    set_time(dir, name, time);
}

/// The names that the manifest lists, in its order.
fn listed(dir: &Dir) -> Vec<String> {
    text(dir).lines().map(|line| line.rsplit_once("  ").unwrap().1.to_owned()).collect()
}

#[test]
fn a_file_is_the_same_whatever_leads_to_it() {
    let dir = files();
    symlink("data", dir.at("link")).unwrap();
    symlink(".", dir.at("here")).unwrap();
    let absolute = dir.at("data").to_str().unwrap().to_owned();
    let spelled = ["data", "link/", "data/../data", "here/link", "./data", absolute.as_str()];
    for listed_as in spelled {
        for folder in spelled {
            sum(&dir, &[listed_as]);
            let all = report(&dir, &[folder]);
            let told = "\n6 unchanged, 0 changed, 0 missing, 0 new, 0 moved, 0 unreadable\n";
            assert!(all.1.ends_with(told), "{listed_as}, {folder}: {all:?}");
            assert_eq!((all.0, all.2.as_str()), (Some(0), ""), "{listed_as}, {folder}");
            // New files are spelled as the listed ones of their folder or of one above.
            let before = listed(&dir);
            dir.file("data/d/new", b"new").file("data/n/o", b"new, too");
            fs::remove_file(dir.at("data/b")).unwrap();
            let told = report(&dir, &[folder, "--update"]).1;
            assert!(told.contains("5 unchanged, 0 changed, 1 missing, 2 new"), "{told}");
            let mut expected = before.clone();
            let begin = before[0].strip_suffix('a').unwrap();
            expected.retain(|name| !name.ends_with("/b"));
            expected.extend(["d/new", "n/o"].map(|name| format!("{begin}{name}")));
            expected.sort();
            assert_eq!(listed(&dir), expected, "{listed_as}, {folder}");
            fs::remove_file(dir.at("data/d/new")).unwrap();
            fs::remove_dir_all(dir.at("data/n")).unwrap();
            dir.file("data/b", b"b");
        }
    }
    // With a base, too, whatever leads to it.
    for base in spelled {
        for folder in spelled {
            sum(&dir, &["data", "--base", "data"]);
            let (status, _, said) = report(&dir, &["--base", base, folder]);
            assert_eq!((status, said.as_str()), (Some(0), ""), "{base}, {folder}");
        }
    }
}

#[test]
fn a_file_that_a_walk_finds_twice_is_compared_once() {
    let dir = files();
    symlink("d", dir.at("data/0")).unwrap();
    sum(&dir, &["data"]);
    let (status, told, _) = report(&dir, &["-L", "data"]);
    assert!(status == Some(0) && told.contains("\n6 unchanged, 0 changed"), "{told}");
    sum(&dir, &["-L", "data"]);
    let (status, told, _) = report(&dir, &["data"]);
    assert!(status == Some(0) && told.contains("\n8 unchanged, 0 changed"), "{told}");
}

#[test]
fn names_that_lead_out_of_the_folder_are_said() {
    let dir = files();
    let absolute = dir.at("data").to_str().unwrap().to_owned();
    let before = sum(&dir, &[&absolute]);
    ok(&mut dir.peer("cp", &["-a", "data", "copy"]));
    let (status, told, said) = report(&dir, &["--update", "copy"]);
    assert!(told.contains("0 unchanged, 0 changed, 0 missing, 0 new, 6 moved"), "{told}");
    let outside = "hashlanes: WARNING: 6 listed files have absolute names outside of copy and were \
                   not read\nhashlanes: if the folder is a copy, --strip N takes the first N parts \
                   off the names\n";
    let refused = "hashlanes: m: not updated: no listed file was found; --prune replaces it\n";
    assert_eq!((status, said), (Some(1), format!("{outside}{refused}")));
    assert_eq!(text(&dir), before);
    // A part of the tree: the rest is read where it is.
    sum(&dir, &["data"]);
    assert!(report(&dir, &["data/d"]).2.contains("4 listed files are outside of data/d"));
    assert_eq!(report(&dir, &["--quiet", "data/d"]), (Some(0), String::new(), String::new()));
}

#[test]
fn an_update_from_another_folder_renames_nothing() {
    let dir = files();
    let before = sum(&dir, &["data"]);
    dir.file("other/x", b"");
    let update = ["check", "--report", "--update", "../m", "../data"];
    let output = run(dir.hashlanes(&update).current_dir(dir.at("other")));
    let said = lossy(&output.stderr);
    assert!(
        said.ends_with("not updated: no listed file was found; --prune replaces it\n"),
        "{said}"
    );
    assert_eq!((output.status.code(), text(&dir)), (Some(1), before));
}

#[test]
fn an_update_of_a_part_leaves_the_rest_where_it_was() {
    for part in [
        &["--include", "e"][..],
        &["--exclude", "a"],
        &["--shard", "1/2"],
        &["--sample", "40%", "--sample-seed", "1"],
        &["--since", "2026-01-01"],
    ] {
        let dir = files();
        let old = sum(&dir, &["data", "--tag"]);
        NAMES.iter().for_each(|name| _ = dir.file(format!("data/{name}"), name.as_bytes()));
        dir.file("data/0", b"0").file("data/z", b"z").file("data/b-", b"-");
        let fresh = lossy(&ok(&mut dir.hashlanes(&["sum", "-r", "data", "--tag"])));
        let (_, told, said) = report(&dir, &["--update", "data", part[0], part[1]]);
        assert_eq!(said, "", "{told}");
        let (mut new, mut kept) = (0, 0);
        for line in text(&dir).lines() {
            new += usize::from(fresh.contains(line));
            kept += usize::from(old.contains(line));
        }
        assert_eq!(new + kept, text(&dir).lines().count(), "{part:?}");
        assert!(new > 0 && (kept > 0 || part[0] == "--since"), "{part:?}: {new} {kept}");
        assert_eq!(run(&mut dir.hashlanes(&["manifest", "diff", "m", "m"])).status.code(), Some(0));
    }
    let dir = files();
    sum(&dir, &["data"]);
    dir.file("data/d/e", b"changed").file("data/a", b"changed, too").file("data/d/0", b"new");
    report(&dir, &["--update", "data/d"]);
    assert_eq!(text(&dir), lossy(&ok(&mut dir.hashlanes(&["sum", "-r", "data"]))));
}

#[test]
fn lines_of_an_unreadable_folder_stay_where_they_were() {
    let dir = files();
    let old = sum(&dir, &["data"]);
    dir.file("data/a", b"changed").file("data/z", b"new");
    let fresh = lossy(&ok(&mut dir.hashlanes(&["sum", "-r", "data"])));
    // Root may read everything, so another user runs it.
    let script = "chmod 000 data/d; chmod 755 .; chown -R 65534 . &&
        setpriv --reuid 65534 --clear-groups \"$0\" check --report --update m data 2>&1";
    let output = run(&mut dir.peer("bash", &["-c", script, env!("CARGO_BIN_EXE_hashlanes")]));
    let told = lossy(&output.stdout) + &lossy(&output.stderr);
    if told.contains("setpriv") || told.contains("chown") {
        return leave_out("a folder that cannot be read, since this is not root");
    }
    assert!(told.contains("3 unchanged, 1 changed, 0 missing, 1 new, 0 moved, 3 unreadable"));
    assert!(old.lines().filter(|line| line.contains("/d/")).all(|line| fresh.contains(line)));
    assert_eq!(text(&dir), fresh, "{told}");
}

/// Manifests of the files, with what no writer of ours writes.
fn odd_manifests(dir: &Dir) -> Vec<(&'static str, String)> {
    let of = |options: &[&str]| lossy(&ok(dir.hashlanes(&["sum", "-r", "data"]).args(options)));
    let each = |text: &str, change: &dyn Fn(&str) -> String| {
        text.lines().map(|line| change(line) + "\n").collect::<String>()
    };
    let plain = of(&[]);
    let (first, rest) = plain.split_at(plain.find('\n').unwrap() + 1);
    let csv = of(&["--format", "csv", "-a", "md5"]);
    let deep = of(&["--format", "hashdeep", "-a", "md5,sha256"]);
    vec![
        ("text", format!("# about all\n{first}\n# about the rest\n{rest}# the end\n")),
        ("binary", each(&plain, &|line| line.replace("  ", " *"))),
        ("upper", each(&plain, &|line| line[..64].to_uppercase() + &line[64..])),
        ("reversed", each(&plain, &|line| line.replace("  ", " "))),
        ("base64", of(&["--base64", "-a", "sha512"])),
        (
            "csv",
            each(&csv, &|line| match line.strip_prefix("path,size,mtime,md5") {
                Some(_) => "owner,name,md5,note,mtime".into(),
                None => {
                    let parts: Vec<&str> = line.split(',').collect();
                    format!("\"I, myself\",{},{},,{}", parts[0], parts[3], parts[2])
                }
            }),
        ),
        (
            "json",
            each(&of(&["--json"]), &|line| {
                line.replacen('{', "{\"note\": {\"size\": [1,\"}\"]}, ", 1)
            }),
        ),
        ("hashdeep", deep.replacen("filename\n", "filename\n## Invoked from: /srv\n## $ x\n", 1)),
        ("unsorted", format!("{rest}{first}")),
        ("marked", format!("\u{feff}{plain}")),
    ]
}

#[test]
fn an_update_keeps_what_it_cannot_express() {
    let dir = files();
    for (what, manifest) in odd_manifests(&dir) {
        dir.file("m", manifest.as_bytes());
        let identity = || fs::metadata(dir.at("m")).map(|it| (it.ino(), it.mtime_nsec())).unwrap();
        let before = identity();
        assert_eq!(report(&dir, &["--update", "data"]).0, Some(0), "{what}");
        assert_eq!((identity(), text(&dir)), (before, manifest.clone()), "{what}");
        let (b, c) = (fs::read(dir.at("data/b")).unwrap(), fs::read(dir.at("data/c")).unwrap());
        dir.file("data/b", b"other").file("data/0", b"new");
        fs::remove_file(dir.at("data/c")).unwrap();
        let (_, told, said) = report(&dir, &["--update", "data"]);
        assert_eq!(said, "", "{what}");
        assert!(told.contains("4 unchanged, 1 changed, 1 missing, 1 new"), "{what}: {told}");
        // The others are as they were.
        let after = text(&dir);
        let mut rest = after.lines();
        for line in manifest.lines().filter(|l| !l.contains("data/b") && !l.contains("data/c")) {
            let is = |other: &str| other.trim_matches('\u{feff}') == line.trim_matches('\u{feff}');
            assert!(rest.any(is), "{what}: {line}\n{after}");
        }
        let note = |line: &&str| match what {
            "csv" => line.starts_with("\"I, myself\",data/b,"),
            "json" => line.starts_with("{\"note\": {\"size\": [1,\"}\"]}, \"path\":\"data/b\""),
            "binary" => line.ends_with(" *data/b"),
            _ => line.ends_with("data/b"),
        };
        assert_eq!(after.lines().filter(note).count(), 1, "{what}: {after}");
        assert_eq!(after.lines().count(), manifest.lines().count(), "{what}: {after}");
        assert_eq!(report(&dir, &["--quiet", "data"]).0, Some(0), "{what}: {after}");
        dir.file("data/b", &b).file("data/c", &c);
        fs::remove_file(dir.at("data/0")).unwrap();
        for name in ["data/b", "data/c"] {
            set_time(&dir, name, SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000));
        }
    }
}

#[test]
fn an_update_keeps_attributes_and_access_control_lists() {
    let dir = files();
    sum(&dir, &["data"]);
    // The list allows user 1 to read and write, as `setfacl -m u:1:rw` does.
    let program = "import os, struct\n\
        os.setxattr('m', 'user.note', b'\\0kept')\n\
        entry = lambda tag, perm, who=0xffffffff: struct.pack('<HHI', tag, perm, who)\n\
        acl = struct.pack('<I', 2) + entry(1, 6) + entry(2, 6, 1) + entry(4, 4) + entry(16, 6) \
        + entry(32, 0)\n\
        os.setxattr('m', 'system.posix_acl_access', acl)";
    let set = run(&mut dir.peer("python3", &["-c", program]));
    if !set.status.success() {
        return leave_out(&lossy(&set.stderr));
    }
    let show = "import os\nprint([(n, os.getxattr('m', n)) for n in sorted(os.listxattr('m'))], \
                os.stat('m').st_mode)";
    let shown = || lossy(&ok(&mut dir.peer("python3", &["-c", show])));
    let before = (shown(), fs::metadata(dir.at("m")).unwrap().ino());
    assert!(before.0.contains("user.note") && before.0.contains("posix_acl_access"), "{before:?}");
    dir.file("data/b", b"changed");
    assert!(report(&dir, &["--update", "data"]).1.contains("1 changed"));
    assert_ne!(fs::metadata(dir.at("m")).unwrap().ino(), before.1);
    assert_eq!(shown(), before.0);
}

#[test]
fn damage_is_told_from_change() {
    for format in [&["--json"][..], &["--format", "csv", "-a", "md5,sha256"], &["--resume", "m"]] {
        let dir = files();
        let before = if format[0] == "--resume" {
            ok(dir.hashlanes(&["sum", "-r", "data"]).args(format));
            text(&dir)
        } else {
            sum(&dir, &[&["data"], format].concat())
        };
        damage(&dir, "data/b");
        dir.file("data/c", b"changed");
        let check = |options: &[&str]| {
            let output = run(dir.hashlanes(&["check", "m"]).args(options));
            (output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
        };
        let (status, shown, said) = check(&[]);
        assert_eq!(status, Some(4), "{format:?}: {said}");
        assert!(shown.contains("data/b: FAILED\n") && shown.contains("data/c: FAILED\n"));
        assert!(said.contains("hashlanes: data/b: damaged: ") && !said.contains("data/c: damaged"));
        assert!(check(&["--json"]).1.contains("\"status\":\"damaged\""));
        assert_eq!(check(&["--status"]), (Some(4), String::new(), String::new()));
        let (status, told, said) = report(&dir, &["--update", "data"]);
        assert_eq!(status, Some(4), "{format:?}: {told}");
        assert!(told.contains("4 unchanged, 1 changed, 1 damaged, 0 missing"), "{told}");
        assert!(said.ends_with("with --accept-damaged\n"), "{said}");
        // The change is recorded, the damage is not.
        let line = |text: &str, name: &str| {
            text.lines().find(|line| line.contains(name)).unwrap().to_owned()
        };
        assert_eq!(line(&text(&dir), "data/b"), line(&before, "data/b"));
        assert_ne!(line(&text(&dir), "data/c"), line(&before, "data/c"));
        assert_eq!(report(&dir, &["data"]).0, Some(4));
        assert_eq!(report(&dir, &["--update", "--accept-damaged", "data"]).0, Some(4));
        assert_eq!(report(&dir, &["--quiet", "data"]), (Some(0), String::new(), String::new()));
        // Whoever writes sets a time.
        damage(&dir, "data/a");
        set_time(&dir, "data/a", SystemTime::now());
        assert!(report(&dir, &["data"]).1.contains("data/a: changed\n"));
    }
    // Nothing is known of the time.
    let dir = files();
    sum(&dir, &["data"]);
    damage(&dir, "data/b");
    assert!(report(&dir, &["data"]).1.contains("data/b: changed\n"));
    // The digests are of another function than the lines were taken for.
    ok(&mut dir.hashlanes(&["sum", "-r", "data", "-a", "blake2b", "--resume", "b2"]));
    let output = run(&mut dir.hashlanes(&["check", "--report", "b2", "data"]));
    assert!(lossy(&output.stdout).contains(" 6 changed, 0 missing"), "{}", lossy(&output.stdout));
}

#[test]
fn an_update_and_resume_keep_what_the_other_knows() {
    let dir = files();
    let resume = ["sum", "-r", "data", "--resume", "m"];
    settle();
    ok(&mut dir.hashlanes(&resume));
    dir.file("data/b", b"changed").file("data/new", b"new");
    fs::remove_file(dir.at("data/c")).unwrap();
    assert_eq!(report(&dir, &["--update", "data"]).0, Some(1));
    let updated = text(&dir);
    settle();
    // Only the two files that the first run did not know are read.
    let output = run(dir.hashlanes(&resume).arg("--summary"));
    let said = lossy(&output.stderr);
    assert!(said.starts_with("hashlanes: 2 files (2 ok, ") && said.lines().count() == 1, "{said}");
    assert_eq!((output.status.code(), text(&dir)), (Some(0), updated));
    // So are the results of a run that was killed, which are in a journal.
    let known = fs::read(dir.at("m.resume")).unwrap();
    let first = known.iter().position(|byte| *byte == b'\n').unwrap() + 1;
    dir.file("m.resume", &known[..first]);
    fs::DirBuilder::new().mode(0o700).create(dir.at(".m.hashlanes")).unwrap();
    dir.file(".m.hashlanes/journal", &[&known[..], b"{\"path\":\"trunc"].concat());
    dir.file(".m.hashlanes/lock", b"hashlanes replaces a file beside this folder\n");
    dir.file("data/b", b"changed again");
    assert_eq!(report(&dir, &["--update", "data"]).0, Some(1));
    let output = run(dir.hashlanes(&resume).arg("--summary"));
    let said = lossy(&output.stderr);
    assert!(said.starts_with("hashlanes: 1 file (1 ok, ") && said.lines().count() == 1, "{said}");
    assert!(!dir.at(".m.hashlanes").exists());
}

#[test]
fn what_an_update_has_read_is_known_to_the_next_run() {
    for base in [&[][..], &["--base", "data"]] {
        let dir = files();
        let resume = [&["sum", "-r", "data", "--resume", "m", "--changes"], base].concat();
        ok(&mut dir.hashlanes(&resume));
        dir.file("data/b", b"changed").file("data/d/new", b"new").file("data/z", b"new, too");
        set_time(&dir, "data/b", SystemTime::UNIX_EPOCH);
        fs::remove_file(dir.at("data/c")).unwrap();
        assert_eq!(report(&dir, &[&["--update", "data"], base].concat()).0, Some(1));
        let updated = text(&dir);
        let changes = || {
            let output = run(&mut dir.hashlanes(&resume));
            (output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
        };
        assert_eq!(changes(), (Some(0), String::new(), String::new()));
        assert_eq!(text(&dir), updated);
        // Another run that follows the update.
        assert_eq!(report(&dir, &[&["--update", "data"], base].concat()).0, Some(0));
        dir.file("data/d/f", b"changed").file("data/z", b"changed");
        assert_eq!(report(&dir, &[&["--update", "data"], base].concat()).0, Some(1));
        fs::remove_file(dir.at("data/z")).unwrap();
        dir.file("data/a", b"changed");
        damage(&dir, "data/b");
        let (status, told, said) = changes();
        let at = if base.is_empty() { "data/" } else { "" };
        assert_eq!(told, format!("{at}a: changed\n{at}z: gone\n"), "{said}");
        assert!(status == Some(4) && said.contains("b: damaged: "), "{said}");
        assert!(text(&dir).contains(updated.lines().find(|it| it.ends_with('b')).unwrap()));
    }
}

#[test]
fn a_report_may_be_of_a_sample_or_of_recent_files() {
    let dir = files();
    sum(&dir, &["data"]);
    let mut seen = 0;
    for seed in ["0", "1", "2", "3"] {
        let (status, told, said) =
            report(&dir, &["data", "--sample", "25%", "--sample-seed", seed]);
        assert_eq!((status, said.as_str()), (Some(0), ""));
        seen += told.matches(": unchanged\n").count();
        assert!(told.contains(" left out\n"), "{told}");
    }
    assert_eq!(seen, NAMES.len());
    damage(&dir, "data/b");
    dir.file("data/c", b"changed");
    fs::remove_file(dir.at("data/a")).unwrap();
    let (status, told, _) = report(&dir, &["data", "--since", "1d", "--json"]);
    let summary = concat!(
        r#"{"summary":{"unchanged":0,"changed":1,"damaged":0,"missing":1,"new":0,"moved":0,"#,
        r#""unreadable":0,"left_out":4}}"#
    );
    assert_eq!((status, told.lines().last()), (Some(1), Some(summary)));
}

#[test]
fn a_folder_after_a_manifest_is_that_of_its_files() {
    let dir = files();
    sum(&dir, &["data", "--base", "data"]);
    let check = |arguments: &[&str]| {
        let output = run(dir.hashlanes(&["check"]).args(arguments));
        (output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
    };
    let good = "a: OK\nb: OK\nc: OK\nd-: OK\nd/e: OK\nd/f: OK\n";
    assert_eq!(check(&["m", "data"]), (Some(0), good.into(), String::new()));
    assert_eq!(check(&["m", "m", "data"]).1, good.repeat(2));
    let report = check(&["--report", "--base", "data", "m"]);
    assert_eq!(check(&["--report", "--base", "data", "m", "data"]), report);
    assert!(report.1.contains("6 unchanged, 0 changed, 0 missing, 0 new"), "{report:?}");
    // A manifest that can be read once is.
    let script = "exec \"$0\" check <(cat m) data";
    let piped = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!((lossy(&piped.stdout), lossy(&piped.stderr)), (good.into(), String::new()));
    // In a wrong folder, one message is enough.
    fs::create_dir(dir.at("empty")).unwrap();
    let said = "hashlanes: m: none of its 6 files is in empty, as with a\n";
    assert_eq!(check(&["m", "empty"]), (Some(3), String::new(), said.into()));
    sum(&dir, &["data"]);
    let said = "hashlanes: m: none of its 6 files is in data, as with data/a; its names lead there \
                from the current folder: leave out the folder\n";
    assert_eq!(check(&["m", "data"]), (Some(3), String::new(), said.into()));
    // A folder without the files of a report is named once, too.
    let (_, _, said) = self::report(&dir, &["--base", "empty", "data"]);
    assert!(said.contains("data/a: not inside the folder of --base\nhashlanes: 5 more"), "{said}");
    // Some of its files are there.
    dir.file("part/data/f", b"");
    ok(&mut dir.peer("cp", &["-a", "data/d", "part/data/"]));
    assert_eq!(check(&["m", "part"]).1.matches(": OK\n").count(), 2);
}

#[test]
fn mistakes_get_a_tip() {
    let dir = files();
    sum(&dir, &["data"]);
    for (arguments, status, tip) in [
        (&["sum", "data"][..], 1, "to hash the files below a folder, add -r"),
        (&["check", "data"], 1, "name its manifest first: hashlanes check MANIFEST data"),
        (&["tree", "m"], 2, "the format comes first: hashlanes tree s3-etag m"),
        (&["verify", "m"], 2, "'check'"),
        (&["diff", "m", "m"], 2, "'manifest diff', 'check --report'"),
        (&["check", "--report", "m"], 2, "hashlanes check --report MANIFEST DIR"),
    ] {
        let output = run(&mut dir.hashlanes(arguments));
        assert!(lossy(&output.stderr).contains(tip), "{}", lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
    }
    // What is to be checked comes first in the help, and each mode has its usage.
    let help = lossy(&ok(&mut dir.hashlanes(&["check", "--help"])));
    assert!(help.find("\nArguments:") < help.find("\nOptions:"), "{help}");
    for mode in ["[MANIFEST]... [DIR]\n", "--report [OPTIONS] MANIFEST DIR\n"] {
        assert!(help.contains(mode), "{help}");
    }
}

#[test]
fn lines_of_urls_are_named_without_secrets_and_stay() {
    let dir = files();
    sum(&dir, &["data"]);
    let url = "900150983cd24fb0d6963f7d28e17f72  https://u:pw@host/a?sig=1\n";
    let before = text(&dir) + url;
    dir.file("m", before.as_bytes());
    dir.file("data/new", b"new");
    for json in [&["--json"][..], &[]] {
        let (_, shown, said) = report(&dir, &[&["data"], json].concat());
        assert!(said.contains("'https://host/a': a URL, which is read only with"), "{said}");
        assert!(!shown.contains("pw") && !said.contains("pw") && !said.contains("sig"));
    }
    report(&dir, &["--update", "data"]);
    assert!(text(&dir).contains(url), "{}", text(&dir));
    assert_ne!(text(&dir), before);
}
