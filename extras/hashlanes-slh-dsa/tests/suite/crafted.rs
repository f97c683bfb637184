//! Signatures that are not valid, and many at a time.

use hashlanes::Algorithm;
use hashlanes_slh_dsa::{Domain, ParameterSet, Signature};

use crate::{key, random};

#[test]
fn no_bit_of_a_signature_may_change() {
    let key = key(ParameterSet::Sha2_128f);
    let public = key.verifying_key();
    let signature = key.sign("message", Domain::default(), None).unwrap();
    let bytes = signature.as_ref();
    assert!(public.is_valid("message", bytes, Domain::default()));
    let changed = |bit: usize| {
        let mut bytes = bytes.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    // One bit of each byte: every byte is in a value of its own or beside seven others of one.
    let all: Vec<_> = (0..bytes.len()).map(|byte| changed(8 * byte + byte % 8)).collect();
    for some in all.chunks(64) {
        let messages = vec!["message"; some.len()];
        let valid = public.verify_many(&messages, some, Domain::default());
        assert!(!valid.contains(&true));
    }
}

#[test]
fn another_length_message_key_or_domain_is_not_valid() {
    let key = key(ParameterSet::Shake128f);
    let public = key.verifying_key();
    let signature = key.sign("message", Domain::default(), None).unwrap();
    let bytes = signature.as_ref();
    let longer = [bytes, &[0]].concat();
    for bytes in [&bytes[..0], &bytes[..16], &bytes[..bytes.len() - 1], &longer] {
        assert!(!public.is_valid("message", bytes, Domain::default()));
    }
    assert!(!public.is_valid("massage", &signature, Domain::default()));
    assert!(!public.is_valid("message", &signature, Domain::pure(b"c").unwrap()));
    let hashed = Domain::pre_hash(b"", Algorithm::Sha256).unwrap();
    assert!(!public.is_valid("message", &signature, hashed));
    let other = crate::key(ParameterSet::Sha2_128f).verifying_key();
    assert!(!other.is_valid("message", &signature, Domain::default()));
    assert!(Signature::try_from(&longer[..]).is_err());
    assert!(Domain::pre_hash(b"", Algorithm::Md5).is_err());
}

#[test]
fn many_are_as_one() {
    let key = key(ParameterSet::Sha2_128f);
    let public = key.verifying_key();
    // More than are signed or verified side by side.
    let messages: Vec<_> = (0..70).map(|i| random(i, 7 * i as usize)).collect();
    let mut signatures = key.sign_many(&messages, Domain::default(), None).unwrap();
    for i in [0, 15, 16, 69] {
        let one = key.sign(&messages[i], Domain::default(), None).unwrap();
        assert_eq!(one, signatures[i]);
    }
    signatures.swap(3, 66);
    let expected: Vec<_> = (0..70).map(|i| i != 3 && i != 66).collect();
    assert_eq!(public.verify_many(&messages, &signatures, Domain::default()), expected);
    let none: [&[u8]; 0] = [];
    assert!(key.sign_many(&none, Domain::default(), None).unwrap().is_empty());
    assert!(public.verify_many(&none, &none, Domain::default()).is_empty());
}
