//! The formats of manifests: other programs read what `sum` writes, and `check` reads what they
//! write.
//!
//! A program that is not installed is reported on the standard error, and its part is skipped.

use std::fs;
use std::os::unix::ffi::OsStrExt;

use crate::bags::bagit;
use crate::common::*;

/// Files whose names every format can hold.
const NAMES: [&str; 8] =
    ["a", "sub/b c", "sub/d,e", "sub/q\"uote", "sub/(x) = y", "é", "sub/100 percent", "empty"];

fn files() -> Dir {
    let dir = Dir::new();
    for (i, name) in NAMES.iter().enumerate() {
        dir.file(format!("data/{name}"), &noise(i * 30_000, i as u64));
    }
    dir.file("data/empty", b"");
    dir
}

/// Whether a program is installed. Reports if not.
/// Checks a manifest in which all files match, then one in which one file does not.
#[track_caller]
fn assert_checks(dir: &Dir, options: &[&str], manifest: &[u8], files: usize) {
    let check = || run_with_input(dir.hashlanes(&["check", "--strict"]).args(options), manifest);
    let output = check();
    assert_eq!(lossy(&output.stderr), "", "{}", lossy(manifest));
    assert_eq!(lossy(&output.stdout).matches(": OK\n").count(), files);
    assert!(output.status.success());
    let path = dir.at("data/a");
    let before = fs::read(&path).unwrap();
    fs::write(&path, "changed").unwrap();
    let output = check();
    fs::write(&path, before).unwrap();
    assert!(lossy(&output.stdout).contains("a: FAILED\n"), "{}", lossy(&output.stdout));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn check_reads_every_format_that_sum_writes() {
    let dir = files();
    for name in odd_names() {
        dir.file(std::path::Path::new("data").join(name), name.as_bytes());
    }
    let all = NAMES.len() + odd_names().len() - 1;
    for (options, per_file) in [
        (&["-a", "md5,sha256"][..], 2),
        (&["-a", "blake3,sha3-256", "--tag"], 2),
        (&["--base64"], 1),
        (&["--base64", "--tag", "-a", "sm3"], 1),
        (&["--json"], 1),
        (&["--json", "-a", "md5,sha256,sm3,blake2b-160,crc32"], 1),
        (&["--json", "--base64"], 1),
        (&["--format", "csv"], 1),
        (&["--format", "csv", "-a", "sha1,sha512-256"], 1),
    ] {
        let lines = ok(dir.hashlanes(&["sum", "-r", "data"]).args(options));
        assert_checks(&dir, &[], &lines, all * per_file);
    }
}

/// A changed file is found whatever its name looks like in another format, beside the files that
/// its line would be about there.
#[test]
fn a_name_does_not_change_what_its_manifest_is_taken_for() {
    let in_hex = ",900150983cd24fb0d6963f7d28e17f72";
    let of_text = [",x,", ";b", " ,x,", "\t;b", "x,3,352441C2", in_hex, ",path,sha256"];
    let of_sfv = ["untrusted comment: x", "DIST a 3 x"];
    let of_json = ["magnet:?", "sums=(", "[[package]]", "pkgbase = ", "a h1:x", "\"narHash\":"];
    let names = of_text.map(|name| (name, "text", "sha256"));
    let names = names.into_iter().chain(of_sfv.map(|name| (name, "sfv", "crc32")));
    let mut wrong = Vec::new();
    for (name, format, function) in names.chain(of_json.map(|name| (name, "json", "sha256"))) {
        let dir = Dir::new();
        for file in ["a", "b", "x", "y", name] {
            dir.file(file, b"abc");
        }
        for (names, after) in [(&[name][..], ""), (&[name, "y"], "y: OK\n")] {
            let sum = ["sum", "--format", format, "-a", function];
            let lines = ok(dir.file(name, b"abc").hashlanes(&sum).args(names));
            dir.file("m", &lines).file("SHA256SUMS", &lines);
            if name.starts_with("untrusted") {
                dir.file("m", lines.strip_prefix(b"; SFV\n").unwrap());
            }
            for (content, verdict) in [("abc", "OK"), ("abd", "FAILED")] {
                dir.file(name, content.as_bytes());
                for arguments in [&["m"][..], &["SHA256SUMS"], &["-a", function, "m"]] {
                    let output = run(dir.hashlanes(&["check", "--strict"]).args(arguments));
                    let status = i32::from(verdict != "OK");
                    if output.stdout != format!("{name}: {verdict}\n{after}").as_bytes()
                        || output.status.code() != Some(status)
                    {
                        wrong.push(format!("{name:?}, {arguments:?}, {verdict}: {output:?}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_that_a_format_cannot_represent_are_reported_and_fail() {
    let dir = Dir::new();
    for name in odd_names() {
        dir.file(name, b"");
    }
    for (options, refused) in [
        (&["--format", "hashdeep"][..], 3),
        (&["--format", "sfv", "-a", "crc32"], 4),
        (&["--format", "bagit"], 3),
    ] {
        let mut command = dir.hashlanes(&["sum"]);
        let output = run(command.args(options).arg("--").args(odd_names()));
        assert_eq!(output.status.code(), Some(1), "{options:?}");
        let said = lossy(&output.stderr);
        assert_eq!(said.lines().count(), refused, "{options:?}: {said}");
        // The other files are present.
        let format = options[1];
        let options = ["check", "--strict", "--format", format];
        let output = run_with_input(&mut dir.hashlanes(&options), &output.stdout);
        assert_eq!(lossy(&output.stderr), "");
        let files = output.stdout.iter().filter(|byte| **byte == b'\n').count();
        assert!(files >= odd_names().len() - refused);
    }
}

#[test]
fn names_are_relative_to_the_base() {
    let dir = files();
    let below = ok(&mut dir.hashlanes(&["sum", "-r", "data", "--base", "data"]));
    let inside = ok(dir
        .hashlanes(&["sum", "-r"])
        .args(["sub", "a", "é", "empty"])
        .current_dir(dir.at("data")));
    assert_same(&below, &inside, "--base");
    assert_checks(&dir, &["--base", "data"], &below, NAMES.len());
    let root = dir.path().to_str().unwrap().to_owned();
    let absolute =
        ok(&mut dir.hashlanes(&["sum", "-r", &format!("{root}/data/../data"), "--base", "."]));
    assert_checks(&dir, &[], &absolute, NAMES.len());
    let output = run(&mut dir.hashlanes(&["sum", "data/a", "--base", "data/sub"]));
    assert_eq!(lossy(&output.stderr), "hashlanes: data/a: not inside the folder of --base\n");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
}

#[test]
fn raw_digests_match_openssl() {
    let dir = files();
    for algorithm in ["md5", "sha256", "sha3-512"] {
        let ours = ok(&mut dir.hashlanes(&["sum", "--raw", "-a", algorithm, "data/sub/b c"]));
        let flag = format!("-{algorithm}");
        let theirs = ok(&mut dir.peer("openssl", &["dgst", "-binary", &flag, "data/sub/b c"]));
        assert_same(&ours, &theirs, algorithm);
    }
    let base64 = ok(&mut dir.hashlanes(&["sum", "--base64", "data/a"]));
    let theirs = ok(&mut dir.peer("bash", &["-c", "openssl dgst -binary -sha256 data/a | base64"]));
    assert_eq!(lossy(&base64), format!("{}  data/a\n", lossy(&theirs).trim_end()));
    for options in [&["a", "b"][..], &["-a", "md5,sha1", "a"], &["-r", "."], &["--json", "a"]] {
        let output = run(dir.hashlanes(&["sum", "--raw"]).args(options));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options:?}");
    }
}

#[test]
fn we_and_hashdeep_read_each_others_manifests() {
    let dir = files();
    for functions in ["md5", "md5,sha256", "sha1", "md5,sha1,sha256"] {
        let theirs = ok(&mut dir.peer("hashdeep", &["-l", "-r", "-c", functions, "data"]));
        assert_checks(&dir, &[], &theirs, NAMES.len());
        let options = ["sum", "-r", "--format", "hashdeep", "-a", functions, "data"];
        let ours = ok(&mut dir.hashlanes(&options));
        // The same lines, in another order, without comments.
        let lines = |text: &[u8]| {
            let text = lossy(text);
            let mut lines: Vec<_> = text.lines().filter(|l| !l.starts_with('#')).collect();
            lines.sort_unstable();
            lines.join("\n")
        };
        assert_eq!(lines(&ours), lines(&theirs));
        dir.file("known", &ours);
        let audit = ["-a", "-l", "-r", "-k", "known", "data"];
        let output = run(&mut dir.peer("hashdeep", &audit));
        assert!(output.status.success(), "{}", lossy(&output.stdout));
        dir.file("data/a", b"changed");
        assert!(!run(&mut dir.peer("hashdeep", &audit)).status.success());
        dir.file("data/a", &noise(0, 0));
    }
}

#[test]
fn we_and_rhash_read_each_others_manifests() {
    let dir = files();
    let sorted = ok(&mut dir.peer("bash", &["-c", "find data -type f -print0 | sort -z"]));
    let names: Vec<String> = lossy(&sorted).split_terminator('\0').map(str::to_owned).collect();
    for flags in [
        &["--sfv"][..],
        &["--bsd", "--sha256"],
        &["--bsd", "--md5"],
        &["--bsd", "--sha3-256"],
        &["--simple", "--sha512"],
        &["--md5"],
    ] {
        let theirs = ok(dir.peer("rhash", flags).args(&names));
        assert_checks(&dir, &[], &theirs, NAMES.len());
    }
    for options in [&["--format", "sfv", "-a", "crc32"][..], &["--tag"], &["-a", "md5"]] {
        let ours = ok(dir.hashlanes(&["sum", "-r", "data"]).args(options));
        let name = if options[0] == "--format" { "m.sfv" } else { "m.txt" };
        dir.file(name, &ours);
        let output = run(&mut dir.peer("rhash", &["-c", name]));
        assert!(output.status.success(), "{options:?}: {}", lossy(&output.stdout));
        dir.file("data/sub/b c", b"changed");
        assert!(!run(&mut dir.peer("rhash", &["-c", name])).status.success());
        dir.file("data/sub/b c", &noise(30_000, 1));
    }
    // Tiger trees are in base32, and not supported.
    let theirs = ok(dir.peer("rhash", &["--bsd", "--tth"]).args(&names));
    let output = run_with_input(&mut dir.hashlanes(&["check"]), &theirs);
    assert!(lossy(&output.stderr).contains("lines were not checked: no support for TTH\n"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
#[ignore = "needs cfv, which Debian does not have"]
fn we_and_cfv_read_each_others_manifests() {
    let dir = files();
    let options = ["sum", "-r", "data", "--format", "sfv", "-a", "crc32"];
    dir.file("ours.sfv", &ok(&mut dir.hashlanes(&options)));
    assert!(run(&mut dir.peer("cfv", &["-f", "ours.sfv"])).status.success());
    ok(&mut dir.peer("cfv", &["-C", "-rr", "-t", "sfv", "-f", "theirs.sfv", "data"]));
    assert_checks(&dir, &[], &fs::read(dir.at("theirs.sfv")).unwrap(), NAMES.len());
}

#[test]
fn we_and_bagit_accept_each_others_bags() {
    let Some(mut command) = bagit() else { return };
    let dir = files();
    // bagit.py moves the files into `data`.
    let mut folder = dir.at("data");
    let makes = command.args(["--md5", "--sha512", "--quiet"]).arg(&folder);
    ok(makes.current_dir(dir.path()));
    for manifest in ["manifest-md5.txt", "manifest-sha512.txt", "tagmanifest-sha512.txt"] {
        let output = run(dir.hashlanes(&["check", "--strict"]).arg(folder.join(manifest)));
        assert!(output.status.success(), "{}", lossy(&output.stderr));
        assert!(!output.stdout.is_empty());
    }
    // A bag written by us, including a file with a newline in its name.
    fs::write(folder.join("data/new\nline"), "x").unwrap();
    for file in fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if name.contains("manifest-") || name == "bag-info.txt" {
            fs::remove_file(path).unwrap();
        }
    }
    let base = folder.to_str().unwrap();
    let options = ["sum", "-r", "data/data", "--base", base, "--format", "bagit", "-a", "sha512"];
    let ours = ok(&mut dir.hashlanes(&options));
    assert!(lossy(&ours).contains("  data/new%0Aline\n"));
    fs::write(folder.join("manifest-sha512.txt"), &ours).unwrap();
    let validate = || run(bagit().unwrap().args(["--validate"]).arg(&folder));
    let output = validate();
    assert!(output.status.success(), "{}", lossy(&output.stderr));
    let manifest = folder.join("manifest-sha512.txt");
    ok(dir.hashlanes(&["check", "--strict"]).arg(&manifest));
    folder.push("data/a");
    fs::write(&folder, "changed").unwrap();
    folder.pop();
    folder.pop();
    assert!(!run(bagit().unwrap().args(["--validate"]).arg(&folder)).status.success());
    assert_eq!(run(dir.hashlanes(&["check"]).arg(&manifest)).status.code(), Some(1));
}

#[test]
fn names_with_percent_signs_are_encoded_as_the_standard_says() {
    let dir = Dir::new();
    dir.file("bag/bagit.txt", b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n");
    dir.file("bag/data/100%", b"a").file("bag/data/%0A", b"b").file("bag/data/c\rd\n", b"c");
    let options = ["sum", "-r", "bag/data", "--base", "bag", "--format", "bagit"];
    let ours = ok(&mut dir.hashlanes(&options));
    let names: Vec<String> = lossy(&ours).lines().map(|line| line[66..].to_owned()).collect();
    assert_eq!(names, ["data/%250A", "data/100%25", "data/c%0Dd%0A"]);
    dir.file("bag/manifest-sha256.txt", &ours);
    let output = run(&mut dir.hashlanes(&["check", "--strict", "bag/manifest-sha256.txt"]));
    assert_eq!(lossy(&output.stdout).matches(": OK\n").count(), 3);
    assert!(output.status.success());
}

#[test]
fn objects_and_rows_have_sizes_and_times() {
    let dir = Dir::new();
    dir.file("a,\"b\"", b"abc");
    let time = std::time::UNIX_EPOCH + std::time::Duration::new(1_700_000_000, 5_000);
    let file = fs::File::options().write(true).open(dir.at("a,\"b\"")).unwrap();
    file.set_modified(time).unwrap();
    let time = "2023-11-14T22:13:20.000005000Z";
    let md5 = "900150983cd24fb0d6963f7d28e17f72";
    let object = format!(
        "{{\"path\":\"a,\\\"b\\\"\",\"size\":3,\"mtime\":\"{time}\",\
         \"digests\":{{\"md5\":\"{md5}\"}}}}\n"
    );
    assert_eq!(lossy(&ok(&mut dir.hashlanes(&["sum", "--json", "-a", "md5", "a,\"b\""]))), object);
    let row = format!("path,size,mtime,md5\n\"a,\"\"b\"\"\",3,{time},{md5}\n");
    let options = ["sum", "--format", "csv", "-a", "md5", "a,\"b\""];
    assert_eq!(lossy(&ok(&mut dir.hashlanes(&options))), row);
    // The standard input has no time. A name that is not UTF-8 is encoded.
    let output = run_with_input(&mut dir.hashlanes(&["sum", "--json", "-a", "md5"]), b"abc");
    let object = format!("{{\"path\":\"-\",\"size\":3,\"digests\":{{\"md5\":\"{md5}\"}}}}\n");
    assert_eq!(lossy(&output.stdout), object);
    let name = std::ffi::OsStr::from_bytes(b"\xff");
    dir.file(name, b"abc");
    let output = ok(dir.hashlanes(&["sum", "--json"]).arg(name));
    assert!(lossy(&output).starts_with("{\"path_base64\":\"/w==\",\"size\":3,"));
    // Python reads both.
    let program = "import csv, json, sys\n\
                   row = list(csv.DictReader(open('m.csv', newline='')))[0]\n\
                   print(row['path'], row['md5'], json.loads(open('m.json').read())['path'])";
    dir.file("m.csv", row.as_bytes());
    dir.file("m.json", &ok(&mut dir.hashlanes(&["sum", "--json", "-a", "md5", "a,\"b\""])));
    let output = lossy(&ok(&mut dir.peer("python3", &["-c", program])));
    assert_eq!(output, format!("a,\"b\" {md5} a,\"b\"\n"));
}

#[test]
fn incompatible_options_are_refused() {
    let dir = Dir::new();
    for options in [
        &["--json", "--tag"][..],
        &["--json", "-z"],
        &["--format", "sfv"],
        &["--format", "hashdeep", "-a", "sha512"],
        &["--format", "bagit", "-a", "md5,sha256"],
        &["--format", "hashdeep", "-a", "md5", "--base64"],
        &["--format", "yaml"],
        &["-a", "md5,md5"],
        &["-a", "md5,"],
    ] {
        let output = run(dir.hashlanes(&["sum"]).args(options));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{options:?}");
    }
}
