//! Fills buffers from streams.

use std::io;
use std::time::Duration;

use super::Stream;

/// How long a read waits at a time.
pub(super) const PATIENCE: Duration = Duration::from_millis(50);

/// Fills as much of the buffer as is there after waiting for the first byte. True if that is the
/// end.
pub(super) fn fill(
    stream: &mut dyn Stream,
    buffer: &mut [u8],
    mut wait: Duration,
) -> io::Result<(usize, bool)> {
    let mut filled = 0;
    while filled < buffer.len() {
        match stream.read(&mut buffer[filled..], wait)? {
            Some(0) => return Ok((filled, true)),
            Some(length) => filled += length,
            None => break,
        }
        wait = Duration::ZERO;
    }
    Ok((filled, false))
}

/// Reads a short stream to its end, which must come before that of the buffer.
pub(super) fn fill_to_end(stream: &mut dyn Stream, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match fill(stream, &mut buffer[filled..], PATIENCE)? {
            (length, true) => return Ok(filled + length),
            (length, false) => filled += length,
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "more bytes than its stated length"))
}
