//! Many messages that are all in memory.
//!
//! If all have about the same number of blocks they go in groups, as they come. Else they are taken
//! a window at a time and put in order, the longest first. Short messages go in groups of about the
//! same number of blocks. Long ones go through the scheduler, which keeps the lanes full across
//! windows. Nothing is allocated: a window's order is on the stack.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::ops::RangeInclusive;

use super::engine::Engine;
use crate::family::{Family, State};
use crate::function::{HashFunction, digest_of};
use crate::kernel::{self, Kernel, Kernels, MAX_LANES};
use crate::schedule::{
    self, GROUPS, Groups, Messages, Midstate, Order, Scheduler, Slices, Source, StageMemory, Take,
    UNEVEN, WHOLE, WINDOW, When, Wholes, Work, hash_alone, padded_blocks,
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

/// Up to this many messages, sorting a window takes longer than it saves, and so does clearing the
/// memory of several groups.
const FEW: usize = 8;

/// From this many messages on, sorting pays off even if they have similar lengths. Zen 4, messages
/// of 32 to 96 bytes: 48 of them took 1.05 (SHA-256) to 1.25 times (MD5) as long when sorted; 64
/// took 1.03 to 1.17 times as long when not sorted.
const SORTED: usize = 64;

/// Lengths in bytes of messages that are prefetched: lanes wait for each message's first lines. The
/// hardware prefetches longer messages, and shorter ones arrive before a prefetch would help.
const PREFETCHED: RangeInclusive<usize> = 65..=1024;

/// Total bytes of a call beyond which the messages are assumed not to be in the caches. Prefetching
/// messages that are cached takes up to 1.2 times as long (MD5).
const UNCACHED: usize = 8 << 20;

/// Not inlined: its loops would cost those who do not need it registers.
#[inline(never)]
fn prefetch_all<'a, F: Family>(
    messages: impl Messages<'a, F>,
    places: impl Iterator<Item = usize>,
) {
    places.for_each(|i| kernel::prefetch(messages.message(i)));
}

/// How messages are hashed.
#[derive(Clone, Copy)]
pub(super) struct Batch<'s, A: HashFunction> {
    /// What comes before every message.
    before: Midstate<'s, A::Family>,
    forced: Option<usize>,
    /// The caller says that the messages are not in the caches.
    uncached: bool,
}

impl<'s, A: HashFunction> Batch<'s, A> {
    /// Messages of the function alone.
    pub(super) fn new(engine: &Engine<A>) -> Self {
        Self::after(engine, A::BEGINNING)
    }

    /// Messages that all begin with what `before` stands for.
    pub(super) fn after(engine: &Engine<A>, before: Midstate<'s, A::Family>) -> Self {
        Self { before, forced: engine.forced(), uncached: engine.is_uncached() }
    }

