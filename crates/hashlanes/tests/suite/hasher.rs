//! One message: `digest`, and `Hasher` and `Hasher` with random pieces. Many messages in step:
//! `Engine::update_many` and `Hashers`.

use crate::common::{engines, engines_of, for_each_function, log_uniform, noise, oracle};
use hashlanes::{Algorithm, Engine, HashFunction, Hasher, Md5, Sha256};

/// The length of a piece: 0, 1, around a block, or more.
fn piece_len(rng: &mut fastrand::Rng, block: usize) -> usize {
    match rng.u8(..7) {
        0 => 0,
        1 => 1,
        2 => block * rng.usize(1..4) + rng.usize(..3) - 1,
        3 => rng.usize(..block),
        4 => block,
        5 => rng.usize(..5 * block),
        _ => log_uniform(rng, 5000),
    }
}

#[test]
fn a_message_in_random_pieces() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(21);
        for engine in engines_of::<A>() {
            for _ in 0..60 {
                let mut hasher = Hasher::with_engine(engine);
                let mut message = Vec::new();
                for _ in 0..rng.usize(1..12) {
                    let piece = noise(rng.u64(..), piece_len(&mut rng, A::ALGORITHM.block_len()));
                    hasher.update(&piece);
                    message.extend(piece);
                    if rng.bool() {
                        // Computing the digest so far does not change the message.
                        assert_eq!(
                            hasher.clone().finalize().as_ref(),
                            oracle(A::ALGORITHM, &message),
                            "{engine:?}"
                        );
                    }
                }
                assert_eq!(hasher.len(), message.len() as u128);
                let digest = hasher.finalize();
                assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, &message), "{engine:?}");
                assert_eq!(engine.digest(&message), digest);
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn many_messages_in_random_pieces() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(22);
        for engine in engines_of::<A>() {
            // The last number is more than are sorted at a time.
            for count in [0, 1, 2, 3, 7, 8, 17, 40, 70, 1100] {
                let mut hashers = vec![Hasher::with_engine(engine); count];
                let mut messages = vec![Vec::new(); count];
                for _ in 0..4 {
                    let pieces: Vec<_> = (0..count)
                        .map(|_| noise(rng.u64(..), piece_len(&mut rng, A::ALGORITHM.block_len())))
                        .collect();
                    engine.update_many(&mut hashers, &pieces);
                    for (message, piece) in messages.iter_mut().zip(&pieces) {
                        message.extend(piece);
                    }
                }
                for (hasher, message) in hashers.into_iter().zip(&messages) {
                    assert_eq!(hasher.len(), message.len() as u128);
                    assert_eq!(
                        hasher.finalize().as_ref(),
                        oracle(A::ALGORITHM, message),
                        "{engine:?}, {count} messages"
                    );
                }
            }
        }
    }
    for_each_function!(test());
}

