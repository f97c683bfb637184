//! Compares with coreutils on special files: the standard input under each of its names, pipes,
//! FIFOs, devices and sockets. They must be read one at a time, in the order of the arguments.
//!
//! Two readers of one pipe would each get a random part of it. So every list of arguments is run
//! several times, with several numbers of threads.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Lines, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::{Child, ChildStdin, Output, Stdio};

use crate::common::*;

/// Runs of each list of arguments for each number of threads.
const ROUNDS: usize = 5;

const THREADS: [&str; 3] = ["1", "2", "4"];

/// A directory with a small file, a large one, and a socket.
fn directory() -> Dir {
    let dir = Dir::new();
    dir.file("small", b"small").file("big", &noise(3_000_000, 1));
    // The name remains when the listener is closed.
    UnixListener::bind(dir.at("socket")).unwrap();
    dir
}

/// Runs a script of bash in which `"$@"` is the program, and `writer COMMANDS &` fills FIFOs. A
/// hang fails.
#[track_caller]
fn bash(dir: &Dir, script: &str, program: &[&str]) -> Output {
    let writer = "writer() { exec timeout 70 bash -c \"$1\"; }";
    let script = format!("set -o pipefail; {writer}; {script}");
    let words = ["-c", &script, "bash", "timeout", "60"];
    let output = run(dir.peer("bash", &words).args(program));
    assert_ne!(output.status.code(), Some(124), "{program:?} hangs: {script}");
    output
}

/// The program under test, as words for `bash`.
fn ours<'a>(subcommand: &'a str, threads: &'a str, options: &[&'a str]) -> Vec<&'a str> {
    [&[env!("CARGO_BIN_EXE_hashlanes"), subcommand, "--threads", threads], options].concat()
}

#[track_caller]
fn assert_same_output(ours: &Output, theirs: &Output, what: &str) {
    let (ours_told, theirs_told) =
        (told(&ours.stderr, "hashlanes").1, told(&theirs.stderr, "sha256sum").1);
    assert_eq!(ours_told, theirs_told, "{what}");
    assert_same(&ours.stdout, &theirs.stdout, what);
    assert_eq!(ours.status.code(), theirs.status.code(), "{what}");
}

/// Compares `hashlanes sum` with `sha256sum`.
#[track_caller]
fn assert_sums_the_same(dir: &Dir, script: &str) {
    let theirs = bash(dir, script, &["sha256sum"]);
    for threads in THREADS {
        for _ in 0..ROUNDS {
            let ours = bash(dir, script, &ours("sum", threads, &[]));
            assert_same_output(&ours, &theirs, &format!("{script}\n{threads} threads"));
        }
    }
}

/// Compares `hashlanes check` with `sha256sum -c`.
#[track_caller]
fn assert_checks_the_same(dir: &Dir, script: &str) {
    let theirs = bash(dir, script, &["sha256sum", "-c"]);
    for threads in THREADS {
        for _ in 0..ROUNDS {
            let ours =
                bash(dir, script, &ours("check", threads, &["--read-special", "-a", "sha256"]));
            assert_same_output(&ours, &theirs, &format!("{script}\n{threads} threads"));
        }
    }
}

/// `hashlanes check` with a manifest that comes by a pipe, and the lines that it prints.
fn check_as_it_comes(dir: &Dir, threads: &str) -> (Child, ChildStdin, Lines<impl BufRead + use<>>) {
    let mut command = dir.peer("timeout", &["60"]);
    command
        .args(ours("check", threads, &["--read-special"]))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    let results = BufReader::new(child.stdout.take().unwrap()).lines();
    (child, stdin, results)
}

/// A line of a manifest for a name and what can be read by it.
fn line(content: &[u8], name: &str) -> String {
    format!("{}  {name}\n", hashlanes::Algorithm::Sha256.digest(content))
}

/// What `seq LAST` prints.
fn seq(last: usize) -> Vec<u8> {
    (1..=last).flat_map(|number| format!("{number}\n").into_bytes()).collect()
}

