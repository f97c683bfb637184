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
        "95 bytes are no key of SLH-DSA-SHA2-192f, \
         whose public keys have 48 bytes and private keys 96"
    );
    assert!(SigningKey::from_seeds(set, &[0; 96]).is_err());
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
