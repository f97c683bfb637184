//! Digests, algorithms and saved states in a human-readable format, JSON, and in a binary one,
//! postcard.
#![cfg(feature = "serde")]

use std::collections::BTreeMap;

use crate::common::noise;
use hashlanes::{Algorithm, AnyDigest, Blake3, Hasher, Prefix, Sha256};

#[test]
fn a_digest_is_hexadecimal_in_json_and_bytes_in_postcard() {
    for &algorithm in Algorithm::ALL {
        let digest = algorithm.digest(noise(1, 100));
        let json = serde_json::to_string(&digest).unwrap();
        assert_eq!(json, format!("\"{digest}\""));
        assert_eq!(serde_json::from_str::<AnyDigest>(&json).unwrap(), digest);
        assert_eq!(serde_json::from_str::<AnyDigest>(&json.to_uppercase()).unwrap(), digest);
        // From a reader, whose text cannot be borrowed.
        assert_eq!(serde_json::from_reader::<_, AnyDigest>(json.as_bytes()).unwrap(), digest);

        let binary = postcard::to_allocvec(&digest).unwrap();
        assert_eq!(binary[0], algorithm.digest_len() as u8);
        assert_eq!(digest, binary[1..]);
        assert_eq!(postcard::from_bytes::<AnyDigest>(&binary).unwrap(), digest);
    }
}

#[test]
fn an_invalid_digest_is_refused_with_the_reason() {
    for (json, reason) in [
        ("\"abc\"", "a digest must have 32, 40, 56, 64, 96 or 128 hexadecimal digits, not 3"),
        ("\"zz\"", "character 1 of a digest is 'z', not a hexadecimal digit"),
        ("12", "expected a digest in hexadecimal"),
        ("[1, 2]", "expected a digest in hexadecimal"),
    ] {
        let error = serde_json::from_str::<AnyDigest>(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{json}: {error}");
    }
    assert!(postcard::from_bytes::<AnyDigest>(&[17; 18]).is_err());
    assert!(postcard::from_bytes::<AnyDigest>(&[16; 16]).is_err());
    assert!(postcard::from_bytes::<AnyDigest>(&[16; 17]).is_ok());
}

#[test]
fn an_algorithm_is_its_name_in_json_and_its_number_in_postcard() {
    for (i, &algorithm) in Algorithm::ALL.iter().enumerate() {
        let json = serde_json::to_string(&algorithm).unwrap();
        assert_eq!(json, format!("\"{}\"", algorithm.name()));
        assert_eq!(serde_json::from_str::<Algorithm>(&json).unwrap(), algorithm);
        assert_eq!(serde_json::from_reader::<_, Algorithm>(json.as_bytes()).unwrap(), algorithm);
        let tag = format!("\"{}\"", algorithm.tag());
        assert_eq!(serde_json::from_str::<Algorithm>(&tag).unwrap(), algorithm);

        let binary = postcard::to_allocvec(&algorithm).unwrap();
        assert_eq!(binary, [i as u8]);
        assert_eq!(postcard::from_bytes::<Algorithm>(&binary).unwrap(), algorithm);
    }
    for (json, reason) in [
        ("\"sha3\"", "unknown algorithm 'sha3'; expected one of md5, "),
        ("{\"sha256\": 1}", "expected unit"),
        ("7", "expected value"),
    ] {
        let error = serde_json::from_str::<Algorithm>(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{json}: {error}");
    }
    assert!(postcard::from_bytes::<Algorithm>(&[Algorithm::ALL.len() as u8]).is_err());
}

#[test]
fn a_hasher_is_its_saved_state() {
    for &algorithm in Algorithm::ALL {
        let mut hasher = Hasher::of(algorithm);
        let saved = hasher.update(noise(2, 5000)).save().unwrap();
        let hex: String = saved.iter().map(|byte| format!("{byte:02x}")).collect();
        let json = serde_json::to_string(&hasher).unwrap();
        assert_eq!(json, format!("\"{hex}\""));
        let binary = postcard::to_allocvec(&hasher).unwrap();
        assert_eq!(binary[binary.len() - saved.len()..], saved);
        let digest = hasher.update("more").finalize_reset();
        for mut restored in [
            serde_json::from_str::<Hasher>(&json).unwrap(),
            serde_json::from_reader(json.to_uppercase().as_bytes()).unwrap(),
            postcard::from_bytes(&binary).unwrap(),
        ] {
            assert_eq!(restored.update("more").finalize_reset(), digest);
        }
    }
    let json = serde_json::to_string(&Sha256::hasher()).unwrap();
    let changed = json.replace("00\"", "01\"").replace("67e6", "67e7");
    for (json, reason) in [
        (&changed[..], "the saved state is damaged"),
        ("\"abc\"", "expected an even number of hexadecimal digits"),
        ("\"zz\"", "expected the saved state of a hasher"),
        ("1", "expected the saved state of a hasher"),
    ] {
        let error = serde_json::from_str::<Hasher<Sha256>>(json).unwrap_err().to_string();
        assert!(error.contains(reason), "{json}: {error}");
    }
    let keyed = Prefix::<Blake3>::keyed(&[7; 32]).hasher();
    let refused = "contains the key, which is saved only on request";
    assert!(serde_json::to_string(&keyed).unwrap_err().to_string().ends_with(refused));
    let saved = keyed.save_with_key();
    let binary = [&[saved.len() as u8, 1][..], &saved].concat();
    let binary = if saved.len() < 128 { [&binary[..1], &saved].concat() } else { binary };
    assert!(postcard::from_bytes::<Hasher>(&binary).is_err());
}

#[test]
fn both_can_be_keys_of_maps() {
    let digests: BTreeMap<Algorithm, AnyDigest> =
        Algorithm::ALL.iter().map(|&algorithm| (algorithm, algorithm.digest("abc"))).collect();
    let json = serde_json::to_string(&digests).unwrap();
    assert!(json.starts_with("{\"md5\":\"900150983cd24fb0d6963f7d28e17f72\",\"sha1\":"), "{json}");
    assert_eq!(serde_json::from_str::<BTreeMap<Algorithm, AnyDigest>>(&json).unwrap(), digests);

    let algorithms: BTreeMap<AnyDigest, Algorithm> =
        digests.into_iter().map(|(a, d)| (d, a)).collect();
    let json = serde_json::to_string(&algorithms).unwrap();
    assert_eq!(serde_json::from_str::<BTreeMap<AnyDigest, Algorithm>>(&json).unwrap(), algorithms);
}
