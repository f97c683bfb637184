//! More than 4 GiB, in one message and in all messages of one call.
//!
//! The messages are in a buffer of zeros in which only a few pages are written. The system maps all
//! others to one page of zeros, so the buffer takes only a few megabytes. Its addresses need 64
//! bits.
#![cfg(all(feature = "alloc", target_pointer_width = "64"))]

use std::sync::LazyLock;

use crate::common::oracle;
use hashlanes::{Algorithm, Done, Engine, Hasher, Lanes, Sha256};

const GIB: usize = 1 << 30;
const LEN: usize = 4 * GIB + 12_345;

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut bytes = vec![0; LEN];
    // Markers near the beginning, around 4 GiB, at the end and in between, so that reading at a
    // wrong position changes the digest.
    for at in [
        0,
        1,
        63,
        64,
        GIB + 7,
        2 * GIB - 1,
        2 * GIB,
        3 * GIB + 12_345,
        4 * GIB - 1,
        4 * GIB,
        LEN - 1,
    ] {
        bytes[at] = at as u8 | 1;
    }
    bytes
});

/// Whether to skip these tests, which would take many minutes in an emulator.
fn quick() -> bool {
    std::env::var_os("HASHLANES_QUICK").is_some()
}

static SHA256: LazyLock<Vec<u8>> = LazyLock::new(|| oracle(Algorithm::Sha256, &BYTES));

#[test]
fn one_message_among_short_ones() {
    if quick() {
        return;
    }
    let messages = [&BYTES[..100], &BYTES[..], &BYTES[..1 << 20], b""];
    let digests = Algorithm::Sha256.digest_many(&messages);
    assert_eq!(digests[1].as_bytes(), *SHA256);
    for i in [0, 2, 3] {
        assert_eq!(digests[i].as_bytes(), oracle(Algorithm::Sha256, messages[i]));
    }
}

/// Pieces of different lengths, one of them longer than 2 GiB, with a hasher and with a manager.
#[test]
fn one_message_in_pieces() {
    if quick() {
        return;
    }
    let ends = [0, 1, 100, 2 * GIB + 50, 3 * GIB, 4 * GIB - 1, 4 * GIB, 4 * GIB + 64, LEN];
    let mut lanes = Lanes::<Sha256, &[u8], ()>::with_engine(Engine::new(), 1);
    let mut hasher = Hasher::<Sha256>::new();
    let mut job = None;
    for ends in ends.windows(2) {
        let piece = &BYTES[ends[0]..ends[1]];
        if ends[1] > 3 * GIB {
            hasher.update(piece);
        }
        let done = match job.take() {
            None => lanes.first(piece, ()),
            Some(job) if ends[1] == LEN => lanes.last(job, piece),
            Some(job) => lanes.update(job, piece),
        };
        match done {
            Some(Done::Piece { job: next, .. }) => {
                assert_eq!(next.len(), ends[1] as u128);
                job = Some(next);
            }
            Some(Done::Message { digest, .. }) => {
                assert_eq!(ends[1], LEN);
                assert_eq!(digest.as_ref(), *SHA256);
            }
            None => panic!("the only slot is full"),
        }
    }
    assert!(job.is_none());
    assert_eq!(hasher.len(), (LEN - 3 * GIB) as u128);
    assert_eq!(hasher.finalize().as_ref(), oracle(Algorithm::Sha256, &BYTES[3 * GIB..]));
}

/// 64 messages of three lengths, together longer than 4 GiB, in the widest kernel.
#[test]
fn many_messages() {
    if quick() {
        return;
    }
    let messages: Vec<_> = (0..64)
        .map(|i| &BYTES[2 * GIB - 30 + i % 3..][..68_000_000 + 1_000_000 * (i % 3)])
        .collect();
    assert!(messages.iter().map(|message| message.len()).sum::<usize>() > 4 * GIB);
    let digests = Engine::of(Algorithm::Md5).digest_many(&messages);
    for kind in 0..3 {
        let right = oracle(Algorithm::Md5, messages[kind]);
        assert!(digests.iter().skip(kind).step_by(3).all(|digest| digest.as_bytes() == right));
    }
}
