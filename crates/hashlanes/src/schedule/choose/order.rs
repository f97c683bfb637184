//! The order in which the messages of a window are hashed.

use crate::schedule::choose::policy::SHORT;

/// The number of messages that are sorted at a time. With more, neighbours in the order differ
/// less, but each takes 3 bytes of stack. With 512, 1024, 2048 and 4096, messages of 64 B to 64 KiB
/// were hashed at 1.69, 1.83, 1.88 and 1.87 bytes per cycle (MD5, Zen 3).
pub(crate) const WINDOW: usize = 2048;

/// The largest size of a short message, in half blocks: `SHORT` blocks, all but one of them full.
pub(crate) const LARGEST_SHORT: usize = 2 * SHORT - 1;

/// The number of classes of messages: class 0 has the long ones, class `LARGEST_SHORT + 1 - s` has
/// those of size `s`.
const CLASSES: usize = LARGEST_SHORT + 2;

/// Writes the sizes of the messages from a given number on, in blocks or in half blocks. A call for
/// each message would take longer than sorting them.
pub(crate) type Sizes<'b> = dyn Fn(usize, &mut [usize]) + 'b;

/// The number of messages that are requested in one call.
const AT_ONCE: usize = 64;

/// The messages of a window, by number, in three parts: the long ones, the short ones, and those
/// without blocks, which are not hashed. In each part, the largest come first.
pub(crate) struct Order {
    /// Counted from the window's first message.
    queue: [u16; WINDOW],
    /// The class of each message. It is stored because a caller's `AsRef` may return different
    /// slices, and a sort by two different lengths would lose messages.
    classes: [u8; WINDOW],
    /// The start of the short ones in the queue.
    short: usize,
    /// The start of those without blocks in the queue.
    end: usize,
    /// The number of messages in the window.
    count: usize,
}

impl Order {
    pub(crate) const fn new() -> Self {
        Self { queue: [0; WINDOW], classes: [0; WINDOW], short: 0, end: 0, count: 0 }
    }

    /// Sorts messages `0..count` by the sizes that `sizes` writes.
    pub(crate) fn fill(&mut self, count: usize, sizes: &Sizes<'_>) {
        // A counting sort by class.
        let mut ends = [0; CLASSES];
        let mut some = [0; AT_ONCE];
        for (number, classes) in self.classes[..count].chunks_mut(AT_ONCE).enumerate() {
            let some = &mut some[..classes.len()];
            sizes(number * AT_ONCE, some);
            for (class, &size) in classes.iter_mut().zip(&*some) {
                *class = (LARGEST_SHORT + 1 - size.min(LARGEST_SHORT + 1)) as u8;
                ends[usize::from(*class)] += 1;
            }
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += core::mem::replace(end, begin);
        }
        for (i, &class) in self.classes[..count].iter().enumerate() {
            let place = &mut ends[usize::from(class)];
            self.queue[*place] = i as u16;
            *place += 1;
        }
        self.short = ends[0];
        // The last class has no blocks.
        self.end = ends[LARGEST_SHORT];
        self.count = count;
        sort_long(&mut self.queue[..self.short], sizes);
    }

    /// The long ones.
    pub(crate) fn long(&self) -> &[u16] {
        &self.queue[..self.short]
    }

    /// The short ones.
    pub(crate) fn short_mut(&mut self) -> &mut [u16] {
        &mut self.queue[self.short..self.end]
    }

    /// The long and the short ones.
    pub(crate) fn with_blocks(&self) -> &[u16] {
        &self.queue[..self.end]
    }

    /// Those without blocks.
    pub(crate) fn without_blocks(&self) -> &[u16] {
        &self.queue[self.end..self.count]
    }
}

/// The bits of a message's number in a sort key.
const NUMBER: u32 = WINDOW.trailing_zeros();

/// Sorts messages by their sizes, the largest first.
///
/// Not inlined, since its keys would then occupy the stack as long as the order.
#[inline(never)]
fn sort_long(queue: &mut [u16], sizes: &Sizes<'_>) {
    const { assert!(WINDOW.is_power_of_two() && NUMBER < 16) };
    let mut keys = [0_u32; WINDOW];
    let keys = &mut keys[..queue.len()];
    for (key, &i) in keys.iter_mut().zip(&*queue) {
        // Messages of 2^21 half blocks and more, 64 MiB, count as equal.
        let mut size = [0];
        sizes(usize::from(i), &mut size);
        let size = size[0].min((1 << (32 - NUMBER)) - 1) as u32;
        *key = size << NUMBER | u32::from(i);
    }
    keys.sort_unstable_by_key(|&key| core::cmp::Reverse(key));
    for (i, &key) in queue.iter_mut().zip(&*keys) {
        *i = (key & (WINDOW as u32 - 1)) as u16;
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_message_occurs_once_and_the_largest_come_first() {
        let size = |i: usize| match i % 7 {
            0 => 0,
            1 => i * i,
            2 => usize::MAX >> 7,
            _ => i % (LARGEST_SHORT + 3),
        };
        let mut order = Order::new();
        for count in [0, 1, 5, 700, WINDOW] {
            order.fill(count, &|first, to| {
                to.iter_mut().zip(first..).for_each(|(to, i)| *to = size(i));
            });
            let all: Vec<usize> = order.with_blocks().iter().map(|&i| usize::from(i)).collect();
            // 2^21 and more count as equal.
            let sizes = all.iter().map(|&i| size(i).min((1 << 21) - 1));
            assert!(sizes.is_sorted_by(|a, b| a >= b));
            assert!(order.long().iter().all(|&i| size(usize::from(i)) > LARGEST_SHORT));
            assert!(order.without_blocks().iter().all(|&i| size(usize::from(i)) == 0));
            let mut each: Vec<_> = order.with_blocks().to_vec();
            each.extend(order.without_blocks());
            each.sort_unstable();
            assert!(each.into_iter().eq(0..count as u16));
        }
    }
}
