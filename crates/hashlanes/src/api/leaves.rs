//! The chunks of many messages of KangarooTwelve in one queue.
//!
//! A chunk is a message of its own: one that has no other chunk, the first one of a longer message,
//! or a leaf. The queue hashes them side by side, whichever messages they belong to. Then the final
//! nodes of the longer messages continue, also side by side, with the values of their leaves.

use core::cmp::Reverse;

use super::ending::{Ending, is_short, right_encode};
use super::xof::XofReader;
use crate::family::{Rules, State};
use crate::function::TurboShakeFunction;
use crate::schedule::{LaneState, Midstate, Scheduled, Source, Stream, When, Work};
use crate::wipe::{self, Wiped};

/// Bytes in a chunk.
pub(super) const CHUNK: usize = 8192;

/// What follows the first chunk if there are others.
pub(super) const FIRST: [u8; 8] = [3, 0, 0, 0, 0, 0, 0, 0];

/// Domain separation bytes of a message of one chunk, of other final nodes, and of leaves.
pub(super) const SINGLE: u8 = 0x07;
pub(super) const FINAL: u8 = 0x06;
pub(super) const LEAF: u8 = 0x0b;

/// The most chunks in the queue.
const CHUNKS: usize = 128;

/// The most messages in the queue that have several chunks.
const NODES: usize = 32;

/// Bytes for the values of leaves and the endings of final nodes.
const MEMORY: usize = CHUNKS * 64;

/// Bytes after the values of all leaves: their number and two more, at most.
const NODE_ENDING: usize = 9 + 2;

/// Bytes in the value of a leaf: as many as the state has besides a block.
pub(super) fn value_length<X: TurboShakeFunction>() -> usize {
    200 - X::RULES.block()
}

/// A number with its length after it (RFC 9861 section 3.3). Zero has no bytes.
pub(super) fn length_encode(number: u64) -> Ending {
    match number {
        0 => Ending::new(&[0], &Ending::empty()).expect("one byte"),
        _ => right_encode(number),
    }
}

/// What a chunk is, and where its result goes.
#[derive(Clone, Copy)]
enum Kind {
    /// All of the message with this number.
    Single(usize),
    /// The first one of the message of this node. Only its whole blocks are compressed.
    First(usize),
    /// A leaf, whose value goes here in the memory.
    Leaf(usize),
}

/// A chunk: bytes of a message, and then a part of what follows every message.
#[derive(Clone, Copy)]
struct Chunk<'a, 'e> {
    bytes: &'a [u8],
    ending: &'e [u8],
    kind: Kind,
}

/// A message of several chunks.
struct Node<X: TurboShakeFunction> {
    /// The number of the message.
    id: usize,
    /// What is compressed of the final node.
    stream: Stream<X::Rules>,
    /// Where its values are in the memory, and its ending if that is known.
    from: usize,
    to: usize,
    is_complete: bool,
}

struct Queue<'a, 'e, 'r, X: TurboShakeFunction> {
    readers: &'r mut [XofReader<X>],
    /// What follows every message.
    ending: &'e [u8],
    chunks: [Chunk<'a, 'e>; CHUNKS],
    count: usize,
    nodes: [Option<Node<X>>; NODES],
    /// The number of nodes. Only the last one may be incomplete.
    node_count: usize,
    memory: Wiped<[u8; MEMORY]>,
    used: usize,
}

/// Absorbs those messages that are not short. `ending` follows every message.
#[inline(never)]
pub(super) fn absorb_chunks<X: TurboShakeFunction>(
    messages: &[impl AsRef<[u8]>],
    readers: &mut [XofReader<X>],
    ending: &[u8],
) {
    let nothing = Chunk { bytes: &[], ending: &[], kind: Kind::Single(0) };
    let mut queue = Queue {
        readers,
        ending,
        chunks: [nothing; CHUNKS],
        count: 0,
        nodes: [const { None }; NODES],
        node_count: 0,
        memory: Wiped([0; MEMORY]),
        used: 0,
    };
    for (i, message) in messages.iter().enumerate().filter(|(_, message)| !is_short(message)) {
        queue.add(i, message.as_ref());
    }
    queue.run();
    // The queue takes half of what the caller wipes, so the calls below it reach further.
    wipe::stack::<{ wipe::MANY }>();
}

