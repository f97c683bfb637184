//! Compares `hashlanes check` with `sha256sum -c` and its siblings on the same manifests.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};

use crate::common::*;

/// All combinations of flags that change what is printed, or the exit status.
const FLAGS: [&[&str]; 14] = [
    &[],
    &["--quiet"],
    &["--status"],
    &["--strict"],
    &["--warn"],
    &["-w", "--strict"],
    &["--ignore-missing"],
    &["--ignore-missing", "--quiet"],
    &["--ignore-missing", "--status"],
    &["--ignore-missing", "--strict", "-w"],
    &["--status", "-w"],
    &["--quiet", "-w"],
    &["-w", "--quiet"],
    &["--quiet", "--status"],
];

/// A directory with some files, and their lines by `program` with `flags`.
fn files_and_manifest(program: &str, flags: &[&str]) -> (Dir, String) {
    let dir = Dir::new();
    for i in 0..20_usize {
        dir.file(format!("{i}"), &noise(i * i * 700, i as u64));
    }
    let names: Vec<String> = (0..20).map(|i| i.to_string()).collect();
    let lines = lossy(&ok(dir.peer(program, flags).args(&names)));
    (dir, lines)
}

/// Compares with `program -c` under all flags.
#[track_caller]
fn assert_checks_the_same(dir: &Dir, algorithm: &str, program: &str, manifest: impl AsRef<[u8]>) {
    fs::write(dir.at("manifest"), manifest).unwrap();
    for flags in FLAGS {
        let mut ours = dir.hashlanes(&["check", "-a", algorithm]);
        let mut theirs = dir.peer(program, &["-c"]);
        assert_tells_the_same(ours.args(flags).arg("manifest"), theirs.args(flags).arg("manifest"));
    }
}

/// Compares outputs. Older versions of GNU's tools escape only names with a newline.
#[track_caller]
fn assert_prints_the_same(ours: &[u8], theirs: &[u8], what: &str) {
    let older = |line: &[u8]| {
        let unescaped = line.strip_prefix(b"\\").and_then(|line| {
            let line = lossy(line).replace("\\\\", "\0").replace("\\r", "\r");
            (!line.contains("\\n")).then(|| line.replace('\0', "\\").into_bytes())
        });
        unescaped.unwrap_or_else(|| line.to_vec())
    };
    let older = || ours.split(|&b| b == b'\n').map(older).collect::<Vec<_>>().join(&b'\n');
    if ours != theirs {
        assert_same(&older(), theirs, what);
    }
}

/// Compares runs in which ours gives reasons for improper lines, and names some without `--warn`.
#[track_caller]
fn assert_tells_the_same(ours: &mut Command, theirs: &mut Command) {
    let what = format!("{ours:?} and {theirs:?}");
    let program = theirs.get_program().to_str().unwrap().to_owned();
    let (a, b) = (run(ours), run(theirs));
    assert_prints_the_same(&a.stdout, &b.stdout, &what);
    assert_eq!(status(&a), b.status.code(), "{what}");
    let (a, b) = (told(&a.stderr, "hashlanes"), told(&b.stderr, &program));
    assert_eq!(a.1, b.1, "{what}");
    if what.contains("\"-w\"") && !b.0.is_empty() {
        assert_eq!(a.0, b.0, "{what}");
    }
}

#[test]
fn unusable_lines_are_reported_with_the_reason() {
    let (dir, lines) = files_and_manifest("sha1sum", &[]);
    let said = |options: &[&str], manifest: &str| {
        let output = run_with_input(dir.hashlanes(&["check"]).args(options), manifest.as_bytes());
        assert_eq!(output.status.code(), Some(1), "{manifest}");
        lossy(&output.stderr).replace("hashlanes: 'standard input': ", "")
    };
    let cut = lines.replacen(&lines[..1], "", 1);
    let reason = "line 1: expected 40 hexadecimal digits for SHA1, got 39\n";
    let warning = "hashlanes: WARNING: 1 line is improperly formatted\n";
    let first = |text: &str| text.split_inclusive('\n').next().unwrap().to_owned();
    assert_eq!(said(&["--strict"], &cut), format!("{reason}{warning}"));
    let none = "no usable line\n";
    assert_eq!(said(&[], &first(&cut)), format!("{reason}{none}{warning}"));
    assert_eq!(said(&["--status"], &first(&cut)), none);
    // Of garbage, the first lines are named.
    let garbage = "garbage\n".repeat(1000);
    let told = said(&[], &garbage);
    let warning = "hashlanes: WARNING: 1000 lines are improperly formatted\n";
    assert_eq!(told.lines().count(), 10, "{told}");
    assert!(
        told.starts_with("line 1: expected a digest, got garbage\n") && told.ends_with(warning),
        "{told}"
    );
    assert_eq!(said(&["-w"], &garbage).lines().count(), 1002);
    // Manifests that list nothing.
    for (manifest, expected) in [
        ("", "the manifest is empty\n"),
        ("\n\r\n", "the manifest is empty\n"),
        ("\u{feff}", "the manifest is empty\n"),
        ("# a\n; b\n", "the manifest has only comments\n"),
        ("path,sha1\n", "the manifest has only a header\n"),
        ("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n", "the manifest has only a header\n"),
    ] {
        assert_eq!(said(&[], manifest), expected);
    }
}

