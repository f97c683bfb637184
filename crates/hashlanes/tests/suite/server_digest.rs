//! Hashers as RustCrypto's `Digest`, in generic code.
#![cfg(all(feature = "digest", feature = "std"))]

use digest::common::BlockSizeUser;
use digest::{Digest, DynDigest, FixedOutputReset, Reset};
use hashlanes::server::{HashServer, ServerHasher};
use hashlanes::{Hasher, Md5, Sha1, Sha256, Sha384, Sha512};

/// Uses all methods of `Digest` and related traits.
fn exercise<Ours, Theirs>()
where
    Ours: Digest + FixedOutputReset + Reset + BlockSizeUser + Clone + Send + 'static,
    Theirs: Digest + BlockSizeUser,
{
    let message: Vec<u8> = (0..50_000_u32).map(|i| ((i * i) >> 3) as u8).collect();
    assert_eq!(<Ours as Digest>::output_size(), <Theirs as Digest>::output_size());
    assert_eq!(Ours::block_size(), Theirs::block_size());
    assert_eq!(Ours::digest(&message)[..], Theirs::digest(&message)[..]);
    assert_eq!(
        Ours::new_with_prefix("a").chain_update("bc").finalize()[..],
        Theirs::digest("abc")[..]
    );
    let mut hasher = Ours::new();
    for piece in message.chunks(777) {
        Digest::update(&mut hasher, piece);
    }
    let mut other = hasher.clone();
    Digest::update(&mut other, "x");
    assert_eq!(Digest::finalize_reset(&mut hasher)[..], Theirs::digest(&message)[..]);
    Digest::update(&mut hasher, "gone");
    Digest::reset(&mut hasher);
    assert_eq!(hasher.finalize()[..], Theirs::digest("")[..]);
    let mut boxed: Box<dyn DynDigest> = Box::new(other);
    assert_eq!(
        boxed.finalize_reset()[..],
        Theirs::new().chain_update(&message).chain_update("x").finalize()[..]
    );
}

#[test]
fn hashers_are_digests() {
    exercise::<Hasher<Md5>, md5::Md5>();
    exercise::<Hasher<Sha1>, sha1::Sha1>();
    exercise::<Hasher<Sha384>, sha2::Sha384>();
}

#[test]
fn server_hashers_are_digests_of_the_global_server() {
    exercise::<ServerHasher<Md5>, md5::Md5>();
    exercise::<ServerHasher<Sha256>, sha2::Sha256>();
    exercise::<ServerHasher<Sha512>, sha2::Sha512>();
    assert_eq!(HashServer::<Md5>::global().stats().messages, 5);
}
