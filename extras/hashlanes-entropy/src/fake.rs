//! Fake instructions that fail in every possible way, for the tests.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Fault};
use crate::instruction::Instruction;
use crate::request::Retries;
use crate::step::Step;

/// Word number `at` of a good source: SplitMix64.
pub(crate) fn good(at: u64) -> u64 {
    let mut word = at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// An instruction that returns the result of a function of the run's number.
struct Fake<F> {
    run: AtomicU64,
    word: F,
    refused: Option<Failure>,
}

impl<F: Fn(u64) -> Option<u64> + Sync> Step for Fake<F> {
    fn refused(&self) -> Option<Failure> {
        self.refused
    }

    fn step(&self) -> Option<u64> {
        (self.word)(self.run.fetch_add(1, Ordering::Relaxed))
    }
}

/// The number of tries for a word of a fake instruction.
pub(crate) const TRIES: u32 = 11;

fn new<F>(refused: Option<Failure>, word: F) -> &'static Instruction
where
    F: Fn(u64) -> Option<u64> + Sync + 'static,
{
    let step = Box::leak(Box::new(Fake { run: AtomicU64::new(0), word, refused }));
    let retries = Retries { tries: TRIES, pause: true };
    Box::leak(Box::new(Instruction::new("FAKE", step, retries)))
}

/// An instruction that returns `word` of the run's number, which starts at 0.
pub(crate) fn instruction<F>(word: F) -> &'static Instruction
where
    F: Fn(u64) -> Option<u64> + Sync + 'static,
{
    new(None, word)
}

pub(crate) fn working() -> &'static Instruction {
    instruction(|run| Some(good(run)))
}

/// Works during the startup test and for `words` words after it. Then it returns a constant.
pub(crate) fn stuck_after(words: u64, constant: u64) -> &'static Instruction {
    // The startup test draws no guard word.
    let begins = crate::health::START as u64 + words;
    instruction(move |run| Some(if run < begins { good(run) } else { constant }))
}

pub(crate) fn unsupported() -> &'static Instruction {
    new(Some(Failure::Unsupported), |run| Some(good(run)))
}

pub(crate) fn erratum() -> &'static Instruction {
    new(Some(Fault::Erratum.into()), |run| Some(good(run)))
}

/// Its carry flag is always clear.
pub(crate) fn empty() -> &'static Instruction {
    instruction(|_| None)
}
