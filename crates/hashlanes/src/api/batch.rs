//! Many messages that are all there.
//!
//! If all have about the same number of blocks they go in groups, as they come. Else they are taken
//! a window at a time and put in order, the longest first. Short messages go in groups of about the
//! same number of blocks. Long ones go through the scheduler, which keeps the lanes full across
//! windows. Nothing is allocated: a window's order is on the stack.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::engine::Engine;
use crate::algorithm::{Family, State};
use crate::function::{HashFunction, digest_of};
use crate::kernel::{self, Kernel, Kernels, MAX_LANES};
use crate::schedule::{
    self, GROUPS, Groups, Messages, Midstate, Order, Scheduler, Slices, Source, StageMemory,
    UNEVEN, WINDOW, When, Work, hash_alone, padded_blocks,
};
use crate::wipe::{self, Wiped};

impl<A: HashFunction> Engine<A> {
    /// The digest of one message.
    pub fn digest(&self, message: impl AsRef<[u8]>) -> A::Digest {
        let mut digest = A::ZERO;
        Batch::<A>::new(self).digest_alone(message.as_ref(), &mut digest);
        wipe::stack::<{ wipe::ALONE }>();
        digest
    }

    /// The digests of many independent messages, in their order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut digests = alloc::vec![A::ZERO; messages.len()];
        self.digest_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digests of many independent messages, in their order, to `digests`. Allocates
    /// nothing.
    ///
    /// # Panics
    /// If the slices are of different lengths.
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
        Batch::<A>::new(self).digest_into(Slices(messages), digests);
    }
}

/// With no more messages than this, a window's order would take longer than it saves, and so would
/// memory for several groups.
const FEW: usize = 8;

/// How messages are hashed.
#[derive(Clone, Copy)]
pub(super) struct Batch<'s, A: HashFunction> {
    /// What comes before every message.
    before: Midstate<'s, A::Family>,
    forced: Option<usize>,
}

impl<'s, A: HashFunction> Batch<'s, A> {
    /// Messages of the function alone.
    pub(super) fn new(engine: &Engine<A>) -> Self {
        Self::after(engine, A::BEGINNING)
    }

    /// Messages that all begin with what `before` stands for.
    pub(super) fn after(engine: &Engine<A>, before: Midstate<'s, A::Family>) -> Self {
        Self { before, forced: engine.forced() }
    }

