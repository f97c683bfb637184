//! With the feature `zeroize`, no memory that is freed while a state is saved, written or restored
//! contains any of it. A vector that grew would leave copies behind.

use std::fmt::Write;
use std::hint::black_box;

use crate::searching::{ONE, found};
use hashlanes::{Algorithm, Blake2Params, Blake2b512, Engine, Hasher, HmacKey, Prefix, Sha256};

/// The start of a message. A state has the bytes that are not compressed yet as they are.
const SECRET: [u8; 8] = *b"a secret";

/// A message that ends with [`SECRET`], after some blocks.
fn message() -> Vec<u8> {
    [[7; 1024].as_slice(), &SECRET].concat()
}

/// What a call returns, overwritten before it is freed, as by a careful caller.
fn wiped(mut saved: Vec<u8>) {
    saved.fill(0);
    black_box(&saved);
}

#[test]
fn no_freed_memory_contains_a_state_that_was_saved() {
    let _one = ONE.lock();
    let message = message();
    let key = HmacKey::<Sha256>::new("a key");
    let mut hmac = key.hasher();
    hmac.update(&message);
    let forgotten = found(SECRET, || drop(hmac.save()));
    assert_eq!(forgotten, 1, "a state that the caller does not overwrite");
    assert_eq!(found(SECRET, || wiped(hmac.save())), 0, "HMAC");
    let named = HmacKey::of(Algorithm::Sha3_256, "a key");
    assert_eq!(found(SECRET, || wiped(named.hasher().update(&message).save())), 0, "by name");
    for &algorithm in Algorithm::ALL {
        let mut hasher = Hasher::of(algorithm);
        hasher.update(&message);
        assert_eq!(found(SECRET, || wiped(hasher.save().unwrap())), 0, "{algorithm}");
        assert_eq!(found(SECRET, || wiped(hasher.save_with_key())), 0, "{algorithm}");
        let mut hashers = Engine::of(algorithm).hashers(2);
        hashers.update(&[&message, b""]);
        assert_eq!(found(SECRET, || wiped(hashers.save(0))), 0, "{algorithm}, one of several");
    }
    let saved = hmac.save();
    assert_eq!(found(SECRET, || drop(black_box(key.restore(&saved).unwrap()))), 0, "restored");
}

#[test]
fn no_freed_memory_contains_a_key_that_was_saved() {
    let _one = ONE.lock();
    let params = Blake2Params::new().key(&SECRET);
    let hasher = Prefix::<Blake2b512>::with_params(params).unwrap().hasher();
    assert_eq!(found(SECRET, || drop(hasher.save_with_key())), 1);
    assert_eq!(found(SECRET, || wiped(hasher.save_with_key())), 0);
    assert_eq!(found(SECRET, || assert!(hasher.save().is_err())), 0);
    #[cfg(feature = "digest")]
    {
        use digest::common::hazmat::SerializableState;
        assert_eq!(found(SECRET, || _ = black_box(hasher.serialize())), 0, "serialized");
        let state = hasher.serialize();
        let again = || drop(black_box(Hasher::<Blake2b512>::deserialize(&state).unwrap()));
        assert_eq!(found(SECRET, again), 0, "deserialized");
    }
}

#[cfg(feature = "serde")]
#[test]
fn no_freed_memory_contains_a_state_that_serde_wrote_or_read() {
    use serde_core::{Deserialize, Serialize};

    let _one = ONE.lock();
    let mut hasher = Hasher::of(Algorithm::Sha256);
    hasher.update(message());
    let mut digits = String::new();
    SECRET.iter().for_each(|byte| write!(digits, "{byte:02x}").unwrap());
    let mut place = [0; 4096];
    let mut text = String::with_capacity(4096);
    for secret in [SECRET, digits.as_bytes()[..8].try_into().unwrap()] {
        let binary = found(secret, || {
            postcard::to_slice(&hasher, &mut place).unwrap();
        });
        assert_eq!(binary, 0, "in a binary format");
        let written = found(secret, || {
            text.clear();
            write!(text, "{}", Shown(&hasher)).unwrap();
        });
        assert_eq!(written, 0, "as text");
        let read = found(secret, || {
            postcard::from_bytes::<Hasher>(&place).unwrap();
            let text =
                serde_core::de::value::StrDeserializer::<serde_core::de::value::Error>::new(&text);
            Hasher::<Algorithm>::deserialize(text).unwrap();
        });
        assert_eq!(read, 0, "when it is read");
    }
    assert!(text.contains(&digits));

    /// A format for people that writes to a formatter, and allocates nothing.
    struct Shown<'a>(&'a Hasher);

    impl std::fmt::Display for Shown<'_> {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            self.0.serialize(f)
        }
    }
}
