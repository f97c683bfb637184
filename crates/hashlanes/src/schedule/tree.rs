//! BLAKE3, whose messages are trees: the chunks and the parents of one message, or of many, are
//! nodes that kernels compress side by side.

use core::array;
use core::cmp::Reverse;
use core::mem::{MaybeUninit, swap};
use core::ops::Range;
use core::ptr::null;
use core::slice;

use super::batch::Batch;
use super::compress::compress_alone;
use super::list::List;
use super::midstate::Midstate;
use super::nodes::{GROUPS, LANES, Lanes, next_nodes};
use super::output::Output;
use super::policy::FEW;
use super::roots::Root;
use super::source::{LaneState, Source};
use super::squeeze::Sponges;
use super::stream::Stream;
use super::ways::{as_they_come, counted, lockstep};
use crate::family::blake3::{
    BLOCK, BLOCKS, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, COUNTER, FLAGS, KEY, LENGTH, MODE,
    NODE, PARENT, ROOT, STACK, VALUE, counter, is_ahead, set_words,
};
use crate::family::{Family, State, write_words};
use crate::input::Span;
use crate::kernel::{Kernel, Kernels, row};
#[cfg(feature = "zeroize")]
use crate::wipe;
use crate::wipe::Wiped;

type Words = State<Blake3Family>;

/// A chaining value, or a digest.
type Value = [u8; 4 * VALUE];

/// What all nodes of a message begin with.
#[derive(Clone, Copy)]
struct Mode<'m> {
    key: &'m [u32],
    flags: u32,
    forced: Option<usize>,
}

impl<'m> Mode<'m> {
    fn of(state: &'m Words, forced: Option<usize>) -> Self {
        Self { key: &state[KEY..][..VALUE], flags: state[MODE], forced }
    }

    /// Chunk number `counter` of a message.
    fn chunk<'a>(&self, bytes: &'a [u8], counter: u64, is_root: bool, to: usize) -> Node<'a> {
        let last = CHUNK_END | if is_root { ROOT } else { 0 };
        let blocks = bytes.len().div_ceil(BLOCK).max(1);
        Node { bytes, blocks, counter, flags: self.flags | CHUNK_START, last, to }
    }

    /// The parent of two values.
    fn parent<'a>(&self, values: &'a [Value], is_root: bool, to: usize) -> Node<'a> {
        let last = if is_root { ROOT } else { 0 };
        let bytes = values.as_flattened();
        Node { bytes, blocks: 1, counter: 0, flags: self.flags | PARENT, last, to }
    }
}

/// A chunk or a parent.
#[derive(Clone, Copy)]
struct Node<'a> {
    bytes: &'a [u8],
    blocks: usize,
    counter: u64,
    /// The flags of its blocks.
    flags: u32,
    /// Those that the last one has as well.
    last: u32,
    /// The place of its value.
    to: usize,
}

impl Node<'_> {
    /// The bytes in its last block.
    fn rest(&self) -> &[u8] {
        &self.bytes[BLOCK * (self.blocks - 1)..]
    }
}

/// Computes the values of nodes, those with the most blocks first.
fn hash_nodes(mode: &Mode<'_>, nodes: &mut [Node<'_>], values: &mut [Value]) {
    if nodes.iter().any(|node| node.blocks != nodes[0].blocks) {
        nodes.sort_unstable_by_key(|node| Reverse(node.blocks));
    }
    let mut nodes = &*nodes;
    while !nodes.is_empty() {
        let (kernel, count) = next_nodes::<Blake3Family>(nodes.len(), GROUPS, mode.forced);
        let (now, later) = nodes.split_at(count);
        match kernel.lanes {
            1 => now.iter().for_each(|node| values[node.to] = hash_node(mode, kernel, node)),
            2 => hash_groups::<2>(mode, kernel, now, values),
            4 => hash_groups::<4>(mode, kernel, now, values),
            8 => hash_groups::<8>(mode, kernel, now, values),
            _ => hash_groups::<LANES>(mode, kernel, now, values),
        }
        nodes = later;
    }
}

