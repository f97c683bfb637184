//! A window of messages: as many as are gathered before they are hashed.
//!
//! Their number and their copied bytes are bounded, so that the memory of a call is, and the time
//! until another thread or a signal gets its turn.
//!
//! | message | where its bytes are while they are hashed |
//! |---|---|
//! | `bytes` and `str`, short | copied to the window: cheaper than to hold the object |
//! | `bytes` and `str` | in the object, which the window holds; very long, a piece at a time |
//! | another buffer | copied to the window, as it may change |
//! | another buffer, long | in the buffer, copied a piece at a time |

use std::slice;

use hashlanes::{Algorithm, AnyEngine};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;

use super::parts::{self, Part};
use super::prefetch::prefetch;
use crate::digests::output::{Out, Written};
use crate::interpreter::steps::STEP;
use crate::messages::input::{self, Buffer};

/// Messages of a window, at most. Fewer leave lanes without work at the end, and with more the
/// objects fall out of the cache between their two turns.
const MESSAGES: usize = 2048;

/// Bytes of messages of a window that are not copied: where it ends. A tenth of a second of work.
const BYTES: usize = 64 << 20;

/// Bytes of the copies of a window, at most.
const COPIES: usize = 1 << 20;

/// Messages of up to so many bytes are copied though they never change.
const SHORT: usize = 64;

/// Messages of more bytes that may change are not copied as a whole.
const LONG: usize = 64 << 10;

/// Messages of more bytes are hashed a piece at a time in any case, with a look at signals.
const VERY_LONG: usize = STEP;

/// Long messages of a window, at most: as many as the widest kernel has lanes.
const LONGS: usize = 32;

/// Messages that are hashed together, and what keeps their bytes.
pub(crate) struct Window {
    algorithm: Algorithm,
    out: Out,
    messages: Vec<Message>,
    /// References to the objects whose bytes are hashed where they are.
    held: Vec<*mut ffi::PyObject>,
    /// Of that many bytes.
    held_bytes: usize,
    /// Never grows past its capacity: messages point into it.
    copies: Vec<u8>,
    longs: Vec<Long>,
    digests: Written,
}

/// Bytes of an object in `held`, or in `copies`. They stay as long as the window is not cleared.
struct Message {
    data: *const u8,
    length: usize,
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: so many bytes are there, and nobody writes to them: `held` keeps the objects,
        // which never change, and `copies` only gets more behind them. Messages do not leave the
        // window.
        unsafe { slice::from_raw_parts(self.data, self.length) }
    }
}

/// A long message, which is hashed a piece at a time. Its place among the messages has an empty
/// one.
struct Long {
    place: usize,
    message: LongMessage,
}

enum LongMessage {
    /// Bytes that never change. `held` keeps their object.
    Constant(Message),
    Buffer(Buffer),
}

impl LongMessage {
    fn part(&self) -> Part<'_> {
        match self {
            Self::Constant(message) => Part::Bytes(message.as_ref()),
            Self::Buffer(buffer) => Part::Buffer(buffer, 0..buffer.len()),
        }
    }
}

// SAFETY: the objects are used by threads that are attached to the interpreter only. The bytes that
// messages point to may be read by any thread.
unsafe impl Send for Window {}

