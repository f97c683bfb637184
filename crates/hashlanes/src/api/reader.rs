//! Bytes from a reader, for hashers.

use std::io::{self, Read};
use std::vec::Vec;

use crate::wipe;

/// Bytes to request from a reader at a time. A system call costs about as much as hashing 1 to 3
/// KiB, which is little in comparison. The buffer fits in the L2 cache, so that the bytes are still
/// there when they are hashed.
const BUFFER: usize = 64 << 10;

/// Passes all bytes of a reader to `take`, piece by piece, until it ends or fails.
///
/// Interrupted reads are retried.
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

/// Bytes of the message, which are wiped like those in a hasher.
struct Buffer(Vec<u8>);

impl Drop for Buffer {
    fn drop(&mut self) {
        wipe::clear(&mut self.0);
    }
}

fn too_many() -> io::Error {
    io::Error::other("the reader claims to have read more bytes than were requested")
}
