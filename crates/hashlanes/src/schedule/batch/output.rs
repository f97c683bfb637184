//! The memory for digests.

use core::ptr::{null, null_mut};

use crate::family::{Rules, State};
use crate::input::Digests;
use crate::schedule::batch::chunks::Chunks;
use crate::schedule::batch::messages::Numbers;
use crate::schedule::batch::places::Places;
use crate::schedule::refill::source::{LaneState, TakeState};
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

/// Where digests go.
pub struct Output<'d> {
    to: To<'d>,
    count: usize,
}

enum To<'d> {
    /// Consecutive digests of `size` bytes.
    Together { bytes: &'d mut [u8], size: usize },
    /// Digests of sponges, of any lengths.
    Apart { places: &'d mut dyn Places, longest: usize },
    /// What becomes of final states is not known here.
    States(&'d mut TakeState<'d>),
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
        Self { to: To::Together { bytes, size }, count }
    }

    /// Memory for `count` digests that are not together. They have at most `longest` bytes, or are
    /// meaningless. The family's words are little-endian.
    pub(crate) fn apart(places: &'d mut dyn Places, longest: usize, count: usize) -> Self {
        Self { to: To::Apart { places, longest }, count }
    }

    /// Gives `count` final states away. The family has words of 64 bits.
    pub(crate) fn states(take: &'d mut TakeState<'d>, count: usize) -> Self {
        Self { to: To::States(take), count }
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
        let (bytes, size) = self.together();
        for window in bytes.chunks_mut(BYTES / DIGEST * size) {
            let digests = &mut memory[..window.len()];
            digests.copy_from_slice(window);
            let count = window.len() / size;
            let mut output = Output::new(window, size, count);
            hash(first, Chunks::new(digests, size), &mut output);
            first += count;
        }
    }

    /// The number of digests.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The memory of all digests, and the length of one.
    ///
    /// # Panics
    /// If they are not together, which only functions of the MD4 family ask for.
    #[inline]
    fn together(&mut self) -> (&mut [u8], usize) {
        match &mut self.to {
            To::Together { bytes, size } => (bytes, *size),
            _ => unreachable!("the digests of this family are together"),
        }
    }

    /// The bytes of the digests from number `first` on, and the length of one.
    #[inline]
    pub(crate) fn bytes_from(&mut self, first: usize) -> (&mut [u8], usize) {
        let (bytes, size) = self.together();
        (&mut bytes[first * size..], size)
    }

    /// Whether all digests are in one piece of memory.
    pub(crate) fn is_together(&self) -> bool {
        matches!(self.to, To::Together { .. })
    }

    /// The memory of the digests of messages with these numbers.
    ///
    /// # Panics
    /// If a number is beyond the digests, or they are not together.
    #[inline(always)]
    pub(crate) fn digests(&mut self, numbers: Numbers<'_>) -> Digests {
        let (bytes, size) = self.bytes_from(numbers.first);
        let end = match numbers.places {
            None => numbers.count,
            Some(places) => {
                places[..numbers.count].iter().max().map_or(0, |&place| usize::from(place) + 1)
            }
        };
        assert!(end * size <= bytes.len());
        let places = numbers.places.map_or(null(), <[u16]>::as_ptr);
        Digests { base: bytes.as_mut_ptr(), size, places }
    }

    /// Writes digest number `i`.
    pub(crate) fn put_bytes(&mut self, i: usize, digest: &[u8]) {
        let place = match &mut self.to {
            To::Together { bytes, size } => &mut bytes[i * *size..][..*size],
            To::Apart { places, longest } => first_of(places.place(i), *longest),
            To::States(_) => unreachable!("the words of this family have 32 bits"),
        };
        place.copy_from_slice(&digest[..place.len()]);
    }

    /// Writes digest number `i`, from the final state in a lane.
    #[inline(always)]
    pub(crate) fn put_lane<R: Rules>(&mut self, rules: R, i: usize, state: LaneState<'_, R>) {
        let digest = match &mut self.to {
            To::Together { bytes, size } => &mut bytes[i * *size..][..*size],
            To::Apart { places, longest } => first_of(places.place(i), rules.block().min(*longest)),
            To::States(take) => return state.give(i, take),
        };
        state.write(digest);
    }

    /// The length of the longest digest, if they are not together. Those that are have no block.
    pub(crate) fn longest(&self) -> usize {
        match self.to {
            To::Apart { longest, .. } => longest,
            _ => 0,
        }
    }

    /// Where output number `i` goes, which has the length of the longest and at least a block, of
    /// `block` bytes, and for which [`Places`] makes promises. Null if it is not such a one.
    #[inline(always)]
    pub(crate) fn blocks(&mut self, block: usize, i: usize) -> *mut u8 {
        match &mut self.to {
            To::Apart { places, longest } if *longest >= block => {
                let place = places.place(i);
                if place.len() < *longest { null_mut() } else { place.as_mut_ptr() }
            }
            _ => null_mut(),
        }
    }

    /// Writes digest number `i`, from the final state.
    #[inline(always)]
    pub(crate) fn put<R: Rules>(&mut self, rules: R, i: usize, state: &State<R>) {
        let To::Together { bytes, size } = &mut self.to else {
            return self.put_apart(rules, i, *state);
        };
        rules.write_digest(state, &mut bytes[i * *size..][..*size]);
    }

    /// [`put`](Self::put) if digests are not together. Not inlined, because this takes the
    /// state's address, which would force it into memory.
    #[inline(never)]
    fn put_apart<R: Rules>(&mut self, rules: R, i: usize, state: State<R>) {
        self.put_lane(rules, i, LaneState::<R>::of_one(&state));
    }
}

/// The first bytes of a place, at most this many.
fn first_of(place: &mut [u8], most: usize) -> &mut [u8] {
    let count = place.len().min(most);
    &mut place[..count]
}
