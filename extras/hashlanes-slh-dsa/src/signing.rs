//! Private keys.

use alloc::vec;
use alloc::vec::Vec;

use signature::rand_core::{CryptoRng, TryCryptoRng};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use crate::check::Check;
use crate::error::Error;
use crate::fors;
use crate::hypertree;
use crate::message::{self, Domain, Messages, Place};
use crate::parameters::ParameterSet;
use crate::secrecy::reveal;
use crate::signature::Signature;
use crate::tweak::Hashes;
use crate::verifying::VerifyingKey;

/// How many messages are signed side by side.
const AT_ONCE: usize = 16;

/// A private key. Its bytes are wiped when it is dropped.
///
/// ```
/// use hashlanes_slh_dsa::{Domain, ParameterSet, SigningKey};
///
/// # struct Counter(u64);
/// # use signature::rand_core::{TryCryptoRng, TryRng};
/// # impl TryRng for Counter {
/// #     type Error = core::convert::Infallible;
/// #     fn try_next_u32(&mut self) -> Result<u32, Self::Error> { Ok(self.try_next_u64()? as u32) }
/// #     fn try_next_u64(&mut self) -> Result<u64, Self::Error> { self.0 += 1; Ok(self.0) }
/// #     fn try_fill_bytes(&mut self, to: &mut [u8]) -> Result<(), Self::Error> {
/// #         to.fill_with(|| { self.0 += 1; self.0 as u8 });
/// #         Ok(())
/// #     }
/// # }
/// # impl TryCryptoRng for Counter {}
/// # let mut rng = Counter(0);
/// // `rng` is a generator for keys, such as that of the operating system.
/// let key = SigningKey::generate(ParameterSet::Sha2_128f, &mut rng);
///
/// let messages = ["one", "two"];
/// let signatures = key.sign_many(&messages, Domain::pure(b"release")?, Some(&mut rng))?;
///
/// let public = key.verifying_key();
/// let valid = public.verify_many(&messages, &signatures, Domain::pure(b"release")?);
/// assert_eq!(valid, [true, true]);
/// assert!(!public.is_valid("two", &signatures[0], Domain::pure(b"release")?));
/// # Ok::<(), hashlanes_slh_dsa::Error>(())
/// ```
#[derive(Clone)]
pub struct SigningKey {
    set: ParameterSet,
    /// SK.seed, SK.prf, PK.seed and PK.root.
    bytes: Zeroizing<Vec<u8>>,
    check: Check,
}

impl SigningKey {
    /// Makes a new key (FIPS 205 algorithm 21). It is only as secret as the output of `rng`.
    pub fn generate<R: CryptoRng + ?Sized>(set: ParameterSet, rng: &mut R) -> Self {
        let mut seeds = Zeroizing::new(vec![0; 3 * set.dimensions().n]);
        rng.fill_bytes(&mut seeds);
        Self::from_seeds(set, &seeds).expect("this is the length of the seeds")
    }

    /// The key that follows from SK.seed, SK.prf and PK.seed, one after another (algorithm 18).
    ///
    /// # Errors
    /// If the seeds do not have three quarters of the length of a private key.
    pub fn from_seeds(set: ParameterSet, seeds: &[u8]) -> Result<Self, Error> {
        let n = set.dimensions().n;
        if seeds.len() != 3 * n {
            return Err(Error::SeedsLength(set, seeds.len()));
        }
        let mut hashes = Hashes::new(set, &seeds[2 * n..], None);
        let root = hypertree::root(&mut hashes, set.dimensions(), &seeds[..n]);
        reveal(&root);
        let mut bytes = Zeroizing::new(Vec::with_capacity(4 * n));
        bytes.extend_from_slice(seeds);
        bytes.extend_from_slice(&root);
        Ok(Self { set, bytes, check: Check::default() })
    }

