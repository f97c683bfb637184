//! Tests of functions whose instructions neither this CPU nor an emulator has: conversions between
//! registers and words, and a comparison with the family's own compression.

use std::array;
use std::vec::Vec;

use crate::family::MerkleDamgard;
use crate::input::Span;
use crate::vector::{Vector, Word};

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

/// Compares a function for `N` lanes with the family's compression: three blocks of noise in each
/// lane, and then the same block in all lanes, by its sums.
pub(crate) fn check<F: MerkleDamgard<Word: Vector<Word = F::Word>>, const N: usize>(
    kernel: unsafe fn(&Span<F::Word>),
    initial: &[F::Word; 8],
) {
    let mut random = fastrand::Rng::with_seed(13);
    let messages: [Vec<u8>; N] =
        array::from_fn(|_| (0..3 * F::BLOCK).map(|_| random.u8(..)).collect());
    let pointers = messages.each_ref().map(Vec::as_ptr).to_vec();
    let known: Vec<u8> = (0..F::BLOCK).map(|_| random.u8(..)).collect();
    let words = |block: &[u8]| -> [F::Word; 16] {
        array::from_fn(|w| {
            Word::read(&block[w * F::Word::BYTES..][..F::Word::BYTES], F::BIG_ENDIAN)
        })
    };
    let sums = F::sums(&words(&known));

    let mut states: Vec<F::Word> = (0..8 * N).map(|i| initial[i / N]).collect();
    let to = states.as_mut_ptr();
    let span = Span { from: to, to, data: pointers.as_ptr(), blocks: 3, known: &raw const sums };
    // SAFETY: `states` has N states of 8 words, word-major, and `pointers` N pointers to three
    // blocks each. `sums` outlives the call. Each test has asked the CPU for the features that
    // `kernel` uses.
    unsafe { kernel(&span) };
    for (n, message) in messages.iter().enumerate() {
        let mut right = *initial;
        for block in message.chunks(F::BLOCK).chain([known.as_slice()]) {
            F::compress(&mut right, &words(block), &mut ());
        }
        let state: Vec<_> = (0..8).map(|w| states[w * N + n]).collect();
        assert_eq!(state, right, "lane {n} of {N}");
    }
}
