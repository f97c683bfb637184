//! Public keys.

use alloc::vec::Vec;

use crate::error::Error;
use crate::fors;
use crate::hypertree;
use crate::message::{Domain, Messages, Place};
use crate::parameters::ParameterSet;
use crate::signature::Signature;
use crate::tweak::Hashes;

/// How many signatures are verified side by side.
const AT_ONCE: usize = 64;

/// A public key.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct VerifyingKey {
    set: ParameterSet,
    /// PK.seed and PK.root.
    bytes: Vec<u8>,
}

impl VerifyingKey {
    /// The key with these bytes: PK.seed and PK.root.
    ///
    /// # Errors
    /// If the number of bytes is not that of a key of the set.
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != set.public_key_len() {
            return Err(Error::KeyLength(set, bytes.len()));
        }
        Ok(Self { set, bytes: bytes.to_vec() })
    }

    /// The bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The parameter set.
    pub fn parameter_set(&self) -> ParameterSet {
        self.set
    }

    /// Whether a signature of a message is valid (FIPS 205 algorithms 24 and 25). A signature of
    /// the wrong length is not valid.
    pub fn is_valid(
        &self,
        message: impl AsRef<[u8]>,
        signature: impl AsRef<[u8]>,
        domain: Domain<'_>,
    ) -> bool {
        self.verify_many(&[message], &[signature], domain)[0]
    }

    /// Whether signatures are valid: `signatures[i]` of `messages[i]`. Many are verified side by
    /// side, which takes much less time than one after another.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn verify_many(
        &self,
        messages: &[impl AsRef<[u8]>],
        signatures: &[impl AsRef<[u8]>],
        domain: Domain<'_>,
    ) -> Vec<bool> {
        assert_eq!(
            messages.len(),
            signatures.len(),
            "every message has a signature: the slices must have the same length"
        );
        let n = self.set.dimensions().n;
        let mut hashes = Hashes::new(self.set, &self.bytes[..n], None);
        let mut valid = Vec::with_capacity(messages.len());
        for (messages, signatures) in messages.chunks(AT_ONCE).zip(signatures.chunks(AT_ONCE)) {
            let messages = Messages::new(messages, domain);
            self.verify_some(&mut hashes, &messages, signatures, &mut valid);
        }
        valid
    }

    /// Verifies a few signatures side by side (algorithm 20).
    fn verify_some(
        &self,
        hashes: &mut Hashes<'_>,
        messages: &Messages<'_>,
        signatures: &[impl AsRef<[u8]>],
        valid: &mut Vec<bool>,
    ) {
        let (set, all) = (self.set, self.set.dimensions());
        let start = valid.len();
        let (mut places, mut complete, mut numbers) = (Vec::new(), Vec::new(), Vec::new());
        for (i, signature) in signatures.iter().enumerate() {
            let signature = signature.as_ref();
            valid.push(false);
            if signature.len() == set.signature_len() {
                let randomizer = &signature[..all.n];
                places.push(Place::new(set, randomizer, &self.bytes, messages.parts(i)));
                complete.push(signature);
                numbers.push(start + i);
            }
        }
        if complete.is_empty() {
            return;
        }
        let keys = fors::public_keys_from(hashes, all, &places, &complete);
        let roots = hypertree::roots_from(hashes, all, &places, keys, &complete);
        for (root, i) in roots.chunks_exact(all.n).zip(numbers) {
            valid[i] = *root == self.bytes[all.n..];
        }
    }
}

impl signature::Verifier<Signature> for VerifyingKey {
    /// Verifies a signature of a message with an empty context.
    fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), signature::Error> {
        let valid = self.is_valid(message, signature, Domain::default());
        valid.then_some(()).ok_or_else(signature::Error::new)
    }
}