impl<'a, 'e, X: TurboShakeFunction> Queue<'a, 'e, '_, X> {
    fn add(&mut self, id: usize, message: &'a [u8]) {
        let chunks = (message.len() + self.ending.len()).div_ceil(CHUNK);
        if self.node_count == NODES {
            self.run();
        }
        self.make_room();
        if chunks <= 1 {
            return self.push(message, self.ending, Kind::Single(id));
        }
        let stream = Stream::new(X::RULES, X::with_suffix(FINAL));
        let (from, to, is_complete) = (self.used, self.used, false);
        self.nodes[self.node_count] = Some(Node { id, stream, from, to, is_complete });
        self.node_count += 1;
        for i in 0..chunks {
            self.make_room();
            let part = |from: usize, length: usize| {
                (i * CHUNK).saturating_sub(from).min(length)
                    ..((i + 1) * CHUNK).saturating_sub(from).min(length)
            };
            let kind =
                if i == 0 { Kind::First(self.node_count - 1) } else { Kind::Leaf(self.used) };
            let ending = &self.ending[part(message.len(), self.ending.len())];
            self.push(&message[part(0, message.len())], ending, kind);
            self.used += if i == 0 { 0 } else { value_length::<X>() };
        }
        let leaves = length_encode(chunks as u64 - 1);
        for bytes in [leaves.as_slice(), &[0xff; 2]] {
            self.memory[self.used..][..bytes.len()].copy_from_slice(bytes);
            self.used += bytes.len();
        }
        if let Some(node) = &mut self.nodes[self.node_count - 1] {
            (node.to, node.is_complete) = (self.used, true);
        }
    }

    /// Makes room for a chunk, its value, and the ending of a node.
    fn make_room(&mut self) {
        if self.count == CHUNKS || MEMORY - self.used < value_length::<X>() + NODE_ENDING {
            self.run();
        }
    }

    fn push(&mut self, bytes: &'a [u8], ending: &'e [u8], kind: Kind) {
        self.chunks[self.count] = Chunk { bytes, ending, kind };
        self.count += 1;
    }

    /// Hashes what is in the queue, which is empty then, except for the node of a message that
    /// continues.
    fn run(&mut self) {
        let Self { readers, chunks, nodes, memory, .. } = self;
        let (chunks, nodes) = (&chunks[..self.count], &mut nodes[..self.node_count]);
        // The longest first, so that all lanes end at about the same time.
        let mut order = core::array::from_fn::<_, CHUNKS, _>(|i| i as u8);
        let order = &mut order[..chunks.len()];
        longest_first(order, chunks);
        let before = [SINGLE, FINAL, LEAF].map(X::with_suffix);
        let order = order.iter();
        let mut source = Chunks { chunks, order, before, readers, nodes, memory: &mut **memory };
        X::RULES.run(&mut source, None, When::AllDone);

        for Chunk { bytes, ending, kind } in chunks {
            if let Kind::First(node) = kind
                && let Some(node) = &mut nodes[*node]
            {
                let (_, rest) = bytes.split_at(node.stream.length() as usize);
                for bytes in [rest, ending, &FIRST] {
                    node.stream.update(bytes, None);
                }
            }
        }

        if let Some(Some(node @ Node { is_complete: false, .. })) = nodes.last_mut() {
            node.to = self.used;
        }
        let mut source = Nodes { nodes, next: 0, readers, memory: &**memory };
        X::RULES.run(&mut source, None, When::AllDone);

        let last = nodes.last_mut().and_then(Option::take).filter(|node| !node.is_complete);
        nodes.fill_with(|| None);
        self.node_count = usize::from(last.is_some());
        self.nodes[0] = last.map(|node| Node { from: 0, to: 0, ..node });
        (self.count, self.used) = (0, 0);
    }
}

