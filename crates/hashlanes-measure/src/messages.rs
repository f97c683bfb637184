//! Random messages and their expected digests.

use std::fmt;
use std::ops::Range;

use hashlanes::Algorithm;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};
use sha2::digest::consts::{U32, U64};
use sha2::digest::{
    Digest, DynDigest, FixedOutput, FixedOutputReset, Output, OutputSizeUser, Reset, Update,
    XofFixedWrapper as Fixed,
};

/// A source of random numbers. The seed comes from the operating system, or from the user to repeat
/// a run.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    generator: SmallRng,
}

impl Random {
    /// A source with this seed, or with a new one.
    pub fn new(seed: Option<u64>) -> Self {
        let seed = seed.unwrap_or_else(rand::random);
        Self { seed, generator: SmallRng::seed_from_u64(seed) }
    }

    /// The seed.
    pub fn seed(&self) -> u64 {
        self.seed
    }
}

/// The distribution of message lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lengths {
    /// All messages have this length.
    Uniform(usize),
    /// Log-uniform from the first to the second length, inclusive: each order of magnitude is
    /// equally likely.
    LogUniform(usize, usize),
}

impl Lengths {
    /// Draws a length.
    fn draw(self, random: &mut Random) -> usize {
        match self {
            Self::Uniform(length) => length,
            Self::LogUniform(low, high) => {
                // A length stands for the interval up to the next one, so the highest length is
                // drawn too.
                let (from, to) = ((low as f64).ln(), (high as f64 + 1.0).ln());
                (random.generator.random_range(from..to).exp() as usize).clamp(low, high)
            }
        }
    }

    /// The maximum total bytes of `count` messages.
    pub fn at_most(self, count: usize) -> usize {
        let (Self::Uniform(length) | Self::LogUniform(_, length)) = self;
        count.saturating_mul(length)
    }
}

impl fmt::Display for Lengths {
    /// In the largest unit that gives whole numbers: `64 KiB`, `16 B..1 KiB`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let length = |bytes: usize| {
            let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
            let whole =
                units.into_iter().find(|(unit, _)| bytes >= *unit && bytes.is_multiple_of(*unit));
            let (unit, name) = whole.unwrap_or((1, "B"));
            format!("{} {name}", bytes / unit)
        };
        match *self {
            Self::Uniform(bytes) => f.pad(&length(bytes)),
            Self::LogUniform(low, high) => f.pad(&format!("{}..{}", length(low), length(high))),
        }
    }
}

/// Messages of random bytes, contiguous in memory like the pieces of a file.
#[derive(Debug)]
pub struct Messages {
    bytes: Vec<u8>,
    /// The location of each message. Shuffled between samples.
    order: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    /// The message's index before any shuffling.
    number: usize,
    bytes: Range<usize>,
}

impl Messages {
    /// Draws `count` messages.
    pub fn new(lengths: Lengths, count: usize, random: &mut Random) -> Self {
        let mut order = Vec::with_capacity(count);
        let mut end = 0;
        for number in 0..count {
            let begin = end;
            end += lengths.draw(random);
            order.push(Place { number, bytes: begin..end });
        }
        let mut bytes = vec![0; end];
        random.generator.fill_bytes(&mut bytes);
        Self { bytes, order }
    }

    /// The messages in their current order.
    pub fn slices(&self) -> Vec<&[u8]> {
        self.order.iter().map(|place| &self.bytes[place.bytes.clone()]).collect()
    }

    /// The number of messages.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether there are no messages.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Total bytes of all messages.
    pub fn total(&self) -> usize {
        self.bytes.len()
    }

    /// Total bytes of all messages with their padding, which is what gets compressed.
    pub fn padded(&self, algorithm: Algorithm) -> usize {
        self.order.iter().map(|place| padded(algorithm, place.bytes.len())).sum()
    }

    /// Shuffles the messages, so that branch predictors cannot learn their lengths.
    pub fn shuffle(&mut self, random: &mut Random) {
        self.order.shuffle(&mut random.generator);
    }
}

/// The padded length of a message (RFC 1321 section 3.1, FIPS 180-4 section 5.1, FIPS 202 section
/// 5.1). BLAKE2 and BLAKE3 only fill the last block.
pub fn padded(algorithm: Algorithm, length: usize) -> usize {
    let block = algorithm.block_len();
    if algorithm.name().starts_with("blake") {
        return length.max(1).div_ceil(block) * block;
    }
    // The padding contains 0x80 and the length in bits, which takes 8 bytes with 64-byte blocks and
    // 16 with 128-byte blocks. That of a sponge is at least a byte.
    let padding = if matches!(block, 64 | 128) { 1 + block / 8 } else { 1 };
    (length + padding).div_ceil(block) * block
}

