//! The values of chunks and parents, which kernels compress side by side.

use core::mem::MaybeUninit;
use core::ptr::null;
use core::slice;

use super::lanes::{GROUPS, LANES, Lanes, next_nodes};
use crate::family::blake3::{
    BLOCK, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, COUNTER, FLAGS, KEY, LENGTH, MODE, NODE,
    PARENT, ROOT, VALUE,
};
use crate::family::{State, write_words};
use crate::input::Span;
use crate::kernel::Kernel;
use crate::schedule::list::List;
use crate::schedule::rules::Tabled;
use crate::wipe::{self, Wiped};

/// The state of a message.
pub(super) type Words = State<Blake3Family>;

/// A chaining value, or a digest.
pub(super) type Value = [u8; 4 * VALUE];

/// What all nodes of a message begin with.
#[derive(Clone, Copy)]
pub(super) struct Mode<'m> {
    pub(super) key: &'m [u32],
    pub(super) flags: u32,
    forced: Option<usize>,
}

impl<'m> Mode<'m> {
    pub(super) fn of(state: &'m Words, forced: Option<usize>) -> Self {
        Self { key: &state[KEY..][..VALUE], flags: state[MODE], forced }
    }

    pub(super) fn chunks(self) -> Kind<'m> {
        Kind { flags: self.flags | CHUNK_START, step: 1, mode: self }
    }

    pub(super) fn parents(self) -> Kind<'m> {
        Kind { flags: self.flags | PARENT, step: 0, mode: self }
    }
}

/// What all chunks of a message, or all its parents, have in common.
#[derive(Clone, Copy)]
pub(super) struct Kind<'m> {
    mode: Mode<'m>,
    /// The flags of their blocks.
    flags: u32,
    /// The difference between the numbers of neighbours.
    step: u64,
}

/// Nodes of equal length that follow each other in memory.
#[derive(Clone, Copy)]
pub(super) struct Run<'a> {
    bytes: &'a [u8],
    /// How many there are.
    pub(super) count: usize,
    /// The bytes of each.
    size: usize,
    /// The number of the first one.
    counter: u64,
    /// Flags that only their last blocks have.
    last: u32,
    /// The place of the first one's value.
    pub(super) to: usize,
}

impl<'a> Run<'a> {
    /// The chunks of a message from number `counter` on: whole ones, and one that is shorter, or
    /// empty if the message is.
    pub(super) fn chunks(
        bytes: &'a [u8],
        counter: u64,
        is_root: bool,
        to: usize,
    ) -> impl Iterator<Item = Self> {
        let count = bytes.len() / CHUNK;
        let (whole, rest) = bytes.split_at(CHUNK * count);
        let has_rest = count == 0 || !rest.is_empty();
        let rest = Self {
            count: has_rest.into(),
            to: to + count,
            ..Self::chunk(rest, counter + count as u64, is_root)
        };
        let whole = Self { bytes: whole, count, size: CHUNK, counter, to, ..rest };
        [whole, rest].into_iter().filter(|run| run.count > 0)
    }

    /// One chunk of a message.
    pub(super) fn chunk(bytes: &'a [u8], counter: u64, is_root: bool) -> Self {
        Self { counter, last: CHUNK_END | root(is_root), ..Self::alike(bytes, 0) }
    }

    /// The parents of pairs of values.
    pub(super) fn parents(pairs: &'a [[Value; 2]], is_root: bool, to: usize) -> Self {
        let bytes = pairs.as_flattened().as_flattened();
        Self { bytes, count: pairs.len(), size: BLOCK, counter: 0, last: root(is_root), to }
    }

    /// One node whose blocks all have the same flags.
    pub(super) fn alike(bytes: &'a [u8], to: usize) -> Self {
        Self { bytes, count: 1, size: bytes.len(), counter: 0, last: 0, to }
    }

    /// The number of blocks of each node.
    pub(super) fn blocks(&self) -> usize {
        self.size.div_ceil(BLOCK).max(1)
    }

    /// The bytes in the last block of the last node.
    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.bytes.len() - self.size + BLOCK * (self.blocks() - 1)..]
    }

    /// The nodes from number `first` of these on, at most `most`.
    fn part(&self, kind: &Kind<'_>, first: usize, most: usize) -> Self {
        let count = most.min(self.count - first);
        let bytes = &self.bytes[self.size * first..][..self.size * count];
        let counter = self.counter + kind.step * first as u64;
        Self { bytes, count, counter, to: self.to + first, ..*self }
    }
}

/// The flag of a root.
fn root(is_root: bool) -> u32 {
    if is_root { ROOT } else { 0 }
}