#[test]
fn good_and_bad_files_are_reported_as_by_coreutils() {
    for (algorithm, program) in COREUTILS {
        for format in [&[][..], &["--tag"], &["-b"]] {
            let (dir, lines) = files_and_manifest(program, format);
            assert_checks_the_same(&dir, algorithm, program, &lines);
            dir.file("3", b"changed");
            assert_checks_the_same(&dir, algorithm, program, &lines);
            dir.file("17", b"changed");
            fs::remove_file(dir.at("5")).unwrap();
            assert_checks_the_same(&dir, algorithm, program, &lines);
            fs::remove_file(dir.at("6")).unwrap();
            fs::create_dir(dir.at("6")).unwrap();
            assert_checks_the_same(&dir, algorithm, program, &lines);
            for i in 0..20 {
                let _ = fs::remove_file(dir.at(format!("{i}")));
            }
            assert_checks_the_same(&dir, algorithm, program, &lines);
        }
    }
}

#[test]
fn improper_lines_are_reported_as_by_coreutils() {
    let dir = Dir::new();
    dir.file("ok", b"")
        .file("n\nl", b"")
        .file("b\\s", b"")
        .file("c\rr", b"")
        .file(" ok", b"")
        .file("bad", b"x");
    let good = lossy(&ok(&mut dir.peer("sha256sum", &["ok"])))[..64].to_owned();
    let upper = good.to_uppercase();
    let short = &good[..63];
    let lines = [
        format!("{good}  ok"),
        format!("{good} *ok"),
        format!("{good} ok"),
        format!("{good}   ok"),
        format!("{good}\tok"),
        format!("{good}\t*ok"),
        format!("{good} \tok"),
        format!("{upper}  ok"),
        format!("  \t{good}  ok"),
        format!("{good}  bad"),
        format!("{good}  missing"),
        good.clone(),
        format!("{good} "),
        format!("{good}  "),
        format!("{good} *"),
        format!("{good}ok"),
        format!("{good}0  ok"),
        format!("{short}  ok"),
        format!("{short}g  ok"),
        format!("{short} ok"),
        format!("\\{good}  n\\nl"),
        format!("\\{good}  b\\\\s"),
        format!("\\{good}  c\\rr"),
        format!("\\{good}  ok"),
        format!("\\{good}  c\\xr"),
        format!("\\{good}  ok\\"),
        format!("{good}  b\\s"),
        format!("\\\\{good}  ok"),
        format!("SHA256 (ok) = {good}"),
        format!("SHA256(ok)= {good}"),
        format!("SHA256 (ok)={upper}"),
        format!("SHA256  (ok) = {good}"),
        format!("SHA256 (ok) {good}"),
        format!("SHA256 (ok = {good}"),
        format!("SHA256 ok) = {good}"),
        format!("SHA256 (ok) = {good}0"),
        format!("SHA256 (ok) = {good} "),
        format!("SHA256 (ok) = {short}"),
        format!("SHA256 (ok) == {good}"),
        format!("SHA256 () = {good}"),
        format!("SHA256 (ok)x = {good}"),
        "SHA256".into(),
        "SHA256 (".into(),
        format!("\\SHA256 (n\\nl) = {good}"),
        format!("\\SHA256 (n\\l) = {good}"),
        format!(" SHA256 (ok) = {good}"),
        format!("sha256 (ok) = {good}"),
        format!("SHA224 (ok) = {good}"),
        "MD5 (ok) = d41d8cd98f00b204e9800998ecf8427e".into(),
        "d41d8cd98f00b204e9800998ecf8427e  ok".into(),
        format!("# {good}  ok"),
        format!(" # {good}  ok"),
        format!("{good}  ok\r"),
        "\r".into(),
        "".into(),
        " ".into(),
        "nonsense".into(),
    ];
    // Check each line by itself, each after a normal line, all together, and all in reverse.
    for line in &lines {
        fs::write(dir.at("one"), format!("{line}\n")).unwrap();
        fs::write(dir.at("two"), format!("{good}  ok\n{line}\n")).unwrap();
        for (manifest, flag) in [("one", "-w"), ("two", "-w"), ("two", "--strict")] {
            assert_tells_the_same(
                &mut dir.hashlanes(&["check", "-a", "sha256", flag, manifest]),
                &mut dir.peer("sha256sum", &["-c", flag, manifest]),
            );
        }
    }
    assert_checks_the_same(&dir, "sha256", "sha256sum", lines.join("\n") + "\n");
    let reverse: Vec<_> = lines.iter().rev().cloned().collect();
    assert_checks_the_same(&dir, "sha256", "sha256sum", reverse.join("\r\n") + "\r\n");
}

