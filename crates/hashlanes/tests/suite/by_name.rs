//! What an algorithm gives that is chosen at run time is what its type gives.

use crate::common::{engines_of, for_each_function, noise, panics_with};
use hashlanes::{Algorithm, Engine, Function, HashFunction, Hasher, HmacKey, Prefix};

/// Everything that is computed by an engine, a prefix and keys, as bytes.
fn all<A: Function>(engine: Engine<A>, to: fn(&[A::Digest]) -> Vec<u8>) -> Vec<Vec<u8>> {
    let data = noise(5, 3000);
    let messages: Vec<&[u8]> = (0..40).map(|i| &data[i..i + i * 31 % 300]).collect();
    let prefix = Prefix::with_engine(engine, "a prefix");
    let keys = ["one", "another"].map(|key| HmacKey::with_engine(engine, key));
    let pairs: Vec<_> = messages.iter().enumerate().map(|(i, m)| (&keys[i % 2], m)).collect();
    let (mut derived, mut expanded) = ([[0; 70]; 3], [[0; 70]; 3]);
    let three = &messages[20..23];
    engine.pbkdf2_many(three, three, 3, &mut derived);
    engine.hkdf_many(three, three, three, &mut expanded);
    let mut hashers = engine.hashers(messages.len());
    hashers.update(&messages);
    hashers.update(&messages);
    let mut numbered = [7; 5 * 20];
    prefix.digest_numbered_chains(&mut numbered, 20, 10, &[1, 2, 3, 4, 5]);
    let mut hasher = prefix.hasher();
    hasher.update("abc");
    let mut under_key = keys[0].hasher();
    under_key.update("abc");
    vec![
        to(&[engine.digest("abc"), hasher.finalize(), under_key.finalize()]),
        to(&engine.digest_many(&messages)),
        to(&engine.digest_many(&messages[..1])),
        to(&engine.digest_chunks(&data, 100)),
        to(&prefix.digest_many(&messages)),
        to(&prefix.digest_chunks(&data, 100)),
        to(&keys[1].mac_many(&messages)),
        to(&engine.hmac_many(&pairs)),
        to(&engine.hmac_many(&pairs[..1])),
        to(&[hashers.finalize_reset(3), hashers.finalize_reset(3)]),
        derived.concat(),
        expanded.concat(),
        numbered.to_vec(),
    ]
}

fn flat<D: AsRef<[u8]>>(digests: &[D]) -> Vec<u8> {
    digests.iter().flat_map(|digest| digest.as_ref().to_vec()).collect()
}

#[test]
fn a_type_and_a_value_compute_the_same() {
    fn test<A: HashFunction>() {
        for typed in engines_of::<A>() {
            let named = match typed.forced_kernel() {
                Some(name) => Engine::of(A::ALGORITHM).kernel(name).unwrap(),
                None => Engine::of(A::ALGORITHM),
            };
            assert_eq!(named.kernel_for(3), typed.kernel_for(3));
            assert_eq!(named.lanes(), typed.lanes());
            assert_eq!(all(named, flat), all(typed, flat), "{named:?}");
        }
    }
    for_each_function!(test());
}

#[test]
fn chains_of_a_value_are_consecutive_bytes() {
    fn test<A: HashFunction>() {
        let (typed, named) = (Prefix::<A>::new("tag"), Prefix::of(A::ALGORITHM, "tag"));
        let starts = ["a", "b", "c"].map(A::digest);
        let mut ends = starts;
        typed.digest_chains(&mut ends, &[1, 0, 9]);
        let mut bytes = flat(&starts);
        named.digest_chains(&mut bytes, &[1, 0, 9]);
        assert_eq!(bytes, flat(&ends));
        let valid = named.verify_chains(&flat(&starts), &bytes, &[1, 1, 9]);
        assert_eq!(valid, [true, false, true]);
    }
    for_each_function!(test());
}

#[test]
fn keys_of_another_algorithm_are_refused() {
    let key = |algorithm| HmacKey::of(algorithm, "key");
    let keys = [key(Algorithm::Md5), key(Algorithm::Sha1)];
    for pairs in [&[(&keys[1], "a")][..], &[(&keys[0], "a"), (&keys[1], "b")]] {
        let engine = Engine::of(Algorithm::Md5);
        assert!(panics_with("the engine's algorithm", || drop(engine.hmac_many(pairs))));
    }
}

#[test]
fn a_hasher_may_have_a_key_or_none() {
    let key = HmacKey::of(Algorithm::Sha3_256, "key");
    let mac = key.mac("abc");
    let server = hashlanes::server::HashServer::of(Algorithm::Sha3_256);
    for (key, right) in [(Some(key), mac), (None, Algorithm::Sha3_256.digest("abc"))] {
        let mut hasher = server.try_hasher_under(key).unwrap();
        for _ in 0..2 {
            assert!(hasher.is_empty());
            hasher.update("ab").update("c");
            assert_eq!(hasher.len(), 3);
            assert_eq!(hasher.digest_so_far(), right);
            assert_eq!(hasher.clone().finalize(), right);
            assert_eq!(hasher.finalize_reset(), right);
        }
        hasher.update("x").reset();
        assert_eq!(hasher.update("abc").finalize_reset(), right);
    }
    let _: Hasher = Hasher::of(Algorithm::Md5);
}
