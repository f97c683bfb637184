//! The contract of a kernel, and its row in the table.
//!
//! A *kernel* is one family's compression function compiled for one instruction set. It advances a
//! fixed number of lanes by a number of blocks.

use core::ptr::{self, null};
use core::slice;
use core::sync::atomic::AtomicU8;

use super::cpu::Features;
use super::cycles::Cycles;
use crate::family::{Family, known::Sums};
use crate::input::{
    Chains, Compress, ContinueChains, Frame, HashEqual, HashWhole, LinkLanes, Links, Span,
    SqueezeBlocks, Squeezing,
};
use crate::vector::MAX_LANES;

/// One row of the table.
pub struct Kernel<W> {
    pub(crate) name: &'static str,
    /// A power of two.
    pub(crate) lanes: usize,
    pub(crate) needs: Features,
    pub(crate) cycles: Cycles,
    pub(crate) compress: Compress<W>,
    /// Hashes whole messages. `None` if the vectors have no masked loads.
    pub(crate) hash_whole: Option<HashWhole<W>>,
    /// Continues hash chains. `None` if there is no code for them.
    continue_chains: Option<ContinueChains<W>>,
    /// Computes links of chains whose blocks stay in the lanes. `None` if there is no code for it.
    link: Option<LinkLanes<W>>,
    /// Hashes messages of one length. `None` if the family is no sponge, or the vectors have no
    /// masked loads.
    pub(crate) hash_equal: Option<HashEqual<W>>,
    /// Squeezes blocks of output. `None` if the family is no sponge.
    squeeze: Option<SqueezeBlocks<W>>,
    /// Other code for long runs.
    pub(crate) long_runs: Option<LongRuns<W>>,
}

/// The functions of a kernel in code that is faster for long runs of blocks, and slower for short
/// ones.
pub(crate) struct LongRuns<W> {
    compress: Compress<W>,
    hash_whole: Option<HashWhole<W>>,
    /// Whether it is faster only where the lanes' cache lines compete for one set of the cache.
    if_lines_compete: bool,
}

/// Functions compiled for an instruction set.
pub(crate) struct Compiled<W> {
    lanes: usize,
    needs: Features,
    compress: Compress<W>,
    pub(super) hash_whole: Option<HashWhole<W>>,
    pub(super) continue_chains: Option<ContinueChains<W>>,
    link: Option<LinkLanes<W>>,
    hash_equal: Option<HashEqual<W>>,
    squeeze: Option<SqueezeBlocks<W>>,
}

impl<W> Compiled<W> {
    /// A function that compresses a power of two lanes, on any CPU.
    pub(crate) const fn new(lanes: usize, compress: Compress<W>) -> Self {
        Self {
            lanes,
            needs: Features::NONE,
            compress,
            hash_whole: None,
            continue_chains: None,
            link: None,
            hash_equal: None,
            squeeze: None,
        }
    }

    /// Compiled with these target features.
    #[cfg_attr(
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_feature = "neon"),
            all(target_arch = "wasm32", target_feature = "simd128")
        )),
        expect(dead_code, reason = "only portable code runs there")
    )]
    pub(crate) const fn requiring(self, target_features: &str) -> Self {
        Self { needs: Features::of_target(target_features), ..self }
    }

    /// With a function for whole messages, compiled for the same features.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn hashing_whole(self, hash_whole: HashWhole<W>) -> Self {
        Self { hash_whole: Some(hash_whole), ..self }
    }

    /// With a function for chains, compiled for the same features.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn continuing_chains(self, continue_chains: ContinueChains<W>) -> Self {
        Self { continue_chains: Some(continue_chains), ..self }
    }

    /// With the links of other code for the same lanes, compiled for features that this one needs.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn linking_as(self, other: Self) -> Self {
        assert!(self.lanes == other.lanes && self.needs.contain(other.needs));
        Self { link: other.link, ..self }
    }

    /// With a function for links, compiled for the same features.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn linking(self, link: LinkLanes<W>) -> Self {
        Self { link: Some(link), ..self }
    }

    /// With a function for messages of one length, compiled for the same features.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn hashing_equal(self, hash_equal: HashEqual<W>) -> Self {
        Self { hash_equal: Some(hash_equal), ..self }
    }

    /// With a function that squeezes, compiled for the same features.
    pub(crate) const fn squeezing(self, squeeze: SqueezeBlocks<W>) -> Self {
        Self { squeeze: Some(squeeze), ..self }
    }
}

/// A family's rows in the table, the narrowest first.
pub(crate) trait Kernels: Family {
    const TABLE: &'static [Kernel<Self::Word>];
}

/// Where the choices of a family are: an entry for each number of messages; the last one is for all
/// larger numbers. An entry is the row of the kernel to run plus 1, or 0 before the choice is made.
///
/// A name and not a reference, since a constant may not lead to memory that changes.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "families without their feature")]
pub(crate) enum Choices {
    Md5,
    Sha1,
    Sha256,
    Sha512,
    Sm3,
    Keccak,
    Blake2b,
    Blake2s,
    Blake3,
    Blake3Output,
}

