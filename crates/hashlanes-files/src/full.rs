//! Reads until a buffer is full.

use std::io;

/// Calls `read` until the buffer is full or the file ends, and returns the number of bytes read.
/// `read` gets the unfilled part of the buffer and the number of bytes read before.
///
/// A short read is not the end of the file (in `/proc`, or of a pipe). A read of 0 bytes is.
pub(crate) fn read_full(
    buffer: &mut [u8],
    mut read: impl FnMut(&mut [u8], usize) -> io::Result<usize>,
) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match read(&mut buffer[filled..], filled) {
            Ok(0) => break,
            Ok(length) => filled += length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
