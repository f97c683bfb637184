//! Compressions in assembly, for cores on which the order of instructions decides.
//!
//! On Zen 4 an operation on 512 bits occupies one of four pipes for two cycles, and only two of the
//! pipes rotate and shuffle. So the operations of a block need half a cycle each, if no pipe ever
//! waits. That takes an order in which independent operations alternate, which the compiler does
//! not keep. The orders of these files were found by search: the kinds of operations of a round
//! were moved to and fro until the block took the fewest cycles. Each file says what it came to,
//! which often is that a round begins within the one before.
//!
//! Transposing the next block by shuffles would need the same pipes. So integer registers copy it,
//! word by word, to where the vectors of words are. Loads, the byte reversal of MOVBE and stores
//! use other parts of the core, which can do one store a cycle. Each line of a message is read at
//! once, and it does not matter whether messages are 4 KiB apart.
//!
//! Keccak has no schedule of words, so only its permutation is here.
//!
//! Zen 3, with 256 bits, takes MD5 and BLAKE3 in the textbook's order. What they gain from assembly
//! is that hardly anything is spilled, and that integer registers transpose.
//!
//! Pointers in memory and in operands have 64 bits here. Where they have 32 (x32), no kernel that
//! needs a feature of the CPU is available.

use crate::family::{MerkleDamgard, padding::MAX_BLOCK};
use crate::vector::{BLOCK_WORDS, Vector};

/// An instruction as text. An operand is a literal, or several that are joined. A literal before
/// its name is the end of the name.
macro_rules! op {
    ($name:ident $($first:literal)+ $(, $($operand:literal)+)*) => {
        op!("" $name $($first)+ $(, $($operand)+)*)
    };
    ($suffix:literal $name:ident $($first:literal)+ $(, $($operand:literal)+)*) => {
        concat!(stringify!($name), $suffix, " ", $($first,)+ $(", ", $($operand,)+)* "\n")
    };
}

/// Loads all words of a block into registers 16 to 31.
macro_rules! load_words {
    () => {
        load_words!(
            "zmm16" 0 "zmm17" 1 "zmm18" 2 "zmm19" 3 "zmm20" 4 "zmm21" 5 "zmm22" 6 "zmm23" 7
            "zmm24" 8 "zmm25" 9 "zmm26" 10 "zmm27" 11 "zmm28" 12 "zmm29" 13 "zmm30" 14 "zmm31" 15
        )
    };
    ($($w:literal $t:literal)+) => {
        concat!($(op!(vmovdqa64 $w, "[{block} + 64 * " $t "]")),+)
    };
}

/// [`Assembly::arrange`] of two groups whose words are copied in pairs, by two shuffles each.
macro_rules! arrange_in_pairs {
    ($low:ident, $high:ident) => {
        #[inline(always)]
        fn arrange(block: &mut [Both; BLOCK_WORDS]) {
            let (pairs, _) = block.as_chunks_mut();
            for [even, odd] in pairs {
                // SAFETY: a value of this type proves that the CPU has its instructions.
                unsafe {
                    let (w0, w1) = (even.0.0, odd.0.0);
                    (even.0.0, odd.0.0) = ($low(w0, w1), $high(w0, w1));
                    let (w0, w1) = (even.1.0, odd.1.0);
                    (even.1.0, odd.1.0) = ($low(w0, w1), $high(w0, w1));
                }
            }
        }
    };
}

pub(crate) mod blake3;
pub(crate) mod blake3_avx512;
pub(crate) mod keccak;
mod md5;
mod md5_avx2;
mod sha1;
mod sha2;
mod sha2_rounds;

/// The most lanes of a vector.
const MAX_LANES: usize = 32;

/// A family's compression over the vector `V` in assembly, beside which the next block is copied.
pub(crate) trait Assembly<V: Vector<Word = Self::Word>>: MerkleDamgard {
    /// Compresses `block`, and copies the block that begins at byte `offset` of every lane to
    /// `next`. Both are arranged as by [`arrange`](Self::arrange). What is left in `block` is
    /// unspecified.
    ///
    /// # Safety
    /// The CPU has the features of the implementation: AVX2, or AVX-512 F, BW, DQ and VL, and
    /// MOVBE. `data` is readable for `V::LANES` pointers, and each of them for a block from
    /// `offset`. `next` is writable, and not `block`.
    unsafe fn compress_and_copy(
        state: &mut [V; 8],
        block: &mut [V; BLOCK_WORDS],
        next: *mut [V; BLOCK_WORDS],
        data: *const *const u8,
        offset: usize,
    );

    /// Turns the words of a block into what `compress_and_copy` takes.
    fn arrange(block: &mut [V; BLOCK_WORDS]);
}

/// The words of a block's sixteen rounds.
#[derive(Clone, Copy)]
pub(crate) enum Sixteen<V> {
    /// Those of the block at this address.
    Block(*mut V),
    /// The next ones of the schedule, which take the place of the 16 words before them.
    Schedule(*mut V),
    /// They are in the constants already.
    Known,
}

/// Sixteen rounds at a time in assembly, between which the compiler has its way.
pub(crate) trait Rounds<V: Vector<Word = Self::Word>>: MerkleDamgard {
    /// The constants of all rounds, a multiple of 16.
    const K: &'static [Self::Word];

    /// # Safety
    /// The CPU has AVX-512 F, BW, DQ and VL. There are 16 writable vectors at the address in
    /// `words`, and 16 readable words at `k`.
    unsafe fn sixteen(state: &mut [V; 8], words: Sixteen<V>, k: *const Self::Word);
}

static ZEROS: [u8; MAX_BLOCK] = [0; MAX_BLOCK];

/// Pointers to blocks that are copied where no lane has a next one.
#[cfg(not(feature = "export"))]
pub(crate) fn nothing() -> &'static [&'static [u8; MAX_BLOCK]; MAX_LANES] {
    static LANES: [&[u8; MAX_BLOCK]; MAX_LANES] = [&ZEROS; MAX_LANES];
    &LANES
}

/// The same on the stack: code that runs at any address has no table of addresses.
#[cfg(feature = "export")]
#[inline(always)]
pub(crate) fn nothing() -> [&'static [u8; MAX_BLOCK]; MAX_LANES] {
    [core::hint::black_box(&ZEROS); MAX_LANES]
}
