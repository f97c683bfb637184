//! Messages of few chunks, whose nodes are computed together.

use core::cmp::Reverse;
use core::mem::{MaybeUninit, swap};
use core::ops::Range;

use super::level::{LevelMemory, SUBTREE, VALUES, initialised};
use super::nodes::{Mode, Run, Value, Words, hash_runs, value_of};
use super::roots::Root;
use crate::family::Rules;
use crate::family::blake3::{
    BLOCK, BLOCKS, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, PARENT, ROOT, STACK, VALUE,
    counter, set_words,
};
use crate::schedule::batch::output::Output;
use crate::schedule::list::List;
use crate::schedule::stream::midstate::Midstate;
use crate::schedule::stream::squeeze::Sponges;

/// The most chunks and values that are hashed together. One message has at most `SUBTREE` chunks.
const MANY: usize = VALUES;

/// What becomes of messages.
pub(super) enum Results<'o, 'd> {
    Digests(&'o mut Output<'d>),
    Roots(&'o mut dyn Sponges<Blake3Family>),
    /// Of messages that continue.
    Kept(&'o mut List<Kept, KEPT>),
}

/// A value that a message keeps: that of a subtree without a sibling so far, which has two to the
/// power of `level` chunks, or the chaining value of the chunk that has begun.
#[derive(Clone, Copy)]
pub(super) struct Kept {
    pub(super) id: usize,
    pub(super) level: Option<u32>,
    pub(super) value: Value,
}

/// The most values that are kept. A piece has one on each level of its chunks, one for those before
/// it, and a chunk that has begun.
const KEPT: usize = PIECES * (SUBTREE.ilog2() as usize + 2);

/// The most pieces that are hashed side by side.
pub(super) const PIECES: usize = 4;

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
            (Self::Kept(kept), ..) => {
                kept.push(Kept { id: part.id, level: None, value: values[0] });
            }
        }
    }

    /// Puts the final state of message `id`.
    pub(super) fn put_state(&mut self, id: usize, state: &Words) {
        match self {
            Self::Digests(output) => output.put(Blake3Family, id, state),
            Self::Roots(roots) => *roots.sponge(id) = Root::of(state),
            Self::Kept(_) => unreachable!("pieces are added whole"),
        }
    }
}

/// Values that belong to one tree. Those of the next part follow.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// The number of the message.
    id: usize,
    /// How many values there are, and the number of the first one on its level, which is even.
    count: usize,
    start: u64,
    /// The words of the values of subtrees before them.
    before: &'a [u32],
    top: Top<'a>,
}

/// How far a part is reduced.
#[derive(Clone, Copy)]
enum Top<'a> {
    /// To the digest of a message.
    Digest,
    /// To what the root of a message compresses: two values, or after the only one these bytes.
    Root(&'a [u8]),
    /// To one value on each level.
    Subtrees,
}

impl Part<'_> {
    fn is_reduced(&self) -> bool {
        self.start == 0 && (self.count == 1 || self.count == 2 && matches!(self.top, Top::Root(_)))
    }

    /// If the number of the first value is odd, puts its sibling before it.
    fn put_sibling(&mut self, values: &mut [MaybeUninit<Value>], count: &mut usize) {
        if self.start.is_multiple_of(2) {
            return;
        }
        let (before, words) = self.before.split_at(self.before.len() - VALUE);
        values[*count].write(value_of(words));
        *count += 1;
        (self.before, self.count, self.start) = (before, self.count + 1, self.start - 1);
    }
}

/// Messages that are hashed together.
pub(super) struct Together<'a, 'm, 'o, 'd> {
    mode: Mode<'m>,
    /// The first `full` runs are of chunks with the most blocks.
    runs: List<Run<'a>, MANY>,
    full: usize,
    /// The number of values, and the most that there will be.
    count: usize,
    most: usize,
    parts: List<Part<'a>, MANY>,
    memory: LevelMemory,
    pub(super) results: Results<'o, 'd>,
}

