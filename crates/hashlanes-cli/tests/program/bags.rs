//! Whole bags (RFC 8493): valid ones, and ones broken in every way, compared with Python's bagit.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::{Command, Output};

use crate::common::*;

/// bagit.py as a module of Python, where `cargo xtask setup` puts it.
pub(crate) fn bagit() -> Option<Command> {
    let python = || {
        let mut command = peer("python3");
        if let Some(folder) = std::env::var_os("HASHLANES_BAGIT") {
            command.env("PYTHONPATH", folder);
        }
        command
    };
    let there = python().args(["-c", "import bagit"]).output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("left out: Python has no bagit");
    }
    there.then(|| {
        let mut command = python();
        command.args(["-m", "bagit"]);
        command
    })
}

const DECLARATION: &str = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";

/// Output lines that all valid bags of these tests share.
const GOOD: [&str; 3] = ["data/a: OK\n", "data/sub/b c: OK\n", "bag-info.txt: OK\n"];

/// Creates a valid bag in the folder `bag`.
fn bag() -> Dir {
    let dir = Dir::new();
    dir.file("bag/data/a", b"abc").file("bag/data/sub/b c", b"x").file("bag/data/z", b"");
    dir.file("bag/bagit.txt", DECLARATION.as_bytes());
    dir.file("bag/bag-info.txt", b"Source-Organization: x\n  y\nPayload-Oxum: 4.3\n");
    seal(&dir);
    dir
}

/// Writes all manifests for the existing files.
fn seal(dir: &Dir) {
    for function in ["md5", "sha256"] {
        let options = ["sum", "-Lr", "bag/data", "--base", "bag", "--format", "bagit", "-a"];
        let lines = ok(dir.hashlanes(&options).arg(function));
        dir.file(format!("bag/manifest-{function}.txt"), &lines);
    }
    seal_tags(dir);
}

/// Writes the tag manifest for the existing files.
fn seal_tags(dir: &Dir) {
    let mut names = Vec::new();
    for name in
        ["bagit.txt", "bag-info.txt", "fetch.txt", "manifest-md5.txt", "manifest-sha256.txt"]
    {
        names.extend(dir.at("bag").join(name).exists().then(|| format!("bag/{name}")));
    }
    let options = ["sum", "--base", "bag", "--format", "bagit", "-a", "sha256"];
    let lines = ok(dir.hashlanes(&options).args(names));
    dir.file("bag/tagmanifest-sha256.txt", &lines);
}

fn check(dir: &Dir, options: &[&str]) -> Output {
    run(dir.hashlanes(&["check", "bag"]).args(options))
}

/// Whether bagit.py accepts the bag. `None` if it is not installed.
fn peer_takes(dir: &Dir) -> Option<bool> {
    Some(run(bagit()?.arg("--validate").arg(dir.at("bag"))).status.success())
}

fn edit(dir: &Dir, name: &str, change: impl Fn(&str) -> String) {
    let path = dir.at("bag").join(name);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(path, change(&text)).unwrap();
}