/// Computes the values of nodes. Those with the most blocks come first.
///
/// # Panics
/// If they do not, or a value has no place.
pub(super) fn hash_runs(kind: &Kind<'_>, runs: &[Run<'_>], values: &mut [MaybeUninit<Value>]) {
    let mut left = runs.iter().map(|run| run.count).sum();
    let mut nodes = Nodes { kind, runs, taken: 0 };
    while left > 0 {
        let (kernel, count) = next_nodes(Blake3Family.table(), left, GROUPS, kind.mode.forced);
        match kernel.lanes {
            1 => {
                for _ in 0..count {
                    let node = nodes.take(1);
                    values[node.to].write(hash_node(kind, kernel, &node));
                }
            }
            2 => hash_in_lanes::<2>(kernel, &mut nodes, count, values),
            4 => hash_in_lanes::<4>(kernel, &mut nodes, count, values),
            8 => hash_in_lanes::<8>(kernel, &mut nodes, count, values),
            _ => hash_in_lanes::<LANES>(kernel, &mut nodes, count, values),
        }
        left -= count;
    }
}

/// The value of the only node of a run.
pub(super) fn hash_one(kind: &Kind<'_>, run: &Run<'_>) -> Value {
    let kernel = Blake3Family.kernel(Blake3Family.row(1, kind.mode.forced));
    if kernel.lanes == 1 {
        return hash_node(kind, kernel, run);
    }
    let mut value = MaybeUninit::uninit();
    assert!(run.count == 1 && run.to == 0);
    hash_runs(kind, slice::from_ref(run), slice::from_mut(&mut value));
    // SAFETY: `hash_runs` wrote it.
    unsafe { value.assume_init() }
}

/// The value that a block with these flags, of at most 64 bytes, makes of the one before.
pub(super) fn hash_block(before: &[u32], block: &[u8], flags: u32, forced: Option<usize>) -> Value {
    let mode = Mode { key: before, flags, forced };
    hash_one(&Kind { mode, flags, step: 0 }, &Run::alike(block, 0))
}

/// Computes the value of one node.
///
/// # Panics
/// If there are more, the CPU cannot run the kernel, or it has several lanes.
#[inline(always)]
fn hash_node(kind: &Kind<'_>, kernel: &Kernel<u32>, node: &Run<'_>) -> Value {
    assert!(kernel.available() && kernel.lanes == 1 && node.count == 1);
    let (before, rest) = node.bytes.split_at(BLOCK * (node.blocks() - 1));
    // First of all, as a kernel that loads vectors of bytes just written would have to wait.
    let mut block;
    let mut last = if rest.is_empty() { &[0; BLOCK] } else { rest };
    if last.len() < BLOCK {
        block = Wiped([0; BLOCK]);
        block[..rest.len()].copy_from_slice(rest);
        last = &*block;
    }
    let mut state = Wiped([0; NODE]);
    state[..VALUE].copy_from_slice(kind.mode.key);
    (state[COUNTER], state[COUNTER + 1]) = (node.counter as u32, (node.counter >> 32) as u32);
    (state[LENGTH], state[FLAGS]) = (BLOCK as u32, kind.flags);
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

/// The nodes of runs, one after the other.
struct Nodes<'r, 'a> {
    kind: &'r Kind<'r>,
    runs: &'r [Run<'a>],
    /// How many nodes of the first run are taken.
    taken: usize,
}

impl<'a> Nodes<'_, 'a> {
    /// The next nodes of one run, at most `most`.
    ///
    /// # Panics
    /// If there is none.
    fn take(&mut self, most: usize) -> Run<'a> {
        let run = &self.runs[0];
        let part = run.part(self.kind, self.taken, most);
        self.taken += part.count;
        if self.taken == run.count {
            (self.runs, self.taken) = (&self.runs[1..], 0);
        }
        part
    }
}

/// Nodes in lanes from number `first` on, of all lanes of all groups.
#[derive(Clone, Copy)]
struct Placed<'a> {
    run: Run<'a>,
    first: usize,
}

