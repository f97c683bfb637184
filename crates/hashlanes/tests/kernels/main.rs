//! Compares every kernel of every algorithm with an independent implementation.
//!
//! The tests are grouped by instruction set, so that `kernels avx512::` tests the kernels of only
//! one set, as is done in an emulator. Kernels that this CPU cannot run are skipped, with a message
//! on standard error that the test harness does not capture. There are three environment variables:
//! * `HASHLANES_REQUIRE=avx512,sha_ni`: fail if these sets cannot run.
//! * `HASHLANES_ABSENT=avx512`: fail if the library would use this set although the system does not
//!   enable its registers.
//! * `HASHLANES_QUICK=1`: skip the messages of 1 MiB, and try fewer combinations of lengths, lanes
//!   and messages, for an emulator.
#![cfg(all(feature = "all", feature = "alloc"))]

#[path = "../common/mod.rs"]
mod common;
mod selection;
#[cfg(all(target_arch = "x86_64", feature = "std", not(miri)))]
mod upper_halves;

use std::io::Write as _;
use std::sync::{LazyLock, Mutex};

use common::{Corpus, log_uniform};
use hashlanes::kernels::KernelInfo;
use hashlanes::{Algorithm, Engine};

/// The instruction sets that have tests below.
const SETS: &[&str] = &[
    "portable",
    "bmi2",
    "sse41",
    "avx2",
    "avx512_256",
    "avx512",
    "avx512_copy",
    "sha_ni",
    "sha_ni_avx512",
    "neon",
    "neon_sha3",
    "arm_sha",
    "arm_sha512",
    "sha512_ni",
    "sm3_ni",
    "simd128",
];

/// The instruction set of a kernel: `avx2-x2`, `avx2-two-x2` and `avx2-copy-x2` belong to `avx2`,
/// `sha-ni-x4` and `sha-ni-turns-x4` to `sha_ni`.
fn set_of(kernel: &KernelInfo) -> String {
    let name = kernel.name;
    let ends =
        ["-lines-x2", "-two-x2", "-x2", "-turns-x4", "-x4", "-one", "-two", "-four", "-rounds"];
    let plain = ends.iter().find_map(|end| name.strip_suffix(end));
    match plain.unwrap_or(name) {
        "avx2-copy" => "avx2".to_owned(),
        "avx512-256-copy" => "avx512_256".to_owned(),
        plain => plain.replace('-', "_"),
    }
}

