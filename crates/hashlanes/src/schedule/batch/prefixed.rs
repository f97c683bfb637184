//! Messages behind copies of the bytes before them, which are fewer than a block.

use core::ops::Range;

use crate::kernel::Kernel;
use crate::schedule::batch::members::{MOST, Members};
use crate::schedule::batch::messages::Numbers;
use crate::schedule::batch::output::Output;
use crate::schedule::batch::states::EachState;
use crate::schedule::batch::tails::Tails;
use crate::schedule::choose::policy::SOME;
use crate::schedule::rules::Tabled;
use crate::wipe::Wiped;

/// Hashes messages, each behind a copy of `before`, as many at a time as fit in its memory.
pub(crate) struct Prefixed<'s, T> {
    before: &'s [u8],
    memory: Memory,
    tails: T,
}

impl<'s, T> Prefixed<'s, T> {
    pub(crate) fn new(before: &'s [u8], tails: T) -> Self {
        Self { before, memory: Memory::new(), tails }
    }
}

impl<R: Tabled, T: Tails<R>> Tails<R> for Prefixed<'_, T> {
    const PREFETCHES: bool = false;
    /// More lanes than `SOME` would often not fit.
    const FEW_BLOCKS: usize = if T::FEW_BLOCKS > 0 { usize::MAX } else { 0 };

    fn most(lanes: usize) -> usize {
        T::most(lanes)
    }

    fn suits(kernel: &Kernel<R::Word>) -> bool {
        T::suits(kernel)
    }

    /// Stops before a group that does not fit, unless messages of one block at the end, of which
    /// [`SOME`] fit, have no other way.
    fn hash(
        &mut self,
        kernel: &Kernel<R::Word>,
        members: &mut Members<'_>,
        states: EachState<'_, R>,
        numbers: Numbers<'_>,
        output: &mut Output<'_>,
    ) -> usize {
        let mut hashed = 0;
        while hashed < numbers.count {
            let fitting = self.memory.fill(self.before, members, hashed..numbers.count);
            // An incomplete group is hashed only if there are no more messages.
            let count = match hashed + fitting {
                all if all == numbers.count => fitting,
                _ if T::FEW_BLOCKS > 0 && (SOME..kernel.lanes).contains(&fitting) => fitting,
                _ => fitting - fitting % kernel.lanes,
            };
            if count == 0 {
                break;
            }
            let mut prefixed = Members::new();
            prefixed.fill(self.memory.messages(count));
            let some = numbers.part(hashed, count);
            let taken = self.tails.hash(kernel, &mut prefixed, states, some, output);
            hashed += taken;
            if taken < count {
                break;
            }
        }
        hashed
    }
}

/// The size of the buffer for prefixed messages in bytes. It fits a group of 32 messages of up to
/// 128 bytes, or one of 8 of up to 512.
const BUFFER: usize = 4096;

/// A buffer of consecutive prefixed messages.
struct Memory {
    bytes: Wiped<[u8; BUFFER]>,
    /// The end of each.
    ends: [u16; MOST],
    /// The first `filled` messages were written at least once and still end at `ends`, so the bytes
    /// before them are already in place.
    filled: usize,
}

impl Memory {
    fn new() -> Self {
        Self { bytes: Wiped([0; BUFFER]), ends: [0; MOST], filled: 0 }
    }

    /// Copies `before`, the same in every call, before each of these members that fit. Returns
    /// their number.
    fn fill(&mut self, before: &[u8], members: &Members<'_>, each: Range<usize>) -> usize {
        let (mut count, mut end) = (0, 0);
        for (i, place) in each.zip(&mut self.ends) {
            let message = members.message(i);
            let Some(bytes) = self.bytes[end..].get_mut(..before.len() + message.len()) else {
                break;
            };
            let (first, rest) = bytes.split_at_mut(before.len());
            end += before.len() + message.len();
            if count >= self.filled || usize::from(*place) != end {
                first.copy_from_slice(before);
                *place = end as u16;
                self.filled = count + 1;
            }
            rest.copy_from_slice(message);
            count += 1;
        }
        count
    }

    /// The first `count` prefixed messages.
    fn messages(&self, count: usize) -> impl Iterator<Item = &[u8]> {
        let begins = core::iter::once(0).chain(self.ends);
        let spans = begins.zip(self.ends).take(count);
        spans.map(|(begin, end)| &self.bytes[usize::from(begin)..usize::from(end)])
    }
}
