//! Beside two independent implementations, the crates `slh-dsa` and `fips205`, and NIST's vectors.

mod acvp;
mod crafted;
mod keys;
mod peers;
#[cfg(memcheck)]
mod secrecy;

use hashlanes_slh_dsa::{ParameterSet, SigningKey};

/// Random bytes that depend on the seed.
fn random(seed: u64, length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..length).map(|_| random.u8(..)).collect()
}

/// A key that depends on the set.
fn key(set: ParameterSet) -> SigningKey {
    let seeds = random(set as u64, set.private_key_len() / 4 * 3);
    SigningKey::from_seeds(set, &seeds).unwrap()
}