#[test]
fn a_pipe_named_twice_is_read_by_the_first() {
    let dir = directory();
    for script in [
        "seq 200000 | \"$@\" - big -",
        "seq 200000 | \"$@\" - /dev/stdin",
        "seq 200000 | \"$@\" /dev/stdin small -",
        "seq 200000 | \"$@\" big /proc/self/fd/0 - small /dev/fd/0 big /dev/stdin",
        "\"$@\" /dev/fd/3 small /dev/fd/3 - 3< <(seq 200000) < small",
    ] {
        assert_sums_the_same(&dir, script);
    }
}

#[test]
fn a_redirected_file_is_continued_by_dash_and_reread_by_name() {
    let dir = directory();
    for script in [
        "\"$@\" - - < big",
        "\"$@\" - big - < big",
        "\"$@\" - /dev/stdin - /dev/fd/0 < big",
        "\"$@\" /dev/stdin - small /dev/stdin < big",
        "(dd bs=1000 count=1 status=none of=/dev/null; \"$@\" big - /dev/stdin -) < big",
        "\"$@\" - small - < small",
    ] {
        assert_sums_the_same(&dir, script);
    }
}

#[test]
fn a_fifo_named_twice_is_read_by_the_first() {
    let dir = directory();
    // Every reader of the FIFO finds a writer, but only the first gets any bytes.
    let script = |arguments: &str| {
        format!(
            "mkfifo a; writer 'seq 200000 > a; while :; do : > a; done' & \"$@\" {arguments}; \
             status=$?; {{ kill $!; wait; }} 2> /dev/null; rm a; exit $status"
        )
    };
    for arguments in ["a a", "small a big a", "a big ./a"] {
        assert_sums_the_same(&dir, &script(arguments));
    }
}

#[test]
fn fifos_are_read_in_the_order_of_the_arguments() {
    let dir = directory();
    for script in [
        // The writer goes on to the next FIFO when the one before it has been read.
        "mkfifo a b c; writer 'seq 200000 > a; seq 100000 > b; seq 5 > c' & \
         \"$@\" a big b small c big; status=$?; rm a b c; exit $status",
        // After a pipe that ends late.
        "mkfifo a; (seq 200000; exec >&- 2>&-; seq 10 > a) | \"$@\" small - a; status=$?; \
         rm a; exit $status",
        "\"$@\" <(seq 200000) big <(seq 100000) <(:) small <(seq 5)",
    ] {
        assert_sums_the_same(&dir, script);
    }
}

#[test]
fn unreadable_files_do_not_stop_the_rest() {
    let dir = directory();
    for script in [
        "seq 200000 | \"$@\" . - missing socket - big /dev/null",
        "mkfifo a; writer 'seq 200000 > a' & \"$@\" socket a /proc/self/mem big . small; \
         status=$?; rm a; exit $status",
        "\"$@\" - big /dev/stdin < .",
        "\"$@\" /dev/null - /dev/null - < /dev/null",
        "\"$@\" /dev/fd/9 small",
    ] {
        assert_sums_the_same(&dir, script);
    }
}

#[test]
fn a_socket_is_read_as_the_standard_input_only() {
    let dir = directory();
    let run_with_socket = |program: &[&str]| {
        let (mut sender, receiver) = UnixStream::pair().unwrap();
        let mut command = dir.peer(program[0], &program[1..]);
        command.args(["-", "big", "/dev/stdin", "-"]).stdin(OwnedFd::from(receiver));
        std::thread::scope(|scope| {
            scope.spawn(move || sender.write_all(&seq(100_000)));
            run(&mut command)
        })
    };
    let theirs = run_with_socket(&["sha256sum"]);
    for threads in THREADS {
        assert_same_output(&run_with_socket(&ours("sum", threads, &[])), &theirs, threads);
    }
}

#[test]
fn several_algorithms_read_a_pipe_once() {
    let dir = directory();
    let script = "seq 200000 | \"$@\" - big /dev/stdin - <(seq 100000)";
    let of = |program| lossy(&bash(&dir, script, &[program]).stdout);
    let (md5, sha256) = (of("md5sum"), of("sha256sum"));
    let lines = md5.lines().zip(sha256.lines());
    let expected: String = lines.map(|(md5, sha256)| format!("{md5}\n{sha256}\n")).collect();
    for threads in THREADS {
        for _ in 0..ROUNDS {
            let options = ["-a", "md5", "-a", "sha256"];
            let ours = bash(&dir, script, &ours("sum", threads, &options));
            assert_same(&ours.stdout, expected.as_bytes(), threads);
        }
    }
}