impl Chunk<'_, '_> {
    fn length(&self) -> usize {
        self.bytes.len() + self.ending.len()
    }
}

/// Sorts the numbers of chunks. In a function of its own, which is the same for all functions.
fn longest_first(order: &mut [u8], chunks: &[Chunk<'_, '_>]) {
    order.sort_unstable_by_key(|&i| Reverse(chunks[usize::from(i)].length()));
}

/// The chunks in the queue.
struct Chunks<'a, 'e, 'q, X: TurboShakeFunction> {
    chunks: &'q [Chunk<'a, 'e>],
    order: core::slice::Iter<'q, u8>,
    /// The states before a single chunk, a first one and a leaf.
    before: [State<X::Rules>; 3],
    readers: &'q mut [XofReader<X>],
    nodes: &'q mut [Option<Node<X>>],
    memory: &'q mut [u8],
}

impl<'a, X: TurboShakeFunction> Source<'a, X::Rules> for Chunks<'a, '_, '_, X> {
    fn waiting(&self) -> usize {
        self.order.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, X::Rules>> {
        let i = usize::from(*self.order.next()?);
        let Chunk { bytes, ending, kind } = self.chunks[i];
        let [single, first, leaf] =
            self.before.each_ref().map(|state| Midstate::beginning(X::RULES, state));
        Some(match kind {
            Kind::Single(_) => single.work_with_ending(i, bytes, ending, stage),
            Kind::First(_) => first.work(i, bytes, false, 0, stage),
            Kind::Leaf(_) => leaf.work_with_ending(i, bytes, ending, stage),
        })
    }

    fn done(&mut self, id: usize, state: LaneState<'_, X::Rules>) {
        let (Chunk { bytes, kind, .. }, state) = (self.chunks[id], state.get());
        match kind {
            Kind::Single(message) => self.readers[message] = XofReader::of_state(&state),
            Kind::First(node) => {
                if let Some(node) = &mut self.nodes[node] {
                    let whole = bytes.len() - X::RULES.held(bytes.len());
                    node.stream = Stream::resume(X::RULES, state, whole as u128);
                }
            }
            Kind::Leaf(at) => {
                let value = &mut self.memory[at..][..value_length::<X>()];
                X::RULES.write_digest(&state, value);
            }
        }
    }

    fn suspended(&mut self, _: usize, _: State<X::Rules>, _: usize) {
        unreachable!("the run continues until all chunks are done");
    }
}

/// The nodes in the queue.
struct Nodes<'q, 'r, X: TurboShakeFunction> {
    nodes: &'r mut [Option<Node<X>>],
    next: usize,
    readers: &'r mut [XofReader<X>],
    memory: &'q [u8],
}

impl<'q, X: TurboShakeFunction> Source<'q, X::Rules> for Nodes<'q, '_, X> {
    fn waiting(&self) -> usize {
        self.nodes.len() - self.next
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'q, X::Rules>> {
        while let Some(node) = self.nodes.get_mut(self.next) {
            let id = self.next;
            self.next += 1;
            let Some(Node { stream, from, to, is_complete, .. }) = node else { continue };
            let values = &self.memory[*from..*to];
            if stream.blocks(values, *is_complete) > 0 {
                return Some(stream.work(id, values, *is_complete, 0, stage));
            }
            stream.keep(values);
        }
        None
    }

    fn done(&mut self, id: usize, state: LaneState<'_, X::Rules>) {
        let Some(node) = &mut self.nodes[id] else { return };
        if node.is_complete {
            self.readers[node.id] = XofReader::of_state(&state.get());
        } else {
            node.stream.absorb(&self.memory[node.from..node.to], state.get());
        }
    }

    fn suspended(&mut self, _: usize, _: State<X::Rules>, _: usize) {
        unreachable!("the run continues until all nodes are done");
    }
}
