//! Bytes that do not come from files, such as those of objects in stores.

use std::io;
use std::time::Duration;

use crate::Content;
use crate::system::Stamp;

/// Bytes that are hashed like those of a file but come from somewhere else, such as an object in a
/// store. They are read once, from beginning to end.
pub trait Stream: Send {
    /// Begins to fetch the bytes. Further calls do nothing.
    fn start(&mut self);

    /// Waits at most this long. True if the bytes of a short stream are there or will never be, or
    /// if the stream is long.
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

    /// The same bytes, to be read at any offset. Begins to fetch the first of them.
    ///
    /// # Errors
    /// If there is nothing, or its length cannot be found out.
    fn into_content(self: Box<Self>) -> io::Result<Box<dyn Content + Send>>;
}
