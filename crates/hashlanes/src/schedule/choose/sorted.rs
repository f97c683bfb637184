//! Messages of any lengths, the longest first.

use crate::family::State;
use crate::kernel::Origin;
use crate::schedule::batch::Batch;
use crate::schedule::batch::members::{MOST, Members};
use crate::schedule::batch::messages::{Messages, Numbers};
use crate::schedule::batch::output::Output;
use crate::schedule::batch::queue::Queue;
use crate::schedule::choose::in_step::InStep;
use crate::schedule::choose::order::{LARGEST_SHORT, Order, WINDOW};
use crate::schedule::choose::policy::{self, FEW, UNCACHED, UNCACHED_SORTED, longest_prefetched};
use crate::schedule::refill::source::{LaneState, Source, Work};
use crate::schedule::refill::stages::StageMemory;
use crate::schedule::refill::{Scheduler, When, run};
use crate::schedule::rules::Tabled;

/// Hashes the messages from number `first` on, at most `FEW`.
#[inline(never)]
pub(crate) fn few<R: Tabled>(batch: &Batch<'_, '_, R>, first: usize, output: &mut Output<'_>) {
    let count = batch.count() - first;
    let mut sizes = [0; FEW];
    batch.put_sizes(first, &mut sizes[..count]);
    let mut places = core::array::from_fn::<_, FEW, _>(|i| i as u16);
    let places = &mut places[..count];
    sort_few(places, &sizes);
    through_lanes(batch, first, places, output);
}

/// Sorts places by their sizes, the largest first. There are so few that the simplest way will do.
fn sort_few(places: &mut [u16], sizes: &[usize; FEW]) {
    let size = |place: u16| sizes[usize::from(place)];
    for end in 1..places.len() {
        let mut i = end;
        while i > 0 && size(places[i - 1]) < size(places[i]) {
            places.swap(i - 1, i);
            i -= 1;
        }
    }
}

/// Hashes the messages from number `first` on, all short, window by window.
#[inline(never)]
pub(crate) fn short<R: Tabled>(
    batch: &Batch<'_, '_, R>,
    first: usize,
    in_step: InStep<R>,
    output: &mut Output<'_>,
) {
    let origin = prefetches(batch, first);
    let mut order = Order::new();
    for first in (first..batch.count()).step_by(WINDOW) {
        if let Some(origin) = origin {
            prefetch(batch.messages, first, origin);
        }
        sort(batch, first, &mut order);
        hash_short(batch, first, &mut order, in_step, output);
        // There are long ones only if a caller's `AsRef` returns different slices.
        if !order.long().is_empty() {
            through_lanes(batch, first, order.long(), output);
        }
    }
}

/// Hashes the messages from number `first` on, of any lengths, window by window. The long messages
/// of one window stay in the lanes while the short ones of the next are hashed.
#[inline(never)]
pub(crate) fn mixed<R: Tabled>(
    batch: &Batch<'_, '_, R>,
    first: usize,
    in_step: InStep<R>,
    output: &mut Output<'_>,
) {
    let mut later = count_long(batch, first);
    let mut memory = StageMemory::new();
    let mut scheduler = Scheduler::new(batch.rules(), &mut memory, later.max(1), batch.forced);
    let origin = prefetches(batch, first);
    let mut order = Order::new();
    for first in (first..batch.count()).step_by(WINDOW) {
        if let Some(origin) = origin {
            prefetch(batch.messages, first, origin);
        }
        sort(batch, first, &mut order);
        hash_short(batch, first, &mut order, in_step, output);
        // The count is wrong if a caller's `AsRef` returns different slices.
        later = later.saturating_sub(order.long().len());
        let mut source = Places { batch, first, places: order.long().iter(), output };
        scheduler.run(&mut source, When::MoreToCome(later));
    }
    let mut nothing = Places { batch, first, places: [].iter(), output };
    scheduler.run(&mut nothing, When::AllDone);
}

