//! The functions that hash one message at a time, compared with other programs.

use hashlanes_files::{Digest, Engine, Function, Single};

/// The digests of `abc`: from coreutils (`b2sum -l 160`, `cksum`, `sum`, `sum -s`), zlib, `awscrt`
/// and `xxhsum`.
const ABC: &[(Single, &str)] = &[
    (Single::Blake2b { bits: 160 }, "384264f676f39536840523f284921cdc68b6846b"),
    (Single::Blake2b { bits: 8 }, "6b"),
    (Single::Crc32, "352441c2"),
    (Single::Crc32c, "364b3fb7"),
    (Single::Crc64Nvme, "05e5cabb3fc1faeb"),
    (Single::Xxh3, "78af5f94892f3950"),
    (Single::Xxh64, "44bc2cf5ad770999"),
    (Single::Xxh128, "06b05ab6733a618578af5f94892f3950"),
    (Single::PosixCrc, "48aa78a2"),
    (Single::BsdSum, "40ac"),
    (Single::SysvSum, "0126"),
];

/// The digests of the message of `long`: from Python, coreutils, `awscrt` and `xxhsum`.
const LONG: &[(Single, &str)] = &[
    (Single::Crc32, "5cc1ce13"),
    (Single::Crc32c, "7957da17"),
    (Single::Crc64Nvme, "741e1f9c969a9d67"),
    (Single::Xxh3, "1428e17f1cac2837"),
    (Single::Xxh64, "eb1adcdd9e1369a6"),
    (Single::Xxh128, "ecd387d36185351b1428e17f1cac2837"),
    (Single::PosixCrc, "9972ee27"),
    (Single::BsdSum, "6eed"),
    (Single::SysvSum, "4cf7"),
];

/// The message of BLAKE3's test vectors.
fn long() -> Vec<u8> {
    (0..102_400).map(|index| (index % 251) as u8).collect()
}

fn engine(single: Single) -> Engine {
    Engine::new(Function::Single(single))
}

/// The digest of a message that is hashed in pieces of this length, as the second of three
/// messages.
fn in_pieces(single: Single, message: &[u8], length: usize) -> Digest {
    let mut hashers = engine(single).hashers(3);
    for piece in message.chunks(length) {
        hashers.update(&[b"other", piece, b""]);
    }
    hashers.finalize_reset(1)
}

#[test]
fn digests_are_those_of_other_programs() {
    for &(single, expected) in ABC {
        assert_eq!(engine(single).digest(b"abc").to_string(), expected, "{single:?}");
    }
    for &(single, expected) in LONG {
        assert_eq!(engine(single).digest(&long()).to_string(), expected, "{single:?}");
    }
}

#[test]
fn pieces_make_no_difference() {
    let message = long();
    for &(single, _) in ABC {
        for length in [1, 64, 1000, 65_536, message.len()] {
            let whole = engine(single).digest(&message);
            assert_eq!(in_pieces(single, &message, length), whole, "{single:?} {length}");
        }
    }
}

#[test]
fn a_place_begins_a_new_message_when_its_digest_is_taken_or_it_is_reset() {
    for function in Function::every() {
        let empty = Engine::new(function).digest(b"");
        let mut hashers = Engine::new(function).hashers(2);
        hashers.update(&[b"a", b"b"]);
        assert_ne!(hashers.finalize_reset(0), empty, "{function}");
        hashers.reset(1);
        assert_eq!(hashers.finalize_reset(0), empty, "{function}");
        assert_eq!(hashers.finalize_reset(1), empty, "{function}");
    }
}

/// The length is hashed without trailing zero bytes, so an empty message has no length bytes.
#[test]
fn the_crc_of_posix_covers_the_length() {
    let crc = |message: &[u8]| engine(Single::PosixCrc).digest(message).to_string();
    assert_eq!(crc(b""), "ffffffff");
    assert_eq!(crc(&[0; 256]), "fb3ee248");
    assert_eq!(crc(&[0; 65_536]), "fb3ee248");
}
