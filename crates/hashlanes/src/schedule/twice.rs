//! SHA-256 twice: the second hash is one more block, in a lane like the others.

use super::batch::Batch;
use super::list::List;
use super::midstate::Midstate;
use super::output::Output;
use super::rules::{Md, Ruled, Tabled};
use super::run::When;
use super::scheduled::{Scheduled, block_by_block};
use super::source::{LaneState, Source, Work};
use super::states::States;
use super::stream::Stream;
use crate::family::sha256::{INITIAL_256, Sha256Family};
use crate::family::{Family, Rules, State};
use crate::kernel::{Kernel, Kernels, MAX_LANES, Table};
use crate::wipe::Wiped;

/// The rules of SHA-256.
type Once = Md<u32>;

const ONCE: Once = Sha256Family::RULES;

/// The rules of SHA-256 of the digest that SHA-256 has of a message. Messages go into blocks as in
/// SHA-256. A final state is that of the second hash.
#[derive(Clone, Copy)]
pub struct Sha256dRules;

impl Rules for Sha256dRules {
    type Word = u32;
    type State = State<Once>;
    type LaneStates = <Once as Rules>::LaneStates;
    type Block = <Once as Rules>::Block;
    type Tail = <Once as Rules>::Tail;

    fn state_words(self) -> usize {
        ONCE.state_words()
    }

    #[inline(always)]
    fn block(self) -> usize {
        ONCE.block()
    }

    #[inline(always)]
    fn tail_blocks(self, rest: usize) -> usize {
        ONCE.tail_blocks(rest)
    }

    #[inline(always)]
    fn pad(self, state: &State<Self>, tail: &mut [u8], rest: &[u8], length: u128) -> usize {
        ONCE.pad(state, tail, rest, length)
    }

    fn write_digest(self, state: &State<Self>, digest: &mut [u8]) {
        ONCE.write_digest(state, digest);
    }
}

impl Family for Sha256dRules {
    type Word = u32;
    const STATE_WORDS: usize = Sha256Family::STATE_WORDS;
    const BLOCK: usize = Sha256Family::BLOCK;
}

impl Kernels for Sha256dRules {
    const TABLE: &'static [Kernel<u32>] = Sha256Family::TABLE;
}

impl Ruled for Sha256dRules {
    type Rules = Self;
    const RULES: Self = Self;
}

impl Tabled for Sha256dRules {
    fn table(self) -> Table<u32> {
        ONCE.table()
    }
}

/// The digest of the first hash.
type First = Wiped<[u8; 32]>;

/// What precedes a digest that is hashed: nothing.
const BEGINNING: Midstate<'static, Once> = Midstate::beginning(ONCE, &INITIAL_256);

fn first_digest(state: &State<Once>) -> First {
    let mut first = Wiped([0; 32]);
    ONCE.write_digest(state, &mut *first);
    first
}

/// The first hash continues what the message continues.
fn first_hash<'m>(before: &Midstate<'m, Sha256dRules>) -> Midstate<'m, Once> {
    let Midstate { state, carry, length, .. } = *before;
    Midstate { rules: ONCE, state, carry, length }
}

impl Scheduled for Sha256dRules {
    /// The first hashes of all messages, then the second ones.
    fn hash_many(self, batch: &Batch<'_, '_, Self>, output: &mut Output<'_>) {
        let Batch { messages, forced, uncached, .. } = *batch;
        let each = |i: usize| batch.before(i).state;
        let states = batch.states.is_some().then_some(&each as &dyn States<'_, Once>);
        let before = first_hash(&batch.before);
        let first = Batch { messages, before, states, forced, uncached };
        ONCE.hash_many(&first, output);
        output.replace(&mut |_, digests, output| {
            let (before, states, uncached) = (BEGINNING, None, false);
            let second = Batch { messages: &digests, before, states, forced, uncached };
            ONCE.hash_many(&second, output);
        });
    }

    // Not inlined, so that callers can wipe what it leaves on the stack.
    #[inline(never)]
    fn digest(
        self,
        before: &Midstate<'_, Self>,
        message: &[u8],
        forced: Option<usize>,
        digest: &mut [u8],
    ) {
        let mut first = Wiped([0; 32]);
        ONCE.digest(&first_hash(before), message, forced, &mut *first);
        ONCE.digest(&BEGINNING, &*first, forced, digest);
    }

    block_by_block!();

    fn run<'a>(self, source: &mut dyn Source<'a, Self>, forced: Option<usize>, when: When) {
        let mut twice = Twice { source, hashed_once: List::new() };
        // A run may end with first hashes.
        while twice.waiting() > 0 {
            ONCE.run(&mut twice, forced, when);
        }
    }

    fn finish(self, stream: &Stream<Self>, forced: Option<usize>) -> State<Self> {
        let first = first_digest(&stream.finish_alone(forced));
        super::alone::hash_alone(&BEGINNING, &*first, forced)
    }
}

/// The messages of a source, and the digests of their first hashes.
struct Twice<'s, 'a> {
    source: &'s mut dyn Source<'a, Sha256dRules>,
    /// The states of messages whose first hash is complete, with their numbers. They are the first
    /// to get the lanes that become idle, so there are no more of them than lanes.
    hashed_once: List<(usize, State<Once>), MAX_LANES>,
}

/// A number of the source's for the scheduler. `again` says that the final state is hashed again.
fn number(id: usize, again: bool) -> usize {
    id << 1 | usize::from(again)
}

impl<'a> Source<'a, Once> for Twice<'_, 'a> {
    fn waiting(&self) -> usize {
        self.hashed_once.as_slice().len() + self.source.waiting()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, Once>> {
        if let Some((id, state)) = self.hashed_once.pop() {
            let first = first_digest(&state);
            let Work { state, tail, length, .. } = BEGINNING.work(id, &*first, true, 0, stage);
            // A digest is shorter than a block, so all of it is in the tail.
            let id = number(id, false);
            return Some(Work { id, state, head: false, body: &[], tail, length });
        }
        let Work { id, state, head, body, tail, length } = self.source.next(stage)?;
        Some(Work { id: number(id, tail > 0), state, head, body, tail, length })
    }

    fn done(&mut self, id: usize, state: LaneState<'_, Once>) {
        match (id >> 1, id & 1) {
            (id, 0) => self.source.done(id, state.of_family()),
            (id, _) => self.hashed_once.push((id, state.get())),
        }
    }

    /// A second hash, which is one block, is never suspended.
    fn suspended(&mut self, id: usize, state: State<Once>, blocks: usize) {
        self.source.suspended(id >> 1, state, blocks);
    }
}
