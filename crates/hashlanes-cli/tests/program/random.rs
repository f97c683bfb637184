//! Tests `hashlanes random`: the right number of bytes, from the right source or none, and helpful
//! errors. The quality of the bytes is tested in `rngtest.rs`.

#[cfg(unix)]
use std::fs::File;
use std::io::Read;
use std::process::{Command, Stdio};

use crate::common::*;
use hashlanes_entropy::{Grade, Source};

fn random(arguments: &[&str]) -> Command {
    let mut command = hashlanes();
    command.arg("random").args(arguments);
    command
}

/// A run that must fail with this status and print only the message that is returned.
#[track_caller]
fn refused(arguments: &[&str], status: i32) -> String {
    let output = run(&mut random(arguments));
    assert_eq!(output.status.code(), Some(status), "{arguments:?}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    lossy(&output.stderr)
}

#[test]
fn the_requested_number_of_bytes_is_written() {
    for (size, bytes) in
        [("0", 0), ("1", 1), ("16", 16), ("64KiB", 65536), ("65537", 65537), ("1MB", 1_000_000)]
    {
        let output = run(&mut random(&["--bytes", size]));
        assert!(output.status.success() && output.stderr.is_empty(), "{size}");
        assert_eq!(output.stdout.len(), bytes, "{size}");
    }
}

#[test]
fn hexadecimal_digits_are_one_line() {
    for bytes in [0, 1, 32, 65537] {
        let text = ok(&mut random(&["--hex", "--bytes", &bytes.to_string()]));
        let digits = text.strip_suffix(b"\n").unwrap();
        assert_eq!(digits.len(), 2 * bytes);
        assert!(digits.iter().all(|digit| b"0123456789abcdef".contains(digit)));
    }
}

#[test]
fn no_two_runs_and_no_two_pieces_are_alike() {
    let runs: Vec<_> = (0..2).map(|_| ok(&mut random(&["--bytes", "256KiB"]))).collect();
    let mut pieces: Vec<_> = runs.iter().flat_map(|bytes| bytes.chunks(16)).collect();
    pieces.sort_unstable();
    let (all, zeros) = (pieces.len(), [0; 16]);
    pieces.dedup();
    assert_eq!(pieces.len(), all);
    assert!(!pieces.contains(&zeros.as_slice()));
}

#[test]
fn a_source_serves_or_reports_why_not() {
    for source in Source::ALL {
        let arguments = ["--bytes", "100000", "-v", "--source", source.name()];
        match source.check() {
            Ok(()) => {
                let output = run(&mut random(&arguments));
                assert_eq!(output.stdout.len(), 100_000);
                let served = format!("hashlanes: 100000 bytes from {source}\n");
                assert_eq!(lossy(&output.stderr), served);
            }
            Err(failure) => {
                let message = format!("hashlanes: no random bytes: {source}: {failure}\n");
                assert_eq!(refused(&arguments, 1), message);
            }
        }
    }
}

#[test]
fn a_grade_is_served_by_its_first_source_that_works() {
    for grade in Grade::ALL {
        let arguments = ["--bytes", "32", "--verbose", "--grade", grade.name()];
        match grade.sources().iter().find(|source| source.check().is_ok()) {
            Some(source) => {
                let served = format!("hashlanes: 32 bytes from {source}\n");
                assert_eq!(lossy(&run(&mut random(&arguments)).stderr), served);
            }
            None => {
                let message = refused(&arguments, 1);
                assert!(grade.sources().iter().all(|source| message.contains(source.name())));
            }
        }
    }
}

#[test]
fn the_grade_is_key_unless_another_is_asked_for() {
    let key = lossy(&run(&mut random(&["--bytes", "1", "-v", "--grade", "key"])).stderr);
    assert_eq!(lossy(&run(&mut random(&["--bytes", "1", "-v"])).stderr), key);
}

#[test]
fn a_source_below_the_grade_is_wrong_usage() {
    for source in Source::ALL {
        for grade in Grade::ALL.into_iter().filter(|&grade| grade > source.grade()) {
            let arguments = ["--bytes", "8", "--source", source.name(), "--grade", grade.name()];
            let message = refused(&arguments, 2);
            assert_eq!(
                message,
                format!(
                    "hashlanes: the source {source} has the grade {}, which is below {grade}\n",
                    source.grade()
                )
            );
        }
    }
}

#[test]
fn wrong_arguments_are_reported() {
    for (arguments, named) in [
        (&[][..], "--bytes"),
        (&["--bytes", "many"], "many"),
        (&["--bytes", "-1"], "-1"),
        (&["--bytes", "8", "--grade", "best"], "nonce, key and seed"),
        (&["--bytes", "8", "--source", "dice"], "rdseed, rdrand-512, os and rdrand"),
    ] {
        let message = refused(arguments, 2);
        assert!(message.contains(named), "{message}");
    }
}

#[test]
#[cfg(unix)]
fn raw_bytes_are_not_written_to_a_terminal() {
    let on_terminal = |options: &str| {
        let command = format!("{} random --bytes 8 {options}", env!("CARGO_BIN_EXE_hashlanes"));
        run(peer("script").args(["--quiet", "--return", "--command", &command, "/dev/null"]))
    };
    let raw = on_terminal("");
    assert_eq!(raw.status.code(), Some(2));
    assert!(lossy(&raw.stdout).contains("use --hex"), "{}", lossy(&raw.stdout));
    let hex = on_terminal("--hex");
    assert!(hex.status.success());
    assert_eq!(hex.stdout.trim_ascii_end().len(), 16);
}

#[test]
fn a_reader_that_stops_ends_it_quietly() {
    for options in [&[][..], &["--hex"]] {
        let mut command = random(&["--bytes", "16TB"]);
        let mut child =
            command.args(options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut bytes = [0; 200_000];
        // The pipe is closed at the end of this line.
        child.stdout.take().unwrap().read_exact(&mut bytes).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(lossy(&output.stderr), "");
    }
}

#[test]
#[cfg(unix)]
fn the_memory_is_bounded() {
    // Address space for the program itself and a few MiB of buffers, in KiB.
    let script =
        "ulimit -v 65536; \"$0\" random --source os --bytes 100MB | wc -c; exit ${PIPESTATUS[0]}";
    let count = ok(peer("bash").args(["-c", script, env!("CARGO_BIN_EXE_hashlanes")]));
    assert_eq!(lossy(&count).trim(), "100000000");
}

#[test]
#[cfg(unix)]
fn a_full_device_is_an_error() {
    let mut command = random(&["--bytes", "100"]);
    let output = run(command.stdout(File::options().write(true).open("/dev/full").unwrap()));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stderr), "hashlanes: write error: No space left on device\n");
}
