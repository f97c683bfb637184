//! The order in which the messages of a window are hashed.

/// Messages that are put in order at a time. The more there are, the less neighbours in the order
/// differ. But each takes 6 bytes of the stack. With 512, 1024, 2048 and 4096, messages of 64 B to
/// 64 KiB were hashed with 1.69, 1.83, 1.88 and 1.87 bytes per cycle (MD5, Zen 3).
pub(crate) const WINDOW: usize = 2048;

/// Messages of more blocks than this are long. Neighbours in the order of a window differ so much
/// in their numbers of blocks then that lanes would idle for too long in a group.
const SHORT: usize = 32;

/// The messages of a window, by number, in three parts: the long ones, the short ones, and those
/// without blocks, which are not hashed.
pub(crate) struct Order {
    /// Counted from the window's first message.
    queue: [u16; WINDOW],
    /// Blocks of each message, at most u32::MAX. They are asked for only once: a caller's `AsRef`
    /// may answer differently the next time, and an order by two answers would leave messages out.
    blocks: [u32; WINDOW],
    /// Where the short ones begin in the queue.
    short: usize,
    /// Where those without blocks begin in the queue.
    end: usize,
    /// Messages of the window.
    count: usize,
}

impl Order {
    pub(crate) const fn new() -> Self {
        Self { queue: [0; WINDOW], blocks: [0; WINDOW], short: 0, end: 0, count: 0 }
    }

    /// Whether a message of so many blocks is a long one.
    pub(crate) fn is_long(blocks: usize) -> bool {
        blocks > SHORT
    }

    /// Puts messages `0..count` in order; `blocks` tells how many blocks one has.
    pub(crate) fn fill(&mut self, count: usize, mut blocks: impl FnMut(usize) -> usize) {
        // A counting sort, descending: class 0 holds the long ones, class SHORT + 1 - b those of b
        // blocks.
        let class = |blocks: u32| SHORT + 1 - (blocks as usize).min(SHORT + 1);
        let mut ends = [0; SHORT + 2];
        for (i, length) in self.blocks[..count].iter_mut().enumerate() {
            *length = u32::try_from(blocks(i)).unwrap_or(u32::MAX);
            ends[class(*length)] += 1;
        }
        let mut begin = 0;
        for end in &mut ends {
            begin += core::mem::replace(end, begin);
        }
        for (i, &length) in self.blocks[..count].iter().enumerate() {
            let place = &mut ends[class(length)];
            self.queue[*place] = i as u16;
            *place += 1;
        }
        self.short = ends[0];
        // The last class is that of no blocks.
        self.end = ends[SHORT];
        self.count = count;
        let blocks = &self.blocks;
        self.queue[..self.short]
            .sort_unstable_by_key(|&i| core::cmp::Reverse(blocks[usize::from(i)]));
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
