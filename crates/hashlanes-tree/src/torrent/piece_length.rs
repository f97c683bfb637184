//! Chooses and checks the length of pieces.

use super::merkle::BLOCK;
use super::metainfo::MAX_PIECE_LENGTH;

/// The piece length that libtorrent chooses for `total` bytes: 16 KiB for up to 2.56 MiB, and twice
/// as much for four times as many bytes, up to 16 MiB.
///
/// # Examples
/// ```
/// use hashlanes_tree::torrent::piece_length;
///
/// assert_eq!(piece_length::usual(1 << 20), 16 << 10);
/// assert_eq!(piece_length::usual(1 << 30), 512 << 10);
/// ```
pub fn usual(total: u64) -> u64 {
    // A hundredth of the square of the piece length, rounded: 2,684,355 for 16 KiB.
    let fits = |piece: &u64| total <= (piece.pow(2) + 50) / 100;
    (14..24).map(|exponent| 1 << exponent).find(fits).unwrap_or(16 << 20)
}

/// The maximum number of pieces of a created torrent: 2,097,152, as many as libtorrent accepts.
pub const MAX_PIECES: u64 = 1 << 21;

/// Why pieces cannot have this length. `None` if they can.
pub fn refused(length: u64, total: u64, has_v2: bool) -> Option<String> {
    if !(BLOCK..=MAX_PIECE_LENGTH).contains(&length) || !length.is_multiple_of(BLOCK) {
        let most = MAX_PIECE_LENGTH >> 20;
        return Some(format!(
            "a piece length must be a multiple of 16 KiB, up to {most} MiB, not {length} bytes"
        ));
    }
    if has_v2 && !length.is_power_of_two() {
        return Some(format!(
            "in version 2, a piece length must be a power of two, not {length} bytes"
        ));
    }
    let pieces = total.div_ceil(length);
    (pieces > MAX_PIECES).then(|| {
        let least = total.div_ceil(MAX_PIECES).next_power_of_two();
        format!(
            "pieces of {length} bytes would be {pieces}, and programs take at most {MAX_PIECES}: \
             use pieces of at least {least} bytes"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_of_libtorrent() {
        // The maximum number of bytes for each length, determined by experiment.
        let table = [
            (2_684_355, 16 << 10),
            (10_737_418, 32 << 10),
            (42_949_673, 64 << 10),
            (171_798_692, 128 << 10),
            (687_194_767, 256 << 10),
            (2_748_779_069, 512 << 10),
            (10_995_116_278, 1 << 20),
            (43_980_465_111, 2 << 20),
            (175_921_860_444, 4 << 20),
            (703_687_441_777, 8 << 20),
            (u64::MAX, 16 << 20),
        ];
        for (most, length) in table {
            assert_eq!(usual(most), length, "{most}");
        }
        for pair in table.windows(2) {
            assert_eq!(usual(pair[0].0 + 1), pair[1].1);
        }
        assert_eq!(usual(1), 16 << 10);
    }

    #[test]
    fn lengths_that_no_program_takes_are_refused() {
        assert_eq!(refused(16 << 10, 1, true), None);
        assert_eq!(refused(48 << 10, 1, false), None);
        assert_eq!(refused(512 << 20, 1 << 40, true), None);
        for (length, has_v2) in [
            (0, false),
            (1, false),
            (8 << 10, true),
            (48 << 10, true),
            (20_000, false),
            (1 << 30, false),
        ] {
            assert!(refused(length, 1, has_v2).is_some(), "{length}");
        }
        assert_eq!(refused(16 << 10, 32 << 30, true), None);
        let message = refused(16 << 10, (32 << 30) + 1, true).unwrap();
        assert!(message.ends_with("at least 32768 bytes"), "{message}");
    }
}
