//! One request to an instruction: its retries and its tests.

use std::hint;
use std::sync::atomic::Ordering::Relaxed;

use crate::failure::Failure;
use crate::health::Continuous;
use crate::instruction::Instruction;

/// The words of one request. It keeps nothing for the next: no state is shared between threads or
/// with a forked process.
pub(crate) struct Request<'a> {
    instruction: &'a Instruction,
    test: Continuous,
    words: u64,
    empty: u64,
}

impl<'a> Request<'a> {
    pub(crate) const fn new(instruction: &'a Instruction) -> Self {
        Self { instruction, test: Continuous::new(), words: 0, empty: 0 }
    }

    /// The next word, tested against those before it.
    pub(crate) fn word(&mut self) -> Result<u64, Failure> {
        let word = self.retry()?;
        if let Err(fault) = self.test.see(word) {
            self.instruction.condemn(fault);
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
        let patience = self.instruction.patience();
        for _ in 0..patience.tries {
            if let Some(word) = self.instruction.step() {
                self.words += 1;
                return Ok(word);
            }
            self.empty += 1;
            if patience.pause {
                // PAUSE: leaves the core to its other thread for a moment.
                hint::spin_loop();
            }
        }
        Err(Failure::Exhausted { tries: patience.tries })
    }
}

impl Drop for Request<'_> {
    fn drop(&mut self) {
        let tally = self.instruction.tally();
        tally.words.fetch_add(self.words, Relaxed);
        tally.empty.fetch_add(self.empty, Relaxed);
    }
}
