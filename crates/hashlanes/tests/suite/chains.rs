//! Hash chains beside the digest of a digest, one after another, of other implementations.

use crate::common::{for_each_function, oracle};
use hashlanes::{
    Engine, HashFunction, Keccak256, Md5, Prefix, Sha1, Sha224, Sha256, Sha384, Sha512, Shake256,
    Sm3,
};

/// Prefixes with the best kernels and with each that this CPU can run.
fn prefixes<A: HashFunction>(bytes: &[u8]) -> Vec<Prefix<A>> {
    let available = A::ALGORITHM.kernels().filter(|kernel| kernel.is_available());
    let forced = available.map(|kernel| Engine::with_kernel(kernel.name).unwrap());
    let engines = std::iter::once(Engine::new()).chain(forced);
    engines.map(|engine| Prefix::with_engine(engine, bytes)).collect()
}

/// Most chains are short, some are not continued at all.
fn lengths(count: usize) -> Vec<u64> {
    let mut random = fastrand::Rng::with_seed(count as u64);
    (0..count).map(|_| random.u64(..4) * random.u64(..9)).collect()
}

/// The digests of the bytes of a prefix and those of a message.
fn behind<A: HashFunction>(prefix: &[u8], message: &[u8]) -> Vec<u8> {
    oracle(A::ALGORITHM, &[prefix, message].concat())
}

fn test<A: HashFunction>(bytes: &[u8]) {
    for count in [0, 1, 2, 3, 4, 7, 9, 16, 20, 33, 65, 150] {
        let mut values = vec![A::digest([count as u8]); count];
        values.iter_mut().enumerate().for_each(|(i, value)| value.as_mut()[0] ^= i as u8);
        let lengths = lengths(count);
        let mut expected = values.clone();
        for (value, &length) in expected.iter_mut().zip(&lengths) {
            for _ in 0..length {
                let digest = behind::<A>(bytes, value.as_ref());
                value.as_mut().copy_from_slice(&digest);
            }
        }
        for prefix in prefixes::<A>(bytes) {
            let mut values = values.clone();
            prefix.digest_chains(&mut values, &lengths);
            assert_eq!(values, expected, "{count} chains of {prefix:?}");
        }
    }
}

#[test]
fn chains_are_digests_of_digests() {
    for_each_function!(test(b""));
}

/// Values at all kinds of places in a block, and blocks that are too short for them.
#[test]
fn chains_have_prefixes() {
    test::<Md5>(b"tag");
    test::<Md5>(&[1; 64]);
    test::<Sha1>(b"tag");
    test::<Sha224>(b"tag");
    for length in [3, 15, 23, 24, 64, 67] {
        test::<Sha256>(&[1; 67][..length]);
    }
    test::<Sha384>(&[1; 15]);
    test::<Sha512>(b"tag");
    test::<Sha512>(&[1; 128 + 8]);
    test::<Sm3>(&[1; 2]);
    for length in [3, 8, 103, 104, 136, 144] {
        test::<Keccak256>(&[2; 144][..length]);
    }
}

fn test_numbered<A: HashFunction>(bytes: &[u8], input_len: usize, value_len: usize) {
    for count in [5, 21] {
        let inputs: Vec<_> = (0..count * input_len).map(|i| (i * 7) as u8).collect();
        let lengths = lengths(count);
        let mut expected = inputs.clone();
        for (input, &length) in expected.chunks_exact_mut(input_len).zip(&lengths) {
            for _ in 0..length {
                let digest = behind::<A>(bytes, input);
                let (number, value) = input.split_at_mut(input_len - value_len);
                value.copy_from_slice(&digest[..value_len]);
                let number = number.last_mut().unwrap();
                *number = number.wrapping_add(1);
            }
        }
        for prefix in prefixes::<A>(bytes) {
            let mut inputs = inputs.clone();
            prefix.digest_numbered_chains(&mut inputs, input_len, value_len, &lengths);
            assert_eq!(inputs, expected, "{input_len} and {value_len} bytes, {prefix:?}");
        }
    }
}

#[test]
fn numbered_chains_count_their_links() {
    // The chains of SLH-DSA, and other places of the value in a block.
    for (input_len, value_len) in [(38, 16), (46, 24), (54, 32), (1, 0), (33, 32), (55, 17)] {
        test_numbered::<Sha256>(&[3; 64], input_len, value_len);
    }
    for input_len in [17, 18, 32, 33, 55, 56, 100] {
        test_numbered::<Sha256>(b"", input_len, 16);
        test_numbered::<Sha224>(b"", input_len, 13);
    }
    for (start, value_len) in [(1, 16), (4, 16), (7, 5), (38, 16), (3, 1)] {
        test_numbered::<Md5>(&[3; 64], start + value_len, value_len);
        test_numbered::<Sha1>(b"", start + value_len, value_len);
        test_numbered::<Sm3>(b"an odd one", start + value_len, value_len);
    }
    for (start, value_len) in [(22, 32), (8, 64), (1, 64), (47, 64), (13, 7)] {
        test_numbered::<Sha512>(&[3; 128], start + value_len, value_len);
    }
    for (seed, input_len, value_len) in [(16, 48, 16), (24, 56, 24), (32, 64, 32), (137, 39, 32)] {
        test_numbered::<Shake256>(&[4; 137][..seed], input_len, value_len);
    }
    for input_len in [9, 16, 100, 200] {
        test_numbered::<Keccak256>(b"", input_len, 8);
        test_numbered::<Keccak256>(&[5; 136], input_len, 3);
    }
}

#[test]
fn segments_are_verified() {
    let starts: Vec<_> = (0..40).map(|i| Sha256::digest([i])).collect();
    let lengths = lengths(40);
    let mut ends = starts.clone();
    Prefix::<Sha256>::new([]).digest_chains(&mut ends, &lengths);
    assert_eq!(Prefix::<Sha256>::new([]).verify_chains(&starts, &ends, &lengths), [true; 40]);
    for i in (0..40).step_by(7) {
        let mut wrong = ends.clone();
        wrong[i][31] ^= 0x80;
        let valid = Prefix::<Sha256>::new([]).verify_chains(&starts, &wrong, &lengths);
        assert!(valid.iter().enumerate().all(|(j, &valid)| valid == (i != j)), "{i}");
    }
}

#[test]
#[should_panic(expected = "every chain has a length")]
fn chains_and_lengths_must_match() {
    Prefix::<Sha256>::new([]).digest_chains(&mut [[0; 32]], &[]);
}

/// The product of the number and the length of inputs is that of the bytes, modulo 2^64 or 2^32.
#[test]
#[should_panic(expected = "every chain has a length")]
fn inputs_cannot_be_longer_than_memory() {
    let half = isize::MIN.unsigned_abs();
    Prefix::<Sha256>::new("").digest_numbered_chains(&mut [0; 22], half + 11, 5, &[1, 1]);
}

#[test]
fn no_chains_have_inputs_of_any_length() {
    for prefix in prefixes::<Sha256>(b"a prefix") {
        prefix.digest_numbered_chains(&mut [], usize::MAX, 5, &[]);
    }
    assert!(Prefix::<Sha256>::new([]).verify_chains(&[], &[], &[]).is_empty());
}

#[test]
#[should_panic(expected = "every start has an end")]
fn starts_and_ends_must_match() {
    Prefix::<Sha256>::new([]).verify_chains(&[[0; 32]], &[], &[1]);
}

#[test]
#[should_panic(expected = "a value must be shorter than its input")]
fn numbered_chains_have_a_number() {
    Prefix::<Sha256>::new("").digest_numbered_chains(&mut [0; 32], 32, 32, &[1]);
}