    /// The key with these bytes: SK.seed, SK.prf, PK.seed and PK.root. Whether the root matches the
    /// seeds is checked when a message is signed.
    ///
    /// # Errors
    /// If the number of bytes is not that of a key of the set.
    pub fn from_bytes(set: ParameterSet, bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() != set.private_key_len() {
            return Err(Error::KeyLength(set, bytes.len()));
        }
        Ok(Self { set, bytes: Zeroizing::new(bytes.to_vec()), check: Check::default() })
    }

    /// The same key, whose signatures are checked in this way before they are returned.
    #[must_use]
    pub fn with_check(self, check: Check) -> Self {
        Self { check, ..self }
    }

    /// The bytes of the key. They are secret.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The parameter set.
    pub fn parameter_set(&self) -> ParameterSet {
        self.set
    }

    /// The public key.
    pub fn verifying_key(&self) -> VerifyingKey {
        let public = &self.bytes[2 * self.set.dimensions().n..];
        VerifyingKey::from_bytes(self.set, public).expect("it is a part of this key")
    }

    /// Signs a message (FIPS 205 algorithms 22 and 23).
    ///
    /// With `rng`, the signature is *hedged*: it also depends on random bytes, which makes attacks
    /// by faults and side channels harder. Without it, the same message always gets the same
    /// signature.
    ///
    /// # Errors
    /// If the key is damaged, or a [`Check`] fails.
    pub fn sign(
        &self,
        message: impl AsRef<[u8]>,
        domain: Domain<'_>,
        rng: Option<&mut dyn CryptoRng>,
    ) -> Result<Signature, Error> {
        let mut signatures = self.sign_many(&[message], domain, rng)?;
        Ok(signatures.remove(0))
    }

    /// Signs many messages, several of them side by side. The signatures are those of
    /// [`sign`](Self::sign).
    ///
    /// # Errors
    /// If the key is damaged, or a [`Check`] fails.
    pub fn sign_many(
        &self,
        messages: &[impl AsRef<[u8]>],
        domain: Domain<'_>,
        rng: Option<&mut dyn CryptoRng>,
    ) -> Result<Vec<Signature>, Error> {
        let n = self.set.dimensions().n;
        let mut random = Zeroizing::new(vec![0; messages.len() * n]);
        match rng {
            Some(rng) => rng.fill_bytes(&mut random),
            None => random.chunks_exact_mut(n).for_each(|to| to.copy_from_slice(self.seed())),
        }
        self.sign_with(messages, domain, &random)
    }

    /// Signs many messages with random bytes from the caller (`opt_rand` in FIPS 205): for each
    /// message, a quarter of the length of a private key.
    ///
    /// # Errors
    /// If the key is damaged, or a [`Check`] fails.
    ///
    /// # Panics
    /// If the number of random bytes is wrong.
    pub fn sign_with(
        &self,
        messages: &[impl AsRef<[u8]>],
        domain: Domain<'_>,
        random: &[u8],
    ) -> Result<Vec<Signature>, Error> {
        self.sign_while(messages, domain, random, &mut || true)
    }

