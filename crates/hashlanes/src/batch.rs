//! Many messages that are all known up front.

use crate::algorithm::{Family, pad, padded_blocks};
use crate::function::{HashFunction, digest_of};
use crate::hasher::Hasher;
use crate::schedule::{self, Source, State, When, Work};

/// Messages that are put in order at a time. Bounds the memory, which is on the stack.
const WINDOW: usize = 512;

/// Messages with at least this many blocks are ordered exactly, shorter ones by counting.
const LONG: usize = 256;

/// Which message of a window comes next: the longest, so that at the end the lanes run dry at about the same time, and so
/// that messages of the same number of blocks share the lanes and end together.
struct Order {
    /// The window's messages, counted from its first.
    queue: [u16; WINDOW],
    next: usize,
    end: usize,
}

impl Order {
    fn new() -> Self {
        Self { queue: [0; WINDOW], next: 0, end: 0 }
    }

    /// Puts messages `0..count` in order; `blocks` tells how many blocks one has. Those with none are left out.
    fn fill(&mut self, count: usize, mut blocks: impl FnMut(usize) -> usize) {
        // A counting sort, descending: class 0 holds the long ones, class LONG - b those of b blocks.
        let class = |blocks: u32| LONG - (blocks as usize).min(LONG);
        let mut lengths = [0_u32; WINDOW];
        let mut ends = [0; LONG + 1];
        for (i, length) in lengths[..count].iter_mut().enumerate() {
            *length = u32::try_from(blocks(i)).unwrap_or(u32::MAX);
            ends[class(*length)] += 1;
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += core::mem::replace(end, begin);
        }
        for (i, &length) in lengths[..count].iter().enumerate() {
            let place = &mut ends[class(length)];
            self.queue[*place] = i as u16;
            *place += 1;
        }
        self.queue[..ends[0]].sort_unstable_by_key(|&i| core::cmp::Reverse(lengths[usize::from(i)]));
        self.next = 0;
        // The last class is that of no blocks.
        self.end = ends[LONG - 1];
    }

    fn pop(&mut self) -> Option<usize> {
        let i = *self.queue[..self.end].get(self.next)?;
        self.next += 1;
        Some(usize::from(i))
    }
}

struct Messages<'a, 'd, A: HashFunction, T> {
    messages: &'a [T],
    digests: &'d mut [A::Digest],
    order: Order,
    /// The first message of the window in `order`, and the first after it.
    window: (usize, usize),
    waiting: usize,
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Source<'a, A::Family> for Messages<'a, '_, A, T> {
    fn waiting(&self) -> usize {
        self.waiting
    }

    fn next(&mut self, stage: &mut [u8]) -> Work<'a, A::Family> {
        let i = loop {
            if let Some(i) = self.order.pop() {
                break self.window.0 + i;
            }
            let first = self.window.1;
            let window = &self.messages[first..self.messages.len().min(first + WINDOW)];
            self.order.fill(window.len(), |i| padded_blocks::<A::Family>(window[i].as_ref().len()));
            self.window = (first, first + window.len());
        };
        self.waiting -= 1;
        let message = self.messages[i].as_ref();
        let block = <A::Family as Family>::BLOCK;
        let (body, rest) = message.split_at(message.len() - message.len() % block);
        let tail = pad::<A::Family>(&mut stage[block..], 0, rest, message.len() as u128);
        Work { id: i, state: A::INITIAL, head: false, body, tail }
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        digest_of::<A>(&state, &mut self.digests[id]);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all messages are done");
    }
}

pub(crate) fn digest_many_into<A: HashFunction, T: AsRef<[u8]>>(
    messages: &[T],
    digests: &mut [A::Digest],
    forced: Option<usize>,
) {
    assert_eq!(
        messages.len(),
        digests.len(),
        "as many digests are written as there are messages: the slices must have the same length"
    );
    if messages.is_empty() {
        return;
    }
    let mut source =
        Messages::<A, T> { messages, digests, order: Order::new(), window: (0, 0), waiting: messages.len() };
    schedule::run::<A::Family>(&mut source, forced, When::AllDone);
}

/// A window of hashers with their pieces.
struct Pieces<'a, 'h, A: HashFunction, T> {
    hashers: &'h mut [Hasher<A>],
    pieces: &'a [T],
    order: Order,
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Source<'a, A::Family> for Pieces<'a, '_, A, T> {
    fn waiting(&self) -> usize {
        self.order.end - self.order.next
    }

    fn next(&mut self, stage: &mut [u8]) -> Work<'a, A::Family> {
        let i = self.order.pop().expect("called only if one is waiting");
        self.hashers[i].stream().work(i, self.pieces[i].as_ref(), false, 0, stage)
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        self.hashers[id].stream_mut().absorb(self.pieces[id].as_ref(), state);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all pieces are done");
    }
}

pub(crate) fn update_many<A: HashFunction, T: AsRef<[u8]>>(
    hashers: &mut [Hasher<A>],
    pieces: &[T],
    forced: Option<usize>,
) {
    assert_eq!(hashers.len(), pieces.len(), "every hasher gets one piece: the slices must have the same length");
    for (hashers, pieces) in hashers.chunks_mut(WINDOW).zip(pieces.chunks(WINDOW)) {
        let mut order = Order::new();
        order.fill(hashers.len(), |i| {
            let piece = pieces[i].as_ref();
            let blocks = hashers[i].stream().blocks(piece, false);
            if blocks == 0 {
                let state = hashers[i].stream().state();
                hashers[i].stream_mut().absorb(piece, state);
            }
            blocks
        });
        if order.end > 0 {
            schedule::run::<A::Family>(&mut Pieces { hashers, pieces, order }, forced, When::AllDone);
        }
    }
}