    /// Writes the digests of `messages` to `digests`.
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    pub(super) fn digest_into<'a>(self, messages: impl Messages<'a>, digests: &mut [A::Digest]) {
        assert_eq!(
            messages.count(),
            digests.len(),
            "as many digests are written as there are messages: the slices must have the same \
             length"
        );
        match digests {
            [] => return,
            [digest] => {
                self.digest_alone(messages.message(0), digest);
                return wipe::stack::<{ wipe::ALONE }>();
            }
            _ => {}
        }
        let (shortest, longest) = messages.lengths();
        let uneven = self.blocks(longest) - self.blocks(shortest);
        // None of these is inlined: a call for few messages would else pay for the stack of all.
        if uneven <= UNEVEN && Groups::<A::Family, 1>::suits(self.before) {
            self.digest_even(messages, digests);
        } else if digests.len() <= FEW {
            self.digest_few(messages, digests);
        } else {
            self.digest_windows(messages, digests);
        }
        wipe::stack::<{ wipe::MANY }>();
    }

    /// One message, in single-message code.
    pub(super) fn digest_alone(self, message: &[u8], digest: &mut A::Digest) {
        digest_of::<A>(&hash_alone::<A::Family>(self.before, message, self.forced), digest);
    }

    /// Messages of about the same number of blocks.
    fn digest_even<'a>(self, messages: impl Messages<'a>, digests: &mut [A::Digest]) {
        let count = digests.len();
        let grouped = match self.kernel(count).lanes {
            1 => 0,
            lanes if count <= lanes.max(FEW) => self.digest_groups::<1>(messages, digests),
            _ => self.digest_groups::<GROUPS>(messages, digests),
        };
        for (i, digest) in digests.iter_mut().enumerate().skip(grouped) {
            self.digest_alone(messages.message(i), digest);
        }
    }

    /// [`digest_even`](Self::digest_even) in groups as the messages come: there is nothing to put
    /// in order. Up to `G` groups go to the kernel in one call. Returns how many messages were
    /// hashed: the last ones may be faster in a kernel of one lane.
    #[inline(never)]
    fn digest_groups<'a, const G: usize>(
        self,
        messages: impl Messages<'a>,
        digests: &mut [A::Digest],
    ) -> usize {
        let mut groups = Groups::<A::Family, G>::new(self.before);
        let mut hashed = 0;
        while hashed < digests.len() {
            let digests = &mut digests[hashed..];
            // What is left at the end may be faster in a narrower kernel.
            let kernel = self.kernel(digests.len());
            if kernel.lanes == 1 {
                break;
            }
            let count = whole_groups::<G>(digests.len(), kernel.lanes);
            let members = messages.range(hashed..hashed + count);
            let taken = members.hash_in_groups(&mut groups, kernel, |member, state| {
                digest_of::<A>(state, &mut digests[member]);
            });
            hashed += taken;
            if taken == 0 {
                // The lengths are not what they were when they were first asked for.
                self.digest_alone(messages.message(hashed), &mut digests[0]);
                hashed += 1;
            }
        }
        hashed
    }

    /// At most `FEW` messages of different numbers of blocks.
    #[inline(never)]
    fn digest_few<'a>(self, messages: impl Messages<'a>, digests: &mut [A::Digest]) {
        let mut sorted = [(0, 0); FEW];
        let sorted = &mut sorted[..digests.len()];
        for (i, entry) in sorted.iter_mut().enumerate() {
            *entry = (messages.message(i).len(), i as u16);
        }
        sorted.sort_unstable_by_key(|&(length, _)| core::cmp::Reverse(length));
        let mut places = [0; FEW];
        for (place, &mut (_, i)) in places.iter_mut().zip(sorted) {
            *place = i;
        }
        self.digest_places(messages, &places[..digests.len()], digests);
    }

    /// Any number of messages of any lengths, window by window. The long messages of one window
    /// stay in the lanes while the short ones of the next are hashed.
    #[inline(never)]
    fn digest_windows<'a>(self, messages: impl Messages<'a>, digests: &mut [A::Digest]) {
        let count = digests.len();
        let is_long = |&i: &usize| Order::is_long(self.blocks(messages.message(i).len()));
        let mut later = (0..count).filter(is_long).count();
        let mut memory = StageMemory::new();
        let mut scheduler = Scheduler::new(&mut memory, later.max(1), self.forced);
        let mut order = Order::new();
        for first in (0..count).step_by(WINDOW) {
            let window = first..count.min(first + WINDOW);
            let in_window = messages.range(window.clone());
            order.fill(window.len(), |i| self.blocks(in_window.message(i).len()));
            self.digest_short(in_window, order.short_mut(), &mut digests[window]);
            // The count is wrong if a caller's `AsRef` answers differently each time.
            later = later.saturating_sub(order.long().len());
            let long = order.long().iter();
            let mut source = Places { batch: self, messages, first, places: long, digests };
            scheduler.run(&mut source, When::MoreToCome(later));
        }
        let places = [].iter();
        let mut nothing = Places { batch: self, messages, first: 0, places, digests };
        scheduler.run(&mut nothing, When::AllDone);
    }

    /// Hashes the messages of a window whose numbers are `short`, the most blocks first.
    fn digest_short<'a>(
        self,
        messages: impl Messages<'a>,
        short: &mut [u16],
        digests: &mut [A::Digest],
    ) {
        let left = if Groups::<A::Family, 1>::suits(self.before) {
            self.digest_in_groups(messages, short, digests)
        } else if Groups::<A::Family, 1>::suits(self.before.without_carry()) {
            self.digest_joined(messages, short, digests)
        } else {
            short.len()
        };
        if left > 0 {
            self.digest_places(messages, &short[..left], digests);
        }
    }

    /// Hashes the messages whose numbers are `short`, in groups as they come there.
    /// Those that are too uneven for a group are left. Their numbers are put to the beginning of
    /// `short`. Returns how many these are.
    #[inline(never)]
    fn digest_in_groups<'a>(
        self,
        messages: impl Messages<'a>,
        short: &mut [u16],
        digests: &mut [A::Digest],
    ) -> usize {
        let mut groups = Groups::<A::Family, GROUPS>::new(self.before);
        let (mut left, mut at) = (0, 0);
        while at < short.len() {
            let kernel = self.kernel(short.len() - at);
            let count = whole_groups::<GROUPS>(short.len() - at, kernel.lanes);
            let places = &short[at..at + count];
            let members = places.iter().map(|&i| messages.message(usize::from(i)));
            let taken = groups.hash(kernel, members, |member, state| {
                digest_of::<A>(state, &mut digests[usize::from(places[member])]);
            });
            at += taken;
            if taken == 0 {
                let uneven = count.min(kernel.lanes);
                short.copy_within(at..at + uneven, left);
                left += uneven;
                at += uneven;
            }
        }
        left
    }

    /// [`digest_in_groups`](Self::digest_in_groups) for messages that come after bytes which do not
    /// fill a block. These are joined with each message in a buffer. Messages so long that a
    /// group of them does not fit are left.
    #[inline(never)]
    fn digest_joined<'a>(
        self,
        messages: impl Messages<'a>,
        short: &mut [u16],
        digests: &mut [A::Digest],
    ) -> usize {
        let mut groups = Groups::<A::Family, GROUPS>::new(self.before.without_carry());
        let mut joined = Joined::new();
        let (mut left, mut at) = (0, 0);
        while at < short.len() {
            let kernel = self.kernel(short.len() - at);
            let most = whole_groups::<GROUPS>(short.len() - at, kernel.lanes);
            let places = &short[at..at + most];
            let each = places.iter().map(|&i| messages.message(usize::from(i)));
            let count = joined.fill(self.before.carry, each);
            // A part of a group is hashed only if there are no more messages.
            let count = if count < most { count - count % kernel.lanes } else { count };
            let taken = groups.hash(kernel, joined.messages(count), |member, state| {
                digest_of::<A>(state, &mut digests[usize::from(places[member])]);
            });
            at += taken;
            if taken == 0 {
                let unfit = most.min(kernel.lanes);
                short.copy_within(at..at + unfit, left);
                left += unfit;
                at += unfit;
            }
        }
        left
    }

    /// The messages whose numbers are `places`, in that order.
    #[inline(never)]
    fn digest_places<'a>(
        self,
        messages: impl Messages<'a>,
        places: &[u16],
        digests: &mut [A::Digest],
    ) {
        let mut source = Places { batch: self, messages, first: 0, places: places.iter(), digests };
        schedule::run::<A::Family>(&mut source, self.forced, When::AllDone);
    }

    /// Blocks of a message of so many bytes, once padded.
    fn blocks(self, length: usize) -> usize {
        padded_blocks::<A::Family>(self.before.carry.len() + length)
    }

    fn kernel(self, messages: usize) -> &'static Kernel<<A::Family as Family>::Word> {
        &<A::Family as Kernels>::TABLE[kernel::row::<A::Family>(messages, self.forced)]
    }

    /// Message number `i` as work for a lane.
    fn work<'a>(self, i: usize, message: &'a [u8], stage: &mut [u8]) -> Work<'a, A::Family> {
        self.before.work(i, message, true, 0, stage)
    }
}

