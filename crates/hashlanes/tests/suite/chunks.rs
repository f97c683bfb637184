//! The consecutive chunks of one buffer, and pairs of digests.

use crate::common::{engines_of, for_each_function, noise, oracle, panics_with};
use hashlanes::{HashFunction, Md5, Sha256};

/// Chunk lengths: 1 byte, around the length from which the padding needs a second block, around
/// multiples of the block length, and long ones.
fn chunk_lengths(block: usize) -> Vec<usize> {
    let mut lengths = vec![1, 2, 3, block / 2, 1000, 33 * block, 40 * block + 5];
    for end in [block, 2 * block, 5 * block] {
        lengths.extend([end - 17, end - 16, end - 9, end - 8, end - 1, end, end + 1]);
    }
    lengths
}

#[test]
fn every_chunk_has_its_digest() {
    fn test<A: HashFunction>() {
        for length in chunk_lengths(A::ALGORITHM.block_len()) {
            // Short chunks outnumber the lanes of all groups of the widest kernel.
            let many = if length > 1000 { 40 } else { 150 };
            let data = noise(length as u64, many * length);
            let whole: Vec<_> =
                data.chunks(length).map(|chunk| oracle(A::ALGORITHM, chunk)).collect();
            for engine in engines_of::<A>() {
                for (count, rest) in [
                    (0, 0),
                    (0, 1),
                    (1, 0),
                    (1, length / 2),
                    (2, length - 1),
                    (3, 1),
                    (many - 1, 0),
                ]
                .into_iter()
                .chain([(8, 0), (9, length / 3), (31, 1), (many - 1, length - 1)])
                {
                    let data = &data[..count * length + rest];
                    let mut digests = vec![A::digest("old"); data.len().div_ceil(length)];
                    engine.digest_chunks_into(data, length, &mut digests);
                    for (i, digest) in digests.iter().enumerate() {
                        let right = match i < count {
                            true => &whole[i],
                            false => &oracle(A::ALGORITHM, &data[count * length..]),
                        };
                        assert_eq!(
                            digest.as_ref(),
                            right,
                            "{engine:?}: chunk {i} of {} bytes in chunks of {length}",
                            data.len()
                        );
                    }
                }
            }
        }
    }
    for_each_function!(test());
}

/// At each address, loads cross cache lines differently.
#[test]
fn data_at_every_address() {
    fn test<A: HashFunction>() {
        let data = noise(3, 64 + 20 * 200);
        for engine in engines_of::<A>() {
            for (offset, length) in (0..64).zip([55, 64, 128, 200].into_iter().cycle()) {
                let data = &data[offset..][..20 * length];
                let mut digests = vec![A::digest(""); 20];
                engine.digest_chunks_into(data, length, &mut digests);
                for (digest, chunk) in digests.iter().zip(data.chunks(length)) {
                    assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, chunk), "{engine:?}");
                }
            }
        }
    }
    for_each_function!(test());
}

#[cfg(feature = "alloc")]
#[test]
fn all_functions_for_chunks_agree() {
    fn test<A: HashFunction>() {
        let data = noise(4, 10_000);
        for length in [1, 64, 999, 10_000, 10_001, usize::MAX] {
            let right: Vec<_> = data.chunks(length).map(A::digest).collect();
            assert_eq!(hashlanes::digest_chunks::<A>(&data, length), right);
            let mut digests = vec![A::digest("old"); right.len()];
            hashlanes::Engine::<A>::new().digest_chunks_into(&data, length, &mut digests);
            assert_eq!(digests, right);
            for engine in engines_of::<A>() {
                assert_eq!(engine.digest_chunks(&data, length), right, "{engine:?}");
            }
            let by_name = A::ALGORITHM.digest_chunks(&data, length);
            assert_eq!(by_name.len(), right.len());
            assert!(by_name.iter().zip(&right).all(|(digest, right)| *digest == *right.as_ref()));
            for (name, engine) in crate::common::engines(A::ALGORITHM) {
                assert_eq!(engine.digest_chunks(&data, length), by_name, "{name}");
            }
        }
        assert!(hashlanes::digest_chunks::<A>(&[], 7).is_empty());
    }
    for_each_function!(test());
}

#[test]
fn a_pair_is_hashed_as_its_concatenated_digests() {
    fn test<A: HashFunction>() {
        let digests: Vec<_> = (0..300_u32).map(|i| A::digest(i.to_le_bytes())).collect();
        let pairs: Vec<_> = digests.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        let right: Vec<_> = pairs
            .iter()
            .map(|[left, right]| oracle(A::ALGORITHM, &[left.as_ref(), right.as_ref()].concat()))
            .collect();
        for engine in engines_of::<A>() {
            for count in (0..10).chain([16, 31, 32, 33, 64, 65, 150]) {
                let mut nodes = vec![A::digest("old"); count];
                engine.digest_pairs(&pairs[..count], &mut nodes);
                assert!(nodes.iter().map(|node| node.as_ref()).eq(&right[..count]), "{engine:?}");
            }
        }
        let mut nodes = vec![A::digest("old"); 150];
        hashlanes::Engine::<A>::new().digest_pairs(&pairs, &mut nodes);
        assert!(nodes.iter().map(|node| node.as_ref()).eq(&right));
    }
    for_each_function!(test());
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn slices_of_other_lengths_than_the_chunks_are_refused() {
    let same = "the slices must have the same length";
    for places in [0, 2, 4] {
        assert!(panics_with(same, move || {
            hashlanes::Engine::<Md5>::new().digest_chunks_into(
                &[1; 100],
                40,
                &mut vec![[0; 16]; places],
            )
        }));
        assert!(panics_with(same, move || {
            hashlanes::Engine::<Sha256>::new()
                .digest_pairs(&[[[0; 32]; 2]; 3], &mut vec![[0; 32]; places])
        }));
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn chunks_of_no_bytes_are_refused() {
    for data in [&b""[..], b"data"] {
        assert!(panics_with("chunk", move || {
            hashlanes::Engine::<Md5>::new().digest_chunks_into(data, 0, &mut [])
        }));
    }
}
