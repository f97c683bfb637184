//! Four messages of SHA-256: the rounds in the SHA extensions, the message schedule one block
//! ahead.
//!
//! On Zen 3 and Zen 4, SHA256RNDS2 has a latency of 4 cycles, and one starts every cycle. So four
//! streams keep its unit busy, for 32 cycles a block. The schedule of the same block is in the way:
//! a stream waits for its words, and the core does not look far enough ahead to find others. So
//! the schedule of the next block is computed during the rounds, on which it does not depend.
//!
//! The sums of words and constants go through memory, from which VMOVQ loads the pair that a
//! SHA256RNDS2 needs. Who computes them is a [`Schedule`]:
//!
//! * [`InVectors`]: vectors of pairs of all four messages. On Zen 4, SHA256MSG1 and SHA256MSG2
//!   compete with the rounds for issue slots.
//! * [`InInstructions`]: SHA256MSG1 and SHA256MSG2, for Zen 3 and Golden Cove. Vectors of 256 bits
//!   are of no use there. On Zen 3 an instruction without a VEX encoding, as those of the SHA
//!   extensions are, takes 340 cycles while the upper half of a register is in use; on Golden Cove
//!   each change between such instructions and others takes 200. And there one SHA256RNDS2 starts
//!   every 3 cycles, so four messages take at least 384 cycles a block, of 397 that they do take.
//!
//! # Why this is assembly
//!
//! The speed depends on the order of the instructions. The same kernel in intrinsics takes half as
//! long again, because LLVM gathers the schedule in one place, where it competes with itself.

#[macro_use]
mod rounds;
mod instructions;
mod vectors;

use core::arch::x86_64::*;
use core::mem::{MaybeUninit, swap};

pub(crate) use self::instructions::InInstructions;
pub(crate) use self::vectors::InVectors;
use super::put::Put;
use super::states::Sha256States;
use super::streams::{Streams, compress_halves};
use crate::family::known::Sums;
use crate::input::{Initial, Lengths, Span, WholeMessages};
use crate::vector::sse41::transpose_32;
use crate::wipe;

/// Messages side by side.
pub(crate) const MESSAGES: usize = 4;

/// Who computes the sums of a block's words and constants, and where they are.
///
/// # Safety
/// For each function: the CPU has the SHA extensions, AVX, and the instructions of the schedule.
pub(crate) trait Schedule {
    /// Who writes the last blocks of messages.
    type Put: Put;

    /// Memory for the sums of a block, and what is needed to compute them.
    type Memory: Copy;

    /// With fewer blocks in a call for spans, streams are faster: nothing overlaps with the first
    /// schedule and the last rounds.
    const FEWEST_BLOCKS: usize;

    /// Whether the cache for decoded instructions has room for [`block`](Self::block) and
    /// [`block_and_known`](Self::block_and_known).
    const BOTH_FIT: bool;

    /// Computes the sums of the block at `data`.
    ///
    /// # Safety
    /// As for the trait. Each pointer is readable for 64 bytes. `next` is writable.
    unsafe fn begin(next: *mut Self::Memory, data: [*const u8; MESSAGES]);

    /// Compresses the block whose sums are at `now`, without adding the states before it, and
    /// begins the one at `data`.
    ///
    /// # Safety
    /// As for the trait and for `begin`, which computed the sums at `now`.
    unsafe fn block(
        states: &mut Sha256States<MESSAGES>,
        now: *const Self::Memory,
        next: *mut Self::Memory,
        data: [*const u8; MESSAGES],
    );

    /// [`block`](Self::block), then the precomputed block of `known`. Leaves the states between
    /// the two in `between`, which has those before the first.
    ///
    /// # Safety
    /// As for `block`.
    unsafe fn block_and_known(
        states: &mut Sha256States<MESSAGES>,
        between: &mut Sha256States<MESSAGES>,
        known: &Sums<u32>,
        now: *const Self::Memory,
        next: *mut Self::Memory,
        data: [*const u8; MESSAGES],
    );

    /// The sums of pair `pair` of message `n`: two words.
    fn pair(now: *const Self::Memory, pair: usize, n: usize) -> *const u32;

