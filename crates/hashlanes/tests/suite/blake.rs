//! Keys and lengths of digests of BLAKE2 and BLAKE3, and the trees of BLAKE3, compared with the
//! crates of their authors.

use crate::common::noise;
use hashlanes::{Blake2b512, Blake2s256, Blake3, Engine, HashFunction, Hasher, Prefix};

/// Lengths around the boundaries of blocks.
const LENGTHS: [usize; 12] = [0, 1, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000];

/// Messages of these lengths.
fn messages(bytes: &[u8], lengths: impl IntoIterator<Item = usize>) -> Vec<&[u8]> {
    lengths.into_iter().enumerate().map(|(i, length)| &bytes[i % 61..][..length]).collect()
}

fn streamed<A: HashFunction>(mut hasher: Hasher<A>, message: &[u8]) -> A::Digest {
    hasher.update(message);
    hasher.finalize()
}

#[test]
fn blake2_has_keys_and_lengths() {
    let bytes = noise(1, 2000);
    let all = messages(&bytes, LENGTHS);
    for (length, key) in [(1, 0), (20, 0), (32, 16), (64, 64), (63, 1), (31, 32)] {
        let key = &bytes[..key];
        let prefix = Prefix::<Blake2b512>::blake2b(length, key).unwrap();
        let mut theirs = blake2b_simd::Params::new();
        theirs.hash_length(length).key(key);
        for (digest, message) in prefix.digest_many(&all).iter().zip(&all) {
            assert_eq!(digest[..length], *theirs.hash(message).as_bytes(), "{length} {message:?}");
            assert_eq!(*digest, prefix.digest(message));
            assert_eq!(*digest, streamed(prefix.hasher(), message));
        }
        if length > 32 || key.len() > 32 {
            assert!(Prefix::<Blake2s256>::blake2s(length, key).is_err());
            continue;
        }
        let prefix = Prefix::<Blake2s256>::blake2s(length, key).unwrap();
        let mut theirs = blake2s_simd::Params::new();
        theirs.hash_length(length).key(key);
        for (digest, message) in prefix.digest_many(&all).iter().zip(&all) {
            assert_eq!(digest[..length], *theirs.hash(message).as_bytes(), "{length} {message:?}");
            assert_eq!(*digest, prefix.digest(message));
        }
    }
    for (length, key) in [(0, 0), (65, 0), (64, 65)] {
        let error = Prefix::<Blake2b512>::blake2b(length, &bytes[..key]).unwrap_err();
        let said = error.to_string();
        assert!(said.ends_with(&format!("64, not {length} and {key}")), "{said}");
    }
}

#[test]
fn blake3_has_keys_and_derives_keys() {
    let bytes = noise(2, 20_000);
    let all = messages(&bytes, LENGTHS.into_iter().chain([1024, 1025, 2048, 2049, 5000, 16_384]));
    let key = bytes.first_chunk().unwrap();
    let (keyed, derived) = (Prefix::<Blake3>::keyed(key), Prefix::<Blake3>::derive_key("a test"));
    for (digest, message) in keyed.digest_many(&all).iter().zip(&all) {
        assert_eq!(digest, blake3::keyed_hash(key, message).as_bytes(), "{}", message.len());
        assert_eq!(*digest, streamed(keyed.hasher(), message));
    }
    for (digest, message) in derived.digest_many(&all).iter().zip(&all) {
        assert_eq!(*digest, blake3::derive_key("a test", message), "{}", message.len());
    }
}

/// Chunks and subtrees of all sizes, in each kernel, in one piece and in several.
#[test]
fn blake3_trees_have_any_number_of_chunks() {
    let bytes = noise(3, 600 << 10);
    let mut rng = fastrand::Rng::with_seed(3);
    let around = [1, 2, 3, 4, 5, 8, 16, 31, 64, 65, 255, 256, 257, 512, 513];
    let lengths =
        around.into_iter().flat_map(|chunks| [1024 * chunks - 1, 1024 * chunks, 1024 * chunks + 1]);
    let all = messages(&bytes, lengths);
    for engine in crate::common::engines_of::<Blake3>() {
        for (digest, message) in engine.digest_many(&all).iter().zip(&all) {
            let right = *blake3::hash(message).as_bytes();
            assert_eq!(*digest, right, "{engine:?} {}", message.len());
            assert_eq!(engine.digest(message), right, "{engine:?} {}", message.len());
            let mut hasher = Hasher::with_engine(engine);
            let mut rest = *message;
            while !rest.is_empty() {
                let (piece, later) = rest.split_at(rng.usize(1..=rest.len()));
                hasher.update(piece);
                rest = later;
            }
            assert_eq!(hasher.finalize(), right, "{engine:?} {} in pieces", message.len());
        }
    }
    assert_eq!(Engine::<Blake3>::new().digest_many(&[b""; 3])[2], *blake3::hash(b"").as_bytes());
}
