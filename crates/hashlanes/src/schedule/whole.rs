//! Whole messages, for kernels that hash them from the caller's memory to their digests.

use core::mem::MaybeUninit;

use super::groups::UNEVEN;
use super::members::Entry;
use super::midstate::Midstate;
use super::padding::{pad, padded_blocks, words_of};
use super::padding_sums::PaddingSums;
use crate::family::{MAX_BLOCK, State};
use crate::input::{Digests, Initial, Lengths, Padding, RAGGED, WholeMessages};
use crate::kernel::{Kernel, Kernels};

/// Messages in a call of a kernel, at most. A multiple of any kernel's lanes.
pub(crate) const WHOLE: usize = 128;

/// Which messages are taken.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Take {
    /// Only if all have the same length.
    Level,
    /// As long as those in a group differ by no more than [`UNEVEN`] blocks.
    Even,
}

/// Memory for the messages of one call of a kernel, to be used again and again.
pub(crate) struct Wholes<'s, F: Kernels> {
    /// What comes before every message: whole blocks.
    initial: &'s State<F>,
    before: u64,
    /// The states in which messages begin, group by group and word-major, if not all begin in
    /// `initial`.
    states: [[MaybeUninit<F::Word>; WHOLE]; 8],
    pointers: [MaybeUninit<*const u8>; WHOLE],
    lengths: [MaybeUninit<u32>; WHOLE],
    /// Of the messages of one length that came last, with that length.
    padding: Option<(usize, Padding<F::Word>)>,
    sums: PaddingSums<F>,
}

impl<'s, F: Kernels> Wholes<'s, F> {
    /// Memory for messages that come after `before`, which [`suits`](Self::suits).
    pub(crate) fn new(before: Midstate<'s, F>) -> Self {
        assert!(Self::suits(before));
        Self {
            initial: before.state,
            before: before.length as u64,
            states: [const { [const { MaybeUninit::uninit() }; WHOLE] }; 8],
            pointers: [const { MaybeUninit::uninit() }; WHOLE],
            lengths: [const { MaybeUninit::uninit() }; WHOLE],
            padding: None,
            sums: PaddingSums::new(),
        }
    }

    /// Whether messages that come after `before` can be hashed so: it is whole blocks, and its
    /// length and that of any message fit together into 61 bits.
    pub(crate) fn suits(before: Midstate<'_, F>) -> bool {
        before.carry.is_empty() && before.length < 1 << 60
    }

