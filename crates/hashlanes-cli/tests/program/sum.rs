//! Compares `hashlanes sum` byte for byte with the real `sha256sum` and its siblings, with Perl's
//! `shasum` and with `openssl`.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::symlink;
#[cfg(unix)]
use std::process::Command;

use crate::common::*;

fn with<'a>(first: &[&'a str], names: &'a [String]) -> Vec<&'a str> {
    first.iter().copied().chain(names.iter().map(String::as_str)).collect()
}

#[test]
#[cfg(unix)]
fn every_size_hashes_as_with_coreutils() {
    let (dir, names) = sized_files();
    for (algorithm, program) in COREUTILS {
        for threads in ["1", "2", "5"] {
            let arguments = with(&["sum", "-a", algorithm, "--threads", threads], &names);
            assert_runs_the_same(
                &mut dir.hashlanes(&arguments),
                &mut dir.peer(program, &with(&[], &names)),
            );
        }
    }
    let arguments = with(&["sum", "-a", "sha512-256"], &names);
    assert_runs_the_same(
        &mut dir.hashlanes(&arguments),
        &mut dir.peer("shasum", &with(&["-a", "512256"], &names)),
    );
}

/// The lines that systems without coreutils are tested with (`tests/windows.rs`).
#[test]
#[cfg(unix)]
fn the_list_of_coreutils_digests_matches_coreutils() {
    let (dir, names) = sized_files();
    let of = |(_, program)| ok(&mut dir.peer(program, &with(&["--tag"], &names)));
    assert_same(COREUTILS_LINES, &COREUTILS.map(of).concat(), "tests/coreutils.txt");
}

#[test]
#[cfg(unix)]
fn openssl_agrees() {
    let (dir, names) = sized_files();
    for algorithm in ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512-256"] {
        let ours = ok(&mut dir.hashlanes(&with(&["sum", "-a", algorithm], &names)));
        // With -r the format is that of coreutils, but with `*`.
        let theirs =
            ok(&mut dir.peer("openssl", &with(&["dgst", "-r", &format!("-{algorithm}")], &names)));
        assert_same(&ours, lossy(&theirs).replace(" *", "  ").as_bytes(), algorithm);
    }
}

#[test]
fn every_kernel_gives_the_same_digests() {
    let (dir, names) = sized_files();
    let info: serde_json::Value =
        serde_json::from_slice(&ok(&mut dir.hashlanes(&["info", "--json"]))).unwrap();
    for algorithm in info["algorithms"].as_array().unwrap() {
        let name = algorithm["name"].as_str().unwrap();
        let expected = ok(&mut dir.hashlanes(&with(&["sum", "-a", name], &names)));
        for kernel in algorithm["kernels"].as_array().unwrap() {
            let kernel_name = kernel["name"].as_str().unwrap();
            let what = format!("{name} in {kernel_name}");
            let by_option = with(&["sum", "-a", name, "--kernel", kernel_name], &names);
            let by_environment = with(&["sum", "-a", name], &names);
            let mut by_environment = dir.hashlanes(&by_environment);
            by_environment.env("HASHLANES_KERNEL", kernel_name);
            for command in [&mut dir.hashlanes(&by_option), &mut by_environment] {
                if kernel["available"].as_bool().unwrap() {
                    assert_same(&ok(command), &expected, &what);
                } else {
                    let output = run(command);
                    let error = lossy(&output.stderr);
                    assert_eq!(output.status.code(), Some(2), "{what}: {error}");
                    assert!(output.stdout.is_empty(), "{what}");
                    let missing = kernel["missing"][0].as_str().unwrap();
                    assert!(
                        [name, kernel_name, missing].iter().all(|part| error.contains(part)),
                        "{what}: {error}"
                    );
                }
            }
        }
    }
}

#[test]
fn an_unknown_kernel_is_wrong_usage() {
    let dir = Dir::new();
    dir.file("a", b"");
    let mut by_environment = dir.hashlanes(&["sum", "a"]);
    by_environment.env("HASHLANES_KERNEL", "warp");
    for command in [&mut dir.hashlanes(&["sum", "--kernel", "warp", "a"]), &mut by_environment] {
        let output = run(command);
        assert_eq!(output.status.code(), Some(2));
        assert!(output.stdout.is_empty());
        let error = lossy(&output.stderr);
        assert!(error.starts_with("hashlanes: sha256 has no kernel 'warp'"), "{error}");
    }
}

