//! `AnyDigest`: made from bytes and hexadecimal digits, compared, sorted and formatted.

use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};

use crate::common::noise;
use hashlanes::{Algorithm, AnyDigest, Md5, Sha256, Sha512};

const LENGTHS: [usize; 6] = [16, 20, 28, 32, 48, 64];

fn digest(seed: u64, length: usize) -> AnyDigest {
    AnyDigest::try_from(&noise(seed, length)[..]).unwrap()
}

#[test]
fn bytes_of_every_length_that_digests_have() {
    for length in 0..200 {
        let bytes = noise(1, length);
        match AnyDigest::try_from(&bytes[..]) {
            Ok(digest) => {
                assert!(LENGTHS.contains(&length));
                assert_eq!(digest.as_bytes(), bytes);
                assert_eq!(digest.as_ref(), bytes);
            }
            Err(error) => {
                assert!(!LENGTHS.contains(&length));
                let right =
                    format!("a digest must have 16, 20, 28, 32, 48 or 64 bytes, not {length}");
                assert_eq!(error.to_string(), right);
            }
        }
    }
    for &algorithm in Algorithm::ALL {
        assert!(LENGTHS.contains(&algorithm.digest_len()), "{algorithm}");
    }
    assert_eq!(AnyDigest::from([7; 28]).as_bytes(), [7; 28]);
}

#[test]
fn hexadecimal_digits_of_every_length() {
    for digits in 0..300 {
        let text = "5b".repeat(digits / 2) + &"5"[..digits % 2];
        match text.parse::<AnyDigest>() {
            Ok(digest) => {
                assert!(digits % 2 == 0 && LENGTHS.contains(&(digits / 2)), "{digits}");
                assert_eq!(digest.as_bytes(), vec![0x5b; digits / 2]);
                assert_eq!(digest.to_string(), text);
            }
            Err(error) => {
                assert!(digits % 2 == 1 || !LENGTHS.contains(&(digits / 2)), "{digits}");
                let right = format!(
                    "a digest must have 32, 40, 56, 64, 96 or 128 hexadecimal digits, not {digits}"
                );
                assert_eq!(error.to_string(), right);
            }
        }
    }
}

#[test]
fn lower_upper_and_mixed_case() {
    for length in LENGTHS {
        for seed in 0..50 {
            let digest = digest(seed, length);
            let (lower, upper) = (format!("{digest:x}"), format!("{digest:X}"));
            assert_eq!(lower.parse(), Ok(digest));
            assert_eq!(upper.parse(), Ok(digest));
            assert_eq!(upper, lower.to_uppercase());
            let mixed: String = lower
                .chars()
                .enumerate()
                .map(|(i, digit)| if i % 3 == 0 { digit.to_ascii_uppercase() } else { digit })
                .collect();
            assert_eq!(mixed.parse(), Ok(digest));
        }
    }
}

#[test]
fn an_invalid_digit_is_reported_with_its_position() {
    let right = "0123456789abcdef0123456789abcdef";
    for (at, wrong) in [(0, 'g'), (31, ' '), (16, '-'), (5, 'é'), (7, '\n'), (9, '٣'), (3, '+')] {
        let text: String =
            right.chars().enumerate().map(|(i, c)| if i == at { wrong } else { c }).collect();
        let error = text.parse::<AnyDigest>().unwrap_err().to_string();
        let number = at + 1;
        assert_eq!(
            error,
            format!("character {number} of a digest is {wrong:?}, not a hexadecimal digit")
        );
    }
    // An invalid digit is reported before a wrong length: it is the actual error in a line where a
    // file name follows the digest.
    let error = format!("{right}  file").parse::<AnyDigest>().unwrap_err().to_string();
    assert!(error.starts_with("character 33 of a digest is ' '"), "{error}");
}