#[test]
fn the_standard_input_is_checked_once() {
    let dir = directory();
    let (big, numbers) = (fs::read(dir.at("big")).unwrap(), seq(200_000));
    let of_pipe = [
        line(&big, "big"),
        line(&numbers, "-"),
        line(b"small", "small"),
        line(b"", "-"),
        line(b"", "/dev/stdin"),
    ];
    let of_file = [line(&big, "-"), line(&big, "/dev/stdin"), line(b"", "-"), line(&big, "big")];
    dir.file("pipe", of_pipe.concat().as_bytes()).file("file", of_file.concat().as_bytes());
    for script in [
        "seq 200000 | \"$@\" pipe",
        "\"$@\" file < big",
        // The listed `-` leaves nothing for the manifest `-`.
        "seq 200000 | \"$@\" pipe -",
        "\"$@\" file - < big",
        "\"$@\" file /dev/stdin < file",
    ] {
        assert_checks_the_same(&dir, script);
    }
}

#[test]
fn a_manifest_on_the_standard_input_is_read_once() {
    let dir = directory();
    let lines = [line(b"small", "small"), line(b"", "-"), line(b"", "/dev/stdin")];
    dir.file("manifest", lines.concat().as_bytes());
    for script in [
        "cat manifest | \"$@\" -",
        "cat manifest | \"$@\" - -",
        "cat manifest | \"$@\" /dev/stdin -",
        "\"$@\" - - < manifest",
        "\"$@\" - /dev/stdin < manifest",
        "\"$@\" /dev/stdin - < manifest",
    ] {
        assert_checks_the_same(&dir, script);
    }
}

#[test]
fn fifos_are_checked_in_order_with_manifests_that_are_fifos() {
    let dir = directory();
    let (numbers, more) = (seq(200_000), seq(100_000));
    dir.file("of-b", [line(b"small", "small"), line(&numbers, "b")].concat().as_bytes());
    dir.file("of-bc", [line(&numbers, "b"), line(&more, "c")].concat().as_bytes());
    let script = |writer: &str, arguments: &str| {
        format!(
            "mkfifo a b c; writer '{writer}' & \"$@\" {arguments}; status=$?; rm a b c; \
             exit $status"
        )
    };
    for script in [
        script("seq 200000 > b; seq 100000 > c", "of-bc"),
        script("cat of-b > a; seq 200000 > b", "a"),
        script("seq 200000 > b; cat of-b > a; seq 200000 > b", "of-b a"),
        script("cat of-bc > a; seq 200000 > b; seq 100000 > c", "a"),
    ] {
        assert_checks_the_same(&dir, &script);
    }
}

#[test]
fn a_manifest_waits_for_the_pipes_that_it_lists() {
    // Manifest and listed file are the same pipe. What follows the first lines belongs to the file.
    let dir = directory();
    let numbers = seq(200_000);
    for threads in THREADS {
        let (mut child, mut stdin, mut results) = check_as_it_comes(&dir, threads);
        let lines = [line(b"small", "small"), line(&numbers, "/dev/stdin")].concat();
        stdin.write_all(lines.as_bytes()).unwrap();
        assert_eq!(results.next().unwrap().unwrap(), "small: OK");
        stdin.write_all(&numbers).unwrap();
        drop(stdin);
        assert_eq!(results.next().unwrap().unwrap(), "/dev/stdin: OK");
        assert!(results.next().is_none());
        assert!(child.wait().unwrap().success());
    }
}