#[test]
fn manifests_of_all_tools_are_accepted_without_naming_the_algorithm() {
    let (dir, _) = files_and_manifest("md5sum", &[]);
    let names: Vec<String> = (0..20).map(|i| i.to_string()).collect();
    let expected: String = names.iter().map(|name| format!("{name}: OK\n")).collect();
    let assert_ok = |manifest: &[u8], what: &str| {
        let output = run_with_input(&mut dir.hashlanes(&["check", "--strict"]), manifest);
        assert_same(&output.stdout, expected.as_bytes(), what);
        assert_eq!(lossy(&output.stderr), "", "{what}");
        assert!(output.status.success(), "{what}");
    };
    for (algorithm, program) in COREUTILS {
        for format in [&[][..], &["-b"], &["--tag"]] {
            assert_ok(&ok(dir.peer(program, format).args(&names)), program);
        }
        assert_ok(
            &ok(dir.peer("openssl", &["dgst", &format!("-{algorithm}")]).args(&names)),
            "openssl",
        );
        assert_ok(
            &ok(dir.peer("openssl", &["dgst", "-r", &format!("-{algorithm}")]).args(&names)),
            "openssl -r",
        );
    }
    assert_ok(&ok(dir.peer("shasum", &["-a", "512256", "--tag"]).args(&names)), "shasum --tag");
    assert_ok(
        &ok(dir.peer("openssl", &["dgst", "-sha512-256"]).args(&names)),
        "openssl sha512-256",
    );
    assert_ok(&ok(dir.peer("openssl", &["dgst", "-sm3"]).args(&names)), "openssl sm3");
    assert_ok(&ok(dir.peer("cksum", &["-a", "sm3"]).args(&names)), "cksum sm3");

    // Plain lines of SHA-512/256 look like those of SHA-256. The option decides.
    let plain = ok(dir.peer("shasum", &["-a", "512256"]).args(&names));
    let output = run_with_input(&mut dir.hashlanes(&["check", "-a", "sha512-256"]), &plain);
    assert_same(&output.stdout, expected.as_bytes(), "shasum");
    let output = run_with_input(&mut dir.hashlanes(&["check", "--quiet"]), &plain);
    assert_eq!(output.status.code(), Some(1));

    // Mixed in one manifest.
    let mixed: Vec<u8> = ["md5sum", "sha1sum", "sha512sum"]
        .iter()
        .zip([&names[..5], &names[5..12], &names[12..]])
        .flat_map(|(program, names)| ok(dir.peer(program, &[]).args(names)))
        .collect();
    assert_ok(&mixed, "mixed");
}

#[test]
fn what_sum_prints_is_accepted_by_all() {
    let dir = Dir::new();
    let names = odd_names();
    for (i, name) in names.iter().enumerate() {
        dir.file(name, &noise(i * 20_000, 8));
    }
    for flags in [&[][..], &["--tag"], &["-b"]] {
        for (algorithm, program) in COREUTILS {
            let lines =
                ok(dir.hashlanes(&["sum", "-a", algorithm]).args(flags).arg("--").args(&names));
            fs::write(dir.at("manifest"), &lines).unwrap();
            let theirs = ok(&mut dir.peer(program, &["-c", "--strict", "manifest"]));
            let ours = ok(&mut dir.hashlanes(&["check", "--strict", "manifest"]));
            assert_prints_the_same(&ours, &theirs, program);
            assert_eq!(ours.iter().filter(|&&byte| byte == b'\n').count(), names.len());
        }
    }
}

