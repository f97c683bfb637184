//! The result of testing an instruction.

use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::{Acquire, Release};

use crate::failure::Fault;

/// The result of the tests. A fault is permanent for the process.
pub(crate) struct Verdict(AtomicU8);

const UNTESTED: u8 = 0;
const GOOD: u8 = 1;
/// The code of the first fault in `FAULTS`. The others follow.
const FAULTY: u8 = 2;
const FAULTS: [Fault; 4] = [Fault::Erratum, Fault::Repeats, Fault::Recurs, Fault::Biased];

impl Verdict {
    pub(crate) const fn untested() -> Self {
        Self(AtomicU8::new(UNTESTED))
    }

    /// The result, or `None` before the first test has ended.
    pub(crate) fn get(&self) -> Option<Result<(), Fault>> {
        match self.0.load(Acquire) {
            UNTESTED => None,
            code => Some(outcome(code)),
        }
    }

    /// Records that the first test has passed, unless another thread has found a fault.
    pub(crate) fn pass(&self) -> Result<(), Fault> {
        match self.0.compare_exchange(UNTESTED, GOOD, Release, Acquire) {
            Ok(_) => Ok(()),
            Err(code) => outcome(code),
        }
    }

    /// Records a fault.
    #[cold]
    pub(crate) fn condemn(&self, found: Fault) {
        let codes = FAULTY..;
        let code = FAULTS.iter().zip(codes).find(|(fault, _)| **fault == found);
        self.0.store(code.map_or(FAULTY, |(_, code)| code), Release);
    }
}

fn outcome(code: u8) -> Result<(), Fault> {
    if code == GOOD { Ok(()) } else { Err(FAULTS[usize::from(code - FAULTY)]) }
}
