//! Manifests that other people and other programs made, as they are found in the wild.

use std::fs;
use std::net::TcpListener;

use super::common::{Dir, lossy, ok, run};

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A folder in which the file `a` contains `abc`.
fn abc() -> Dir {
    let dir = Dir::new();
    dir.file("a", b"abc");
    dir
}

/// The status, the output and the messages of a run.
#[track_caller]
fn said(dir: &Dir, arguments: &[&str]) -> (i32, String, String) {
    let output = run(&mut dir.hashlanes(arguments));
    (output.status.code().unwrap(), lossy(&output.stdout), lossy(&output.stderr))
}

#[test]
fn a_line_opens_no_connection_that_nobody_asked_for() {
    let dir = abc();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/a", listener.local_addr().unwrap());
    dir.file("m", format!("{MD5}  a\n{MD5}  {url}\nMD5 (s3://bucket/b) = {MD5}\n").as_bytes());
    for arguments in [&["check", "m"][..], &["check", "--ignore-missing", "m"]] {
        let (status, told, why) = said(&dir, arguments);
        assert_eq!(status, 3, "{told}");
        assert!(told.contains("a: OK\n") && told.contains("/a: FAILED open or read\n"), "{told}");
        assert_eq!(
            why.matches("a URL, which is read only with --allow-remote").count(),
            2,
            "{why}"
        );
        assert!(listener.accept().is_err());
    }
}

#[test]
fn a_name_with_a_dot_before_it_is_the_same_name() {
    let dir = abc();
    dir.file("one", format!("{MD5}  a\n{MD5}  ./b\n").as_bytes());
    dir.file("two", format!("{MD5}  ./a\n{MD5}  b\n").as_bytes());
    assert_eq!(said(&dir, &["manifest", "diff", "one", "two"]), (0, "".into(), "".into()));
    let (status, told, _) = said(&dir, &["manifest", "merge", "one", "two"]);
    assert_eq!((status, told), (0, format!("{MD5}  a\n{MD5}  ./b\n")));
    let (_, told, _) = said(&dir, &["manifest", "sort", "two", "one"]);
    assert_eq!(told, format!("{MD5}  ./a\n{MD5}  b\n"));
}

#[test]
fn bytes_that_are_stored_once_are_no_duplicates() {
    let dir = abc();
    dir.file("f/big", &super::common::noise(300_000, 1));
    fs::hard_link(dir.at("f/big"), dir.at("f/same")).unwrap();
    std::os::unix::fs::symlink("f", dir.at("link")).unwrap();
    for folders in [&["f"][..], &["f", "f"], &["f", "./f/", "f/big"], &[".", "f"], &["f", "link/"]]
    {
        let json = lossy(&ok(dir.hashlanes(&["dedup", "--json"]).args(folders)));
        assert!(json.contains("\"duplicate_bytes\":0,"), "{folders:?}: {json}");
    }
    fs::copy(dir.at("f/big"), dir.at("f/copy")).unwrap();
    let json = lossy(&ok(&mut dir.hashlanes(&["dedup", "--json", "f", "f"])));
    assert!(json.contains("\"duplicate_bytes\":300000,"), "{json}");
}

#[test]
fn a_copy_is_not_judged_by_its_original() {
    let dir = Dir::new();
    dir.file("original/a", b"abc").file("copy/a", b"damaged");
    let absolute = dir.at("original/a").to_str().unwrap().to_owned();
    dir.file("m", format!("{SHA256}  {absolute}\n").as_bytes());
    let (status, told, why) = said(&dir, &["check", "--report", "m", "copy"]);
    assert_eq!(status, 1);
    assert!(told.starts_with("\n0 unchanged, 0 changed, 1 missing, 1 new"), "{told}");
    assert!(why.contains("1 listed file has an absolute name outside of copy"), "{why}");
    // In its own folder, the name is right.
    let (status, told, _) = said(&dir, &["check", "--report", "m", "original"]);
    assert!(status == 0 && told.contains("1 unchanged"), "{told}");
}