/// How many of `messages` messages go to a call for `G` groups: whole groups, as what is left over
/// may be faster in a kernel of fewer lanes.
fn whole_groups<const G: usize>(messages: usize, lanes: usize) -> usize {
    match messages.min(G * lanes) {
        most if most < lanes => most,
        most => most & !(lanes - 1), // Lanes are a power of two.
    }
}

/// Bytes in which messages are joined with what comes before them. A group of 32 messages of up to
/// 128 bytes fits, or one of 8 of up to 512.
const JOINED: usize = 4096;

/// Messages that are joined with what comes before them, one behind the other.
struct Joined {
    bytes: Wiped<[u8; JOINED]>,
    /// Where each ends.
    ends: [u16; MAX_LANES * GROUPS],
}

impl Joined {
    fn new() -> Self {
        Self { bytes: Wiped([0; JOINED]), ends: [0; MAX_LANES * GROUPS] }
    }

    /// Joins `before` with each of the messages, as many as fit. Returns how many these are.
    fn fill<'a>(&mut self, before: &[u8], messages: impl Iterator<Item = &'a [u8]>) -> usize {
        let (mut count, mut end) = (0, 0);
        for (message, place) in messages.zip(&mut self.ends) {
            let Some(bytes) = self.bytes[end..].get_mut(..before.len() + message.len()) else {
                break;
            };
            let (first, rest) = bytes.split_at_mut(before.len());
            first.copy_from_slice(before);
            rest.copy_from_slice(message);
            end += before.len() + message.len();
            *place = end as u16;
            count += 1;
        }
        count
    }

    /// The first `count` of them.
    fn messages(&self, count: usize) -> impl Iterator<Item = &[u8]> {
        let begins = core::iter::once(0).chain(self.ends);
        let spans = begins.zip(self.ends).take(count);
        spans.map(|(begin, end)| &self.bytes[usize::from(begin)..usize::from(end)])
    }
}

/// Some of the messages as a source.
struct Places<'s, 'p, 'd, A: HashFunction, M> {
    batch: Batch<'s, A>,
    messages: M,
    /// The message from which `places` are counted.
    first: usize,
    /// Which of the messages. Their digests go to the same places.
    places: core::slice::Iter<'p, u16>,
    digests: &'d mut [A::Digest],
}

impl<'a, A: HashFunction, M: Messages<'a>> Source<'a, A::Family> for Places<'_, '_, '_, A, M> {
    fn waiting(&self) -> usize {
        self.places.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Family>> {
        let i = self.first + usize::from(*self.places.next()?);
        Some(self.batch.work(i, self.messages.message(i), stage))
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        digest_of::<A>(&state, &mut self.digests[id]);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all messages are done");
    }
}
