//! Messages with a common prefix.

use crate::common::{engines_of, for_each_function, log_uniform, noise, oracle, panics_with};
use hashlanes::{HashFunction, Md5, Prefix};

/// Lengths of prefixes: 0, a few bytes, around block boundaries, and long.
fn prefix_lengths(block: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1, 5, block / 2, 10 * block, 10 * block + 7];
    for end in [block, 2 * block] {
        lengths.extend([end - 17, end - 16, end - 9, end - 8, end - 1, end, end + 1]);
    }
    lengths
}

/// Checks the digests of messages of these lengths after a prefix.
fn check<A: HashFunction>(prefix: &[u8], lengths: &[usize]) {
    let bytes = noise(5, lengths.iter().max().unwrap_or(&0) + 37 * lengths.len());
    let messages: Vec<_> =
        lengths.iter().enumerate().map(|(i, length)| &bytes[i * 37 % 1009..][..*length]).collect();
    let right: Vec<_> =
        messages.iter().map(|message| oracle(A::ALGORITHM, &[prefix, message].concat())).collect();
    for engine in engines_of::<A>() {
        let of_engine = Prefix::with_engine(engine, prefix);
        let mut digests = vec![A::digest("old"); messages.len()];
        of_engine.digest_many_into(&messages, &mut digests);
        for ((digest, message), right) in digests.iter().zip(&messages).zip(&right) {
            assert_eq!(
                digest.as_ref(),
                right,
                "{engine:?}: one of {} messages, {} bytes after {}",
                messages.len(),
                message.len(),
                prefix.len()
            );
        }
    }
}

#[test]
fn many_messages_after_every_prefix() {
    fn test<A: HashFunction>() {
        let block = A::ALGORITHM.block_len();
        for length in prefix_lengths(block) {
            let prefix = noise(length as u64, length);
            // All lengths up to three blocks side by side, then equal lengths, a few messages, and
            // one.
            check::<A>(&prefix, &(0..=3 * block + 1).collect::<Vec<_>>());
            for message in [0, 1, block - length % block, block, 3 * block, 7 * block + 9] {
                for count in [1, 2, 7, 40, 150] {
                    check::<A>(&prefix, &vec![message; count]);
                }
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn by_name() {
    fn test<A: HashFunction>() {
        let (prefix, named) = (Prefix::<A>::new("prefix"), Prefix::of(A::ALGORITHM, "prefix"));
        assert!(!prefix.is_empty() && Prefix::<A>::new("").is_empty());
        let bytes = |messages: [&str; 3]| -> Vec<u8> {
            messages.iter().flat_map(|&message| prefix.digest(message).as_ref().to_vec()).collect()
        };
        let mut digests = bytes(["old"; 3]);
        named.digest_many_into(&["", "one", "two"], &mut digests);
        assert_eq!(digests, bytes(["", "one", "two"]));
        named.digest_chunks_into(b"chunks..", 3, &mut digests);
        assert_eq!(digests, bytes(["chu", "nks", ".."]));
        // The byte before the value is the number of its link.
        let mut inputs = *b"0:\0value";
        named.digest_numbered_chains(&mut inputs, 8, 5, &[1]);
        assert_eq!(inputs[..3], *b"0:\x01");
        assert_eq!(inputs[3..], prefix.digest("0:\0value").as_ref()[..5]);
    }
    for_each_function!(test());
}

#[test]
fn messages_of_very_different_lengths() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(31);
        for prefix in [0, 5, 64, 128, 150] {
            let prefix = noise(9, prefix);
            for count in [2, 8, 9, 100, 3000] {
                let most = if count > 1000 { 3000 } else { 30_000 };
                let lengths: Vec<_> = (0..count).map(|_| log_uniform(&mut rng, most)).collect();
                check::<A>(&prefix, &lengths);
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn one_message_whole_and_in_pieces() {
    fn test<A: HashFunction>() {
        let block = A::ALGORITHM.block_len();
        for length in prefix_lengths(block) {
            let bytes = noise(7, length);
            for engine in engines_of::<A>() {
                let prefix = Prefix::with_engine(engine, &bytes);
                assert_eq!(prefix.len(), length as u128);
                assert_eq!(prefix.is_empty(), length == 0);
                for message in [0, 1, block - length % block, block, 2 * block - 1, 500] {
                    let message = noise(8, message);
                    let whole = [&bytes[..], &message].concat();
                    let right = oracle(A::ALGORITHM, &whole);
                    assert_eq!(prefix.digest(&message).as_ref(), right, "{engine:?}");
                    let mut hasher = prefix.clone().hasher();
                    assert_eq!(hasher.len(), length as u128);
                    hasher.update(&message[..message.len() / 3]);
                    hasher.update(&message[message.len() / 3..]);
                    assert_eq!(hasher.len(), whole.len() as u128);
                    assert_eq!(hasher.finalize_reset().as_ref(), right, "{engine:?}");
                    // `reset` removes the prefix, too.
                    assert!(hasher.is_empty());
                    assert_eq!(hasher.finalize(), A::digest(""));
                }
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn chunks_and_pairs_after_a_prefix() {
    fn test<A: HashFunction>() {
        let data = noise(10, 100 * 129);
        let leaves: Vec<_> = data.chunks(70).take(80).map(A::digest).collect();
        let pairs: Vec<_> = leaves.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
        for tag in [&b""[..], b"\x01", &data[..64], &data[..200]] {
            for engine in engines_of::<A>() {
                let prefix = Prefix::with_engine(engine, tag);
                for length in [1, 50, 64, 119, 128, 129] {
                    let data = &data[..100 * length - length / 2];
                    let mut digests = vec![A::digest("old"); 100];
                    prefix.digest_chunks_into(data, length, &mut digests);
                    for (digest, chunk) in digests.iter().zip(data.chunks(length)) {
                        let right = A::digest([tag, chunk].concat());
                        assert_eq!(*digest, right, "{engine:?}, {} and {length}", tag.len());
                    }
                }
                let mut nodes = vec![A::digest("old"); pairs.len()];
                prefix.digest_pairs(&pairs, &mut nodes);
                for (node, [left, right]) in nodes.iter().zip(&pairs) {
                    let right = A::digest([tag, left.as_ref(), right.as_ref()].concat());
                    assert_eq!(*node, right, "{engine:?}, {}", tag.len());
                }
            }
        }
    }
    for_each_function!(test());
}

#[cfg(feature = "alloc")]
#[test]
fn vectors_are_the_same() {
    use hashlanes::Sha256;
    let prefix = Prefix::<Sha256>::new("tag");
    let chunks = prefix.digest_chunks(b"abcde", 2);
    assert_eq!(chunks, ["tagab", "tagcd", "tage"].map(Sha256::digest));
    let messages = ["", "a", "message"];
    let digests = prefix.digest_many(&messages);
    assert_eq!(digests, messages.map(|message| Sha256::digest(format!("tag{message}"))));
    let none: [&str; 0] = [];
    assert!(prefix.digest_many(&none).is_empty());
}

#[test]
fn a_secret_prefix_is_not_shown() {
    let shown = format!("{:?}", Prefix::<Md5>::new([0xab; 70]));
    assert!(shown.contains("Prefix") && shown.contains("bytes: 70"), "{shown}");
    assert!(!shown.contains("171") && !shown.contains("ab"), "{shown}");
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn another_number_of_digests_than_messages_is_refused() {
    assert!(panics_with("the slices must have the same length", || {
        Prefix::<Md5>::new("tag").digest_many_into(&["one", "two"], &mut [[0; 16]; 3]);
    }));
}