#[test]
fn a_listed_fifo_is_checked_before_the_next_line_comes() {
    let dir = directory();
    ok(&mut dir.peer("mkfifo", &["fifo"]));
    for threads in THREADS {
        let (mut child, mut stdin, mut results) = check_as_it_comes(&dir, threads);
        for last in [100_000, 10, 50_000] {
            stdin.write_all(line(&seq(last), "fifo").as_bytes()).unwrap();
            let write = format!("seq {last} > fifo");
            ok(&mut dir.peer("timeout", &["60", "bash", "-c", &write]));
            assert_eq!(results.next().unwrap().unwrap(), "fifo: OK");
            stdin.write_all(line(b"small", "small").as_bytes()).unwrap();
            assert_eq!(results.next().unwrap().unwrap(), "small: OK");
        }
        drop(stdin);
        assert!(child.wait().unwrap().success());
    }
}

/// A listed file may never end, wherever it is.
#[test]
fn listed_files_that_may_never_end_are_refused() {
    let dir = directory();
    ok(&mut dir.peer("mkfifo", &["fifo"]));
    let big = fs::read(dir.at("big")).unwrap();
    let names = ["fifo", "/dev/zero", "-", "socket"];
    let mut manifest: String = names.iter().map(|name| line(b"", name)).collect();
    manifest += &line(&big, "big");
    manifest += &format!("S3-ETAG-8388608 (fifo) = {}\n", "0".repeat(32));
    dir.file("manifest", manifest.as_bytes());
    for threads in THREADS {
        // The standard input is open, and nobody writes to it.
        let output = bash(&dir, "\"$@\" manifest <> fifo", &ours("check", threads, &[]));
        let lines: Vec<String> = names.map(|name| format!("{name}: FAILED open or read")).into();
        let tree = "fifo: FAILED open or read\n";
        let expected = format!("{}\nbig: OK\n{tree}", lines.join("\n"));
        assert_eq!(lossy(&output.stdout), expected, "{}", lossy(&output.stderr));
        assert_eq!(lossy(&output.stderr).matches(": not a regular file\n").count(), 4);
        let report = &["check", "--threads", threads, "--report", "manifest", "."];
        let output =
            run(dir.peer("timeout", &["60", env!("CARGO_BIN_EXE_hashlanes")]).args(report));
        assert_eq!(output.status.code(), Some(1), "{}", lossy(&output.stderr));
    }
}

/// Bytes that a process has read so far.
#[cfg(target_os = "linux")]
fn read_by(process: u32) -> u64 {
    let counters = fs::read_to_string(format!("/proc/{process}/io")).unwrap();
    let line = counters.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap();
    line.parse().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn regular_files_behind_an_idle_fifo_are_hashed() {
    use std::time::{Duration, Instant};

    let dir = directory();
    ok(&mut dir.peer("mkfifo", &["fifo", "other"]));
    let mut names = vec!["fifo".to_owned(), "big".into(), "other".into()];
    for i in 0..500 {
        names.push(format!("{i}"));
        dir.file(format!("{i}"), &noise(10_000, i));
    }
    names.extend(["-".to_owned(), "big".into()]);
    let total = 500 * 10_000 + 2 * 3_000_000;
    for threads in THREADS {
        let mut child = dir
            .hashlanes(&["sum", "--threads", threads])
            .args(&names)
            .stdin(File::open(dir.at("small")).unwrap())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // Nobody writes to the FIFO until all regular files have been read. The deadline makes the
        // test fail instead of hanging.
        let deadline = Instant::now() + Duration::from_secs(60);
        while read_by(child.id()) < total {
            if Instant::now() > deadline {
                child.kill().unwrap();
                panic!("{threads} threads: only {} of {total} bytes", read_by(child.id()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        for name in ["fifo", "other"] {
            let mut fifo = OpenOptions::new().write(true).open(dir.at(name)).unwrap();
            fifo.write_all(name.as_bytes()).unwrap();
        }
        let output = child.wait_with_output().unwrap();
        let content = |name: &String| match name.as_str() {
            "fifo" | "other" => name.as_bytes().to_vec(),
            "-" => b"small".to_vec(),
            _ => fs::read(dir.at(name)).unwrap(),
        };
        let expected: String = names.iter().map(|name| line(&content(name), name)).collect();
        assert_same(&output.stdout, expected.as_bytes(), threads);
        assert!(output.status.success());
    }
}
