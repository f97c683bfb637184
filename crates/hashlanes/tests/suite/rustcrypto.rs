//! Hashers together with the traits of RustCrypto's `digest`: a call means the same with and
//! without the traits imported.
#![cfg(feature = "digest")]

use crate::common::oracle;
#[cfg(feature = "std")]
use hashlanes::server::{HashServer, ServerHasher};
use hashlanes::{Algorithm, AnyDigest, Hasher, Md5, Sha256};

/// The calls of both modules below. The types are spelled out, so that a call of a trait's method
/// would not compile: those return an `Array`.
macro_rules! calls {
    () => {
        pub(super) fn typed() -> [[u8; 32]; 3] {
            let mut hasher: Hasher<Sha256> = Hasher::new();
            let chained: &mut Hasher<Sha256> = hasher.update(b"ab").update("c");
            let so_far: [u8; 32] = chained.clone().finalize();
            let first: [u8; 32] = chained.finalize_reset();
            hasher.update("gone");
            hasher.reset();
            let borrowed: &mut Hasher<Sha256> = &mut hasher;
            borrowed.update("d");
            let second: [u8; 32] = hasher.finalize();
            [so_far, first, second]
        }

        pub(super) fn by_name() -> [AnyDigest; 3] {
            let mut hasher: Hasher = Algorithm::Sha256.hasher();
            let chained: &mut Hasher = hasher.update(b"ab").update("c");
            let so_far: AnyDigest = chained.clone().finalize();
            let first: AnyDigest = chained.finalize_reset();
            hasher.update("gone");
            hasher.reset();
            hasher.update("d");
            let second: AnyDigest = hasher.finalize();
            [so_far, first, second]
        }

        #[cfg(feature = "std")]
        pub(super) fn served() -> [[u8; 32]; 3] {
            let server = HashServer::<Sha256>::new();
            let mut hasher: ServerHasher<Sha256> = server.hasher();
            let chained: &mut ServerHasher<Sha256> = hasher.update(b"ab").update("c");
            let so_far: [u8; 32] = chained.clone().finalize();
            let first: [u8; 32] = chained.finalize_reset();
            hasher.update("gone");
            hasher.reset();
            hasher.update("d");
            let second: [u8; 32] = hasher.finalize();
            [so_far, first, second]
        }

        pub(super) fn one_message() -> [u8; 32] {
            Sha256::digest("abc")
        }
    };
}

mod without_traits {
    use super::*;

    calls!();
}

mod with_traits {
    #![allow(unused_imports)]
    #[cfg(feature = "std")]
    use std::io::{Read, Write};

    use digest::{
        Digest, DynDigest, FixedOutput, FixedOutputReset, HashMarker, OutputSizeUser, Reset, Update,
    };
    use hashlanes::HashFunction;

    use super::*;

    calls!();
}

#[test]
fn imported_traits_change_nothing() {
    let right = ["abc", "abc", "d"].map(Sha256::digest);
    assert_eq!(without_traits::typed(), right);
    assert_eq!(with_traits::typed(), right);
    #[cfg(feature = "std")]
    assert_eq!((without_traits::served(), with_traits::served()), (right, right));
    assert_eq!(without_traits::by_name(), right.map(AnyDigest::from));
    assert_eq!(with_traits::by_name(), right.map(AnyDigest::from));
    assert_eq!(without_traits::one_message(), with_traits::one_message());
}

/// HMAC by its definition (RFC 2104) for any `Digest`, as other crates may use a hasher.
fn hmac<D: digest::Digest + digest::common::BlockSizeUser + Clone>(
    key: &[u8],
    message: &[u8],
) -> Vec<u8> {
    let mut block = vec![0; D::block_size()];
    block[..key.len()].copy_from_slice(key);
    let keyed = |pad: u8| D::new_with_prefix(block.iter().map(|b| b ^ pad).collect::<Vec<_>>());
    let inner = keyed(0x36).chain_update(message).finalize();
    keyed(0x5c).chain_update(inner).finalize().to_vec()
}

