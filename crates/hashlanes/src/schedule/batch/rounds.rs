//! Rounds of PBKDF2: the MAC of a MAC, many times, under many keys side by side.
//!
//! Each of the two hashes of a MAC compresses one block, in which only the digest is new. So the
//! blocks, the states of the keys and the sums of the MACs stay in the lanes' memory from round to
//! round, and only digests are copied.

use core::array;
use core::ptr::null;

use crate::family::{Rules, State};
use crate::input::Span;
use crate::kernel::Kernel;
use crate::schedule::batch::chains::block;
use crate::schedule::rules::{Md, MdWord, Tabled};
use crate::schedule::stream::midstate::Midstate;
use crate::vector::MAX_LANES;
use crate::wipe::{Wipe, Wiped};

/// How many rounds there are, and whether they are still wanted.
pub struct Rounds<'g> {
    pub(crate) count: u32,
    pub(crate) go_on: &'g mut dyn FnMut() -> bool,
}

impl Rounds<'_> {
    /// Rounds of all lanes between two questions: some milliseconds of the slowest kernels.
    const BETWEEN: u32 = 256;

    /// Calls `round` as often as there are rounds, until they are no longer wanted.
    #[inline(always)]
    pub(crate) fn each(&mut self, mut round: impl FnMut()) {
        for number in 0..self.count {
            if number % Self::BETWEEN == 0 && !(self.go_on)() {
                return;
            }
            round();
        }
    }
}

/// The states after the two blocks of a key for HMAC.
pub struct KeyStates<'k, R: Rules> {
    pub(crate) inner: &'k State<R>,
    pub(crate) outer: &'k State<R>,
}

