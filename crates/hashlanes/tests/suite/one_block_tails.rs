//! Functions whose messages end in one block of padding: lengths and numbers of messages around all
//! boundaries, in each kernel.

use std::collections::HashMap;

use crate::common::{engines_of, noise, oracle};
use hashlanes::{Engine, HashFunction, HmacKey, Prefix};

/// A message: where it begins in the noise, and its length.
type Span = (usize, usize);

struct Answers<'b> {
    bytes: &'b [u8],
    known: HashMap<Span, Vec<u8>>,
}

impl Answers<'_> {
    fn check<A: HashFunction>(&mut self, engine: &Engine<A>, spans: impl Iterator<Item = Span>) {
        let spans: Vec<_> = spans.collect();
        let messages: Vec<_> = spans.iter().map(|&(at, len)| &self.bytes[at..at + len]).collect();
        for ((digest, message), span) in
            engine.digest_many(&messages).iter().zip(messages).zip(spans)
        {
            let right = self.known.entry(span).or_insert_with(|| oracle(A::ALGORITHM, message));
            assert_eq!(digest.as_ref(), right, "{engine:?}, {} bytes", message.len());
        }
    }
}

/// All lengths up to four blocks, the same in all lanes and in one more. All numbers of messages up
/// to more than a call of the widest kernel takes, of mixed lengths and of one.
fn lengths_and_counts<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let bytes = noise(21, 4 * block + 100);
    let mut answers = Answers { bytes: &bytes, known: HashMap::new() };
    for engine in engines_of::<A>() {
        for length in 0..=4 * block + 3 {
            answers.check(&engine, (0..17).map(|i| (3 * i, length)));
        }
        for count in 1..=65 {
            for step in [7, 131] {
                let mixed = |i| (i % 61, (i * step + count) % (4 * block + 3));
                answers.check(&engine, (0..count).map(mixed));
                answers.check(&engine, (0..count).map(|i| (i % 61, step)));
                // Full blocks beside others: lanes with and without a copy of their last block.
                let full = |i| (i % 61, if i % 3 == 0 { block * (i % 4) } else { step });
                answers.check(&engine, (0..count).map(full));
            }
        }
    }
}

/// Messages after a prefix, and MACs, agree with those of single messages.
fn continued<A: HashFunction>() {
    let block = A::ALGORITHM.block_len();
    let bytes = noise(22, 1000);
    let lengths = [vec![50; 20], (0..40).map(|i| i * 13 % 300).collect(), vec![0; 9], vec![0, 77]];
    for engine in engines_of::<A>() {
        let keys: Vec<_> =
            (0..5).map(|i| HmacKey::<A>::with_engine(engine, &bytes[..40 * i])).collect();
        for lengths in &lengths {
            let messages: Vec<_> = lengths.iter().map(|&length| &bytes[..length]).collect();
            for prefix in [1, block - 1, block, block + 1, 2 * block + 5] {
                let prefix = Prefix::<A>::with_engine(engine, &bytes[..prefix]);
                let right: Vec<_> = messages.iter().map(|message| prefix.digest(message)).collect();
                assert_eq!(prefix.digest_many(&messages), right, "{engine:?} {lengths:?}");
            }
            let right: Vec<_> = messages.iter().map(|message| keys[1].mac(message)).collect();
            assert_eq!(keys[1].mac_many(&messages), right, "{engine:?} {lengths:?}");
            let pairs: Vec<_> = keys.iter().cycle().zip(messages).collect();
            let right: Vec<_> = pairs.iter().map(|(key, message)| key.mac(message)).collect();
            assert_eq!(Engine::new().hmac_many(&pairs), right, "{engine:?} {lengths:?}");
        }
    }
}

macro_rules! tests {
    ($($name:ident: $function:ident),* $(,)?) => {
        $(#[test]
        fn $name() {
            lengths_and_counts::<hashlanes::$function>();
            continued::<hashlanes::$function>();
        })*
    };
}

tests!(
    keccak_with_blocks_of_72_bytes: Sha3_512,
    keccak_with_blocks_of_136_bytes: Keccak256,
    keccak_with_blocks_of_144_bytes: Sha3_224,
    keccak_with_blocks_of_168_bytes: Shake128,
    blake2b: Blake2b512,
    blake2s: Blake2s256,
    blake3: Blake3,
);