#[test]
fn good_bags_are_good() {
    for version in ["1.0", "0.97"] {
        let dir = bag();
        edit(&dir, "bagit.txt", |text| text.replace("1.0", version));
        dir.file("bag/data/100%\n", b"odd");
        edit(&dir, "bag-info.txt", |text| text.replace("4.3", "7.4"));
        // bagit.py does not decode percent signs in names.
        assert_ne!(peer_takes(&dir), Some(true));
        fs::remove_file(dir.at("bag/data/100%\n")).unwrap();
        dir.file("bag/data/new\nline", b"odd");
        symlink("a", dir.at("bag/data/link")).unwrap();
        edit(&dir, "bag-info.txt", |text| text.replace("7.4", "10.5"));
        seal(&dir);
        let output = check(&dir, &[]);
        assert_eq!(lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
        let shown = lossy(&output.stdout);
        assert_eq!(shown.lines().count(), 2 * 5 + 4, "{shown}");
        assert!(GOOD.iter().all(|line| shown.contains(line)), "{shown}");
        assert_ne!(peer_takes(&dir), Some(false));
    }
    // One function is enough, and a bag may be empty.
    let dir = bag();
    let output = check(&dir, &["-a", "md5", "--quiet"]);
    assert_eq!((lossy(&output.stderr), output.status.code()), (String::new(), Some(0)));
    for name in ["a", "sub/b c", "z"] {
        fs::remove_file(dir.at("bag/data").join(name)).unwrap();
    }
    edit(&dir, "bag-info.txt", |text| text.replace("4.3", "0.0"));
    seal(&dir);
    assert_eq!(lossy(&check(&dir, &[]).stderr), "");
    assert_ne!(peer_takes(&dir), Some(false));
}

#[test]
fn a_payload_manifest_by_itself_lists_payload_files_only() {
    let dir = bag();
    let line = lossy(&ok(&mut dir.hashlanes(&["sum", "--base", "bag", "bag/bagit.txt"])));
    edit(&dir, "manifest-sha256.txt", |text| format!("{text}{line}"));
    let said = "hashlanes: bag/manifest-sha256.txt: bagit.txt is not below data\n";
    let output = run(&mut dir.hashlanes(&["check", "bag/manifest-sha256.txt"]));
    assert_eq!((lossy(&output.stderr), output.status.code()), (said.into(), Some(1)));
    let tags = run(&mut dir.hashlanes(&["check", "--quiet", "bag/tagmanifest-sha256.txt"]));
    assert!(!lossy(&tags.stderr).contains("not below data"));
}

#[test]
fn lines_of_a_bag_in_a_file_of_another_name_get_a_hint() {
    let dir = bag();
    dir.file("bag/data/100%", b"odd");
    seal(&dir);
    fs::copy(dir.at("bag/manifest-sha256.txt"), dir.at("SUMS")).unwrap();
    let output = run(&mut dir.hashlanes(&["check", "SUMS", "--base", "bag"]));
    let hint = "SUMS: if data/100%25 is a name as manifests of bags write them, add --format bagit";
    assert!(lossy(&output.stderr).contains(hint), "{}", lossy(&output.stderr));
    ok(&mut dir.hashlanes(&["check", "SUMS", "--base", "bag", "--format", "bagit"]));
}

/// What is done to a bag, the expected messages, and whether bagit.py rejects it, too.
type Broken = (&'static str, fn(&Dir), &'static str, bool);

const BROKEN: &[Broken] = &[
    ("a file that is changed", |dir| _ = dir.file("bag/data/z", b"y"), "data/z: FAILED\n", true),
    (
        "a file that is missing",
        |dir| fs::remove_file(dir.at("bag/data/z")).unwrap(),
        "data/z: FAILED open or read\n",
        true,
    ),
    (
        "a file that is not listed",
        |dir| _ = dir.file("bag/data/sub/new", b""),
        "hashlanes: bag/data/sub/new: no payload manifest lists it\n",
        true,
    ),
    (
        "a manifest that lists less",
        |dir| {
            edit(dir, "manifest-md5.txt", |text| {
                text.lines().take(2).collect::<Vec<_>>().join("\n") + "\n"
            });
            seal_tags(dir);
        },
        "hashlanes: bag/data/z: not listed in manifest-md5.txt\n",
        // bagit.py merges all manifests.
        false,
    ),
    (
        "a wrong Payload-Oxum",
        |dir| {
            edit(dir, "bag-info.txt", |text| text.replace("4.3", "5.3"));
            seal_tags(dir);
        },
        "hashlanes: bag/bag-info.txt: Payload-Oxum is 5.3, and data has 4 bytes in 3 files\n",
        true,
    ),
    (
        "a Payload-Oxum that is no number",
        |dir| {
            edit(dir, "bag-info.txt", |text| text.replace("4.3", "4.x"));
            seal_tags(dir);
        },
        "hashlanes: bag/bag-info.txt: line 3: Payload-Oxum must be BYTES.FILES\n",
        true,
    ),
    (
        "a tag file that is changed",
        |dir| edit(dir, "bag-info.txt", |text| text.replace("  y", "  z")),
        "bag-info.txt: FAILED\n",
        true,
    ),
    (
        "a manifest that the tag manifest does not list",
        |dir| {
            edit(dir, "tagmanifest-sha256.txt", |text| {
                let lines = text.lines().filter(|line| !line.ends_with("manifest-md5.txt"));
                lines.map(|line| format!("{line}\n")).collect()
            })
        },
        "hashlanes: bag/manifest-md5.txt: a tag manifest does not list it\n",
        false,
    ),
    (
        "no version",
        |dir| {
            edit(dir, "bagit.txt", |text| text.lines().last().unwrap().to_owned() + "\n");
            seal_tags(dir);
        },
        "hashlanes: bag/bagit.txt: BagIt-Version is missing\n",
        true,
    ),
    (
        "a version that is not known",
        |dir| {
            edit(dir, "bagit.txt", |text| text.replace("1.0", "2.0"));
            seal_tags(dir);
        },
        "hashlanes: bag/bagit.txt: unknown BagIt-Version \"2.0\"\n",
        true,
    ),
    (
        "a version with a sign",
        |dir| {
            edit(dir, "bagit.txt", |text| text.replace("1.0", "0.+97"));
            seal_tags(dir);
        },
        "hashlanes: bag/bagit.txt: unknown BagIt-Version \"0.+97\"\n",
        false,
    ),
    (
        "two versions",
        |dir| {
            edit(dir, "bagit.txt", |text| format!("BagIt-Version: 0.97\n{text}"));
            seal_tags(dir);
        },
        "hashlanes: bag/bagit.txt: BagIt-Version appears more than once\n",
        false,
    ),
    (
        "two sizes of the payload",
        |dir| {
            edit(dir, "bag-info.txt", |text| format!("Payload-Oxum: 5.3\n{text}"));
            seal_tags(dir);
        },
        "hashlanes: bag/bag-info.txt: line 4: it contradicts an earlier Payload-Oxum\n",
        true,
    ),
    (
        "a manifest that is a link to nothing",
        |dir| symlink("nothing", dir.at("bag/manifest-sha1.txt")).unwrap(),
        "hashlanes: bag/manifest-sha1.txt: a broken link\n",
        false,
    ),
    (
        "a list of what to fetch that is a link to nothing",
        |dir| symlink("nothing", dir.at("bag/fetch.txt")).unwrap(),
        "hashlanes: bag/fetch.txt: a broken link\n",
        false,
    ),
    (
        "a byte order mark",
        |dir| {
            edit(dir, "bagit.txt", |text| format!("\u{feff}{text}"));
            seal_tags(dir);
        },
        "hashlanes: bag/bagit.txt: a byte order mark, which is not allowed here\n",
        true,
    ),
    (
        "no payload manifest",
        |dir| {
            fs::remove_file(dir.at("bag/manifest-md5.txt")).unwrap();
            fs::remove_file(dir.at("bag/manifest-sha256.txt")).unwrap();
            seal_tags(dir);
        },
        "hashlanes: bag: the bag has no payload manifest, such as manifest-sha256.txt\n",
        true,
    ),
    (
        "no payload",
        |dir| fs::rename(dir.at("bag/data"), dir.at("bag/dat")).unwrap(),
        "hashlanes: bag/data: the bag has no such folder\n",
        true,
    ),
    (
        "a manifest of a function that is not there",
        |dir| _ = dir.file("bag/manifest-whirlpool.txt", b""),
        "hashlanes: bag/manifest-whirlpool.txt: not checked: whirlpool is not supported\n",
        // bagit.py looks for functions that it supports.
        false,
    ),
    (
        "a file that is listed twice",
        |dir| {
            edit(dir, "manifest-md5.txt", |text| format!("{text}{text}"));
            seal_tags(dir);
        },
        "hashlanes: bag/manifest-md5.txt: data/a is listed twice\n",
        true,
    ),
    (
        "a payload manifest that lists a tag file",
        |dir| {
            let options = ["sum", "-a", "md5", "--base", "bag", "--format", "bagit"];
            let line = lossy(&ok(dir.hashlanes(&options).arg("bag/bagit.txt")));
            edit(dir, "manifest-md5.txt", |text| format!("{text}{line}"));
            seal_tags(dir);
        },
        "hashlanes: bag/manifest-md5.txt: bagit.txt is not below data\n",
        false,
    ),
    (
        "a name that leads out",
        |dir| {
            edit(dir, "manifest-md5.txt", |text| text.replace("data/z", "data/../../z"));
            seal_tags(dir);
        },
        "hashlanes: bag/manifest-md5.txt: line 3: the name leads out of the bag\n",
        true,
    ),
    (
        "a file that is not fetched yet",
        |dir| {
            fs::remove_file(dir.at("bag/data/z")).unwrap();
            dir.file("bag/fetch.txt", b"https://example.org/z 0 data/z\n");
            seal_tags(dir);
        },
        "hashlanes: data/z: fetch.txt lists it, and it has not been fetched\n",
        true,
    ),
    (
        "an address without a scheme",
        |dir| {
            dir.file("bag/fetch.txt", b"https://example.org/z 0 data/z\nexample.org - data/a\n");
            seal_tags(dir);
        },
        "hashlanes: bag/fetch.txt: line 2: the address has no scheme, such as https:\n",
        true,
    ),
    (
        "an address of a file that is in no manifest",
        |dir| {
            dir.file("bag/fetch.txt", b"https://example.org/z - data/new\n");
            seal_tags(dir);
        },
        "hashlanes: bag/fetch.txt: line 1: no payload manifest lists the file\n",
        false,
    ),
    (
        "a link that leads out",
        |dir| {
            dir.file("z", b"");
            fs::remove_file(dir.at("bag/data/z")).unwrap();
            symlink("../../z", dir.at("bag/data/z")).unwrap();
        },
        "hashlanes: data/z: a symbolic link leads out of the folder\n",
        true,
    ),
    (
        "a folder that is a link",
        |dir| {
            fs::rename(dir.at("bag/data/sub"), dir.at("sub")).unwrap();
            symlink("../../sub", dir.at("bag/data/sub")).unwrap();
        },
        "hashlanes: 'data/sub/b c': a symbolic link leads out of the folder\n",
        true,
    ),
    (
        "a payload elsewhere",
        |dir| {
            fs::rename(dir.at("bag/data"), dir.at("data")).unwrap();
            symlink("../data", dir.at("bag/data")).unwrap();
        },
        "hashlanes: bag/data: a symbolic link leads out of the folder\n",
        true,
    ),
    (
        "a FIFO",
        |dir| {
            ok(&mut dir.peer("mkfifo", &["bag/fetch.txt", "bag/manifest-sha1.txt"]));
        },
        "hashlanes: bag/fetch.txt: not a regular file\n",
        false,
    ),
];

#[test]
fn broken_bags_are_reported_with_the_file_and_the_reason() {
    for (what, damage, expected, is_refused) in BROKEN {
        let dir = bag();
        damage(&dir);
        let output = check(&dir, &[]);
        let told = lossy(&output.stderr) + &lossy(&output.stdout);
        assert!(told.contains(expected), "{what}: {told}");
        assert_eq!(status(&output), Some(1), "{what}: {told}");
        if let Some(takes) = peer_takes(&dir).filter(|_| *is_refused) {
            assert!(!takes, "{what}: {told}");
        }
    }
}

#[test]
fn all_problems_of_a_bag_are_reported() {
    let dir = bag();
    // The last two are damage that the tag manifest shows, which the others renew.
    for wanted in [
        "a file that is changed",
        "a file that is not listed",
        "a wrong Payload-Oxum",
        "no version",
        "a tag file that is changed",
        "a manifest that the tag manifest does not list",
    ] {
        let (_, damage, ..) = BROKEN.iter().find(|(what, ..)| *what == wanted).unwrap();
        damage(&dir);
    }
    let output = check(&dir, &[]);
    let told = lossy(&output.stderr) + &lossy(&output.stdout);
    for part in [
        "data/z: FAILED\n",
        "sub/new: no payload",
        "Payload-Oxum is 5.3",
        "BagIt-Version is missing",
        "bag-info.txt: FAILED\n",
        "manifest-md5.txt: a tag manifest does not list it\n",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
}

#[test]
fn links_that_lead_out_of_a_bag_are_followed_on_request() {
    let dir = bag();
    let links = BROKEN.iter().filter(|(.., expected, _)| expected.contains("symbolic link"));
    for (what, damage, ..) in links.take(2) {
        damage(&dir);
        // A single manifest is read as one of the bag, too.
        let manifest = ["check", "bag/manifest-md5.txt"];
        assert_eq!(run(&mut dir.hashlanes(&manifest)).status.code(), Some(3), "{what}");
        let format = [&manifest[..], &["--format", "bagit"]].concat();
        assert_eq!(run(&mut dir.hashlanes(&format)).status.code(), Some(3), "{what}");
        ok(dir.hashlanes(&format).arg("-L"));
        ok(dir.hashlanes(&manifest).arg("-L"));
        ok(dir.hashlanes(&["check", "bag", "-L"]).current_dir(dir.path()));
    }
    // And from inside the bag.
    let output = run(dir.hashlanes(&["check", "manifest-md5.txt"]).current_dir(dir.at("bag")));
    assert!(lossy(&output.stdout).contains("data/a: OK\n"), "{}", lossy(&output.stderr));
    assert!(lossy(&output.stdout).contains("data/z: FAILED open or read\n"));
}

#[test]
fn the_bagit_format_option_has_no_effect_on_a_bag() {
    let dir = bag();
    // Files of the current folder are unrelated to the bag.
    dir.file("data/a", b"another");
    for path in ["bag", "bag/manifest-sha256.txt"] {
        let told = run(&mut dir.hashlanes(&["check", path]));
        let output = run(&mut dir.hashlanes(&["check", "--format", "bagit", path]));
        assert_same(&output.stdout, &told.stdout, path);
        assert_eq!(lossy(&output.stderr), "");
        assert_eq!(output.status.code(), Some(0));
    }
}

#[test]
fn names_in_a_bag_may_begin_with_a_dot() {
    let dir = bag();
    edit(&dir, "manifest-md5.txt", |text| text.replace("  data/", "  ./data/"));
    seal_tags(&dir);
    edit(&dir, "tagmanifest-sha256.txt", |text| text.replace("  man", "  ./man"));
    let output = check(&dir, &[]);
    assert_eq!(lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
    assert_ne!(peer_takes(&dir), Some(false));
}