impl Choices {
    /// The entries.
    #[inline(always)]
    pub(super) fn entries(self) -> &'static [AtomicU8; MAX_LANES + 2] {
        static ENTRIES: [[AtomicU8; MAX_LANES + 2]; Choices::Blake3Output as usize + 1] =
            [const { [const { AtomicU8::new(0) }; MAX_LANES + 2] };
                Choices::Blake3Output as usize + 1];
        &ENTRIES[self as usize]
    }
}

/// The most kernels that a family has.
pub(crate) const MAX_ROWS: usize = 16;

/// A family's rows and the choices between them.
pub struct Table<W: 'static> {
    pub(crate) rows: &'static [Kernel<W>],
    pub(super) choices: Choices,
}

impl<W> Table<W> {
    /// # Panics
    /// If there are more than [`MAX_ROWS`].
    pub(crate) const fn new(rows: &'static [Kernel<W>], choices: Choices) -> Self {
        assert!(rows.len() <= MAX_ROWS);
        Self { rows, choices }
    }
}

/// Whether more lanes read from one set of the first-level cache than the set has ways, checked for
/// the sets of the first and of the middle lane. Page-aligned buffers do.
fn lines_compete(data: &[*const u8]) -> bool {
    /// The lines for which a set has room, in the caches of most cores.
    const WAYS: usize = 8;
    /// The bits of an address that select the set: 64 sets of 64-byte lines.
    const SET: usize = 0xfc0;
    let with = |lane: usize| {
        let same = |at: &&*const u8| (at.addr() ^ data[lane].addr()) & SET == 0;
        data.iter().filter(same).count()
    };
    with(0) > WAYS || with(data.len() / 2) > WAYS
}

impl<W> LongRuns<W> {
    /// Whether this code is faster for `blocks` blocks of the lanes at `data`.
    fn suit(&self, data: &[*const u8], blocks: usize) -> bool {
        /// For fewer blocks, looking at the lanes takes longer than it saves.
        const LONG: usize = 8;
        blocks >= LONG && (!self.if_lines_compete || lines_compete(data))
    }
}

impl<W> Kernel<W> {
    pub(crate) const fn new(name: &'static str, cycles: Cycles, code: Compiled<W>) -> Self {
        Self {
            name,
            lanes: code.lanes,
            needs: code.needs,
            cycles,
            compress: code.compress,
            hash_whole: code.hash_whole,
            continue_chains: code.continue_chains,
            link: code.link,
            hash_equal: code.hash_equal,
            squeeze: code.squeeze,
            long_runs: None,
        }
    }

    /// With code that is faster for long runs in which the lanes' cache lines compete.
    ///
    /// # Panics
    /// As for [`if_long`](Self::if_long).
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn if_lines_compete(self, code: Compiled<W>) -> Self {
        self.with(code, true)
    }

    /// With code that is faster for long runs.
    ///
    /// # Panics
    /// If it has other lanes, or if only one of the two hashes whole messages.
    #[cfg(target_arch = "x86_64")]
    pub(crate) const fn if_long(self, code: Compiled<W>) -> Self {
        self.with(code, false)
    }

    #[cfg(target_arch = "x86_64")]
    const fn with(self, code: Compiled<W>, if_lines_compete: bool) -> Self {
        let Compiled { lanes, needs, compress, hash_whole, .. } = code;
        assert!(lanes == self.lanes && hash_whole.is_some() == self.hash_whole.is_some());
        let long_runs = Some(LongRuns { compress, hash_whole, if_lines_compete });
        Self { long_runs, needs: self.needs.and(needs), ..self }
    }

    /// The function for long runs, whatever their addresses.
    #[cfg(all(feature = "export", target_arch = "x86_64"))]
    pub(super) const fn for_long_runs(&self) -> Compress<W> {
        match &self.long_runs {
            Some(LongRuns { compress, if_lines_compete: false, .. }) => *compress,
            _ => self.compress,
        }
    }

    /// The function that hashes whole messages.
    ///
    /// # Panics
    /// If there is none.
    #[cfg(all(feature = "export", target_arch = "x86_64"))]
    pub(super) const fn for_whole_messages(&self) -> HashWhole<W> {
        self.hash_whole.expect("the row hashes whole messages")
    }

    /// Whether this CPU can run it.
    pub(crate) fn available(&self) -> bool {
        Features::detected().contain(self.needs)
    }