    /// Writes the digests of `messages` to `digests`.
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    pub(super) fn digest_into<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        digests: &mut [A::Digest],
    ) {
        let count = digests.len();
        self.digest_all(messages, digests);
        match count {
            0 => {}
            1 => wipe::stack::<{ wipe::ALONE }>(),
            _ => wipe::stack::<{ wipe::MANY }>(),
        }
    }

    /// [`digest_into`](Self::digest_into), which leaves it to the caller to wipe the stack.
    ///
    /// # Panics
    /// If there are not as many digests as messages.
    pub(super) fn digest_all<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        digests: &mut [A::Digest],
    ) {
        assert_eq!(
            messages.count(),
            digests.len(),
            "as many digests are written as there are messages: the slices must have the same \
             length"
        );
        match digests {
            [] => return,
            [digest] => return self.digest_one(messages, 0, digest),
            _ => {}
        }
        let hashed = self.digest_level(messages, digests);
        if hashed < digests.len() {
            self.digest_uneven(messages.range(hashed..digests.len()), &mut digests[hashed..]);
        }
    }

    /// At least one message.
    fn digest_uneven<'a>(self, messages: impl Messages<'a, A::Family>, digests: &mut [A::Digest]) {
        let (shortest, longest) = messages.lengths();
        if shortest == longest && self.joins() {
            let hashed = self.digest_joined_level(messages, digests);
            if hashed == digests.len() {
                return;
            }
            let left = messages.range(hashed..digests.len());
            return self.digest_windows(left, &mut digests[hashed..]);
        }
        let uneven = self.blocks(longest) - self.blocks(shortest);
        // None of these is inlined: a call for few messages would else pay for the stack of all.
        let even = uneven == 0 || uneven <= UNEVEN && digests.len() < SORTED;
        if even && Groups::<A::Family, 1>::suits(self.before) {
            self.digest_even(messages, digests);
        } else if digests.len() <= FEW {
            self.digest_few(messages, digests);
        } else if Order::is_long(self.blocks(longest)) {
            self.digest_windows(messages, digests);
        } else {
            self.digest_short_windows(messages, digests);
        }
    }

    /// Messages of one length, if the kernel takes whole ones. Returns how many were hashed: the
    /// last ones may be faster in a kernel that does not. There is no look at all lengths before.
    fn digest_level<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        digests: &mut [A::Digest],
    ) -> usize {
        let count = digests.len();
        if self.kernel(count).hash_whole.is_none() || !Wholes::suits(self.before) {
            return 0;
        }
        let length = messages.message(0).len();
        if messages.message(1).len() != length || messages.message(count / 2).len() != length {
            return 0;
        }
        self.digest_whole(messages, Take::Level, digests)
    }

    /// Messages in their order, as long as kernels take whole ones. Returns how many were hashed.
    #[inline(never)]
    fn digest_whole<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        take: Take,
        digests: &mut [A::Digest],
    ) -> usize {
        let mut wholes = Wholes::<A::Family>::new(self.before);
        let size = size_of::<A::Digest>();
        let mut hashed = 0;
        let far = self.prefetches(messages.message(0).len(), digests.len());
        while hashed < digests.len() {
            let kernel = self.kernel(digests.len() - hashed);
            if kernel.hash_whole.is_none() {
                break;
            }
            let count = whole_lanes(digests.len() - hashed, WHOLE, kernel.lanes);
            if far {
                let next = hashed + count..digests.len().min(hashed + 2 * count);
                prefetch_all(messages, next);
            }
            let some = messages.range(hashed..hashed + count);
            let each = (0..count).map(|i| some.entry(i));
            let to = A::bytes_of_mut(&mut digests[hashed..]);
            let taken = wholes.hash(kernel, each, take, to, size, None);
            hashed += taken;
            if taken < count {
                break;
            }
        }
        hashed
    }

    /// Message number `i`, in single-message code.
    fn digest_one<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        i: usize,
        digest: &mut A::Digest,
    ) {
        let (message, state) = messages.entry(i);
        let before = match state {
            Some(state) => Midstate { state, ..self.before },
            None => self.before,
        };
        Batch::<A> { before, ..self }.digest_alone(message, digest);
    }

    /// One message, in single-message code.
    pub(super) fn digest_alone(self, message: &[u8], digest: &mut A::Digest) {
        digest_of::<A>(&hash_alone::<A::Family>(self.before, message, self.forced), digest);
    }

    /// Messages of about the same number of blocks.
    fn digest_even<'a>(self, messages: impl Messages<'a, A::Family>, digests: &mut [A::Digest]) {
        let hashed = match self.kernel(digests.len()).hash_whole {
            Some(_) => self.digest_whole(messages, Take::Even, digests),
            None => 0,
        };
        let (messages, digests) = (messages.range(hashed..digests.len()), &mut digests[hashed..]);
        let count = digests.len();
        if count == 0 {
            return;
        }
        let grouped = match self.kernel(count).lanes {
            1 => 0,
            lanes if count <= lanes.max(FEW) => self.digest_groups::<1>(messages, digests),
            _ => self.digest_groups::<GROUPS>(messages, digests),
        };
        for (i, digest) in digests.iter_mut().enumerate().skip(grouped) {
            self.digest_one(messages, i, digest);
        }
    }

    /// [`digest_even`](Self::digest_even) in groups as the messages come: there is nothing to put
    /// in order. Up to `G` groups go to the kernel in one call. Returns how many messages were
    /// hashed: the last ones may be faster in a kernel of one lane.
    #[inline(never)]
    fn digest_groups<'a, const G: usize>(
        self,
        messages: impl Messages<'a, A::Family>,
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
            let count = whole_lanes(digests.len(), G * kernel.lanes, kernel.lanes);
            let members = messages.range(hashed..hashed + count);
            let taken = members.hash_in_groups(&mut groups, kernel, |member, state| {
                digest_of::<A>(state, &mut digests[member]);
            });
            hashed += taken;
            if taken == 0 {
                // The lengths are not what they were when they were first asked for.
                self.digest_one(messages, hashed, &mut digests[0]);
                hashed += 1;
            }
        }
        hashed
    }

    /// At most `FEW` messages of different numbers of blocks.
    #[inline(never)]
    fn digest_few<'a>(self, messages: impl Messages<'a, A::Family>, digests: &mut [A::Digest]) {
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
    fn digest_windows<'a>(self, messages: impl Messages<'a, A::Family>, digests: &mut [A::Digest]) {
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
            self.digest_short(in_window, order.short_mut(), count, &mut digests[window]);
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

    /// Any number of messages that are all short, window by window.
    #[inline(never)]
    fn digest_short_windows<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        digests: &mut [A::Digest],
    ) {
        let mut order = Order::new();
        let (all, mut first) = (digests.len(), 0);
        for digests in digests.chunks_mut(WINDOW) {
            let in_window = messages.range(first..first + digests.len());
            order.fill(digests.len(), |i| self.blocks(in_window.message(i).len()));
            self.digest_short(in_window, order.short_mut(), all, digests);
            // There are long ones only if a caller's `AsRef` answers differently each time.
            if !order.long().is_empty() {
                self.digest_places(in_window, order.long(), digests);
            }
            first += digests.len();
        }
    }

    /// Hashes the messages of a window whose numbers are `short`, the most blocks first. The call
    /// has `all` messages.
    fn digest_short<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        short: &mut [u16],
        all: usize,
        digests: &mut [A::Digest],
    ) {
        let left = if Groups::<A::Family, 1>::suits(self.before) {
            let (left, hashed) = self.digest_short_whole(messages, short, all, digests);
            let more = self.digest_in_groups(messages, &mut short[hashed..], digests);
            short.copy_within(hashed..hashed + more, left);
            left + more
        } else if Groups::<A::Family, 1>::suits(self.before.without_carry()) {
            self.digest_joined(messages, short, digests)
        } else {
            short.len()
        };
        if left > 0 {
            self.digest_places(messages, &short[..left], digests);
        }
    }

    /// Hashes the messages whose numbers are `short`, as they come there, as long as kernels take
    /// whole messages. The call has `all` messages. Those that are too uneven for a group are left.
    /// Their numbers are put to the beginning of `short`. Returns how many these are, and at which
    /// one it ended.
    #[inline(never)]
    fn digest_short_whole<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        short: &mut [u16],
        all: usize,
        digests: &mut [A::Digest],
    ) -> (usize, usize) {
        let mut wholes = Wholes::<A::Family>::new(self.before);
        let (to, size) = (A::bytes_of_mut(digests), size_of::<A::Digest>());
        let (mut left, mut at) = (0, 0);
        // As if all were as long as the middle one of the window.
        let middle = short.get(short.len() / 2).map_or(0, |&i| messages.message(i.into()).len());
        let far = self.prefetches(middle, all);
        while at < short.len() {
            let kernel = self.kernel(short.len() - at);
            if kernel.hash_whole.is_none() {
                break;
            }
            let count = whole_lanes(short.len() - at, WHOLE, kernel.lanes);
            if far {
                let next = at + count..short.len().min(at + 2 * count);
                prefetch_all(messages, short[next].iter().map(|&i| i.into()));
            }
            let places = &short[at..at + count];
            let each = places.iter().map(|&i| messages.entry(usize::from(i)));
            let taken = wholes.hash(kernel, each, Take::Even, to, size, Some(places));
            at += taken;
            if taken < count {
                let uneven = (count - taken).min(kernel.lanes);
                short.copy_within(at..at + uneven, left);
                left += uneven;
                at += uneven;
            }
        }
        (left, at)
    }

    /// Hashes the messages whose numbers are `short`, in groups as they come there.
    /// Those that are too uneven for a group are left. Their numbers are put to the beginning of
    /// `short`. Returns how many these are.
    #[inline(never)]
    fn digest_in_groups<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        short: &mut [u16],
        digests: &mut [A::Digest],
    ) -> usize {
        let mut groups = Groups::<A::Family, GROUPS>::new(self.before);
        let (mut left, mut at) = (0, 0);
        while at < short.len() {
            let kernel = self.kernel(short.len() - at);
            let count = whole_lanes(short.len() - at, GROUPS * kernel.lanes, kernel.lanes);
            let places = &short[at..at + count];
            let members = places.iter().map(|&i| messages.entry(usize::from(i)));
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

    /// Whether messages come after bytes that do not fill a block, with which they can be joined.
    fn joins(self) -> bool {
        !self.before.carry.is_empty() && Wholes::suits(self.before.without_carry())
    }

    /// Messages of one length that are joined with what comes before them, in their order, as long
    /// as kernels take whole messages and a group of them fits in the buffer. Returns how many were
    /// hashed.
    #[inline(never)]
    fn digest_joined_level<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        digests: &mut [A::Digest],
    ) -> usize {
        let mut wholes = Wholes::<A::Family>::new(self.before.without_carry());
        let mut joined = Joined::new();
        let mut hashed = 0;
        while hashed < digests.len() {
            let left = digests.len() - hashed;
            let kernel = self.kernel(left);
            if kernel.hash_whole.is_none() {
                break;
            }
            let most = whole_lanes(left, WHOLE, kernel.lanes);
            let each = (hashed..hashed + most).map(|i| messages.message(i));
            let count = joined.fill(self.before.carry, each);
            let count = if count < most { count - count % kernel.lanes } else { count };
            let (to, size) = (A::bytes_of_mut(&mut digests[hashed..]), size_of::<A::Digest>());
            let each = joined.messages(count).map(|message| (message, None));
            let taken = wholes.hash(kernel, each, Take::Even, to, size, None);
            hashed += taken;
            if taken == 0 {
                break;
            }
        }
        hashed
    }

    /// [`digest_in_groups`](Self::digest_in_groups) for messages that come after bytes which do not
    /// fill a block. These are joined with each message in a buffer. Messages so long that a
    /// group of them does not fit are left.
    #[inline(never)]
    fn digest_joined<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        short: &mut [u16],
        digests: &mut [A::Digest],
    ) -> usize {
        let mut groups = Groups::<A::Family, GROUPS>::new(self.before.without_carry());
        let mut joined = Joined::new();
        let (mut left, mut at) = (0, 0);
        while at < short.len() {
            let kernel = self.kernel(short.len() - at);
            let most = whole_lanes(short.len() - at, GROUPS * kernel.lanes, kernel.lanes);
            let places = &short[at..at + most];
            let each = places.iter().map(|&i| messages.message(usize::from(i)));
            let count = joined.fill(self.before.carry, each);
            // A part of a group is hashed only if there are no more messages.
            let count = if count < most { count - count % kernel.lanes } else { count };
            let each = joined.messages(count).map(|message| (message, None));
            let taken = groups.hash(kernel, each, |member, state| {
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
        messages: impl Messages<'a, A::Family>,
        places: &[u16],
        digests: &mut [A::Digest],
    ) {
        let mut source = Places { batch: self, messages, first: 0, places: places.iter(), digests };
        schedule::run::<A::Family>(&mut source, self.forced, When::AllDone);
    }

    /// Blocks of a padded message of `length` bytes.
    fn blocks(self, length: usize) -> usize {
        padded_blocks::<A::Family>(self.before.carry.len() + length)
    }

    /// Whether the `count` messages of a call, of about `length` bytes each, are prefetched.
    fn prefetches(self, length: usize, count: usize) -> bool {
        PREFETCHED.contains(&length) && (self.uncached || length.saturating_mul(count) >= UNCACHED)
    }

    fn kernel(self, messages: usize) -> &'static Kernel<<A::Family as Family>::Word> {
        &<A::Family as Kernels>::TABLE[kernel::row::<A::Family>(messages, self.forced)]
    }

    /// Message number `i` as work for a lane.
    fn work<'a>(
        self,
        messages: impl Messages<'a, A::Family>,
        i: usize,
        stage: &mut [u8],
    ) -> Work<'a, A::Family> {
        let (message, state) = messages.entry(i);
        let work = self.before.work(i, message, true, 0, stage);
        Work { state: *state.unwrap_or(&work.state), ..work }
    }
}

