//! Standard streams that are closed or full, and readers that stop, compared with coreutils.
use std::os::unix::process::ExitStatusExt;
use std::process::Output;

use crate::common::*;

const BAD: &str = "Bad file descriptor";

/// Runs a script of bash. `$0` is the program.
fn script(dir: &Dir, program: &str, script: &str) -> Output {
    run(dir.peer("bash", &["-c", script]).arg(program))
}

fn ours(dir: &Dir, text: &str) -> Output {
    script(dir, env!("CARGO_BIN_EXE_hashlanes"), text)
}

#[track_caller]
fn assert_fails(output: &Output, stdout: &str, stderr: &str) {
    assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), (stdout.into(), stderr.into()));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_closed_input_is_not_an_empty_one() {
    let dir = Dir::new();
    dir.file("a", b"abc");
    assert_fails(&ours(&dir, "\"$0\" sum <&-"), "", &format!("hashlanes: -: {BAD}\n"));
    let line = lossy(&ok(&mut dir.peer("sha256sum", &["a"])));
    let output = ours(&dir, "\"$0\" sum a - a <&-");
    assert_fails(&output, &line.repeat(2), &format!("hashlanes: -: {BAD}\n"));
    let output = ours(&dir, "\"$0\" check <&-");
    assert_fails(&output, "", &format!("hashlanes: 'standard input': {BAD}\n"));
    // Nothing uses it.
    assert_eq!(lossy(&ours(&dir, "\"$0\" sum a <&-").stdout), line);
    // These are open.
    for input in ["</dev/null", "<>/dev/null", "0>&1 </dev/null", "< <(:)"] {
        let output = ours(&dir, &format!("\"$0\" sum {input}"));
        let theirs = script(&dir, "sha256sum", &format!("\"$0\" {input}"));
        assert_eq!(lossy(&output.stdout), lossy(&theirs.stdout), "{input}");
        assert!(output.status.success() && theirs.status.success(), "{input}");
    }
}

#[test]
fn a_closed_output_is_an_error() {
    let dir = Dir::new();
    dir.file("a", b"abc").file("SUMS", &ok(&mut dir.peer("sha256sum", &["a"])));
    let commands = [
        "sum a",
        "check SUMS",
        "--help",
        "-h",
        "sum --help",
        "help",
        "help sum",
        "--version",
        "info",
        "info --json",
        "random --bytes 4 --hex",
    ];
    for command in commands {
        let closed = ours(&dir, &format!("\"$0\" {command} >&-"));
        assert_fails(&closed, "", &format!("hashlanes: write error: {BAD}\n"));
        let full = ours(&dir, &format!("\"$0\" {command} >/dev/full"));
        assert_fails(&full, "", "hashlanes: write error: No space left on device\n");
    }
    // A program that writes nothing cannot fail.
    assert!(ours(&dir, "\"$0\" check --status SUMS >&-").status.success());
    // These are open.
    for output in [">/dev/null", "<>/dev/null >&0", ">>/dev/null"] {
        let output = ours(&dir, &format!("\"$0\" sum a {output}"));
        assert!(output.status.success(), "{}", lossy(&output.stderr));
    }
    // A closed standard error does not affect the rest.
    let output = ours(&dir, "\"$0\" sum missing a 2>&-");
    let theirs = script(&dir, "sha256sum", "\"$0\" missing a 2>&-");
    assert_fails(&output, &lossy(&theirs.stdout), "");
}

/// An opened file does not take the place of a closed stream.
#[test]
fn closed_streams_stay_closed() {
    let dir = Dir::new();
    dir.file("a", b"abc").file("b", &noise(1 << 20, 1));
    let output = ours(&dir, "\"$0\" sum a - b - a <&-");
    let theirs = script(&dir, "sha256sum", "\"$0\" a b a <&-");
    assert_fails(&output, &lossy(&theirs.stdout), &format!("hashlanes: -: {BAD}\n").repeat(2));
    let output = ours(&dir, "\"$0\" sum a b >&- 2>&- <&-");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read(dir.at("a")).unwrap(), b"abc");
}

#[test]
fn a_reader_that_stops_ends_the_program_by_the_signal() {
    let dir = Dir::new();
    dir.file("a", b"abc");
    dir.file("MANY", &ok(&mut dir.peer("sha256sum", &["a"])).repeat(20_000));
    let commands = ["sum $(printf 'a %.0s' {1..20000})", "check MANY", "random --bytes 1GB --hex"];
    for command in commands {
        let text = format!("\"$0\" {command} | head -c 1 >/dev/null; echo ${{PIPESTATUS[0]}}");
        let output = ours(&dir, &text);
        assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), ("141\n".into(), "".into()));
        // As with the GNU tools, a process that ignores the signal gets a message.
        let output = ours(&dir, &format!("trap '' PIPE; {text}"));
        let message = "hashlanes: write error: Broken pipe\n";
        assert_eq!((lossy(&output.stdout), lossy(&output.stderr)), ("1\n".into(), message.into()));
    }
    let mut command = dir.hashlanes(&["random", "--bytes", "1GB"]);
    let mut child = command.stdout(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    // SIGPIPE
    assert_eq!(child.wait().unwrap().signal(), Some(13));
}

#[test]
fn flags_may_be_repeated() {
    let dir = Dir::new();
    dir.file("a", b"abc").file("SUMS", &ok(&mut dir.peer("sha256sum", &["a"])));
    for arguments in [
        &["check", "--quiet", "--quiet", "SUMS"][..],
        &["check", "-w", "--warn", "-w", "SUMS"],
        &["check", "--strict", "--status", "--strict", "--status", "SUMS"],
        &["check", "-a", "md5", "-a", "sha256", "SUMS"],
        &["sum", "--tag", "--tag", "-z", "-z", "-r", "-r", "a"],
        &["sum", "--threads", "1", "--threads", "2", "a"],
        &["sum", "-b", "-t", "-b", "-b", "a"],
    ] {
        let output = run(&mut dir.hashlanes(arguments));
        assert!(output.status.success(), "{arguments:?}: {}", lossy(&output.stderr));
    }
    // The last one counts.
    let output = ok(&mut dir.hashlanes(&["sum", "-t", "-b", "-t", "-b", "a"]));
    assert_eq!(output, ok(&mut dir.peer("sha256sum", &["-b", "a"])));
}
