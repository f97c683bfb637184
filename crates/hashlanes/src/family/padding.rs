//! The end of a message: the bytes after the last whole block, the byte 0x80, zeros, and the length
//! (RFC 1321 sections 3.1 and 3.2, FIPS 180-4 section 5.1).
//!
//! For short messages, padding is a large part of the work. So every 16 bytes of the padded blocks
//! are assembled in a register and stored once. (Soon after, the kernel loads them 16 bytes at a
//! time. A load that spans several smaller stores has to wait until they have left the store
//! buffer.)
//!
//! Whole kernels and slots pad in registers of their own: `family/known.rs`, `kernel/whole.rs`,
//! `schedule/batch/groups/slots.rs`, `vector/avx512_masked.rs`, `instruction/sha256/whole.rs`.

use crate::vector::{BLOCK_WORDS, Word};

/// The largest block of a family of this kind, in bytes.
pub(crate) const MAX_BLOCK: usize = 128;

/// Bytes in a chunk.
const CHUNK: usize = 16;

/// Bytes in a block of words of this type.
pub(crate) const fn block<W: Word>() -> usize {
    BLOCK_WORDS * W::BYTES
}

/// Bytes of the length field at the end of the padding: two words, 8 or 16 bytes. It counts the
/// bits of the message.
pub(crate) const fn length_bytes<W: Word>() -> usize {
    2 * W::BYTES
}

/// The number of blocks of the last `rest < BLOCK` bytes of a message with its padding: 1 or 2.
#[inline(always)]
pub(crate) fn tail_blocks<W: Word>(rest: usize) -> usize {
    if rest + 1 + length_bytes::<W>() <= block::<W>() { 1 } else { 2 }
}

/// Writes the last blocks of a message to the start of `tail`: `rest`, fewer bytes than a block,
/// and the padding of a message of `length` bytes in total, with numbers in this byte order.
/// Returns the number of blocks: 1 or 2.
///
/// The length field is the message's length in bits modulo 2^64 (MD5, as RFC 1321 says; SHA-1 and
/// SHA-256, for which longer messages are undefined) or modulo 2^128 (SHA-512).
///
/// # Panics
/// If `rest` leaves no room for the 0x80 in a block, or `tail` is shorter than two blocks.
#[inline(always)]
pub(crate) fn pad<W: Word>(big_endian: bool, tail: &mut [u8], rest: &[u8], length: u128) -> usize {
    let block = const { block::<W>() };
    assert!(rest.len() < block);
    let blocks = tail_blocks::<W>(rest.len());
    // The shift drops the bits above 128, which is the modulo.
    let bits = length << 3;
    // First zeros of a constant length: the compiler makes them a few stores, not a call.
    let (first, second) = tail[..2 * block].split_at_mut(block);
    first.fill(0);
    if blocks == 2 {
        second.fill(0);
    }
    let (chunks, _) = tail[..blocks * block].as_chunks_mut::<CHUNK>();
    let last = chunks.len() - 1;

    let (whole, partial) = rest.as_chunks::<CHUNK>();
    for i in 0..MAX_BLOCK / CHUNK - 1 {
        // A test for each chunk rather than a loop: again a few stores instead of a call.
        if i < whole.len() {
            chunks[i] = whole[i];
        }
    }
    let end = match (partial.len(), rest.last_chunk::<CHUNK>()) {
        (0, _) => 0x80,
        // The last 16 bytes of `rest`. The first of them are already in the previous chunk.
        (n, Some(bytes)) => u128::from_le_bytes(*bytes) >> (8 * (CHUNK - n)) | 0x80 << (8 * n),
        (n, None) => short(partial) | 0x80 << (8 * n),
    };

    // The length takes 8 bytes, or 16, at the end of the last chunk.
    let field = match (length_bytes::<W>(), big_endian) {
        (8, false) => bits << 64,
        (8, true) => u128::from((bits as u64).swap_bytes()) << 64,
        (_, false) => bits,
        (_, true) => bits.swap_bytes(),
    };
    if whole.len() == last {
        chunks[last] = (end | field).to_le_bytes();
    } else {
        chunks[whole.len()] = end.to_le_bytes();
        chunks[last] = field.to_le_bytes();
    }
    blocks
}

