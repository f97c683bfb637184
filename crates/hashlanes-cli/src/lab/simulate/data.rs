//! The content of the chunks: random, different for every chunk, and cheap enough that one core
//! produces faster than another one hashes.
//!
//! A random generator is slower than a vector kernel of MD5. So there is one stretch of random
//! bytes, and a chunk is that stretch XORed with the chunk's own random key of 64 bytes. Any chunk
//! can be regenerated from its number, which is how digests are verified afterwards.

use rand::rngs::SmallRng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

/// The maximum length of the stretch, so that it stays in the cache.
pub(super) const STRETCH: usize = 1 << 20;

const KEY: usize = 64;

pub(super) struct Data {
    seed: u64,
    stretch: Vec<[u8; KEY]>,
}

impl Data {
    /// Data for chunks of up to `length` bytes.
    pub(super) fn new(length: usize) -> Self {
        let mut random: SmallRng = rand::make_rng();
        let mut stretch = vec![[0; KEY]; length.min(STRETCH).div_ceil(KEY)];
        random.fill_bytes(stretch.as_flattened_mut());
        Self { seed: random.random(), stretch }
    }

    /// Writes chunk `number`.
    pub(super) fn fill(&self, number: u64, chunk: &mut [u8]) {
        // The generator mixes its seed, so neighbouring numbers give unrelated keys.
        let mut keys = SmallRng::seed_from_u64(self.seed.wrapping_add(number));
        for part in chunk.chunks_mut(self.stretch.len() * KEY) {
            let key: [u8; KEY] = keys.random();
            let (whole, rest) = part.as_chunks_mut::<KEY>();
            for (to, from) in whole.iter_mut().zip(&self.stretch) {
                for i in 0..KEY {
                    to[i] = from[i] ^ key[i];
                }
            }
            if let Some(from) = self.stretch.get(whole.len()) {
                for ((to, from), key) in rest.iter_mut().zip(from).zip(key) {
                    *to = from ^ key;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_is_random_unique_and_reproducible() {
        for length in [1, 63, 64, 65, 1000, STRETCH, STRETCH + 100, 3 * STRETCH + 7] {
            let data = Data::new(length);
            let make = |number| {
                let mut chunk = vec![0; length];
                data.fill(number, &mut chunk);
                chunk
            };
            let chunk = make(5);
            assert_eq!(chunk, make(5));
            if length >= 63 {
                assert!(chunk != make(6) && chunk != make(4));
                let ones: u32 = chunk.iter().map(|byte| byte.count_ones()).sum();
                let expected = length as f64 * 4.0;
                assert!(
                    (f64::from(ones) - expected).abs() < 10.0 * expected.sqrt(),
                    "{length}: {ones}"
                );
                // Every byte is written, including the last ones.
                assert!(chunk[length - 32..].iter().any(|&byte| byte != 0));
            }
            if length > STRETCH + 64 {
                assert_ne!(chunk[..100], chunk[STRETCH..][..100]);
            }
        }
    }
}
