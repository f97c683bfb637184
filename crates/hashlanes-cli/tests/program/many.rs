//! `hashlanes sum` for millions of files: files that change or vanish, and interruptions.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::FileExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::common::{Dir, assert_same, lossy, noise, ok, peer, run, run_with_input};

#[test]
fn a_file_written_during_the_run_gets_a_warning() {
    let dir = Dir::new();
    dir.file("calm", b"calm").file("written", b"");
    let file = File::options().write(true).open(dir.at("written")).unwrap();
    // Sparse: it takes time to hash, but no space.
    file.set_len(512 << 20).unwrap();
    let mut sum = dir.hashlanes(&["sum", "calm", "written"]);
    let mut child = sum.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut byte = 0;
    while child.try_wait().unwrap().is_none() {
        byte ^= 1;
        file.write_at(&[byte], 0).unwrap();
        thread::sleep(Duration::from_millis(1));
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(
        lossy(&output.stderr),
        "hashlanes: written: WARNING: the file changed while it was read\n"
    );
    assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 2);
    assert!(output.status.success());
}

/// The names in lines of the form `DIGEST  NAME`, after checking that `sha256sum -c` accepts them.
#[track_caller]
fn names(dir: &Dir, arguments: &[&str]) -> Vec<String> {
    let lines = ok(&mut dir.hashlanes(arguments));
    if !lines.is_empty() {
        let check = run_with_input(&mut dir.peer("sha256sum", &["-c", "--strict"]), &lines);
        assert!(check.status.success(), "{}", lossy(&check.stdout));
    }
    lossy(&lines).lines().map(|line| line[66..].to_owned()).collect()
}

