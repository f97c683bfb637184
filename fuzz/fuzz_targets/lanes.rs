#![no_main]
//! A script for the manager: every message must be returned once, with the right digest, unless its
//! job was dropped.

use hashlanes::{Done, HashFunction, LaneJob, Lanes, Md5, Sha1, Sha256, Sha512};
use hashlanes_fuzz::{bytes, engine, length, oracle};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

/// The caller's state.
struct Caller<A: HashFunction> {
    /// Indexes of messages are their tags.
    messages: Vec<Vec<u8>>,
    ready: Vec<LaneJob<A, usize>>,
    inside: usize,
    completed: Vec<bool>,
}

impl<A: HashFunction> Caller<A> {
    fn take(&mut self, done: Done<A, Box<[u8]>, usize>) {
        self.inside -= 1;
        match done {
            Done::Message { tag, digest, buffer } => {
                assert!(self.messages[tag].ends_with(&buffer));
                assert_eq!(
                    digest.as_ref(),
                    oracle(A::ALGORITHM, &self.messages[tag]),
                    "message {tag}"
                );
                assert!(
                    !std::mem::replace(&mut self.completed[tag], true),
                    "message {tag} came twice"
                );
            }
            Done::Piece { job, buffer } => {
                assert!(self.messages[*job.tag()].ends_with(&buffer));
                assert_eq!(job.len(), self.messages[*job.tag()].len() as u128);
                self.ready.push(job);
            }
        }
    }
}

fn run<A: HashFunction>(input: &mut Unstructured) -> Result<()> {
    let capacity = input.int_in_range(1..=70)?;
    let mut lanes = Lanes::<A, Box<[u8]>, usize>::with_engine(engine(input)?, capacity);
    let mut caller =
        Caller::<A> { messages: Vec::new(), ready: Vec::new(), inside: 0, completed: Vec::new() };
    let mut dropped = 0;
    let mut steps = 0;
    while !input.is_empty() && steps < 300 {
        steps += 1;
        let action = input.int_in_range(0..=15)?;
        let done = match action {
            0 => lanes.flush(),
            1 => {
                dropped += usize::from(caller.ready.pop().is_some());
                None
            }
            2..=6 => {
                let message = bytes(input.arbitrary()?, length(input)?);
                let tag = caller.messages.len();
                caller.messages.push(message.to_vec());
                caller.completed.push(false);
                caller.inside += 1;
                if action < 4 { lanes.entire(message, tag) } else { lanes.first(message, tag) }
            }
            _ if caller.ready.is_empty() => lanes.flush(),
            _ => {
                let at = input.int_in_range(0..=caller.ready.len() - 1)?;
                let job = caller.ready.swap_remove(at);
                let piece = bytes(input.arbitrary()?, length(input)?);
                caller.messages[*job.tag()].extend(&piece);
                caller.inside += 1;
                if action < 11 { lanes.last(job, piece) } else { lanes.update(job, piece) }
            }
        };
        if let Some(done) = done {
            caller.take(done);
        }
        assert_eq!(lanes.len(), caller.inside);
        assert!(lanes.len() < capacity);
    }
    while let Some(done) = lanes.flush() {
        caller.take(done);
    }
    assert!(lanes.is_empty() && caller.inside == 0);
    let completed = caller.completed.iter().filter(|&&completed| completed).count();
    assert_eq!(
        completed + caller.ready.len() + dropped,
        caller.messages.len(),
        "a message is lost"
    );
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    let mut input = Unstructured::new(input);
    // The input is too short.
    let _ = match input.int_in_range(0..=3) {
        Ok(0) => run::<Md5>(&mut input),
        Ok(1) => run::<Sha1>(&mut input),
        Ok(2) => run::<Sha256>(&mut input),
        _ => run::<Sha512>(&mut input),
    };
});
