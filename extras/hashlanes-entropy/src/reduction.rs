//! The 512:1 reduction of RDRAND output to seeds.
//!
//! Intel's generator makes at most 511 samples of 128 bits from one seed. Among 512 consecutive
//! samples, at least two therefore come from different seeds (Intel DRNG guide, section 5.2.6).
//! They are conditioned to 128 bits by CBC-MAC with AES-128, a vetted conditioning component (NIST
//! SP 800-90B section 3.1.5.1.1). Its key need not be secret.

use aes::Aes128;
use aes::cipher::{BlockCipherEncrypt, KeyInit};
use zeroize::{Zeroize, Zeroizing};

use crate::failure::Failure;
use crate::instruction::Instruction;

/// 64-bit words in 512 samples of 128 bits.
pub(crate) const WORDS: usize = 1024;

/// The key of Intel's library: the bytes 0 to 15.
const KEY: [u8; 16] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// Fills `out`, with 512 fresh samples for every 16 bytes.
///
/// # Errors
/// Those of RDRAND. `out` may then be partly filled.
pub(crate) fn fill(rdrand: &Instruction, out: &mut [u8]) -> Result<(), Failure> {
    let cipher = Aes128::new(&KEY.into());
    let mut samples = Zeroizing::new([0; WORDS]);
    for part in out.chunks_mut(16) {
        rdrand.fill(samples.as_mut_slice())?;
        let mut mac = cbc_mac(&cipher, &samples);
        part.copy_from_slice(&mac[..part.len()]);
        mac.zeroize();
    }
    Ok(())
}

/// CBC-MAC over samples of two words each, in little-endian order.
fn cbc_mac(cipher: &Aes128, samples: &[u64; WORDS]) -> [u8; 16] {
    let mut state = aes::Block::default();
    for sample in samples.chunks_exact(2) {
        for (bytes, word) in state.chunks_exact_mut(8).zip(sample) {
            for (byte, new) in bytes.iter_mut().zip(word.to_le_bytes()) {
                *byte ^= new;
            }
        }
        cipher.encrypt_block(&mut state);
    }
    let mac = state.into();
    state.zeroize();
    mac
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake;

    #[test]
    fn the_mac_matches_openssl() {
        // The words 0 to 1023 in 8 bytes each, little-endian, piped through `openssl enc
        // -aes-128-cbc -nopad -K 000102030405060708090a0b0c0d0e0f -iv 0 | tail -c 16`.
        let samples = std::array::from_fn(|word| word as u64);
        let mac = cbc_mac(&Aes128::new(&KEY.into()), &samples);
        let expected = 0xb2ce_8819_54fb_f45b_70e6_bb0e_9030_68c1;
        assert_eq!(u128::from_be_bytes(mac), expected);
    }

    #[test]
    fn every_16_bytes_use_512_fresh_samples() {
        let rdrand = fake::working();
        rdrand.check().unwrap();
        let before = rdrand.counts().words;
        let mut out = [0; 40];
        fill(rdrand, &mut out).unwrap();
        // Each of the three requests draws one more word for its test.
        assert_eq!(rdrand.counts().words - before, 3 * (WORDS as u64 + 1));
        assert_ne!(out[..8], out[16..24]);
        assert_ne!(out[16..24], out[32..]);
    }
}
