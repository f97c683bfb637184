//! The memory for digests.

use super::chunks::Chunks;
use super::source::LaneState;
use crate::family::{Family, State, write_words};
use crate::wipe::Wiped;

/// Up to this many digests use a small window: clearing the large one takes longer than hashing.
const FEW: usize = 8;

/// The number of digests in a window: those of four groups of the widest kernel.
const MANY: usize = 128;

/// The length of the longest digest in bytes.
const DIGEST: usize = 64;

/// Hashes the digests of a window. The arguments are the number of the first one, copies of the
/// digests, and the memory for those that replace them.
type HashWindow<'h> = dyn FnMut(usize, Chunks<'_>, &mut Output<'_>) + 'h;

/// Consecutive digests of `size` bytes.
pub struct Output<'d> {
    bytes: &'d mut [u8],
    size: usize,
    count: usize,
}

impl<'d> Output<'d> {
    /// Memory for `count` digests.
    ///
    /// # Panics
    /// If `bytes` does not have exactly their length.
    #[inline]
    pub(crate) fn new(bytes: &'d mut [u8], size: usize, count: usize) -> Self {
        assert!(
            bytes.len() == size * count,
            "the output must have exactly the length of the digests"
        );
        Self { bytes, size, count }
    }

    /// Replaces the digests by those that `hash` computes of them, window by window.
    pub(crate) fn replace(&mut self, hash: &mut HashWindow<'_>) {
        if self.count <= FEW {
            self.replace_in::<{ FEW * DIGEST }>(hash);
        } else {
            self.replace_in::<{ MANY * DIGEST }>(hash);
        }
    }

    #[inline(never)]
    fn replace_in<const BYTES: usize>(&mut self, hash: &mut HashWindow<'_>) {
        let mut memory = Wiped([0; BYTES]);
        let mut first = 0;
        for window in self.bytes.chunks_mut(BYTES / DIGEST * self.size) {
            let digests = &mut memory[..window.len()];
            digests.copy_from_slice(window);
            let count = window.len() / self.size;
            let mut output = Output::new(window, self.size, count);
            hash(first, Chunks::new(digests, self.size), &mut output);
            first += count;
        }
    }

    /// The number of digests.
    #[inline]
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The length of a digest in bytes.
    #[inline]
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// The bytes of the digests from number `first` on.
    #[inline]
    pub(super) fn bytes_from(&mut self, first: usize) -> &mut [u8] {
        &mut self.bytes[first * self.size..]
    }

    /// Writes digest number `i`.
    pub(super) fn put_bytes(&mut self, i: usize, digest: &[u8]) {
        self.bytes[i * self.size..][..self.size].copy_from_slice(digest);
    }

    /// Writes digest number `i`, from the final state in a lane.
    #[inline(always)]
    pub(super) fn put_lane<F: Family>(&mut self, i: usize, state: LaneState<'_, F>) {
        let digest = &mut self.bytes[i * self.size..][..self.size];
        match digest.first_chunk_mut::<32>() {
            // A loop of constant length takes half of the time.
            Some(digest) if self.size == 32 => write_words(|w| state.word(w), digest),
            _ => write_words(|w| state.word(w), digest),
        }
    }

    /// Writes digest number `i`, from the final state.
    #[inline(always)]
    pub(super) fn put<F: Family>(&mut self, i: usize, state: &State<F>) {
        let digest = &mut self.bytes[i * self.size..][..self.size];
        // For most functions, the digest is the whole state. Its length is constant, so the
        // compiler keeps the words in registers.
        let whole = F::STATE_WORDS * size_of::<F::Word>();
        match digest.split_at_mut_checked(whole) {
            Some((digest, [])) => F::write_digest(state, digest),
            _ => put_part::<F>(*state, digest),
        }
    }
}

/// Writes a digest that is a part of the state. Not inlined, because this takes the state's
/// address, which would force it into memory.
#[inline(never)]
fn put_part<F: Family>(state: State<F>, digest: &mut [u8]) {
    F::write_digest(&state, digest);
}
