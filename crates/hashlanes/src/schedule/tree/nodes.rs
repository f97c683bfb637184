//! The values of chunks and parents, which kernels compress side by side.

use core::mem::MaybeUninit;
use core::ptr::null;
use core::slice;

use super::lanes::{GROUPS, LANES, Lanes, MOST, next_nodes};
use crate::family::blake3::{
    BLOCK, Blake3Family, CHUNK, CHUNK_END, CHUNK_START, COUNTER, FLAGS, KEY, LENGTH, MODE, NODE,
    PARENT, ROOT, VALUE, counter,
};
use crate::family::{State, write_words};
use crate::input::Span;
use crate::kernel::{Kernel, Origin, prefetch};
use crate::schedule::list::List;
use crate::schedule::rules::Tabled;
use crate::wipe::{self, Wiped};

/// The state of a message.
pub(super) type Words = State<Blake3Family>;

/// A chaining value, or a digest.
pub(super) type Value = [u8; 4 * VALUE];

/// The value whose words these begin with.
pub(super) fn value_of(words: &[u32]) -> Value {
    let mut value = [0; _];
    write_words(|w| words[w], &mut value);
    value
}

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
    /// What precedes the bytes of the only node, if its chunk has begun already.
    begun: Option<Begun<'a>>,
    bytes: &'a [u8],
    /// The number of the first one.
    counter: u64,
    /// How many there are.
    count: u16,
    /// The bytes of each, and their blocks with those before them.
    size: u16,
    blocks: u8,
    /// Flags that only their last blocks have.
    last: u8,
    /// The place of the first one's value.
    to: u16,
}

/// A chunk that has begun.
#[derive(Clone, Copy)]
pub(super) struct Begun<'a> {
    /// The state after its whole blocks.
    state: &'a Words,
    /// The bytes after those, at most a block.
    carry: &'a [u8],
}

impl<'a> Run<'a> {
    /// The rest of a chunk, which has begun with this state and these bytes after its blocks.
    pub(super) fn after(self, state: &'a Words, carry: &'a [u8]) -> Self {
        let blocks = blocks_of(carry.len() + self.size());
        Self { begun: Some(Begun { state, carry }), counter: counter(state), blocks, ..self }
    }

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
            ..Self::chunk(rest, counter + count as u64, is_root, to + count)
        };
        let (count, to) = (count as u16, to as u16);
        let (size, blocks) = (CHUNK as u16, (CHUNK / BLOCK) as u8);
        let whole = Self { bytes: whole, count, size, blocks, counter, to, ..rest };
        [whole, rest].into_iter().filter(|run| run.count > 0)
    }

    /// One chunk of a message.
    pub(super) fn chunk(bytes: &'a [u8], counter: u64, is_root: bool, to: usize) -> Self {
        Self { last: CHUNK_END as u8 | root(is_root), ..Self::alike(bytes, counter, to) }
    }

    /// The parents of pairs of values.
    pub(super) fn parents(pairs: &'a [[Value; 2]], is_root: bool, to: usize) -> Self {
        let bytes = pairs.as_flattened().as_flattened();
        let (count, size) = (pairs.len() as u16, BLOCK as u16);
        Self { count, size, blocks: 1, last: root(is_root), ..Self::alike(bytes, 0, to) }
    }

    /// One node, number `counter`, whose blocks all have the same flags.
    pub(super) fn alike(bytes: &'a [u8], counter: u64, to: usize) -> Self {
        let (size, to) = (bytes.len() as u16, to as u16);
        let blocks = blocks_of(bytes.len());
        Self { begun: None, bytes, counter, count: 1, size, blocks, last: 0, to }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.count.into()
    }

    /// The bytes of each.
    fn size(&self) -> usize {
        self.size.into()
    }

    /// The place of the first one's value.
    pub(super) fn to(&self) -> usize {
        self.to.into()
    }

    /// Whether all nodes are whole blocks in memory.
    fn is_of_blocks(&self) -> bool {
        self.begun.is_none() && self.size() == BLOCK * self.blocks()
    }

    fn carry(&self) -> &'a [u8] {
        self.begun.map_or(&[], |begun| begun.carry)
    }

    /// The number of blocks of each node.
    pub(super) fn blocks(&self) -> usize {
        self.blocks.into()
    }

    /// Whether the carry is in another block than the last one.
    fn has_head(&self) -> bool {
        !self.carry().is_empty() && self.blocks() > 1
    }

    /// The block of the carry, if that is not the last one.
    fn head(&self) -> [&'a [u8]; 2] {
        [self.carry(), &self.bytes[..BLOCK - self.carry().len()]]
    }

    /// The blocks of the only node between that of the carry and the last one.
    fn body(&self) -> &'a [u8] {
        match self.has_head() {
            true => &self.bytes[BLOCK - self.carry().len()..][..BLOCK * (self.blocks() - 2)],
            false => &self.bytes[..BLOCK * (self.blocks() - 1)],
        }
    }

    /// The bytes in the last block of the last node.
    fn rest(&self) -> [&'a [u8]; 2] {
        match (self.carry().len() + self.size()).checked_sub(BLOCK * (self.blocks() - 1)) {
            Some(rest) if self.blocks() > 1 => [&[], &self.bytes[self.bytes.len() - rest..]],
            _ => [self.carry(), &self.bytes[self.bytes.len() - self.size()..]],
        }
    }

    /// The nodes from number `first` of these on, at most `most`.
    fn part(&self, kind: &Kind<'_>, first: usize, most: usize) -> Self {
        let count = most.min(self.count() - first);
        let bytes = &self.bytes[self.size() * first..][..self.size() * count];
        let counter = self.counter + kind.step * first as u64;
        Self { bytes, counter, count: count as u16, to: self.to + first as u16, ..*self }
    }
}

