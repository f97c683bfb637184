//! What is timed: a way to hash a set of messages.

use std::hint::black_box;

use hashlanes::kernels::KernelError;
use hashlanes::{Algorithm, Done, Engine, HashFunction, Lanes, with_function};

/// A way through the library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// All messages at once, by `digest_many_into`.
    Together,
    /// One after the other, by single-message code.
    Alone,
    /// In pieces of this many bytes, through the manager `Lanes`.
    Manager(usize),
    /// Not at all: the messages are only read, to show the throughput of memory.
    Read,
}

pub(super) trait Contender: Send {
    /// Hashes all messages, `times` times over.
    fn run(&mut self, messages: &[&[u8]], times: u32);

    /// The digests of the latest run, one after another. `None` if it makes none.
    fn digests(&self) -> Option<Vec<u8>>;
}

/// How many messages the manager holds: its default capacity.
const CAPACITY: usize = 128;

struct Hashing<A: HashFunction> {
    engine: Engine<A>,
    way: Way,
    digests: Vec<A::Digest>,
}

impl<A: HashFunction> Hashing<A> {
    fn manage(&mut self, messages: &[&[u8]], piece: usize, times: u32) {
        let mut lanes = Lanes::<A, &[u8], usize>::with_engine(self.engine, CAPACITY);
        for _ in 0..times {
            for (number, message) in messages.iter().enumerate() {
                let done = match message.split_at_checked(piece) {
                    Some((first, rest)) if !rest.is_empty() => lanes.first(first, number),
                    _ => lanes.entire(message, number),
                };
                self.settle(&mut lanes, done, messages, piece);
            }
            while let Some(done) = lanes.flush() {
                self.settle(&mut lanes, Some(done), messages, piece);
            }
        }
    }

    /// Takes the digest of a finished message, or submits the next piece of an unfinished one, and
    /// continues with the message that this submission returns.
    fn settle<'a>(
        &mut self,
        lanes: &mut Lanes<A, &'a [u8], usize>,
        mut done: Option<Done<A, &'a [u8], usize>>,
        messages: &[&'a [u8]],
        piece: usize,
    ) {
        while let Some(finished) = done {
            done = match finished {
                Done::Message { tag, digest, .. } => {
                    self.digests[tag] = digest;
                    None
                }
                Done::Piece { job, .. } => {
                    let rest = &messages[*job.tag()][job.len() as usize..];
                    match rest.split_at_checked(piece) {
                        Some((next, more)) if !more.is_empty() => lanes.update(job, next),
                        _ => lanes.last(job, rest),
                    }
                }
            };
        }
    }
}

impl<A: HashFunction> Contender for Hashing<A> {
    fn run(&mut self, messages: &[&[u8]], times: u32) {
        if self.digests.len() != messages.len() {
            self.digests = vec![self.engine.digest(b""); messages.len()];
        }
        match self.way {
            Way::Together => {
                for _ in 0..times {
                    self.engine.digest_many_into(black_box(messages), &mut self.digests);
                }
            }
            Way::Alone => {
                for _ in 0..times {
                    for (message, digest) in black_box(messages).iter().zip(&mut self.digests) {
                        *digest = self.engine.digest(message);
                    }
                }
            }
            Way::Manager(piece) => self.manage(messages, piece, times),
            Way::Read => {
                for _ in 0..times {
                    for message in black_box(messages) {
                        black_box(sum(message));
                    }
                }
            }
        }
        black_box(&self.digests);
    }

    fn digests(&self) -> Option<Vec<u8>> {
        let digests = || self.digests.iter().flat_map(|digest| digest.as_ref()).copied().collect();
        (self.way != Way::Read).then(digests)
    }
}

/// Sums the words, which costs next to nothing compared with reading them.
fn sum(bytes: &[u8]) -> u64 {
    let (words, _) = bytes.as_chunks::<8>();
    words.iter().fold(0, |sum, word| sum.wrapping_add(u64::from_ne_bytes(*word)))
}

/// A contender for an algorithm, with a kernel chosen by name or by the library.
///
/// # Errors
/// If the algorithm has no such kernel or this CPU cannot run it.
pub(super) fn contender(
    algorithm: Algorithm,
    kernel: Option<&str>,
    way: Way,
) -> Result<Box<dyn Contender>, KernelError> {
    fn of<A: HashFunction>(
        kernel: Option<&str>,
        way: Way,
    ) -> Result<Box<dyn Contender>, KernelError> {
        let engine = kernel.map_or_else(|| Ok(Engine::<A>::new()), Engine::with_kernel)?;
        Ok(Box::new(Hashing { engine, way, digests: Vec::new() }))
    }
    with_function!(algorithm, A => of::<A>(kernel, way))
}
