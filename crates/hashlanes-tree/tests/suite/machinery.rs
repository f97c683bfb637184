//! Compares the machinery with a reference of a few lines.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};

use hashlanes::Algorithm;
use hashlanes_files::Control;
use hashlanes_tree::{
    Content, Error, Job, Joined, LastLeaf, Medium, Part, Plan, ReadError, Settings, Sink, Task,
    hash_content, hash_many, hash_reader,
};

/// Bytes that look random. The same seed gives the same bytes.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// The parameters of a plan.
#[derive(Clone)]
struct Case {
    algorithm: Algorithm,
    leaf: u64,
    prefix: Vec<u8>,
    suffix: Vec<u8>,
    last_leaf: LastLeaf,
}

impl Case {
    fn new(algorithm: Algorithm, leaf: u64) -> Self {
        let last_leaf = LastLeaf::Short;
        Self { algorithm, leaf, prefix: vec![], suffix: vec![], last_leaf }
    }

    fn plan(&self) -> Plan {
        Plan::new(self.algorithm, self.leaf)
            .with_prefix(self.prefix.clone())
            .with_suffix(self.suffix.clone())
            .with_last_leaf(self.last_leaf)
    }

    fn reference(&self, content: &[u8]) -> Vec<u8> {
        let leaf = |bytes: &[u8]| {
            let mut message = self.prefix.clone();
            message.extend(bytes);
            if self.last_leaf == LastLeaf::Zeros {
                message.resize(self.prefix.len() + self.leaf as usize, 0);
            }
            message.extend(&self.suffix);
            self.algorithm.digest(message)
        };
        let leaves = content.chunks(self.leaf as usize).map(leaf);
        leaves.flat_map(|digest| digest.as_bytes().to_vec()).collect()
    }
}

fn settings(threads: usize, memory: usize) -> Settings<'static> {
    let threads = NonZeroUsize::new(threads).unwrap();
    Settings { threads, memory, ..Settings::default() }
}

/// Compares all ways to hash the content by these plans with the reference.
#[track_caller]
fn compare(content: &[u8], cases: &[Case], settings: &Settings<'_>) {
    let plans: Vec<Plan> = cases.iter().map(Case::plan).collect();
    for way in ["content", "reader"] {
        let mut digests = vec![Vec::new(); plans.len()];
        let pairs = plans.iter().zip(&mut digests);
        let mut jobs: Vec<Job<'_>> = pairs.map(|(plan, sink)| Job::new(plan, sink)).collect();
        match way {
            "content" => hash_content(content, &mut jobs, settings).unwrap(),
            _ => {
                let length = hash_reader(content, &mut jobs, settings).unwrap();
                assert_eq!(length, content.len() as u64);
            }
        }
        for (case, digests) in cases.iter().zip(&digests) {
            let (length, leaf) = (content.len(), case.leaf);
            let what = format!("{way}: {length} bytes, {} in leaves of {leaf}", case.algorithm);
            assert!(*digests == case.reference(content), "{what}");
        }
    }
}

#[test]
fn every_length_around_a_leaf() {
    for leaf in [1, 63, 64, 1000, 4096, 40_000, 200_000, 1 << 20] {
        let all = noise(3 * leaf + 2, leaf as u64);
        let mut lengths =
            vec![0, 1, leaf - 1, leaf, leaf + 1, 2 * leaf, 3 * leaf - 1, 3 * leaf + 2];
        lengths.dedup();
        for length in lengths {
            for threads in [1, 3] {
                let case = Case::new(Algorithm::Md5, leaf as u64);
                compare(&all[..length], &[case], &settings(threads, 64 << 20));
            }
        }
    }
}

#[test]
fn every_algorithm_with_all_that_a_plan_has() {
    let content = noise(700_001, 5);
    for &algorithm in Algorithm::ALL {
        let cases = [512, 4096, 50_000, 300_000].map(|leaf| Case {
            prefix: noise(37, leaf),
            suffix: noise(leaf as usize % 5, 1),
            last_leaf: LastLeaf::Zeros,
            ..Case::new(algorithm, leaf)
        });
        compare(&content, &cases, &settings(2, 64 << 20));
        for case in cases {
            compare(&content, &[case], &settings(2, 64 << 20));
        }
    }
}