/// Adds the MAC of each total, the MAC of that one, and so on: as many MACs as there are rounds.
/// Returns whether it did, which it does if a digest fits in the block after a key's.
#[inline(never)]
pub(crate) fn add_macs<W: MdWord>(
    rules: Md<W>,
    keys: &[KeyStates<'_, Md<W>>],
    rounds: &mut Rounds<'_>,
    totals: &mut [u8],
    digest_len: usize,
    forced: Option<usize>,
) -> bool {
    assert!(totals.len() == keys.len() * digest_len);
    let Some(first) = keys.first() else { return true };
    let before = Midstate { rules, state: first.inner, carry: &[], length: Md::<W>::BLOCK as u128 };
    let Some(block) = block(&before, digest_len) else { return false };
    let mut lanes = Lanes::new(rules, &AsRef::<[u8]>::as_ref(&*block)[..Md::<W>::BLOCK]);
    let (mut keys, mut totals) = (keys, totals);
    while !keys.is_empty() {
        let kernel = rules.kernel(rules.row(keys.len(), forced));
        let whole = keys.len() - keys.len() % kernel.lanes;
        let count = if whole == 0 { keys.len() } else { whole.min(MAX_LANES) };
        let (some, others) = keys.split_at(count);
        let (sums, rest) = totals.split_at_mut(count * digest_len);
        lanes.add(kernel, some, rounds, sums, digest_len);
        (keys, totals) = (others, rest);
    }
    true
}

/// The memory of the most lanes that a kernel has, which may be those of several groups.
#[repr(C, align(64))]
struct Lanes<W: MdWord> {
    rules: Md<W>,
    /// Of each lane, the block that is hashed after one of a key's.
    blocks: [Wiped<W::Block>; MAX_LANES],
    /// The states of the keys, group by group and word-major, as all that follow.
    inner: Wiped<[W; 8 * MAX_LANES]>,
    outer: Wiped<[W; 8 * MAX_LANES]>,
    /// The states after the last blocks.
    after: Wiped<[W; 8 * MAX_LANES]>,
    /// The sums of the states after MACs.
    sums: Wiped<[W; 8 * MAX_LANES]>,
}

impl<W: MdWord> Lanes<W> {
    fn new(rules: Md<W>, block: &[u8]) -> Self {
        let mut first = W::Block::ZERO;
        first.as_mut().copy_from_slice(block);
        let states = || Wiped([W::ZERO; 8 * MAX_LANES]);
        let blocks = array::from_fn(|_| Wiped(first));
        Self { rules, blocks, inner: states(), outer: states(), after: states(), sums: states() }
    }

    /// The place of a word in the states of a kernel with `lanes` lanes.
    #[inline(always)]
    fn place(&self, lanes: usize, lane: usize, word: usize) -> usize {
        (lane / lanes * self.rules.state_words() + word) * lanes + lane % lanes
    }

    /// Adds the MACs of as many rounds to the totals of as many keys as there are lanes, or fewer.
    fn add(
        &mut self,
        kernel: &Kernel<W>,
        keys: &[KeyStates<'_, Md<W>>],
        rounds: &mut Rounds<'_>,
        totals: &mut [u8],
        digest_len: usize,
    ) {
        let (lanes, words) = (kernel.lanes, digest_len / W::BYTES);
        let (size, big_endian) = (self.rules.state_words(), self.rules.big_endian());
        let used = keys.len().div_ceil(lanes) * lanes * size;
        assert!(used <= size * MAX_LANES && kernel.available());
        for (lane, (key, total)) in keys.iter().zip(totals.chunks_exact(digest_len)).enumerate() {
            self.blocks[lane].as_mut()[..digest_len].copy_from_slice(total);
            for word in 0..size {
                let place = self.place(lanes, lane, word);
                self.inner[place] = key.inner[word];
                self.outer[place] = key.outer[word];
            }
        }
        self.sums.as_mut().fill(W::default());
        rounds.each(|| {
            for outer in [false, true] {
                self.compress(kernel, outer, used);
                match (lanes, words, big_endian) {
                    // Loops of constant length, which the compiler unrolls.
                    (4, 8, true) => self.put(4, used, 8, 8, true),
                    (8, 8, true) => self.put(8, used, 8, 8, true),
                    (16, 8, true) => self.put(16, used, 8, 8, true),
                    _ => self.put(lanes, used, size, words, big_endian),
                }
            }
            let sums = self.sums.as_mut()[..used].iter_mut();
            for (sum, word) in sums.zip(&self.after.as_ref()[..used]) {
                *sum = sum.xor(*word);
            }
        });
        for (lane, total) in totals.chunks_exact_mut(digest_len).enumerate() {
            for (word, bytes) in total.chunks_exact_mut(W::BYTES).enumerate() {
                let sum = self.sums[self.place(lanes, lane, word)];
                sum.xor(W::read(bytes, big_endian)).write(bytes, big_endian);
            }
        }
    }

    /// Compresses each lane's block from a state of its key.
    #[inline(always)]
    fn compress(&mut self, kernel: &Kernel<W>, outer: bool, used: usize) {
        let (lanes, size) = (kernel.lanes, kernel.lanes * self.rules.state_words());
        let data: [_; MAX_LANES] = array::from_fn(|lane| self.blocks[lane].as_ref().as_ptr());
        let from = if outer { &self.outer } else { &self.inner };
        let (from, to) = (from.as_ref().as_ptr(), self.after.as_mut().as_mut_ptr());
        let spans: [_; MAX_LANES] = array::from_fn(|group| Span {
            from: from.wrapping_add(group * size),
            to: to.wrapping_add(group * size),
            data: data.as_ptr().wrapping_add(group * lanes),
            blocks: 1,
            known: null(),
        });
        // SAFETY: the kernel is available: `add` asserts it, and that the groups that are used have
        // at most MAX_LANES lanes together. There are states and blocks for as many, of which the
        // states to write to are borrowed mutably. Those of idle lanes are of no consequence.
        unsafe { kernel.run_spans(&spans[..used / size]) };
    }

    /// Copies the digests, the first `words` words of each state, to the blocks. A state has `size`
    /// words.
    #[inline(always)]
    fn put(&mut self, lanes: usize, used: usize, size: usize, words: usize, big_endian: bool) {
        let groups = self.after.as_ref()[..used].chunks_exact(lanes * size);
        for (group, blocks) in groups.zip(self.blocks.chunks_exact_mut(lanes)) {
            for (lane, block) in blocks.iter_mut().enumerate() {
                let places = block.as_mut().chunks_exact_mut(W::BYTES);
                for (word, place) in places.take(words).enumerate() {
                    group[word * lanes + lane].write(place, big_endian);
                }
            }
        }
    }
}
