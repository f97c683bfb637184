//! For tests of kernels whose instructions neither this CPU nor an emulator has: registers as
//! words, and a kernel against the portable one.

use std::array;
use std::ptr::null;
use std::vec::Vec;

use crate::family::State;
use crate::kernel::{Kernels, Span};

/// The words of a register, the lowest first.
pub(crate) fn words<V: Copy, W: Copy + Default>(vector: V) -> W {
    assert_eq!(size_of::<V>(), size_of::<W>());
    let mut words = W::default();
    // SAFETY: both have the same size and are plain numbers, and `words` is writable.
    unsafe { (&raw mut words).cast::<V>().write_unaligned(vector) };
    words
}

/// The register with these words, the lowest first.
pub(crate) fn vector<W: Copy, V: Copy>(words: W) -> V {
    assert_eq!(size_of::<V>(), size_of::<W>());
    // SAFETY: both have the same size and are plain numbers.
    unsafe { (&raw const words).cast::<V>().read_unaligned() }
}

/// Compares a kernel of `N` lanes with the portable one: three blocks of noise in each lane, and
/// then a block that is known.
pub(crate) fn check<F: Kernels, const N: usize>(
    kernel: unsafe fn(&Span<F::Word>),
    initial: &State<F>,
) {
    let portable = &F::TABLE[0];
    assert_eq!((portable.name, portable.lanes), ("portable", 1));

    let mut random = fastrand::Rng::with_seed(13);
    let messages: [Vec<u8>; N] =
        array::from_fn(|_| (0..3 * F::BLOCK).map(|_| random.u8(..)).collect());
    let pointers = messages.each_ref().map(Vec::as_ptr).to_vec();
    let known: Vec<u8> = (0..F::BLOCK).map(|_| random.u8(..)).collect();
    let mut block = [initial[0]; 16];
    for (word, bytes) in block.iter_mut().zip(known.chunks(F::BLOCK / 16)) {
        *word = crate::vector::Word::read(bytes, F::BIG_ENDIAN);
    }
    let sums = F::sums(&block);

    let mut states: Vec<F::Word> = (0..8 * N).map(|i| initial[i / N]).collect();
    let to = states.as_mut_ptr();
    let span = Span { from: to, to, data: pointers.as_ptr(), blocks: 3, known: &raw const sums };
    // SAFETY: there are N states of 8 words and N pointers to three blocks each. The caller has
    // looked for the CPU's features.
    unsafe { kernel(&span) };
    for (n, message) in messages.iter().enumerate() {
        let mut right = *initial;
        let message = [message.as_slice(), &known].concat();
        let to = right.as_mut_ptr();
        let span = Span { from: to, to, data: &message.as_ptr(), blocks: 4, known: null() };
        // SAFETY: the state has 8 words, the message four blocks. Every CPU can run the kernel.
        unsafe { portable.run_spans(&[span]) };
        let state: Vec<_> = (0..8).map(|w| states[w * N + n]).collect();
        assert_eq!(state, right, "lane {n} of {N}");
    }
}