/// The number of blocks of at most a chunk. No bytes are a block.
fn blocks_of(bytes: usize) -> u8 {
    bytes.div_ceil(BLOCK).max(1) as u8
}

/// The flag of a root.
fn root(is_root: bool) -> u8 {
    if is_root { ROOT as u8 } else { 0 }
}

/// Computes the values of nodes. Those with the most blocks come first.
///
/// # Panics
/// If they do not, or a value has no place.
pub(super) fn hash_runs(kind: &Kind<'_>, runs: &[Run<'_>], values: &mut [MaybeUninit<Value>]) {
    let mut left = runs.iter().map(Run::count).sum();
    let mut nodes = Nodes { kind, runs, taken: 0 };
    while left > 0 {
        let (kernel, mut count) = next_nodes(Blake3Family.table(), left, GROUPS, kind.mode.forced);
        // A call ends for all lanes each time that a node in one of them ends. So a call with
        // nodes of several lengths has one group, and whole groups of one length have their own.
        let alike = nodes.alike(count);
        if alike < kernel.lanes {
            count = count.min(kernel.lanes);
        } else if alike < count {
            count = alike & !(kernel.lanes - 1);
        }
        left -= count;
        let (run, first) = (&nodes.runs[0], nodes.taken);
        if run.is_of_blocks() && count <= run.count() - first {
            nodes.skip(count);
            nodes.prefetch(kernel.lanes);
            let values = &mut values[run.to() + first..][..count];
            match kernel.lanes {
                1 => {
                    for (i, value) in values.iter_mut().enumerate() {
                        hash_alike::<1>(kernel, kind, run, first + i, slice::from_mut(value));
                    }
                }
                2 => hash_alike::<2>(kernel, kind, run, first, values),
                4 => hash_alike::<4>(kernel, kind, run, first, values),
                8 => hash_alike::<8>(kernel, kind, run, first, values),
                16 => hash_alike::<16>(kernel, kind, run, first, values),
                _ => hash_alike::<LANES>(kernel, kind, run, first, values),
            }
            continue;
        }
        match kernel.lanes {
            1 => {
                for _ in 0..count {
                    let node = nodes.take(1);
                    values[node.to()].write(hash_node(kind, kernel, &node));
                }
            }
            2 => hash_in_lanes::<2>(kernel, &mut nodes, count, values),
            4 => hash_in_lanes::<4>(kernel, &mut nodes, count, values),
            8 => hash_in_lanes::<8>(kernel, &mut nodes, count, values),
            16 => hash_in_lanes::<16>(kernel, &mut nodes, count, values),
            _ => hash_in_lanes::<LANES>(kernel, &mut nodes, count, values),
        }
    }
}

/// The value of the only node of a run.
pub(super) fn hash_one(kind: &Kind<'_>, run: &Run<'_>) -> Value {
    let mut value = MaybeUninit::uninit();
    let kernel = Blake3Family.kernel(Blake3Family.row(1, kind.mode.forced));
    assert!(run.count == 1 && run.to == 0);
    match kernel.lanes {
        1 if run.is_of_blocks() => {
            hash_alike::<1>(kernel, kind, run, 0, slice::from_mut(&mut value));
        }
        1 => return hash_node(kind, kernel, run),
        _ => hash_runs(kind, slice::from_ref(run), slice::from_mut(&mut value)),
    }
    // SAFETY: each of the functions wrote it.
    unsafe { value.assume_init() }
}

