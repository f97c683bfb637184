//! The checksums of the program `sum`: 16 bits.

use super::Digest;
use super::in_pieces::Hasher;

/// The checksum of BSD: rotate right by one, add the byte.
#[derive(Default)]
pub(super) struct Bsd(u16);

impl Hasher for Bsd {
    fn update(&mut self, piece: &[u8]) {
        for &byte in piece {
            self.0 = self.0.rotate_right(1).wrapping_add(byte.into());
        }
    }

    fn finish(self: Box<Self>) -> Digest {
        Digest::new(&self.0.to_be_bytes())
    }
}

/// The checksum of System V: the sum of all bytes in 32 bits, folded twice to 16.
#[derive(Default)]
pub(super) struct Sysv(u32);

impl Hasher for Sysv {
    fn update(&mut self, piece: &[u8]) {
        self.0 = piece.iter().fold(self.0, |sum, &byte| sum.wrapping_add(byte.into()));
    }

    fn finish(self: Box<Self>) -> Digest {
        let once = (self.0 & 0xffff) + (self.0 >> 16);
        // The sum of the halves may have 17 bits. The carry is added once more.
        Digest::new(&(((once & 0xffff) + (once >> 16)) as u16).to_be_bytes())
    }
}