/// Prints a line for whoever runs the tests. The harness captures `println!` unless a test fails.
fn tell(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn required(set: &str) -> bool {
    named("HASHLANES_REQUIRE", set)
}

fn quick() -> bool {
    std::env::var_os("HASHLANES_QUICK").is_some()
}

/// Whether an environment variable names an instruction set.
fn named(variable: &str, set: &str) -> bool {
    let value = std::env::var(variable).unwrap_or_default();
    let names: Vec<_> = value.split(',').map(str::trim).filter(|name| !name.is_empty()).collect();
    for name in &names {
        assert!(
            SETS.contains(name),
            "{variable}: no instruction set '{name}'; there are {}",
            SETS.join(", ")
        );
    }
    names.contains(&set)
}

/// A kernel under test.
struct Row {
    algorithm: Algorithm,
    kernel: KernelInfo,
    engine: Engine,
}

impl Row {
    /// Hashes the chosen messages of a corpus and checks the digests.
    fn check(&self, corpus: &Corpus, chosen: impl IntoIterator<Item = usize>) {
        let chosen: Vec<_> = chosen.into_iter().collect();
        let messages: Vec<_> = chosen.iter().map(|&i| corpus.message(i)).collect();
        let answers = corpus.answers(self.algorithm);
        let digests = self.engine.digest_many(&messages);
        assert_eq!(digests.len(), messages.len());
        for (position, (digest, &i)) in digests.iter().zip(&chosen).enumerate() {
            assert!(
                digest.as_bytes() == answers[i],
                "{} in {}: message {position} of {}, {} bytes: {digest} is wrong",
                self.algorithm,
                self.kernel.name,
                messages.len(),
                messages[position].len()
            );
        }
    }
}

/// All kernels of an instruction set.
fn rows(set: &str) -> impl Iterator<Item = (Algorithm, KernelInfo)> {
    Algorithm::ALL
        .iter()
        .flat_map(|&algorithm| algorithm.kernels().map(move |kernel| (algorithm, kernel)))
        .filter(move |(_, kernel)| set_of(kernel) == set)
}

/// The reason why the kernels of an instruction set cannot run here, if any.
fn obstacle(set: &str) -> Option<String> {
    let mut missing: Vec<_> = rows(set).flat_map(|(_, kernel)| kernel.missing()).collect();
    missing.sort_unstable();
    missing.dedup();
    if rows(set).next().is_none() {
        Some(format!("this architecture has no {set}"))
    } else if !missing.is_empty() {
        Some(format!("this CPU or operating system lacks {}", missing.join(", ")))
    } else {
        None
    }
}

/// Calls `test` with every kernel of an instruction set that this CPU can run.
fn for_each_row(set: &'static str, test: impl Fn(&Row)) {
    static TOLD: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    let obstacle = obstacle(set);
    let first = {
        let mut told = TOLD.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let first = !told.contains(&set);
        told.push(set);
        first
    };
    // `summary` reports the sets of other architectures.
    if first && rows(set).next().is_some() {
        let names: Vec<_> =
            rows(set).map(|(algorithm, kernel)| format!("{algorithm} x{}", kernel.lanes)).collect();
        match &obstacle {
            None => tell(&format!("kernels {set}: run here ({})", names.join(", "))),
            Some(reason) => tell(&format!("kernels {set}: NOT RUN HERE: {reason}")),
        }
    }
    if let Some(reason) = &obstacle {
        assert!(!required(set), "the kernels {set} are required: {reason}");
    }
    for (algorithm, kernel) in rows(set) {
        match Engine::of(algorithm).kernel(kernel.name) {
            Ok(engine) => test(&Row { algorithm, kernel, engine }),
            Err(error) => assert!(!kernel.is_available(), "{error}"),
        }
    }
}

const MANY: usize = 70;
const SHORT: usize = 400;
const AROUND: [isize; 25] = [
    -129, -128, -127, -113, -112, -65, -64, -63, -17, -16, -9, -8, -1, 0, 1, 8, 9, 16, 17, 63, 64,
    65, 127, 128, 129,
];

/// One message of every length from 0 to 400, shuffled.
static EVERY_LENGTH: LazyLock<Corpus> = LazyLock::new(|| {
    let mut lengths: Vec<_> = (0..=SHORT).collect();
    fastrand::Rng::with_seed(1).shuffle(&mut lengths);
    Corpus::of_lengths(1, lengths)
});

fn around(middle: usize) -> impl Iterator<Item = usize> {
    AROUND.into_iter().map(move |difference| middle.wrapping_add_signed(difference))
}

/// All lengths in one call.
fn every_length(row: &Row) {
    row.check(&EVERY_LENGTH, 0..EVERY_LENGTH.len());
}

/// Each length in a separate call: all lanes hash the same message.
fn every_length_alone(row: &Row) {
    for i in 0..EVERY_LENGTH.len() {
        row.check(&EVERY_LENGTH, [i]);
    }
}

/// Each length in all lanes at once, and in one more. In an emulator, every seventh length, since
/// `equal_lengths` covers the lengths at which the number of blocks changes.
fn every_length_in_all_lanes(row: &Row) {
    const LANES: usize = 32;
    static LENGTHS: LazyLock<Vec<usize>> =
        LazyLock::new(|| (0..=SHORT).step_by(if quick() { 7 } else { 1 }).collect());
    static CORPUS: LazyLock<Corpus> =
        LazyLock::new(|| Corpus::of_lengths(10, LENGTHS.iter().flat_map(|&len| [len; LANES + 1])));
    assert!(row.kernel.lanes <= LANES);
    for length in 0..LENGTHS.len() {
        let first = length * (LANES + 1);
        row.check(&CORPUS, first..=first + row.kernel.lanes);
    }
}

/// Each number of messages, of mixed lengths.
fn every_count(row: &Row) {
    let mut next = 0;
    for count in 1..=MANY {
        row.check(&EVERY_LENGTH, (next..next + count).map(|i| i % EVERY_LENGTH.len()));
        next += count;
    }
}

fn no_message(row: &Row) {
    let none: [&[u8]; 0] = [];
    assert!(row.engine.digest_many(&none).is_empty());
}

/// Messages at each offset from a multiple of 64, with and without whole blocks, so that loads
/// cross cache lines.
fn every_alignment(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
        let lengths = [5, 64, 128, 200, 389];
        Corpus::new(2, lengths.into_iter().flat_map(|len| (0..64).map(move |offset| (offset, len))))
    });
    for offsets in 0..CORPUS.len() / 64 {
        // The same length in all lanes, each at a different offset.
        row.check(&CORPUS, offsets * 64..(offsets + 1) * 64);
    }
    // Mixed lengths and offsets, each offset in other lanes than above.
    row.check(&CORPUS, (0..CORPUS.len()).map(|i| i * 67 % CORPUS.len()));
}

fn around_4_kib(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| Corpus::of_lengths(3, around(4096)));
    row.check(&CORPUS, 0..CORPUS.len());
}

