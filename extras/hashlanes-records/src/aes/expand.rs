//! The key expansion of FIPS 197, section 5.2, with the CPU's S-box: no table is read at an address
//! that depends on the key.

use super::schedule::{Block, KeySize, Schedule};
use std::arch::x86_64::{_mm_aeskeygenassist_si128, _mm_cvtsi128_si32, _mm_set1_epi32};

/// Words of the longest schedule: four for each of 15 round keys.
const WORDS: usize = 60;

/// Expands a key, whose length is that of `size`.
///
/// # Safety
/// The CPU has the AES instructions.
#[target_feature(enable = "aes,sse2")]
pub(super) unsafe fn expand(key: &[u8], size: KeySize, schedule: &mut Schedule) {
    let mut words = zeroize::Zeroizing::new([0_u32; WORDS]);
    let length = key.len() / 4;
    for (word, bytes) in words.iter_mut().zip(key.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let mut constant = 1_u32;
    for i in length..4 * (size.rounds() + 1) {
        let mut word = words[i - 1];
        if i % length == 0 {
            // The words are little-endian here, so FIPS 197's rotation to the left goes right.
            word = substitute(word).rotate_right(8) ^ constant;
            // Times x in GF(2^8).
            constant = (constant << 1) ^ (0x11b * (constant >> 7));
        } else if length == 8 && i % 8 == 4 {
            word = substitute(word);
        }
        words[i] = words[i - length] ^ word;
    }
    for (round_key, words) in schedule.iter_mut().zip(words.chunks_exact(4)) {
        let mut bytes = zeroize::Zeroizing::new([0; 16]);
        for (bytes, word) in bytes.chunks_exact_mut(4).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        *round_key = Block::from_ne_bytes(*bytes);
    }
}

/// The S-box on each byte of a word.
#[target_feature(enable = "aes,sse2")]
fn substitute(word: u32) -> u32 {
    // The lowest word of the result is SubWord of the second word of the operand.
    _mm_cvtsi128_si32(_mm_aeskeygenassist_si128::<0>(_mm_set1_epi32(word as i32))) as u32
}