    /// Advances every lane by `blocks` blocks, and then by the `known` one. If there are no blocks,
    /// there must be no known one.
    ///
    /// # Panics
    /// If the state or the data are too short for the kernel's lanes, or `blocks` is 0 and there is
    /// a known one.
    ///
    /// # Safety
    /// Each of the first `lanes` pointers of `data` is readable for `blocks` blocks of the family,
    /// whose lanes hold `words` words. The kernel is [`available`](Kernel::available).
    #[inline]
    pub(crate) unsafe fn run(
        &self,
        state: &mut [W],
        words: usize,
        data: &[*const u8],
        blocks: usize,
        known: Option<&Sums<W>>,
    ) {
        assert!(state.len() >= words * self.lanes && data.len() >= self.lanes);
        assert!(blocks > 0 || known.is_none());
        if blocks > 0 {
            let to = state.as_mut_ptr();
            let known = known.map_or(null(), ptr::from_ref);
            let span = Span { from: to, to, data: data.as_ptr(), blocks, known };
            // SAFETY: the state has `words * lanes` words and there are `lanes` pointers, as
            // asserted. The sums are borrowed. The caller promises an available kernel, and
            // pointers that are readable for `blocks` blocks.
            unsafe { self.run_spans(&[span]) };
        }
    }

    /// Compresses `spans`, one after the other: the one place where a kernel is called.
    ///
    /// # Safety
    /// The kernel is [`available`](Kernel::available). The spans are as [`Compress`] asks for.
    #[inline]
    pub(crate) unsafe fn run_spans(&self, spans: &[Span<W>]) {
        debug_assert!(self.available());
        let mut compress = self.compress;
        if let (Some(long), [first, ..]) = (&self.long_runs, spans) {
            // SAFETY: `data` is readable for `lanes` pointers, as the caller promises.
            let data = unsafe { slice::from_raw_parts(first.data, self.lanes) };
            if long.suit(data, first.blocks) {
                compress = long.compress;
            }
        }
        // SAFETY: the caller promises that the kernel is available, and spans as `Compress` asks
        // for. The code for long runs computes the same, and `needs` has its features.
        unsafe { compress(spans) };
    }

    /// Squeezes `blocks` blocks from every lane of a sponge, and writes those of lane `l` to
    /// `output[l]`, unless that is null. The first ones are those of the states as they are, or,
    /// if `continues`, as they are after a permutation.
    ///
    /// # Panics
    /// If there are too few states or pointers for the kernel's lanes, there are no blocks, or the
    /// family is no sponge.
    ///
    /// # Safety
    /// Each of the pointers is null, or writable for `blocks` blocks of the family, which overlap
    /// nothing else. Its lanes hold `words` words. The kernel is [`available`](Kernel::available).
    pub(crate) unsafe fn squeeze(
        &self,
        states: &mut [W],
        words: usize,
        continues: bool,
        blocks: usize,
        output: &[*mut u8],
    ) {
        assert!(states.len() >= words * self.lanes && output.len() >= self.lanes);
        assert!(blocks > 0);
        let squeeze = self.squeeze.expect("the family is a sponge");
        let (states, output) = (states.as_mut_ptr(), output.as_ptr());
        // SAFETY: there are `words * lanes` words and `lanes` pointers, as asserted. The caller
        // promises an available kernel, and that pointers are null or writable.
        unsafe { squeeze(&Squeezing { states, continues, blocks, output }) };
    }

    /// Continues chains. Returns whether the kernel has code for them.
    ///
    /// # Panics
    /// If the CPU cannot run the kernel.
    pub(crate) fn continue_chains(&self, frame: &Frame<'_, W>, chains: &mut Chains<'_>) -> bool {
        assert!(self.available());
        if let Some(continue_chains) = self.continue_chains {
            // SAFETY: the kernel is available, as asserted.
            unsafe { continue_chains(frame, chains) };
        }
        self.continue_chains.is_some()
    }

    /// Whether the kernel has code for chains.
    pub(crate) fn continues_chains(&self) -> bool {
        self.continue_chains.is_some()
    }

    /// Whether the kernel has code for links.
    pub(crate) fn links(&self) -> bool {
        self.link.is_some()
    }

    /// Computes links in every lane.
    ///
    /// # Panics
    /// If the CPU cannot run the kernel, or the kernel has no code for links.
    ///
    /// # Safety
    /// The pointers are as [`LinkLanes`] asks for.
    pub(crate) unsafe fn link(&self, links: &Links<'_, W>) {
        assert!(self.available());
        let link = self.link.expect("the kernel computes links");
        // SAFETY: the kernel is available, as asserted. The caller promises the pointers.
        unsafe { link(links) };
    }

    /// The features that the kernel needs and this CPU lacks.
    pub(crate) fn missing(&self) -> Features {
        self.needs.without(Features::detected())
    }

    /// The function that hashes whole messages of `blocks` blocks each. `data` points to the
    /// messages of the first group.
    pub(crate) fn whole_for(&self, data: &[*const u8], blocks: usize) -> Option<HashWhole<W>> {
        match &self.long_runs {
            Some(long) if long.suit(data, blocks) => long.hash_whole,
            _ => self.hash_whole,
        }
    }

    pub(crate) fn cycles(&self) -> u64 {
        self.cycles.here()
    }
}
