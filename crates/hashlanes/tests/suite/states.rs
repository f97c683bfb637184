//! States continued by whole blocks, in every kernel. The tests add the padding, convert the state
//! to a digest, and compare it with RustCrypto's.

use crate::common::{noise, oracle};
use hashlanes::hazmat::MdFunction;
use hashlanes::{Algorithm, Engine, Md5, Sha1, Sha224, Sha256, Sha384, Sha512};
use hashlanes::{Sha512_256, Sm3};

/// The padded message: RFC 1321 section 3, FIPS 180-4 section 5.1.
fn padded(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    let block = algorithm.block_len();
    let bits = message.len() as u128 * 8;
    let mut blocks = message.to_vec();
    blocks.push(0x80);
    while !(blocks.len() + block / 8).is_multiple_of(block) {
        blocks.push(0);
    }
    match algorithm {
        Algorithm::Md5 => blocks.extend((bits as u64).to_le_bytes()),
        _ => blocks.extend(&bits.to_be_bytes()[16 - block / 8..]),
    }
    blocks
}

fn digest(algorithm: Algorithm, state: [u64; 8]) -> Vec<u8> {
    let bytes = |word: u64| match algorithm.block_len() {
        128 => word.to_be_bytes().to_vec(),
        _ if algorithm == Algorithm::Md5 => (word as u32).to_le_bytes().to_vec(),
        _ => (word as u32).to_be_bytes().to_vec(),
    };
    let mut digest: Vec<u8> = state.into_iter().flat_map(bytes).collect();
    digest.truncate(algorithm.digest_len());
    digest
}

fn check<A: MdFunction>() {
    let algorithm = A::ALGORITHM;
    let block = algorithm.block_len();
    let lengths: Vec<_> = (0..70).map(|i| i * i * 13 % (block * 40)).chain([0, 3, 100]).collect();
    let messages: Vec<_> =
        lengths.iter().enumerate().map(|(i, &length)| noise(i as u64 + 1, length)).collect();
    let padded: Vec<_> = messages.iter().map(|message| padded(algorithm, message)).collect();
    for kernel in crate::common::available(algorithm) {
        let engine = Engine::<A>::with_kernel(kernel.name).expect("it is available");
        // Each message is in two pieces. Some first pieces are empty.
        let pieces: Vec<_> = padded
            .iter()
            .enumerate()
            .map(|(i, blocks)| blocks.split_at(blocks.len() / block * (i % 4) / 4 * block))
            .collect();
        let mut states = vec![Engine::<A>::initial_state(); padded.len()];
        engine.compress_many(&mut states, &pieces.iter().map(|piece| piece.0).collect::<Vec<_>>());
        engine.compress_many(&mut states, &pieces.iter().map(|piece| piece.1).collect::<Vec<_>>());
        for ((state, message), blocks) in states.into_iter().zip(&messages).zip(&padded) {
            assert_eq!(digest(algorithm, state), oracle(algorithm, message), "{}", kernel.name);
            let mut alone = Engine::<A>::initial_state();
            engine.compress(&mut alone, blocks);
            assert_eq!(alone, state, "{} alone", kernel.name);
        }
    }
}

macro_rules! functions {
    ($($test:ident: $function:ident),*) => {
        $(#[test]
        fn $test() {
            check::<$function>();
        })*
    };
}

functions!(md5: Md5, sha1: Sha1, sha224: Sha224, sha256: Sha256, sha384: Sha384, sha512: Sha512);
functions!(sha512_256: Sha512_256, sm3: Sm3);

#[test]
fn more_states_than_a_window() {
    let blocks = noise(7, 64 * 3);
    let pieces: Vec<_> = (0..5000).map(|i| &blocks[..64 * (i % 4)]).collect();
    let mut states = vec![Engine::<Sha1>::initial_state(); pieces.len()];
    Engine::<Sha1>::new().compress_many(&mut states, &pieces);
    for (i, state) in states.iter().enumerate() {
        assert_eq!(*state, states[i % 4], "{i}");
    }
    assert_eq!(states[0], Engine::<Sha1>::initial_state());
    assert_eq!(states[0][5..], [0; 3], "unused words are 0");
}

#[test]
#[should_panic(expected = "65 bytes are not a multiple of 64")]
fn bytes_that_are_not_whole_blocks() {
    Engine::<Md5>::new().compress_many(&mut [[0; 8]], &[&[0; 65]]);
}

#[test]
#[should_panic(expected = "the same length")]
fn a_state_without_blocks() {
    Engine::<Md5>::new().compress_many(&mut [[0; 8]; 2], &[&[]]);
}
