//! The instructions RDRAND and RDSEED as sources of words.

use std::fmt;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use zeroize::Zeroize;

use crate::cpu;
use crate::failure::Failure;
use crate::health;
use crate::request::{Request, Retries, Tally};
use crate::step::Step;
use crate::verdict::Verdict;
use crate::word::Word;

/// RDRAND: a generator in the CPU, which the CPU seeds itself.
///
/// Intel's is the CTR_DRBG of NIST SP 800-90A with AES-128. Its strength is therefore 128 bits,
/// however many bits are drawn. It generates at most 511 samples of 128 bits from one seed (Intel
/// DRNG guide, section 5.2.6).
///
/// If there is no value, the instruction is retried up to 10 times in a tight loop (section 5.2.1).
/// If there still is none, the CPU is broken.
pub static RDRAND: Instruction =
    Instruction::new("RDRAND", &cpu::Cpu::Rdrand, Retries { tries: 1 + 10, pause: false });

/// RDSEED: conditioned output of the CPU's entropy source (NIST SP 800-90B and 800-90C).
///
/// All cores share it, and together they can request values faster than it produces them. It then
/// has no value for a while, which is not a fault (Intel DRNG guide, section 5.3.1). The
/// instruction is tried up to 10,000 times for a word, with PAUSE in between. If 256 threads do
/// nothing else and take turns at random, one word in 10^17 fails. All tries together take some 7
/// ms on Zen 4.
pub static RDSEED: Instruction =
    Instruction::new("RDSEED", &cpu::Cpu::Rdseed, Retries { tries: 10_000, pause: true });

/// An instruction that returns random words: [`RDRAND`] or [`RDSEED`].
///
/// The first request tests it, with 1,024 words (NIST SP 800-90B section 4.3). Each request then
/// tests its own words (section 4.4), and draws one more than it returns. A source that begins to
/// return a constant is thus detected before the constant gets out, even if it begins with the last
/// word. An instruction that failed a test is not used by this process again.
///
/// Words of 8, 16 and 32 bits are cut from the 64-bit form, because the narrow forms of RDSEED are
/// faulty on Zen 5 (AMD-SB-7055). Filling a slice is not slower for it. On Zen 4, RDRAND takes 39
/// ns in every width; RDSEED takes 268 ns for 16 or 32 bits, and twice that for 64.
///
/// No bytes are kept between requests, so threads and forked processes never share any.
///
/// ```
/// use hashlanes_entropy::{Failure, RDRAND};
///
/// match RDRAND.word::<u32>() {
///     Ok(word) => println!("{word:08x}"),
///     Err(Failure::Unsupported) => println!("this CPU has no RDRAND"),
///     Err(failure) => println!("RDRAND: {failure}"),
/// }
/// ```
pub struct Instruction {
    name: &'static str,
    step: &'static dyn Step,
    retries: Retries,
    verdict: Verdict,
    tally: Tally,
}

/// How often an instruction has run in this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// Runs that returned a word of 64 bits.
    pub words: u64,
    /// Runs that returned no value: the carry flag was clear.
    pub empty: u64,
}

impl Instruction {
    pub(crate) const fn new(name: &'static str, step: &'static dyn Step, retries: Retries) -> Self {
        Self {
            name,
            step,
            retries,
            verdict: Verdict::untested(),
            tally: Tally { words: AtomicU64::new(0), empty: AtomicU64::new(0) },
        }
    }

    /// Whether CPUID reports the instruction, on a CPU of any vendor.
    pub fn is_supported(&self) -> bool {
        self.step.refused() != Some(Failure::Unsupported)
    }

    /// Whether the instruction can be used. Tests it on first use.
    ///
    /// # Errors
    /// If it is not supported, has failed a test, or has no value now.
    pub fn check(&self) -> Result<(), Failure> {
        match self.verdict.get() {
            None => self.start(),
            Some(found) => Ok(found?),
        }
    }

    /// One word.
    ///
    /// # Errors
    /// As [`fill`](Self::fill).
    pub fn word<W: Word>(&self) -> Result<W, Failure> {
        let mut word = [W::default()];
        self.fill(&mut word)?;
        Ok(word[0])
    }

    /// Fills a slice of bytes, or of words of 16, 32 or 64 bits.
    ///
    /// # Errors
    /// If the instruction is not supported, fails a test, or has no value after all retries. The
    /// slice is then all zeros.
    pub fn fill<W: Word>(&self, words: &mut [W]) -> Result<(), Failure> {
        let filled = self.fill_or_leave(words);
        if filled.is_err() {
            words.zeroize();
        }
        filled
    }

    /// Draws words and discards them.
    ///
    /// # Errors
    /// As for [`fill`](Self::fill).
    pub(crate) fn discard(&self, words: usize) -> Result<(), Failure> {
        self.check()?;
        let mut request = self.request();
        for _ in 0..words {
            request.word()?;
        }
        request.finish()
    }

    /// How often it has run in this process, including tests and retries.
    pub fn counts(&self) -> Counts {
        Counts { words: self.tally.words.load(Relaxed), empty: self.tally.empty.load(Relaxed) }
    }

    /// Like [`fill`](Self::fill), but does not zero the slice after an error.
    fn fill_or_leave<W: Word>(&self, words: &mut [W]) -> Result<(), Failure> {
        self.check()?;
        if words.is_empty() {
            return Ok(());
        }
        let mut request = self.request();
        for part in words.chunks_mut(W::PER_DRAW) {
            W::cut(request.word()?, part);
        }
        request.finish()
    }

    /// The startup test. Several threads may run it at the same time, each with its own words.
    #[cold]
    fn start(&self) -> Result<(), Failure> {
        let mut request = self.request();
        let outcome = match self.step.refused() {
            Some(failure) => Err(failure),
            None => health::start(|| request.word()),
        };
        if let Err(Failure::Faulty(fault)) = outcome {
            self.verdict.condemn(fault);
        }
        outcome.and_then(|()| Ok(self.verdict.pass()?))
    }

    fn request(&self) -> Request<'_> {
        Request::new(self.step, self.retries, &self.verdict, &self.tally)
    }
}

impl fmt::Debug for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Instruction").field("name", &self.name).finish_non_exhaustive()
    }
}
