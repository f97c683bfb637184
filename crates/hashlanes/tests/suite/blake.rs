//! Keys and lengths of digests of BLAKE2 and BLAKE3, and the trees and outputs of BLAKE3, compared
//! with the crates of their authors.

use crate::common::noise;
use hashlanes::xof::{Xof, squeeze_many};
use hashlanes::{
    Blake2Params, Blake2b512, Blake2s256, Blake3, Engine, HashFunction, Hasher, Prefix,
};

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
fn blake2_has_parameters() {
    let bytes = noise(1, 2000);
    let all = messages(&bytes, LENGTHS);
    for (length, key, salt, personal) in [
        (1, 0, 0, 0),
        (20, 0, 16, 0),
        (32, 16, 0, 16),
        (64, 64, 15, 1),
        (63, 1, 8, 8),
        (31, 32, 7, 3),
        (32, 0, 1, 8),
    ] {
        let [key, salt, personal] =
            [&bytes[..key], &bytes[99..][..salt], &bytes[200..][..personal]];
        let params = Blake2Params::new().length(length).key(key).salt(salt).personal(personal);
        let prefix = Prefix::<Blake2b512>::with_params(params).unwrap();
        let mut theirs = blake2b_simd::Params::new();
        theirs.hash_length(length).key(key).salt(salt).personal(personal);
        for (digest, message) in prefix.digest_many(&all).iter().zip(&all) {
            assert_eq!(
                digest[..length],
                *theirs.hash(message).as_bytes(),
                "{params:?} {message:?}"
            );
            assert_eq!(*digest, prefix.digest(message));
            assert_eq!(*digest, streamed(prefix.hasher(), message));
        }
        if length > 32 || key.len() > 32 || salt.len() > 8 || personal.len() > 8 {
            assert!(Prefix::<Blake2s256>::with_params(params).is_err());
            continue;
        }
        let prefix = Prefix::<Blake2s256>::with_params(params).unwrap();
        let mut theirs = blake2s_simd::Params::new();
        theirs.hash_length(length).key(key).salt(salt).personal(personal);
        for (digest, message) in prefix.digest_many(&all).iter().zip(&all) {
            assert_eq!(
                digest[..length],
                *theirs.hash(message).as_bytes(),
                "{params:?} {message:?}"
            );
            assert_eq!(*digest, prefix.digest(message));
        }
    }
}

/// The initial state is that of the function itself if nothing is set.
#[test]
fn blake2_without_parameters() {
    let prefix = Prefix::<Blake2s256>::with_params(Blake2Params::new()).unwrap();
    assert_eq!(prefix.digest("abc"), Blake2s256::digest("abc"));
}

#[test]
fn blake2_refuses_other_lengths() {
    let bytes = [7; 65];
    let none = Blake2Params::new();
    for (params, said) in [
        (none.length(0), "the digest of BLAKE2b must have 1 to 64 bytes, not 0"),
        (none.length(65), "the digest of BLAKE2b must have 1 to 64 bytes, not 65"),
        (none.key(&bytes), "the key of BLAKE2b must have 0 to 64 bytes, not 65"),
        (none.salt(&bytes[..17]), "the salt of BLAKE2b must have 0 to 16 bytes, not 17"),
        (
            none.personal(&bytes[..17]),
            "the personalization of BLAKE2b must have 0 to 16 bytes, not 17",
        ),
    ] {
        assert_eq!(Prefix::<Blake2b512>::with_params(params).unwrap_err().to_string(), said);
    }
    let shown = format!("{:?}", none.key(b"secret").salt(&[42]));
    assert!(shown.contains("42") && !shown.contains("115"), "{shown}");
}

