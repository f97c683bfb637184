//! Keys as bytes, DER and PEM, and what is wrong with them.

use hashlanes_slh_dsa::{Domain, Error, ParameterSet, SigningKey, VerifyingKey};
use pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey, LineEnding};

use crate::{key, random};

#[test]
fn every_set_has_its_identifier_and_lengths() {
    for set in ParameterSet::ALL {
        assert_eq!(ParameterSet::from_name(&set.name().to_lowercase()), Some(set));
        let bytes = random(0, set.private_key_len());
        let key = SigningKey::from_bytes(set, &bytes).unwrap();
        let pem = key.to_pkcs8_pem(LineEnding::LF).unwrap();
        let read = SigningKey::from_pkcs8_pem(&pem).unwrap();
        assert_eq!((read.parameter_set(), read.as_bytes()), (set, &bytes[..]));
        let public = key.verifying_key();
        let pem = public.to_public_key_pem(LineEnding::LF).unwrap();
        assert_eq!(VerifyingKey::from_public_key_pem(&pem).unwrap(), public);
    }
    assert_eq!(ParameterSet::from_name("SLH-DSA-SHA2-128"), None);
}

#[test]
fn wrong_lengths_are_refused() {
    let set = ParameterSet::Sha2_192f;
    let error = SigningKey::from_bytes(set, &[0; 95]).unwrap_err();
    assert_eq!(error, Error::KeyLength(set, 95));
    assert_eq!(
        error.to_string(),
        "95 bytes are not a key of SLH-DSA-SHA2-192f, \
         whose public keys have 48 bytes and private keys 96"
    );
    let error = SigningKey::from_seeds(set, &[0; 96]).unwrap_err();
    assert_eq!(error, Error::SeedsLength(set, 96));
    assert_eq!(
        error.to_string(),
        "the seeds of an SLH-DSA-SHA2-192f key must have 72 bytes in all, not 96"
    );
    assert!(VerifyingKey::from_bytes(set, &[0; 49]).is_err());
    assert!(Domain::pure(&[0; 256]).is_err());
}

#[test]
fn damaged_documents_are_refused() {
    let key = key(ParameterSet::Sha2_128f);
    let der = key.to_pkcs8_der().unwrap();
    for length in 0..der.as_bytes().len() {
        assert!(SigningKey::from_pkcs8_der(&der.as_bytes()[..length]).is_err());
    }
    let mut other = der.as_bytes().to_vec();
    // The last number of the identifier.
    let at = other.windows(2).position(|bytes| bytes == [3, 21]).unwrap();
    for number in 0..=255 {
        other[at + 1] = number;
        let same_length = matches!(number, 20 | 21 | 26 | 27);
        assert_eq!(SigningKey::from_pkcs8_der(&other).is_ok(), same_length, "{number}");
    }
}

/// A value of DER with fewer than 256 bytes.
fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let content = parts.concat();
    let long: &[u8] = if content.len() < 128 { &[] } else { &[0x81] };
    [&[tag], long, &[content.len() as u8], &content].concat()
}

/// The identifier of SLH-DSA-SHA2-128f, with bytes after it.
fn algorithm(parameters: &[u8]) -> Vec<u8> {
    der(0x30, &[b"\x06\x09\x60\x86\x48\x01\x65\x03\x04\x03\x15", parameters])
}