#[test]
#[cfg(unix)]
fn odd_names_are_printed_as_by_coreutils() {
    let dir = Dir::new();
    let names = odd_names();
    for (i, name) in names.iter().enumerate() {
        dir.file(name, &noise(i * 100, 3));
    }
    for flags in [
        &[][..],
        &["--tag"],
        &["-z"],
        &["-z", "--tag"],
        &["-b"],
        &["-t"],
        &["--tag", "-b"],
        &["-bz"],
    ] {
        for (algorithm, program) in COREUTILS {
            let mut ours = dir.hashlanes(&["sum", "-a", algorithm]);
            let mut theirs = dir.peer(program, flags);
            assert_runs_the_same(
                ours.args(flags).arg("--").args(&names),
                theirs.arg("--").args(&names),
            );
        }
    }
    // Perl's shasum does not escape carriage returns, and has no -z.
    let names = names.iter().filter(|name| !name.to_string_lossy().contains('\r'));
    let mut ours = dir.hashlanes(&["sum", "-a", "sha512/256", "--tag", "--"]);
    let mut theirs = dir.peer("shasum", &["-a", "512256", "--tag", "--"]);
    assert_same(&ok(ours.args(names.clone())), &ok(theirs.args(names)), "shasum --tag");
}

#[test]
#[cfg(unix)]
fn messages_about_files_read_like_coreutils() {
    let dir = Dir::new();
    fs::create_dir(dir.at("directory")).unwrap();
    symlink("nowhere", dir.at("dangling")).unwrap();
    dir.file("good", b"good").file("file", b"");
    let long = "x".repeat(300);
    let mut names = vec![
        "good",
        "missing",
        "with space",
        "it's",
        "new\nline",
        "tab\t",
        "é",
        "#a",
        "~a",
        "a#~",
        "a=b",
        "a:b",
        "{",
        "}",
        "{a",
        "a,b%+@",
        "a[",
        "a]",
        "\"",
        "$a",
        "directory",
        "dangling",
        "file/below",
        "",
        &long,
        "a'\"b",
        "/proc/self/mem",
        "good",
    ];
    for threads in ["1", "3"] {
        assert_runs_the_same(
            dir.hashlanes(&["sum", "--threads", threads]).args(&names),
            &mut dir.peer("sha256sum", &names),
        );
    }
    names.retain(|name| ["good", "file"].contains(name));
    assert!(run(dir.hashlanes(&["sum"]).args(&names)).status.success());
}

