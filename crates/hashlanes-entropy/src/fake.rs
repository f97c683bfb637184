//! Instructions that fail in every way, for the tests.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::failure::{Failure, Fault};
use crate::instruction::Instruction;
use crate::request::Patience;
use crate::step::Step;

/// The word number `at` of a good source: SplitMix64.
pub(crate) fn good(at: u64) -> u64 {
    let mut word = at.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// An instruction that returns what a function says for the number of its run.
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

/// Tries of a fake, so that a test knows how many there are.
pub(crate) const TRIES: u32 = 11;

fn new<F>(refused: Option<Failure>, word: F) -> &'static Instruction
where
    F: Fn(u64) -> Option<u64> + Sync + 'static,
{
    let step = Box::leak(Box::new(Fake { run: AtomicU64::new(0), word, refused }));
    let patience = Patience { tries: TRIES, pause: true };
    Box::leak(Box::new(Instruction::new("FAKE", step, patience)))
}

/// An instruction that returns what `word` says for the number of its run, from 0.
pub(crate) fn instruction<F>(word: F) -> &'static Instruction
where
    F: Fn(u64) -> Option<u64> + Sync + 'static,
{
    new(None, word)
}

pub(crate) fn working() -> &'static Instruction {
    instruction(|run| Some(good(run)))
}

/// Works in the test at the start and for `words` words after it. Then it returns a constant.
pub(crate) fn stuck_after(words: u64, constant: u64) -> &'static Instruction {
    // The test at the start draws no guard word.
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