/// Computes the value of one node.
///
/// # Panics
/// If the CPU cannot run the kernel, or it has several lanes.
#[inline(always)]
fn hash_node(mode: &Mode<'_>, kernel: &Kernel<u32>, node: &Node<'_>) -> Value {
    assert!(kernel.available() && kernel.lanes == 1);
    let (before, rest) = node.bytes.split_at(BLOCK * (node.blocks - 1));
    // First of all, as a kernel that loads vectors of bytes just written would have to wait.
    let mut block;
    let mut last = if rest.is_empty() { &[0; BLOCK] } else { rest };
    if last.len() < BLOCK {
        block = Wiped([0; BLOCK]);
        block[..rest.len()].copy_from_slice(rest);
        last = &*block;
    }
    let mut state = Wiped([0; NODE]);
    state[..VALUE].copy_from_slice(mode.key);
    (state[COUNTER], state[COUNTER + 1]) = (node.counter as u32, (node.counter >> 32) as u32);
    (state[LENGTH], state[FLAGS]) = (BLOCK as u32, node.flags);
    let run = |state: &mut [u32; NODE], blocks: &[u8]| {
        let (data, to) = (blocks.as_ptr(), state.as_mut_ptr());
        let blocks = blocks.len() / BLOCK;
        let span = Span { from: to, to, data: &raw const data, blocks, known: null() };
        // SAFETY: the CPU can run the kernel, as asserted, which has one lane. The pointer is to
        // this many borrowed blocks, at least one.
        unsafe { kernel.run_spans(&[span]) };
    };
    if !before.is_empty() {
        run(&mut state, before);
    }
    state[FLAGS] |= node.last;
    state[LENGTH] = rest.len() as u32;
    run(&mut state, last);
    let mut value = [0; _];
    write_words(|w| state[w], &mut value);
    value
}

/// Nodes of equal length that follow each other in memory: chunks of a message, of which the last
/// one may be shorter, or parents. There is at least one.
struct Run<'a> {
    bytes: &'a [u8],
    /// Bytes of a node.
    size: usize,
    /// The number of the first one.
    counter: u64,
    /// The difference between their numbers.
    step: u64,
    flags: u32,
    last: u32,
}

/// Computes the values of nodes, which are the first ones of `values`.
fn hash_run(mode: &Mode<'_>, run: &Run<'_>, values: &mut [MaybeUninit<Value>]) {
    let nodes = run.count();
    let mut first = 0;
    while first < nodes {
        let (kernel, count) = next_nodes::<Blake3Family>(nodes - first, GROUPS, mode.forced);
        let values = &mut values[first..][..count];
        match kernel.lanes {
            1 => {
                for (i, value) in values.iter_mut().enumerate() {
                    value.write(hash_node(mode, kernel, &run.node(first + i)));
                }
            }
            2 => hash_in_step::<2>(mode, kernel, run, first, values),
            4 => hash_in_step::<4>(mode, kernel, run, first, values),
            8 => hash_in_step::<8>(mode, kernel, run, first, values),
            _ => hash_in_step::<LANES>(mode, kernel, run, first, values),
        }
        first += count;
    }
}

/// The value of the only node of a run.
fn hash_one(mode: &Mode<'_>, run: &Run<'_>) -> Value {
    assert!(run.count() == 1);
    let kernel = &Blake3Family::TABLE[row::<Blake3Family>(1, mode.forced)];
    if kernel.lanes == 1 {
        return hash_node(mode, kernel, &run.node(0));
    }
    let mut value = MaybeUninit::uninit();
    hash_run(mode, run, slice::from_mut(&mut value));
    // SAFETY: `hash_run` wrote it.
    unsafe { value.assume_init() }
}

impl<'a> Run<'a> {
    /// Chunks of a message from number `counter` on.
    fn chunks(mode: &Mode<'_>, bytes: &'a [u8], counter: u64, is_root: bool) -> Self {
        let last = CHUNK_END | if is_root { ROOT } else { 0 };
        Self { bytes, size: CHUNK, counter, step: 1, flags: mode.flags | CHUNK_START, last }
    }

    /// The parents of pairs of values.
    fn parents(mode: &Mode<'_>, values: &'a [Value], is_root: bool) -> Self {
        let (bytes, last) = (values.as_flattened(), if is_root { ROOT } else { 0 });
        Self { bytes, size: BLOCK, counter: 0, step: 0, flags: mode.flags | PARENT, last }
    }

    /// The number of nodes. An empty message has one.
    fn count(&self) -> usize {
        self.bytes.len().div_ceil(self.size).max(1)
    }

    fn node(&self, i: usize) -> Node<'a> {
        let bytes = &self.bytes[i * self.size..];
        let bytes = &bytes[..bytes.len().min(self.size)];
        let blocks = bytes.len().div_ceil(BLOCK).max(1);
        let counter = self.counter + i as u64 * self.step;
        Node { bytes, blocks, counter, flags: self.flags, last: self.last, to: i }
    }
}

/// Nodes in step.
impl<const L: usize> Lanes<L> {
    /// The lanes of `nodes`, the last of which idle lanes have as well.
    #[inline(always)]
    fn in_step(mode: &Mode<'_>, run: &Run<'_>, nodes: Range<usize>) -> Self {
        assert!(nodes.end <= run.count());
        let mut node = [0; NODE];
        node[..VALUE].copy_from_slice(mode.key);
        (node[LENGTH], node[FLAGS]) = (BLOCK as u32, run.flags);
        let mut lanes = Self::new();
        for first in nodes.clone().step_by(L) {
            let numbers: [usize; L] = array::from_fn(|l| (first + l).min(nodes.end - 1));
            let data = numbers.map(|i| run.bytes.as_ptr().wrapping_add(i * run.size));
            let counters = numbers.map(|i| run.counter + i as u64 * run.step);
            let state = lanes.add(&node, data);
            state[COUNTER] = counters.map(|counter| counter as u32);
            state[COUNTER + 1] = counters.map(|counter| (counter >> 32) as u32);
        }
        lanes
    }

