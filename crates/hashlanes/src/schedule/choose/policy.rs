//! Decides how the messages of a call are hashed: pure functions of their number, their lengths and
//! the kernels' properties.
//!
//! Nothing here reads a message or queries the CPU, so tests can use arbitrary ones.

use crate::kernel::Origin;

/// The most blocks by which the lengths of messages that run in step may differ.
pub(crate) const SIMILAR: usize = 2;

/// Up to this many messages, sorting a window takes longer than it saves, and so does clearing the
/// memory of several groups.
pub(crate) const FEW: usize = 8;

/// As many as the lanes of a vector of AVX-512.
pub(crate) const SOME: usize = 16;

/// From this many messages on, sorting pays off even if they have similar lengths. Zen 4, messages
/// of 32 to 96 bytes: 48 of them took 1.05 (SHA-256) to 1.25 times (MD5) as long when sorted; 64
/// took 1.03 to 1.17 times as long when not sorted.
pub(crate) const SORTED: usize = 64;

/// Messages of more blocks than this are long. Beyond it, neighbours in the sorted window differ by
/// so many blocks that lanes of a group would idle for too long.
pub(crate) const SHORT: usize = 32;

/// Bytes of the shortest messages that are prefetched: lanes wait for each message's first lines.
/// Shorter ones arrive before a prefetch would help.
const PREFETCHED: usize = 65;

/// Bytes of the longest messages that are prefetched. The hardware prefetches longer ones. Zen 4,
/// 64 MiB in memory: MD5 of 1,500 bytes is 2.0 times as fast with a prefetch to the second-level
/// cache as without one, and of 2,048 bytes 0.75.
pub(crate) const fn longest_prefetched(origin: Origin) -> usize {
    match origin {
        Origin::Near => 1024,
        Origin::Memory => 2047,
    }
}

/// Total bytes of a call from which messages are prefetched that are hashed in the given order:
/// they are assumed to be in memory. Prefetching messages that are cached takes up to 1.2 times as
/// long (MD5).
pub(crate) const UNCACHED: usize = 8 << 20;

/// The same for sorted messages. The hardware cannot prefetch these, so that it costs more to omit
/// a prefetch (up to 1.9 times the time) than to prefetch what is cached (up to 1.08 times).
pub(crate) const UNCACHED_SORTED: usize = 256 << 10;

/// What precedes every message of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing, or whole blocks.
    Blocks,
    /// Bytes after the last whole block, which can be copied before a message.
    Bytes,
    /// More bytes than any code but the scheduler can count.
    Much,
}

/// The lengths of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// Whether all have the same number of bytes.
    pub(crate) equal: bool,
    /// The numbers of blocks of the shortest and the longest, including what precedes them and the
    /// padding.
    pub(crate) fewest: usize,
    pub(crate) most: usize,
}

/// How messages are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// In the given order, in step.
    InOrder,
    /// In the given order, each behind a copy of the bytes that precede it.
    Prefixed,
    /// Sorted by length, through the scheduler.
    Few,
    /// In windows, each sorted by length, in step.
    Short,
    /// In windows: short ones in step, long ones through a scheduler that continues from window to
    /// window.
    Mixed,
}

/// The way for `count` messages. From `sorted` of them on, those of similar lengths are sorted.
pub(crate) fn way(count: usize, lengths: Lengths, before: Before, sorted: usize) -> Way {
    let difference = lengths.most - lengths.fewest;
    match before {
        Before::Blocks if difference == 0 || difference <= SIMILAR && count < sorted => {
            Way::InOrder
        }
        Before::Bytes if lengths.equal => Way::Prefixed,
        _ if count <= FEW => Way::Few,
        _ if lengths.most > SHORT => Way::Mixed,
        _ => Way::Short,
    }
}

/// Whether to try a kernel for whole messages as if all had the same length, before reading all
/// lengths. `samples` are the lengths of three of them. If others differ, only the lengths of one
/// call's messages were read unnecessarily.
pub(crate) fn may_be_equal(before: Before, samples: [usize; 3]) -> bool {
    let [first, second, middle] = samples;
    before == Before::Blocks && first == second && first == middle
}

/// How many of `left` messages to pass to the next call of the best kernel for them, which has
/// `lanes` lanes and takes `most` messages: only full groups if the remainder `goes_elsewhere`,
/// because it is faster in a kernel with fewer lanes.
pub(crate) fn next_call(
    left: usize,
    most: usize,
    lanes: usize,
    goes_elsewhere: impl FnOnce(usize) -> bool,
) -> usize {
    let rest = left & (lanes - 1); // Lanes are a power of two.
    if left <= most && (left < lanes || rest > 0 && !goes_elsewhere(rest)) {
        return left;
    }
    left.min(most) & !(lanes - 1)
}

/// Whether `count` messages need memory for only one group.
pub(crate) fn one_group(count: usize, lanes: usize) -> bool {
    count <= lanes.max(FEW)
}

