//! Manifests that are truncated, damaged, of unsupported functions, or ambiguous: none passes
//! silently.

use std::process::Output;

use crate::common::*;

const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";

/// Checks a manifest in a folder with the empty files `a` and `ab`.
fn check(options: &[&str], manifest: impl AsRef<[u8]>) -> Output {
    let dir = Dir::new();
    dir.file("a", b"").file("ab", b"").file("stdin", b"not this");
    run_with_input(dir.hashlanes(&["check"]).args(options), manifest.as_ref())
}

#[track_caller]
fn assert_output(output: &Output, status: i32, shown: &str, said: &str) {
    assert_eq!(lossy(&output.stdout), shown);
    assert_eq!(lossy(&output.stderr), said);
    assert_eq!(output.status.code(), Some(status));
}

#[test]
fn a_possibly_truncated_name_gets_a_warning() {
    let manifest = format!("{SHA256}  ab\n{SHA256}  a");
    let said = "hashlanes: 'standard input': WARNING: the last line is not terminated: it may be \
                truncated\n";
    assert_output(&check(&[], &manifest), 0, "ab: OK\na: OK\n", said);
    assert_output(&check(&["--strict"], &manifest), 1, "ab: OK\na: OK\n", said);
    assert_output(&check(&["--status"], &manifest), 0, "", "");
    assert_output(&check(&["--status", "--strict"], &manifest), 1, "", "");
    // A comment may be truncated: it is about no file.
    assert_output(&check(&["--strict"], format!("{SHA256}  a\n# b")), 0, "a: OK\n", "");
    let output = check(&["-z", "--strict"], format!("{SHA256}  ab\0{SHA256}  a"));
    assert_output(&output, 1, "ab: OK\na: OK\n", said);
}

