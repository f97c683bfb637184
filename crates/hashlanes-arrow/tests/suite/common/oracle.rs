//! The expected digests, from RustCrypto, tiny-keccak and the crate `blake3`. A copy of that of the
//! library's tests, since the package of this crate does not contain theirs.

use hashlanes_arrow::Algorithm;
use sha2::Digest as _;

/// The expected digest.
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
        Algorithm::Sha256d => sha2::Sha256::digest(sha2::Sha256::digest(message)).to_vec(),
        other => panic!("{other} has no oracle: add an independent implementation here"),
    }
}

fn sponge(mut hasher: impl tiny_keccak::Hasher, algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; algorithm.digest_len()];
    hasher.update(message);
    hasher.finalize(&mut digest);
    digest
}