#[test]
fn formats() {
    let digest = Algorithm::Md5.digest(b"");
    let lower = "d41d8cd98f00b204e9800998ecf8427e";
    assert_eq!(digest.to_string(), lower);
    assert_eq!(format!("{digest:x}"), lower);
    assert_eq!(format!("{digest:X}"), lower.to_uppercase());
    assert_eq!(format!("{digest:#x} {digest:#X}"), format!("0x{lower} 0x{}", lower.to_uppercase()));
    assert_eq!(format!("{digest:>34}|{digest:35}|"), format!("  {lower}|{lower}   |"));
    assert_eq!(format!("{digest:.8}"), "d41d8cd9");
    assert_eq!(format!("{digest:?}"), format!("AnyDigest({lower})"));
}

#[test]
fn equal_if_all_bytes_are_equal() {
    for length in LENGTHS {
        let one = digest(3, length);
        assert_eq!(one, digest(3, length));
        for byte in 0..length {
            for bit in 0..8 {
                let mut bytes = one.as_bytes().to_vec();
                bytes[byte] ^= 1 << bit;
                assert_ne!(one, AnyDigest::try_from(&bytes[..]).unwrap());
                assert!(one != bytes[..]);
            }
        }
    }
    // The zeros that fill the array are not part of a digest.
    for (shorter, longer) in LENGTHS.iter().zip(&LENGTHS[1..]) {
        let (shorter, longer) = (vec![0; *shorter], vec![0; *longer]);
        let digest = AnyDigest::try_from(&shorter[..]).unwrap();
        assert_ne!(digest, AnyDigest::try_from(&longer[..]).unwrap());
        assert!(digest == shorter[..] && digest != longer[..]);
    }
}

#[test]
fn equal_to_bytes_in_all_their_forms() {
    let digest = Algorithm::Sha256.digest("abc");
    let array = Sha256::digest("abc");
    let slice = &array[..];
    assert_eq!(digest, array);
    assert_eq!(digest, slice);
    assert_eq!(digest, *slice);
    assert_ne!(digest, Sha256::digest("abd"));
    assert_ne!(digest, Sha512::digest("abc"));
    assert_ne!(digest, slice[..31]);
    assert_ne!(digest, &slice[..31]);
    assert_ne!(digest, [0_u8; 0]);
}

#[test]
fn there_are_as_many_as_messages() {
    for algorithm in Algorithm::ALL {
        let digests = ["ab", "cd", "e"].map(|message| algorithm.digest(message));
        assert_eq!(algorithm.digest_many(&["ab", "cd", "e"]), digests);
        assert_eq!(algorithm.digest_chunks(b"abcde", 2), digests);
    }
}

/// Order and hash are those of byte slices, so digests can be looked up by their bytes in sorted
/// lists and maps.
#[test]
fn order_and_hash_are_those_of_the_bytes() {
    let mut digests: Vec<_> = (0..300).map(|i| digest(i % 100, LENGTHS[i as usize % 6])).collect();
    // Digests of different lengths with a common prefix.
    digests.extend(LENGTHS.map(|length| AnyDigest::try_from(&vec![0; length][..]).unwrap()));
    digests.extend((0..16).map(|i| AnyDigest::from([[1; 16], [2; 16]][i % 2])));
    let state = RandomState::new();
    for one in &digests {
        assert_eq!(state.hash_one(one), state.hash_one(one.as_bytes()));
        for other in &digests {
            assert_eq!(one.cmp(other), one.as_bytes().cmp(other.as_bytes()));
            assert_eq!(one.partial_cmp(other), Some(one.cmp(other)));
            assert_eq!(one == other, one.cmp(other).is_eq());
        }
    }
    let sorted: BTreeSet<_> = digests.iter().copied().collect();
    let hashed: HashSet<_> = digests.iter().copied().collect();
    let bytes: HashSet<_> = digests.iter().map(|digest| digest.as_bytes()).collect();
    assert_eq!((sorted.len(), hashed.len()), (bytes.len(), bytes.len()));
    assert!(sorted.contains(&AnyDigest::from([0; 64])));
    assert!(!hashed.contains(&AnyDigest::from(Md5::digest("no such digest"))));
}
