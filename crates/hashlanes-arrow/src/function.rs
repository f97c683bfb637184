//! A hash function chosen at run time, over digests that lie one after the other.

use hashlanes::{
    Algorithm, HashFunction, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256, Sm3,
    digest_many_into,
};

/// Writes the digests of `messages` to `digests`.
///
/// # Panics
/// If `digests` has not [`Algorithm::digest_len`] bytes for each message.
pub(crate) fn digest_into(algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) {
    match algorithm {
        Algorithm::Md5 => into::<Md5, 16>(messages, digests),
        Algorithm::Sha1 => into::<Sha1, 20>(messages, digests),
        Algorithm::Sha224 => into::<Sha224, 28>(messages, digests),
        Algorithm::Sha256 => into::<Sha256, 32>(messages, digests),
        Algorithm::Sha384 => into::<Sha384, 48>(messages, digests),
        Algorithm::Sha512 => into::<Sha512, 64>(messages, digests),
        Algorithm::Sha512_256 => into::<Sha512_256, 32>(messages, digests),
        Algorithm::Sm3 => into::<Sm3, 32>(messages, digests),
        // Later versions of the library may have others.
        other => {
            let places = digests.chunks_exact_mut(other.digest_len());
            for (place, digest) in places.zip(other.digest_many(messages)) {
                place.copy_from_slice(digest.as_bytes());
            }
        }
    }
}

fn into<A: HashFunction<Digest = [u8; N]>, const N: usize>(messages: &[&[u8]], digests: &mut [u8]) {
    digest_many_into::<A>(messages, digests.as_chunks_mut().0);
}