    /// Clears the upper halves of the vector registers, if the schedule uses them.
    ///
    /// # Safety
    /// As for the trait.
    unsafe fn clear_upper_halves() {}
}

/// The register with the address of a message's block, in the assembly of a schedule.
macro_rules! message {
    (0) => {
        "r8"
    };
    (1) => {
        "r9"
    };
    (2) => {
        "r10"
    };
    (3) => {
        "r11"
    };
}
use message;

/// The assembly of a [`Schedule`], for `functions_of_schedule`: each as a function that all kernels
/// call, as copies would compete for the cache for decoded instructions. They take and leave their
/// values in registers of their own: `rdi` and `rsi` have `next` and `now`, `r8` to `r11` the
/// messages, `rax` the table, `rdx` the sums of a precomputed block, `rcx` the states before, and
/// `xmm1` to `xmm8` the states. `$block!` has the schedule during the rounds that it is given. The
/// sums of a message are `$message` bytes after those of the message before, and those of an odd
/// pair `$odd` bytes away from the next multiple of 32.
macro_rules! code_of_schedule {
    ($block:ident, message $message:literal, odd $odd:expr) => {
        // SAFETY: of all three, the body is complete: it changes no registers but those that
        // `functions_of_schedule` names, keeps the stack as it is, and returns. Nothing but
        // `call_assembly!` calls it, with values in the registers above.
        #[unsafe(naked)]
        unsafe extern "C" fn begin_code() {
            core::arch::naked_asm!(".p2align 6", $block!(no_rounds), "ret")
        }

        #[unsafe(naked)]
        unsafe extern "C" fn block_code() {
            core::arch::naked_asm!(
                ".p2align 6",
                $block!(rounds),
                "ret",
                message = const $message,
                odd = const $odd,
            )
        }

        #[unsafe(naked)]
        unsafe extern "C" fn block_and_known_code() {
            core::arch::naked_asm!(
                ".p2align 6",
                $block!(double_rounds then known_rounds),
                "ret",
                message = const $message,
                odd = const $odd,
            )
        }
    };
}
use code_of_schedule;

/// Calls a function of `code_of_schedule`, for the messages at `$data`.
macro_rules! call_assembly {
    ($code:ident, $data:expr, $next:expr, $($operands:tt)*) => {
        core::arch::asm!(
            "call {}",
            sym $code,
            in("rax") &raw const TABLE,
            in("rdi") $next,
            in("r8") $data[0],
            in("r9") $data[1],
            in("r10") $data[2],
            in("r11") $data[3],
            $($operands)*
            options(preserves_flags),
        )
    };
}
use call_assembly;

/// The three functions of a [`Schedule`] in assembly, which changes these registers.
macro_rules! functions_of_schedule {
    ($($registers:tt)*) => {
        #[inline(always)]
        unsafe fn begin(next: *mut Self::Memory, data: [*const u8; MESSAGES]) {
            // SAFETY: the caller promises the instructions, and 64 readable bytes of each message.
            // `next` is writable, and aligned by its type, as the table is. All registers that
            // change are named, and no flags change.
            unsafe { call_assembly!(begin_code, data, next, $($registers)*) }
        }

        #[inline(always)]
        unsafe fn block(
            states: &mut Sha256States<MESSAGES>,
            now: *const Self::Memory,
            next: *mut Self::Memory,
            data: [*const u8; MESSAGES],
        ) {
            let Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] } = states;
            // SAFETY: as in `begin`. The sums at `now` were written when the block was begun.
            unsafe {
                call_assembly!(
                    block_code, data, next,
                    in("rsi") now,
                    inout("xmm1") *a0, inout("xmm2") *a1, inout("xmm3") *a2, inout("xmm4") *a3,
                    inout("xmm5") *c0, inout("xmm6") *c1, inout("xmm7") *c2, inout("xmm8") *c3,
                    out("xmm0") _, $($registers)*
                );
            }
        }

        #[inline(always)]
        unsafe fn block_and_known(
            states: &mut Sha256States<MESSAGES>,
            between: &mut Sha256States<MESSAGES>,
            known: &Sums<u32>,
            now: *const Self::Memory,
            next: *mut Self::Memory,
            data: [*const u8; MESSAGES],
        ) {
            let Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] } = states;
            // SAFETY: as in `block`. `next_states` reads and writes `between`, which has the
            // states. Of the 80 sums 64 are read.
            unsafe {
                call_assembly!(
                    block_and_known_code, data, next,
                    in("rsi") now, in("rdx") known, in("rcx") &raw mut *between,
                    inout("xmm1") *a0, inout("xmm2") *a1, inout("xmm3") *a2, inout("xmm4") *a3,
                    inout("xmm5") *c0, inout("xmm6") *c1, inout("xmm7") *c2, inout("xmm8") *c3,
                    out("xmm0") _, $($registers)*
                );
            }
        }
    };
}
use functions_of_schedule;

