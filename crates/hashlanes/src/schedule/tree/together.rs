//! Messages of few chunks, whose nodes are computed together.

use core::cmp::Reverse;
use core::mem::swap;
use core::ops::Range;

use super::level::{LevelMemory, SUBTREE, initialised};
use super::nodes::{Mode, Run, Value, Words, hash_runs};
use super::roots::Root;
use crate::family::Rules;
use crate::family::blake3::{
    BLOCK, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, PARENT, ROOT, VALUE, set_words,
};
use crate::schedule::batch::output::Output;
use crate::schedule::list::List;
use crate::schedule::stream::squeeze::Sponges;

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
            Self::Digests(output) => output.put(Blake3Family, id, state),
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
        let (bytes, rest) = message.split_at(message.len() - Blake3Family.held(message.len()));
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
            let mut parents = Parents::new(values);
            let mut end = 0;
            parts.retain_mut(|part| {
                let own = end..end + part.count;
                end = own.end;
                if part.is_reduced() {
                    results.put(*mode, part, &values[own]);
                    return false;
                }
                part.count = part.count.div_ceil(2);
                if let Some(value) = parents.add(own) {
                    to[parents.count - 1].write(value);
                }
                true
            });
            *count = parents.count;
            hash_runs(&mode.parents(), parents.runs.as_slice(), to);
            swap(&mut from, &mut to);
        }
    }
}

/// The parents of one level's values. Those of neighbours are one run.
struct Parents<'v> {
    values: &'v [Value],
    runs: List<Run<'v>, { MANY / 2 }>,
    /// Where the values of the last run begin, and whether it has roots.
    last: (usize, bool),
    /// How many values the next level has so far.
    count: usize,
}

impl<'v> Parents<'v> {
    fn new(values: &'v [Value]) -> Self {
        Self { values, runs: List::new(), last: (0, false), count: 0 }
    }

    /// Adds the parents of one part's values, two or more. Returns the last value if it has no
    /// sibling: it is a value of the next level, too.
    #[inline(always)]
    fn add(&mut self, own: Range<usize>) -> Option<Value> {
        let (is_root, pairs) = (own.len() == 2, own.len() / 2);
        let (start, has_roots) = self.last;
        let joins = |run: &Run<'_>| start + 2 * run.count == own.start;
        if has_roots != is_root || !self.runs.as_slice().last().is_some_and(joins) {
            self.last = (own.start, is_root);
            self.runs.push(Run::parents(&[], is_root, self.count));
        }
        if let Some(run) = self.runs.as_mut_slice().last_mut() {
            let values = &self.values[self.last.0..own.start + 2 * pairs];
            *run = Run::parents(values.as_chunks().0, is_root, run.to);
        }
        self.count += own.len().div_ceil(2);
        (own.len() % 2 == 1).then(|| self.values[own.end - 1])
    }
}
