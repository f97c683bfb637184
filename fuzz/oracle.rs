//! Shared by the targets: the expected digests, from RustCrypto and tiny-keccak, and how the input
//! chooses an engine.

use hashlanes::{Algorithm, AnyEngine, Engine, HashFunction};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use sha2::Digest as _;

/// The expected digest.
pub fn oracle(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
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
        other => panic!("{other} has no oracle"),
    }
}

fn sponge(mut hasher: impl tiny_keccak::Hasher, algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    let mut digest = vec![0; algorithm.digest_len()];
    hasher.update(message);
    hasher.finalize(&mut digest);
    digest
}

/// The name of a kernel that can run here, or `None` for the automatic choice.
fn kernel(algorithm: Algorithm, input: &mut Unstructured) -> Result<Option<&'static str>> {
    let names: Vec<_> = algorithm
        .kernels()
        .filter(|kernel| kernel.is_available())
        .map(|kernel| Some(kernel.name))
        .chain([None])
        .collect();
    input.choose(&names).copied()
}

/// An engine of any algorithm.
pub fn any_engine(input: &mut Unstructured) -> Result<AnyEngine> {
    let algorithm = *input.choose(Algorithm::ALL)?;
    Ok(match kernel(algorithm, input)? {
        Some(name) => AnyEngine::with_kernel(algorithm, name).expect("available"),
        None => AnyEngine::new(algorithm),
    })
}

/// An engine of one algorithm.
pub fn engine<A: HashFunction>(input: &mut Unstructured) -> Result<Engine<A>> {
    Ok(match kernel(A::ALGORITHM, input)? {
        Some(name) => Engine::with_kernel(name).expect("available"),
        None => Engine::new(),
    })
}

/// A length: mostly a few blocks, rarely many.
pub fn length(input: &mut Unstructured) -> Result<usize> {
    Ok(match input.int_in_range(0..=15)? {
        0 => 0,
        1 => input.int_in_range(0..=20_000)?,
        2..=4 => 64 * input.int_in_range(0..=9)?,
        _ => input.int_in_range(0..=500)?,
    })
}

/// Bytes that differ everywhere, so that bytes from a wrong place give a wrong digest. The
/// allocation has exactly this size, so that the sanitizer notices reads past it.
pub fn bytes(seed: u8, len: usize) -> Box<[u8]> {
    let mut x = u32::from(seed) | 0x5a00;
    (0..len)
        .map(|_| {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 24) as u8
        })
        .collect()
}
