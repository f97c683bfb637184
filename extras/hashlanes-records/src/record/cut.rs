//! Cutting a write into fragments: equal where possible, so that their records fill lanes evenly.

use std::ops::Range;

/// Fragment `i` of `length` bytes that are cut into fragments of at most `limit >= 1` bytes. No two
/// differ by more than one byte; the longer ones come first. Nothing is one empty fragment.
pub(super) fn fragment(length: usize, limit: usize, i: usize) -> Range<usize> {
    let count = count(length, limit);
    let (shortest, longer) = (length / count, length % count);
    let start = |i: usize| i * shortest + i.min(longer);
    start(i)..start(i + 1)
}

/// How many there are: at least one.
pub(super) fn count(length: usize, limit: usize) -> usize {
    length.div_ceil(limit).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_are_all_of_the_write_and_equal_within_a_byte() {
        for limit in [1, 2, 7, 100, 16384] {
            for length in (0..300).chain([16383, 16384, 16385, 100_000]) {
                let fragments: Vec<_> =
                    (0..count(length, limit)).map(|i| fragment(length, limit, i)).collect();
                assert_eq!((fragments[0].start, fragments.last().unwrap().end), (0, length));
                assert!(fragments.windows(2).all(|pair| pair[0].end == pair[1].start));
                let lengths = fragments.iter().map(|fragment| fragment.len());
                let (shortest, longest) = (lengths.clone().min().unwrap(), lengths.max().unwrap());
                assert!(longest <= limit && longest - shortest <= 1, "{length} by {limit}");
            }
        }
    }
}
