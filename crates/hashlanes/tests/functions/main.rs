//! The functions that the features choose: these tests run with any of them.

use hashlanes::hazmat::with_md_function;
use hashlanes::{Algorithm, Engine, HashFunction, with_function};

/// Whether a feature is on, and its functions: the name, whether it is of the MD4 family, and the
/// first bytes of the digest of "abc".
type Feature = (bool, &'static [(&'static str, bool, [u8; 4])]);

const FEATURES: [Feature; 7] = [
    (cfg!(feature = "md5"), &[("md5", true, [0x90, 0x01, 0x50, 0x98])]),
    (cfg!(feature = "sha1"), &[("sha1", true, [0xa9, 0x99, 0x3e, 0x36])]),
    (
        cfg!(feature = "sha2"),
        &[
            ("sha224", true, [0x23, 0x09, 0x7d, 0x22]),
            ("sha256", true, [0xba, 0x78, 0x16, 0xbf]),
            ("sha384", true, [0xcb, 0x00, 0x75, 0x3f]),
            ("sha512", true, [0xdd, 0xaf, 0x35, 0xa1]),
            ("sha512-256", true, [0x53, 0x04, 0x8e, 0x26]),
            ("sha256d", false, [0x4f, 0x8b, 0x42, 0xc2]),
        ],
    ),
    (cfg!(feature = "sm3"), &[("sm3", true, [0x66, 0xc7, 0xf0, 0xf4])]),
    (
        cfg!(feature = "sha3"),
        &[
            ("sha3-224", false, [0xe6, 0x42, 0x82, 0x4c]),
            ("sha3-256", false, [0x3a, 0x98, 0x5d, 0xa7]),
            ("sha3-384", false, [0xec, 0x01, 0x49, 0x82]),
            ("sha3-512", false, [0xb7, 0x51, 0x85, 0x0b]),
            ("keccak256", false, [0x4e, 0x03, 0x65, 0x7a]),
            ("keccak512", false, [0x18, 0x58, 0x7d, 0xc2]),
            ("shake128", false, [0x58, 0x81, 0x09, 0x2d]),
            ("shake256", false, [0x48, 0x33, 0x66, 0x60]),
        ],
    ),
    (
        cfg!(feature = "blake2"),
        &[
            ("blake2b", false, [0xba, 0x80, 0xa5, 0x3f]),
            ("blake2s", false, [0x50, 0x8c, 0x5e, 0x8c]),
        ],
    ),
    (cfg!(feature = "blake3"), &[("blake3", false, [0x64, 0x37, 0xb3, 0xac])]),
];

fn compiled() -> impl Iterator<Item = &'static (&'static str, bool, [u8; 4])> {
    FEATURES.iter().filter(|(is_on, _)| *is_on).flat_map(|(_, functions)| *functions)
}

#[test]
fn the_algorithms_are_those_of_the_features() {
    let mut names: Vec<_> = Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
    let mut expected: Vec<_> = compiled().map(|(name, ..)| *name).collect();
    names.sort_unstable();
    expected.sort_unstable();
    assert_eq!(names, expected);
}

#[test]
fn the_name_of_a_function_that_is_not_compiled_is_unknown() {
    for (is_on, functions) in FEATURES {
        for (name, ..) in functions {
            let found = Algorithm::from_name(name).map(Algorithm::name);
            assert_eq!(found.ok(), is_on.then_some(*name));
            let listed = Algorithm::from_name("no name").unwrap_err().to_string();
            let mut names = listed.rsplit("expected one of ").next().unwrap().split(", ");
            assert_eq!(names.any(|listed| listed == *name), is_on, "{listed}");
        }
    }
}

#[test]
fn every_function_hashes_one_message_and_many() {
    for (name, _, digest) in compiled() {
        let algorithm = Algorithm::from_name(name).unwrap();
        assert_eq!(algorithm.digest("abc").as_bytes()[..4], *digest, "{name}");
        let mut digests = vec![0; 40 * algorithm.digest_len()];
        Engine::of(algorithm).digest_many_into(&["abc"; 40], &mut digests);
        let mut digests = digests.chunks(algorithm.digest_len());
        assert!(digests.all(|many| many[..4] == *digest), "{name}");
    }
}

#[test]
fn macros_find_the_types_of_the_functions_that_are_compiled() {
    for (name, is_md, _) in compiled() {
        let algorithm = Algorithm::from_name(name).unwrap();
        assert_eq!(with_function!(algorithm, A => A::ALGORITHM), algorithm);
        let block: Option<usize> = with_md_function!(algorithm, A => A::ALGORITHM.block_len());
        assert_eq!(block.is_some(), *is_md, "{name}");
    }
}