/// The sums of two blocks: the one whose rounds are due, and the next one.
struct Ahead<S: Schedule> {
    now: *mut S::Memory,
    next: *mut S::Memory,
    /// Nothing is computed ahead.
    in_streams: bool,
}

/// Stores states word-major.
///
/// # Safety
/// The CPU has SSE2. `to` is writable for `8 * MESSAGES` words.
#[inline(always)]
unsafe fn store_states(states: &Sha256States<MESSAGES>, to: *mut u32) {
    // SAFETY: the caller promises the instructions, and eight vectors at `to`.
    unsafe {
        let [f, e, b, a] = transpose_32(states.abef);
        let [h, g, d, c] = transpose_32(states.cdgh);
        to.cast::<[__m128i; 8]>().write_unaligned([a, b, c, d, e, f, g, h]);
    }
}

impl<S: Schedule> Streams<MESSAGES> for Ahead<S> {
    type Put = S::Put;

    #[inline(always)]
    unsafe fn load(from: *const u32) -> Sha256States<MESSAGES> {
        // SAFETY: the caller promises the instructions, and eight vectors at `from`.
        unsafe {
            let [a, b, c, d, e, f, g, h] = from.cast::<[__m128i; 8]>().read_unaligned();
            Sha256States { abef: transpose_32([f, e, b, a]), cdgh: transpose_32([h, g, d, c]) }
        }
    }

    #[inline(always)]
    unsafe fn begin(&mut self, data: [*const u8; MESSAGES]) {
        if self.in_streams {
            return;
        }
        // SAFETY: the caller promises the instructions, and 64 readable bytes of each message.
        // `next` has memory for a block.
        unsafe {
            // SHA256RNDS2 has no VEX encoding. On Zen 4 the loop over blocks took 1.3 times as long
            // when earlier code had left values in the upper halves of the registers.
            S::clear_upper_halves();
            S::begin(self.next, data);
        }
        swap(&mut self.now, &mut self.next);
    }

    #[inline(always)]
    unsafe fn compress(
        &mut self,
        states: &mut Sha256States<MESSAGES>,
        data: [*const u8; MESSAGES],
        blocks: usize,
        known: Option<&Sums<u32>>,
        next: Option<[*const u8; MESSAGES]>,
    ) {
        if self.in_streams {
            // SAFETY: the caller promises the instructions, and `blocks` blocks at each pointer.
            return unsafe { compress_halves(states, data, blocks, known) };
        }
        // SAFETY: the caller promises the instructions, `blocks` blocks at each pointer of `data`,
        // one at each of `next`, and that the first block was begun. Each block begins the next.
        unsafe {
            // After several blocks, `block_and_known` would have to be decoded.
            let together = blocks == 1 || S::BOTH_FIT;
            for block in 1..=blocks {
                let next = match (known, next) {
                    _ if block < blocks => data.map(|data| data.wrapping_add(64 * block)),
                    (Some(_), _) if together => break,
                    (_, Some(next)) => next,
                    (_, None) => break,
                };
                self.block(states, next);
            }
            match (known, next) {
                (None, Some(_)) => {}
                (Some(sums), Some(next)) if together => self.block_and_known(states, sums, next),
                (Some(sums), Some(_)) => states.compress_known(sums),
                (_, None) => {
                    self.last_block(states);
                    if let Some(sums) = known {
                        states.compress_known(sums);
                    }
                }
            }
        }
    }
}

