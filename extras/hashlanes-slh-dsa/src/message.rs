//! What is hashed of a message, and where in the structure its digest points (FIPS 205 sections
//! 9.2, 10 and 11).

use alloc::vec;
use alloc::vec::Vec;

use hashlanes::xof::Xof;
use hashlanes::{Algorithm, HmacKey, Sha256, Sha512, Shake256};
use hashlanes::{HashFunction, Hasher};

use crate::error::Error;
use crate::parameters::{Dimensions, ParameterSet};

/// What a signature binds a message to, besides the key.
///
/// Signer and verifier must agree on it.
///
/// ```
/// use hashlanes_slh_dsa::Domain;
/// use hashlanes::Algorithm;
///
/// let mail = Domain::pure(b"mail")?;
/// let artefact = Domain::pre_hash(b"", Algorithm::Sha256)?;
/// assert_eq!(Domain::pure(&[0; 256]).unwrap_err().to_string(),
///     "a context must have at most 255 bytes, not 256");
/// # Ok::<(), hashlanes_slh_dsa::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Domain<'c> {
    context: &'c [u8],
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Pure,
    PreHash(Algorithm),
    Internal,
}

impl Default for Domain<'_> {
    /// The message itself, with an empty context.
    fn default() -> Self {
        Self { context: &[], form: Form::Pure }
    }
}

impl<'c> Domain<'c> {
    /// The message itself, with a context (SLH-DSA, section 10.2.1).
    ///
    /// # Errors
    /// If the context has more than 255 bytes.
    pub fn pure(context: &'c [u8]) -> Result<Self, Error> {
        Self::new(context, Form::Pure)
    }

    /// The digest of the message, with a context (HashSLH-DSA, section 10.2.2). Digests of many
    /// messages are computed side by side.
    ///
    /// # Errors
    /// If the context has more than 255 bytes, or the standard gives the function no identifier.
    pub fn pre_hash(context: &'c [u8], function: Algorithm) -> Result<Self, Error> {
        identifier(function).ok_or(Error::PreHash(function))?;
        Self::new(context, Form::PreHash(function))
    }

    /// The message without anything before it: the internal functions of section 9, for protocols
    /// that put a domain separator of their own before a message, and for test vectors.
    pub fn internal() -> Self {
        Self { context: &[], form: Form::Internal }
    }

    fn new(context: &'c [u8], form: Form) -> Result<Self, Error> {
        match context.len() {
            0..=255 => Ok(Self { context, form }),
            length => Err(Error::Context(length)),
        }
    }

    /// What comes before each message.
    fn before(&self) -> Vec<u8> {
        let start = match self.form {
            Form::Internal => return Vec::new(),
            Form::Pure => 0,
            Form::PreHash(_) => 1,
        };
        let mut before = vec![start, self.context.len() as u8];
        before.extend_from_slice(self.context);
        if let Form::PreHash(function) = self.form {
            let last = identifier(function).expect("checked when this was made");
            before.extend_from_slice(&[0x06, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, last]);
        }
        before
    }
}

/// The last number of a function's object identifier, below 2.16.840.1.101.3.4.2.
fn identifier(function: Algorithm) -> Option<u8> {
    Some(match function {
        Algorithm::Sha256 => 1,
        Algorithm::Sha384 => 2,
        Algorithm::Sha512 => 3,
        Algorithm::Sha224 => 4,
        Algorithm::Sha512_256 => 6,
        Algorithm::Sha3_224 => 7,
        Algorithm::Sha3_256 => 8,
        Algorithm::Sha3_384 => 9,
        Algorithm::Sha3_512 => 10,
        Algorithm::Shake128 => 11,
        Algorithm::Shake256 => 12,
        _ => return None,
    })
}

/// Messages as they are hashed.
pub(crate) struct Messages<'m> {
    before: Vec<u8>,
    messages: Vec<Message<'m>>,
}

enum Message<'m> {
    Itself(&'m [u8]),
    Digest(hashlanes::AnyDigest),
}

impl<'m> Messages<'m> {
    pub(crate) fn new(messages: &'m [impl AsRef<[u8]>], domain: Domain<'_>) -> Self {
        let hashed = match domain.form {
            Form::PreHash(function) => {
                function.digest_many(messages).into_iter().map(Message::Digest).collect()
            }
            _ => messages.iter().map(|message| Message::Itself(message.as_ref())).collect(),
        };
        Self { before: domain.before(), messages: hashed }
    }

    /// What is hashed of a message, in two parts.
    pub(crate) fn parts(&self, i: usize) -> [&[u8]; 2] {
        let message = match &self.messages[i] {
            Message::Itself(bytes) => bytes,
            Message::Digest(digest) => digest.as_bytes(),
        };
        [&self.before, message]
    }
}