#[test]
fn sizes_that_do_not_divide_each_other_share_a_read() {
    let content = noise(9_000_017, 6);
    let cases = [1_500_000, 1_000_000, 700_001, 65_536, 4096, 999]
        .map(|leaf| Case::new(Algorithm::Sha1, leaf));
    for threads in [1, 2, 5] {
        compare(&content, &cases, &settings(threads, 64 << 20));
        // With so little memory, there is one cursor, and the pipe is read leaf by leaf.
        compare(&content, &cases, &settings(threads, 1 << 20));
    }
    let small = [4096, 5000, 64].map(|leaf| Case::new(Algorithm::Sha256, leaf));
    compare(&content, &small, &settings(2, 64 << 20));
}

#[test]
fn windows_of_a_pipe_meet_within_leaves() {
    // Windows of 2 MiB and 3 MB.
    let content = noise(10_000_000, 7);
    let cases = [1_000_001, 300_000, 4096].map(|leaf| Case::new(Algorithm::Md5, leaf));
    compare(&content, &cases, &settings(2, 4 << 20));
    compare(&content, &cases, &settings(2, 6 << 20));
}

#[test]
fn joined_files_are_one() {
    let folder = tempfile::tempdir().unwrap();
    let lengths = [0, 1, 70_000, 0, 3, 131_072, 5, 0];
    let mut parts = Vec::new();
    let mut all = Vec::new();
    for (i, length) in lengths.into_iter().enumerate() {
        let bytes = noise(length, i as u64);
        let path = folder.path().join(i.to_string());
        std::fs::write(&path, &bytes).unwrap();
        all.extend(bytes);
        all.extend([0; 9]);
        parts.extend([Part::File(path), Part::Zeros(9)]);
    }
    // More files than may be open at the same time.
    for i in 0..300 {
        let path = folder.path().join(format!("many{i}"));
        std::fs::write(&path, i.to_string()).unwrap();
        all.extend(i.to_string().bytes());
        parts.push(Part::File(path));
    }
    let joined = Joined::open(parts).unwrap();
    assert_eq!(joined.length(), all.len() as u64);
    let case = Case::new(Algorithm::Sha1, 16_384);
    let plan = case.plan();
    let mut digests = Vec::new();
    hash_content(&joined, &mut [Job::new(&plan, &mut digests)], &settings(2, 1 << 20)).unwrap();
    assert!(digests == case.reference(&all));
    assert_eq!(joined.changed().count(), 0);
    std::fs::write(folder.path().join("many7"), "longer").unwrap();
    assert_eq!(joined.changed().count(), 1);
}

/// Only Linux tells where holes are.
#[test]
#[cfg(target_os = "linux")]
fn holes_of_joined_files_are_holes() {
    const M: u64 = 1 << 20;
    let folder = tempfile::tempdir().unwrap();
    let (sparse, dense) = (folder.path().join("sparse"), folder.path().join("dense"));
    std::fs::File::create(&sparse).unwrap().set_len(M).unwrap();
    std::fs::write(&dense, vec![0; M as usize]).unwrap();
    let range = Part::Range { path: sparse.clone(), offset: M / 2, length: M / 2 };
    let parts = [Part::File(sparse), Part::Zeros(M), range, Part::File(dense)];
    let joined = Joined::open(parts).unwrap();
    for (hole, expected) in [
        (0..M, true),
        (M - 1..2 * M + 1, true),
        (0..2 * M + M / 2, true),
        (0..2 * M + M / 2 + 1, false),
        (3 * M..3 * M + 1, false),
    ] {
        assert_eq!(joined.is_hole(hole.clone()), expected, "{hole:?}");
    }
}