#[test]
#[cfg(unix)]
fn an_unreadable_file_does_not_stop_the_others() {
    // The superuser may read everything, so the script gives up that right first.
    let dir = Dir::new();
    dir.file("a", b"a").file("secret", b"secret").file("closed/b", b"b").file("z", b"z");
    let bare = |command: &str| {
        let script = format!("chmod 755 .; chmod 000 secret closed; {command}");
        // Only the superuser may call setpriv, and only the superuser needs to.
        let drop = "if [ $(id -u) = 0 ]; then d='setpriv --reuid 65534 --clear-groups'; fi";
        run(&mut dir.peer("bash", &["-c", &format!("{drop}; {}", script.replace("RUN", "$d"))]))
    };
    // The program may be in a folder that only the superuser may enter, so use a copy.
    fs::copy(env!("CARGO_BIN_EXE_hashlanes"), dir.at("program")).unwrap();
    let ours = bare("RUN ./program sum a secret closed/b z");
    let theirs = bare("RUN sha256sum a secret closed/b z");
    assert_same(&ours.stdout, &theirs.stdout, "unreadable files");
    assert_same(
        &ours.stderr,
        lossy(&theirs.stderr).replace("sha256sum:", "hashlanes:").as_bytes(),
        "unreadable",
    );
    assert_eq!(ours.status.code(), Some(1));
    assert!(
        lossy(&ours.stderr).contains("hashlanes: secret: Permission denied\n"),
        "{}",
        lossy(&ours.stderr)
    );

    fs::remove_file(dir.at("program")).unwrap();
    fs::copy(env!("CARGO_BIN_EXE_hashlanes"), dir.at("program")).unwrap();
    let ours = bare("RUN ./program sum -r a closed secret z");
    assert_eq!(ours.status.code(), Some(1));
    assert_eq!(ours.stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
    let error = lossy(&ours.stderr);
    assert_eq!(
        error,
        "hashlanes: closed: Permission denied\nhashlanes: secret: Permission denied\n"
    );
}

#[test]
#[cfg(unix)]
fn several_algorithms_give_one_line_each_per_file() {
    let (dir, names) = sized_files();
    let ours =
        ok(&mut dir.hashlanes(&with(&["sum", "-a", "sha512", "-a", "md5", "-a", "sha1"], &names)));
    let of = |program| lossy(&ok(&mut dir.peer(program, &with(&[], &names))));
    let (a, b, c) = (of("sha512sum"), of("md5sum"), of("sha1sum"));
    let lines = a.lines().zip(b.lines()).zip(c.lines());
    let expected: String = lines.map(|((a, b), c)| format!("{a}\n{b}\n{c}\n")).collect();
    assert_same(&ours, expected.as_bytes(), "three algorithms");
}

#[test]
fn ambiguous_lines_are_refused() {
    let dir = Dir::new();
    dir.file("a", b"a");
    let ambiguous = ["sum", "-a", "sha256", "-a", "sha512/256", "a"];
    let output = run(&mut dir.hashlanes(&ambiguous));
    assert_eq!(output.status.code(), Some(2));
    assert!(lossy(&output.stderr).contains("--tag"), "{}", lossy(&output.stderr));
    assert_eq!(run(dir.hashlanes(&ambiguous).arg("--tag")).status.code(), Some(0));
    assert_eq!(
        run(&mut dir.hashlanes(&["sum", "-a", "md5", "-a", "MD5", "a"])).status.code(),
        Some(2)
    );
}

#[test]
fn wrong_usage_exits_with_2() {
    for arguments in [
        &["sum", "-a", "crc64"][..],
        &["sum", "--no-such-option"],
        &["sum", "--threads", "0"],
        &["sum", "--tag", "-t"],
        &["check", "-z", "--format", "json"],
        &["nothing"],
        &[],
    ] {
        let output = run(hashlanes().args(arguments));
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
}

#[test]
#[cfg(unix)]
fn the_standard_input_is_read() {
    for length in [0, 1, 1000, (128 << 10) + 1, 1 << 20] {
        let input = noise(length, 9);
        for arguments in [&[][..], &["-"], &["--tag"], &["-", "/dev/null"]] {
            let ours = run_with_input(hashlanes().arg("sum").args(arguments), &input);
            let theirs = run_with_input(peer("sha256sum").args(arguments), &input);
            assert_same(&ours.stdout, &theirs.stdout, "standard input");
            assert!(ours.status.success());
        }
    }
    // The standard input may be a large regular file.
    let dir = Dir::new();
    dir.file("large", &noise(3 << 20, 4));
    let from = |mut command: Command| ok(command.stdin(fs::File::open(dir.at("large")).unwrap()));
    assert_same(&from(dir.hashlanes(&["sum"])), &from(dir.peer("sha256sum", &[])), "redirected");
}

#[test]
#[cfg(unix)]
fn pipes_are_read_one_after_another() {
    let dir = Dir::new();
    dir.file("big", &noise(2 << 20, 1)).file("small", b"x");
    // The writer fills one pipe after another, two of them with more than a pipe holds.
    let script = "mkfifo a b c; (cat big > a; cat big > b; cat small > c) & \
                  \"$0\" \"$@\" small a b c big - < big";
    let ours = ok(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")).args([
        "sum",
        "--threads",
        "1",
    ]));
    ok(&mut dir.peer("rm", &["a", "b", "c"]));
    let theirs = ok(dir.peer("bash", &["-c", script]).arg("sha256sum"));
    assert_same(&ours, &theirs, "named pipes");
}

/// `find ROOTS -type f -print0 | LC_ALL=C sort -z | xargs -0 PROGRAM`.
#[cfg(unix)]
fn found_sorted(dir: &Dir, roots: &[&str], program: &str) -> Vec<u8> {
    let script = format!(
        "set -o pipefail; find \"$@\" -type f -print0 | LC_ALL=C sort -z | xargs -0 -r {program} --"
    );
    ok(dir.peer("bash", &["-c", &script, "find"]).args(roots))
}

#[test]
#[cfg(unix)]
fn a_tree_is_hashed_in_the_order_of_the_paths() {
    let dir = Dir::new();
    let mut seed = 0;
    let mut file = |name: &str| {
        seed += 1;
        dir.file(name, &noise(seed as usize * 37, seed));
    };
    // Sorted around `/` (0x2f): `-` and `.` are less, `0` is greater.
    for name in [
        "a/x", "a-b", "a.b", "a0", "a/y/z", "a/y-", "a/y.d/e", "a!/1", "b/-/--", "b/-/-/c", "Z",
        "a b/c",
    ] {
        file(&format!("tree/{name}"));
    }
    for i in 0..300 {
        file(&format!("tree/many/{}/{i}", i % 7));
    }
    for name in odd_names() {
        dir.file(dir.at("tree/odd").join(name), name.as_encoded_bytes());
    }
    fs::create_dir(dir.at("tree/empty")).unwrap();
    symlink("a", dir.at("tree/link-to-directory")).unwrap();
    symlink("a0", dir.at("tree/link-to-file")).unwrap();
    symlink("nowhere", dir.at("tree/link-to-nothing")).unwrap();
    ok(&mut dir.peer("mkfifo", &["tree/pipe"]));
    for roots in [
        &["tree"][..],
        &["tree/"],
        &["./tree//"],
        &["."],
        &["tree/b", "tree/a"],
        &["tree/a", "tree/a-b", "tree/a!", "tree/a/y"],
        &["tree", "tree", "tree/a"],
    ] {
        for (algorithm, program) in COREUTILS {
            let ours = ok(dir.hashlanes(&["sum", "-r", "-a", algorithm]).args(roots));
            assert_same(&ours, &found_sorted(&dir, roots, program), &format!("{roots:?}"));
        }
    }
    // A link is followed if it is an argument.
    let ours = ok(&mut dir.hashlanes(&["sum", "-r", "tree/link-to-directory"]));
    assert_same(&ours, &found_sorted(&dir, &["tree/link-to-directory/"], "sha256sum"), "link");
    // What does not exist is reported, and all others are hashed.
    let output = run(&mut dir.hashlanes(&["sum", "-r", "tree/a", "missing"]));
    assert_eq!(lossy(&output.stderr), "hashlanes: missing: No such file or directory\n");
    assert_eq!(output.status.code(), Some(1));
    assert_same(
        &output.stdout,
        &found_sorted(&dir, &["tree/a"], "sha256sum"),
        "with a missing one",
    );
}