/// SHA-256 twice, of RustCrypto.
#[derive(Clone, Default)]
struct Twice(sha2::Sha256);

impl OutputSizeUser for Twice {
    type OutputSize = U32;
}

impl Update for Twice {
    fn update(&mut self, data: &[u8]) {
        Update::update(&mut self.0, data);
    }
}

impl FixedOutput for Twice {
    fn finalize_into(self, digest: &mut Output<Self>) {
        *digest = sha2::Sha256::digest(self.0.finalize());
    }
}

impl Reset for Twice {
    fn reset(&mut self) {
        Reset::reset(&mut self.0);
    }
}

impl FixedOutputReset for Twice {
    fn finalize_into_reset(&mut self, digest: &mut Output<Self>) {
        *digest = sha2::Sha256::digest(Digest::finalize_reset(&mut self.0));
    }
}

/// A hasher of RustCrypto, or of BLAKE3's authors, which shares no code with hashlanes. `None` if
/// the algorithm is newer than this crate.
pub fn reference_hasher(algorithm: Algorithm) -> Option<Box<dyn DynDigest>> {
    Some(match algorithm {
        Algorithm::Md5 => Box::new(md5::Md5::default()),
        Algorithm::Sha1 => Box::new(sha1::Sha1::default()),
        Algorithm::Sha224 => Box::new(sha2::Sha224::default()),
        Algorithm::Sha256 => Box::new(sha2::Sha256::default()),
        Algorithm::Sha384 => Box::new(sha2::Sha384::default()),
        Algorithm::Sha512 => Box::new(sha2::Sha512::default()),
        Algorithm::Sha512_256 => Box::new(sha2::Sha512_256::default()),
        Algorithm::Sm3 => Box::new(sm3::Sm3::default()),
        Algorithm::Sha3_224 => Box::new(sha3::Sha3_224::default()),
        Algorithm::Sha3_256 => Box::new(sha3::Sha3_256::default()),
        Algorithm::Sha3_384 => Box::new(sha3::Sha3_384::default()),
        Algorithm::Sha3_512 => Box::new(sha3::Sha3_512::default()),
        Algorithm::Keccak256 => Box::new(sha3::Keccak256::default()),
        Algorithm::Keccak512 => Box::new(sha3::Keccak512::default()),
        Algorithm::Shake128 => Box::new(Fixed::<shake::Shake128, U32>::default()),
        Algorithm::Shake256 => Box::new(Fixed::<shake::Shake256, U64>::default()),
        Algorithm::Blake2b512 => Box::new(blake2::Blake2b512::default()),
        Algorithm::Blake2s256 => Box::new(blake2::Blake2s256::default()),
        Algorithm::Blake3 => Box::new(blake3::Hasher::new()),
        Algorithm::Sha256d => Box::new(Twice::default()),
        // `Algorithm` is non-exhaustive, so the compiler does not report new variants here.
        _ => return None,
    })
}

/// The digest by [`reference_hasher`].
///
/// # Panics
/// If there is no reference for the algorithm.
pub fn reference(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    let mut hasher = reference_hasher(algorithm)
        .unwrap_or_else(|| panic!("{algorithm} is newer than this crate, which has no reference"));
    hasher.update(message);
    hasher.finalize().into_vec()
}

/// The expected digests of messages.
#[derive(Debug)]
pub struct Expected {
    algorithm: Algorithm,
    /// Concatenated, in the order of the messages' indices.
    digests: Vec<u8>,
}

impl Expected {
    /// Computes the digests with [`reference()`].
    pub fn of(algorithm: Algorithm, messages: &Messages) -> Self {
        let mut digests = vec![0; messages.len() * algorithm.digest_len()];
        for place in &messages.order {
            let message = &messages.bytes[place.bytes.clone()];
            digests[place.number * algorithm.digest_len()..][..algorithm.digest_len()]
                .copy_from_slice(&reference(algorithm, message));
        }
        Self { algorithm, digests }
    }