#[test]
fn every_name_is_reported_as_by_coreutils() {
    let dir = Dir::new();
    for name in odd_names() {
        dir.file(name, name.as_bytes());
    }
    let lines = ok(dir.peer("sha256sum", &["--"]).args(odd_names()));
    for (i, name) in odd_names().iter().enumerate() {
        match i % 3 {
            0 => drop(dir.file(name, b"changed")),
            1 => fs::remove_file(dir.at(name)).unwrap(),
            _ => {}
        }
    }
    assert_checks_the_same(&dir, "sha256", "sha256sum", &lines);
}

#[test]
fn a_truncated_manifest_fails() {
    let (dir, lines) = files_and_manifest("sha256sum", &[]);
    let names = ["0", "1", "2"];
    let lines = lines.lines().take(3).collect::<Vec<_>>().join("\n") + "\n";
    let begin = lines.trim_end().rfind('\n').unwrap() + 1;
    let (mut refused, mut cut_off) = (0, 0);
    for end in begin + 1..lines.len() - 1 {
        let output = run_with_input(&mut dir.hashlanes(&["check"]), &lines.as_bytes()[..end]);
        let (shown, error) = (lossy(&output.stdout), lossy(&output.stderr));
        assert_eq!(output.status.code(), Some(1), "cut at {end}: {error}");
        assert!(shown.starts_with("0: OK\n1: OK\n"), "{shown}");
        assert!(!shown.contains("2: OK"), "{shown}");
        refused += 1;
        if error.contains("WARNING: 1 line is improperly formatted\n") {
            assert!(
                error.ends_with("hashlanes: 'standard input': the last line is truncated\n"),
                "{error}"
            );
            cut_off += 1;
        }
    }
    // All are truncated except the one that ends between the blanks and the name.
    assert!(refused > 60 && cut_off >= refused - 1, "{cut_off} of {refused}");
    // If only the line terminator is missing, nothing is lost.
    let output = run_with_input(&mut dir.hashlanes(&["check"]), lines.trim_end().as_bytes());
    assert_same(
        &output.stdout,
        names.map(|name| format!("{name}: OK\n")).concat().as_bytes(),
        "no newline",
    );
    assert!(output.status.success());
}

