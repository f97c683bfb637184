//! Chains and derived keys, as OpenSSL computes them: `derived.txt`.

use hashlanes::{Algorithm, Engine, HashFunction, Prefix, with_function};

fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

fn key(length: usize) -> Vec<u8> {
    (0..length).map(|i| ((i + 128) % 253) as u8).collect()
}

/// What a line asks for.
fn answer<A: HashFunction>(kind: &str, sizes: &[usize], length: usize) -> Vec<u8> {
    let mut keys = [vec![0; length]];
    match (kind, sizes) {
        ("chain", &[links]) => {
            let mut value = A::digest([]);
            value.as_mut().copy_from_slice(&key(length));
            Prefix::<A>::new([]).digest_chains(std::slice::from_mut(&mut value), &[links as u64]);
            keys[0].copy_from_slice(value.as_ref());
        }
        ("pbkdf2", &[password, salt, rounds]) => {
            Engine::<A>::new().pbkdf2_many(
                &[key(password)],
                &[message(salt)],
                rounds as u32,
                &mut keys,
            );
        }
        ("hkdf", &[secret, salt, info]) => {
            Engine::<A>::new().hkdf_many(
                &[message(salt)],
                &[key(secret)],
                &[message(info)],
                &mut keys,
            );
        }
        _ => panic!("{kind}"),
    }
    keys.concat()
}

#[test]
fn chains_and_derived_keys_are_those_of_openssl() {
    let lines = include_str!("derived.txt").lines().filter(|line| !line.starts_with('#'));
    let mut count = 0;
    for line in lines {
        let words: Vec<_> = line.split(' ').collect();
        let [kind, name, sizes @ .., right] = &words[..] else { panic!("{line}") };
        let sizes: Vec<_> = sizes.iter().map(|size| size.parse().unwrap()).collect();
        let algorithm: Algorithm = name.parse().unwrap();
        let length = right.len() / 2;
        let made = with_function!(algorithm, A => answer::<A>(kind, &sizes, length));
        let hex: String = made.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hex, *right, "{line}");
        count += 1;
    }
    assert!(count > 80, "{count}");
}
