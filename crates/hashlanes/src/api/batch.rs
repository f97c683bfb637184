//! Many messages that are all known up front.
//!
//! If all are of about the same number of blocks they go in groups, as they come. Else they are
//! taken a window at a time and put in order, the longest first. Long messages go through the
//! scheduler, which keeps the lanes full across windows; short ones in groups of about the same
//! number of blocks. Nothing is allocated: a window's order is on the stack.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::engine::Engine;
use crate::algorithm::State;
use crate::function::{HashFunction, digest_of};
use crate::kernel::{self, Kernels};
use crate::schedule::{
    self, GROUPS, Groups, Order, SHORT, Source, Stream, UNEVEN, WINDOW, When, Work, hash_alone,
    padded_blocks,
};

struct Messages<'a, 'd, A: HashFunction, T> {
    messages: &'a [T],
    digests: &'d mut [A::Digest],
    forced: Option<usize>,
    order: Order,
    groups: Groups<A::Family, GROUPS>,
    /// The long messages of the window that have been handed out.
    handed_out: usize,
    /// The first message of the window in `order`, and the first after it.
    window: (usize, usize),
    /// Long messages that have not been handed out.
    waiting: usize,
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Messages<'a, '_, A, T> {
    /// Goes on to the next window and hashes its short messages; false if there is none.
    fn next_window(&mut self) -> bool {
        let first = self.window.1;
        let window = &self.messages[first..self.messages.len().min(first + WINDOW)];
        if window.is_empty() {
            return false;
        }
        self.window = (first, first + window.len());
        self.handed_out = 0;
        self.order.fill(window.len(), |i| padded_blocks::<A::Family>(window[i].as_ref().len()));

        let digests = &mut self.digests[first..];
        let mut short = &self.order.queue[self.order.long..self.order.end];
        while !short.is_empty() {
            let row = kernel::row::<A::Family>(short.len(), self.forced);
            let kernel = &<A::Family as Kernels>::TABLE[row];
            let places = &short[..whole_groups::<GROUPS>(short.len(), kernel.lanes)];
            let members = places.iter().map(|&i| window[usize::from(i)].as_ref());
            let mut taken = self.groups.hash(kernel, members, |member, state| {
                digest_of::<A>(state, &mut digests[usize::from(places[member])]);
            });
            if taken == 0 {
                // The first group is too uneven.
                taken = places.len().min(kernel.lanes);
                let mut uneven =
                    Group::<A, T> { messages: window, places: &places[..taken], digests, next: 0 };
                schedule::run::<A::Family>(&mut uneven, self.forced, When::AllDone);
            }
            short = &short[taken..];
        }
        true
    }
}

/// How many of `messages` messages go to [`Groups::hash`] at a time: what is left over of whole
/// groups may be faster in a kernel of fewer lanes, and goes by itself.
fn whole_groups<const G: usize>(messages: usize, lanes: usize) -> usize {
    match messages.min(G * lanes) {
        most if most < lanes => most,
        most => most & !(lanes - 1), // Lanes are a power of two.
    }
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Source<'a, A::Family> for Messages<'a, '_, A, T> {
    fn waiting(&self) -> usize {
        self.waiting
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Family>> {
        while self.handed_out == self.order.long {
            if !self.next_window() {
                self.waiting = 0;
                return None;
            }
        }
        let i = self.window.0 + usize::from(self.order.queue[self.handed_out]);
        self.handed_out += 1;
        self.waiting = self.waiting.saturating_sub(1);
        let message = self.messages[i].as_ref();
        Some(Stream::<A::Family>::new(A::INITIAL).work(i, message, true, 0, stage))
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        digest_of::<A>(&state, &mut self.digests[id]);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all messages are done");
    }
}

/// Some of the messages as a source.
struct Group<'a, 'g, A: HashFunction, T> {
    messages: &'a [T],
    /// Which of the messages. Their digests go to the same places.
    places: &'g [u16],
    digests: &'g mut [A::Digest],
    next: usize,
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Source<'a, A::Family> for Group<'a, '_, A, T> {
    fn waiting(&self) -> usize {
        self.places.len() - self.next
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Family>> {
        let place = usize::from(*self.places.get(self.next)?);
        self.next += 1;
        Some(Stream::<A::Family>::new(A::INITIAL).work(
            place,
            self.messages[place].as_ref(),
            true,
            0,
            stage,
        ))
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        digest_of::<A>(&state, &mut self.digests[id]);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all messages are done");
    }
}

pub(crate) fn digest_many_into<A: HashFunction, T: AsRef<[u8]>>(
    messages: &[T],
    digests: &mut [A::Digest],
    forced: Option<usize>,
) {
    assert_eq!(
        messages.len(),
        digests.len(),
        "as many digests are written as there are messages: the slices must have the same length"
    );
    match messages {
        [] => return,
        [message] => return digest_alone::<A>(message.as_ref(), &mut digests[0], forced),
        _ => {}
    }
    let (mut shortest, mut longest) = (usize::MAX, 0);
    for message in messages {
        let length = message.as_ref().len();
        (shortest, longest) = (shortest.min(length), longest.max(length));
    }
    let uneven = padded_blocks::<A::Family>(longest) - padded_blocks::<A::Family>(shortest);
    // None of these is inlined: a call for few messages would else pay for the stack of all.
    if uneven <= UNEVEN {
        digest_even::<A, T>(messages, digests, forced);
    } else if messages.len() <= FEW {
        digest_uneven::<A, T>(messages, digests, forced);
    } else {
        digest_windows::<A, T>(messages, digests, forced);
    }
}

/// Any number of messages of any lengths.
#[inline(never)]
fn digest_windows<A: HashFunction, T: AsRef<[u8]>>(
    messages: &[T],
    digests: &mut [A::Digest],
    forced: Option<usize>,
) {
    let long = |message: &&T| padded_blocks::<A::Family>(message.as_ref().len()) > SHORT;
    let waiting = messages.iter().filter(long).count();
    let mut source = Messages::<A, T> {
        messages,
        digests,
        forced,
        order: Order::new(),
        groups: Groups::new(A::INITIAL),
        handed_out: 0,
        window: (0, 0),
        waiting,
    };
    loop {
        if source.waiting > 0 {
            schedule::run::<A::Family>(&mut source, forced, When::AllDone);
        }
        // Windows after the last long message; and long messages that were short ones when they
        // were counted.
        source.waiting = source.order.long - source.handed_out;
        if source.waiting == 0 && !source.next_window() {
            return;
        }
        source.waiting = source.order.long - source.handed_out;
    }
}

/// One message, in single-message code.
fn digest_alone<A: HashFunction>(message: &[u8], digest: &mut A::Digest, forced: Option<usize>) {
    digest_of::<A>(&hash_alone::<A::Family>(A::INITIAL, message, forced), digest);
}

/// Messages of about the same number of blocks.
fn digest_even<A: HashFunction, T: AsRef<[u8]>>(
    messages: &[T],
    digests: &mut [A::Digest],
    forced: Option<usize>,
) {
    let kernel = &<A::Family as Kernels>::TABLE[kernel::row::<A::Family>(messages.len(), forced)];
    let grouped = match kernel.lanes {
        1 => 0,
        lanes if messages.len() <= lanes.max(FEW) => {
            digest_groups::<A, T, 1>(messages, digests, forced)
        }
        _ => digest_groups::<A, T, GROUPS>(messages, digests, forced),
    };
    for (message, digest) in messages[grouped..].iter().zip(&mut digests[grouped..]) {
        digest_alone::<A>(message.as_ref(), digest, forced);
    }
}

/// [`digest_even`] in groups as the messages come, since there is nothing to put in order; up to
/// `G` groups go to the kernel in one call. Returns how many messages have been hashed: the last
/// ones may be faster in a kernel of one lane.
#[inline(never)]
fn digest_groups<A: HashFunction, T: AsRef<[u8]>, const G: usize>(
    messages: &[T],
    digests: &mut [A::Digest],
    forced: Option<usize>,
) -> usize {
    let mut groups = Groups::<A::Family, G>::new(A::INITIAL);
    let mut hashed = 0;
    while hashed < messages.len() {
        // What is left at the end may be faster in a narrower kernel.
        let (messages, digests) = (&messages[hashed..], &mut digests[hashed..]);
        let kernel =
            &<A::Family as Kernels>::TABLE[kernel::row::<A::Family>(messages.len(), forced)];
        if kernel.lanes == 1 {
            break;
        }
        let members =
            messages[..whole_groups::<G>(messages.len(), kernel.lanes)].iter().map(AsRef::as_ref);
        let taken = groups.hash(kernel, members, |member, state| {
            digest_of::<A>(state, &mut digests[member]);
        });
        hashed += taken;
        if taken == 0 {
            // The lengths are not what they were when they were first asked for.
            digest_alone::<A>(messages[0].as_ref(), &mut digests[0], forced);
            hashed += 1;
        }
    }
    hashed
}

/// With no more messages than this, a window's order would take longer than it saves, and so would
/// memory for several groups.
const FEW: usize = 8;

/// At most `FEW` messages of different numbers of blocks.
#[inline(never)]
fn digest_uneven<A: HashFunction, T: AsRef<[u8]>>(
    messages: &[T],
    digests: &mut [A::Digest],
    forced: Option<usize>,
) {
    let mut sorted = [(0, 0); FEW];
    for ((place, message), entry) in messages.iter().enumerate().zip(&mut sorted) {
        *entry = (message.as_ref().len(), place as u16);
    }
    let sorted = &mut sorted[..messages.len()];
    sorted.sort_unstable_by_key(|&(length, _)| core::cmp::Reverse(length));
    let mut places = [0; FEW];
    for (place, &mut (_, sorted)) in places.iter_mut().zip(sorted) {
        *place = sorted;
    }
    let mut source =
        Group::<A, T> { messages, places: &places[..messages.len()], digests, next: 0 };
    schedule::run::<A::Family>(&mut source, forced, When::AllDone);
}

impl<A: HashFunction> Engine<A> {
    /// The digest of one message.
    pub fn digest(&self, message: &[u8]) -> A::Digest {
        let mut digest = A::ZERO;
        digest_alone::<A>(message, &mut digest, self.forced());
        digest
    }

    /// The digests of many independent messages, in their order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut digests = alloc::vec![A::ZERO; messages.len()];
        digest_many_into::<A, _>(messages, &mut digests, self.forced());
        digests
    }

    /// Writes the digests of many independent messages, in their order, to `digests`; allocates
    /// nothing.
    ///
    /// # Panics
    /// If the slices are of different lengths.
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
        digest_many_into::<A, _>(messages, digests, self.forced());
    }
}
