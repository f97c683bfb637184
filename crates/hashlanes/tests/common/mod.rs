//! What the tests share: the oracle, messages with their right answers, and the kernels that this
//! CPU can run.
//!
//! The oracle is RustCrypto, whose code has nothing in common with that of this crate.

// Each test binary uses a part of this file.
#![allow(dead_code, unreachable_pub, unused_macros, unused_imports)]

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use hashlanes::{Algorithm, AnyEngine, Engine, HashFunction, KernelInfo};
use sha2::Digest as _;

/// The right digest.
pub fn oracle(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    match algorithm {
        Algorithm::Md5 => md5::Md5::digest(message).to_vec(),
        Algorithm::Sha1 => sha1::Sha1::digest(message).to_vec(),
        Algorithm::Sha224 => sha2::Sha224::digest(message).to_vec(),
        Algorithm::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Algorithm::Sha384 => sha2::Sha384::digest(message).to_vec(),
        Algorithm::Sha512 => sha2::Sha512::digest(message).to_vec(),
        Algorithm::Sha512_256 => sha2::Sha512_256::digest(message).to_vec(),
        Algorithm::Sm3 => sm3::Sm3::digest(message).to_vec(),
        other => panic!("{other} has no oracle: name an independent implementation of it here"),
    }
}

/// Calls a function that is generic over the hash function with each of them:
/// `for_each_function!(test(arguments))`.
macro_rules! for_each_function {
    ($test:ident($($argument:expr),* $(,)?)) => {{
        // A new algorithm must be added below.
        assert_eq!(hashlanes::Algorithm::ALL.len(), 8);
        $test::<hashlanes::Md5>($($argument),*);
        $test::<hashlanes::Sha1>($($argument),*);
        $test::<hashlanes::Sha224>($($argument),*);
        $test::<hashlanes::Sha256>($($argument),*);
        $test::<hashlanes::Sha384>($($argument),*);
        $test::<hashlanes::Sha512>($($argument),*);
        $test::<hashlanes::Sha512_256>($($argument),*);
        $test::<hashlanes::Sm3>($($argument),*);
    }};
}
pub(crate) use for_each_function;

/// This program, to be started again.
pub fn this_program() -> Command {
    program(&std::env::current_exe().unwrap())
}

/// A program that was built with this one. `HASHLANES_RUNNER` is the command line of the emulator,
/// if it runs in one: the system cannot start a program for another CPU.
pub fn program(path: &Path) -> Command {
    let runner = std::env::var("HASHLANES_RUNNER").unwrap_or_default();
    let mut words = runner.split_whitespace();
    match words.next() {
        Some(emulator) => {
            let mut command = Command::new(emulator);
            command.args(words).arg(path);
            command
        }
        None => Command::new(path),
    }
}

/// Random bytes, the same for the same seed.
pub fn noise(seed: u64, len: usize) -> Vec<u8> {
    let mut bytes = vec![0; len];
    fastrand::Rng::with_seed(seed).fill(&mut bytes);
    bytes
}

/// A length between 0 and `most`, all orders of magnitude being equally likely.
pub fn log_uniform(rng: &mut fastrand::Rng, most: usize) -> usize {
    (((most + 1) as f64).powf(rng.f64()) - 1.0) as usize
}

/// The kernels of an algorithm that can run here.
pub fn available(algorithm: Algorithm) -> Vec<KernelInfo> {
    let kernels: Vec<_> = algorithm.kernels().filter(KernelInfo::is_available).collect();
    assert!(!kernels.is_empty(), "{algorithm} has no kernel at all");
    kernels
}

/// The engines to test an algorithm with: the automatic one, and one for each kernel that can run
/// here.
pub fn engines(algorithm: Algorithm) -> Vec<(String, AnyEngine)> {
    let forced = available(algorithm).into_iter().map(|kernel| {
        let engine = AnyEngine::with_kernel(algorithm, kernel.name).expect("available");
        (format!("{algorithm} {}", kernel.name), engine)
    });
    std::iter::once((format!("{algorithm} automatic"), AnyEngine::new(algorithm)))
        .chain(forced)
        .collect()
}

/// The same for a hash function that is a type.
pub fn engines_of<A: HashFunction>() -> Vec<Engine<A>> {
    let forced =
        available(A::ALGORITHM).into_iter().map(|kernel| Engine::with_kernel(kernel.name).unwrap());
    std::iter::once(Engine::new()).chain(forced).collect()
}

/// Whether `work` panics, as it should, with these words.
pub fn panics_with(words: &str, work: impl FnOnce() + std::panic::UnwindSafe) -> bool {
    let Err(panic) = std::panic::catch_unwind(work) else { return false };
    let message = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or_default();
    assert!(message.contains(words), "{message}");
    true
}

/// Messages of random bytes with their digests. These are computed once for each algorithm, when
/// they are first asked for.
pub struct Corpus {
    noise: Vec<u8>,
    /// The first byte of `noise` that lies on a multiple of 64 in memory.
    base: usize,
    spans: Vec<(usize, usize)>,
    answers: Mutex<HashMap<Algorithm, Arc<Vec<Vec<u8>>>>>,
}

impl Corpus {
    /// Messages that are given as (offset, length). Offsets count from a multiple of 64 in memory;
    /// messages may overlap.
    pub fn new(seed: u64, spans: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let spans: Vec<_> = spans.into_iter().collect();
        let end = spans.iter().map(|(offset, len)| offset + len).max().unwrap_or(0);
        let noise = noise(seed, end + 64);
        let base = (64 - noise.as_ptr().addr() % 64) % 64;
        Self { noise, base, spans, answers: Mutex::default() }
    }

    /// Messages of these lengths, which begin at all sorts of offsets and overlap.
    pub fn of_lengths(seed: u64, lengths: impl IntoIterator<Item = usize>) -> Self {
        Self::new(seed, lengths.into_iter().enumerate().map(|(i, len)| (i * 37 % 1009, len)))
    }

    pub fn len(&self) -> usize {
        self.spans.len()
    }

    pub fn message(&self, index: usize) -> &[u8] {
        let (offset, len) = self.spans[index];
        &self.noise[self.base + offset..][..len]
    }

    pub fn messages(&self) -> Vec<&[u8]> {
        (0..self.len()).map(|i| self.message(i)).collect()
    }

    pub fn answers(&self, algorithm: Algorithm) -> Arc<Vec<Vec<u8>>> {
        let mut answers = self.answers.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let compute = || {
            Arc::new(
                self.messages().into_iter().map(|message| oracle(algorithm, message)).collect(),
            )
        };
        Arc::clone(answers.entry(algorithm).or_insert_with(compute))
    }
}
