//! SHA-256 twice: the second hash is one more block, in a lane like the others.

use crate::family::sha256::{INITIAL_256, Sha256Family};
use crate::family::{Family, Rules, State};
use crate::kernel::MAX_LANES;
use crate::schedule::batch::Batch;
use crate::schedule::batch::alone::hash_alone;
use crate::schedule::batch::output::Output;
use crate::schedule::choose;
use crate::schedule::list::List;
use crate::schedule::refill::source::{LaneState, Source, Work};
use crate::schedule::refill::{When, run};
use crate::schedule::rules::{Md, PerFamily, Ruled};
use crate::schedule::stream::Stream;
use crate::schedule::stream::midstate::Midstate;
use crate::wipe::Wiped;

/// The compression of SHA-256, for the digest that SHA-256 has of a message. A final state is that
/// of the second hash.
#[derive(Clone, Copy)]
pub enum Sha256dFamily {}

impl Family for Sha256dFamily {
    type Word = u32;
    const STATE_WORDS: usize = Sha256Family::STATE_WORDS;
    const BLOCK: usize = Sha256Family::BLOCK;
}

/// The rules of SHA-256, once or twice.
type Sha256Rules = Md<u32>;

const ONCE: Sha256Rules = Sha256Family::RULES;

/// The digest of the first hash.
type First = Wiped<[u8; 32]>;

/// What precedes a digest that is hashed: nothing.
const BEGINNING: Midstate<'static, Sha256Rules> = Midstate::beginning(ONCE, &INITIAL_256);

fn first_digest(state: &State<Sha256Rules>) -> First {
    let mut first = Wiped([0; 32]);
    ONCE.write_digest(state, &mut *first);
    first
}

/// Whether these are rules of two hashes.
#[inline(always)]
pub(crate) fn applies(rules: Sha256Rules) -> bool {
    rules.is_again()
}

/// Writes the digest of one message.
// Not inlined, so that callers can wipe what it leaves on the stack.
#[inline(never)]
pub(crate) fn digest(
    before: &Midstate<'_, Sha256Rules>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) {
    let mut first = Wiped([0; 32]);
    ONCE.digest()(before, message, forced, &mut *first);
    ONCE.digest()(&BEGINNING, &*first, forced, digest);
}

/// Hashes the digests of first hashes, and replaces them.
pub(crate) fn hash_again(batch: &Batch<'_, '_, Sha256Rules>, output: &mut Output<'_>) {
    let forced = batch.forced;
    output.replace(&mut |_, digests, output| {
        let (before, states, uncached) = (BEGINNING, None, false);
        let second = Batch { messages: &digests, before, states, carries: None, forced, uncached };
        choose::hash_many(&second, output);
    });
}

/// Hashes the messages of a source twice: see [`run`].
pub(crate) fn run_twice<'a>(
    source: &mut dyn Source<'a, Sha256Rules>,
    forced: Option<usize>,
    when: When,
) {
    let mut twice = Twice { source, hashed_once: List::new(), ids: [0; MAX_LANES], free: !0 };
    // A run may end with first hashes.
    while twice.waiting() > 0 {
        run(ONCE, &mut twice, forced, when);
    }
}

/// The state after the second hash of a message in pieces.
pub(crate) fn finish(stream: &Stream<Sha256Rules>, forced: Option<usize>) -> State<Sha256Rules> {
    let first = first_digest(&stream.finish_alone(forced));
    hash_alone(&BEGINNING, &*first, forced)
}

/// The messages of a source, and the digests of their first hashes.
struct Twice<'s, 'a> {
    source: &'s mut dyn Source<'a, Sha256Rules>,
    /// The states of messages whose first hash is complete, with their numbers. They are the first
    /// to get the lanes that become idle, so there are no more of them than lanes.
    hashed_once: List<(usize, State<Sha256Rules>), MAX_LANES>,
    /// The source's numbers of the messages in lanes, at places that are not `free`.
    ids: [usize; MAX_LANES],
    free: u32,
}

impl Twice<'_, '_> {
    /// A number for the scheduler. `again` says that the final state is hashed again.
    fn enter(&mut self, id: usize, again: bool) -> usize {
        let place = self.free.trailing_zeros() as usize;
        self.ids[place] = id;
        self.free &= !(1 << place);
        place << 1 | usize::from(again)
    }

    /// The source's number, and whether the final state is hashed again.
    fn leave(&mut self, number: usize) -> (usize, bool) {
        let place = number >> 1;
        self.free |= 1 << place;
        (self.ids[place], number & 1 != 0)
    }
}

impl<'a> Source<'a, Sha256Rules> for Twice<'_, 'a> {
    fn waiting(&self) -> usize {
        self.hashed_once.as_slice().len() + self.source.waiting()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, Sha256Rules>> {
        if let Some((id, state)) = self.hashed_once.pop() {
            let first = first_digest(&state);
            let Work { state, tail, length, .. } = BEGINNING.work(id, &*first, true, 0, stage);
            // A digest is shorter than a block, so all of it is in the tail.
            let id = self.enter(id, false);
            return Some(Work { id, state, head: false, body: &[], tail, length });
        }
        let Work { id, state, head, body, tail, length } = self.source.next(stage)?;
        Some(Work { id: self.enter(id, tail > 0), state, head, body, tail, length })
    }

    fn done(&mut self, id: usize, state: LaneState<'_, Sha256Rules>) {
        match self.leave(id) {
            (id, false) => self.source.done(id, state),
            (id, true) => self.hashed_once.push((id, state.get())),
        }
    }

    /// A second hash, which is one block, is never suspended.
    fn suspended(&mut self, id: usize, state: State<Sha256Rules>, blocks: usize) {
        let (id, _) = self.leave(id);
        self.source.suspended(id, state, blocks);
    }
}