/// The value that a block with these flags, of at most 64 bytes, makes of the one before.
pub(super) fn hash_block(before: &[u32], block: &[u8], flags: u32, forced: Option<usize>) -> Value {
    let mode = Mode { key: before, flags, forced };
    hash_one(&Kind { mode, flags, step: 0 }, &Run::alike(block, 0, 0))
}

/// Computes the value of one node.
///
/// # Panics
/// If there are more, the CPU cannot run the kernel, or it has several lanes.
#[inline(always)]
fn hash_node(kind: &Kind<'_>, kernel: &Kernel<u32>, node: &Run<'_>) -> Value {
    assert!(kernel.available() && kernel.lanes == 1 && node.count == 1);
    // First of all, as a kernel that loads vectors of bytes just written would have to wait.
    let mut copies = [const { MaybeUninit::uninit() }; 2];
    let [first, second] = &mut copies;
    let (rest, body) = (node.rest(), node.body());
    let last = joined(rest, second);
    let mut state = Wiped([0; NODE]);
    state[..VALUE].copy_from_slice(kind.mode.key);
    (state[COUNTER], state[COUNTER + 1]) = (node.counter as u32, (node.counter >> 32) as u32);
    (state[LENGTH], state[FLAGS]) = (BLOCK as u32, kind.flags);
    if let Some(Begun { state: begun, .. }) = node.begun {
        state[..VALUE].copy_from_slice(&begun[..VALUE]);
        state[FLAGS] = begun[FLAGS];
    }
    let run = |state: &mut [u32; NODE], blocks: &[u8]| {
        let (data, to) = (blocks.as_ptr(), state.as_mut_ptr());
        let blocks = blocks.len() / BLOCK;
        let span = Span { from: to, to, data: &raw const data, blocks, known: null() };
        // SAFETY: the CPU can run the kernel, as asserted, which has one lane. The pointer is to
        // this many borrowed blocks, at least one.
        unsafe { kernel.run_spans(&[span]) };
    };
    if node.has_head() {
        run(&mut state, joined(node.head(), first));
    }
    if !body.is_empty() {
        run(&mut state, body);
    }
    state[FLAGS] |= u32::from(node.last);
    state[LENGTH] = rest.iter().map(|bytes| bytes.len() as u32).sum();
    run(&mut state, last);
    wipe::memory(&mut copies);
    value_of(&*state)
}

/// The block of these bytes, followed by zeros: a copy if they are not a block somewhere.
#[inline(always)]
fn joined<'b>(bytes: [&'b [u8]; 2], copy: &'b mut MaybeUninit<[u8; BLOCK]>) -> &'b [u8] {
    match bytes {
        [[], []] => &[0; BLOCK],
        [block, []] | [[], block] if block.len() == BLOCK => block,
        [first, second] => {
            let (begin, end) = copy.write([0; BLOCK]).split_at_mut(first.len());
            if !first.is_empty() {
                begin.copy_from_slice(first);
            }
            end[..second.len()].copy_from_slice(second);
            // SAFETY: just written.
            unsafe { copy.assume_init_ref() }
        }
    }
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
        let part = self.runs[0].part(self.kind, self.taken, most);
        self.skip(part.count());
        part
    }

    /// How many of the next `most` nodes have as many blocks as the first one.
    fn alike(&self, most: usize) -> usize {
        let blocks = self.runs[0].blocks();
        let mut count = self.runs[0].count() - self.taken;
        for run in &self.runs[1..] {
            if count >= most || run.blocks() < blocks {
                break;
            }
            count += run.count();
        }
        count.min(most)
    }

    /// Passes over the next `count` nodes, which are of one run.
    fn skip(&mut self, count: usize) {
        self.taken += count;
        if self.taken == self.runs[0].count() {
            (self.runs, self.taken) = (&self.runs[1..], 0);
        }
    }
}

impl Nodes<'_, '_> {
    /// Prefetches the first lines of whole chunks that the next lanes begin with. Later ones are
    /// prefetched by kernels. It gains with 32 lanes on Zen 5, and nothing with 16 on Zen 4.
    #[inline(always)]
    fn prefetch(&self, lanes: usize) {
        const BYTES: usize = 3 * BLOCK;
        if lanes < LANES {
            return;
        }
        let Some(run) = self.runs.first().filter(|run| run.size() == CHUNK) else { return };
        for chunk in run.bytes.as_chunks::<CHUNK>().0.iter().skip(self.taken).take(lanes) {
            prefetch(&chunk[..BYTES], Origin::Near);
        }
    }
}