    /// Compresses the next blocks.
    ///
    /// # Safety
    /// The CPU can run the kernel, which has `L` lanes. The pointers are readable for as many
    /// blocks.
    unsafe fn advance(&mut self, kernel: &Kernel<u32>, blocks: usize) {
        if blocks == 0 {
            return;
        }
        let groups = self.groups();
        // SAFETY: as the caller promises.
        unsafe { self.run(kernel, groups, blocks, None) };
        for data in self.data[..groups].as_flattened_mut() {
            *data = data.wrapping_add(BLOCK * blocks);
        }
    }

    /// The next block of all nodes is the last one.
    fn enter_last_blocks(&mut self, run: &Run<'_>) {
        for g in 0..self.groups() {
            let state = self.state(g);
            state[FLAGS] = state[FLAGS].map(|flags| flags | run.last);
        }
    }

    /// Writes the values of nodes.
    fn put(&mut self, values: &mut [MaybeUninit<Value>]) {
        for (g, values) in values.chunks_mut(L).enumerate() {
            let state = self.state(g);
            for (l, value) in values.iter_mut().enumerate() {
                let mut bytes = [0; _];
                write_words(|w| state[w][l], &mut bytes);
                value.write(bytes);
            }
        }
    }
}

/// Computes the values of nodes from number `first` on, as many as the lanes of up to `GROUPS`
/// groups.
///
/// # Panics
/// If there are fewer nodes, the CPU cannot run the kernel, or it has other lanes than `L`.
#[inline(never)]
fn hash_in_step<const L: usize>(
    mode: &Mode<'_>,
    kernel: &Kernel<u32>,
    run: &Run<'_>,
    first: usize,
    values: &mut [MaybeUninit<Value>],
) {
    let count = values.len();
    assert!(kernel.available() && kernel.lanes == L);
    let mut lanes = Lanes::<L>::in_step(mode, run, first..first + count);
    // The last node has the fewest blocks.
    let last = run.node(first + count - 1);
    let rest = last.rest();
    let blocks = if count == 1 { last.blocks } else { run.size / BLOCK };
    let (group, lane) = ((count - 1) / L, (count - 1) % L);
    // SAFETY: the CPU can run the kernel, as asserted, which has L lanes. Each lane's pointer is to
    // a node, which is borrowed. All blocks of nodes but the last one are whole.
    unsafe { lanes.advance(kernel, last.blocks - 1) };
    let mut block = Wiped([0; BLOCK]);
    if rest.len() < BLOCK {
        block[..rest.len()].copy_from_slice(rest);
        lanes.state(group)[LENGTH][lane..].fill(rest.len() as u32);
        lanes.data[group][lane..].fill(block.as_ptr());
    }
    if last.blocks < blocks {
        lanes.state(group)[FLAGS][lane..].iter_mut().for_each(|flags| *flags |= run.last);
        // SAFETY: as above. The next block of the last node is whole or in `block`.
        unsafe { lanes.advance(kernel, 1) };
        lanes.put(values);
        // The lanes of the last node go on with the blocks of another.
        let another = run.bytes[first * run.size + BLOCK * last.blocks..].as_ptr();
        lanes.data[group][lane..].fill(another);
        // SAFETY: as above.
        unsafe { lanes.advance(kernel, blocks - 1 - last.blocks) };
    }
    lanes.enter_last_blocks(run);
    // SAFETY: as above.
    unsafe { lanes.advance(kernel, 1) };
    let others = if last.blocks < blocks { count - 1 } else { count };
    lanes.put(&mut values[..others]);
}

/// The `L` lanes of a group.
struct Group<const L: usize> {
    state: Wiped<[[u32; L]; NODE]>,
    data: [*const u8; L],
    /// The blocks that are compressed.
    done: usize,
    /// The blocks that the next call compresses.
    now: usize,
}

impl<const L: usize> Group<L> {
    const NONE: Self = Self { state: Wiped([[0; L]; NODE]), data: [null(); L], done: 0, now: 0 };

