//! Shared by the tests: the oracle, messages with their expected digests, and the kernels that this
//! CPU can run.

// Each test executable uses only a part of this file.
#![allow(dead_code, unreachable_pub, unused_macros, unused_imports)]

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use hashlanes::kernels::KernelInfo;
use hashlanes::{Algorithm, Engine, HashFunction};

mod oracle;

pub use oracle::oracle;

/// Calls a generic function with each hash function: `for_each_function!(test(arguments))`.
macro_rules! for_each_function {
    ($test:ident($($argument:expr),* $(,)?)) => {{
        // Add new algorithms below.
        assert_eq!(hashlanes::Algorithm::ALL.len(), 20);
        $test::<hashlanes::Md5>($($argument),*);
        $test::<hashlanes::Sha1>($($argument),*);
        $test::<hashlanes::Sha224>($($argument),*);
        $test::<hashlanes::Sha256>($($argument),*);
        $test::<hashlanes::Sha384>($($argument),*);
        $test::<hashlanes::Sha512>($($argument),*);
        $test::<hashlanes::Sha512_256>($($argument),*);
        $test::<hashlanes::Sm3>($($argument),*);
        $test::<hashlanes::Sha3_224>($($argument),*);
        $test::<hashlanes::Sha3_256>($($argument),*);
        $test::<hashlanes::Sha3_384>($($argument),*);
        $test::<hashlanes::Sha3_512>($($argument),*);
        $test::<hashlanes::Keccak256>($($argument),*);
        $test::<hashlanes::Keccak512>($($argument),*);
        $test::<hashlanes::Shake128>($($argument),*);
        $test::<hashlanes::Shake256>($($argument),*);
        $test::<hashlanes::Blake2b512>($($argument),*);
        $test::<hashlanes::Blake2s256>($($argument),*);
        $test::<hashlanes::Blake3>($($argument),*);
        $test::<hashlanes::Sha256d>($($argument),*);
    }};
}
pub(crate) use for_each_function;

/// A command that runs this executable again.
pub fn this_program() -> Command {
    program(&std::env::current_exe().unwrap())
}

/// A command that runs an executable of the same build. If the tests run in an emulator,
/// `HASHLANES_RUNNER` is its command line: the system cannot start a program for another CPU.
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

/// A length between 0 and `most`, with equal probability for all orders of magnitude.
pub fn log_uniform(rng: &mut fastrand::Rng, most: usize) -> usize {
    (((most + 1) as f64).powf(rng.f64()) - 1.0) as usize
}

/// The kernels of an algorithm that can run here.
pub fn available(algorithm: Algorithm) -> Vec<KernelInfo> {
    let kernels: Vec<_> = algorithm.kernels().filter(KernelInfo::is_available).collect();
    assert!(!kernels.is_empty(), "{algorithm} has no kernel at all");
    kernels
}

/// The engines with which to test an algorithm: the automatic one, and one for each kernel that can
/// run here.
pub fn engines(algorithm: Algorithm) -> Vec<(String, Engine)> {
    let forced = available(algorithm).into_iter().map(|kernel| {
        let engine = Engine::of(algorithm).kernel(kernel.name).expect("available");
        (format!("{algorithm} {}", kernel.name), engine)
    });
    std::iter::once((format!("{algorithm} automatic"), Engine::of(algorithm)))
        .chain(forced)
        .collect()
}

/// The same for a hash function that is a type.
pub fn engines_of<A: HashFunction>() -> Vec<Engine<A>> {
    let forced =
        available(A::ALGORITHM).into_iter().map(|kernel| Engine::with_kernel(kernel.name).unwrap());
    std::iter::once(Engine::new()).chain(forced).collect()
}

/// Whether `work` panics with a message that contains these words.
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

/// Random messages with their digests, which are computed for each algorithm on first use.
pub struct Corpus {
    noise: Vec<u8>,
    /// The index of the first byte of `noise` whose address is a multiple of 64.
    base: usize,
    spans: Vec<(usize, usize)>,
    answers: Mutex<HashMap<Algorithm, Arc<Vec<Vec<u8>>>>>,
}

impl Corpus {
    /// Makes messages of (offset, length). Offsets count from an address that is a multiple of 64.
    /// Messages may overlap.
    pub fn new(seed: u64, spans: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let spans: Vec<_> = spans.into_iter().collect();
        let end = spans.iter().map(|(offset, len)| offset + len).max().unwrap_or(0);
        let noise = noise(seed, end + 64);
        let base = (64 - noise.as_ptr().addr() % 64) % 64;
        Self { noise, base, spans, answers: Mutex::default() }
    }

    /// Makes messages of these lengths, which begin at various offsets and overlap.
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
