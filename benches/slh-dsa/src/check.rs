//! Signatures that the other crate verifies, and damaged ones that are refused.

use anyhow::{Result, ensure};
use hashlanes_slh_dsa::{Domain, ParameterSet, SigningKey, VerifyingKey};

use crate::contenders::with_peer;

/// Signatures that are made or verified in a call.
const MANY: usize = 64;

/// Signs `count` messages with random keys, of which each makes 64 signatures, and lets the other
/// crate verify them. Then changes every bit of the last signature.
pub(crate) fn check(set: ParameterSet, count: usize) -> Result<()> {
    let mut last = None;
    for first in (0..count).step_by(MANY) {
        let seeds: Vec<u8> = (0..set.private_key_len() / 4 * 3).map(|_| fastrand::u8(..)).collect();
        let key = SigningKey::from_seeds(set, &seeds)?;
        let message = |_| (0..fastrand::usize(..200)).map(|_| fastrand::u8(..)).collect();
        let messages: Vec<Vec<u8>> = (first..count.min(first + MANY)).map(message).collect();
        let random: Vec<u8> =
            (0..seeds.len() / 3 * messages.len()).map(|_| fastrand::u8(..)).collect();
        let signatures = key.sign_with(&messages, Domain::default(), &random)?;
        let public = key.verifying_key();
        for (message, signature) in messages.iter().zip(&signatures) {
            let valid =
                with_peer!(set, Peer => is_valid::<Peer>(&public, message, signature.as_ref()));
            ensure!(valid, "slh-dsa refuses a signature of {message:02x?} by {seeds:02x?}");
        }
        last = messages.into_iter().zip(signatures).next_back().map(|pair| (public, pair));
    }
    let Some((public, (message, signature))) = last else { return Ok(()) };
    let bits = refused(&public, &message, signature.as_ref())?;
    println!("{}: {count} signatures verified, {bits} changed bits refused", set.name());
    Ok(())
}

fn is_valid<P: slh_dsa::ParameterSet>(
    key: &VerifyingKey,
    message: &[u8],
    signature: &[u8],
) -> bool {
    let key = slh_dsa::VerifyingKey::<P>::try_from(key.as_bytes()).expect("the key has its length");
    let signature = slh_dsa::Signature::try_from(signature).expect("it has its length");
    key.try_verify_with_context(message, &[], &signature).is_ok()
}

/// Changes each bit of a signature, and returns how many there are.
fn refused(key: &VerifyingKey, message: &[u8], signature: &[u8]) -> Result<usize> {
    let changed = |bit: usize| {
        let mut bytes = signature.to_vec();
        bytes[bit / 8] ^= 1 << (bit % 8);
        bytes
    };
    let bits = 8 * signature.len();
    for first in (0..bits).step_by(MANY) {
        let signatures: Vec<_> = (first..first + MANY).map(changed).collect();
        let valid = key.verify_many(&[message; MANY], &signatures, Domain::default());
        ensure!(!valid.contains(&true), "valid with another bit among {first}..{}", first + MANY);
    }
    Ok(bits)
}