impl<S: Schedule> Ahead<S> {
    /// Compresses the block that was begun, and begins the one at `next`.
    ///
    /// # Safety
    /// The CPU has the instructions. Each pointer is readable for 64 bytes. A block was begun.
    #[inline(always)]
    unsafe fn block(&mut self, states: &mut Sha256States<MESSAGES>, next: [*const u8; MESSAGES]) {
        let before = *states;
        // SAFETY: the contract is that of this function. `now` has the sums of the block that was
        // begun, and `next` has memory for another.
        unsafe {
            S::block(states, self.now, self.next, next);
            states.add(&before);
        }
        swap(&mut self.now, &mut self.next);
    }

    /// [`block`](Self::block), and then the precomputed block of `sums`.
    ///
    /// # Safety
    /// As for `block`.
    #[inline(always)]
    unsafe fn block_and_known(
        &mut self,
        states: &mut Sha256States<MESSAGES>,
        sums: &Sums<u32>,
        next: [*const u8; MESSAGES],
    ) {
        let mut between = *states;
        // SAFETY: as in `block`.
        unsafe {
            S::block_and_known(states, &mut between, sums, self.now, self.next, next);
            states.add(&between);
        }
        swap(&mut self.now, &mut self.next);
    }

    /// Compresses the block that was begun.
    ///
    /// # Safety
    /// The CPU has the SHA extensions and AVX. A block was begun.
    #[inline(always)]
    unsafe fn last_block(&mut self, states: &mut Sha256States<MESSAGES>) {
        let before = *states;
        let Sha256States { abef, cdgh } = states;
        // SAFETY: the caller promises the instructions, and a block that was begun: `now` has the
        // sums of its 32 pairs.
        unsafe {
            // The compiler does not know that the assembly uses the upper halves, and does not
            // clear them for the code that follows: two streams took 1.5 times as long.
            S::clear_upper_halves();
            for pair in (0..32).step_by(2) {
                for n in 0..MESSAGES {
                    let sum = _mm_loadl_epi64(S::pair(self.now, pair, n).cast());
                    cdgh[n] = _mm_sha256rnds2_epu32(cdgh[n], abef[n], sum);
                }
                for n in 0..MESSAGES {
                    let sum = _mm_loadl_epi64(S::pair(self.now, pair + 1, n).cast());
                    abef[n] = _mm_sha256rnds2_epu32(abef[n], cdgh[n], sum);
                }
            }
            states.add(&before);
        }
        swap(&mut self.now, &mut self.next);
    }
}

/// Memory for the sums of two blocks, which are wiped at the end.
pub(crate) struct Memory<S: Schedule>([MaybeUninit<S::Memory>; 2]);

impl<S: Schedule> Memory<S> {
    #[inline(always)]
    pub(crate) fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; 2])
    }

    #[inline(always)]
    pub(crate) fn streams(&mut self) -> impl Streams<MESSAGES> {
        self.streams_for(S::FEWEST_BLOCKS)
    }

    /// [`streams`](Self::streams) for `blocks` blocks of each of four messages, in all turns.
    #[inline(always)]
    pub(crate) fn streams_for(&mut self, blocks: usize) -> impl Streams<MESSAGES> {
        let now: *mut S::Memory = self.0.as_mut_ptr().cast();
        Ahead::<S> { now, next: now.wrapping_add(1), in_streams: blocks < S::FEWEST_BLOCKS }
    }
}

impl<S: Schedule> Drop for Memory<S> {
    #[inline(always)]
    fn drop(&mut self) {
        wipe::memory(&mut self.0);
    }
}

