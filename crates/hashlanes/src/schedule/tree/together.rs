//! Messages of few chunks, whose nodes are computed together.

use core::cmp::Reverse;
use core::mem::swap;

use super::level::{LevelMemory, SUBTREE, initialised};
use super::nodes::{Mode, Run, Value, Words, hash_runs};
use super::roots::Root;
use crate::family::Family;
use crate::family::blake3::{
    BLOCK, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, PARENT, ROOT, VALUE, set_words,
};
use crate::schedule::list::List;
use crate::schedule::output::Output;
use crate::schedule::squeeze::Sponges;

/// The most chunks of messages that are hashed together. One message has at most as many.
const MANY: usize = SUBTREE;

/// What becomes of messages.
pub(super) enum Results<'o, 'd> {
    Digests(&'o mut Output<'d>),
    Roots(&'o mut dyn Sponges<Blake3Family>),
}

impl Results<'_, '_> {
    /// Puts what a message is reduced to.
    fn put(&mut self, mode: Mode<'_>, part: &Part<'_>, values: &[Value]) {
        match (self, part.top, values) {
            (Self::Roots(roots), Top::Root(rest), [value]) => {
                let mut words = [0; VALUE];
                set_words(&mut words, value);
                *roots.sponge(part.id) = Root::new(&words, rest, mode.flags | CHUNK_END | ROOT);
            }
            (Self::Roots(roots), _, pair) => {
                let flags = mode.flags | PARENT | ROOT;
                *roots.sponge(part.id) = Root::new(mode.key, pair.as_flattened(), flags);
            }
            (Self::Digests(output), ..) => output.put_bytes(part.id, &values[0]),
        }
    }

    /// Puts the final state of message `id`.
    pub(super) fn put_state(&mut self, id: usize, state: &Words) {
        match self {
            Self::Digests(output) => output.put::<Blake3Family>(id, state),
            Self::Roots(roots) => *roots.sponge(id) = Root::of(state),
        }
    }
}

/// Values that belong to one tree. Those of the next part follow.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// The number of the message.
    id: usize,
    /// How many values there are.
    count: usize,
    top: Top<'a>,
}

/// How far a part is reduced.
#[derive(Clone, Copy)]
enum Top<'a> {
    /// To the digest of a message.
    Digest,
    /// To what the root of a message compresses: two values, or after the only one these bytes.
    Root(&'a [u8]),
}

impl Part<'_> {
    fn is_reduced(&self) -> bool {
        self.count == 1 || self.count == 2 && matches!(self.top, Top::Root(_))
    }
}

/// Messages that are hashed together.
pub(super) struct Together<'a, 'm, 'o, 'd> {
    mode: Mode<'m>,
    /// The first `full` runs are of chunks with the most blocks.
    runs: List<Run<'a>, MANY>,
    full: usize,
    /// The number of chunks.
    count: usize,
    parts: List<Part<'a>, MANY>,
    memory: LevelMemory<MANY>,
    pub(super) results: Results<'o, 'd>,
}

impl<'a, 'm, 'o, 'd> Together<'a, 'm, 'o, 'd> {
    #[inline(always)]
    pub(super) fn new(mode: Mode<'m>, results: Results<'o, 'd>) -> Self {
        let (runs, parts, memory) = (List::new(), List::new(), LevelMemory::new());
        Self { mode, runs, full: 0, count: 0, parts, memory, results }
    }

    /// Adds message `id`, of at most `MANY` chunks.
    pub(super) fn add(&mut self, id: usize, message: &'a [u8]) {
        let count = message.len().div_ceil(CHUNK).max(1);
        let top = match self.results {
            Results::Digests(_) => Top::Digest,
            Results::Roots(_) if count == 1 => return self.add_before_root(id, message),
            Results::Roots(_) => Top::Root(&[]),
        };
        let first = self.place(id, count, top);
        Run::chunks(message, 0, count == 1, first).for_each(|run| self.push(run));
    }

    /// Adds the blocks of a message of one chunk, except for the last one, which is its root.
    fn add_before_root(&mut self, id: usize, message: &'a [u8]) {
        let (bytes, rest) = message.split_at(message.len() - Blake3Family::held(message.len()));
        if let (Results::Roots(roots), true) = (&mut self.results, bytes.is_empty()) {
            let flags = self.mode.flags | CHUNK_START | CHUNK_END | ROOT;
            *roots.sponge(id) = Root::new(self.mode.key, rest, flags);
            return;
        }
        let first = self.place(id, 1, Top::Root(rest));
        self.push(Run::alike(bytes, first));
    }

    fn push(&mut self, run: Run<'a>) {
        self.runs.push(run);
        if run.blocks() == CHUNK / BLOCK {
            let runs = self.runs.as_mut_slice();
            runs.swap(self.full, runs.len() - 1);
            self.full += 1;
        }
    }

    /// Adds a part for a message of `count` chunks. Returns the place of the first one's value.
    fn place(&mut self, id: usize, count: usize, top: Top<'a>) -> usize {
        if self.count + count > MANY {
            self.hash();
        }
        let first = self.count;
        self.parts.push(Part { id, count, top });
        self.count += count;
        first
    }

    /// Hashes the chunks, and then parents until each part is reduced.
    pub(super) fn hash(&mut self) {
        let Self { mode, runs, full, count, parts, memory: LevelMemory([from, to]), results } =
            self;
        let (mut from, mut to) = (from, to);
        runs.as_mut_slice()[*full..].sort_unstable_by_key(|run| Reverse(run.blocks()));
        hash_runs(&mode.chunks(), runs.as_slice(), from);
        runs.truncate(0);
        *full = 0;
        while *count > 0 {
            // SAFETY: `hash_runs` wrote these values, or they are copies of values that it wrote.
            let values = unsafe { initialised(&from[..*count]) };
            let mut parents = List::<Run<'_>, { MANY / 2 }>::new();
            // Where the values of the last run begin, and whether they have roots as parents.
            let (mut start, mut to_roots) = (0, false);
            let (mut first, mut left) = (0, 0);
            *count = 0;
            for i in 0..parts.as_slice().len() {
                let part = parts.as_slice()[i];
                let own = &values[first..][..part.count];
                let (pairs, rest) = own.as_chunks::<2>();
                let end = first + 2 * pairs.len();
                if part.is_reduced() {
                    results.put(*mode, &part, own);
                } else {
                    let is_root = part.count == 2;
                    // Parents of neighbours are one run.
                    let joins = |run: &Run<'_>| start + 2 * run.count == first;
                    if is_root != to_roots || !parents.as_slice().last().is_some_and(joins) {
                        (start, to_roots) = (first, is_root);
                        parents.push(Run::parents(&[], is_root, *count));
                    }
                    if let Some(run) = parents.as_mut_slice().last_mut() {
                        *run = Run::parents(values[start..end].as_chunks().0, is_root, run.to);
                    }
                    let after = pairs.len() + rest.len();
                    *count += after;
                    if let [value] = rest {
                        to[*count - 1].write(*value);
                    }
                    parts.as_mut_slice()[left] = Part { count: after, ..part };
                    left += 1;
                }
                first += part.count;
            }
            parts.truncate(left);
            hash_runs(&mode.parents(), parents.as_slice(), to);
            swap(&mut from, &mut to);
        }
    }
}