fn around_1_mib(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| Corpus::of_lengths(4, around(1 << 20)));
    if !quick() {
        row.check(&CORPUS, 0..CORPUS.len());
    }
}

/// Many messages of one length end in all lanes at once.
fn equal_lengths(row: &Row) {
    const LENGTHS: [usize; 15] =
        [0, 1, 55, 56, 63, 64, 111, 112, 119, 120, 127, 128, 129, 1000, 4096];
    const COUNTS: [usize; 15] = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 65, 100];
    static CORPUS: LazyLock<Corpus> =
        LazyLock::new(|| Corpus::of_lengths(5, LENGTHS.into_iter().flat_map(|len| [len; 100])));
    // An emulator leaves the last length, of 4 KiB, to `around_4_kib`.
    for length in 0..LENGTHS.len() - usize::from(quick()) {
        for count in COUNTS {
            row.check(&CORPUS, length * 100..length * 100 + count);
        }
    }
}

/// Lengths with different numbers of blocks in each function, and many messages of each.
const KINDS: [usize; 3] = [7, 200, 390];
const OF_A_KIND: usize = 34;
static BY_KIND: LazyLock<Corpus> =
    LazyLock::new(|| Corpus::of_lengths(12, KINDS.into_iter().flat_map(|len| [len; OF_A_KIND])));

/// Up to six messages of three lengths (in an emulator, four), in each order: whichever lane ends
/// first, and whichever message is next, there is a call for it.
fn every_order_of_few(row: &Row) {
    for count in 1..=if quick() { 4 } else { 6 } {
        for order in 0..KINDS.len().pow(count) {
            let kind = |place| order / KINDS.len().pow(place) % KINDS.len();
            let chosen = (0..count).map(|place| kind(place) * OF_A_KIND + place as usize);
            row.check(&BY_KIND, chosen);
        }
    }
}

/// Two messages more than there are lanes, of three lengths: each number of each, the longest
/// first, last, and in between.
fn every_mix_in_all_lanes(row: &Row) {
    if quick() {
        return;
    }
    let count = row.kernel.lanes + 2;
    assert!(count <= OF_A_KIND);
    for short in 0..=count {
        for middle in 0..=count - short {
            let numbers = [short, middle, count - short - middle];
            let kinds = numbers.into_iter().enumerate();
            let mut chosen: Vec<_> =
                kinds.flat_map(|(kind, n)| (0..n).map(move |i| kind * OF_A_KIND + i)).collect();
            row.check(&BY_KIND, chosen.iter().copied());
            row.check(&BY_KIND, chosen.iter().rev().copied());
            // Takes turns between the front and the back.
            let (front, back) = chosen.split_at(count / 2);
            let turns = back.iter().zip(front).flat_map(|(&a, &b)| [a, b]);
            chosen = turns.chain(back[front.len()..].iter().copied()).collect();
            row.check(&BY_KIND, chosen);
        }
    }
}

/// Runs of messages of equal length, each as long as there are lanes. Nothing prepared for one run
/// may be left over for the next.
fn runs_of_equal_lengths(row: &Row) {
    const LENGTHS: [usize; 8] = [0, 16, 55, 63, 64, 100, 128, 192];
    const RUN: usize = 37;
    static CORPUS: LazyLock<Corpus> =
        LazyLock::new(|| Corpus::of_lengths(11, LENGTHS.into_iter().flat_map(|len| [len; RUN])));
    for a in 0..LENGTHS.len() {
        for b in 0..LENGTHS.len() {
            let runs = [a, a, b, a, b, b, b, b, b, a].into_iter().enumerate();
            let run = |(i, length)| {
                (0..row.kernel.lanes).map(move |lane| length * RUN + (7 * i + lane) % RUN)
            };
            let mut chosen: Vec<_> = runs.flat_map(run).collect();
            row.check(&CORPUS, chosen.iter().copied());
            // The same, with runs that do not begin at a group's first lane, and with an incomplete
            // group.
            chosen.truncate(chosen.len() - row.kernel.lanes / 2);
            chosen.remove(0);
            row.check(&CORPUS, chosen);
        }
    }
}

/// More messages than are sorted at a time, with random lengths.
fn mixed_lengths(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
        let mut rng = fastrand::Rng::with_seed(6);
        Corpus::of_lengths(6, std::iter::repeat_with(move || rng.usize(..300)).take(1100))
    });
    row.check(&CORPUS, 0..CORPUS.len());
}

/// Lengths of all orders of magnitude: the other lanes are refilled many times while one continues.
fn log_uniform_lengths(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
        let mut rng = fastrand::Rng::with_seed(7);
        Corpus::of_lengths(
            7,
            std::iter::repeat_with(move || log_uniform(&mut rng, 50_000)).take(130),
        )
    });
    row.check(&CORPUS, 0..CORPUS.len());
    // With few messages, lanes become idle.
    for count in [2, 3, 5, 9, 17, 33] {
        row.check(&CORPUS, count..2 * count);
    }
}