#[test]
fn documents_of_private_keys_are_strict() {
    let key = key(ParameterSet::Sha2_128f);
    let (octets, public) = (der(4, &[key.as_bytes()]), key.verifying_key());
    let read = |version: u8, parameters: &[u8], rest: &[&[u8]]| {
        let parts = [&[2, 1, version], &algorithm(parameters)[..], &rest.concat()];
        SigningKey::from_pkcs8_der(&der(0x30, &parts)).is_ok_and(|read| {
            assert_eq!(read.as_bytes(), key.as_bytes());
            true
        })
    };
    let with_public = |bytes: &[u8]| read(1, &[], &[&octets, &der(0x81, &[&[0], bytes])]);
    assert!(read(0, &[], &[&octets]));
    assert!(with_public(public.as_bytes()));
    let mut other = public.as_bytes().to_vec();
    other[31] ^= 1;
    assert!(!with_public(&other) && !with_public(&other[..31]) && !with_public(&[]));
    assert!(!read(0, &[5, 0], &[&octets]), "parameters");
    assert!(!read(0, &[], &[&der(4, &[&octets])]), "octets in octets");
    assert!(!read(0, &[], &[&der(4, &[&key.as_bytes()[..48]])]), "seeds without a root");
    assert!(!read(0, &[], &[&octets, &octets]), "trailing data");
    assert!(!read(2, &[], &[&octets]), "no such version");
    let document = key.to_pkcs8_der().unwrap();
    assert!(SigningKey::from_pkcs8_der(&[document.as_bytes(), &[0]].concat()).is_err());
}

#[test]
fn documents_of_public_keys_are_strict() {
    let public = key(ParameterSet::Sha2_128f).verifying_key();
    let read = |parameters: &[u8], bits: &[&[u8]]| {
        let document = der(0x30, &[&algorithm(parameters), &der(3, bits)]);
        VerifyingKey::from_public_key_der(&document).is_ok_and(|read| read == public)
    };
    assert!(read(&[], &[&[0], public.as_bytes()]));
    assert!(!read(&[5, 0], &[&[0], public.as_bytes()]), "parameters");
    assert!(!read(&[], &[&[1], public.as_bytes()]), "unused bits");
    assert!(!read(&[], &[&[0], &public.as_bytes()[1..]]) && !read(&[], &[&[0]]));
}

#[test]
fn keys_are_found_in_text() {
    let key = key(ParameterSet::Shake256s);
    let public = key.verifying_key();
    for ending in [LineEnding::LF, LineEnding::CRLF, LineEnding::CR] {
        let private = key.to_pkcs8_pem(ending).unwrap();
        let document = public.to_public_key_pem(ending).unwrap();
        let one_line = private.replace(['\r', '\n'], "");
        for text in [
            format!("{}{document}", &*private),
            format!("Bag Attributes\n  key: 1\n\n  {document}\n\n{}trailing", &*private),
            format!("{document}{one_line}"),
            [&*document, &*private].concat().replace('e', " \te\n "),
        ] {
            assert_eq!(SigningKey::from_pem(&text).unwrap().as_bytes(), key.as_bytes(), "{text}");
            assert_eq!(VerifyingKey::from_pem(&text).unwrap(), public, "{text}");
        }
        assert!(SigningKey::from_pem(&document).is_err());
        assert!(VerifyingKey::from_pem(&private).is_err());
        let cut = private.trim_end().strip_suffix('-').unwrap();
        assert!(SigningKey::from_pem(cut).is_err());
        assert!(SigningKey::from_pem(&private.replacen('M', "M-", 1)).is_err());
        let twice = private.replacen("-----END", "-----BEGIN PRIVATE KEY-----\n-----END", 1);
        assert!(SigningKey::from_pem(&twice).is_err());
    }
    assert!(SigningKey::from_pem("").is_err());
    assert!(SigningKey::from_pem("-----BEGIN PRIVATE KEY----------END PRIVATE KEY-----").is_err());
}

#[test]
fn a_damaged_key_signs_nothing() {
    let key = key(ParameterSet::Sha2_128f);
    for byte in [0, 15, 32, 47, 48, 63] {
        let mut bytes = key.as_bytes().to_vec();
        bytes[byte] ^= 1;
        let damaged = SigningKey::from_bytes(key.parameter_set(), &bytes).unwrap();
        let signature = damaged.sign("message", Domain::default(), None);
        assert_eq!(signature.unwrap_err(), Error::Fault, "byte {byte}");
    }
}

#[test]
fn nothing_secret_is_shown() {
    let shown = format!("{:?}", key(ParameterSet::Sha2_128f));
    let public = format!("{:?}", key(ParameterSet::Sha2_128f).verifying_key());
    assert_eq!(shown, format!("SigningKey({public})"));
}