/// Computes the values of the next `count` nodes.
///
/// All begin at once. Those with the fewest blocks are in the last lanes, and end first.
///
/// # Panics
/// If there are fewer, or more than in `GROUPS` groups, one has more blocks than a node before it,
/// the CPU cannot run the kernel, or it has other lanes than `L`.
#[inline(never)]
fn hash_in_lanes<const L: usize>(
    kernel: &Kernel<u32>,
    nodes: &mut Nodes<'_, '_>,
    count: usize,
    values: &mut [MaybeUninit<Value>],
) {
    assert!(kernel.available() && kernel.lanes == L && count <= GROUPS * L);
    let mut node = [0; NODE];
    node[..VALUE].copy_from_slice(nodes.kind.mode.key);
    (node[LENGTH], node[FLAGS]) = (BLOCK as u32, nodes.kind.flags);
    let mut lanes = Lanes::<L>::new();
    for _ in 0..count.div_ceil(L) {
        lanes.add(&node, [null(); L]);
    }
    let mut live = List::<Placed<'_>, { GROUPS * LANES }>::new();
    let mut first = 0;
    while first < count {
        let run = nodes.take(count - first);
        let before = live.as_slice().last().map_or(usize::MAX, |placed| placed.run.blocks());
        assert!(run.blocks() <= before, "lanes end from the last one on");
        lanes.begin(nodes.kind, &run, first);
        live.push(Placed { run, first });
        first += run.count;
    }
    // What is shorter than a block is copied.
    let mut copies = [const { [const { MaybeUninit::<[u8; BLOCK]>::uninit() }; L] }; GROUPS];
    let mut free = copies.as_flattened_mut().iter_mut();
    let (mut left, mut done) = (count, 0);
    while let Some(&Placed { run, .. }) = live.as_slice().last() {
        let blocks = run.blocks();
        let ending = |placed: &&Placed<'_>| placed.run.blocks() == blocks;
        // SAFETY: the CPU can run the kernel, as asserted, which has L lanes. Each of the lanes
        // that are left is at block `done` of a node that is borrowed and has no fewer blocks.
        unsafe { lanes.advance(kernel, left, blocks - 1 - done) };
        for Placed { run, first } in live.as_slice().iter().rev().take_while(ending) {
            lanes.enter_last_blocks(run, *first);
            let rest = run.rest();
            if rest.len() < BLOCK {
                let copy = free.next().expect("a lane has one last block").write([0; BLOCK]);
                copy[..rest.len()].copy_from_slice(rest);
                lanes.data.as_flattened_mut()[*first] = copy.as_ptr();
            }
        }
        // SAFETY: as above. The last block of a lane that ends is in its node, or a copy of it.
        unsafe { lanes.advance(kernel, left, 1) };
        while let Some(Placed { run, first }) = live.as_slice().last().filter(ending) {
            lanes.put(*first, &mut values[run.to..][..run.count]);
            left = *first;
            live.pop();
        }
        done = blocks;
    }
    wipe::memory(copies.as_flattened_mut());
}

/// Nodes of runs in the lanes of all groups.
impl<const L: usize> Lanes<L> {
    /// Sets lanes from number `first` on to the first blocks of nodes.
    #[inline(always)]
    fn begin(&mut self, kind: &Kind<'_>, run: &Run<'_>, first: usize) {
        let data = &mut self.data.as_flattened_mut()[first..][..run.count];
        for (i, data) in data.iter_mut().enumerate() {
            *data = run.bytes.as_ptr().wrapping_add(i * run.size);
        }
        if kind.step == 0 {
            return;
        }
        for i in 0..run.count {
            let (state, lane) = (self.state((first + i) / L), (first + i) % L);
            let counter = run.counter + i as u64 * kind.step;
            state[COUNTER][lane] = counter as u32;
            state[COUNTER + 1][lane] = (counter >> 32) as u32;
        }
    }

    /// Compresses the next blocks of the first `lanes` lanes.
    ///
    /// # Safety
    /// The CPU can run the kernel, which has `L` lanes. The pointers of these lanes, at least one,
    /// are readable for as many blocks.
    #[inline(always)]
    unsafe fn advance(&mut self, kernel: &Kernel<u32>, lanes: usize, blocks: usize) {
        if blocks == 0 {
            return;
        }
        let groups = lanes.div_ceil(L);
        let data = &mut self.data.as_flattened_mut()[..groups * L];
        // Idle lanes read what another reads.
        let (data, idle) = data.split_at_mut(lanes);
        idle.fill(data[lanes - 1]);
        // SAFETY: as the caller promises.
        unsafe { self.run(kernel, groups, blocks, None) };
        for data in self.data[..groups].as_flattened_mut() {
            *data = data.wrapping_add(BLOCK * blocks);
        }
    }

    /// The next block of the nodes in lanes from number `first` on is their last one.
    #[inline(always)]
    fn enter_last_blocks(&mut self, run: &Run<'_>, first: usize) {
        let length = run.rest().len() as u32;
        let mut lane = first;
        let end = first + run.count;
        while lane < end {
            let (group, l) = (lane / L, lane % L);
            let until = L.min(end - group * L);
            let state = self.state(group);
            for flags in &mut state[FLAGS][l..until] {
                *flags |= run.last;
            }
            state[LENGTH][l..until].fill(length);
            lane = (group + 1) * L;
        }
    }

    /// Writes the values of the nodes in lanes from number `first` on.
    #[inline(always)]
    fn put(&mut self, first: usize, values: &mut [MaybeUninit<Value>]) {
        for (i, value) in values.iter_mut().enumerate() {
            let (state, lane) = (self.state((first + i) / L), (first + i) % L);
            let mut bytes = [0; _];
            write_words(|w| state[w][lane], &mut bytes);
            value.write(bytes);
        }
    }
}