/// The words of the last block of a message of `length < 2^61` bytes, with zeros in place of the
/// message's bytes.
pub(crate) fn last_block<W: Word>(big_endian: bool, length: u64) -> [W; BLOCK_WORDS] {
    let mut tail = [0; 2 * MAX_BLOCK];
    let rest = length as usize % block::<W>();
    let blocks = pad::<W>(big_endian, &mut tail, &[0; MAX_BLOCK][..rest], u128::from(length));
    words_of(big_endian, &tail[(blocks - 1) * block::<W>()..])
}

/// The words of the first block of `bytes`.
pub(crate) fn words_of<W: Word>(big_endian: bool, bytes: &[u8]) -> [W; BLOCK_WORDS] {
    let mut words = [W::default(); BLOCK_WORDS];
    let each = words.iter_mut().zip(bytes.chunks_exact(W::BYTES));
    // Two loops, in which the byte order is constant.
    if big_endian {
        each.for_each(|(word, bytes)| *word = W::read(bytes, true));
    } else {
        each.for_each(|(word, bytes)| *word = W::read(bytes, false));
    }
    words
}

/// The last 8 bytes of the padding of a message of `length < 2^61` bytes. A field of 16 bytes has
/// zeros before them.
#[inline(always)]
pub(crate) fn length_field(big_endian: bool, length: u64) -> [u8; 8] {
    let bits = length << 3;
    if big_endian { bits.to_be_bytes() } else { bits.to_le_bytes() }
}

/// Fewer than 16 bytes as a little-endian number.
#[inline(always)]
fn short(bytes: &[u8]) -> u128 {
    let len = bytes.len();
    // Two overlapping loads cover every length of their class.
    if let (Some(low), Some(high)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        u128::from(u64::from_le_bytes(*low))
            | u128::from(u64::from_le_bytes(*high)) << (8 * (len - 8))
    } else if let (Some(low), Some(high)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u128::from(
            u64::from(u32::from_le_bytes(*low))
                | u64::from(u32::from_le_bytes(*high)) << (8 * (len - 4)),
        )
    } else {
        bytes.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }
}

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    /// The padding as the standards write it, byte by byte.
    fn plain<W: Word>(big_endian: bool, rest: &[u8], length: u128) -> Vec<u8> {
        let mut padded = rest.to_vec();
        padded.push(0x80);
        while padded.len() % block::<W>() != block::<W>() - length_bytes::<W>() {
            padded.push(0);
        }
        let bits = length.wrapping_mul(8);
        if big_endian {
            padded.extend(&bits.to_be_bytes()[16 - length_bytes::<W>()..]);
        } else {
            padded.extend(&bits.to_le_bytes()[..length_bytes::<W>()]);
        }
        padded
    }

    fn check<W: Word>(big_endian: bool) {
        let block = block::<W>();
        let bytes: Vec<u8> = (1..=block as u8).collect();
        for rest in 0..block {
            for length in [rest as u128, (1 << 61) - 1 + rest as u128, (1 << 61) + 7, u128::MAX] {
                // The old contents of the buffer must not matter.
                let mut tail = [0xaa; 256];
                let blocks = pad::<W>(big_endian, &mut tail, &bytes[..rest], length);
                let right = plain::<W>(big_endian, &bytes[..rest], length);
                assert_eq!(tail[..blocks * block], right, "{rest} {length}");
                let after = [0xaa; 256];
                assert_eq!(tail[blocks * block..], after[blocks * block..], "{rest} {length}");
                assert_eq!(blocks, tail_blocks::<W>(rest));
            }
        }
    }

    #[test]
    fn padding_is_that_of_the_standards() {
        // MD5, SHA-256 and SHA-512.
        check::<u32>(false);
        check::<u32>(true);
        check::<u64>(true);
    }
}
