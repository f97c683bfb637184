//! The program on Windows: names, separators, manifests from and for other systems, devices, and
//! digests that coreutils computed for the same files.
//!
//! `NOT TESTED` is printed where this Windows (such as wine) cannot create the required file.
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::windows::ffi::OsStringExt;
use std::os::windows::fs::{symlink_dir, symlink_file};
use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::*;
use hashlanes::Algorithm;

/// A plain line for a file with this content.
fn line(content: &[u8], name: &str) -> String {
    format!("{}  {name}\n", Algorithm::Sha256.digest(content))
}

/// Compares the output of a run that must succeed.
#[track_caller]
fn assert_prints(command: &mut Command, expected: &str) {
    let output = run(command);
    assert_eq!(lossy(&output.stderr), "", "{command:?}");
    assert_eq!(lossy(&output.stdout), expected, "{command:?}");
    assert!(output.status.success(), "{command:?}");
}

/// `\\?\` and the absolute path of a name in the folder.
fn literal(dir: &Dir, name: impl AsRef<Path>) -> std::path::PathBuf {
    fs::canonicalize(dir.path()).unwrap().join(name)
}

#[test]
fn every_size_hashes_as_coreutils_did() {
    let (dir, names) = sized_files();
    let list = lossy(COREUTILS_LINES);
    let mut lines = list.lines();
    for (algorithm, _) in COREUTILS {
        let of_all: String =
            lines.by_ref().take(names.len()).map(|line| format!("{line}\n")).collect();
        for threads in ["1", "3"] {
            let arguments = ["sum", "--tag", "-a", algorithm, "--threads", threads];
            assert_prints(dir.hashlanes(&arguments).args(&names), &of_all);
        }
    }
    assert_eq!(lines.next(), None);
    dir.file("list", COREUTILS_LINES);
    let lines = ok(&mut dir.hashlanes(&["check", "--strict", "list"]));
    assert_eq!(lines.split(|&byte| byte == b'\n').count(), 6 * SIZES.len() + 1);
}