/// Pieces of every length after every number of carried bytes, side by side in lanes.
#[test]
fn every_piece_after_every_carry() {
    fn test<A: HashFunction>() {
        let block = A::ALGORITHM.block_len();
        let bytes = noise(23, 4 * block);
        for engine in engines_of::<A>() {
            for carried in (0..block).step_by(5).chain([1, block - 1]) {
                let lengths: Vec<_> = (0..=2 * block + 1).collect();
                let mut hashers = vec![Hasher::with_engine(engine); lengths.len()];
                engine.update_many(&mut hashers, &vec![&bytes[..carried]; lengths.len()]);
                let pieces: Vec<_> =
                    lengths.iter().map(|len| &bytes[carried..carried + len]).collect();
                engine.update_many(&mut hashers, &pieces);
                for (hasher, len) in hashers.into_iter().zip(lengths).skip(carried % 7).step_by(7) {
                    let right = oracle(A::ALGORITHM, &bytes[..carried + len]);
                    assert_eq!(
                        hasher.finalize().as_ref(),
                        right,
                        "{engine:?}: {carried} bytes and {len}"
                    );
                }
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn a_clone_continues_independently() {
    fn test<A: HashFunction>() {
        for cut in [0, 1, 63, 64, 100, 128, 300] {
            let bytes = noise(24, 700);
            let mut one = Hasher::<A>::new();
            one.update(&bytes[..cut]);
            let mut other = one.clone();
            one.update(&bytes[cut..]);
            other.update(b"something else");
            assert_eq!(one.finalize().as_ref(), oracle(A::ALGORITHM, &bytes));
            assert_eq!(
                other.finalize().as_ref(),
                oracle(A::ALGORITHM, &[&bytes[..cut], b"something else"].concat())
            );
        }
    }
    for_each_function!(test());
}

#[test]
fn reset_begins_a_new_message() {
    fn test<A: HashFunction>() {
        for engine in engines_of::<A>() {
            let mut hasher = Hasher::<A>::with_engine(engine);
            assert!(hasher.is_empty());
            for len in [0, 5, 64, 200] {
                hasher.update(vec![9; len]);
                assert_eq!(hasher.is_empty(), len == 0);
                hasher.reset();
                assert!(hasher.is_empty());
                assert_eq!(hasher.finalize_reset().as_ref(), oracle(A::ALGORITHM, b""));
                hasher.update(b"abc");
                assert_eq!(hasher.finalize_reset().as_ref(), oracle(A::ALGORITHM, b"abc"));
                assert!(hasher.is_empty());
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn all_functions_for_one_message_agree() {
    fn test<A: HashFunction>() {
        for len in (0..300).chain([1000, 5000]) {
            let message = noise(27, len);
            let right = oracle(A::ALGORITHM, &message);
            assert_eq!(A::digest(&message).as_ref(), right);
            assert_eq!(A::ALGORITHM.digest(&message), right[..]);
            assert_eq!(Engine::<A>::new().digest(&message).as_ref(), right);
            assert_eq!(Engine::of(A::ALGORITHM).digest(&message), right[..]);
        }
    }
    for_each_function!(test());
    // Any `AsRef<[u8]>`, without importing the trait.
    assert_eq!(Sha256::digest("abc"), Sha256::digest(vec![b'a', b'b', b'c']));
    assert_eq!(Sha256::hasher().finalize(), Sha256::digest(""));
}

#[test]
fn updates_chain() {
    let mut hasher = Md5::hasher();
    let digest = hasher.update("a").update([b'b']).update(String::from("c")).finalize_reset();
    assert_eq!(digest, Md5::digest("abc"));
    let mut hasher = Algorithm::Md5.hasher();
    assert_eq!(hasher.update("a").update("bc").finalize_reset(), digest);
}

#[test]
fn a_hasher_of_an_algorithm_chosen_at_run_time() {
    let mut rng = fastrand::Rng::with_seed(28);
    for &algorithm in Algorithm::ALL {
        for (name, engine) in engines(algorithm) {
            let mut hasher = Hasher::with_engine(engine);
            assert_eq!(hasher.algorithm(), algorithm);
            for _ in 0..20 {
                let mut message = Vec::new();
                assert!(hasher.is_empty());
                for _ in 0..rng.usize(1..8) {
                    let piece = noise(rng.u64(..), piece_len(&mut rng, algorithm.block_len()));
                    hasher.update(&piece);
                    message.extend(piece);
                    assert_eq!(hasher.len(), message.len() as u128);
                }
                let right = oracle(algorithm, &message);
                let mut other = hasher.clone();
                assert_eq!(other.finalize_reset(), right[..], "{name}");
                assert_eq!(other.update("abc").finalize_reset(), oracle(algorithm, b"abc")[..]);
                assert_eq!(hasher.clone().finalize(), right[..], "{name}");
                hasher.reset();
            }
            let shown = format!("{hasher:?}");
            assert!(shown.contains("Hasher") && shown.contains("bytes: 0"), "{shown}");
        }
        assert_eq!(algorithm.hasher().finalize(), algorithm.digest(""));
    }
}

#[cfg(feature = "alloc")]
#[test]
fn hashers_of_an_algorithm_chosen_at_run_time() {
    let mut rng = fastrand::Rng::with_seed(26);
    for &algorithm in Algorithm::ALL {
        for (name, engine) in engines(algorithm) {
            assert_eq!(engine.algorithm(), algorithm);
            let mut hashers = engine.hashers(20);
            let mut messages = vec![Vec::new(); 20];
            for round in 0..5 {
                let pieces: Vec<_> = (0..20)
                    .map(|_| noise(rng.u64(..), piece_len(&mut rng, algorithm.block_len())))
                    .collect();
                hashers.update(&pieces.iter().map(Vec::as_slice).collect::<Vec<_>>());
                for (i, piece) in pieces.iter().enumerate() {
                    messages[i].extend(piece);
                    // Two messages end in each round: one is finalized, the other abandoned.
                    if i == 2 * round {
                        assert_eq!(
                            hashers.finalize_reset(i).as_ref(),
                            oracle(algorithm, &messages[i]),
                            "{name}, message {i}"
                        );
                        messages[i].clear();
                    }
                }
                hashers.reset(2 * round + 1);
                messages[2 * round + 1].clear();
            }
            for (i, message) in messages.iter().enumerate() {
                for right in [oracle(algorithm, message), oracle(algorithm, b"")] {
                    assert_eq!(hashers.finalize_reset(i).as_ref(), right, "{name}, message {i}");
                }
            }
        }
    }
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn another_number_of_pieces_than_hashers_is_refused() {
    let wrong = std::panic::catch_unwind(|| {
        let engine = Engine::<hashlanes::Md5>::new();
        engine.update_many(&mut [Hasher::new(), Hasher::new()], &["one"]);
    });
    assert!(wrong.is_err());
}

#[cfg(feature = "alloc")]
#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn hashers_refuse_an_index_out_of_range() {
    assert!(
        std::panic::catch_unwind(|| Engine::of(Algorithm::Md5).hashers(1).update(&[])).is_err()
    );
    assert!(
        std::panic::catch_unwind(|| Engine::of(Algorithm::Md5).hashers(1).finalize_reset(1))
            .is_err()
    );
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn another_number_of_digests_than_messages_is_refused() {
    let wrong = std::panic::catch_unwind(|| {
        hashlanes::digest_many_into::<hashlanes::Md5>(&["one", "two"], &mut [[0; 16]; 3]);
    });
    assert!(wrong.is_err());
}