#[test]
fn parts_of_a_tree_can_be_left_out() {
    let dir = Dir::new();
    for name in ["t/.git/config", "t/a.c", "t/a.o", "t/build/b.c", "t/sub/.hidden", "t/sub/c.c"] {
        dir.file(name, name.as_bytes());
    }
    let all = names(&dir, &["sum", "-r", "t"]);
    assert_eq!(all.len(), 6);
    assert_eq!(names(&dir, &["sum", "-r", "--hidden", "t"]), all);
    let left = |options: &[&str]| names(&dir, &[&["sum", "-r"], options, &["t"]].concat());
    assert_eq!(left(&["--no-hidden"]), ["t/a.c", "t/a.o", "t/build/b.c", "t/sub/c.c"]);
    assert_eq!(left(&["--no-hidden", "--hidden"]), all);
    assert_eq!(left(&["--include", "*.c"]), ["t/a.c", "t/build/b.c", "t/sub/c.c"]);
    assert_eq!(
        left(&["--include", "*.c", "--exclude", "build/", "--exclude", "/a.c"]),
        ["t/sub/c.c"]
    );
    assert_eq!(
        left(&["--exclude", ".*", "--exclude", "sub/*.c"]),
        ["t/a.c", "t/a.o", "t/build/b.c"]
    );
    assert!(left(&["--exclude", "*"]).is_empty());

    let refused = run(&mut dir.hashlanes(&["sum", "-r", "--exclude", "[a", "t"]));
    assert_eq!(refused.status.code(), Some(2));
    assert!(lossy(&refused.stderr).contains("invalid pattern '[a': "));
    // Without -r there is nothing to exclude.
    let refused = run(&mut dir.hashlanes(&["sum", "--exclude", "a", "t"]));
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn files_that_are_not_regular_are_counted() {
    let dir = Dir::new();
    dir.file("t/file", b"content");
    assert!(peer("mkfifo").arg(dir.at("t/fifo")).status().unwrap().success());
    std::os::unix::fs::symlink("file", dir.at("t/link")).unwrap();
    std::os::unix::fs::symlink(".", dir.at("t/loop")).unwrap();

    let sum = run(&mut dir.hashlanes(&["sum", "-r", "t"]));
    assert_eq!(lossy(&sum.stderr), "hashlanes: skipped 2 symbolic links, 1 FIFO\n");
    assert_eq!(sum.stdout.iter().filter(|&&byte| byte == b'\n').count(), 1);
    assert!(sum.status.success());
    let sum = run(&mut dir.hashlanes(&["sum", "-r", "--no-skipped", "t"]));
    assert_eq!(lossy(&sum.stderr), "");

    let sum = run(&mut dir.hashlanes(&["sum", "-rL", "t"]));
    let message = "hashlanes: t/loop: the link leads back to a directory above it\n\
                   hashlanes: skipped 1 FIFO\n";
    assert_eq!(lossy(&sum.stderr), message);
    assert_eq!(lossy(&sum.stdout).matches("  t/").count(), 2);
    assert_eq!(sum.status.code(), Some(1));
}

#[test]
fn paths_of_any_length_are_hashed_and_checked() {
    let dir = Dir::new();
    // The shell creates directories that no path could reach.
    let name = "n".repeat(250);
    let make = format!(
        "for i in $(seq 30); do mkdir {name} && cd -P {name} || exit 1; done; echo deep > file"
    );
    assert!(dir.peer("bash", &["-c", &make]).status().unwrap().success());
    let lines = ok(&mut dir.hashlanes(&["sum", "-r", &name]));
    assert_eq!(lines.len(), 66 + 30 * 251 + 4 + 1);
    let digest = ok(&mut dir.peer("bash", &["-c", "echo deep | sha256sum"]));
    assert_eq!(lines[..64], digest[..64]);
    let check = run_with_input(&mut dir.hashlanes(&["check", "--quiet"]), &lines);
    assert!(check.status.success(), "{}", lossy(&check.stderr));
    // The system could not remove it by its path either.
    assert!(dir.peer("rm", &["-r", &name]).status().unwrap().success());
}

#[test]
fn files_are_named_by_a_list() {
    let dir = Dir::new();
    for name in ["one", "two words", "new\nline", "t/b", "t/a"] {
        dir.file(name, name.as_bytes());
    }
    dir.file("list", b"two words\none\nt/b").file("nul", b"new\nline\0one\0");
    assert_eq!(names(&dir, &["sum", "--files-from", "list"]), ["two words", "one", "t/b"]);
    assert_eq!(names(&dir, &["sum", "--files-from", "nul", "-0"]), [" new\\nline", "one"]);

    let listed = |options: &[&str], list: &[u8]| {
        run_with_input(&mut dir.hashlanes(&[&["sum", "--files-from=-"], options].concat()), list)
    };
    let expected = ok(&mut dir.hashlanes(&["sum", "t/a", "t/b", "one"]));
    let sum = listed(&["-r"], b"t\none\n");
    assert_same(&sum.stdout, &expected, "trees in a list");

    let sum = listed(&[], b"one\n\nmissing\n-\nt/a\n");
    assert_eq!(sum.status.code(), Some(1));
    let message = format!(
        "hashlanes: -: entry 2: the name is empty\nhashlanes: missing: {}\nhashlanes: -: entry 4: \
         a list from the standard input cannot contain `-`\n",
        crate::common::missing()
    );
    assert_eq!(lossy(&sum.stderr), message);
    let expected = ok(&mut dir.hashlanes(&["sum", "one", "t/a"]));
    assert_same(&sum.stdout, &expected, "what can be hashed");

    let sum = run(&mut dir.hashlanes(&["sum", "--files-from", "none"]));
    assert_eq!(sum.status.code(), Some(1));
    assert_eq!(lossy(&sum.stderr), format!("hashlanes: none: {}\n", crate::common::missing()));
    let sum = run(&mut dir.hashlanes(&["sum", "--files-from", "list", "one"]));
    assert_eq!(sum.status.code(), Some(2));
}

#[test]
fn a_list_may_come_slowly_and_its_files_are_hashed_meanwhile() {
    let dir = Dir::new();
    dir.file("one", b"1").file("two", b"2");
    let mut sum = dir.hashlanes(&["sum", "--files-from", "-"]);
    let mut child = sum.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut list = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for name in ["one", "two"] {
        writeln!(list, "{name}").unwrap();
        assert!(lines.next().unwrap().unwrap().ends_with(name));
    }
    drop(list);
    assert!(lines.next().is_none() && child.wait().unwrap().success());
}

/// The program, such that SIGINT ends it. A shell that runs the tests in the background has them
/// ignore it, and the program would inherit that.
fn interruptible(dir: &Dir, arguments: &[&str]) -> Command {
    let mut env = dir.peer("env", &["--default-signal=INT", env!("CARGO_BIN_EXE_hashlanes")]);
    env.args(arguments);
    env
}

/// Starts a run that waits for a FIFO named `fifo` at its end, and returns it when the lines of the
/// preceding files have arrived.
fn waiting(dir: &Dir, files: &[&str]) -> (Child, Vec<String>) {
    assert!(peer("mkfifo").arg(dir.at("fifo")).status().unwrap().success());
    let mut sum = interruptible(dir, &["sum"]);
    sum.args(files).arg("fifo");
    let mut child = sum.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    let lines = lines.take(files.len()).map(Result::unwrap).collect();
    (child, lines)
}

/// How the run ended. It is killed after a minute, so that the test fails instead of hanging.
fn ended(child: Child) -> Output {
    let id = child.id().to_string();
    let (done, is_done) = mpsc::channel::<()>();
    let watch = thread::spawn(move || {
        if is_done.recv_timeout(Duration::from_secs(60)) == Err(RecvTimeoutError::Timeout) {
            let _ = peer("kill").args(["-s", "KILL", &id]).status();
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    watch.join().unwrap();
    output
}

fn send(signal: &str, child: &Child) {
    assert!(peer("kill").args(["-s", signal, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn a_signal_ends_the_run_with_what_is_done() {
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let dir = Dir::new();
        dir.file("a", b"a").file("b", b"b");
        let (child, lines) = waiting(&dir, &["a", "b"]);
        assert!(lines[0].ends_with("  a") && lines[1].ends_with("  b"));
        send(name, &child);
        let output = ended(child);
        assert_eq!(output.status.signal(), Some(number));
        assert_eq!(lossy(&output.stderr), "");
    }
}

#[test]
fn a_signal_ends_the_run_in_the_middle_of_a_large_file() {
    let dir = Dir::new();
    dir.file("small", b"s");
    File::create(dir.at("large")).unwrap().set_len(1 << 42).unwrap();
    for files in [&["small", "large"][..], &["small"; 2], &["large", "small"]] {
        let mut sum = interruptible(&dir, &["sum", "--threads", "2"]);
        // With the small file given twice, the second one waits for the large one's turn.
        let files = [files, &["large"]].concat();
        let mut child = sum.args(&files).stdout(Stdio::piped()).spawn().unwrap();
        if files[0] == "small" {
            // The run is in progress.
            child.stdout.as_mut().unwrap().read_exact(&mut [0; 64]).unwrap();
        } else {
            thread::sleep(Duration::from_millis(300));
        }
        send("INT", &child);
        let output = ended(child);
        assert_eq!(output.status.signal(), Some(2));
        assert!(output.stdout.is_empty() || output.stdout.ends_with(b"small\n"));
    }
}

/// What was not reached is not judged, and nothing is reported.
#[test]
fn a_signal_ends_a_check_without_a_verdict() {
    let dir = Dir::new();
    File::create(dir.at("large")).unwrap().set_len(512 << 30).unwrap();
    let digits = "0".repeat(64);
    dir.file("SUMS", format!("{digits}  large\n").as_bytes());
    // Leaves in holes are hashed once, so that this takes more of them.
    File::create(dir.at("larger")).unwrap().set_len(8 << 40).unwrap();
    dir.file("TREES", format!("GLACIER (larger) = {digits}\n").as_bytes());
    // Holes of torrents are not read, and this file has none as long as what is read at once.
    let dense = File::create(dir.at("dense")).unwrap();
    for offset in (0..8 << 30).step_by(64 << 10) {
        dense.write_all_at(b"x", offset).unwrap();
    }
    let info = format!("d6:lengthi{}e4:name5:dense12:piece lengthi{}e", 8_u64 << 30, 512 << 20);
    let info = [info.as_bytes(), b"6:pieces320:", &[0; 320]].concat();
    dir.file("x.torrent", &[b"d4:info", &info[..], b"ee"].concat());
    for arguments in [
        &["check", "SUMS"][..],
        &["check", "TREES"],
        &["check", "--threads", "1", "x.torrent"],
        &["tree", "verify-torrent", "--threads", "1", "x.torrent"],
    ] {
        let mut check = interruptible(&dir, arguments);
        let child = check.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        thread::sleep(Duration::from_millis(500));
        send("INT", &child);
        let output = ended(child);
        assert_eq!(output.status.signal(), Some(2), "{arguments:?}");
        let printed = [output.stdout, output.stderr].concat();
        assert_eq!(lossy(&printed), "", "{arguments:?}");
    }
}

#[test]
fn a_signal_ends_the_run_in_the_middle_of_many_small_files() {
    let dir = Dir::new();
    File::create(dir.at("small")).unwrap().set_len(8 << 20).unwrap();
    dir.file("list", "small\n".repeat(50_000).as_bytes());
    let mut tree = interruptible(&dir, &["tree", "s3-etag", "--files-from", "list"]);
    let mut child = tree.stdout(Stdio::piped()).spawn().unwrap();
    // The run is in progress.
    child.stdout.as_mut().unwrap().read_exact(&mut [0; 32]).unwrap();
    send("INT", &child);
    let output = ended(child);
    assert_eq!(output.status.signal(), Some(2));
    assert!(output.stdout.ends_with(b"  small\n"));
}

/// The system may deliver a signal to any thread, here to the one that waits for it.
#[test]
#[cfg(target_os = "linux")]
fn a_signal_to_the_thread_that_waits_for_it_ends_the_run() {
    let dir = Dir::new();
    dir.file("a", b"a");
    let (child, _) = waiting(&dir, &["a"]);
    let id = child.id().to_string();
    let program = "
import ctypes, pathlib, signal, sys, time
process = sys.argv[1]
tasks = pathlib.Path('/proc', process, 'task')
watch, = (task for task in tasks.iterdir() if (task / 'comm').read_text() == 'watch\\n')
while 'S (sleeping)' not in (watch / 'status').read_text():
    time.sleep(0.01)
assert ctypes.CDLL(None).tgkill(int(process), int(watch.name), signal.SIGINT) == 0";
    ok(&mut dir.peer("python3", &["-c", program, &id]));
    let output = ended(child);
    assert_eq!(output.status.signal(), Some(2));
}

#[test]
fn results_after_an_unfinished_file_are_printed() {
    let dir = Dir::new();
    dir.file("a", b"a").file("b", b"b");
    assert!(peer("mkfifo").arg(dir.at("fifo")).status().unwrap().success());
    let mut sum = interruptible(&dir, &["sum", "--threads", "2", "fifo", "a", "b"]);
    let child = sum.stdout(Stdio::piped()).spawn().unwrap();
    thread::sleep(Duration::from_millis(500));
    send("INT", &child);
    let output = ended(child);
    assert_eq!(output.status.signal(), Some(2));
    assert_same(&output.stdout, &ok(&mut dir.hashlanes(&["sum", "a", "b"])), "what is done");
}

#[test]
fn a_signal_that_is_ignored_stays_so() {
    let dir = Dir::new();
    dir.file("a", b"a");
    let mut shell = dir.peer("bash", &["-c", "trap '' INT; exec \"$0\" sum a -"]);
    shell.arg(env!("CARGO_BIN_EXE_hashlanes")).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut first).unwrap();
    send("INT", &child);
    drop(child.stdin.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn a_run_that_can_catch_no_signal_is_not_stopped() {
    let dir = Dir::new();
    dir.file("a", b"a");
    // So long that a run that is stopped at its start does not reach the end.
    let line = format!("{}  a\n", "0".repeat(64));
    for (set, lines) in [("trap '' INT TERM", 5000), ("ulimit -n 6", 1)] {
        dir.file("wrong", line.repeat(lines).as_bytes());
        let script = format!("{set}; exec \"$0\" check wrong");
        let output = run(dir.peer("bash", &["-c", &script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
        let what = format!("{set}: {:?} {}", output.status.code(), lossy(&output.stderr));
        assert!(output.status.code().is_some_and(|code| code > 0), "{what}");
        assert_ne!(lossy(&output.stderr), "", "{what}");
        if set.starts_with("trap") {
            assert_eq!(lossy(&output.stdout), "a: FAILED\n".repeat(lines), "{what}");
        }
    }
}

/// What appears on a terminal when bash runs this there. `$0` is the program.
fn on_terminal(dir: &Dir, script: &str) -> String {
    let script = script.replace("$0", env!("CARGO_BIN_EXE_hashlanes"));
    dir.file("script", script.as_bytes());
    let mut terminal = dir.peer("script", &["-qec", "bash script", "/dev/null"]);
    lossy(&ok(terminal.env("TERM", "xterm").stdin(Stdio::null())))
}

#[test]
fn a_bar_is_shown_on_a_terminal_and_garbles_no_line() {
    let dir = Dir::new();
    dir.file("a", b"a");
    let line = lossy(&ok(&mut dir.hashlanes(&["sum", "a"])));
    let line = line.trim_end();
    let slow = "(sleep 1.5; echo x; sleep 0.5) | $0 sum a - a";
    let shown = on_terminal(&dir, slow);
    assert!(shown.contains(" 2 files"), "{shown:?}");
    assert_eq!(shown.matches(&format!("{line}\r\n")).count(), 2, "{shown:?}");
    // The second line is printed while the bar is shown: the bar is cleared, and redrawn after it.
    assert!(
        shown.contains(
            "\u{1b}[2K73cb3858a687a8494ca3323053016282f3dad39d42cf62ca4e79dda2aac7d9ac  -\r\n"
        ),
        "{shown:?}"
    );

    for quiet in [
        "$0 sum a",
        "(sleep 1.5; echo x) | $0 sum --no-progress a - a",
        "(sleep 1.5; echo x) | $0 sum a - a | cat",
        "(sleep 1.5; echo x) | $0 sum a - a 2> file; cat file",
    ] {
        assert!(!on_terminal(&dir, quiet).contains(" file"), "{quiet}");
    }
}

/// What is drawn between carriage returns and newlines, without the codes that move the cursor.
fn drawn(shown: &str) -> Vec<String> {
    let plain = |text: &str| {
        let mut parts = text.split('\u{1b}');
        let begin = parts.next().unwrap_or_default().to_owned();
        let after = |part: &str| {
            part.trim_start_matches(['[', '?', ';']).trim_start_matches(char::is_numeric)[1..]
                .into()
        };
        begin + &parts.map(after).collect::<Vec<String>>().concat()
    };
    shown.split(['\r', '\n']).map(plain).collect()
}

#[test]
fn a_bar_fits_into_its_terminal() {
    let dir = Dir::new();
    dir.file("big", &noise(2_000_000, 1));
    let sum = "$0 sum --rate 900kB/s big --progress bar > /dev/null";
    for (before, width) in [
        ("stty rows 9 cols 20", 20),
        ("stty rows 9 cols 70; (sleep 1.5; stty cols 30) < /dev/tty &", 70),
        ("export LC_ALL=C; stty rows 9 cols 79", 79),
    ] {
        let shown = on_terminal(&dir, &format!("{before}\n{sum}"));
        let lines = drawn(&shown);
        let bars: Vec<_> = lines.iter().filter(|line| line.contains("/s")).collect();
        assert!(bars.len() > 3, "{before}: {shown:?}");
        assert!(bars.iter().all(|line| line.chars().count() <= width), "{before}: {bars:?}");
        if width == 70 {
            assert!(bars.last().unwrap().chars().count() <= 30, "{bars:?}");
        }
        if width == 79 {
            assert!(shown.is_ascii() && shown.contains("##"), "{shown:?}");
        }
    }
}

#[test]
fn a_disk_may_be_read_one_file_at_a_time() {
    let dir = Dir::new();
    let names: Vec<String> = (0..12).map(|number| format!("t/{number}")).collect();
    for (number, name) in names.iter().enumerate() {
        dir.file(name, &noise(1_000_000 + number, number as u64));
    }
    let expected = ok(&mut dir.hashlanes(&["sum", "-r", "t"]));
    for options in [&["--readers", "1"][..], &["--readers", "2", "--threads", "3"]] {
        for name in &names {
            // If the folder is on a disk, only the disk has the file after this.
            let drop = format!("dd of={name} oflag=nocache conv=notrunc,fdatasync count=0");
            assert!(run(&mut dir.peer("bash", &["-c", &drop])).status.success());
        }
        let sum = ok(dir.hashlanes(&["sum", "-r", "t"]).args(options));
        assert_same(&sum, &expected, "with few readers");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn exhausted_memory_is_reported_in_one_line() {
    let dir = Dir::new();
    for number in 0..100 {
        dir.file(format!("t/{number}"), &noise(1000, number));
    }
    let mut told = 0;
    for limit in (4000..50_000).step_by(1000) {
        let script = format!("ulimit -v {limit} && exec \"$0\" sum --threads 2 -r t");
        let mut shell = dir.peer("bash", &["-c", &script]);
        shell.arg(env!("CARGO_BIN_EXE_hashlanes")).env("RUST_BACKTRACE", "1");
        let output = run(&mut shell);
        let stderr = lossy(&output.stderr);
        // The standard library panics in a new thread if it cannot give it a second stack, and
        // glibc aborts if it cannot note a destructor of the thread.
        let panics = stderr.matches("failed to allocate an alternative stack").count();
        let aborted = stderr.contains("failed to register TLS destructor");
        assert_eq!(stderr.matches("panicked").count(), panics, "{stderr}");
        if stderr.contains("hashlanes: memory exhausted\n") && panics == 0 && !aborted {
            told += 1;
            assert_eq!(output.status.code(), Some(1), "{stderr}");
        }
    }
    assert!(told > 0, "there was always enough memory, or not enough to begin");
}

#[test]
fn a_kernel_that_a_function_lacks_is_reported_once() {
    let dir = Dir::new();
    dir.file("a", b"a").file("b", b"b");
    let manifest = ok(&mut dir.hashlanes(&["sum", "--tag", "-a", "md5", "-a", "sm3", "a", "b"]));
    dir.file("manifest", &manifest);
    let check =
        run(&mut dir.hashlanes(&["check", "--quiet", "--kernel", "portable-x2", "manifest"]));
    assert!(check.status.success());
    let said = lossy(&check.stderr);
    assert!(
        said.starts_with("hashlanes: WARNING: --kernel is ignored: sm3 has no kernel"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1);
    let check = run(&mut dir.hashlanes(&["check", "--quiet", "--kernel", "portable", "manifest"]));
    assert_eq!(lossy(&check.stderr), "");
}