#[test]
fn a_file_that_became_shorter_is_an_error_that_names_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shrinks");
    std::fs::write(&path, [1; 100_000]).unwrap();
    let joined = Joined::open([Part::File(path.clone())]).unwrap();
    std::fs::write(&path, [1; 10]).unwrap();
    let plan = Plan::new(Algorithm::Md5, 4096);
    let mut sink = Vec::new();
    let error = hash_content(&joined, &mut [Job::new(&plan, &mut sink)], &settings(2, 1 << 20));
    let Err(Error::Read(ReadError { path: named, error })) = error else { panic!("no error") };
    assert_eq!(named, Some(path));
    assert_eq!(error.to_string(), "the file was truncated while it was read");
    let missing = Joined::open([Part::File(folder.path().join("none"))]);
    assert!(missing.is_err_and(|error| error.path.is_some()));
}

struct Fails(u64);

impl hashlanes_tree::Sink for Fails {
    fn leaves(&mut self, digests: &[u8]) -> std::io::Result<()> {
        self.0 += digests.len() as u64;
        if self.0 > 1000 { Err(std::io::Error::other("full")) } else { Ok(()) }
    }
}

#[test]
fn a_sink_ends_the_run() {
    let content = noise(5_000_000, 1);
    let plan = Plan::new(Algorithm::Md5, 4096);
    for threads in [1, 4] {
        let mut sink = Fails(0);
        let mut jobs = [Job::new(&plan, &mut sink)];
        let error = hash_content(content.as_slice(), &mut jobs, &settings(threads, 1 << 20));
        assert!(matches!(error, Err(Error::Sink(error)) if error.to_string() == "full"));
        let mut sink = Fails(0);
        let mut jobs = [Job::new(&plan, &mut sink)];
        let error = hash_reader(content.as_slice(), &mut jobs, &settings(threads, 1 << 20));
        assert!(matches!(error, Err(Error::Sink(_))));
    }
}

/// A sink that stops the run.
struct Stops<'c>(&'c Control);

impl hashlanes_tree::Sink for Stops<'_> {
    fn leaves(&mut self, _: &[u8]) -> std::io::Result<()> {
        self.0.stop();
        Ok(())
    }
}

#[test]
fn a_run_counts_its_bytes_and_can_be_stopped() {
    let content = noise(9_000_000, 1);
    let plans = [1_500_000, 1_000_000].map(|leaf| Plan::new(Algorithm::Md5, leaf));
    let control = Control::new();
    let watched = Settings { control: Some(&control), ..settings(2, 64 << 20) };
    let mut digests = [Vec::new(), Vec::new()];
    let pairs = plans.iter().zip(&mut digests);
    let mut jobs: Vec<Job<'_>> = pairs.map(|(plan, sink)| Job::new(plan, sink)).collect();
    hash_content(content.as_slice(), &mut jobs, &watched).unwrap();
    // Bytes that are read twice count once.
    assert_eq!(control.bytes(), 9_000_000);
    hash_reader(content.as_slice(), &mut jobs, &watched).unwrap();
    assert_eq!(control.bytes(), 18_000_000);

    let plan = Plan::new(Algorithm::Md5, 4096);
    let mut sink = Stops(&control);
    let outcome = hash_content(content.as_slice(), &mut [Job::new(&plan, &mut sink)], &watched);
    assert!(matches!(outcome, Err(Error::Stopped)));
    let outcome = hash_reader(content.as_slice(), &mut [Job::new(&plan, &mut sink)], &watched);
    assert!(matches!(outcome, Err(Error::Stopped)));
}

/// Content whose reader panics.
struct Panics;

impl Content for Panics {
    fn length(&self) -> u64 {
        10 << 20
    }

    fn read_exact_at(&self, _: &mut [u8], offset: u64) -> Result<(), ReadError> {
        if offset > 5 << 20 { panic!("in the content") } else { Ok(()) }
    }
}

#[test]
fn a_panic_does_not_leave_the_others_waiting() {
    let plan = Plan::new(Algorithm::Md5, 4096);
    let mut sink = Vec::new();
    let run = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        hash_content(&Panics, &mut [Job::new(&plan, &mut sink)], &settings(4, 1 << 20))
    }));
    assert!(run.is_err());
}

/// Content that counts how many places are read at the same time.
struct Counts {
    content: Vec<u8>,
    medium: Medium,
    /// The end of the latest read, and the number of reads that did not begin there.
    end: AtomicU64,
    jumps: AtomicU64,
}

