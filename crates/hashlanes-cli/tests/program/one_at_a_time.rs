//! `sum` and `check` with the functions that hash one file at a time, beside `b2sum` and `openssl`.
use std::path::Path;

use crate::common::*;

const ONE_AT_A_TIME: [&str; 11] = [
    "blake2b-256",
    "turboshake128",
    "turboshake256",
    "kt128",
    "kt256",
    "crc32",
    "crc32c",
    "crc64nvme",
    "xxh3",
    "xxh64",
    "xxh128",
];

fn with<'a>(first: &[&'a str], names: &'a [String]) -> Vec<&'a str> {
    first.iter().copied().chain(names.iter().map(String::as_str)).collect()
}

#[test]
fn every_size_hashes_as_with_b2sum() {
    let (dir, names) = sized_files();
    for (algorithm, length) in [("blake2b", "512"), ("blake2b-256", "256"), ("BLAKE2b-8", "8")] {
        for format in [&[][..], &["--tag"]] {
            let ours = with(&[&["sum", "-a", algorithm], format].concat(), &names);
            let theirs = with(&[&["-l", length], format].concat(), &names);
            assert_runs_the_same(&mut dir.hashlanes(&ours), &mut dir.peer("b2sum", &theirs));
        }
    }
}

#[test]
fn every_size_hashes_as_with_openssl() {
    let (dir, names) = sized_files();
    for algorithm in ["sha3-224", "sha3-256", "sha3-384", "sha3-512"] {
        for threads in ["1", "3"] {
            let sum = ["sum", "--threads", threads, "-a", algorithm];
            let ours = ok(&mut dir.hashlanes(&with(&sum, &names)));
            let dgst = ["dgst", "-r", &format!("-{algorithm}")];
            let theirs = lossy(&ok(&mut dir.peer("openssl", &with(&dgst, &names))));
            assert_same(&ours, theirs.replace(" *", "  ").as_bytes(), algorithm);
        }
    }
}

#[test]
fn every_size_hashes_as_with_xxhsum() {
    let (dir, names) = sized_files();
    for (algorithm, number) in [("xxh64", "1"), ("xxh128", "2"), ("xxh3", "3")] {
        let ours = ok(&mut dir.hashlanes(&with(&["sum", "--tag", "-a", algorithm], &names)));
        let tag = format!("-H{number}");
        let theirs = ok(&mut dir.peer("xxhsum", &with(&["--tag", &tag], &names)));
        assert_same(&ours, &theirs, algorithm);
    }
}

/// The beginnings of outputs that other packages computed: `outputs.py` in the library's tests.
#[test]
fn outputs_begin_as_those_of_the_vector_file() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hashlanes/tests/suite/outputs.txt");
    let Ok(vectors) = std::fs::read_to_string(path) else {
        eprintln!("left out: the published package lacks the vectors of the library");
        return;
    };
    let dir = Dir::new();
    let mut compared = 0;
    for line in vectors.lines() {
        let words: Vec<_> = line.split(' ').collect();
        let &[algorithm, length, output] = &words[..] else { continue };
        let digits = match algorithm {
            "turboshake128" | "kt128" => 64,
            "turboshake256" | "kt256" => 128,
            _ => continue,
        };
        let message: Vec<_> = (0..length.parse().unwrap()).map(|i: u32| (i % 251) as u8).collect();
        dir.file("message", &message);
        let line = lossy(&ok(&mut dir.hashlanes(&["sum", "-a", algorithm, "message"])));
        assert_eq!(line, format!("{}  message\n", &output[..digits]), "{algorithm}, {length}");
        compared += 1;
    }
    assert!(compared >= 60, "{compared}");
}

#[test]
fn check_reads_what_sum_writes() {
    let (dir, names) = sized_files();
    for algorithm in ONE_AT_A_TIME {
        let tagged = ok(&mut dir.hashlanes(&with(&["sum", "--tag", "-a", algorithm], &names)));
        dir.file("TAGGED", &tagged);
        let output = lossy(&ok(&mut dir.hashlanes(&["check", "TAGGED"])));
        assert_eq!(output.matches(": OK\n").count(), names.len(), "{algorithm}");

        let plain = ok(&mut dir.hashlanes(&with(&["sum", "-a", algorithm], &names)));
        dir.file("PLAIN", &plain);
        let output = lossy(&ok(&mut dir.hashlanes(&["check", "-a", algorithm, "PLAIN"])));
        assert_eq!(output.matches(": OK\n").count(), names.len(), "{algorithm}");

        // Change the digits of the first digest.
        let other = |c: char| if c == '0' { '1' } else { '0' };
        let wrong: String = plain.iter().map(|&byte| char::from(byte)).collect();
        dir.file(
            "WRONG",
            format!("{}{}", other(wrong.chars().next().unwrap()), &wrong[1..]).as_bytes(),
        );
        let output = run(&mut dir.hashlanes(&["check", "-a", algorithm, "WRONG"]));
        assert_eq!(output.status.code(), Some(1), "{algorithm}");
        assert_eq!(lossy(&output.stdout).matches(": FAILED\n").count(), 1, "{algorithm}");
    }
}

#[test]
fn a_file_is_read_once_for_functions_of_both_kinds() {
    let (dir, names) = sized_files();
    let together = ["sum", "--tag", "-a", "md5", "-a", "blake3", "-a", "sha3-512", "-a", "crc32"];
    let together = lossy(&ok(&mut dir.hashlanes(&with(&together, &names))));
    let of = |algorithm| {
        lossy(&ok(&mut dir.hashlanes(&with(&["sum", "--tag", "-a", algorithm], &names))))
    };
    let alone = ["md5", "blake3", "sha3-512", "crc32"].map(of);
    let mut alone = alone.each_ref().map(|lines| lines.lines());
    for line in together.lines().collect::<Vec<_>>().chunks(4) {
        for (line, alone) in line.iter().zip(&mut alone) {
            assert_eq!(Some(*line), alone.next());
        }
    }
    // A pipe can be read only once.
    let input = noise(200_000, 1);
    let piped =
        run_with_input(hashlanes().args(["sum", "--tag", "-a", "sha1", "-a", "blake2b"]), &input);
    let expected =
        ["sha1sum", "b2sum"].map(|program| run_with_input(peer(program).arg("--tag"), &input));
    assert_same(&piped.stdout, &expected.map(|output| output.stdout).concat(), "a pipe");
}

#[test]
fn a_kernel_is_refused_and_the_variable_for_it_ignored() {
    let output = run(hashlanes().args(["sum", "-a", "xxh3", "--kernel", "scalar", "/dev/null"]));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        lossy(&output.stderr),
        "hashlanes: xxh3 has no kernels: it hashes one file at a time\n"
    );
    let mut command = hashlanes();
    command.args(["sum", "-a", "crc32", "/dev/null"]).env("HASHLANES_KERNEL", "scalar");
    assert_eq!(lossy(&ok(&mut command)), "00000000  /dev/null\n");
}

#[test]
fn info_names_them() {
    let text = lossy(&ok(hashlanes().arg("info")));
    assert!(
        text.contains(
            "One file at a time on each core:\n  turboshake128, turboshake256, kt128, kt256, \
             crc32, crc32c, crc64nvme, xxh3, xxh64, xxh128\n"
        ),
        "{text}"
    );
}
