//! Whole messages, for kernels that read them from the caller's memory and write their digests.

use core::mem::MaybeUninit;

use crate::family::Rules;
use crate::input::{Initial, Lengths, Padding, RAGGED, WholeMessages};
use crate::kernel::Kernel;
use crate::schedule::batch::members::{MOST, Members};
use crate::schedule::batch::messages::Numbers;
use crate::schedule::batch::output::Output;
use crate::schedule::batch::padding_sums::PaddingSums;
use crate::schedule::batch::states::{EachState, States};
use crate::schedule::batch::tails::Tails;
use crate::schedule::choose::policy::SIMILAR;
use crate::schedule::list::List;
use crate::schedule::rules::{Md, MdWord};
use crate::schedule::stream::midstate::Midstate;

/// Which messages to hash.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Take {
    /// Only if all have the same length.
    Equal,
    /// As long as those in a group differ by at most [`SIMILAR`] blocks.
    Similar,
}

/// Memory for the messages of one call of a kernel, to be used again and again.
pub(crate) struct Wholes<'s, W: MdWord> {
    rules: Md<W>,
    take: Take,
    /// The state that every message continues, after whole blocks.
    initial: &'s [W; 8],
    before: u64,
    /// The states that the messages continue, group by group and word-major, if they differ.
    states: [[MaybeUninit<W>; MOST]; 8],
    /// The lengths of the messages, if they differ.
    lengths: [MaybeUninit<u32>; MOST],
    /// The last equal length and its padding.
    padding: Option<(usize, Padding<W>)>,
    sums: PaddingSums<W>,
}

impl<'s, W: MdWord> Wholes<'s, W> {
    /// Memory for messages that continue `before`, which consists of whole blocks.
    pub(crate) fn new(before: &Midstate<'s, Md<W>>, take: Take) -> Self {
        assert!(before.is_whole_blocks());
        Self {
            rules: before.rules,
            take,
            initial: before.state,
            before: before.length as u64,
            states: [const { [const { MaybeUninit::uninit() }; MOST] }; 8],
            lengths: [const { MaybeUninit::uninit() }; MOST],
            padding: None,
            sums: PaddingSums::new(before.rules),
        }
    }

    /// Writes the states that the messages continue, for a kernel with `lanes` lanes. Idle lanes
    /// get that of the first lane of their group.
    #[inline(never)]
    fn put_states(&mut self, states: &dyn States<'_, Md<W>>, numbers: Numbers<'_>, lanes: usize) {
        let mut list = List::new();
        states.put(numbers, &mut list);
        let states = list.as_slice();
        assert!(states.len() == numbers.count && lanes <= MOST);
        let words = self.rules.state_words();
        let to = self.states.as_mut_ptr().cast::<W>();
        for first in (0..states.len()).step_by(lanes) {
            for lane in 0..lanes {
                let state = states.get(first + lane).unwrap_or(&states[first]);
                let to = to.wrapping_add(first * words + lane);
                for (w, &word) in state.iter().enumerate().take(words) {
                    // SAFETY: a group has `words` words for each lane, at most 8. MOST is a
                    // multiple of every kernel's number of lanes, so all groups together have at
                    // most 8 * MOST words.
                    unsafe { to.add(w * lanes).write(word) };
                }
            }
        }
    }

    /// How many messages, from the first on, are in groups of `lanes` whose lengths are similar
    /// enough.
    #[inline(always)]
    fn similar(&self, lengths: &[usize], lanes: usize) -> usize {
        let mut taken = 0;
        for group in lengths.chunks(lanes) {
            // Vectors compare narrow integers faster.
            let (mut shortest, mut longest) = (i32::MAX, 0);
            for &length in group {
                (shortest, longest) = (shortest.min(length as i32), longest.max(length as i32));
            }
            let blocks = |length: i32| self.rules.padded_blocks(length as usize);
            if blocks(longest) - blocks(shortest) > SIMILAR {
                break;
            }
            taken += group.len();
        }
        taken
    }

    /// Prepares the padding of messages of `length` bytes. If there are `many`, precomputing a
    /// block that consists only of padding is worthwhile.
    #[inline(always)]
    fn set_padding(&mut self, length: usize, many: bool) {
        let all = self.before + length as u64;
        if many {
            self.sums.compute(all);
        }
        if !matches!(self.padding, Some((of, _)) if of == length) {
            self.padding = Some((length, Padding::new(self.rules.big_endian(), length, all)));
        }
    }

    /// What a kernel needs for messages of `length` bytes, whose padding has been set.
    #[inline(always)]
    fn equal(&self, length: usize) -> Lengths<'_, W> {
        let (_, padding) = self.padding.as_ref().expect("the padding has been set");
        let known = match padding.end {
            Some(_) if length > 0 => self.sums.of(self.before + length as u64),
            _ => None,
        };
        Lengths::Equal { padding, known }
    }
}

impl<W: MdWord> Tails<Md<W>> for Wholes<'_, W> {
    const PREFETCHES: bool = true;

    fn most(_: usize) -> usize {
        MOST
    }

    fn suits(kernel: &Kernel<W>) -> bool {
        kernel.hash_whole.is_some()
    }

    /// Hashes the first of `members` with a kernel for whole messages, as many as [`Take`] allows.
    /// If there are `states`, each message continues its own. Writes each digest to the position of
    /// its message's number. Returns how many messages were hashed.
    ///
    /// # Panics
    /// If the kernel is not for whole messages, the CPU cannot run it, a position is beyond the end
    /// of `output`, or there are fewer positions than messages.
    fn hash(
        &mut self,
        kernel: &Kernel<W>,
        members: &mut Members<'_>,
        states: EachState<'_, Md<W>>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        assert!(kernel.available() && members.count() == numbers.count);
        let (count, equal, bits) = (members.count(), members.are_equal(), members.bits());
        let short = bits as u64 + self.before < RAGGED;
        let taken = match self.take {
            _ if equal => count,
            Take::Similar if short => self.similar(members.lengths(), kernel.lanes),
            _ => 0,
        };
        if taken == 0 {
            return 0;
        }
        let digests = output.digests(numbers.part(0, taken));
        members.fill_lanes(taken, kernel.lanes);
        let length = members.lengths()[0];
        if let Some(states) = states {
            self.put_states(states, numbers.part(0, taken), kernel.lanes);
        }
        if equal {
            self.set_padding(length, taken >= 4 * kernel.lanes);
        } else {
            for (narrow, &length) in self.lengths.iter_mut().zip(members.lengths()) {
                narrow.write(length as u32);
            }
        }
        // From here on, `self` is only read, because the kernel has pointers into it.
        let lengths = match equal {
            true => self.equal(length),
            false => Lengths::Each(self.lengths.as_ptr().cast()),
        };
        let messages = WholeMessages {
            initial: match states {
                None => Initial::Same(self.initial),
                Some(_) => Initial::Each(self.states.as_ptr().cast()),
            },
            before: self.before,
            messages: members.pointers().as_ptr(),
            count: taken,
            lengths,
            digests,
        };
        let first = &members.pointers()[..kernel.lanes];
        let hash_whole = kernel
            .whole_for(first, bits / Md::<W>::BLOCK)
            .expect("the kernel takes whole messages");
        // SAFETY: the kernel is available, as asserted. The messages are borrowed. There are
        // pointers, lengths and states of `taken` messages, up to a multiple of the lanes. All
        // digests are in `digests`, as asserted.
        unsafe { hash_whole(&messages) };
        taken
    }
}