#[test]
fn long_lines_are_read_or_fail() {
    let dir = Dir::new();
    dir.file("a", b"");
    // Paths that lead to `a`, some longer than Linux opens in one call.
    let dots = |length: usize| format!("{SHA256}  {}a\n", "./".repeat(length / 2));
    for length in [4000, 70_000, 1_000_000] {
        let output = run_with_input(&mut dir.hashlanes(&["check"]), dots(length).as_bytes());
        assert!(lossy(&output.stdout).ends_with("/a: OK\n"), "{}", lossy(&output.stderr));
        assert!(output.status.success());
    }
    let manifest = format!("{SHA256}  a\n{}{SHA256}  a\n", dots(2 << 20));
    for (options, said) in [(&[][..], ""), (&["-w"], "'standard input': line 2: more than")] {
        let output = run_with_input(dir.hashlanes(&["check"]).args(options), manifest.as_bytes());
        assert_eq!(lossy(&output.stdout), "a: OK\na: OK\n");
        assert!(lossy(&output.stderr).contains("WARNING: 1 line is too long to be read\n"));
        assert!(lossy(&output.stderr).contains(said));
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn unsupported_functions_are_reported() {
    let unknown = format!("MD6 (a) = {MD5}\nWHIRLPOOL (a) = {SHA256}{SHA256}\n");
    let said = "hashlanes: WARNING: 2 lines were not checked: no support for MD6, whirlpool\n";
    assert_output(&check(&[], &unknown), 1, "", said);
    let output = check(&[], format!("{SHA256}  a\n{unknown}"));
    assert_output(&output, 1, "a: OK\n", said);
    let said = "hashlanes: 'standard input': line 1: MD6 is not supported\n\
                hashlanes: 'standard input': line 2: whirlpool is not supported\n";
    assert!(lossy(&check(&["-w"], &unknown).stderr).starts_with(said));
    assert_output(&check(&["--status"], &unknown), 1, "", "");
    // One of two digests can be compared. The other is named.
    let header = "%%%% HASHDEEP-1.0\n%%%% size,md5,tiger,filename\n";
    let line = format!("0,{MD5},{},a\n", &SHA256[..48]);
    let hashdeep = format!("{header}{line}");
    let said = "hashlanes: WARNING: 1 file was compared without its digests of tiger\n";
    assert_output(&check(&[], &hashdeep), 0, "a: OK\n", said);
    assert_output(&check(&["-a", "md5"], &hashdeep), 0, "a: OK\n", "");
}

#[test]
fn the_standard_input_of_openssl_is_the_standard_input() {
    let dir = Dir::new();
    dir.file("stdin", b"not this").file("f", b"this");
    for flags in [&["dgst", "-sha256"][..], &["dgst", "-sha3-256"]] {
        let line = run_with_input(&mut dir.peer("openssl", flags), b"this").stdout;
        assert!(lossy(&line).contains("(stdin)= "));
        dir.file("m", &line);
        let output = run_with_input(&mut dir.hashlanes(&["check", "--read-special", "m"]), b"this");
        assert_eq!((lossy(&output.stdout), output.status.code()), ("-: OK\n".into(), Some(0)));
        let output = run_with_input(&mut dir.hashlanes(&["check", "--read-special", "m"]), b"that");
        assert_eq!((lossy(&output.stdout), output.status.code()), ("-: FAILED\n".into(), Some(1)));
        // It cannot be both the manifest and the file.
        let output = run_with_input(&mut dir.hashlanes(&["check"]), &line);
        assert_eq!(output.status.code(), Some(1));
        assert!(lossy(&output.stderr).contains("line 1: the standard input is the manifest\n"));
    }
}

#[test]
fn check_reads_lines_that_sum_ended_with_nul() {
    let dir = Dir::new();
    for name in odd_names() {
        dir.file(name, b"content");
    }
    for flags in [&[][..], &["--tag"], &["-b"], &["--base64"], &["-a", "sha1,sha512", "--tag"]] {
        let lines = ok(dir.hashlanes(&["sum", "-z", "-r", "."]).args(flags));
        let output = run_with_input(&mut dir.hashlanes(&["check", "-z", "--strict"]), &lines);
        assert_eq!(lossy(&output.stderr), "");
        assert!(output.status.success());
        let files = lossy(&output.stdout).matches(": OK\n").count();
        assert_eq!(files, odd_names().len() * if flags.len() == 3 { 2 } else { 1 });
    }
    assert_eq!(run(&mut dir.hashlanes(&["check", "-z", "--format", "csv"])).status.code(), Some(2));
}

#[test]
fn ambiguous_digests_get_a_hint() {
    let dir = Dir::new();
    dir.file("a", b"").file("b", b"");
    let hint = |taken: &str, others: &str| {
        let digits = if taken == "sha512" { 128 } else { 64 };
        format!(
            "hashlanes: 'standard input': lines with {digits} digits were taken for {taken}, and \
             none matched; if they are of another function, name it with -a: {others}\n"
        )
    };
    let others = "sha512-256, sm3, blake2b-256, blake2s, blake3, sha3-256, keccak256, shake128, \
                  turboshake128, kt128, sha256d";
    let sha256 = hint("sha256", others);
    let sha512 = hint("sha512", "blake2b, sha3-512, keccak512, shake256, turboshake256, kt256");
    for (algorithm, hint) in [("sha512-256", &sha256), ("sm3", &sha256), ("blake2b", &sha512)] {
        let lines = ok(&mut dir.hashlanes(&["sum", "-a", algorithm, "a", "b"]));
        let output = run_with_input(&mut dir.hashlanes(&["check"]), &lines);
        assert_eq!(lossy(&output.stdout), "a: FAILED\nb: FAILED\n");
        assert!(lossy(&output.stderr).ends_with(hint), "{}", lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1));
        let output = run_with_input(&mut dir.hashlanes(&["check", "-a", algorithm]), &lines);
        assert_output(&output, 0, "a: OK\nb: OK\n", "");
    }
    // If one digest matches, the function is right.
    let lines = ok(&mut dir.hashlanes(&["sum", "a", "b"]));
    dir.file("b", b"changed");
    let output = run_with_input(&mut dir.hashlanes(&["check"]), &lines);
    let said = "hashlanes: WARNING: 1 computed checksum did NOT match\n";
    assert_output(&output, 1, "a: OK\nb: FAILED\n", said);
}

#[test]
fn damage_in_a_format_with_columns_fails() {
    for manifest in [
        format!("path,sha256\na,{SHA256}\nb\n"),
        format!("path,sha256\na,{SHA256}\n\"ab,{SHA256}\n"),
        format!("{{\"path\":\"a\",\"digests\":{{\"sha256\":\"{SHA256}\"}}}}\n{{\"path\"}}\n"),
        format!("%%%% HASHDEEP-1.0\n%%%% size,sha256,filename\n0,{SHA256},a\n0,a\n"),
        "; SFV\na 00000000\nab 0000000\n".into(),
    ] {
        let output = check(&[], &manifest);
        assert_eq!(lossy(&output.stdout), "a: OK\n", "{manifest}");
        assert_eq!(output.status.code(), Some(1), "{manifest}");
    }
    // A text manifest may have a heading.
    let said = "hashlanes: 'standard input': line 1: expected a digest, got 'Of 20261122'\n\
                hashlanes: WARNING: 1 line is improperly formatted\n";
    assert_output(&check(&[], format!("Of 20261122\n{SHA256}  a\n")), 0, "a: OK\n", said);
}

#[test]
fn byte_order_marks_are_skipped() {
    let object = format!("{{\"path\":\"a\",\"digests\":{{\"sha256\":\"{SHA256}\"}}}}\r\n");
    for manifest in [
        format!("{SHA256}  a\r\n"),
        format!("SHA256 (a) = {SHA256}\r\n"),
        format!("path,sha256\r\na,{SHA256}\r\n"),
        object,
        format!("%%%% HASHDEEP-1.0\r\n%%%% size,sha256,filename\r\n0,{SHA256},a\r\n"),
        "; SFV\r\na 00000000\r\n".into(),
    ] {
        let marked = format!("\u{feff}{manifest}");
        assert_output(&check(&["--strict"], &marked), 0, "a: OK\n", "");
    }
}
