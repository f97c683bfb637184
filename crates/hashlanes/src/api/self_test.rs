//! Known answers, computed in every kernel.

use core::fmt;

use super::by_name::AnyDigest;
use super::engine::Engine;
use super::hasher::Hasher;
use super::known_answers::{ANSWERS, EQUAL, LONGEST, MIXED};
use super::prefix::Prefix;
use crate::function::Algorithm;
use crate::kernel::KernelInfo;

/// Hashes known messages with every algorithm that is compiled in, in every kernel that this CPU
/// can run, and compares the digests with known ones.
///
/// The messages are short, of one block and of several, of mixed lengths and of equal ones, in one
/// call, one at a time, in pieces and in chains. Output of any length ([`xof`](crate::xof)) is not
/// tested. It takes about 10 ms with an optimized library, and allocates nothing.
///
/// ```
/// hashlanes::kernels::self_test()?;
/// # Ok::<(), hashlanes::kernels::SelfTestError>(())
/// ```
///
/// # Errors
/// If a digest is wrong: the first algorithm and kernel with one.
// Inlined, so that only programs that use it compile what it calls.
#[inline]
pub fn self_test() -> Result<(), SelfTestError> {
    test_with(&mut |_, _, _| {})
}

/// A kernel that gives wrong digests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelfTestError {
    algorithm: Algorithm,
    kernel: &'static str,
}

impl SelfTestError {
    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// The name of the kernel.
    pub fn kernel(&self) -> &'static str {
        self.kernel
    }
}

impl fmt::Display for SelfTestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, kernel } = self;
        write!(f, "self-test: kernel '{kernel}' of {algorithm} does not give the known digests")
    }
}

impl core::error::Error for SelfTestError {}

/// What a test does to digests, in place of a broken kernel.
type Disturb<'d> = dyn FnMut(Algorithm, &KernelInfo, &mut [u8]) + 'd;

#[inline]
fn test_with(disturb: &mut Disturb<'_>) -> Result<(), SelfTestError> {
    for &algorithm in Algorithm::ALL {
        let known = ANSWERS.iter().find(|(name, _)| *name == algorithm.name());
        let known = known.and_then(|(_, digest)| digest.parse::<AnyDigest>().ok());
        for kernel in algorithm.kernels().filter(KernelInfo::is_available) {
            let answer = answer(algorithm, &kernel, disturb);
            let is_right = |known: AnyDigest| {
                answer.is_some_and(|answer| answer.as_bytes().starts_with(known.as_bytes()))
            };
            if !known.is_some_and(is_right) {
                return Err(SelfTestError { algorithm, kernel: kernel.name });
            }
        }
    }
    Ok(())
}

/// The digest of all digests, computed in one kernel. `None` if it cannot be chosen.
#[inline]
fn answer(
    algorithm: Algorithm,
    kernel: &KernelInfo,
    disturb: &mut Disturb<'_>,
) -> Option<AnyDigest> {
    const COUNT: usize = MIXED.len();
    let engine = Engine::of(algorithm).kernel(kernel.name).ok()?;
    let bytes: [u8; LONGEST] = core::array::from_fn(|i| (i % 251) as u8);
    let mut memory = [0; COUNT * 64];
    let digests = &mut memory[..COUNT * algorithm.digest_len()];
    let mut all = Hasher::with_engine(engine);
    for length in EQUAL.map(Some).into_iter().chain([None]) {
        let messages: [&[u8]; COUNT] = core::array::from_fn(|i| match length {
            Some(length) => &bytes[i..i + length],
            None => &bytes[..MIXED[i]],
        });
        engine.digest_many_into(&messages, digests);
        disturb(algorithm, kernel, digests);
        all.update(&*digests).update(engine.digest(messages[COUNT - 1]));
    }
    let lengths: [u64; COUNT] = core::array::from_fn(|i| i as u64 % 4);
    Prefix::with_engine(engine, []).digest_chains(digests, &lengths);
    disturb(algorithm, kernel, digests);
    Some(all.update(&*digests).finalize_reset())
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_gives_the_known_digests() {
        assert_eq!(self_test(), Ok(()));
    }

    /// One bit of one digest, of each call in turn.
    #[test]
    fn a_wrong_digest_names_its_function_and_kernel() {
        for broken in [Algorithm::Md5, Algorithm::Sha3_256, Algorithm::Sha256d] {
            let last = broken.kernels().filter(KernelInfo::is_available).last().unwrap().name;
            for call in 0..EQUAL.len() + 2 {
                let mut calls = 0;
                let result = test_with(&mut |algorithm, kernel, digests| {
                    if algorithm == broken && kernel.name == last {
                        if calls == call {
                            digests[call * broken.digest_len()] ^= 0x10;
                        }
                        calls += 1;
                    }
                });
                let error = result.unwrap_err();
                assert_eq!((error.algorithm(), error.kernel()), (broken, last), "{call}");
                assert!(calls > call);
            }
        }
    }
}
