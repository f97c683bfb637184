//! Reference digests, computed with RustCrypto and tiny-keccak.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use hashlanes_arrow::{Algorithm, Output};
use md5::Digest;

pub(crate) fn oracle(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    match algorithm {
        Algorithm::Md5 => md5::Md5::digest(message).to_vec(),
        Algorithm::Sha1 => sha1::Sha1::digest(message).to_vec(),
        Algorithm::Sha224 => sha2::Sha224::digest(message).to_vec(),
        Algorithm::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Algorithm::Sha384 => sha2::Sha384::digest(message).to_vec(),
        Algorithm::Sha512 => sha2::Sha512::digest(message).to_vec(),
        Algorithm::Sha512_256 => sha2::Sha512_256::digest(message).to_vec(),
        Algorithm::Sm3 => sm3::Sm3::digest(message).to_vec(),
        Algorithm::Sha3_224 => sponge(tiny_keccak::Sha3::v224(), algorithm, message),
        Algorithm::Sha3_256 => sponge(tiny_keccak::Sha3::v256(), algorithm, message),
        Algorithm::Sha3_384 => sponge(tiny_keccak::Sha3::v384(), algorithm, message),
        Algorithm::Sha3_512 => sponge(tiny_keccak::Sha3::v512(), algorithm, message),
        Algorithm::Keccak256 => sponge(tiny_keccak::Keccak::v256(), algorithm, message),
        Algorithm::Keccak512 => sponge(tiny_keccak::Keccak::v512(), algorithm, message),
        Algorithm::Shake128 => sponge(tiny_keccak::Shake::v128(), algorithm, message),
        Algorithm::Shake256 => sponge(tiny_keccak::Shake::v256(), algorithm, message),
        Algorithm::Blake2b512 => blake2::Blake2b512::digest(message).to_vec(),
        Algorithm::Blake2s256 => blake2::Blake2s256::digest(message).to_vec(),
        Algorithm::Blake3 => blake3::hash(message).as_bytes().to_vec(),
        other => panic!("no oracle for {other}"),
    }
}

fn sponge(mut hasher: impl tiny_keccak::Hasher, algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; algorithm.digest_len()];
    hasher.update(message);
    hasher.finalize(&mut digest);
    digest
}

/// The expected digests, as strings or bytes.
pub(crate) fn expected<'a>(
    algorithm: Algorithm,
    output: Output,
    messages: impl IntoIterator<Item = Option<&'a [u8]>>,
) -> Vec<Option<Vec<u8>>> {
    let digest = |message: &[u8]| {
        let digest = oracle(algorithm, message);
        match output {
            Output::Binary => digest,
            Output::Hex => digest.iter().flat_map(|b| format!("{b:02x}").into_bytes()).collect(),
        }
    };
    messages.into_iter().map(|message| message.map(digest)).collect()
}

/// The digests in an array.
pub(crate) fn digests(array: &ArrayRef, output: Output) -> Vec<Option<Vec<u8>>> {
    match output {
        Output::Binary => {
            let array = array.as_fixed_size_binary();
            array.iter().map(|digest| digest.map(<[u8]>::to_vec)).collect()
        }
        Output::Hex => {
            let array = array.as_string::<i32>();
            array.iter().map(|digest| digest.map(|digits| digits.as_bytes().to_vec())).collect()
        }
    }
}