impl<'a, 'm, 'o, 'd> Together<'a, 'm, 'o, 'd> {
    #[inline(always)]
    pub(super) fn new(mode: Mode<'m>, results: Results<'o, 'd>) -> Self {
        let (runs, parts, memory) = (List::new(), List::new(), LevelMemory::new());
        Self { mode, runs, full: 0, count: 0, most: 0, parts, memory, results }
    }

    /// Adds message `id`, which continues `before`, if it has at most `SUBTREE` chunks after that,
    /// and is not empty. Returns whether it did.
    pub(super) fn add(
        &mut self,
        id: usize,
        before: &Midstate<'a, Blake3Family>,
        message: &'a [u8],
    ) -> bool {
        let start = counter(before.state);
        let begun = BLOCK * before.state[BLOCKS] as usize + before.carry.len();
        let count = (begun + message.len()).div_ceil(CHUNK).max(1);
        let is_alone = start == 0 && count == 1;
        let top = match self.results {
            Results::Digests(_) => Top::Digest,
            Results::Roots(_) if !is_alone => Top::Root(&[]),
            Results::Roots(_) if before.length > 0 => return false,
            Results::Roots(_) => {
                self.add_before_root(id, message);
                return true;
            }
            Results::Kept(_) => Top::Subtrees,
        };
        if count > SUBTREE || message.is_empty() && before.length > 0 {
            return false;
        }
        let values = &before.state[STACK..][..VALUE * start.count_ones() as usize];
        let first = self.place(Part { id, count, start, before: values, top });
        if begun == 0 {
            Run::chunks(message, start, is_alone, first).for_each(|run| self.push(run));
            return true;
        }
        let (bytes, rest) = message.split_at(message.len().min(CHUNK - begun));
        let chunk = Run::chunk(bytes, start, is_alone, first);
        self.push(chunk.after(before.state, before.carry));
        if !rest.is_empty() {
            Run::chunks(rest, start + 1, false, first + 1).for_each(|run| self.push(run));
        }
        true
    }

    /// Adds the blocks of a message of one chunk, except for the last one, which is its root.
    fn add_before_root(&mut self, id: usize, message: &'a [u8]) {
        let (bytes, rest) = message.split_at(message.len() - Blake3Family.held(message.len()));
        if let (Results::Roots(roots), true) = (&mut self.results, bytes.is_empty()) {
            let flags = self.mode.flags | CHUNK_START | CHUNK_END | ROOT;
            *roots.sponge(id) = Root::new(self.mode.key, rest, flags);
            return;
        }
        let top = Top::Root(rest);
        let first = self.place(Part { id, count: 1, start: 0, before: &[], top });
        self.push(Run::alike(bytes, 0, first));
    }

    /// Adds blocks that continue message `id`: `carry`, which is a block or empty, and `body`, of
    /// less than `SUBTREE` chunks. What the message keeps is in the results.
    pub(super) fn add_blocks(
        &mut self,
        id: usize,
        state: &'a Words,
        carry: &'a [u8],
        body: &'a [u8],
    ) {
        let start = counter(state);
        let begun = BLOCK * state[BLOCKS] as usize + carry.len();
        let missing = if begun > 0 { CHUNK - begun } else { 0 };
        let (first, rest) = body.split_at(missing.min(body.len()));
        let (whole, rest) = rest.split_at(rest.len() / CHUNK * CHUNK);
        let ends = begun + first.len() == CHUNK;
        let count = usize::from(ends) + whole.len() / CHUNK;
        if count > 0 {
            let before = &state[STACK..][..VALUE * start.count_ones() as usize];
            let to = self.place(Part { id, count, start, before, top: Top::Subtrees });
            if ends {
                self.push(Run::chunk(first, start, false, to).after(state, carry));
            }
            if !whole.is_empty() {
                let (counter, to) = (start + u64::from(ends), to + usize::from(ends));
                Run::chunks(whole, counter, false, to).for_each(|run| self.push(run));
            }
        }
        let goes_on = begun > 0 && !ends;
        if goes_on || !rest.is_empty() {
            let top = Top::Digest;
            let to = self.place(Part { id, count: 1, start: 0, before: &[], top });
            self.push(match goes_on {
                true => Run::alike(first, start, to).after(state, carry),
                false => Run::alike(rest, start + count as u64, to),
            });
        }
    }