#[test]
#[cfg(unix)]
fn a_tree_of_the_system_is_hashed_as_by_coreutils() {
    let dir = Dir::new();
    let roots = ["/usr/share/doc", "/usr/share/perl", "/etc/alternatives", "/usr/include"];
    let roots: Vec<_> = roots.into_iter().filter(|root| fs::exists(root).unwrap()).collect();
    let ours = ok(dir.hashlanes(&["sum", "-r"]).args(&roots));
    assert!(ours.len() > 1000, "there is little to compare");
    assert_same(&ours, &found_sorted(&dir, &roots, "sha256sum"), "the system's files");
}

#[test]
#[cfg(unix)]
fn a_closed_pipe_ends_the_run_quietly() {
    let dir = Dir::new();
    for i in 0..2000 {
        dir.file(format!("{i:04}"), b"x");
    }
    // The last file is endless, so the run ends only if it stops at the closed pipe.
    let script = "set -o pipefail; timeout 60 \"$0\" sum ./* /dev/zero | head -1 > first; \
                  echo ${PIPESTATUS[0]}";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!(lossy(&output.stderr), "");
    // 128 and the number of SIGPIPE.
    assert_eq!(lossy(&output.stdout), "141\n");
    assert_eq!(fs::read(dir.at("first")).unwrap().len(), 64 + 2 + 6 + 1);
}

#[test]
#[cfg(unix)]
fn a_full_disk_is_reported() {
    let dir = Dir::new();
    dir.file("a", b"a");
    for arguments in [&["sum", "a"][..], &["info"], &["check", "m"]] {
        fs::write(dir.at("m"), ok(&mut dir.hashlanes(&["sum", "a"]))).unwrap();
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let output = dir
            .hashlanes(arguments)
            .stdout(full)
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let output = output.wait_with_output().unwrap();
        assert_eq!(lossy(&output.stderr), "hashlanes: write error: No space left on device\n");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn a_vanished_file_is_reported() {
    // Thousands of files are removed while they are hashed. Which ones are still read is chance.
    // Each must produce a line or a message.
    let dir = Dir::new();
    const COUNT: usize = 3000;
    for i in 0..COUNT {
        dir.file(format!("t/{i:04}"), &noise(20_000, i as u64));
    }
    let child = dir
        .hashlanes(&["sum", "-r", "t"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    for i in (0..COUNT).rev() {
        fs::remove_file(dir.at(format!("t/{i:04}"))).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let (lines, errors) = (lossy(&output.stdout), lossy(&output.stderr));
    assert!(errors.lines().all(|line| line.ends_with(&format!(": {}", missing()))), "{errors}");
    assert_eq!(output.status.code(), Some(i32::from(!errors.is_empty())));
    for line in lines.lines() {
        let number: usize = line.split('/').next_back().unwrap().parse().unwrap();
        let digest = hashlanes::Algorithm::Sha256.digest(noise(20_000, number as u64));
        assert_eq!(line, format!("{digest}  t/{number:04}"));
    }
}

#[test]
fn small_results_are_shown_while_a_pipe_is_still_open() {
    use std::io::{BufRead, BufReader};
    let dir = Dir::new();
    dir.file("a", b"a").file("b", &noise(1 << 20, 1));
    let mut child = dir
        .hashlanes(&["sum", "--threads", "1", "a", "b", "-"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().unwrap().ends_with("  a"));
    drop(child.stdin.take());
    assert!(lines.next().unwrap().unwrap().ends_with("  b"));
    assert!(lines.next().unwrap().unwrap().ends_with("  -"));
    assert!(child.wait().unwrap().success());
}
