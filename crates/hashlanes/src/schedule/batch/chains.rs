//! Hash chains side by side.
//!
//! A link of a chain is a short message that is hashed again and again with little changed, so what
//! surrounds its compression matters most. Where an input fits in one block, the block stays in a
//! kernel's memory, or in the states of a sponge's lanes.

use core::ptr::null;

use crate::family::{Rules, keccak};
use crate::input::{Chains, Frame, Span};
use crate::kernel::Kernel;
use crate::schedule::batch::Batch;
use crate::schedule::batch::messages::ByNumber;
use crate::schedule::batch::output::Output;
use crate::schedule::list::List;
use crate::schedule::rules::{MAX_RATE, Md, MdWord, Sponge, Tabled};
use crate::schedule::stream::midstate::Midstate;
use crate::wipe::{Wipe, Wiped};

/// The length of the longest digest in bytes.
const DIGEST: usize = 64;

/// How many chains are continued side by side, if they are hashed as messages: enough to fill the
/// lanes of every kernel twice.
const ACTIVE: usize = 64;

/// Hashes many messages.
type HashMany<R> = fn(&Batch<'_, '_, R>, &mut Output<'_>);

/// The number of chains that have hashes left, at least 1.
fn count(chains: &Chains<'_>) -> usize {
    chains.lengths.iter().filter(|&&length| length > 0).count().max(1)
}

/// The block in which an input is hashed after `before`, with zeros in its place.
pub(crate) fn block<R: Rules>(
    before: &Midstate<'_, R>,
    input_len: usize,
) -> Option<Wiped<R::Tail>> {
    let (rules, end) = (before.rules, before.carry.len() + input_len);
    if end >= rules.block() || rules.tail_blocks(end) > 1 {
        return None;
    }
    let mut bytes = Wiped(R::Block::ZERO);
    bytes.as_mut()[..before.carry.len()].copy_from_slice(before.carry);
    let mut tail = Wiped(R::Tail::ZERO);
    let length = before.length + input_len as u128;
    rules.pad(before.state, tail.as_mut(), &bytes.as_ref()[..end], length);
    Some(tail)
}

/// Continues chains of a family of the MD4 kind.
#[inline(never)]
pub(crate) fn in_blocks<W: MdWord>(
    before: &Midstate<'_, Md<W>>,
    chains: &mut Chains<'_>,
    digest_len: usize,
    forced: Option<usize>,
    hash_many: HashMany<Md<W>>,
) {
    if let Some(tail) = block(before, chains.input_len) {
        let block = &tail.as_ref()[..Md::<W>::BLOCK];
        let frame = Frame { state: before.state, block, start: before.carry.len() };
        let kernel = before.rules.kernel(before.rules.row(count(chains), forced));
        if kernel.continue_chains(&frame, chains) {
            return;
        }
    }
    by_messages(before, chains, digest_len, forced, hash_many);
}

/// Continues chains of a sponge. Values of whole words stay in the states of the lanes.
#[inline(never)]
pub(crate) fn in_states(
    before: &Midstate<'_, Sponge>,
    chains: &mut Chains<'_>,
    digest_len: usize,
    forced: Option<usize>,
    hash_many: HashMany<Sponge>,
) {
    let start = before.carry.len() + chains.value_start();
    let whole = start.is_multiple_of(WORD) && chains.value_len.is_multiple_of(WORD);
    let Some(mut block) = block(before, chains.input_len).filter(|_| whole) else {
        return by_messages(before, chains, digest_len, forced, hash_many);
    };
    let (input, block) = (before.carry.len(), block.as_mut());
    let kernel = before.rules.kernel(before.rules.row(count(chains), forced));
    let mut links = Links::new(before.state, kernel, start / WORD);
    let mut waiting = chains.waiting(0);
    loop {
        while let (Some(lane), Some(id)) = (links.idle(), waiting) {
            block[input..][..chains.input_len].copy_from_slice(chains.input(id));
            links.begin(lane, id, chains.lengths[id], block);
            waiting = chains.waiting(id + 1);
        }
        if !links.advance(chains, input) {
            return;
        }
    }
}

/// Bytes of a word of a sponge's state.
const WORD: usize = 8;

/// The most lanes of a sponge's kernel.
const LANES: usize = 8;

/// What is added to a word to count in its last byte.
const COUNT: u64 = 1 << 56;

/// Words of a lane's state.
const WORDS: usize = keccak::LANES + 1;

/// The states of all lanes, word-major.
#[repr(align(64))]
struct States(Wiped<[u64; WORDS * LANES]>);

/// Chains in the lanes of a sponge.
struct Links<'k> {
    /// The state before a block.
    state: &'k [u64; WORDS],
    kernel: &'k Kernel<u64>,
    /// The word in which values begin.
    value: usize,
    /// The states into which the next blocks have been mixed.
    mixed: States,
    /// The states after the last blocks.
    after: States,
    /// The number of each lane's chain.
    ids: [Option<usize>; LANES],
    /// The hashes that are left.
    left: [u64; LANES],
}

impl<'k> Links<'k> {
    fn new(state: &'k [u64; WORDS], kernel: &'k Kernel<u64>, value: usize) -> Self {
        assert!(kernel.lanes <= LANES && kernel.available());
        let (mixed, after) = (States(Wiped(Wipe::ZERO)), States(Wiped(Wipe::ZERO)));
        Self { state, kernel, value, mixed, after, ids: [None; LANES], left: [0; LANES] }
    }

    fn idle(&self) -> Option<usize> {
        self.ids[..self.kernel.lanes].iter().position(Option::is_none)
    }