/// Nodes in lanes from number `first` on, of all lanes of all groups.
#[derive(Clone, Copy)]
struct Placed<'a> {
    run: Run<'a>,
    first: usize,
}

/// Computes the values of the next `count` nodes, in `L` lanes.
///
/// All begin at once. Those with the fewest blocks are in the last lanes, and end first.
///
/// # Panics
/// If there are fewer, or more than in all groups, one has more blocks than a node before it, the
/// CPU cannot run the kernel, or it has other lanes.
#[inline(never)]
fn hash_in_lanes<const L: usize>(
    kernel: &Kernel<u32>,
    nodes: &mut Nodes<'_, '_>,
    count: usize,
    values: &mut [MaybeUninit<Value>],
) {
    assert!(kernel.available() && count <= MOST);
    let mut node = [0; NODE];
    node[..VALUE].copy_from_slice(nodes.kind.mode.key);
    (node[LENGTH], node[FLAGS]) = (BLOCK as u32, nodes.kind.flags);
    let mut lanes = Lanes::new(L);
    for _ in 0..count.div_ceil(L) {
        lanes.add_in::<L>(&node);
    }
    let mut live = List::<Placed<'_>, MOST>::new();
    // Of the block with the carry, and later of the last one. Pointers to some stay while others
    // are written, so all come from one.
    let mut copies = [const { MaybeUninit::<[u8; BLOCK]>::uninit() }; MOST];
    let base: *mut MaybeUninit<[u8; BLOCK]> = copies.as_mut_ptr();
    let copied = |lane: usize, bytes| {
        assert!(lane < MOST);
        // SAFETY: `copies` has a block for each lane, which nothing else refers to: the kernel has
        // read what was there.
        joined(bytes, unsafe { &mut *base.add(lane) }).as_ptr()
    };
    let (mut first, mut have_heads) = (0, false);
    while first < count {
        let run = nodes.take(count - first);
        let before = live.as_slice().last().map_or(usize::MAX, |placed| placed.run.blocks());
        assert!(run.blocks() <= before, "lanes end from the last one on");
        lanes.begin::<L>(nodes.kind, &run, first);
        if run.has_head() {
            lanes.data()[first] = copied(first, run.head());
            have_heads = true;
        }
        live.push(Placed { run, first });
        first += run.count();
    }
    nodes.prefetch(L);
    let (mut left, mut done) = (count, 0);
    while let Some(&Placed { run, .. }) = live.as_slice().last() {
        let blocks = run.blocks();
        let ending = |placed: &&Placed<'_>| placed.run.blocks() == blocks;
        if have_heads && done == 0 && blocks > 1 {
            // SAFETY: as below.
            unsafe { lanes.advance::<L>(kernel, left, 1) };
            done = 1;
        }
        if done == 1 {
            for Placed { run, first } in live.as_slice().iter().filter(|live| live.run.has_head()) {
                lanes.data()[*first] = run.body().as_ptr();
            }
        }
        // SAFETY: the CPU can run the kernel, as asserted. Each of the lanes that are left is at
        // block `done` of a node that is borrowed and has no fewer blocks, or at a copy of the
        // first one, and no more are compressed than that.
        unsafe { lanes.advance::<L>(kernel, left, blocks - 1 - done) };
        for Placed { run, first } in live.as_slice().iter().rev().take_while(ending) {
            lanes.enter_last_blocks::<L>(run, *first);
            if run.count == 1 {
                lanes.data()[*first] = copied(*first, run.rest());
            }
        }
        // SAFETY: as above. The last block of a lane that ends is in its node, or a copy of it.
        unsafe { lanes.advance::<L>(kernel, left, 1) };
        while let Some(Placed { run, first }) = live.as_slice().last().filter(ending) {
            lanes.put::<L>(*first, &mut values[run.to()..][..run.count()]);
            left = *first;
            live.pop();
        }
        done = blocks;
    }
    wipe::memory(&mut copies[..count]);
}