/// Whether to prefetch the `count` messages of a call, of about `length` bytes each, and where they
/// are assumed to be. They are prefetched if they have at least `bytes` bytes in all, which is 0 if
/// they are known to be in memory.
pub(crate) fn prefetches(
    count: usize,
    bytes: usize,
    length: impl FnOnce() -> usize,
) -> Option<Origin> {
    // Reading the length takes longer than this test.
    if count < bytes / longest_prefetched(Origin::Memory) {
        return None;
    }
    let length = length();
    let total = length.saturating_mul(count);
    let origin = if bytes == 0 || total >= UNCACHED { Origin::Memory } else { Origin::Near };
    let suits = (PREFETCHED..=longest_prefetched(origin)).contains(&length);
    (suits && total >= bytes).then_some(origin)
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;

    #[test]
    fn the_lengths_decide() {
        use Before::{Blocks, Bytes, Much};
        use Way::{Few, InOrder, Mixed, Prefixed, Short};
        // Number of messages, blocks of the shortest and the longest, and the ways: after whole
        // blocks, after a carry, and after very many bytes.
        let table = [
            (2, 1, 1, [InOrder, Few, Few]),
            (2, 1, 3, [InOrder, Few, Few]),
            (2, 1, 4, [Few, Few, Few]),
            (8, 1, 40, [Few, Few, Few]),
            (9, 1, 4, [Short, Short, Short]),
            (9, 1, 40, [Mixed, Mixed, Mixed]),
            (9, 1, 32, [Short, Short, Short]),
            (9, 1, 33, [Mixed, Mixed, Mixed]),
            (63, 1, 3, [InOrder, Short, Short]),
            (64, 1, 3, [Short, Short, Short]),
            (64, 3, 3, [InOrder, Short, Short]),
            (64, 1000, 1000, [InOrder, Mixed, Mixed]),
            (63, 1000, 1002, [InOrder, Mixed, Mixed]),
            (1 << 20, 1, 1, [InOrder, Short, Short]),
        ];
        for (count, fewest, most, ways) in table {
            for (before, expected) in [Blocks, Bytes, Much].into_iter().zip(ways) {
                let lengths = Lengths { equal: false, fewest, most };
                assert_eq!(
                    way(count, lengths, before, SORTED),
                    expected,
                    "{count} {lengths:?} {before:?}"
                );
                if fewest == most {
                    let lengths = Lengths { equal: true, ..lengths };
                    let expected = if before == Bytes { Prefixed } else { expected };
                    assert_eq!(
                        way(count, lengths, before, SORTED),
                        expected,
                        "{count} {lengths:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn messages_are_tried_as_equally_long_if_three_of_them_are() {
        assert!(may_be_equal(Before::Blocks, [5, 5, 5]));
        assert!(!may_be_equal(Before::Bytes, [5, 5, 5]));
        assert!(!may_be_equal(Before::Much, [5, 5, 5]));
        assert!(!may_be_equal(Before::Blocks, [5, 6, 5]));
        assert!(!may_be_equal(Before::Blocks, [5, 5, 6]));
    }

    #[test]
    fn a_call_fills_all_lanes_of_its_groups_if_another_kernel_is_better_for_the_remainder() {
        // Messages, the most of a call, lanes; the next call if the remainder goes elsewhere, and
        // if not.
        let table = [
            (1, 128, 16, 1, 1),
            (15, 128, 16, 15, 15),
            (16, 128, 16, 16, 16),
            (47, 128, 16, 32, 47),
            (500, 128, 16, 128, 128),
            (500, 8, 2, 8, 8),
            (7, 8, 2, 6, 7),
            (7, 4, 1, 4, 4),
        ];
        for (left, most, lanes, elsewhere, here) in table {
            assert_eq!(next_call(left, most, lanes, |_| true), elsewhere, "{left} {most} {lanes}");
            assert_eq!(next_call(left, most, lanes, |_| false), here, "{left} {most} {lanes}");
        }
        next_call(47, 128, 16, |rest| {
            assert_eq!(rest, 15);
            true
        });
    }

    #[test]
    fn few_messages_have_memory_for_one_group() {
        assert!(one_group(8, 2) && one_group(16, 16));
        assert!(!one_group(9, 2) && !one_group(17, 16));
    }

    #[test]
    fn only_uncached_messages_of_medium_length_are_prefetched() {
        let prefetches = |length, count, bytes| prefetches(count, bytes, || length);
        let memory = Some(Origin::Memory);
        assert_eq!([65, 2047].map(|length| prefetches(length, 2, 0)), [memory; 2]);
        assert_eq!([64, 2048].map(|length| prefetches(length, 2, 0)), [None; 2]);
        for (bytes, longest, origin) in
            [(UNCACHED, 2047, memory), (UNCACHED_SORTED, 1024, Some(Origin::Near))]
        {
            for length in [512, 1024, longest] {
                let count = bytes.div_ceil(length);
                assert_eq!(prefetches(length, count, bytes), origin, "{length}");
                assert_eq!(prefetches(length, count - 1, bytes), None, "{length}");
            }
            assert_eq!(prefetches(longest + 1, bytes.div_ceil(longest + 1), bytes), None);
        }
        // From 8 MiB on, messages that are sorted come from memory, too.
        assert_eq!(prefetches(2047, UNCACHED / 2047 + 1, UNCACHED_SORTED), memory);
    }
}