/// Whether two streams hash these messages faster, as little overlaps with the first schedule and
/// the last rounds. That was measured for [`InInstructions`], and takes the gain of about 20 blocks
/// to make up for. A precomputed block, of which four streams only have the rounds, gains as much
/// as six others. Calls of mixed lengths follow each other in large batches: it is faster if they
/// run the same code.
///
/// # Safety
/// The lengths of messages of different lengths are readable.
pub(crate) unsafe fn are_short(messages: &WholeMessages<u32>) -> bool {
    const FEWEST: usize = 20;
    const KNOWN: usize = 5;
    let turns = messages.count.div_ceil(MESSAGES);
    let known = match messages.lengths {
        Lengths::Blocks(..) => true,
        Lengths::Equal { known, .. } => known.is_some(),
        Lengths::Each(_) if turns >= 4 => return false,
        Lengths::Each(_) => false,
    };
    // SAFETY: the contract is that of this function.
    let blocks = unsafe { messages.blocks() } + if known { KNOWN } else { 0 };
    matches!(messages.initial, Initial::Same(_)) && turns * blocks < FEWEST
}

/// Compresses spans of four messages. The first block of a span is scheduled during the last rounds
/// of the previous one.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with four lanes, and for [`Schedule`].
#[inline(always)]
pub(crate) unsafe fn sha256<S: Schedule>(spans: &[Span<u32>]) {
    let mut memory = Memory::<S>::new();
    let blocks = spans.iter().map(|span| span.blocks + usize::from(!span.known.is_null())).sum();
    let mut streams = memory.streams_for(blocks);
    // SAFETY: the caller promises the instructions, and for each span states, four pointers, and
    // `blocks` blocks at each of them. Each block is passed on, below `blocks`, before it is
    // compressed.
    unsafe {
        let data = |span: &Span<u32>| span.data.cast::<[*const u8; MESSAGES]>().read();
        if let Some(first) = spans.first() {
            streams.begin(data(first));
        }
        for (i, span) in spans.iter().enumerate() {
            let mut states = Ahead::<S>::load(span.from);
            let next = spans.get(i + 1).map(data);
            streams.compress(&mut states, data(span), span.blocks, span.known.as_ref(), next);
            store_states(&states, span.to);
        }
    }
}

#[cfg(all(test, feature = "all", not(miri)))]
mod tests {
    use core::ptr::{null, null_mut};

    use super::*;
    use crate::family::sha256::{INITIAL_256, Sha256Family};
    use crate::kernel::{Features, Kernels};

    /// The tests of all kernels leave this one out on cores where it is slow.
    #[test]
    fn schedules_in_vectors_are_right_on_all_cores_with_the_instructions() {
        const MOST: usize = 9;
        let table = Sha256Family::TABLE;
        let row = table.iter().find(|row| row.name == "sha-ni-avx512-x4").unwrap();
        if !Features::detected().and(Features::MIXED_ENCODINGS).contain(row.needs) {
            return;
        }
        let bytes: [[u8; 64 * MOST]; MESSAGES] =
            core::array::from_fn(|n| core::array::from_fn(|i| (n + 7 * i + i * i / 64) as u8));
        let data = bytes.each_ref().map(|bytes| bytes.as_ptr());
        let sums = core::array::from_fn(|i| 0x9e37_79b9_u32.wrapping_mul(i as u32 + 1));
        let span =
            Span { from: null(), to: null_mut(), data: data.as_ptr(), blocks: 0, known: null() };
        for (blocks, known) in
            (1..=MOST).flat_map(|blocks| [(blocks, null()), (blocks, &raw const sums)])
        {
            let mut states: [u32; 8 * MESSAGES] =
                core::array::from_fn(|i| INITIAL_256[i / MESSAGES]);
            let to = states.as_mut_ptr();
            // SAFETY: this CPU has the instructions. There are four states, and `blocks` blocks at
            // each pointer. So it is for the portable kernel, with one of each.
            unsafe { (row.compress)(&[Span { from: to, to, blocks, known, ..span }]) };
            for n in 0..MESSAGES {
                let mut state = INITIAL_256;
                let to = state.as_mut_ptr();
                let data = &raw const data[n];
                // SAFETY: as above.
                unsafe { (table[0].compress)(&[Span { from: to, to, data, blocks, known }]) };
                let lane: [u32; 8] = core::array::from_fn(|w| states[MESSAGES * w + n]);
                assert_eq!(lane, state, "{blocks} blocks, message {n}");
            }
        }
    }
}