#[test]
fn printed_names_have_slashes_and_are_read_back() {
    let dir = Dir::new();
    let names = ["sub/a", "sub/deep er/é", "sub/𝄞.txt", "sub/a(b) = c", "#a"];
    for name in names {
        dir.file(name, name.as_bytes());
    }
    let expected: String = names.iter().map(|name| line(name.as_bytes(), name)).collect();
    let with_backslashes = names.map(|name| name.replace('/', r"\"));
    assert_prints(dir.hashlanes(&["sum"]).args(names), &expected);
    assert_prints(dir.hashlanes(&["sum"]).args(&with_backslashes), &expected);
    let oks = names.map(|name| format!("{name}: OK\n")).concat();
    for flags in [&[][..], &["--tag"], &["-b"]] {
        let lines = ok(dir.hashlanes(&["sum"]).args(flags).args(&with_backslashes));
        assert!(!lines.contains(&b'\\') && !lines.contains(&b'\r'), "{}", lossy(&lines));
        dir.file("manifest", &lines);
        assert_prints(&mut dir.hashlanes(&["check", "--strict", "manifest"]), &oks);
    }
    // Absolute paths of all three kinds.
    for path in [dir.at(r"sub\a"), dir.at("sub/a"), literal(&dir, r"sub\a")] {
        let shown = path.to_str().unwrap().replace('\\', "/");
        let lines = line(b"sub/a", &shown);
        assert_prints(dir.hashlanes(&["sum"]).arg(&path), &lines);
        dir.file("manifest", lines.as_bytes());
        assert_prints(&mut dir.hashlanes(&["check", "manifest"]), &format!("{shown}: OK\n"));
    }
}

#[test]
fn manifests_of_other_programs_are_read() {
    let dir = Dir::new();
    dir.file("sub/a", b"a").file("b", b"b");
    let digest = Algorithm::Sha256.digest(b"a");
    let b = line(b"b", "b");
    for manifest in [
        // Ports of GNU's programs, which escape the separator; hashdeep's sibling; ours.
        format!("\\{digest} *sub\\\\a\n{b}"),
        format!("{digest}  sub\\a\n{b}"),
        format!("{digest}  sub/a\n{b}"),
        format!("SHA256 (sub\\a) = {digest}\n{b}"),
        // Windows editors.
        format!("{digest}  sub/a\r\n{}\r\n", b.trim_end()),
        format!("\u{feff}{digest}  sub/a\r\n{}\r\n", b.trim_end()),
    ] {
        dir.file("manifest", manifest.as_bytes());
        let mut check = dir.hashlanes(&["check", "--strict", "manifest"]);
        assert_prints(&mut check, "sub/a: OK\nb: OK\n");
    }
}

#[test]
fn impossible_names_are_reported() {
    let dir = Dir::new();
    dir.file("a", b"a");
    let digest = Algorithm::Sha256.digest(b"a");
    let mut manifest = line(b"a", "a").into_bytes();
    for name in [&b"caf\xe9"[..], b"a*b"] {
        manifest.extend([format!("{digest}  ").as_bytes(), name, b"\n"].concat());
    }
    dir.file("manifest", &manifest);
    let output = run(&mut dir.hashlanes(&["check", "manifest"]));
    let expected = b"a: OK\ncaf\xe9: FAILED open or read\na*b: FAILED open or read\n";
    assert_same(&output.stdout, expected, "impossible names");
    let errors = lossy(&output.stderr);
    let first = "hashlanes: 'caf'$'\\351': no file can have this name: it is not valid Unicode\n";
    assert!(errors.starts_with(first), "{errors}");
    assert!(errors.contains("hashlanes: 'a*b': "), "{errors}");
    assert!(errors.ends_with("WARNING: 2 listed files could not be read\n"), "{errors}");
    assert_eq!(output.status.code(), Some(3));
    // They are missing for whatever reason.
    assert_prints(&mut dir.hashlanes(&["check", "--ignore-missing", "manifest"]), "a: OK\n");
}

#[test]
fn a_lone_surrogate_is_not_lost() {
    let dir = Dir::new();
    let names: Vec<OsString> =
        [0xd800, 0xdfff].iter().map(|&unit| OsString::from_wide(&[0x61, unit])).collect();
    let shown = [&b"a\xed\xa0\x80"[..], b"a\xed\xbf\xbf"];
    // A name that does not exist is reported without loss, too.
    let output = run(dir.hashlanes(&["sum"]).args(&names));
    let errors = lossy(&output.stderr);
    assert!(errors.contains(r"'a'$'\355\240\200': "), "{errors}");
    assert!(errors.contains(r"'a'$'\355\277\277': "), "{errors}");
    let can_be_made = |name: &OsString| fs::write(dir.at(name), b"x").is_ok();
    if !names.iter().all(can_be_made) || fs::read_dir(dir.path()).unwrap().count() != 2 {
        eprintln!("NOT TESTED: this system refuses or changes such names");
        let mut manifest = Vec::new();
        let mut expected = Vec::new();
        for name in shown {
            manifest.extend([line(b"x", "").trim_end().as_bytes(), b"  ", name, b"\n"].concat());
            expected.extend([name, b": FAILED open or read\n"].concat());
        }
        dir.file("manifest", &manifest);
        let output = run(&mut dir.hashlanes(&["check", "manifest"]));
        assert_same(&output.stdout, &expected, "surrogates");
        assert!(lossy(&output.stderr).contains(r"'a'$'\355\240\200'"), "{output:?}");
        return;
    }
    let lines: Vec<u8> = shown
        .iter()
        .flat_map(|name| [line(b"x", "").trim_end().as_bytes(), b"  ", name, b"\n"].concat())
        .collect();
    assert_same(&ok(dir.hashlanes(&["sum"]).args(&names)), &lines, "arguments");
    let tree = ok(&mut dir.hashlanes(&["sum", "-r", "."]));
    assert_eq!(tree.split(|&byte| byte == b'\n').count(), 3);
    dir.file("manifest", &lines);
    let checked = ok(&mut dir.hashlanes(&["check", "--strict", "manifest"]));
    assert_same(&checked, b"a\xed\xa0\x80: OK\na\xed\xbf\xbf: OK\n", "check");
}

#[test]
fn long_paths_are_read() {
    let dir = Dir::new();
    let folders = ["x".repeat(90), "y".repeat(90), "z".repeat(90)].join("/");
    let name = format!("{folders}/file");
    assert!(name.len() > 260);
    dir.file(&name, b"long");
    let expected = line(b"long", &name);
    assert_prints(&mut dir.hashlanes(&["sum", &name]), &expected);
    assert_prints(&mut dir.hashlanes(&["sum", &name.replace('/', r"\")]), &expected);
    assert_prints(&mut dir.hashlanes(&["sum", "-r", &"x".repeat(90)]), &expected);
    let path = literal(&dir, name.replace('/', r"\"));
    let shown = path.to_str().unwrap().replace('\\', "/");
    assert_prints(dir.hashlanes(&["sum"]).arg(&path), &line(b"long", &shown));
    dir.file("manifest", expected.as_bytes());
    assert_prints(&mut dir.hashlanes(&["check", "manifest"]), &format!("{name}: OK\n"));
}

#[test]
fn a_file_may_have_the_name_of_a_device() {
    let dir = Dir::new();
    let names = ["con", "aux.c", "nul", "COM1", "ends in a dot.", "and a space "];
    let mut manifest = String::new();
    let mut expected = String::new();
    fs::create_dir(dir.at("sub")).unwrap();
    for name in names {
        let name = format!("sub/{name}");
        // Nothing to read: these are neither the devices nor short names.
        let output = run(&mut dir.hashlanes(&["sum", &name]));
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        assert!(lossy(&output.stderr).contains(&missing()), "{name}: {output:?}");
        let path = literal(&dir, name.replace('/', r"\"));
        if fs::write(&path, name.as_bytes()).is_err() {
            eprintln!("NOT TESTED: this system refuses the file {name:?}");
            continue;
        }
        let line = line(name.as_bytes(), &name);
        assert_prints(&mut dir.hashlanes(&["sum", &name]), &line);
        manifest += &line;
        expected += &format!("{name}: OK\n");
    }
    assert!(!manifest.is_empty());
    dir.file("manifest", manifest.as_bytes());
    assert_prints(&mut dir.hashlanes(&["check", "manifest"]), &expected);
    let mut lines: Vec<_> = manifest.lines().collect();
    lines.sort_by_key(|line| &line[66..]);
    let tree = ok(&mut dir.hashlanes(&["sum", "-r", "sub"]));
    assert_eq!(lossy(&tree), lines.join("\n") + "\n");
}

#[test]
fn devices_are_read_by_their_full_names() {
    let null = r"\\.\NUL";
    assert_prints(hashlanes().args(["sum", null]), &line(b"", "//./NUL"));
}

#[test]
fn unreadable_files_are_reported_and_the_rest_hashed() {
    let dir = Dir::new();
    dir.file("good", b"good").file("sub/a", b"a");
    let names = ["missing", "with space", "sub", "good/below", "no/folder/x", "", "good"];
    let output = run(dir.hashlanes(&["sum", "good"]).args(names));
    assert_eq!(lossy(&output.stdout), line(b"good", "good").repeat(2));
    let errors = lossy(&output.stderr);
    let errors: Vec<_> = errors.lines().collect();
    assert_eq!(errors.len(), 6, "{errors:?}");
    assert_eq!(errors[0], format!("hashlanes: missing: {}", missing()));
    assert_eq!(errors[1], format!("hashlanes: 'with space': {}", missing()));
    assert_eq!(errors[2], "hashlanes: sub: is a directory");
    assert!(errors[3].starts_with("hashlanes: good/below: "), "{errors:?}");
    assert!(errors[5].starts_with("hashlanes: '': "), "{errors:?}");
    assert!(errors.iter().all(|error| !error.contains("os error")), "{errors:?}");
    assert_eq!(output.status.code(), Some(1));
    let output = run(&mut dir.hashlanes(&["check", "sub", "missing"]));
    let expected = format!("hashlanes: sub: is a directory\nhashlanes: missing: {}\n", missing());
    assert_eq!(lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_tree_comes_in_the_same_order_as_elsewhere() {
    let dir = Dir::new();
    // Sorted around `/`, which is less than `0` but greater than `-`; `\` would follow the
    // capitals.
    let names =
        ["a!/1", "a-b", "a.b", "a/x", "a/y-", "a/y.d/e", "a/y/z", "a0", "b/Z", "b/é", "b/𝄞"];
    for name in names {
        dir.file(format!("tree/{name}"), name.as_bytes());
    }
    fs::create_dir(dir.at("tree/empty")).unwrap();
    let lines = |prefix: &str| -> String {
        names.iter().map(|name| line(name.as_bytes(), &format!("{prefix}{name}"))).collect()
    };
    for (root, prefix) in
        [("tree", "tree/"), ("tree/", "tree/"), (r".\tree\", "./tree/"), (".", "./tree/")]
    {
        assert_prints(&mut dir.hashlanes(&["sum", "-r", root]), &lines(prefix));
    }
    // Not followed below a root, but followed if it is one.
    let folder = symlink_dir(dir.at("tree/a"), dir.at("tree/link-to-folder"));
    let file = symlink_file(dir.at("tree/a0"), dir.at("tree/link-to-file"));
    if folder.is_err() || file.is_err() || !dir.at("tree/link-to-file").is_symlink() {
        eprintln!("NOT TESTED: this system makes no symbolic links: {folder:?}, {file:?}");
        return;
    }
    assert_prints(&mut dir.hashlanes(&["sum", "-r", "tree"]), &lines("tree/"));
    let followed = ok(&mut dir.hashlanes(&["sum", "-r", "tree/link-to-folder"]));
    assert_eq!(followed.split(|&byte| byte == b'\n').count(), 5, "{}", lossy(&followed));
    assert_prints(
        &mut dir.hashlanes(&["sum", "tree/link-to-file"]),
        &line(b"a0", "tree/link-to-file"),
    );
}

#[test]
fn wildcards_are_expanded() {
    let dir = Dir::new();
    for name in ["b.txt", "a.txt", "c.bin", "sub/d.txt"] {
        dir.file(name, name.as_bytes());
    }
    let lines = |names: &[&str]| -> String {
        names.iter().map(|name| line(name.as_bytes(), name)).collect()
    };
    assert_prints(&mut dir.hashlanes(&["sum", "*.txt"]), &lines(&["a.txt", "b.txt"]));
    assert_prints(&mut dir.hashlanes(&["sum", "?.bin"]), &lines(&["c.bin"]));
    for pattern in ["sub/*", r"sub\*.txt"] {
        assert_prints(&mut dir.hashlanes(&["sum", pattern]), &lines(&["sub/d.txt"]));
    }
    // A pattern that matches nothing is a name that no file has.
    let output = run(&mut dir.hashlanes(&["sum", "*.iso", "c.bin"]));
    assert_eq!(lossy(&output.stdout), lines(&["c.bin"]));
    assert!(lossy(&output.stderr).starts_with("hashlanes: '*.iso': "), "{output:?}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn standard_streams_are_binary() {
    for input in [&b"a\r\nb\nc\x1ad\r"[..], b"\x1a", b"", &noise(1 << 20, 4)] {
        let output = run_with_input(hashlanes().args(["sum", "-", "-"]), input);
        assert_eq!(lossy(&output.stdout), line(input, "-") + &line(b"", "-"));
        assert_eq!(lossy(&output.stderr), "");
    }
    let dir = Dir::new();
    dir.file("a", b"a");
    let output = run_with_input(&mut dir.hashlanes(&["check"]), line(b"a", "a").as_bytes());
    assert_eq!(lossy(&output.stdout), "a: OK\n");
    // From a file, all of which the first reader takes.
    let file = fs::File::open(dir.at("a")).unwrap();
    let lines = line(b"a", "-") + &line(b"", "-") + &line(b"a", "a");
    assert_prints(dir.hashlanes(&["sum", "-", "-", "a"]).stdin(file), &lines);
}

#[test]
fn a_reader_that_stops_ends_the_run_quietly() {
    let dir = Dir::new();
    let mut manifest = String::new();
    for i in 0..20_000 {
        let name = format!("{:04}", i % 2000);
        if i < 2000 {
            dir.file(&name, b"x");
        }
        manifest += &line(b"x", &name);
    }
    dir.file("manifest", manifest.as_bytes());
    let mut child = dir
        .hashlanes(&["check", "manifest"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 9];
    // The pipe is closed at the end of this line.
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"0000: OK\n");
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), lossy(&output.stderr).as_str()), (Some(1), ""));
}

#[test]
fn lines_are_checked_as_they_come() {
    let dir = Dir::new();
    let mut child =
        dir.hashlanes(&["check"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut results = BufReader::new(child.stdout.take().unwrap()).lines();
    for i in 0..20_usize {
        let (name, content) = (i.to_string(), noise(i * i * 700, i as u64));
        dir.file(&name, &content);
        // The next line is written only when the result of this one has arrived.
        stdin.write_all(line(&content, &name).as_bytes()).unwrap();
        assert_eq!(results.next().unwrap().unwrap(), format!("{i}: OK"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn good_and_bad_files_are_reported() {
    let dir = Dir::new();
    dir.file("good", b"good").file("bad", b"changed").file("also good", &noise(1 << 20, 1));
    let manifest = [
        line(b"good", "good"),
        line(b"bad", "bad"),
        line(b"gone", "gone"),
        line(&noise(1 << 20, 1), "also good"),
        "nonsense\r\n".into(),
    ];
    dir.file("manifest", manifest.concat().as_bytes());
    let output = run(&mut dir.hashlanes(&["check", "-w", "manifest"]));
    let expected = "good: OK\nbad: FAILED\ngone: FAILED open or read\nalso good: OK\n";
    assert_eq!(lossy(&output.stdout), expected);
    let expected = format!(
        "hashlanes: gone: {}\nhashlanes: manifest: line 5: expected a digest, got nonsense\n\
         hashlanes: WARNING: 1 line is improperly formatted\n\
         hashlanes: WARNING: 1 listed file could not be read\n\
         hashlanes: WARNING: 1 computed checksum did NOT match\n",
        missing()
    );
    assert_eq!(lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(1));
    let quiet = run(&mut dir.hashlanes(&["check", "--status", "manifest"]));
    assert_eq!((quiet.status.code(), quiet.stdout.len()), (Some(1), 0));
}

#[test]
fn a_path_without_a_name_does_not_panic() {
    let dir = Dir::new();
    for name in ["..", ".", r"C:\", r"\\?\", r"\\.\", r"\\server", "C:", "/", r"..\.."] {
        let output = run(dir.hashlanes(&["sum"]).arg(OsStr::new(name)));
        assert_eq!(output.status.code(), Some(1), "{name}: {output:?}");
        assert!(lossy(&output.stderr).starts_with("hashlanes: "), "{name}: {output:?}");
        assert!(!lossy(&output.stderr).contains("panicked"), "{name}: {output:?}");
    }
}
