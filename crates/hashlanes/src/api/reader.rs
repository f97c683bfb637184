//! Bytes from a reader, for hashers.

use std::io::{self, Read};
use std::vec::Vec;

use crate::wipe;

/// Bytes that are asked of a reader at a time. A call of the system costs about as much as hashing
/// one to three KiB, which is little beside this; and this fits in the second-level cache, so that
/// the bytes are still there when they are hashed.
const BUFFER: usize = 64 << 10;

/// Gives `take` all bytes that the reader has, piece by piece, until it ends or fails.
///
/// An interrupted read is tried again.
pub(crate) fn for_each_piece(mut reader: impl Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = Buffer(std::vec![0; BUFFER]);
    let buffer = &mut buffer.0;
    loop {
        match reader.read(buffer) {
            Ok(0) => return Ok(()),
            Ok(length) => take(buffer.get(..length).ok_or_else(too_many)?),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Bytes of the message, which are wiped as a hasher's are.
struct Buffer(Vec<u8>);

impl Drop for Buffer {
    fn drop(&mut self) {
        self.0.clear();
        wipe::memory(self.0.spare_capacity_mut());
    }
}

fn too_many() -> io::Error {
    io::Error::other("the reader claims to have read more bytes than it was asked for")
}