/// Computes the values of nodes of a run of whole blocks, from number `first` of these on, in `L`
/// lanes.
///
/// # Panics
/// If there are fewer, or more than in all groups, the CPU cannot run the kernel, or it has other
/// lanes.
#[inline(never)]
fn hash_alike<const L: usize>(
    kernel: &Kernel<u32>,
    kind: &Kind<'_>,
    run: &Run<'_>,
    first: usize,
    values: &mut [MaybeUninit<Value>],
) {
    let (count, blocks) = (values.len(), run.blocks());
    let size = BLOCK * blocks;
    let bytes = &run.bytes[first * size..][..count * size];
    assert!(kernel.available() && kernel.lanes == L && count > 0 && blocks > 0);
    let last = u32::from(run.last);
    let mut node = Wiped([0; NODE]);
    node[..VALUE].copy_from_slice(kind.mode.key);
    node[LENGTH] = BLOCK as u32;
    node[FLAGS] = kind.flags | if blocks == 1 { last } else { 0 };
    let mut lanes = Lanes::new(L);
    for start in (0..count).step_by(L) {
        // Idle lanes have the node of another.
        let number = |lane: usize| (start + lane).min(count - 1);
        let state = lanes.add_in::<L>(&node);
        if kind.step > 0 {
            for lane in 0..L {
                let counter = run.counter + (first + number(lane)) as u64;
                state[COUNTER][lane] = counter as u32;
                state[COUNTER + 1][lane] = (counter >> 32) as u32;
            }
        }
        for (lane, data) in lanes.data()[start..].iter_mut().enumerate() {
            *data = bytes.as_ptr().wrapping_add(number(lane) * size);
        }
    }
    let groups = lanes.groups();
    if blocks > 1 {
        // SAFETY: the CPU can run the kernel, as asserted. Each lane is at the first block of a
        // node, which has more.
        unsafe { lanes.run(kernel, groups, blocks - 1, None) };
        for data in lanes.data() {
            *data = data.wrapping_add(BLOCK * (blocks - 1));
        }
        for g in 0..groups {
            lanes.group::<L>(g)[FLAGS].iter_mut().for_each(|flags| *flags |= last);
        }
    }
    // SAFETY: as above. Each lane is at the last block of a node.
    unsafe { lanes.run(kernel, groups, 1, None) };
    lanes.put::<L>(0, values);
}

/// Nodes of runs in the lanes of all groups.
impl Lanes {
    /// Sets lanes from number `first` on to the first blocks of nodes.
    #[inline(always)]
    fn begin<const L: usize>(&mut self, kind: &Kind<'_>, run: &Run<'_>, first: usize) {
        for (i, data) in self.data()[first..][..run.count()].iter_mut().enumerate() {
            *data = run.bytes.as_ptr().wrapping_add(i * run.size());
        }
        if kind.step == 0 {
            return;
        }
        if let Some(Begun { state: begun, .. }) = run.begun {
            let (state, lane) = (self.group::<L>(first / L), first % L);
            for (words, &word) in state.iter_mut().zip(&begun[..VALUE]) {
                words[lane] = word;
            }
            state[FLAGS][lane] = begun[FLAGS];
        }
        for i in 0..run.count() {
            let (state, lane) = (self.group::<L>((first + i) / L), (first + i) % L);
            let counter = run.counter + i as u64 * kind.step;
            state[COUNTER][lane] = counter as u32;
            state[COUNTER + 1][lane] = (counter >> 32) as u32;
        }
    }

    /// Compresses the next blocks of the first `lanes` lanes.
    ///
    /// # Safety
    /// The CPU can run the kernel. The pointers of these lanes, at least one, are readable for as
    /// many blocks.
    #[inline(always)]
    unsafe fn advance<const L: usize>(
        &mut self,
        kernel: &Kernel<u32>,
        lanes: usize,
        blocks: usize,
    ) {
        if blocks == 0 {
            return;
        }
        let groups = lanes.div_ceil(L);
        // Idle lanes read what another reads.
        let (data, idle) = self.data()[..groups * L].split_at_mut(lanes);
        idle.fill(data[lanes - 1]);
        // SAFETY: as the caller promises.
        unsafe { self.run(kernel, groups, blocks, None) };
        for data in &mut self.data()[..groups * L] {
            *data = data.wrapping_add(BLOCK * blocks);
        }
    }

    /// The next block of the nodes in lanes from number `first` on is their last one.
    #[inline(always)]
    fn enter_last_blocks<const L: usize>(&mut self, run: &Run<'_>, first: usize) {
        let length = run.rest().iter().map(|bytes| bytes.len() as u32).sum();
        for lane in first..first + run.count() {
            let (state, lane) = (self.group::<L>(lane / L), lane % L);
            state[FLAGS][lane] |= u32::from(run.last);
            state[LENGTH][lane] = length;
        }
    }

    /// Writes the values of the nodes in lanes from number `first` on.
    #[inline(always)]
    fn put<const L: usize>(&mut self, first: usize, values: &mut [MaybeUninit<Value>]) {
        for (i, value) in values.iter_mut().enumerate() {
            let (state, lane) = (self.group::<L>((first + i) / L), (first + i) % L);
            let mut bytes = [0; _];
            write_words(|w| state[w][lane], &mut bytes);
            value.write(bytes);
        }
    }
}