    /// Hashes messages, at most [`WHOLE`], in a kernel that takes whole ones. Either none of them
    /// or all of them come after a state of their own. Writes the digest of
    /// message `i`, `size` bytes, to place `i` of `digests`, or to place `places[i]` if there are
    /// places. Returns how many of them were hashed, the first ones.
    ///
    /// # Panics
    /// If there are more messages, the kernel takes no whole ones, the CPU cannot run it, a place
    /// is beyond the end of `digests`, or there are not as many places as messages.
    #[inline(always)]
    pub(crate) fn hash<'a>(
        &mut self,
        kernel: &Kernel<F::Word>,
        entries: impl Iterator<Item = Entry<'a, F>>,
        take: Take,
        digests: &mut [u8],
        size: usize,
        places: Option<&[u16]>,
    ) -> usize {
        assert!(kernel.available());
        let (mut count, mut all, mut different, mut length) = (0, 0, 0, 0);
        let mut states = 0;
        // A caller's `AsRef` may answer differently each time, so it is asked once.
        for (message, state) in entries {
            if let Some(state) = state {
                self.put_state(count, state, kernel.lanes);
                states += 1;
            }
            if count == 0 {
                length = message.len();
            }
            all |= message.len();
            different |= message.len() ^ length;
            self.pointers[count].write(message.as_ptr());
            self.lengths[count].write(message.len() as u32);
            count += 1;
        }
        if count == 0 {
            return 0;
        }
        assert!(states == 0 || states == count, "all messages have a state, or none has");
        let level = different == 0;
        let short = all as u64 + self.before < RAGGED;
        let taken = match take {
            _ if level => count,
            Take::Level => 0,
            Take::Even if short => self.even(count, kernel.lanes),
            Take::Even => 0,
        };
        if taken == 0 {
            return 0;
        }
        match places {
            None => assert!(taken * size <= digests.len()),
            Some(places) => {
                let last = places[..taken].iter().max().map_or(0, |&place| usize::from(place));
                assert!((last + 1) * size <= digests.len());
            }
        }
        let (pointer, last_length) = (self.pointers[taken - 1], self.lengths[taken - 1]);
        for idle in taken..taken.next_multiple_of(kernel.lanes) {
            self.pointers[idle] = pointer;
            self.lengths[idle] = last_length;
        }
        let initial = match states {
            0 => Initial::Same(self.initial),
            _ => Initial::Each(self.each_states(states, kernel.lanes)),
        };
        let lengths = if level {
            self.set_padding(length, taken >= 4 * kernel.lanes);
            self.level(length)
        } else {
            Lengths::Each(self.lengths.as_ptr().cast())
        };
        let messages = WholeMessages {
            initial,
            before: self.before,
            messages: self.pointers.as_ptr().cast(),
            count: taken,
            lengths,
            digests: Digests {
                base: digests.as_mut_ptr(),
                size,
                places: places.map_or(core::ptr::null(), <[u16]>::as_ptr),
            },
        };
        // SAFETY: `taken` pointers, up to a multiple of the lanes, were written above.
        let first = unsafe { core::slice::from_raw_parts(messages.messages, kernel.lanes) };
        let hash_whole =
            kernel.whole_for(first, all / F::BLOCK).expect("the kernel takes whole messages");
        // SAFETY: the kernel is available, as asserted. The messages are borrowed. Their pointers,
        // lengths and states were written above, up to a multiple of the lanes. All digests are in
        // `digests`, as asserted.
        unsafe { hash_whole(&messages) };
        taken
    }

    /// Lets message number `i` begin in `state`. The kernel has `lanes` lanes.
    #[inline(always)]
    fn put_state(&mut self, i: usize, state: &State<F>, lanes: usize) {
        // Lanes are a power of two, and a division would take as long as all stores.
        let lane = i & (lanes - 1);
        let group = (i - lane) * F::STATE_WORDS;
        assert!(i < WHOLE && lanes <= WHOLE);
        let to = self.states.as_mut_ptr().cast::<F::Word>().wrapping_add(group + lane);
        for (w, &word) in state.iter().enumerate().take(F::STATE_WORDS) {
            // SAFETY: a group of lanes has STATE_WORDS words for each lane. WHOLE is a multiple of
            // any kernel's lanes, so all groups together have no more than 8 * WHOLE.
            unsafe { to.add(w * lanes).write(word) };
        }
    }

    /// The states of `count` messages, which were put. Idle lanes begin as the first one of their
    /// group.
    fn each_states(&mut self, count: usize, lanes: usize) -> *const F::Word {
        let size = F::STATE_WORDS * lanes;
        let last = &mut self.states.as_flattened_mut()[(count - 1) / lanes * size..][..size];
        for words in last.chunks_mut(lanes) {
            let first = words[0];
            words[(count - 1) % lanes + 1..].fill(first);
        }
        self.states.as_ptr().cast()
    }

    /// How many of the first `count` messages are in groups of `lanes` that are even enough.
    #[inline(always)]
    fn even(&self, count: usize, lanes: usize) -> usize {
        // SAFETY: `hash` has written `count` lengths.
        let lengths: &[u32] =
            unsafe { core::slice::from_raw_parts(self.lengths.as_ptr().cast(), count) };
        let mut taken = 0;
        for group in lengths.chunks(lanes) {
            let (mut shortest, mut longest) = (i32::MAX, 0);
            for &length in group {
                (shortest, longest) = (shortest.min(length as i32), longest.max(length as i32));
            }
            let blocks = |length: i32| padded_blocks::<F>(length as usize);
            if blocks(longest) - blocks(shortest) > UNEVEN {
                break;
            }
            taken += group.len();
        }
        taken
    }

    /// Makes the padding of messages of `length` bytes. If there are `many`, it pays to compute the
    /// sums of a block that is padding alone.
    #[inline(always)]
    fn set_padding(&mut self, length: usize, many: bool) {
        let all = self.before + length as u64;
        if many {
            self.sums.compute(all);
        }
        if !matches!(self.padding, Some((of, _)) if of == length) {
            let (body, rest) = (length / F::BLOCK, length % F::BLOCK);
            let mut tail = [0; 2 * MAX_BLOCK];
            let blocks = pad::<F>(&mut tail, &[0; MAX_BLOCK][..rest], u128::from(all));
            let end =
                (rest == 0 || blocks == 2).then(|| words_of::<F>(&tail[(blocks - 1) * F::BLOCK..]));
            let partial = words_of::<F>(&tail);
            self.padding = Some((length, Padding { body, rest, partial, end }));
        }
    }

    /// What a kernel needs to know of messages of `length` bytes, whose padding was set.
    #[inline(always)]
    fn level(&self, length: usize) -> Lengths<'_, F::Word> {
        let (_, padding) = self.padding.as_ref().expect("the padding was set");
        let known = match padding.end {
            Some(_) if length > 0 => self.sums.of(self.before + length as u64),
            _ => None,
        };
        Lengths::Level { padding, known }
    }
}
