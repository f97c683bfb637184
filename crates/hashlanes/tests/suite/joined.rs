//! Messages in parts, compared with an independent implementation.

use std::io::IoSlice;

use crate::common::{engines, log_uniform, noise, oracle};
use hashlanes::{Algorithm, Engine, Md5, Sha256};

/// Cuts a message into this many parts at random places.
fn cut<'m>(rng: &mut fastrand::Rng, message: &'m [u8], parts: usize) -> Vec<&'m [u8]> {
    let mut rest = message;
    let mut cut: Vec<_> = (1..parts)
        .map(|_| {
            let (part, after) = rest.split_at(log_uniform(rng, rest.len()).min(rest.len()));
            rest = after;
            part
        })
        .collect();
    cut.push(rest);
    cut
}

/// Short and long ones, of no part and of up to five, which are shorter or longer than a block.
#[test]
fn parts_are_hashed_like_the_joined_message() {
    let bytes = noise(7, 40_000);
    let all = Algorithm::ALL.iter().flat_map(|&a| engines(a).into_iter().map(move |e| (a, e.1)));
    for (algorithm, engine) in all {
        let mut rng = fastrand::Rng::with_seed(8);
        for (count, longest) in [(3, 300), (150, 300), (40, 9000), (140, 40_000)] {
            let messages: Vec<_> =
                (0..count).map(|_| &bytes[..log_uniform(&mut rng, longest)]).collect();
            let mut parts: Vec<_> = messages
                .iter()
                .map(|m| {
                    let n = rng.usize(1..6);
                    cut(&mut rng, m, n)
                })
                .collect();
            let mut right: Vec<_> = messages.iter().map(|m| oracle(algorithm, m)).collect();
            parts.push(Vec::new());
            right.push(oracle(algorithm, b""));
            let digests = engine.digest_many_parts(&parts);
            let wrong = digests.iter().zip(&right).position(|(digest, right)| digest != &right[..]);
            assert_eq!(wrong, None, "{algorithm} {engine:?}, {count} up to {longest}");
        }
    }
}

/// Lengths around the longest that is copied, with heads around a block.
#[test]
fn the_longest_copied_message_is_hashed_like_the_next_one() {
    let bytes = noise(9, 33_000);
    for &algorithm in Algorithm::ALL {
        let block = algorithm.block_len();
        let lengths = [1535, 1536, 1537, 1600, 3100, 100, block, block + 1, 32_768, 32_769];
        let heads = [0, 1, block - 1, block, block + 1, 2 * block];
        let each = lengths.into_iter().flat_map(|length| heads.map(|head| (length, head)));
        let cases: Vec<_> = each.filter(|(length, head)| head <= length).collect();
        for parts in 2..5 {
            let cut = |&(length, head): &(usize, usize)| {
                let [first, second] = [&bytes[..head / 2], &bytes[head / 2..head]];
                let parts = match parts {
                    2 => vec![&bytes[..head], &bytes[head..length]],
                    3 => vec![first, second, &bytes[head..length]],
                    _ => vec![first, second, &bytes[head..length], &[]],
                };
                parts.into_iter().map(IoSlice::new).collect::<Vec<_>>()
            };
            let messages: Vec<_> = cases.iter().map(cut).collect();
            let digests = Engine::of(algorithm).digest_many_parts(&messages);
            for (digest, (length, head)) in digests.iter().zip(&cases) {
                let right = oracle(algorithm, &bytes[..*length]);
                assert_eq!(*digest, right[..], "{algorithm} {length} {head} {parts}");
            }
        }
    }
}

/// Parts of a few bytes, and runs of them between long ones, around the number of bytes that are
/// copied together.
#[test]
fn many_small_parts_are_hashed_like_the_joined_message() {
    let bytes = noise(11, 70_000);
    for &algorithm in Algorithm::ALL {
        let mut messages: Vec<Vec<&[u8]>> = vec![bytes.chunks(1).collect()];
        for size in [0, 1, 255, 256, 257, 511, 512, 513] {
            let head = bytes.chunks(256).take(2).chain([&bytes[..size]]);
            messages.push(head.chain([&bytes[..40_000], &[], &bytes[..size], &[]]).collect());
        }
        let digests = Engine::of(algorithm).digest_many_parts(&messages);
        for (digest, parts) in digests.iter().zip(&messages) {
            assert_eq!(*digest, oracle(algorithm, &parts.concat())[..], "{algorithm}");
        }
    }
}

/// Several calls of the lanes, and short messages among long ones.
#[test]
fn many_messages_keep_their_order() {
    let bytes = noise(10, 5000);
    let messages: Vec<[&[u8]; 2]> = (0..1000)
        .map(|i| [&bytes[..i % 70], &bytes[i..if i % 3 == 0 { i + 3000 } else { i + i % 1500 }]])
        .collect();
    let digests = Engine::<Sha256>::new().digest_many_parts(&messages);
    for (digest, parts) in digests.iter().zip(&messages) {
        assert_eq!(*digest, oracle(Algorithm::Sha256, &parts.concat())[..]);
    }
    assert!(Engine::<Md5>::new().digest_many_parts::<Vec<u8>>(&[] as &[Vec<Vec<u8>>]).is_empty());
}

#[test]
#[should_panic = "as many digests are written as there are messages"]
fn the_number_of_digests_is_that_of_the_messages() {
    Engine::<Md5>::new().digest_many_parts_into(&[[&b"a"[..], b"b"]], &mut [[0; 16]; 2]);
}