    /// Like [`sign_with`](Self::sign_with), but asks `go_on` every few milliseconds whether the
    /// signatures are still wanted.
    ///
    /// # Errors
    /// [`Error::Stopped`] soon after `go_on` has returned `false`, and those of `sign_with`.
    ///
    /// # Panics
    /// If the number of random bytes is wrong.
    pub fn sign_while(
        &self,
        messages: &[impl AsRef<[u8]>],
        domain: Domain<'_>,
        random: &[u8],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Vec<Signature>, Error> {
        let n = self.set.dimensions().n;
        assert_eq!(random.len(), messages.len() * n, "{n} random bytes for each message");
        let mut signatures = Vec::with_capacity(messages.len());
        for (messages, random) in messages.chunks(AT_ONCE).zip(random.chunks(AT_ONCE * n)) {
            let mut hashes = Hashes::new(self.set, self.seed(), Some(&mut *go_on));
            let mut some = self.sign_some(&mut hashes, &Messages::new(messages, domain), random)?;
            let confirmed = self.confirms(messages, domain, random, &some, go_on);
            if confirmed != Ok(true) {
                some.zeroize();
                return confirmed.and(Err(Error::Fault));
            }
            let each = some.chunks_exact(self.set.signature_len());
            signatures.extend(each.map(|signature| Signature(signature.to_vec())));
        }
        Ok(signatures)
    }

    /// Whether the check finds nothing wrong with signatures, which are one after another. Nothing
    /// that signing computed is used again, not even the states after the public seed.
    fn confirms(
        &self,
        messages: &[impl AsRef<[u8]>],
        domain: Domain<'_>,
        random: &[u8],
        signatures: &[u8],
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<bool, Error> {
        reveal(signatures);
        Ok(match self.check {
            Check::Root => true,
            Check::Verify => {
                let each: Vec<_> = signatures.chunks_exact(self.set.signature_len()).collect();
                let public = self.verifying_key();
                each.len() == messages.len()
                    && !public.verify_many(messages, &each, domain).contains(&false)
            }
            Check::Twice => {
                let mut hashes = Hashes::new(self.set, self.seed(), Some(&mut *go_on));
                match self.sign_some(&mut hashes, &Messages::new(messages, domain), random) {
                    Ok(mut again) => {
                        reveal(&again);
                        let same = again == signatures;
                        again.zeroize();
                        same
                    }
                    Err(Error::Stopped) => return Err(Error::Stopped),
                    Err(_) => false,
                }
            }
        })
    }

    /// Signs a few messages side by side (algorithm 19). The signatures are one after another.
    fn sign_some(
        &self,
        hashes: &mut Hashes<'_>,
        messages: &Messages<'_>,
        random: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let (set, all) = (self.set, self.set.dimensions());
        let n = all.n;
        let (secret, public) = (&self.bytes[..n], &self.bytes[2 * n..]);
        let mut bytes = vec![0; random.len() / n * set.signature_len()];
        let mut places = Vec::new();
        let of_message = bytes.chunks_exact_mut(set.signature_len()).zip(random.chunks_exact(n));
        for (i, (signature, random)) in of_message.enumerate() {
            let parts = messages.parts(i);
            let randomizer = message::randomizer(set, &self.bytes[n..2 * n], random, parts);
            reveal(&randomizer);
            places.push(Place::new(set, &randomizer, public, parts));
            signature[..n].copy_from_slice(&randomizer);
        }
        let keys = fors::sign(hashes, all, secret, &places, &mut bytes);
        reveal(&keys);
        let roots = hypertree::sign(hashes, all, secret, &places, &keys, &mut bytes);
        if hashes.is_stopped() {
            bytes.zeroize();
            return Err(Error::Stopped);
        }
        if roots.chunks_exact(n).any(|root| root != &public[n..]) {
            bytes.zeroize();
            return Err(Error::Fault);
        }
        Ok(bytes)
    }

    /// PK.seed.
    fn seed(&self) -> &[u8] {
        let n = self.set.dimensions().n;
        &self.bytes[2 * n..3 * n]
    }
}

impl core::fmt::Debug for SigningKey {
    /// Shows nothing that is secret.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_tuple("SigningKey").field(&self.verifying_key()).finish()
    }
}

impl ZeroizeOnDrop for SigningKey {}

impl signature::Keypair for SigningKey {
    type VerifyingKey = VerifyingKey;