/// How many messages from number `first` on are long.
fn count_long<R: Tabled>(batch: &Batch<'_, '_, R>, first: usize) -> usize {
    let mut sizes = [0; 64];
    let mut count = 0;
    for first in (first..batch.count()).step_by(sizes.len()) {
        let some = &mut sizes[..(batch.count() - first).min(64)];
        batch.put_sizes(first, some);
        count += some.iter().filter(|&&size| size > LARGEST_SHORT).count();
    }
    count
}

/// Whether to prefetch the messages from number `first` on, and from where: if they may be nearer
/// than in memory, only for kernels that take whole messages. The others were not measured.
fn prefetches<R: Tabled>(batch: &Batch<'_, '_, R>, first: usize) -> Option<Origin> {
    let count = batch.count() - first;
    // Three messages stand for all.
    let length = || batch.messages.samples().iter().fold(0, |sum, length| sum + length / 3);
    let kernel = batch.kernel(count);
    let bytes = if kernel.hash_whole.is_some() { UNCACHED_SORTED } else { UNCACHED };
    let origin = policy::prefetches(count, batch.prefetched_from(bytes), length)?;
    // A window of longer messages does not fit the second-level cache. Many lanes gain more than
    // that costs.
    let suits = kernel.lanes >= FEW || length() <= longest_prefetched(Origin::Near);
    suits.then_some(origin)
}

/// Prefetches the window that begins with message `first`, in the given order, which is mostly that
/// of addresses. Sorted, the messages would arrive later: the hardware does not know that order.
#[inline(never)]
fn prefetch(messages: &dyn Messages<'_>, first: usize, origin: Origin) {
    let mut members = Members::new();
    let last = messages.count().min(first + WINDOW);
    for first in (first..last).step_by(MOST) {
        let count = MOST.min(last - first);
        messages.fill(Numbers { first, count, places: None }, &mut members);
        members.prefetch(origin);
    }
}

/// Sorts the messages of the window that begins with message `first`.
fn sort<R: Tabled>(batch: &Batch<'_, '_, R>, first: usize, order: &mut Order) {
    let count = WINDOW.min(batch.count() - first);
    order.fill(count, &|i, sizes| batch.put_sizes(first + i, sizes));
}

/// Hashes the short messages of the window that begins with message `first`.
fn hash_short<R: Tabled>(
    batch: &Batch<'_, '_, R>,
    first: usize,
    order: &mut Order,
    in_step: InStep<R>,
    output: &mut Output<'_>,
) {
    let mut queue = Queue::of_window(first, order.short_mut());
    in_step(batch, &mut queue, output);
    let rest = queue.rest();
    if !rest.is_empty() {
        through_lanes(batch, first, rest, output);
    }
}

/// Hashes the messages at these places of a window, in this order, in lanes that are refilled.
#[inline(never)]
fn through_lanes<R: Tabled>(
    batch: &Batch<'_, '_, R>,
    first: usize,
    places: &[u16],
    output: &mut Output<'_>,
) {
    let mut source = Places { batch, first, places: places.iter(), output };
    run(batch.rules(), &mut source, batch.forced, When::AllDone);
}

/// A source of messages of a window.
struct Places<'p, 's, 'a, 'd, R: Tabled> {
    batch: &'p Batch<'s, 'a, R>,
    /// The number of the window's first message.
    first: usize,
    places: core::slice::Iter<'p, u16>,
    output: &'p mut Output<'d>,
}

impl<'a, R: Tabled> Source<'a, R> for Places<'_, '_, 'a, '_, R> {
    fn waiting(&self) -> usize {
        self.places.len()
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, R>> {
        let i = self.first + usize::from(*self.places.next()?);
        Some(self.batch.work(i, stage))
    }

    fn done(&mut self, id: usize, state: LaneState<'_, R>) {
        self.output.put(self.batch.rules(), id, &state.get());
    }

    fn suspended(&mut self, _: usize, _: State<R>, _: usize) {
        unreachable!("the run continues until all messages are done");
    }
}
