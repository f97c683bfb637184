//! `rngtest` (FIPS 140-2) judges what `hashlanes random` writes, source by source.
//!
//! Even a good stream fails now and then: rngtest rejects 8.6 of 10,000 blocks of 20,000 bits. (Of
//! 335,544 blocks of AES-CTR it rejected 289.) So the number of rejected blocks is compared with a
//! Poisson distribution. The test fails if a number this high or this low occurs by chance only
//! once in 10^9 runs.
//!
//! RDRAND, RDSEED and the operating system are judged over 100 MiB. The reduction takes some six
//! minutes for that, so each run judges 2 MiB, and this one judges all:
//! `cargo test --release -p hashlanes-cli --test program rngtest -- --ignored`.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::thread;

use crate::common::*;
use hashlanes_entropy::Source;

/// The fraction of a good stream's blocks that rngtest rejects.
const REFUSED: f64 = 8.6e-4;

/// How unlikely a number of rejected blocks must be for the stream to count as bad.
const CHANCE: f64 = 1e-9;

/// The result of rngtest.
#[derive(Debug)]
struct Verdict {
    passed: u64,
    refused: u64,
}

impl Verdict {
    /// Waits for an rngtest whose input has ended.
    fn of(rngtest: Child) -> Self {
        let output = rngtest.wait_with_output().unwrap();
        let report = lossy(&output.stderr);
        let number = |what: &str| {
            let (_, number) = report.split_once(what).unwrap_or_else(|| panic!("{report}"));
            number.lines().next().unwrap().trim().parse().unwrap()
        };
        Self { passed: number("FIPS 140-2 successes:"), refused: number("FIPS 140-2 failures:") }
    }

    fn blocks(&self) -> u64 {
        self.passed + self.refused
    }

    /// Whether a good stream could have this result.
    fn is_good(&self) -> bool {
        let chances = || poisson(self.blocks() as f64 * REFUSED);
        let refused = self.refused as usize;
        let so_few: f64 = chances().take(refused + 1).sum();
        // Terms more than 1,000 further are negligible.
        let so_many: f64 = chances().skip(refused).take(1000).sum();
        so_few > CHANCE && so_many > CHANCE
    }
}

/// The probabilities of 0, 1, 2 and so on, with this expected number.
fn poisson(expected: f64) -> impl Iterator<Item = f64> {
    (1..).scan((-expected).exp(), move |chance, next| {
        let this = *chance;
        *chance *= expected / f64::from(next);
        Some(this)
    })
}

fn rngtest(input: Stdio) -> Child {
    let mut command = Command::new("rngtest");
    command.stdin(input).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().unwrap_or_else(|error| no_program(&command, &error))
}

/// The result for a stream that is generated here.
fn judge(bytes: &[u8]) -> Verdict {
    let mut rngtest = rngtest(Stdio::piped());
    let mut input = rngtest.stdin.take().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || input.write_all(bytes).unwrap());
        Verdict::of(rngtest)
    })
}

/// The program's bytes from one source must pass.
fn judge_source(source: Source, mebibytes: u64) {
    if source.check().is_err() {
        // `random.rs` tests that the program then fails, with the reason.
        return;
    }
    let mut program = hashlanes();
    program.args(["random", "--source", source.name(), "--bytes", &format!("{mebibytes}MiB")]);
    let mut program = program.stdout(Stdio::piped()).spawn().unwrap();
    let verdict = Verdict::of(rngtest(program.stdout.take().unwrap().into()));
    assert!(program.wait().unwrap().success());
    eprintln!("{source}, {mebibytes} MiB: {verdict:?}");
    // rngtest uses the first 32 bits to compare the first block with.
    assert_eq!(verdict.blocks(), (mebibytes * 8 * 1024 * 1024 - 32) / 20_000);
    assert!(verdict.is_good(), "{source}: {verdict:?}");
}

#[test]
fn rdrand_passes() {
    judge_source(Source::Rdrand, 100);
}

#[test]
fn rdseed_passes() {
    judge_source(Source::Rdseed, 100);
}

#[test]
fn the_operating_system_passes() {
    judge_source(Source::Os, 100);
}

#[test]
fn the_reduction_passes() {
    judge_source(Source::RdrandReduced, 2);
}

#[test]
#[ignore = "takes six minutes or more"]
fn the_reduction_passes_over_100_mib() {
    judge_source(Source::RdrandReduced, 100);
}

#[test]
fn a_good_stream_passes_and_a_biased_one_does_not() {
    let mut stream = noise(8 << 20, 1);
    let verdict = judge(&stream);
    assert!(verdict.is_good(), "{verdict:?}");
    // All bits of one byte in 100 are ones: 50.5 % of the bits of the stream.
    stream.iter_mut().step_by(100).for_each(|byte| *byte = 0xff);
    let verdict = judge(&stream);
    assert!(!verdict.is_good(), "{verdict:?}");
}

#[test]
fn a_constant_and_a_cycle_do_not_pass() {
    let verdict = judge(&vec![0xff; 1 << 20]);
    assert!(verdict.passed == 0 && !verdict.is_good());
    // The same block over and over, which is good by itself: too few are rejected.
    let verdict = judge(&noise(2500, 1).repeat(30_000));
    assert_eq!(verdict.refused, 0);
    assert!(!verdict.is_good(), "{verdict:?}");
}

#[test]
fn the_bound_rejects_what_chance_cannot_explain() {
    let verdict = |refused| Verdict { passed: 41_943 - refused, refused };
    // 36 are expected. 79 or more occur by chance once in 2.2 * 10^9 runs, and 6 or fewer once in
    // 1.3 * 10^9.
    for (refused, good) in [(0, false), (6, false), (7, true), (36, true), (78, true), (79, false)]
    {
        assert_eq!(verdict(refused).is_good(), good, "{refused}");
    }
    assert!(!verdict(41_943).is_good());
    assert!(Verdict { passed: 838, refused: 0 }.is_good());
}