    /// Sets the states before the first block.
    fn begin(&mut self, mode: &Mode<'_>, nodes: &[Node<'_>]) {
        for (words, &word) in self.state.iter_mut().zip(mode.key) {
            *words = [word; L];
        }
        self.state[LENGTH] = [BLOCK as u32; L];
        for (l, node) in nodes.iter().enumerate() {
            self.state[COUNTER][l] = node.counter as u32;
            self.state[COUNTER + 1][l] = (node.counter >> 32) as u32;
            self.state[FLAGS][l] = node.flags;
        }
    }

    /// Prepares the blocks up to the next one that is the last of its node, or that block.
    fn enter(&mut self, nodes: &[Node<'_>], ends: &[[u8; BLOCK]]) {
        let mut until = usize::MAX;
        let mut live = null();
        for (l, node) in nodes.iter().enumerate() {
            if self.done >= node.blocks {
                continue;
            }
            let is_last = self.done == node.blocks - 1;
            until = until.min(if is_last { node.blocks } else { node.blocks - 1 });
            self.data[l] = node.bytes[BLOCK * self.done..].as_ptr();
            if is_last {
                let rest = node.rest();
                self.state[FLAGS][l] |= node.last;
                self.state[LENGTH][l] = rest.len() as u32;
                if rest.len() < BLOCK {
                    self.data[l] = ends[l].as_ptr();
                }
            }
            live = self.data[l];
        }
        self.now = until.saturating_sub(self.done);
        if live.is_null() {
            self.now = 0;
            return;
        }
        // Idle lanes read what another lane reads.
        for l in 0..L {
            if nodes.get(l).is_none_or(|node| self.done >= node.blocks) {
                self.data[l] = live;
            }
        }
    }

    /// Writes the values of the nodes whose last block was compressed.
    fn leave(&mut self, nodes: &[Node<'_>], values: &mut [Value]) {
        self.done += self.now;
        for (l, node) in nodes.iter().enumerate() {
            if self.now > 0 && self.done == node.blocks {
                for (words, bytes) in self.state.iter().zip(values[node.to].as_chunks_mut().0) {
                    *bytes = words[l].to_le_bytes();
                }
            }
        }
    }
}

/// Computes the values of nodes, as many as the lanes of up to `GROUPS` groups.
///
/// # Panics
/// If the CPU cannot run the kernel, or it has other lanes than `L`.
#[inline(never)]
fn hash_groups<const L: usize>(
    mode: &Mode<'_>,
    kernel: &Kernel<u32>,
    nodes: &[Node<'_>],
    values: &mut [Value],
) {
    assert!(kernel.available() && kernel.lanes == L && nodes.len() <= GROUPS * L);
    let mut groups = [const { Group::<L>::NONE }; GROUPS];
    // Most calls need no copies, and it takes a while to clear the memory for them.
    let mut copies;
    let mut ends: &[[[u8; BLOCK]; L]] = &[];
    if nodes.iter().any(|node| node.rest().len() < BLOCK) {
        copies = Wiped([[[0; BLOCK]; L]; GROUPS]);
        for (end, node) in copies.as_flattened_mut().iter_mut().zip(nodes) {
            let rest = node.rest();
            end[..rest.len()].copy_from_slice(rest);
        }
        ends = &*copies;
    }
    let groups = &mut groups[..nodes.len().div_ceil(L)];
    for (group, nodes) in groups.iter_mut().zip(nodes.chunks(L)) {
        group.begin(mode, nodes);
    }
    loop {
        let mut spans = List::<Span<u32>, GROUPS>::new();
        for (g, (group, nodes)) in groups.iter_mut().zip(nodes.chunks(L)).enumerate() {
            group.enter(nodes, ends.get(g).map_or(&[], |ends| ends));
            if group.now > 0 {
                let to = group.state.as_flattened_mut().as_mut_ptr();
                let data = group.data.as_ptr();
                spans.push(Span { from: to, to, data, blocks: group.now, known: null() });
            }
        }
        if spans.as_slice().is_empty() {
            return;
        }
        // SAFETY: the CPU can run the kernel, as asserted, which has L lanes. Each span has the
        // state of a group, and pointers for all lanes: to `now` blocks of a node that is borrowed,
        // or to one block in `ends`.
        unsafe { kernel.run_spans(spans.as_slice()) };
        for (group, nodes) in groups.iter_mut().zip(nodes.chunks(L)) {
            group.leave(nodes, values);
        }
    }
}

/// Consecutive values that belong to one tree.
#[derive(Clone, Copy)]
struct Part<'a> {
    /// The number of the message.
    id: usize,
    first: usize,
    count: usize,
    top: Top<'a>,
}

/// How far a part is reduced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Top<'a> {
    /// To the digest of a message.
    Digest,
    /// To what the root of a message compresses: two values, or after the only one these bytes.
    Root(&'a [u8]),
}

/// The values of one level of trees, and of the next one.
struct Levels(Wiped<[[Value; MANY]; 2]>);

impl Levels {
    fn new() -> Self {
        Self(Wiped([[[0; 4 * VALUE]; MANY]; 2]))
    }

    /// Hashes nodes, and then their parents until each part is reduced to one value, or to the two
    /// of the root. Calls `done` with them.
    fn reduce(
        &mut self,
        mode: &Mode<'_>,
        chunks: &mut [Node<'_>],
        parts: &mut [Part<'_>],
        mut done: impl FnMut(&Part<'_>, &[Value]),
    ) {
        let [from, to] = &mut *self.0;
        let (mut from, mut to) = (from, to);
        hash_nodes(mode, chunks, from);
        loop {
            let mut parents = List::<Node<'_>, MANY>::new();
            for part in &mut *parts {
                let values = &from[part.first..][..part.count];
                let (pairs, rest) = values.as_chunks::<2>();
                match (part.count, rest) {
                    (0, _) => continue,
                    (1 | 2, _) if part.count == 1 || matches!(part.top, Top::Root(_)) => {
                        done(part, values);
                        part.count = 0;
                        continue;
                    }
                    (_, [value]) => to[part.first + pairs.len()] = *value,
                    _ => {}
                }
                let is_root = part.top == Top::Digest && part.count == 2;
                for (i, pair) in pairs.iter().enumerate() {
                    parents.push(mode.parent(pair, is_root, part.first + i));
                }
                part.count = pairs.len() + rest.len();
            }
            if parents.as_slice().is_empty() {
                return;
            }
            hash_nodes(mode, parents.as_mut_slice(), to);
            (from, to) = (to, from);
        }
    }
}

/// The chunks of a message. An empty message has one.
fn chunks_of(message: &[u8]) -> impl Iterator<Item = &[u8]> {
    let none = message.is_empty().then_some(message);
    message.chunks(CHUNK).chain(none)
}

/// The most chunks of messages that are hashed together.
const MANY: usize = 128;

/// Messages of more chunks are hashed one after the other, as each fills the lanes.
const LONG: usize = MANY / 2;

/// What becomes of messages.
enum Results<'o, 'd> {
    Digests(&'o mut Output<'d>),
    Roots(&'o mut dyn Sponges<Blake3Family>),
}

impl Results<'_, '_> {
    /// Puts what a message is reduced to.
    fn put(&mut self, mode: &Mode<'_>, part: &Part<'_>, values: &[Value]) {
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
    fn put_state(&mut self, id: usize, state: &Words) {
        match self {
            Self::Digests(output) => output.put::<Blake3Family>(id, state),
            Self::Roots(roots) => *roots.sponge(id) = Root::of(state),
        }
    }
}

/// Messages that are hashed together.
struct Together<'a, 'm, 'o, 'd> {
    mode: Mode<'m>,
    chunks: List<Node<'a>, MANY>,
    parts: List<Part<'a>, MANY>,
    levels: Levels,
    results: Results<'o, 'd>,
}

impl<'a> Together<'a, '_, '_, '_> {
    /// Makes room for a message of `count` chunks. Returns the place of the first one.
    fn place(&mut self, count: usize) -> usize {
        if self.chunks.as_slice().len() + count > MANY {
            self.hash();
        }
        self.chunks.as_slice().len()
    }

    fn add(&mut self, id: usize, message: &'a [u8]) {
        let count = message.len().div_ceil(CHUNK).max(1);
        let top = match self.results {
            Results::Digests(_) => Top::Digest,
            Results::Roots(_) if count == 1 => return self.add_before_root(id, message),
            Results::Roots(_) => Top::Root(&[]),
        };
        let first = self.place(count);
        for (i, chunk) in chunks_of(message).enumerate() {
            self.chunks.push(self.mode.chunk(chunk, i as u64, count == 1, first + i));
        }
        self.parts.push(Part { id, first, count, top });
    }

    /// Adds the blocks of a message of one chunk, except for the last one, which is its root.
    fn add_before_root(&mut self, id: usize, message: &'a [u8]) {
        let (bytes, rest) = message.split_at(message.len() - Blake3Family::held(message.len()));
        let (blocks, flags) = (bytes.len() / BLOCK, self.mode.flags | CHUNK_START);
        if let (Results::Roots(roots), 0) = (&mut self.results, blocks) {
            *roots.sponge(id) = Root::new(self.mode.key, rest, flags | CHUNK_END | ROOT);
            return;
        }
        let first = self.place(1);
        self.chunks.push(Node { bytes, blocks, counter: 0, flags, last: 0, to: first });
        self.parts.push(Part { id, first, count: 1, top: Top::Root(rest) });
    }

    fn hash(&mut self) {
        let Self { mode, chunks, parts, levels, results } = self;
        levels.reduce(mode, chunks.as_mut_slice(), parts.as_mut_slice(), |part, values| {
            results.put(mode, part, values);
        });
        (self.chunks, self.parts) = (List::new(), List::new());
    }
}

/// Writes the digests of many messages.
pub(super) fn hash_many(batch: &Batch<'_, '_, Blake3Family>, output: &mut Output<'_>) {
    let count = counted(batch, output);
    let begin = batch.states.is_none() && batch.before.length == 0;
    if begin && count > 1 && batch.messages.bounds(0).1 <= CHUNK {
        return if count > FEW { lockstep(batch, output) } else { as_they_come(batch, output) };
    }
    hash_together(batch, begin, Results::Digests(output));
}

/// Absorbs many messages, and replaces the root of each. Only the roots are not compressed.
pub(super) fn absorb(batch: &Batch<'_, '_, Blake3Family>, roots: &mut dyn Sponges<Blake3Family>) {
    let begin = batch.states.is_none() && batch.before.length == 0;
    hash_together(batch, begin, Results::Roots(roots));
}

/// Hashes messages of few chunks together, if they `begin`, and the others one after the other.
fn hash_together(batch: &Batch<'_, '_, Blake3Family>, begin: bool, results: Results<'_, '_>) {
    let mode = Mode::of(batch.before.state, batch.forced);
    let (chunks, parts) = (List::new(), List::new());
    let mut group = Together { mode, chunks, parts, levels: Levels::new(), results };
    for i in 0..batch.count() {
        let message = batch.messages.message(i);
        if begin && message.len() <= LONG * CHUNK {
            group.add(i, message);
        } else {
            let state = hash_alone(&batch.before(i), message, batch.forced);
            group.results.put_state(i, &state);
        }
    }
    group.hash();
}

/// The digest of the message that consists of the bytes of `before` followed by `message`.
pub(super) fn digest_alone(
    before: &Midstate<'_, Blake3Family>,
    message: &[u8],
    forced: Option<usize>,
) -> Value {
    if before.length == 0 && message.len() <= SUBTREE * CHUNK {
        // Without a copy of the state, which has 2 KiB.
        return hash_subtree(before.state, message, true, forced);
    }
    value_of(&hash_alone(before, message, forced))
}

/// The final state of the message that consists of the bytes of `before` followed by `message`.
pub(super) fn hash_alone(
    before: &Midstate<'_, Blake3Family>,
    message: &[u8],
    forced: Option<usize>,
) -> Words {
    let mut state = *before.state;
    if before.length == 0 && message.len() > CHUNK {
        hash_tree(&mut state, message, forced);
        return state;
    }
    let split = before.split(message);
    let (mut block, mut held) = (Wiped([0; BLOCK]), before.carry.len());
    block[..held].copy_from_slice(before.carry);
    if split.has_head {
        block[held..].copy_from_slice(split.head);
        compress(&mut state, &*block, forced);
        held = 0;
    }
    compress(&mut state, split.body, forced);
    block[held..][..split.rest.len()].copy_from_slice(split.rest);
    held += split.rest.len();
    let length = before.length + message.len() as u128;
    let mut tail = Wiped([0; BLOCK]);
    Blake3Family::pad(before.state, &mut *tail, &block[..held], length);
    finish(&mut state, &*tail, length as u64, forced);
    state
}

/// Hashes a message of several chunks from its initial state.
fn hash_tree(state: &mut Words, message: &[u8], forced: Option<usize>) {
    let last = (message.len() - 1) / (SUBTREE * CHUNK) * (SUBTREE * CHUNK);
    let (whole, last) = message.split_at(last);
    compress(state, whole, forced);
    let value = hash_subtree(state, last, whole.is_empty(), forced);
    finish_with(state, value, forced);
}

/// The most chunks of a subtree that is hashed at once. Not more than [`LONG`]: the final state of
/// a longer message remembers its root only if there is a subtree before the last one.
const SUBTREE: usize = LONG;

/// The value of the next chunks of a message, at most `SUBTREE`. They are all chunks of it if
/// `is_whole`.
fn hash_subtree(state: &Words, bytes: &[u8], is_whole: bool, forced: Option<usize>) -> Value {
    let mode = Mode::of(state, forced);
    if bytes.len() <= CHUNK {
        return hash_one(&mode, &Run::chunks(&mode, bytes, counter(state), is_whole));
    }
    hash_chunks(&mode, bytes, counter(state), is_whole)
}

/// [`hash_subtree`] of several chunks, the first of which has number `counter`.
#[inline(never)]
fn hash_chunks(mode: &Mode<'_>, bytes: &[u8], counter: u64, is_whole: bool) -> Value {
    let mut memory = LevelMemory::UNINIT;
    let mut level = Level::of_chunks(&mut memory, mode, bytes, counter);
    while level.count > 1 {
        level.ascend(mode, is_whole && level.count == 2);
    }
    level.pop()
}

/// Memory for the values of two levels. It would take a while to clear it.
struct LevelMemory([[MaybeUninit<Value>; SUBTREE]; 2]);

impl LevelMemory {
    const UNINIT: Self = Self([const { [const { MaybeUninit::uninit() }; SUBTREE] }; 2]);
}

#[cfg(feature = "zeroize")]
impl Drop for LevelMemory {
    fn drop(&mut self) {
        wipe::memory(self.0.as_flattened_mut());
    }
}

/// The values of one level of a subtree.
struct Level<'v> {
    /// The first `count` ones are initialised.
    values: &'v mut [MaybeUninit<Value>; SUBTREE],
    count: usize,
    /// Memory for those of the next level.
    next: &'v mut [MaybeUninit<Value>; SUBTREE],
}

impl<'v> Level<'v> {
    /// The values of chunks, of which there are more in the message.
    fn of_chunks(memory: &'v mut LevelMemory, mode: &Mode<'_>, bytes: &[u8], counter: u64) -> Self {
        let [values, next] = &mut memory.0;
        let run = Run::chunks(mode, bytes, counter, false);
        hash_run(mode, &run, values);
        Self { values, count: run.count(), next }
    }

    /// Replaces pairs of values, at least one pair, by those of their parents. A last one without a
    /// sibling stays.
    fn ascend(&mut self, mode: &Mode<'_>, is_root: bool) {
        // SAFETY: the first `count` values are initialised.
        let values =
            unsafe { slice::from_raw_parts(self.values.as_ptr().cast::<Value>(), self.count) };
        let (pairs, rest) = values.as_chunks::<2>();
        hash_run(mode, &Run::parents(mode, pairs.as_flattened(), is_root), self.next);
        if let [value] = rest {
            self.next[pairs.len()].write(*value);
        }
        self.count = pairs.len() + rest.len();
        swap(&mut self.values, &mut self.next);
    }

    /// Takes the last value out.
    fn pop(&mut self) -> Value {
        self.count -= 1;
        // SAFETY: there were `count + 1` initialised values.
        unsafe { self.values[self.count].assume_init() }
    }
}

/// Compresses whole blocks, which are not the last ones of their message.
pub(super) fn compress(state: &mut Words, blocks: &[u8], forced: Option<usize>) {
    update(state, blocks, 0, forced);
}

/// Compresses whole blocks of a message. The last `held` bytes are held back.
///
/// If they end a chunk which is not the only one, it is compressed nevertheless: a chunk may be the
/// last one without a difference, and so it is in lanes with those before it. The state is
/// ahead then.
pub(super) fn update(state: &mut Words, mut bytes: &[u8], held: usize, forced: Option<usize>) {
    while bytes.len() > held {
        let (chunks, before) = (bytes.len() / CHUNK, BLOCK * state[BLOCKS] as usize);
        let now;
        if is_ahead(state) {
            let value = value_of(state);
            push(state, value, (before / CHUNK) as u64, forced);
            bytes = &bytes[BLOCK..];
        } else if before == 0 && chunks > 0 && (counter(state) > 0 || bytes.len() - held >= CHUNK) {
            let aligned: usize = 1 << (SUBTREE as u64 | counter(state)).trailing_zeros();
            (now, bytes) = bytes.split_at(aligned.min(chunks) * CHUNK);
            compress_chunks(state, now, held > 0 && bytes.is_empty(), forced);
        } else {
            (now, bytes) = bytes.split_at((bytes.len() - held).min(CHUNK - before));
            compress_in_chunk(state, now, forced);
        }
    }
}

/// Compresses whole chunks, at most as many as the number of the first one is aligned to. If they
/// may be the last ones of the message, which has others, the state is ahead afterwards.
#[inline(never)]
fn compress_chunks(state: &mut Words, bytes: &[u8], may_be_last: bool, forced: Option<usize>) {
    // Complete subtrees with their numbers of chunks, the last one first.
    let mut subtrees = List::<(Value, usize), { SUBTREE.ilog2() as usize + 2 }>::new();
    let mut memory = LevelMemory::UNINIT;
    let mode = Mode::of(state, forced);
    let mut level = Level::of_chunks(&mut memory, &mode, bytes, counter(state));
    // The parent of two halves may be the root.
    let in_halves = may_be_last && level.count.is_power_of_two();
    let mut chunks = 1;
    while level.count > 0 {
        if level.count % 2 == 1 || in_halves && level.count == 2 {
            subtrees.push((level.pop(), chunks));
        } else {
            level.ascend(&mode, false);
            chunks *= 2;
        }
    }
    for (i, &(value, chunks)) in subtrees.as_slice().iter().enumerate().rev() {
        if i == 0 && may_be_last {
            set_words(&mut state[..VALUE], &value);
            state[BLOCKS] = (chunks * CHUNK / BLOCK) as u32;
        } else {
            push(state, value, chunks as u64, forced);
        }
    }
}

/// Compresses blocks of one chunk.
fn compress_in_chunk(state: &mut Words, blocks: &[u8], forced: Option<usize>) {
    state[BLOCKS] += (blocks.len() / BLOCK) as u32;
    if (state[BLOCKS] as usize) < CHUNK / BLOCK {
        return compress_alone::<Blake3Family>(state, blocks, forced);
    }
    let (first, last) = blocks.split_at(blocks.len() - BLOCK);
    compress_alone::<Blake3Family>(state, first, forced);
    state[FLAGS] |= CHUNK_END;
    compress_alone::<Blake3Family>(state, last, forced);
    push(state, value_of(state), 1, forced);
}

/// The chaining value of a state.
fn value_of(state: &Words) -> Value {
    let mut value = [0; _];
    Blake3Family::write_digest(state, &mut value);
    value
}

/// The values of the subtree on top of the stack, number `top`, and of the one after it.
fn pair(state: &Words, top: usize, value: Value) -> [Value; 2] {
    let mut pair = [[0; _], value];
    for (bytes, word) in pair[0].as_chunks_mut().0.iter_mut().zip(&state[STACK + VALUE * top..]) {
        *bytes = word.to_le_bytes();
    }
    pair
}

/// The value of the parent of two subtrees.
fn parent(state: &Words, pair: &[Value; 2], forced: Option<usize>) -> Value {
    let mode = Mode::of(state, forced);
    hash_one(&mode, &Run::parents(&mode, pair, false))
}

/// Appends the value of a subtree of `chunks` chunks, a power of two, to those of the subtrees
/// before it. More chunks follow. Pairs of equal size become one.
fn push(state: &mut Words, mut value: Value, chunks: u64, forced: Option<usize>) {
    let mut top = counter(state).count_ones() as usize;
    let count = counter(state) + chunks;
    for _ in chunks.trailing_zeros()..count.trailing_zeros() {
        top -= 1;
        value = parent(state, &pair(state, top, value), forced);
    }
    set_words(&mut state[STACK + VALUE * top..], &value);
    (state[COUNTER], state[COUNTER + 1]) = (count as u32, (count >> 32) as u32);
    state.copy_within(KEY..KEY + VALUE, 0);
    (state[FLAGS], state[BLOCKS]) = (state[MODE] | CHUNK_START, 0);
}

/// Compresses the last block of a message of `length` bytes. Leaves the digest in the state, which
/// remembers the root.
fn finish(state: &mut Words, block: &[u8], length: u64, forced: Option<usize>) {
    if !is_ahead(state) {
        Blake3Family::enter_tail(state, length);
        compress_root(state, block, forced);
    }
    finish_with(state, value_of(state), forced);
}

/// Merges the value of the last subtree with those before it. Leaves the digest in the state, which
/// remembers the root if it is a parent.
fn finish_with(state: &mut Words, mut value: Value, forced: Option<usize>) {
    let subtrees = counter(state).count_ones() as usize;
    for top in (1..subtrees).rev() {
        value = parent(state, &pair(state, top, value), forced);
    }
    set_words(state, &value);
    if subtrees > 0 {
        let root = pair(state, 0, value);
        state.copy_within(KEY..KEY + VALUE, 0);
        (state[COUNTER], state[COUNTER + 1], state[LENGTH]) = (0, 0, BLOCK as u32);
        state[FLAGS] = state[MODE] | PARENT | ROOT;
        compress_root(state, root.as_flattened(), forced);
    }
}

/// Compresses a block that may be the root, and remembers it.
fn compress_root(state: &mut Words, block: &[u8], forced: Option<usize>) {
    Blake3Family::remember(state, block);
    let flags = state[FLAGS];
    compress_alone::<Blake3Family>(state, block, forced);
    state[FLAGS] = flags;
}

/// The state after the last bytes of a message in pieces: its first words are the digest.
pub(super) fn finish_stream(stream: &Stream<Blake3Family>, forced: Option<usize>) -> Words {
    let mut state = stream.state();
    let mut tail = Wiped([0; BLOCK]);
    Blake3Family::pad(&state, &mut *tail, stream.midstate().carry, stream.length());
    finish(&mut state, &*tail, stream.length() as u64, forced);
    state
}

/// The root of a message in pieces that is one chunk, without compressing it.
pub(super) fn root_of_chunk(stream: &Stream<Blake3Family>) -> Option<Root> {
    let Midstate { state, carry, length } = stream.midstate();
    // Without a carry, the state remembers the last block.
    let is_chunk = counter(state) == 0 && !is_ahead(state) && (length == 0 || !carry.is_empty());
    let first = if state[BLOCKS] == 0 { CHUNK_START } else { 0 };
    let flags = state[MODE] | first | CHUNK_END | ROOT;
    is_chunk.then(|| Root::new(&state[..VALUE], carry, flags))
}

/// Hashes the messages of `source`, each of which fills the lanes if it is long.
pub(super) fn run<'a>(source: &mut dyn Source<'a, Blake3Family>, forced: Option<usize>) {
    let mut stage = Wiped([0; 3 * BLOCK]);
    while source.waiting() > 0 {
        let Some(work) = source.next(&mut *stage) else { continue };
        let mut state = work.state;
        if work.head {
            compress(&mut state, &stage[..BLOCK], forced);
        }
        compress(&mut state, work.body, forced);
        if work.tail > 0 {
            finish(&mut state, &stage[BLOCK..2 * BLOCK], work.length, forced);
        }
        source.done(work.id, LaneState::of_one(&state));
    }
}