    /// Begins a chain whose first block is `block`.
    fn begin(&mut self, lane: usize, id: usize, length: u64, block: &[u8]) {
        (self.ids[lane], self.left[lane]) = (Some(id), length);
        let rows = self.mixed.0.chunks_exact_mut(self.kernel.lanes);
        for (row, word) in rows.zip(self.state) {
            row[lane] = *word;
        }
        let rows = self.mixed.0.chunks_exact_mut(self.kernel.lanes);
        for (row, word) in rows.zip(block.as_chunks().0) {
            row[lane] ^= u64::from_le_bytes(*word);
        }
    }

    /// Continues all chains until one of them ends, and stores those that end. Their inputs begin
    /// at byte `input` of a block. Returns whether there were any chains.
    fn advance(&mut self, chains: &mut Chains<'_>, input: usize) -> bool {
        let live = || (0..LANES).filter(|&lane| self.ids[lane].is_some());
        let Some(steps) = live().map(|lane| self.left[lane]).min() else { return false };
        for _ in 0..steps {
            self.link(chains);
        }
        for lane in 0..LANES {
            self.left[lane] = self.left[lane].saturating_sub(steps);
            if self.left[lane] == 0
                && let Some(id) = self.ids[lane].take()
            {
                self.end(lane, input, chains.input(id));
            }
        }
        true
    }

    /// The next hash of every lane.
    fn link(&mut self, chains: &Chains<'_>) {
        static ZEROS: [u8; MAX_RATE] = [0; MAX_RATE];
        let lanes = self.kernel.lanes;
        let (from, to) = (self.mixed.0.as_ptr(), self.after.0.as_mut_ptr());
        let data = [ZEROS.as_ptr(); LANES];
        let span = Span { from, to, data: data.as_ptr(), blocks: 1, known: null() };
        // SAFETY: the kernel is available, and has at most LANES lanes: asserted when this was
        // made. There are WORDS words for each lane, and a block of zeros, whose mixing changes
        // nothing.
        unsafe { self.kernel.run_spans(&[span]) };
        let first = self.value * lanes;
        let values = self.mixed.0[first..].chunks_exact_mut(lanes).zip(&self.state[self.value..]);
        let digests = self.after.0.chunks_exact(lanes).take(chains.value_len / WORD);
        for ((value, before), digest) in values.zip(digests) {
            value.iter_mut().zip(digest).for_each(|(value, word)| *value = word ^ before);
        }
        if chains.counted {
            let before = self.state[self.value - 1];
            for word in &mut self.mixed.0[first - lanes..first] {
                *word = (*word ^ before).wrapping_add(COUNT) ^ before;
            }
        }
    }

    /// Stores the input of a chain, which begins at byte `start` of its block.
    fn end(&self, lane: usize, start: usize, input: &mut [u8]) {
        let mut block = Wiped([0; WORDS * WORD]);
        let rows = self.mixed.0.chunks_exact(self.kernel.lanes).zip(self.state);
        for (bytes, (row, before)) in block.as_chunks_mut().0.iter_mut().zip(rows) {
            *bytes = (row[lane] ^ before).to_le_bytes();
        }
        input.copy_from_slice(&block[start..][..input.len()]);
    }
}

/// Continues chains whose inputs are hashed like other messages.
#[inline(never)]
pub(crate) fn by_messages<R: Tabled>(
    before: &Midstate<'_, R>,
    chains: &mut Chains<'_>,
    digest_len: usize,
    forced: Option<usize>,
    hash_many: HashMany<R>,
) {
    let before = *before;
    continue_each(chains, digest_len, &mut |messages, output| {
        hash_many(&Batch { messages, before, states: None, forced, uncached: false }, output);
    });
}

/// Continues chains by a function that hashes messages. In a function of its own, which is the same
/// for all families.
fn continue_each(
    chains: &mut Chains<'_>,
    digest_len: usize,
    hash: &mut dyn FnMut(&Inputs<'_>, &mut Output<'_>),
) {
    let mut digests = Wiped([0; ACTIVE * DIGEST]);
    let (mut active, mut left) = (List::<usize, ACTIVE>::new(), [0; ACTIVE]);
    let mut waiting = chains.waiting(0);
    loop {
        while let (Some(id), true) = (waiting, active.as_slice().len() < ACTIVE) {
            left[active.as_slice().len()] = chains.lengths[id];
            active.push(id);
            waiting = chains.waiting(id + 1);
        }
        let ids = active.as_slice();
        let Some(steps) = left[..ids.len()].iter().copied().min() else { return };
        let digests = &mut digests[..ids.len() * digest_len];
        for _ in 0..steps {
            let messages = Inputs { inputs: chains.inputs, length: chains.input_len, ids };
            let mut output = Output::new(digests, digest_len, ids.len());
            hash(&messages, &mut output);
            for (&id, digest) in ids.iter().zip(digests.chunks_exact(digest_len)) {
                chains.replace(id, digest);
            }
        }
        for lane in (0..ids.len()).rev() {
            left[lane] -= steps;
            if left[lane] == 0 {
                left[lane] = left[active.as_slice().len() - 1];
                active.swap_remove(lane);
            }
        }
    }
}

/// The inputs of some chains, as messages.
#[derive(Clone, Copy)]
struct Inputs<'c> {
    inputs: &'c [u8],
    length: usize,
    ids: &'c [usize],
}

impl<'c> ByNumber<'c> for Inputs<'c> {
    fn count(self) -> usize {
        self.ids.len()
    }

    #[inline(always)]
    fn message(self, i: usize) -> &'c [u8] {
        &self.inputs[self.ids[i] * self.length..][..self.length]
    }

    fn range(self, range: core::ops::Range<usize>) -> Self {
        Self { ids: &self.ids[range], ..self }
    }

    fn bounds(self) -> (usize, usize) {
        (self.length, self.length)
    }
}