impl Content for Counts {
    fn length(&self) -> u64 {
        self.content.len() as u64
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        if self.end.swap(offset + buffer.len() as u64, Ordering::Relaxed) != offset {
            self.jumps.fetch_add(1, Ordering::Relaxed);
        }
        self.content.read_exact_at(buffer, offset)
    }

    fn medium(&self) -> Medium {
        self.medium
    }
}

#[test]
fn a_disk_that_turns_is_read_from_begin_to_end() {
    let case = Case::new(Algorithm::Md5, 1 << 20);
    let plan = case.plan();
    let jumps = |medium, readers| {
        let content = noise(9_000_000, 2);
        let (end, jumps) = (AtomicU64::new(0), AtomicU64::new(0));
        let content = Counts { content, medium, end, jumps };
        let settings = Settings { readers, ..settings(2, 64 << 20) };
        let mut digests = Vec::new();
        hash_content(&content, &mut [Job::new(&plan, &mut digests)], &settings).unwrap();
        assert!(digests == case.reference(&content.content));
        content.jumps.into_inner()
    };
    let network = |places| Medium::Network(NonZeroUsize::new(places).unwrap());
    assert_eq!(jumps(Medium::RotationalDisk, None), 0);
    assert_eq!(jumps(network(1), None), 0);
    assert_eq!(jumps(network(4), NonZeroUsize::new(1)), 0);
    assert!(jumps(network(4), None) > 0);
    assert_eq!(jumps(Medium::Other, NonZeroUsize::new(1)), 0);
    assert!(jumps(Medium::Other, None) > 0);
    assert!(jumps(Medium::Memory, NonZeroUsize::new(1)) > 0);
}

#[test]
fn random_plans_give_what_the_reference_gives() {
    for seed in 1..150 {
        let numbers = noise(64, seed);
        let mut numbers = numbers.iter().map(|&byte| u64::from(byte));
        let mut next = |below: u64| {
            let value = (0..3).fold(0, |all, _| all << 8 | numbers.next().unwrap());
            value % below
        };
        let content = noise(next(400_000) as usize, seed);
        let count = 1 + next(3);
        let cases: Vec<Case> = (0..count)
            .map(|_| {
                let bits = 4 + next(15);
                Case {
                    prefix: noise(next(70) as usize, seed),
                    suffix: noise(next(2) as usize * 9, seed),
                    last_leaf: if next(2) == 0 { LastLeaf::Short } else { LastLeaf::Zeros },
                    ..Case::new(Algorithm::Md5, 1 + next(1 << bits))
                }
            })
            .collect();
        let threads = 1 + next(3) as usize;
        compare(&content, &cases, &settings(threads, 1 << (17 + next(8))));
    }
}

/// Content that measures how far reads run ahead of the sink.
struct Ahead<'c> {
    delivered: &'c AtomicU64,
    furthest: AtomicU64,
}

impl Content for Ahead<'_> {
    fn length(&self) -> u64 {
        200 << 20
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        buffer.fill(0);
        let ahead = offset.saturating_sub(self.delivered.load(Ordering::SeqCst));
        self.furthest.fetch_max(ahead, Ordering::SeqCst);
        Ok(())
    }
}

/// A slow sink.
struct Slow<'c>(&'c AtomicU64);

impl hashlanes_tree::Sink for Slow<'_> {
    fn leaves(&mut self, digests: &[u8]) -> std::io::Result<()> {
        std::thread::sleep(std::time::Duration::from_millis(3));
        self.0.fetch_add(digests.len() as u64 / 16 * 4096, Ordering::SeqCst);
        Ok(())
    }
}

