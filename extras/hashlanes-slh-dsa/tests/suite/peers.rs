//! Keys and signatures are those of other implementations, and each verifies the other's.

use fips205::traits::{SerDes, Signer as _, Verifier as _};
use hashlanes::Algorithm;
use hashlanes_slh_dsa::{Domain, ParameterSet, Signature};
use pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePrivateKey, EncodePublicKey};

use crate::{key, random};

/// Tests a parameter set beside both crates.
fn test<P>(set: ParameterSet)
where
    P: slh_dsa::ParameterSet,
{
    let ours = key(set);
    let n = set.private_key_len() / 4;
    let bytes = ours.as_bytes();
    let theirs = slh_dsa::SigningKey::<P>::slh_keygen_internal(
        &bytes[..n],
        &bytes[n..2 * n],
        &bytes[2 * n..3 * n],
    );
    assert_eq!(theirs.to_vec(), bytes, "the key");
    let public = ours.verifying_key();

    // Keys go to the other crate and come back.
    let der = ours.to_pkcs8_der().unwrap();
    let read = slh_dsa::SigningKey::<P>::from_pkcs8_der(der.as_bytes()).unwrap();
    assert_eq!(read.to_vec(), bytes);
    assert_eq!(theirs.to_pkcs8_der().unwrap().as_bytes(), der.as_bytes());
    let der = public.to_public_key_der().unwrap();
    let verifying = slh_dsa::VerifyingKey::<P>::from_public_key_der(der.as_bytes()).unwrap();

    // Deterministic and hedged, with and without a context, and what the internal functions do.
    let messages = [random(1, 0), random(2, 1000)];
    let opt_rand = random(3, 2 * n);
    let context = random(4, 255);
    let with_context = Domain::pure(&context).unwrap();
    let signatures = ours.sign_with(&messages, with_context, &opt_rand).unwrap();
    let valid = public.verify_many(&messages, &signatures, with_context);
    assert_eq!(valid, [true; 2]);
    let same = theirs.try_sign_with_context(&messages[1], &context, Some(&opt_rand[n..]));
    assert!(same.unwrap().to_vec() == signatures[1].as_ref(), "hedged, with a context");
    let read = slh_dsa::Signature::try_from(signatures[0].as_ref()).unwrap();
    verifying.try_verify_with_context(&messages[0], &context, &read).unwrap();
    assert_eq!(Signature::try_from(signatures[1].as_ref()).unwrap(), signatures[1]);
    if set.name().ends_with('s') {
        // Signing takes the other crate too long to do it twice.
        return;
    }
    let internal = ours.sign(&messages[0], Domain::internal(), None).unwrap();
    let same = theirs.slh_sign_internal(&[&messages[0]], None);
    assert!(same.to_vec() == internal.as_ref(), "internal, without random bytes");
    assert!(!public.is_valid(&messages[0], &internal, Domain::default()));
}

/// Tests a parameter set's pre-hashing beside `fips205`.
macro_rules! pre_hashed {
    ($set:ident, $module:ident) => {{
        use fips205::{pre_hash, $module as peer};
        let ours = key(ParameterSet::$set);
        let array = ours.as_bytes().try_into().unwrap();
        let theirs = peer::PrivateKey::try_from_bytes(array).unwrap();
        let public = theirs.get_public_key();
        let functions = [
            (Algorithm::Sha224, &pre_hash::SHA2_224),
            (Algorithm::Sha256, &pre_hash::SHA2_256),
            (Algorithm::Sha384, &pre_hash::SHA2_384),
            (Algorithm::Sha512, &pre_hash::SHA2_512),
            (Algorithm::Sha512_256, &pre_hash::SHA2_512_256),
            (Algorithm::Sha3_224, &pre_hash::SHA3_224),
            (Algorithm::Sha3_256, &pre_hash::SHA3_256),
            (Algorithm::Sha3_384, &pre_hash::SHA3_384),
            (Algorithm::Sha3_512, &pre_hash::SHA3_512),
            (Algorithm::Shake128, &pre_hash::SHAKE_128),
            (Algorithm::Shake256, &pre_hash::SHAKE_256),
        ];
        for (function, identifier) in functions {
            let domain = Domain::pre_hash(b"context", function).unwrap();
            let signature = ours.sign("message", domain, None).unwrap();
            let digest = function.digest("message");
            let digest = digest.as_bytes();
            let same = theirs.try_hash_sign(digest, b"context", identifier, false).unwrap();
            assert!(same == signature.as_ref(), "{function}");
            assert!(public.hash_verify(digest, &same, b"context", identifier));
            assert!(ours.verifying_key().is_valid("message", signature, domain));
        }
    }};
}

macro_rules! sets {
    ($($name:ident $set:ident)*) => {
        $(#[test]
        fn $name() {
            test::<slh_dsa::$set>(ParameterSet::$set);
        })*
    };
}

sets! {
    sha2_128s Sha2_128s
    sha2_128f Sha2_128f
    sha2_192s Sha2_192s
    sha2_192f Sha2_192f
    sha2_256s Sha2_256s
    sha2_256f Sha2_256f
    shake_128s Shake128s
    shake_128f Shake128f
    shake_192s Shake192s
    shake_192f Shake192f
    shake_256s Shake256s
    shake_256f Shake256f
}

#[test]
fn pre_hashing_with_sha2() {
    pre_hashed!(Sha2_128f, slh_dsa_sha2_128f);
}

#[test]
fn pre_hashing_with_shake() {
    pre_hashed!(Shake192f, slh_dsa_shake_192f);
}