impl Window {
    pub(crate) fn new(algorithm: Algorithm, out: Out) -> Self {
        Self {
            algorithm,
            out,
            messages: Vec::with_capacity(MESSAGES),
            held: Vec::new(),
            held_bytes: 0,
            copies: Vec::new(),
            longs: Vec::new(),
            digests: Written::default(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() >= MESSAGES
            || self.held_bytes >= BYTES
            || self.copies.len() > COPIES - LONG
            || self.longs.len() >= LONGS
    }

    /// Takes a message. The window must not be full.
    ///
    /// # Errors
    /// If the object is no message, or its buffer cannot be had. `number` says which one it is.
    pub(crate) fn add(&mut self, object: &Bound<'_, PyAny>, number: usize) -> PyResult<()> {
        if self.add_immutable(object) {
            return Ok(());
        }
        if let Some(text) = input::utf8(object) {
            self.add_constant(object.as_ptr(), text?);
        } else if let Some(bytes) = input::bytes(object) {
            self.add_constant(object.as_ptr(), bytes);
        } else if Buffer::is_exported_by(object) {
            self.add_buffer(Buffer::new(object)?);
        } else {
            let class = object.get_type();
            let class = class.name()?;
            let message = format!("message {number} is neither a buffer nor a str, but {class}");
            return Err(PyTypeError::new_err(message));
        }
        Ok(())
    }

    /// Takes a message if it is `bytes` or a `str`, and says whether it did. Runs no Python code.
    /// The window must not be full.
    #[inline]
    pub(crate) fn add_immutable(&mut self, object: &Bound<'_, PyAny>) -> bool {
        let pointer = object.as_ptr();
        // SAFETY: the object is alive and the thread attached.
        if let Some(bytes) = unsafe { input::exact_bytes(&pointer) } {
            self.add_constant(pointer, bytes);
            return true;
        }
        match input::utf8(object) {
            Some(Ok(text)) => {
                self.add_constant(pointer, text);
                true
            }
            _ => false,
        }
    }

    /// Takes bytes of an object that never change.
    #[inline]
    fn add_constant(&mut self, object: *mut ffi::PyObject, bytes: &[u8]) {
        if bytes.len() <= SHORT {
            let data = self.place_for_copy(bytes.len());
            self.copies.extend_from_slice(bytes);
            self.messages.push(Message { data, length: bytes.len() });
        } else {
            prefetch(bytes);
            // SAFETY: the bytes are borrowed from the object, so it is alive.
            unsafe { ffi::Py_INCREF(object) };
            self.held.push(object);
            self.held_bytes += bytes.len();
            let message = Message { data: bytes.as_ptr(), length: bytes.len() };
            if bytes.len() <= VERY_LONG {
                self.messages.push(message);
            } else {
                self.add_long(LongMessage::Constant(message));
            }
        }
    }

    fn add_buffer(&mut self, buffer: Buffer) {
        let length = buffer.len();
        if length <= LONG {
            let data = self.place_for_copy(length);
            let begin = self.copies.len();
            self.copies.resize(begin + length, 0);
            buffer.read(0, &mut self.copies[begin..]);
            self.messages.push(Message { data, length });
        } else {
            self.add_long(LongMessage::Buffer(buffer));
        }
    }

    fn add_long(&mut self, message: LongMessage) {
        self.longs.push(Long { place: self.messages.len(), message });
        self.messages.push(Message { data: [].as_ptr(), length: 0 });
    }

    /// Where the next copy begins.
    #[inline]
    fn place_for_copy(&mut self, length: usize) -> *const u8 {
        if self.copies.capacity() < COPIES {
            // Before the first copy of all. Those who hash few messages pay for few.
            self.copies.reserve_exact(COPIES);
        }
        // A window that is not full has room for a copy of the longest message that is copied.
        assert!(length <= COPIES - self.copies.len(), "room for a copy");
        self.copies.as_ptr().wrapping_add(self.copies.len())
    }

    /// Hashes the messages. Needs no interpreter. Ends early if it shall not go on.
    pub(crate) fn hash(&mut self, go_on: &mut dyn FnMut() -> bool) {
        let Self { algorithm, out, messages, longs, digests, .. } = self;
        let size = algorithm.digest_len();
        digests.write(*out, messages.len() * size, |digests| {
            AnyEngine::new(*algorithm).digest_many_into(&*messages, digests);
            if !longs.is_empty() {
                let parts: Vec<_> = longs.iter().map(|long| long.message.part()).collect();
                parts::digest_parts(*algorithm, &parts, go_on, |number, digest| {
                    digests[longs[number].place * size..][..size].copy_from_slice(digest);
                });
            }
        });
    }

    /// The digests of the messages, one after the other.
    pub(crate) fn digests(&self) -> &[u8] {
        self.digests.bytes(self.out)
    }

    /// Begins the next one.
    pub(crate) fn clear(&mut self, _: Python<'_>) {
        self.messages.clear();
        for object in self.held.drain(..) {
            // SAFETY: the reference is ours, and the thread is attached.
            unsafe { ffi::Py_DECREF(object) };
        }
        self.held_bytes = 0;
        self.copies.clear();
        self.longs.clear();
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if !self.held.is_empty() || !self.longs.is_empty() {
            Python::attach(|py| self.clear(py));
        }
    }
}
