//! Bytes that do not come from files.

use std::io;
use std::time::Duration;

use crate::system::Stamp;

/// How long a read waits at a time.
pub(super) const PATIENCE: Duration = Duration::from_millis(50);

/// Bytes that are hashed like those of a file but come from somewhere else, such as an object in a
/// store. They are read once, from beginning to end.
pub trait Content: Send {
    /// Begins to fetch the bytes. Further calls do nothing.
    fn start(&mut self);

    /// Waits at most this long for the content. Returns true if it is long, or if it is short and its
    /// bytes have arrived or will never arrive.
    fn is_ready(&self, wait: Duration) -> bool;

    /// The number of bytes, if it is known.
    fn length(&self) -> Option<u64>;

    /// Copies bytes that have arrived, after waiting at most this long for the first of them.
    /// `Some(0)` is the end; `None`, nothing yet.
    ///
    /// # Errors
    /// If the bytes cannot be fetched, or the object has changed since its first bytes were read.
    fn read(&mut self, buffer: &mut [u8], wait: Duration) -> io::Result<Option<usize>>;

    /// The size and the time of modification, if they are known.
    fn stamp(&self) -> Option<Stamp>;

    /// Anything else that distinguishes versions of the content, such as the ETag of an object.
    fn tag(&self) -> Option<Box<str>>;
}

/// Fills as much of the buffer as is there after waiting for the first byte. True if that is the
/// end.
pub(super) fn fill(
    content: &mut dyn Content,
    buffer: &mut [u8],
    mut wait: Duration,
) -> io::Result<(usize, bool)> {
    let mut filled = 0;
    while filled < buffer.len() {
        match content.read(&mut buffer[filled..], wait)? {
            Some(0) => return Ok((filled, true)),
            Some(length) => filled += length,
            None => break,
        }
        wait = Duration::ZERO;
    }
    Ok((filled, false))
}

/// Reads a short content to its end, which must come before that of the buffer.
pub(super) fn fill_to_end(content: &mut dyn Content, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match fill(content, &mut buffer[filled..], PATIENCE)? {
            (length, true) => return Ok(filled + length),
            (length, false) => filled += length,
        }
    }
    Err(io::Error::new(io::ErrorKind::InvalidData, "more bytes than its stated length"))
}