#[test]
fn generic_code_accepts_a_hasher() {
    let ours = hmac::<Hasher<Sha256>>(b"key", b"message");
    assert_eq!(ours, hmac::<sha2::Sha256>(b"key", b"message"));
    let ours = hmac::<Hasher<Md5>>(b"", &[7; 1000]);
    assert_eq!(ours, hmac::<md5::Md5>(b"", &[7; 1000]));
}

/// Traits that do not depend on a length are implemented for algorithms chosen at run time, too.
#[test]
fn any_hasher_is_updated_and_reset_by_traits() {
    fn all(hasher: &mut (impl digest::Update + digest::Reset), bytes: &[u8]) {
        hasher.update(b"gone");
        hasher.reset();
        bytes.chunks(7).for_each(|piece| hasher.update(piece));
    }
    for &algorithm in Algorithm::ALL {
        let mut hasher = algorithm.hasher();
        all(&mut hasher, &[9; 500]);
        assert_eq!(hasher.finalize(), oracle(algorithm, &[9; 500])[..]);
        #[cfg(feature = "std")]
        {
            let mut hasher = HashServer::of(algorithm).hasher();
            all(&mut hasher, &[9; 500]);
            assert_eq!(hasher.finalize(), oracle(algorithm, &[9; 500])[..]);
        }
    }
}

/// Generic code with output of any length, compared with other implementations.
#[test]
fn a_xof_is_an_extendable_output() {
    use digest::{ExtendableOutput, Update, XofReader};
    use hashlanes::xof::Xof;
    use hashlanes::{Blake3, Shake256};
    use tiny_keccak::Hasher as _;

    fn output<X: ExtendableOutput + Update + Default>(message: &[u8]) -> Vec<u8> {
        let mut xof = X::default();
        message.chunks(7).for_each(|piece| xof.update(piece));
        let mut reader = xof.finalize_xof();
        let mut output = vec![0; 500];
        output.chunks_mut(11).for_each(|part| reader.read(part));
        output
    }
    let message = [9; 2000];
    let mut right = [vec![0; 500], vec![0; 500]];
    let mut shake = tiny_keccak::Shake::v256();
    shake.update(&message);
    shake.finalize(&mut right[0]);
    let mut hasher = blake3::Hasher::new();
    hasher.update(&message);
    hasher.finalize_xof().fill(&mut right[1]);
    assert_eq!([output::<Xof<Shake256>>(&message), output::<Xof<Blake3>>(&message)], right);
}

#[cfg(feature = "digest-multi")]
#[test]
fn multi_digest_takes_messages_of_any_lengths() {
    use digest::Output;
    use hashlanes::MultiDigest;

    let bytes = crate::common::noise(11, 3000);
    let messages: Vec<_> = (0..300).map(|i| &bytes[..i * i % 3000]).collect();
    let mut hashes = vec![Output::<Hasher<Sha256>>::default(); 300];
    Hasher::<Sha256>::multi_digest(&messages, &mut hashes);
    for (hash, message) in hashes.iter().zip(messages) {
        assert_eq!(hash[..], oracle(Algorithm::Sha256, message)[..]);
    }
}

#[cfg(feature = "alloc")]
#[test]
fn a_serialized_state_is_continued() {
    use crate::common::{for_each_function, noise};
    use digest::common::hazmat::SerializableState;
    use hashlanes::HashFunction;

    fn test<A: HashFunction>() {
        let message = noise(3, 9000);
        for length in [0, 1, 64, 1024, 5000, 8192] {
            let state = Hasher::<A>::new().update(&message[..length]).serialize();
            let mut hasher = Hasher::<A>::deserialize(&state).unwrap();
            let digest = hasher.update(&message[length..]).finalize_reset();
            assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, &message));
            for at in [0, 4, 20, state.len() - 2, state.len() - 1] {
                let mut changed = state;
                changed[at] ^= 0x10;
                assert!(Hasher::<A>::deserialize(&changed).is_err(), "{at}");
            }
        }
    }
    for_each_function!(test());
}
