//! One request to an instruction: its retries and its tests.

use std::hint;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use crate::failure::Failure;
use crate::health::Continuous;
use crate::step::Step;
use crate::verdict::Verdict;

/// How often an instruction is asked for one word.
#[derive(Clone, Copy)]
pub(crate) struct Patience {
    pub(crate) tries: u32,
    pub(crate) pause: bool,
}

/// How often an instruction was run.
pub(crate) struct Tally {
    pub(crate) words: AtomicU64,
    pub(crate) empty: AtomicU64,
}

/// The words of one request. It keeps nothing for the next: no state is shared between threads or
/// with a forked process.
pub(crate) struct Request<'a> {
    step: &'static dyn Step,
    patience: Patience,
    verdict: &'a Verdict,
    tally: &'a Tally,
    test: Continuous,
    words: u64,
    empty: u64,
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        step: &'static dyn Step,
        patience: Patience,
        verdict: &'a Verdict,
        tally: &'a Tally,
    ) -> Self {
        let test = Continuous::new();
        Self { step, patience, verdict, tally, test, words: 0, empty: 0 }
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

    /// Ends the request. Draws one more word, to see whether the last one was the first of a
    /// constant.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.word().map(drop)
    }

    fn retry(&mut self) -> Result<u64, Failure> {
        for _ in 0..self.patience.tries {
            if let Some(word) = self.step.step() {
                self.words += 1;
                return Ok(word);
            }
            self.empty += 1;
            if self.patience.pause {
                // PAUSE: leaves the core to its other thread for a moment.
                hint::spin_loop();
            }
        }
        Err(Failure::Exhausted { tries: self.patience.tries })
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        self.tally.words.fetch_add(self.words, Relaxed);
        self.tally.empty.fetch_add(self.empty, Relaxed);
    }
}