#[test]
fn workers_do_not_get_far_ahead_of_a_slow_sink() {
    let delivered = AtomicU64::new(0);
    let content = Ahead { delivered: &delivered, furthest: AtomicU64::new(0) };
    let plan = Plan::new(Algorithm::Md5, 4096);
    let mut sink = Slow(&delivered);
    let mut jobs = [Job::new(&plan, &mut sink)];
    hash_content(&content, &mut jobs, &settings(4, 64 << 20)).unwrap();
    assert_eq!(delivered.load(Ordering::SeqCst), 200 << 20);
    // Four segments of 1 MiB for each worker, and the one that the sink is processing.
    let furthest = content.furthest.into_inner();
    assert!(furthest <= 17 << 20, "{furthest} bytes ahead");
}

/// Content that is hashed side by side with others.
struct Beside {
    number: usize,
    content: Vec<u8>,
    plans: Vec<Plan>,
    digests: Vec<Vec<u8>>,
    /// The offset from which it cannot be read.
    bad_from: u64,
}

impl Content for Beside {
    fn length(&self) -> u64 {
        self.content.len() as u64
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        if offset >= self.bad_from {
            return Err(std::io::Error::other("bad").into());
        }
        self.content.as_slice().read_exact_at(buffer, offset)
    }
}

impl Task for Beside {
    fn content(&self) -> &dyn Content {
        self
    }

    fn plans(&self) -> &[Plan] {
        &self.plans
    }

    fn sink(&mut self, plan: usize) -> &mut dyn Sink {
        &mut self.digests[plan]
    }
}

impl Beside {
    fn new(number: usize, length: usize, cases: &[Case]) -> Self {
        let plans: Vec<Plan> = cases.iter().map(Case::plan).collect();
        let (content, bad_from) = (noise(length, number as u64), u64::MAX);
        Self { number, content, digests: vec![vec![]; plans.len()], plans, bad_from }
    }
}

#[test]
fn contents_side_by_side_are_hashed_as_each_alone() {
    let base = Case::new(Algorithm::Sha256, 4096);
    let usual = vec![
        Case::new(Algorithm::Md5, 100_000),
        // It hashes like the first one if both have a single leaf.
        Case::new(Algorithm::Md5, 200_000),
        Case { prefix: vec![7; 64], last_leaf: LastLeaf::Zeros, ..base.clone() },
        Case { prefix: vec![0], ..base.clone() },
        Case { suffix: vec![1; 9], ..base },
    ];
    let lengths = [0, 1, 63, 4096, 4097, 20_000, 99_999, 100_000, 131_072, 131_073, 300_000];
    let cases = |number: usize| match number % 7 {
        // Unique salts.
        6 => vec![Case { prefix: vec![number as u8; 3], ..Case::new(Algorithm::Sha1, 1000) }],
        _ => usual.clone(),
    };
    let length = |number: usize| lengths[number % lengths.len()];
    let mut all = (0..700).map(|number| Beside::new(number, length(number), &cases(number)));
    let next = || {
        let mut next = all.next()?;
        if next.number % 100 == 52 {
            next.bad_from = 131_072;
        }
        Some(next)
    };
    let (mut seen, mut failed) = (vec![0; 700], 0);
    let control = Control::new();
    let done = |one: Beside, outcome: Result<(), Error>| {
        seen[one.number] += 1;
        if one.bad_from < one.length() {
            assert_eq!(outcome.unwrap_err().to_string(), "bad");
            failed += 1;
            return;
        }
        outcome.unwrap();
        for (case, digests) in cases(one.number).iter().zip(&one.digests) {
            assert_eq!(*digests, case.reference(&one.content), "{}", one.number);
        }
    };
    hash_many(next, done, &control);
    assert_eq!(seen, [1; 700]);
    assert!(failed > 0);
}

#[test]
fn a_stop_ends_what_is_side_by_side() {
    let control = Control::new();
    let mut count = 0;
    let next = || {
        count += 1;
        if count == 100 {
            control.stop();
        }
        Some(Beside::new(count, 300_000, &[Case::new(Algorithm::Md5, 1 << 20)]))
    };
    let (mut whole, mut stopped) = (0, 0);
    let done = |_, outcome| match outcome {
        Ok(()) => whole += 1,
        Err(Error::Stopped) => stopped += 1,
        Err(error) => panic!("{error}"),
    };
    hash_many(next, done, &control);
    assert!(stopped > 0);
    assert_eq!(whole + stopped, count);
}