/// How many of `messages` messages go to a call for `most`: all lanes of whole groups, as what is
/// left over may be faster in a kernel of fewer lanes.
fn whole_lanes(messages: usize, most: usize, lanes: usize) -> usize {
    match messages.min(most) {
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
    /// The first `filled` messages were written at least once and still end at `ends`, so the bytes
    /// before them are already in place.
    filled: usize,
}

impl Joined {
    fn new() -> Self {
        Self { bytes: Wiped([0; JOINED]), ends: [0; MAX_LANES * GROUPS], filled: 0 }
    }

    /// Joins `before`, the same each time, with each of the messages, as many as fit. Returns how
    /// many these are.
    fn fill<'a>(&mut self, before: &[u8], messages: impl Iterator<Item = &'a [u8]>) -> usize {
        let (mut count, mut end) = (0, 0);
        for (message, place) in messages.zip(&mut self.ends) {
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

impl<'a, A: HashFunction, M: Messages<'a, A::Family>> Source<'a, A::Family>
    for Places<'_, '_, '_, A, M>
{
    fn waiting(&self) -> usize {
        self.places.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Family>> {
        let i = self.first + usize::from(*self.places.next()?);
        Some(self.batch.work(self.messages, i, stage))
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        digest_of::<A>(&state, &mut self.digests[id]);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all messages are done");
    }
}
