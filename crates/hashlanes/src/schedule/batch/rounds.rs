//! Rounds of PBKDF2: the MAC of a MAC, many times, under many keys side by side.
//!
//! Each of the two hashes of a MAC compresses one block, in which only the digest is new: a link of
//! a chain with two hashes, whose states are added up.

use crate::family::{Rules, State};
use crate::schedule::batch::chains::block;
use crate::schedule::batch::links::{InLanes, LaneBlocks};
use crate::schedule::rules::{Md, MdWord, Tabled};
use crate::schedule::stream::midstate::Midstate;

/// How many rounds there are, and whether they are still wanted.
pub struct Rounds<'g> {
    pub(crate) count: u32,
    pub(crate) go_on: &'g mut dyn FnMut() -> bool,
}

impl Rounds<'_> {
    /// Rounds of all lanes between two questions: some milliseconds of the slowest kernels.
    const BETWEEN: u32 = 256;

    /// Calls `rounds` with numbers of rounds until there have been all, or they are no longer
    /// wanted.
    pub(crate) fn each(&mut self, mut rounds: impl FnMut(u32)) {
        let mut left = self.count;
        while left > 0 && (self.go_on)() {
            let some = left.min(Self::BETWEEN);
            rounds(some);
            left -= some;
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
    let block = &AsRef::<[u8]>::as_ref(&*block)[..Md::<W>::BLOCK];
    let (mut keys, mut totals) = (keys, totals);
    while !keys.is_empty() {
        let kernel = rules.kernel(rules.row(keys.len(), forced));
        let mut lanes =
            LaneBlocks::new(rules, kernel, keys.len(), (block, 0), 0..digest_len, false);
        let count = keys.len().min(lanes.lanes());
        let (some, others) = keys.split_at(count);
        let (sums, rest) = totals.split_at_mut(count * digest_len);
        for (lane, (key, total)) in some.iter().zip(sums.chunks_exact(digest_len)).enumerate() {
            lanes.set_states(lane, [key.inner, key.outer]);
            lanes.begin(lane, total);
        }
        rounds.each(|count| lanes.advance(count.into()));
        for (lane, total) in sums.chunks_exact_mut(digest_len).enumerate() {
            lanes.add_sum(lane, total);
        }
        (keys, totals) = (others, rest);
    }
    true
}