    fn verifying_key(&self) -> VerifyingKey {
        self.verifying_key()
    }
}

impl signature::Signer<Signature> for SigningKey {
    /// Signs a message with an empty context. The same message always has the same signature.
    fn try_sign(&self, message: &[u8]) -> Result<Signature, signature::Error> {
        Ok(self.sign(message, Domain::default(), None)?)
    }
}

impl signature::RandomizedSigner<Signature> for SigningKey {
    /// Signs a message with an empty context and random bytes.
    fn try_sign_with_rng<R: TryCryptoRng + ?Sized>(
        &self,
        rng: &mut R,
        message: &[u8],
    ) -> Result<Signature, signature::Error> {
        let mut random = Zeroizing::new(vec![0; self.set.dimensions().n]);
        rng.try_fill_bytes(&mut random).map_err(|_| signature::Error::new())?;
        let mut signatures = self.sign_with(&[message], Domain::default(), &random)?;
        Ok(signatures.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disturbed signature is one that differs from what the check computes: in the secrets and
    /// paths, where it is not valid, or as a whole, where it is.
    #[test]
    fn checks_refuse_what_they_promise_to_find() {
        let set = ParameterSet::Sha2_128f;
        let (messages, domain) = (["one", "two"], Domain::default());
        let (random, other) = ([1; 32], [2; 32]);
        let key = SigningKey::from_seeds(set, &[7; 48]).unwrap();
        let sign = |key: &SigningKey, random: &[u8]| {
            let signatures = key.sign_with(&messages, domain, random).unwrap();
            signatures.into_iter().flat_map(Vec::from).collect::<Vec<u8>>()
        };
        let (right, valid) = (sign(&key, &random), sign(&key, &other));
        for (check, finds_changed, finds_valid) in
            [(Check::Root, false, false), (Check::Verify, true, false), (Check::Twice, true, true)]
        {
            let key = key.clone().with_check(check);
            let confirms = |signatures: &[u8]| {
                key.confirms(&messages, domain, &random, signatures, &mut || true).unwrap()
            };
            assert!(confirms(&right), "{check:?}");
            assert_eq!(!confirms(&valid), finds_valid, "{check:?}");
            // The randomizer, FORS, the lowest and the highest tree of either signature.
            let size = set.signature_len();
            for at in [0, 16, 3_695, 3_696, size - 1, size, 2 * size - 1] {
                let mut changed = right.clone();
                changed[at] ^= 1;
                assert_eq!(!confirms(&changed), finds_changed, "{check:?}, byte {at}");
            }
            assert_eq!(sign(&key, &random), right);
        }
    }

    #[test]
    fn signing_stops_wherever_it_is_told_to() {
        let key = SigningKey::from_seeds(ParameterSet::Sha2_128f, &[7; 48]).unwrap();
        let (messages, domain, random) = (["one", "two"], Domain::default(), [1; 32]);
        for check in [Check::Root, Check::Twice] {
            let key = key.clone().with_check(check);
            let sign = |calls: usize| {
                let mut left = calls;
                let mut go_on = || {
                    left = left.saturating_sub(1);
                    left > 0
                };
                (key.sign_while(&messages, domain, &random, &mut go_on), calls - left)
            };
            let (right, calls) = sign(usize::MAX);
            assert!(right.is_ok() && calls > 100);
            for last in (1..=calls).step_by(calls / 20).chain([calls]) {
                assert_eq!(sign(last).0, Err(Error::Stopped), "after {last} of {calls}");
            }
            assert_eq!(sign(calls + 1).0, right);
        }
    }

    #[test]
    fn a_group_is_refused_if_its_key_changed_meanwhile() {
        let set = ParameterSet::Sha2_128f;
        let key = SigningKey::from_seeds(set, &[7; 48]).unwrap();
        let right = key.sign("one", Domain::default(), None).unwrap();
        for check in [Check::Verify, Check::Twice] {
            for byte in [0, 16, 32, 48] {
                let mut other = key.clone().with_check(check);
                other.bytes[byte] ^= 1;
                let random = &key.as_bytes()[32..48];
                let (domain, right) = (Domain::default(), right.as_ref());
                let refused =
                    !other.confirms(&["one"], domain, random, right, &mut || true).unwrap();
                // Verification does not use the secrets.
                assert_eq!(refused, check == Check::Twice || byte >= 32, "{check:?}, byte {byte}");
            }
        }
    }
}
