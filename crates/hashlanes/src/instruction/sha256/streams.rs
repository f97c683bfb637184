//! Blocks of `N` messages of SHA-256 side by side: what all rows in the SHA extensions can do, and
//! the streams that compute a schedule during the rounds of the same block.

use super::put::{ByCopies, Put};
use super::states::Sha256States;
use crate::family::known::Sums;
use crate::input::Span;

/// Compresses one span of `N` messages with the SHA-256 instructions.
///
/// # Safety
/// As for [`Compress`](crate::input::Compress), with `N` lanes. The CPU has SHA, SSSE3
/// and SSE4.1.
#[inline(always)]
pub(crate) unsafe fn sha256<const N: usize>(span: &Span<u32>) {
    let Span { from, to, data, blocks, known } = *span;
    // SAFETY: the caller promises all instructions, states and `N` pointers, and `blocks` blocks at
    // each of them.
    unsafe {
        let mut states = Sha256States::<N>::load(from);
        let data = data.cast::<[*const u8; N]>().read();
        states.compress_blocks(data, blocks, known.as_ref());
        states.store(to);
    }
}

/// Compresses blocks of `N` messages side by side, and may begin the next blocks meanwhile.
///
/// # Safety
/// For each function: the CPU has the instructions of the implementation.
pub(crate) trait Streams<const N: usize> {
    /// Who writes the last blocks of messages.
    type Put: Put;

    /// The states of `N` lanes, word-major.
    ///
    /// # Safety
    /// As for the trait. `from` is readable for `8 * N` words.
    #[inline(always)]
    unsafe fn load(from: *const u32) -> Sha256States<N> {
        // SAFETY: the contract is that of this function: implementations require SSE2.
        unsafe { Sha256States::load(from) }
    }

    /// Begins the first block of each message.
    ///
    /// # Safety
    /// As for the trait. Each pointer is readable for 64 bytes.
    unsafe fn begin(&mut self, data: [*const u8; N]);

    /// Compresses `blocks` blocks of each message, of which the first one was begun, and then the
    /// precomputed block, if there is one. Begins the blocks at `next`, if there are any.
    ///
    /// # Safety
    /// As for the trait. Each pointer of `data` is readable for `blocks >= 1` blocks, and each of
    /// `next` for one.
    unsafe fn compress(
        &mut self,
        states: &mut Sha256States<N>,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
        next: Option<[*const u8; N]>,
    );
}

/// [`Sha256States::compress_blocks`] in a function of its own.
///
/// Two streams need all registers. In a longer function the compiler spills the states, on which
/// every round waits, and two streams take three times as long. `inline(never)` has no effect
/// together with `target_feature`. But LLVM inlines no function into one with fewer features.
///
/// # Safety
/// As for `compress_blocks`.
#[inline(never)]
unsafe fn compress_apart<const N: usize>(
    states: &mut Sha256States<N>,
    data: [*const u8; N],
    blocks: usize,
    known: Option<&Sums<u32>>,
) {
    #[target_feature(enable = "sha,sse4.1,ssse3")]
    unsafe fn compress<const N: usize>(
        states: &mut Sha256States<N>,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
    ) {
        let mut registers = *states;
        // SAFETY: this function has the instructions. The caller promises the blocks.
        unsafe { registers.compress_blocks(data, blocks, known) };
        *states = registers;
    }
    // SAFETY: the contract is that of this function.
    unsafe { compress(states, data, blocks, known) };
}

/// [`Sha256States::compress_blocks`] of four messages, two at a time.
///
/// # Safety
/// As for `compress_blocks`.
pub(super) unsafe fn compress_halves(
    states: &mut Sha256States<4>,
    data: [*const u8; 4],
    blocks: usize,
    known: Option<&Sums<u32>>,
) {
    let Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] } = *states;
    let [d0, d1, d2, d3] = data;
    let mut first = Sha256States { abef: [a0, a1], cdgh: [c0, c1] };
    let mut last = Sha256States { abef: [a2, a3], cdgh: [c2, c3] };
    // SAFETY: the contract is that of this function.
    unsafe {
        compress_apart(&mut first, [d0, d1], blocks, known);
        compress_apart(&mut last, [d2, d3], blocks, known);
    }
    let ([a0, a1], [a2, a3]) = (first.abef, last.abef);
    let ([c0, c1], [c2, c3]) = (first.cdgh, last.cdgh);
    *states = Sha256States { abef: [a0, a1, a2, a3], cdgh: [c0, c1, c2, c3] };
}

/// Streams that compute the message schedule during the rounds of the same block. They begin no
/// block early. In a long function, several of them are compressed apart.
pub(crate) struct InTurn<const APART: bool>;

impl<const N: usize, const APART: bool> Streams<N> for InTurn<APART> {
    type Put = ByCopies;

    #[inline(always)]
    unsafe fn begin(&mut self, _: [*const u8; N]) {}

    #[inline(always)]
    unsafe fn compress(
        &mut self,
        states: &mut Sha256States<N>,
        data: [*const u8; N],
        blocks: usize,
        known: Option<&Sums<u32>>,
        _: Option<[*const u8; N]>,
    ) {
        // SAFETY: the caller promises the instructions, and `blocks` blocks at each pointer.
        unsafe {
            if N == 1 || !APART {
                states.compress_blocks(data, blocks, known);
            } else {
                compress_apart(states, data, blocks, known);
            }
        }
    }
}