    fn push(&mut self, run: Run<'a>) {
        self.runs.push(run);
        if run.blocks() == CHUNK / BLOCK {
            let runs = self.runs.as_mut_slice();
            runs.swap(self.full, runs.len() - 1);
            self.full += 1;
        }
    }

    /// Adds a part. Returns the place of its first chunk's value.
    fn place(&mut self, mut part: Part<'a>) -> usize {
        // Alone, a value has no sibling until a later level.
        let most = if part.before.is_empty() { part.count } else { part.count + 1 };
        if self.most + most > MANY {
            self.hash();
        }
        let chunks = part.count;
        part.put_sibling(&mut self.memory.0[0], &mut self.count);
        self.parts.push(part);
        self.most += most;
        self.count += chunks;
        self.count - chunks
    }

    /// Hashes the chunks, and then parents until each part is reduced.
    pub(super) fn hash(&mut self) {
        let Self { mode, runs, full, count, most, parts, memory, results } = self;
        let LevelMemory([from, to]) = memory;
        let (mut from, mut to) = (from, to);
        runs.as_mut_slice()[*full..].sort_unstable_by_key(|run| Reverse(run.blocks()));
        hash_runs(&mode.chunks(), runs.as_slice(), from);
        runs.truncate(0);
        (*full, *most) = (0, 0);
        for level in 0.. {
            if *count == 0 {
                break;
            }
            // SAFETY: each was written: by `hash_runs` above or at the end of this loop, by
            // `put_sibling`, or as a copy of a value without a sibling.
            let values = unsafe { initialised(&from[..*count]) };
            let mut parents = Parents::new(values);
            let mut end = 0;
            parts.retain_mut(|part| {
                let mut own = end..end + part.count;
                end = own.end;
                if let (Results::Kept(kept), Top::Subtrees) = (&mut *results, part.top) {
                    if part.count % 2 == 1 {
                        own.end -= 1;
                        part.count -= 1;
                        let value = values[own.end];
                        kept.push(Kept { id: part.id, level: Some(level), value });
                    }
                    if part.count == 0 {
                        return false;
                    }
                } else if part.is_reduced() {
                    results.put(*mode, part, &values[own]);
                    return false;
                }
                let is_root =
                    part.start == 0 && part.count == 2 && !matches!(part.top, Top::Subtrees);
                (part.count, part.start) = (part.count.div_ceil(2), part.start / 2);
                part.put_sibling(to, &mut parents.count);
                if let Some(value) = parents.add(own, is_root) {
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

    /// Adds the parents of one part's values. Returns the last value if it has no sibling: it is a
    /// value of the next level, too.
    #[inline(always)]
    fn add(&mut self, own: Range<usize>, is_root: bool) -> Option<Value> {
        let pairs = own.len() / 2;
        if pairs > 0 {
            let (start, has_roots) = self.last;
            let joins = |run: &Run<'_>| {
                start + 2 * run.count() == own.start && run.to() + run.count() == self.count
            };
            if has_roots != is_root || !self.runs.as_slice().last().is_some_and(joins) {
                self.last = (own.start, is_root);
                self.runs.push(Run::parents(&[], is_root, self.count));
            }
            if let Some(run) = self.runs.as_mut_slice().last_mut() {
                let values = &self.values[self.last.0..own.start + 2 * pairs];
                *run = Run::parents(values.as_chunks().0, is_root, run.to());
            }
        }
        self.count += own.len().div_ceil(2);
        (own.len() % 2 == 1).then(|| self.values[own.end - 1])
    }
}