    /// Computes the ends of hash chains that begin with the messages.
    pub fn of_chains(algorithm: Algorithm, messages: &Messages, links: u64) -> Self {
        let mut ends = Self::of(algorithm, messages);
        for digest in ends.digests.chunks_exact_mut(algorithm.digest_len()) {
            (1..links).for_each(|_| digest.copy_from_slice(&reference(algorithm, digest)));
        }
        ends
    }

    /// Checks concatenated digests of the messages in their current order.
    ///
    /// # Errors
    /// If a digest is wrong.
    ///
    /// # Panics
    /// If there is not exactly one digest per message.
    pub fn check(&self, messages: &Messages, digests: &[u8]) -> Result<(), WrongDigest> {
        let len = self.algorithm.digest_len();
        assert_eq!(digests.len(), messages.len() * len, "one digest for each message");
        for (place, digest) in messages.order.iter().zip(digests.chunks_exact(len)) {
            if *digest != self.digests[place.number * len..][..len] {
                return Err(WrongDigest {
                    algorithm: self.algorithm,
                    length: place.bytes.len(),
                    messages: messages.len(),
                });
            }
        }
        Ok(())
    }
}

/// The error for a digest that differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongDigest {
    algorithm: Algorithm,
    length: usize,
    messages: usize,
}

impl fmt::Display for WrongDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { algorithm, length, messages } = self;
        write!(f, "wrong {algorithm} digest of a message of {length} bytes, one of {messages}")
    }
}

impl std::error::Error for WrongDigest {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_takes_a_block_more_when_it_must() {
        for (algorithm, length, blocks) in [
            (Algorithm::Md5, 0, 1),
            (Algorithm::Md5, 55, 1),
            (Algorithm::Sha256, 56, 2),
            (Algorithm::Sha1, 64, 2),
            (Algorithm::Sha512, 111, 1),
            (Algorithm::Sha384, 112, 2),
            (Algorithm::Keccak256, 135, 1),
            (Algorithm::Sha3_256, 136, 2),
        ] {
            assert_eq!(
                padded(algorithm, length),
                blocks * algorithm.block_len(),
                "{algorithm} {length}"
            );
        }
    }

    #[test]
    fn lengths_stay_in_their_range_and_reach_both_orders_of_magnitude() {
        let mut random = Random::new(Some(1));
        let lengths: Vec<usize> =
            (0..4000).map(|_| Lengths::LogUniform(16, 1024).draw(&mut random)).collect();
        assert!(lengths.iter().all(|length| (16..=1024).contains(length)));
        // Half of them are below the geometric mean, 128.
        let small = lengths.iter().filter(|&&length| length < 128).count();
        assert!((1800..2200).contains(&small), "{small}");
        assert!(lengths.iter().any(|&length| length > 1000));
        assert_eq!(Lengths::LogUniform(5, 5).draw(&mut random), 5);
    }

    #[test]
    fn a_wrong_digest_is_noticed_in_any_order() {
        let mut random = Random::new(None);
        let mut messages = Messages::new(Lengths::LogUniform(1, 300), 50, &mut random);
        let expected = Expected::of(Algorithm::Sha1, &messages);
        messages.shuffle(&mut random);
        let mut digests: Vec<u8> = messages
            .slices()
            .iter()
            .flat_map(|message| reference(Algorithm::Sha1, message))
            .collect();
        assert_eq!(expected.check(&messages, &digests), Ok(()));
        digests[999] ^= 1;
        let wrong = expected.check(&messages, &digests).unwrap_err();
        assert_eq!(wrong.length, messages.slices()[49].len());
    }

    #[test]
    fn lengths_show_themselves_exactly() {
        assert_eq!(Lengths::Uniform(65536).to_string(), "64 KiB");
        assert_eq!(Lengths::Uniform(1000).to_string(), "1000 B");
        assert_eq!(Lengths::LogUniform(16, 1 << 20).to_string(), "16 B..1 MiB");
    }

    #[test]
    fn the_reference_knows_every_algorithm() {
        for &algorithm in Algorithm::ALL {
            let mut hasher = reference_hasher(algorithm).expect("a reference for each algorithm");
            hasher.update(b"abc");
            assert_eq!(&*hasher.finalize(), algorithm.digest(b"abc").as_bytes());
        }
    }

    #[test]
    fn a_seed_repeats_the_messages() {
        let draw = || Messages::new(Lengths::LogUniform(1, 1000), 9, &mut Random::new(Some(7)));
        assert_eq!(draw().slices(), draw().slices());
    }
}
