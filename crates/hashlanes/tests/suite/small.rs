//! The ways that only some functions have, with few and short messages: small enough for Miri, as
//! those of `every_way`. Answers come from single-message code, which other tests compare with
//! other implementations.
#![cfg(feature = "alloc")]

use crate::common::{noise, oracle};
use hashlanes::xof::{KmacKey, Kt128, Xof, XofFunction, XofReader, squeeze_many};
use hashlanes::{
    Algorithm, Blake2s256, Blake3, Engine, HashFunction, HmacKey, Prefix, Sha3_256, Sha256, Sha512,
    Shake128, digest_many,
};

fn messages(lengths: &[usize]) -> Vec<Vec<u8>> {
    lengths.iter().enumerate().map(|(i, &length)| noise(i as u64, length)).collect()
}

/// Groups in step, with empty messages, full blocks, and more messages than lanes.
fn in_step<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    for lengths in [&[3, block, 0, 2 * block + 1, block - 1][..], &[5; 9], &[2 * block; 3]] {
        let messages = messages(lengths);
        for (digest, message) in digest_many::<A>(&messages).iter().zip(&messages) {
            assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, message), "{} bytes", message.len());
        }
    }
    let prefix = Prefix::<A>::new("tag");
    let messages = messages(&[1, block - 3, 70]);
    for (digest, message) in prefix.digest_many(&messages).iter().zip(&messages) {
        assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, &[b"tag", &message[..]].concat()));
    }
}

#[test]
fn groups_of_sponges() {
    in_step::<Sha3_256>();
}

#[test]
fn groups_of_blake2() {
    in_step::<Blake2s256>();
}

#[test]
fn groups_of_blake3() {
    in_step::<Blake3>();
}

#[test]
fn trees_of_blake3() {
    let messages = messages(&[1025, 0, 3 * 1024 + 7, 64, 2048]);
    for (digest, message) in digest_many::<Blake3>(&messages).iter().zip(&messages) {
        assert_eq!(digest.as_ref(), oracle(Algorithm::Blake3, message));
    }
}

/// Outputs in steps, and at once with and without readers, beside one message at a time.
fn outputs<X: XofFunction>(xof: &Xof<X>, lengths: &[usize]) {
    let messages = messages(lengths);
    let mut readers = xof.absorb_many(&messages);
    let mut first: Vec<_> = (0..messages.len()).map(|i| vec![0; 9 * i]).collect();
    squeeze_many(&mut readers, &mut first);
    let mut second = vec![[0; 150]; messages.len()];
    squeeze_many(&mut readers, &mut second);
    let mut short = vec![[0; 32]; messages.len()];
    xof.output_many(&messages, &mut short);
    let mut long = vec![[0; 210]; messages.len()];
    xof.output_many(&messages, &mut long);
    for (i, message) in messages.iter().enumerate() {
        let mut right = [0; 210];
        xof.clone().update(message).finalize().read(&mut right);
        assert_eq!(first[i], right[..9 * i]);
        assert_eq!(second[i][..], right[9 * i..][..150]);
        assert_eq!((short[i], long[i]), (*right.first_chunk().unwrap(), right));
    }
}

#[test]
fn outputs_of_sponges() {
    outputs(&Xof::<Shake128>::new(), &[5, 168, 0, 200]);
    outputs(Xof::<Shake128>::new().update("a prefix"), &[1, 2]);
}

#[test]
fn outputs_of_blake3() {
    outputs(&Xof::<Blake3>::new(), &[5, 64, 0, 65, 1025, 3000]);
}

/// Short messages, whose endings are copied behind them, and a long one.
#[test]
fn macs_of_sponges() {
    let key = KmacKey::<Shake128>::new("key", "");
    for lengths in [&[3, 0, 100][..], &[3, 400]] {
        let messages = messages(lengths);
        let mut macs = vec![[0; 20]; messages.len()];
        key.mac_many_into(&messages, &mut macs);
        for (mac, message) in macs.iter().zip(&messages) {
            assert!(key.verify(message, mac));
        }
    }
}

/// Single chunks and leaves in one queue.
#[test]
fn chunks_of_kangaroo() {
    let messages = messages(&[10, 400, 8192, 8190, 17_000]);
    let mut readers = vec![XofReader::empty(); messages.len()];
    Kt128::absorb_many_into(&messages, "ab", &mut readers);
    let mut outputs = vec![[0; 20]; messages.len()];
    squeeze_many(&mut readers, &mut outputs);
    for (message, output) in messages.iter().zip(&outputs) {
        let mut right = [0; 20];
        Kt128::new().update(message).finalize("ab").read(&mut right);
        assert_eq!(*output, right, "{} bytes", message.len());
    }
}

fn chains_of<A: HashFunction>() {
    let mut values = [A::digest("a"), A::digest("b"), A::digest("c")];
    let right = values;
    let lengths = [3, 0, 2];
    Prefix::<A>::new([]).digest_chains(&mut values, &lengths);
    for ((value, right), length) in values.iter().zip(right).zip(lengths) {
        assert_eq!(*value, (0..length).fold(right, |value, _| A::digest(value)));
    }
}

#[test]
fn chains() {
    chains_of::<Sha256>();
    chains_of::<Sha3_256>();
    chains_of::<Blake2s256>();
}

/// Two rounds for more passwords than one, beside MACs.
fn keys_of<A: HashFunction>() {
    let passwords = ["one", "two", "three"];
    let mut keys = [[0; 16]; 3];
    Engine::<A>::new().pbkdf2_many(&passwords, &["salt"; 3], 3, &mut keys);
    for (password, key) in passwords.iter().zip(keys) {
        let mac = HmacKey::<A>::new(password);
        let mut last = mac.mac("salt\0\0\0\u{1}");
        let mut total = last.as_ref().to_vec();
        for _ in 1..3 {
            last = mac.mac(last);
            total.iter_mut().zip(last.as_ref()).for_each(|(total, byte)| *total ^= byte);
        }
        assert_eq!(key[..], total[..16]);
    }
}

#[test]
fn derived_keys() {
    keys_of::<Sha256>();
    keys_of::<Sha512>();
}
