//! The order in which the messages of a window are hashed.

use super::policy::SHORT;

/// The number of messages that are sorted at a time. With more, neighbours in the order differ
/// less, but each takes 3 bytes of stack. With 512, 1024, 2048 and 4096, messages of 64 B to 64 KiB
/// were hashed at 1.69, 1.83, 1.88 and 1.87 bytes per cycle (MD5, Zen 3).
pub(crate) const WINDOW: usize = 2048;

/// The number of classes of messages: class 0 has the long ones, class `SHORT + 1 - b` those of `b`
/// blocks.
const CLASSES: usize = SHORT + 2;

/// Writes the numbers of blocks of the messages from a given number on. A call for each message
/// would take longer than sorting them.
pub(crate) type Blocks<'b> = dyn Fn(usize, &mut [usize]) + 'b;

/// The number of messages that are requested in one call.
const AT_ONCE: usize = 64;

/// The messages of a window, by number, in three parts: the long ones, the short ones, and those
/// without blocks, which are not hashed. In each part, those with the most blocks come first.
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

    /// Sorts messages `0..count` by the numbers of blocks that `blocks` writes.
    pub(crate) fn fill(&mut self, count: usize, blocks: &Blocks<'_>) {
        // A counting sort by class.
        let mut ends = [0; CLASSES];
        let mut some = [0; AT_ONCE];
        for (number, classes) in self.classes[..count].chunks_mut(AT_ONCE).enumerate() {
            let some = &mut some[..classes.len()];
            blocks(number * AT_ONCE, some);
            for (class, &blocks) in classes.iter_mut().zip(&*some) {
                *class = (SHORT + 1 - blocks.min(SHORT + 1)) as u8;
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
        self.end = ends[SHORT];
        self.count = count;
        sort_long(&mut self.queue[..self.short], blocks);
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

/// Sorts messages by their number of blocks, the most first.
///
/// Not inlined, since its keys would then occupy the stack as long as the order.
#[inline(never)]
fn sort_long(queue: &mut [u16], blocks: &Blocks<'_>) {
    const { assert!(WINDOW.is_power_of_two() && NUMBER < 16) };
    let mut keys = [0_u32; WINDOW];
    let keys = &mut keys[..queue.len()];
    for (key, &i) in keys.iter_mut().zip(&*queue) {
        // Messages of 2^21 blocks and more, 128 MiB, count as equal.
        let mut count = [0];
        blocks(usize::from(i), &mut count);
        let count = count[0].min((1 << (32 - NUMBER)) - 1) as u32;
        *key = count << NUMBER | u32::from(i);
    }
    keys.sort_unstable_by_key(|&key| core::cmp::Reverse(key));
    for (i, &key) in queue.iter_mut().zip(&*keys) {
        *i = (key & (WINDOW as u32 - 1)) as u16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_message_occurs_once_and_the_most_blocks_come_first() {
        let blocks = |i: usize| match i % 7 {
            0 => 0,
            1 => i * i,
            2 => usize::MAX >> 7,
            _ => i % (SHORT + 3),
        };
        let mut order = Order::new();
        for count in [0, 1, 5, 700, WINDOW] {
            order.fill(count, &|first, to| {
                to.iter_mut().zip(first..).for_each(|(to, i)| *to = blocks(i));
            });
            let all: Vec<usize> = order.with_blocks().iter().map(|&i| usize::from(i)).collect();
            // 2^21 blocks and more count as equal.
            let sizes = all.iter().map(|&i| blocks(i).min((1 << 21) - 1));
            assert!(sizes.is_sorted_by(|a, b| a >= b));
            assert!(order.long().iter().all(|&i| blocks(usize::from(i)) > SHORT));
            assert!(order.without_blocks().iter().all(|&i| blocks(usize::from(i)) == 0));
            let mut each: Vec<_> = order.with_blocks().to_vec();
            each.extend(order.without_blocks());
            each.sort_unstable();
            assert!(each.into_iter().eq(0..count as u16));
        }
    }
}
