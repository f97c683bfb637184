//! URLs and what is about objects, in a program that was built without them.

use crate::common::*;

const MISSING: &str = "built without the feature `objects`";
const INSTALL: &str = "cargo install --path crates/hashlanes-cli --features objects";

fn explains(output: &[u8]) -> bool {
    let text = lossy(output).split_whitespace().collect::<Vec<_>>().join(" ");
    text.contains(MISSING) && text.contains(INSTALL)
}

#[test]
fn every_command_says_of_a_url_which_feature_reads_it() {
    let dir = Dir::new();
    dir.file("MANIFEST", b"900150983cd24fb0d6963f7d28e17f72  s3://bucket/a\n");
    dir.file("list", b"s3://bucket/a\n");
    let url = "s3://bucket/a";
    for arguments in [
        &["sum", url][..],
        &["sum", "-r", url],
        &["sum", "--files-from", "list"],
        &["sum", url, "--resume", "SUMS"],
        &["check", "--allow-remote", "MANIFEST"],
        &["check", "--allow-remote", "MANIFEST", "https://host/folder"],
        &["check", "https://host/SUMS"],
        &["tree", "s3-etag", url],
        &["tree", "s3-etag", "-r", url],
        &["tree", "s3-etag", "--match", "900150983cd24fb0d6963f7d28e17f72", url],
        &["tree", "chunks", url],
        &["dedup", url],
    ] {
        let output = run(&mut dir.hashlanes(arguments));
        assert!(!output.status.success(), "{arguments:?}");
        assert!(explains(&output.stderr), "{arguments:?}: {}", lossy(&output.stderr));
    }
}

#[test]
fn files_beside_a_url_are_hashed() {
    let dir = Dir::new();
    dir.file("abc", b"abc");
    let output = run(&mut dir.hashlanes(&["sum", "-a", "md5", "s3://bucket/a", "abc"]));
    assert_eq!(lossy(&output.stdout), "900150983cd24fb0d6963f7d28e17f72  abc\n");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn an_option_about_objects_is_explained() {
    let dir = Dir::new();
    for arguments in [
        &["sum", "--anonymous", "s3://bucket/a"][..],
        &["sum", "--endpoint=http://host", "s3://bucket/a"],
        &["sum", "--store", "s3://bucket/a"],
        &["check", "--stored", "MANIFEST", "s3://bucket/a"],
    ] {
        let output = run(&mut dir.hashlanes(arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(explains(&output.stderr), "{arguments:?}: {}", lossy(&output.stderr));
    }
    let other = run(&mut dir.hashlanes(&["sum", "--unknown", "a"]));
    assert!(!explains(&other.stderr));
}