/// One long message among many short ones, at various positions.
fn one_long_message(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
        Corpus::of_lengths(8, (0..40).map(|i| if i == 0 { 20_000 } else { 3 * i }))
    });
    for place in [0, 1, 7, 15, 16, 31, 39] {
        row.check(&CORPUS, (1..=place).chain([0]).chain(place + 1..CORPUS.len()));
    }
}

/// The same memory in all lanes: one message many times, and prefixes and suffixes of one another.
fn shared_memory(row: &Row) {
    static CORPUS: LazyLock<Corpus> = LazyLock::new(|| {
        let beginnings = (0..70).map(|i| (3, 13 * i));
        let ends = (0..70).map(|i| (3 + 13 * i, 910 - 13 * i));
        Corpus::new(9, beginnings.chain(ends))
    });
    row.check(&CORPUS, 0..CORPUS.len());
    for count in [1, 2, 8, 16, 31, 33, 70] {
        row.check(&CORPUS, std::iter::repeat_n(69, count));
    }
}

/// One message in pieces, beside two others.
fn streaming(row: &Row) {
    let answers = EVERY_LENGTH.answers(row.algorithm);
    for i in (0..EVERY_LENGTH.len()).step_by(7) {
        let message = EVERY_LENGTH.message(i);
        let mut hashers = row.engine.hashers(3);
        let cut = |n: usize| message.len() * n / 5;
        hashers.update(&[&message[..cut(1)], message, b""]);
        hashers.update(&[&message[cut(1)..cut(4)], b"", message]);
        hashers.update(&[&message[cut(4)..], b"", b""]);
        for hasher in 0..3 {
            assert_eq!(
                hashers.finalize_reset(hasher).as_bytes(),
                answers[i],
                "{} bytes, hasher {hasher}",
                message.len()
            );
        }
    }
}

/// The tests of one instruction set.
macro_rules! proofs {
    ($($set:ident),*) => {
        $(mod $set {
            proofs!(@tests $set:
                every_length, every_length_alone, every_length_in_all_lanes, every_count,
                no_message, every_alignment, around_4_kib, around_1_mib, equal_lengths,
                every_order_of_few, every_mix_in_all_lanes, runs_of_equal_lengths, mixed_lengths,
                log_uniform_lengths, one_long_message, shared_memory, streaming
            );
        })*
    };
    (@tests $set:ident: $($test:ident),*) => {
        $(#[test]
        fn $test() {
            super::for_each_row(stringify!($set), super::$test);
        })*
    };
}

proofs!(
    portable,
    bmi2,
    sse41,
    avx2,
    avx512_256,
    avx512,
    avx512_copy,
    sha_ni,
    sha_ni_avx512,
    sha512_ni,
    sm3_ni,
    neon,
    neon_sha3,
    arm_sha,
    arm_sha512,
    simd128
);

#[test]
fn every_kernel_has_tests() {
    for &algorithm in Algorithm::ALL {
        for kernel in algorithm.kernels() {
            assert!(
                SETS.contains(&set_of(&kernel).as_str()),
                "kernel {} of {algorithm}: add its instruction set to SETS and to proofs!",
                kernel.name
            );
        }
    }
}

/// If the system does not enable the 512-bit registers, AVX-512 must not be used, even if the CPU
/// reports it.
#[test]
fn absent() {
    for &set in SETS.iter().filter(|set| named("HASHLANES_ABSENT", set)) {
        assert!(obstacle(set).is_some(), "the library would use {set}");
        assert!(set.starts_with("avx512"), "{set}: this test cannot ask the CPU for it");
        assert!(cpu_reports_avx512f(), "the CPU has no AVX-512 in any case");
    }
}

fn cpu_reports_avx512f() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{__cpuid, __cpuid_count};
        #[allow(unused_unsafe, reason = "CPUID became a safe function in Rust 1.93")]
        // SAFETY: every x86-64 CPU has CPUID with leaf 0, which gives the number of the highest
        // leaf.
        unsafe {
            __cpuid(0).eax >= 7 && __cpuid_count(7, 0).ebx >> 16 & 1 == 1
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Prints which kernels could be tested on this CPU, and which could not.
#[test]
fn summary() {
    let here = SETS.iter().filter(|set| rows(set).next().is_some());
    let (not_run, run): (Vec<&str>, Vec<&str>) = here.partition(|set| obstacle(set).is_some());
    let not_run = if not_run.is_empty() { "none" } else { &not_run.join(", ") };
    tell(&format!("kernels run here: {}; NOT RUN HERE: {not_run}", run.join(", ")));
    assert!(run.contains(&"portable"));
}
