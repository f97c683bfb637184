#![no_main]
//! Buffers that return other bytes each time they are asked. Their digests are meaningless, but
//! nothing may be read past them, and every call must return.

use std::cell::Cell;

use hashlanes::{Done, HashFunction, Hasher, Lanes, Md5, Sha256, Sha512};
use hashlanes_fuzz::{bytes, engine, length};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

struct Strange {
    /// What the first call returns, the second, ..; each in an allocation of its own.
    shown: Vec<Box<[u8]>>,
    calls: Cell<usize>,
}

impl Strange {
    fn new(input: &mut Unstructured) -> Result<Self> {
        let parts = input.int_in_range(1..=4)?;
        let shown = (0..parts)
            .map(|_| Ok(bytes(input.arbitrary()?, length(input)?)))
            .collect::<Result<_>>()?;
        Ok(Self { shown, calls: Cell::new(0) })
    }
}

impl AsRef<[u8]> for Strange {
    fn as_ref(&self) -> &[u8] {
        let call = self.calls.replace(self.calls.get() + 1);
        &self.shown[call % self.shown.len()]
    }
}

fn run<A: HashFunction>(input: &mut Unstructured) -> Result<()> {
    let engine = engine::<A>(input)?;
    let count = input.int_in_range(1..=50)?;
    let strange = (0..count).map(|_| Strange::new(input)).collect::<Result<Vec<_>>>()?;
    if input.arbitrary()? {
        assert_eq!(engine.digest_many(&strange).len(), count);
    }
    let mut hashers = vec![Hasher::with_engine(engine); count];
    for _ in 0..input.int_in_range(1..=3)? {
        engine.update_many(&mut hashers, &strange);
    }
    let mut lanes = Lanes::<A, Strange, ()>::with_engine(engine, input.int_in_range(1..=40)?);
    let mut jobs = Vec::new();
    let mut inside = 0;
    for strange in strange {
        let done = match (input.int_in_range(0..=3)?, jobs.pop()) {
            (0, _) => lanes.entire(strange, ()),
            (1, Some(job)) => lanes.update(job, strange),
            (2, Some(job)) => lanes.last(job, strange),
            _ => lanes.first(strange, ()),
        };
        inside += 1;
        if let Some(done) = done {
            inside -= 1;
            if let Done::Piece { job, .. } = done {
                jobs.push(job);
            }
        }
        assert_eq!(lanes.len(), inside);
    }
    while lanes.flush().is_some() {
        inside -= 1;
    }
    assert_eq!(inside, 0);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.int_in_range(0..=2) {
        Ok(0) => run::<Md5>(&mut input),
        Ok(1) => run::<Sha256>(&mut input),
        _ => run::<Sha512>(&mut input),
    };
});
