//! One request to an instruction, with its retries and tests.

use std::hint;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::failure::Failure;
use crate::health::Continuous;
use crate::step::Step;
use crate::verdict::Verdict;

/// How an instruction is retried for one word.
#[derive(Clone, Copy)]
pub(crate) struct Retries {
    pub(crate) tries: u32,
    pub(crate) pause: bool,
}

/// How often an instruction was run.
pub(crate) struct Tally {
    pub(crate) words: AtomicU64,
    pub(crate) empty: AtomicU64,
}

/// The words of one request. It keeps nothing for the next one, so that no state is shared between
/// threads or with a forked process.
pub(crate) struct Request<'a> {
    step: &'static dyn Step,
    retries: Retries,
    verdict: &'a Verdict,
    tally: &'a Tally,
    test: Continuous,
    words: u64,
    empty: u64,
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        step: &'static dyn Step,
        retries: Retries,
        verdict: &'a Verdict,
        tally: &'a Tally,
    ) -> Self {
        let test = Continuous::new();
        Self { step, retries, verdict, tally, test, words: 0, empty: 0 }
    }

    /// The next word, tested against those before it.
    pub(crate) fn word(&mut self) -> Result<u64, Failure> {
        let word = self.retry()?;
        if let Err(fault) = self.test.see(word) {
            self.verdict.condemn(fault);
            return Err(fault.into());
        }
        Ok(word)
    }

    /// Ends the request. Draws one more word, because the last one may have been the first of a
    /// constant.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.word().map(drop)
    }

    fn retry(&mut self) -> Result<u64, Failure> {
        for _ in 0..self.retries.tries {
            if let Some(word) = self.step.step() {
                self.words += 1;
                return Ok(word);
            }
            self.empty += 1;
            if self.retries.pause {
                // PAUSE yields the core to its other hardware thread for a moment.
                hint::spin_loop();
            }
        }
        Err(Failure::Exhausted { tries: self.retries.tries })
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.tally.words.fetch_add(self.words, Relaxed);
        self.tally.empty.fetch_add(self.empty, Relaxed);
    }
}