/// Digests of Python's hashlib, which has the code of BLAKE2's authors.
#[test]
fn blake2_of_hashlib() {
    let params = Blake2Params::new().length(20).key(b"key").salt(b"salt").personal(b"person");
    let hex = |digest: &[u8]| digest.iter().map(|b| format!("{b:02x}")).collect::<String>();
    let digest = Prefix::<Blake2b512>::with_params(params).unwrap().digest("abc");
    assert_eq!(hex(&digest[..20]), "d1ccb014ed5c917c8764f98efb9b829fd954e9cd");
    let digest = Prefix::<Blake2s256>::with_params(params).unwrap().digest("abc");
    assert_eq!(hex(&digest[..20]), "5e0b294166df8870565f432c98a7c47c5ae672d9");
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
    let around = [1, 2, 3, 4, 5, 8, 16, 31, 64, 65, 127, 128, 129, 256, 257, 512, 513];
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

/// Lengths around the boundaries of chunks, and of the chunks that are hashed at once.
const CHUNKS: [usize; 15] = [
    1, 1000, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 4100, 7168, 20_000, 131_071, 131_072,
    140_000,
];

/// In each kernel, with and without a key, for digests and for outputs. Messages of mixed lengths
/// share lanes.
#[test]
fn blake3_continues_prefixes_of_any_length() {
    let bytes = noise(6, 300 << 10);
    let key = bytes.first_chunk().unwrap();
    for engine in crate::common::engines_of::<Blake3>() {
        for (i, length) in LENGTHS.into_iter().chain(CHUNKS).enumerate() {
            let start = &bytes[i..][..length];
            let mut theirs = blake3::Hasher::new();
            theirs.update(start);
            let prefix = Prefix::<Blake3>::with_engine(engine, start);
            let longest = [200, 4200, 150_000][i % 3];
            let lengths = LENGTHS.into_iter().chain(CHUNKS).filter(|&length| length < longest);
            let all = messages(&bytes, lengths);
            let right = |message: &&[u8]| *theirs.clone().update(message).finalize().as_bytes();
            let right: Vec<_> = all.iter().map(right).collect();
            assert!(prefix.digest_many(&all) == right, "{engine:?}, after {length} bytes");
            for (message, right) in all.iter().zip(&right) {
                assert_eq!(prefix.digest(message), *right, "{engine:?}, {length} bytes");
            }
        }
    }
    for length in LENGTHS.into_iter().chain(CHUNKS) {
        let all = messages(&bytes, LENGTHS.into_iter().chain(CHUNKS));
        let (mut ours, mut theirs) = (Xof::<Blake3>::keyed(key), blake3::Hasher::new_keyed(key));
        ours.update(&bytes[..length]);
        theirs.update(&bytes[..length]);
        let mut outputs = vec![[0; 100]; all.len()];
        squeeze_many(&mut ours.absorb_many(&all), &mut outputs);
        for (output, message) in outputs.iter().zip(&all) {
            let mut right = [0; 100];
            theirs.clone().update(message).finalize_xof().fill(&mut right);
            assert_eq!(*output, right, "{length} and {} bytes", message.len());
        }
    }
}

/// Two boundaries between pieces around those of chunks, in each kernel.
#[test]
fn blake3_is_cut_into_pieces_anywhere() {
    let bytes = noise(7, 300 << 10);
    for engine in crate::common::engines_of::<Blake3>() {
        for first in CHUNKS {
            for second in CHUNKS {
                let (message, mut hasher) =
                    (&bytes[..first + second + 5000], Hasher::with_engine(engine));
                hasher.update(&message[..first]).update(&message[first..][..second]);
                let part = *blake3::hash(&message[..first + second]).as_bytes();
                assert_eq!(hasher.clone().finalize(), part, "{engine:?}, {first} + {second}");
                hasher.update(&message[first + second..]);
                let right = *blake3::hash(message).as_bytes();
                assert_eq!(hasher.finalize(), right, "{engine:?}, {first} + {second}");
            }
        }
    }
}

/// Last chunks of all numbers of blocks beside whole ones, in each kernel.
#[test]
fn blake3_trees_of_mixed_lengths_share_lanes() {
    let bytes = noise(5, 9000);
    let mut rng = fastrand::Rng::with_seed(5);
    for count in [2, 3, 5, 9, 17, 100, 300] {
        let most = [1500, 2500, 8500][rng.usize(..3)];
        let lengths: Vec<_> = (0..count).map(|_| rng.usize(..most)).chain([most]).collect();
        let all = messages(&bytes, lengths);
        let right: Vec<_> = all.iter().map(|message| *blake3::hash(message).as_bytes()).collect();
        for engine in crate::common::engines_of::<Blake3>() {
            assert!(engine.digest_many(&all) == right, "{engine:?}, {count} of up to {most} bytes");
        }
    }
}

/// Roots that are chunks or parents, with and without keys, from any place in the output.
#[test]
fn blake3_output_of_any_length() {
    let bytes = noise(4, 140 << 10);
    let around = [1, 2, 3, 7, 64, 127, 128, 129];
    let lengths =
        around.into_iter().flat_map(|chunks| [1024 * chunks - 1, 1024 * chunks, 1024 * chunks + 1]);
    let all = messages(&bytes, LENGTHS.into_iter().chain(lengths));
    let (key, context) = (bytes.first_chunk().unwrap(), "a test");
    let mut rng = fastrand::Rng::with_seed(4);
    for (xof, theirs) in [
        (Xof::<Blake3>::new(), blake3::Hasher::new()),
        (Xof::keyed(key), blake3::Hasher::new_keyed(key)),
        (Xof::derive_key(context), blake3::Hasher::new_derive_key(context)),
    ] {
        let mut readers = xof.absorb_many(&all);
        let mut outputs: Vec<_> = all.iter().map(|_| vec![0; rng.usize(..2000)]).collect();
        squeeze_many(&mut readers, &mut outputs);
        for ((output, message), reader) in outputs.iter().zip(&all).zip(&mut readers) {
            let mut theirs = theirs.clone().update(message).finalize_xof();
            let mut right = vec![0; output.len()];
            theirs.fill(&mut right);
            assert_eq!(*output, right, "{} bytes", message.len());
            let (before, after) = message.split_at(rng.usize(..=message.len()));
            let mut streamed = xof.clone().update(before).update(after).finalize();
            streamed.read(&mut right);
            assert_eq!(*output, right, "{} and {} bytes", before.len(), after.len());
            for position in [rng.u64(..5000), (64 << 32) - 100, u64::MAX / 2] {
                let (mut part, mut right) = ([0; 300], [0; 300]);
                reader.set_position(position);
                reader.read(&mut part);
                theirs.set_position(position);
                theirs.fill(&mut right);
                assert_eq!((part, reader.position()), (right, position + 300), "{position}");
            }
        }
    }
}

/// The first bytes of outputs in BLAKE3's official test vectors: the hash, the keyed hash, and the
/// derived key.
#[test]
fn blake3_output_of_the_test_vectors() {
    let examples = [
        (
            0,
            [
                "af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262e00f03e7b69af26b\
                 7faaf09fcd333050338ddfe085b8cc869ca98b206c08243a26f5487789e8f660afe6c99ef9e0c52b\
                 92e7393024a80459cf91f476f9ffdbda7001c22e159b402631f277ca96f2defdf1078282314e7636\
                 99a31c5363165421cce14d",
                "92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26b18171a2f22a4b94\
                 822c701f107153dba24918c4bae4d2945c20ece13387627d3b73cbf97b797d5e59948c7ef788f543\
                 72df45e45e4293c7dc18c1d41144a9758be58960856be1eabbe22c2653190de560ca3b2ac4aa692a\
                 9210694254c371e851bc8f",
                "2cc39783c223154fea8dfb7c1b1660f2ac2dcbd1c1de8277b0b0dd39b7e50d7d905630c8be290dfc\
                 f3e6842f13bddd573c098c3f17361f1f206b8cad9d088aa4a3f746752c6b0ce6a83b0da81d596492\
                 57cdf8eb3e9f7d4998e41021fac119deefb896224ac99f860011f73609e6e0e4540f93b273e56547\
                 dfd3aa1a035ba6689d89a0",
            ],
        ),
        (
            2049,
            [
                "5f4d72f40d7a5f82b15ca2b2e44b1de3c2ef86c426c95c1af0b687952256303096de31d71d741034\
                 03822a2e0bc1eb193e7aecc9643a76b7bbc0c9f9c52e8783aae98764ca468962b5c2ec92f0c74eb5\
                 448d519713e09413719431c802f948dd5d90425a4ecdadece9eb178d80f26efccae630734dff6334\
                 0285adec2aed3b51073ad3",
                "9f29700902f7c86e514ddc4df1e3049f258b2472b6dd5267f61bf13983b78dd5f9a88abfefdfa1e0\
                 0b418971f2b39c64ca621e8eb37fceac57fd0c8fc8e117d43b81447be22d5d8186f8f5919ba6bcc6\
                 846bd7d50726c06d245672c2ad4f61702c646499ee1173daa061ffe15bf45a631e2946d616a4c345\
                 822f1151284712f76b2b0e",
                "2ea477c5515cc3dd606512ee72bb3e0e758cfae7232826f35fb98ca1bcbdf27316d8e9e79081a80b\
                 046b60f6a263616f33ca464bd78d79fa18200d06c7fc9bffd808cc4755277a7d5e09da0f29ed150f\
                 6537ea9bed946227ff184cc66a72a5f8c1e4bd8b04e81cf40fe6dc4427ad5678311a61f4ffc39d19\
                 5589bdbc670f63ae70f4b6",
            ],
        ),
    ];
    let key = b"whats the Elvish word for friend";
    let context = "BLAKE3 2019-12-27 16:29:52 test vectors context";
    for (length, right) in examples {
        let message: Vec<_> = (0..length).map(|i| (i % 251) as u8).collect();
        let xofs = [Xof::<Blake3>::new(), Xof::keyed(key), Xof::derive_key(context)];
        for (mut xof, right) in xofs.into_iter().zip(right) {
            let mut output = [0; 131];
            xof.update(&message).finalize().read(&mut output);
            let hex: String = output.iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, right, "{length} bytes");
        }
    }
}