/// The randomizer of a signature: PRF_msg.
pub(crate) fn randomizer(
    set: ParameterSet,
    secret: &[u8],
    random: &[u8],
    message: [&[u8]; 2],
) -> Vec<u8> {
    let n = secret.len();
    let mut value = match (set.is_shake(), n) {
        (true, _) => shake(n, &[secret, random, message[0], message[1]]),
        (false, 16) => hmac::<Sha256>(secret, &[random, message[0], message[1]]),
        (false, _) => hmac::<Sha512>(secret, &[random, message[0], message[1]]),
    };
    value.truncate(n);
    value
}

/// Where a signature of a message is made.
pub(crate) struct Place {
    /// The leaf of each FORS tree.
    pub(crate) fors: Vec<u32>,
    /// The tree in the lowest layer.
    pub(crate) tree: u64,
    /// The leaf of that tree.
    pub(crate) leaf: u32,
}

impl Place {
    /// The place for a message: H_msg, and how its digest is split (algorithm 19, lines 7 to 13).
    pub(crate) fn new(
        set: ParameterSet,
        randomizer: &[u8],
        public_key: &[u8],
        message: [&[u8]; 2],
    ) -> Self {
        let all = set.dimensions();
        let bytes = |bits: u32| bits.div_ceil(8) as usize;
        let lengths = [bytes(all.a * all.k as u32), bytes(all.tree_bits()), bytes(all.tree_height)];
        let digest = digest(set, lengths.iter().sum(), randomizer, public_key, message);
        let (fors, rest) = digest.split_at(lengths[0]);
        let (tree, leaf) = rest.split_at(lengths[1]);
        Self {
            fors: groups(fors, all.a, all.k),
            tree: number(tree, all.tree_bits()),
            leaf: number(leaf, all.tree_height) as u32,
        }
    }

    /// The tree and the leaf in a layer of the hypertree.
    pub(crate) fn at(&self, layer: usize, all: Dimensions) -> (u64, u32) {
        let above = |layer: usize| self.tree.checked_shr(all.tree_height * layer as u32);
        match layer {
            0 => (self.tree, self.leaf),
            _ => {
                let below = above(layer - 1).unwrap_or(0) as u32;
                (above(layer).unwrap_or(0), below & ((1 << all.tree_height) - 1))
            }
        }
    }
}

/// H_msg (sections 11.1, 11.2.1 and 11.2.2).
fn digest(
    set: ParameterSet,
    length: usize,
    randomizer: &[u8],
    public_key: &[u8],
    message: [&[u8]; 2],
) -> Vec<u8> {
    let all = [randomizer, public_key, message[0], message[1]];
    let seed = &public_key[..randomizer.len()];
    match (set.is_shake(), randomizer.len()) {
        (true, _) => shake(length, &all),
        (false, 16) => mask(Algorithm::Sha256, length, randomizer, seed, &all),
        (false, _) => mask(Algorithm::Sha512, length, randomizer, seed, &all),
    }
}

/// MGF1 (RFC 8017 appendix B.2.1) of the randomizer, the seed, and the digest of all.
fn mask(
    function: Algorithm,
    length: usize,
    randomizer: &[u8],
    seed: &[u8],
    all: &[&[u8]],
) -> Vec<u8> {
    let mut inner = Hasher::of(function);
    all.iter().for_each(|part| _ = inner.update(part));
    let mut hasher = Hasher::of(function);
    hasher.update(randomizer).update(seed).update(inner.finalize());
    let mut output = Vec::new();
    for counter in 0_u32.. {
        if output.len() >= length {
            break;
        }
        let mut hasher = hasher.clone();
        hasher.update(counter.to_be_bytes());
        output.extend_from_slice(hasher.finalize().as_bytes());
    }
    output.truncate(length);
    output
}

fn shake(length: usize, parts: &[&[u8]]) -> Vec<u8> {
    let mut xof = Xof::<Shake256>::new();
    parts.iter().for_each(|part| _ = xof.update(part));
    let mut output = vec![0; length];
    xof.finalize().read(&mut output);
    output
}

fn hmac<A: HashFunction>(secret: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    let mut hasher = HmacKey::<A>::new(secret).hasher();
    parts.iter().for_each(|part| _ = hasher.update(part));
    hasher.finalize().as_ref().to_vec()
}

/// The last bits of a big-endian number.
fn number(bytes: &[u8], bits: u32) -> u64 {
    let number = bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte));
    number & (u64::MAX >> (64 - bits))
}

/// Splits bytes into numbers of `bits` bits each (algorithm 4).
fn groups(bytes: &[u8], bits: u32, count: usize) -> Vec<u32> {
    let bit = |at: usize| u32::from(bytes[at / 8] >> (7 - at % 8) & 1);
    let bits = bits as usize;
    let group = |i: usize| (i * bits..(i + 1) * bits).fold(0, |number, at| number << 1 | bit(at));
    (0..count).map(group).collect()
}