#[test]
fn several_manifests_are_checked_one_after_another() {
    let (dir, lines) = files_and_manifest("sha256sum", &[]);
    dir.file("7", b"changed")
        .file("good", lines.as_bytes())
        .file("none", b"nothing here\n")
        .file("empty", b"");
    dir.file("gone", lines.replace("  ", "  not/").as_bytes());
    for manifests in [
        &["good", "good"][..],
        &["missing", "good"],
        &["good", "missing", "none", "good"],
        &["empty"],
        &["none", "gone", "good"],
    ] {
        for flags in FLAGS {
            assert_tells_the_same(
                dir.hashlanes(&["check", "-a", "sha256"]).args(flags).args(manifests),
                dir.peer("sha256sum", &["-c"]).args(flags).args(manifests),
            );
        }
    }
    let output = run(&mut dir.hashlanes(&["check", "/proc/self/mem", ".", "good"]));
    let error = lossy(&output.stderr);
    assert!(
        error.starts_with(
            "hashlanes: /proc/self/mem: Input/output error\nhashlanes: .: Is a directory\n"
        ),
        "{error}"
    );
    assert!(lossy(&output.stdout).contains("7: FAILED\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_standard_input_may_be_manifest_or_file() {
    let (dir, lines) = files_and_manifest("sha256sum", &[]);
    for arguments in [&["-w"][..], &["-w", "-"]] {
        let manifest = lines.clone() + "nonsense\n" + &lines[..66] + "-\n";
        let ours = run_with_input(
            dir.hashlanes(&["check", "-a", "sha256"]).args(arguments),
            manifest.as_bytes(),
        );
        let theirs =
            run_with_input(dir.peer("sha256sum", &["-c"]).args(arguments), manifest.as_bytes());
        assert_same(&ours.stdout, &theirs.stdout, "standard input");
        assert_eq!(told(&ours.stderr, "hashlanes"), told(&theirs.stderr, "sha256sum"));
        assert_eq!(ours.status.code(), theirs.status.code());
    }
    let line = run_with_input(&mut dir.peer("sha256sum", &[]), b"from the pipe");
    dir.file("m", &line.stdout);
    assert_eq!(
        lossy(
            &run_with_input(
                &mut dir.hashlanes(&["check", "--read-special", "m"]),
                b"from the pipe"
            )
            .stdout
        ),
        "-: OK\n"
    );
}

#[test]
fn lines_are_checked_as_they_come() {
    let (dir, lines) = files_and_manifest("sha256sum", &[]);
    let mut child =
        dir.hashlanes(&["check"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut results = BufReader::new(child.stdout.take().unwrap()).lines();
    for (i, line) in lines.lines().enumerate() {
        writeln!(stdin, "{line}").unwrap();
        // The next line is written only when the result of this one has arrived.
        assert_eq!(results.next().unwrap().unwrap(), format!("{i}: OK"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_line_without_end_is_not_held_in_memory() {
    let dir = Dir::new();
    // 300 MB in one line, followed by a valid one.
    let script = "(head -c 300000000 /dev/zero | tr '\\0' a; echo; sha256sum /dev/null) | \
                  (ulimit -v 2000000; exec \"$0\" check --read-special -w)";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!(lossy(&output.stdout), "/dev/null: OK\n");
    assert!(lossy(&output.stderr).contains("'standard input': line 1: more than 1024 KiB\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn utf_8_marks_are_skipped_and_utf_16_is_read() {
    let (dir, lines) = files_and_manifest("sha256sum", &[]);
    let with_mark = format!("\u{feff}{}", lines.replace('\n', "\r\n"));
    let output = run_with_input(&mut dir.hashlanes(&["check", "--strict"]), with_mark.as_bytes());
    assert_eq!(lossy(&output.stderr), "");
    assert_eq!(lossy(&output.stdout).matches(": OK\n").count(), 20);
    // But not elsewhere, where it would be part of the content.
    let inside = format!("{lines}\u{feff}{lines}");
    let output = run_with_input(&mut dir.hashlanes(&["check", "--strict"]), inside.as_bytes());
    assert!(lossy(&output.stderr).contains("1 line is improperly formatted"));
    for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
        let utf_16: Vec<u8> = with_mark.encode_utf16().flat_map(bytes).collect();
        dir.file("utf-16", &utf_16);
        let output = run(&mut dir.hashlanes(&["check", "--strict", "utf-16"]));
        assert_eq!(output.status.code(), Some(0), "{}", lossy(&output.stderr));
        assert_eq!(lossy(&output.stdout).matches(": OK\n").count(), 20);
    }
}

#[test]
fn a_forced_kernel_is_refused_if_no_algorithm_has_it() {
    let (dir, lines) = files_and_manifest("md5sum", &[]);
    dir.file("m", lines.as_bytes());
    assert!(run(&mut dir.hashlanes(&["check", "--kernel", "portable", "m"])).status.success());
    // MD5 has no sha-ni. Without -a, other algorithms of the manifest could have it.
    for arguments in [&["--kernel", "warp"][..], &["-a", "md5", "--kernel", "sha-ni"]] {
        let output = run(dir.hashlanes(&["check", "m"]).args(arguments));
        assert_eq!(output.status.code(), Some(2), "{}", lossy(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn a_closed_pipe_ends_the_check_quietly() {
    let dir = Dir::new();
    let script = "set -o pipefail; yes \"$(sha256sum /dev/null)\" | \
                  timeout 60 \"$0\" check --read-special - | head -1; echo ${PIPESTATUS[1]}";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!(lossy(&output.stdout), "/dev/null: OK\n141\n");
    assert_eq!(
        lossy(&output.stderr).lines().filter(|line| line.starts_with("hashlanes")).count(),
        0
    );
}

#[test]
fn a_url_is_not_beside_a_folder_and_has_no_query() {
    let dir = Dir::new();
    dir.file("a", b"abc");
    dir.file("SUMS", b"900150983cd24fb0d6963f7d28e17f72  a\n");
    for (arguments, why) in [
        (&["check", "SUMS", "s3://bucket", "."][..], "not below both"),
        (&["check", "--base", ".", "SUMS", "s3://bucket"], "not below both"),
        (&["check", "SUMS", "http://host/folder?page=2"], "a URL with a query"),
    ] {
        let output = run(&mut dir.hashlanes(arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(lossy(&output.stderr).contains(why), "{}", lossy(&output.stderr));
        assert!(output.stdout.is_empty());
    }
}
