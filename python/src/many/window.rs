//! A window: a bounded batch of messages that are gathered and then hashed.
//!
//! The bounds on messages and copied bytes limit the memory of a call, and the time until another
//! thread or a signal handler can run.
//!
//! | message | where its bytes are while they are hashed |
//! |---|---|
//! | short `bytes` and `str` | copied to the window, which is cheaper than holding a reference |
//! | other `bytes` and `str` | in the object, held by the window; hashed in pieces if very long |
//! | other short buffers | copied to the window, as they may change |
//! | other long buffers of a list or tuple | in the buffer, copied a piece at a time |
//! | parts of a message | joined in the window; if they are long, copied a piece at a time |
//! | those of an iterator, which may fill them again | copied; very long ones are hashed at once |

use std::slice;

use hashlanes::{Algorithm, AnyDigest, Engine};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::parts::{self, Part};
use super::prefetch::prefetch;
use crate::digests::output::{Out, Written};
use crate::interpreter::steps::STEP;
use crate::messages::input::{self, Buffer, Input};
use crate::messages::piece::Piece;

/// Maximum messages in a window. With fewer, lanes run empty at the end of each window. With more,
/// the objects fall out of the cache between gathering and delivery.
const MESSAGES: usize = 2048;

/// A window is full when it holds this many bytes by reference: a tenth of a second of work.
const BYTES: usize = 64 << 20;

/// Maximum bytes of the copies in a window.
const COPIES: usize = 1 << 20;

/// Immutable messages up to this many bytes are copied.
const SHORT: usize = 64;

/// Mutable messages of more bytes are not copied as a whole.
const LONG: usize = 64 << 10;

/// After this many parts of a message, signals are checked.
const CHECKED: usize = 4096;

/// Copies of short parts that follow each other are joined up to about this many bytes.
const JOINED: usize = 16 << 10;

/// All messages of more bytes are hashed a piece at a time, with checks for signals.
const VERY_LONG: usize = STEP;

/// Maximum long messages in a window: the lanes of the widest kernel.
const LONGS: usize = 32;

/// Messages that are hashed together, and the owners of their bytes.
pub(crate) struct Window {
    algorithm: Algorithm,
    out: Out,
    messages: Vec<Message>,
    /// References to the objects whose bytes are hashed in place.
    held: Vec<*mut ffi::PyObject>,
    /// Total bytes of those, and of long copies.
    held_bytes: usize,
    /// Never grows past its capacity, because messages point into it.
    copies: Vec<u8>,
    longs: Vec<Long>,
    digests: Written,
}

/// Points to bytes of an object in `held`, or into `copies`. Valid until the window is cleared.
struct Message {
    data: *const u8,
    length: usize,
}

impl AsRef<[u8]> for Message {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `data` and `length` describe bytes of an immutable object that `held` keeps
        // alive, or of `copies`, which is appended to but never reallocated. Messages do not leave
        // the window, which is cleared only together with them.
        unsafe { slice::from_raw_parts(self.data, self.length) }
    }
}

/// A long message, which is hashed in pieces. An empty message holds its place among the others.
struct Long {
    place: usize,
    message: LongMessage,
}

enum LongMessage {
    /// Immutable bytes. `held` keeps their object alive.
    Constant(Message),
    Buffer(Buffer),
    Copied(Vec<u8>),
    Joined(Vec<LongMessage>),
    Hashed(AnyDigest),
}

impl LongMessage {
    /// What is to be hashed, or else the digest.
    fn part(&self) -> Result<Part<'_>, &AnyDigest> {
        match self {
            Self::Constant(message) => Ok(Part::Bytes(message.as_ref())),
            Self::Buffer(buffer) => Ok(Part::Buffer(buffer, 0..buffer.len())),
            Self::Copied(copy) => Ok(Part::Bytes(copy)),
            Self::Joined(parts) => {
                Ok(Part::joined(parts.iter().filter_map(|part| part.part().ok())))
            }
            Self::Hashed(digest) => Err(digest),
        }
    }
}

// SAFETY: only attached threads touch the objects in `held`. The bytes that messages point to never
// change while the window holds them, so any thread may read them.
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

    /// Adds a message. `lasts` says that nobody fills its buffer again before the window is hashed.
    /// The window must not be full.
    ///
    /// # Errors
    /// If the object is not a message, or does not export its buffer. `number` identifies the
    /// message in the error. Exceptions of signal handlers.
    pub(crate) fn add(
        &mut self,
        object: &Bound<'_, PyAny>,
        number: usize,
        lasts: bool,
    ) -> PyResult<()> {
        if self.add_immutable(object) {
            return Ok(());
        }
        match read(object, || format!("message {number}"))? {
            Input::Bytes(bytes) => self.add_constant(object.as_ptr(), bytes),
            Input::Buffer(buffer) => self.add_buffer(object.py(), buffer, lasts)?,
        }
        Ok(())
    }

    /// Like [`add`](Self::add), for the parts of a message, which are joined. Very long ones that
    /// may be filled again are hashed at once.
    pub(crate) fn add_parts(
        &mut self,
        parts: &Bound<'_, PyAny>,
        number: usize,
        lasts: bool,
    ) -> PyResult<()> {
        let lasts = lasts
            && (parts.is_exact_instance_of::<PyTuple>() || parts.is_exact_instance_of::<PyList>());
        let (mut joined, mut length, mut hashed) = (Vec::new(), 0_usize, None);
        for (place, object) in parts.try_iter()?.enumerate() {
            if place % CHECKED == CHECKED - 1 {
                parts.py().check_signals()?;
            }
            let object = object?;
            let part = read(&object, || format!("part {place} of message {number}"))?;
            if let Some(hasher) = &mut hashed {
                let piece = match &part {
                    Input::Bytes(bytes) => Piece::Bytes(bytes),
                    Input::Buffer(buffer) => Piece::View(buffer.view()),
                };
                piece.add_in_steps(parts.py(), hasher)?;
                continue;
            }
            let size = part.len();
            length = length.saturating_add(size);
            match part {
                Input::Bytes(bytes) if size > SHORT => {
                    joined.push(LongMessage::Constant(self.hold(object.as_ptr(), bytes)));
                }
                Input::Buffer(buffer) if size > SHORT => joined.push(match lasts {
                    true => LongMessage::Buffer(buffer),
                    false => LongMessage::Copied(buffer.copy()?),
                }),
                Input::Bytes(bytes) => last_copy(&mut joined).extend_from_slice(bytes),
                Input::Buffer(buffer) => buffer.append_to(last_copy(&mut joined)),
            }
            if !lasts && length > VERY_LONG {
                let hasher = hashed.insert(self.algorithm.hasher());
                for part in joined.drain(..) {
                    if let Ok(Part::Bytes(bytes)) = part.part() {
                        Piece::Bytes(bytes).add_in_steps(parts.py(), hasher)?;
                    }
                }
            }
        }
        if length > LONG {
            self.held_bytes = self.held_bytes.saturating_add(length);
            let digest = hashed.map(|hasher| LongMessage::Hashed(hasher.finalize()));
            self.add_long(digest.unwrap_or(LongMessage::Joined(joined)));
            return Ok(());
        }
        let (data, mut begin) = (self.place_for_copy(length), self.copies.len());
        self.copies.resize(begin + length, 0);
        for part in joined.iter().filter_map(|part| part.part().ok()) {
            part.read(0, &mut self.copies[begin..begin + part.len()]);
            begin += part.len();
        }
        self.messages.push(Message { data, length });
        Ok(())
    }

    /// Keeps an object whose bytes are hashed in place.
    fn hold(&mut self, object: *mut ffi::PyObject, bytes: &[u8]) -> Message {
        // SAFETY: `bytes` is borrowed from the object, so it is alive. The callers are attached.
        unsafe { ffi::Py_INCREF(object) };
        self.held.push(object);
        self.held_bytes += bytes.len();
        Message { data: bytes.as_ptr(), length: bytes.len() }
    }

    /// Adds a message if it is `bytes` or a `str`, and returns whether it did. Runs no Python code.
    /// The window must not be full.
    #[inline]
    pub(crate) fn add_immutable(&mut self, object: &Bound<'_, PyAny>) -> bool {
        let pointer = object.as_ptr();
        // SAFETY: `object` keeps the object alive for the borrow, and shows that the thread is
        // attached.
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

    /// Adds the bytes of an immutable object.
    #[inline]
    fn add_constant(&mut self, object: *mut ffi::PyObject, bytes: &[u8]) {
        if bytes.len() <= SHORT {
            let data = self.place_for_copy(bytes.len());
            self.copies.extend_from_slice(bytes);
            self.messages.push(Message { data, length: bytes.len() });
        } else {
            prefetch(bytes);
            let message = self.hold(object, bytes);
            if bytes.len() <= VERY_LONG {
                self.messages.push(message);
            } else {
                self.add_long(LongMessage::Constant(message));
            }
        }
    }

    fn add_buffer(&mut self, py: Python<'_>, buffer: Buffer, lasts: bool) -> PyResult<()> {
        let length = buffer.len();
        if length <= LONG {
            let data = self.place_for_copy(length);
            buffer.append_to(&mut self.copies);
            self.messages.push(Message { data, length });
        } else if lasts {
            self.add_long(LongMessage::Buffer(buffer));
        } else if length <= VERY_LONG {
            self.held_bytes += length;
            self.add_long(LongMessage::Copied(buffer.copy()?));
        } else {
            let mut hasher = self.algorithm.hasher();
            Piece::View(buffer.view()).add_in_steps(py, &mut hasher)?;
            self.add_long(LongMessage::Hashed(hasher.finalize()));
        }
        Ok(())
    }

    fn add_long(&mut self, message: LongMessage) {
        self.longs.push(Long { place: self.messages.len(), message });
        self.messages.push(Message { data: [].as_ptr(), length: 0 });
    }

    /// Where the next copy begins.
    #[inline]
    fn place_for_copy(&mut self, length: usize) -> *const u8 {
        if self.copies.capacity() < COPIES {
            // Allocated before the first copy, so that a call with few messages does not pay for
            // it.
            self.copies.reserve_exact(COPIES);
        }
        // A window that is not full has room for the longest message that is copied.
        assert!(length <= COPIES - self.copies.len(), "room for a copy");
        self.copies.as_ptr().wrapping_add(self.copies.len())
    }

    /// Hashes the messages without the interpreter. Returns early if `go_on` returns `false`.
    pub(crate) fn hash(&mut self, go_on: &mut dyn FnMut() -> bool) {
        let Self { algorithm, out, messages, longs, digests, .. } = self;
        let size = algorithm.digest_len();
        digests.write(*out, messages.len() * size, |digests| {
            Engine::of(*algorithm).digest_many_into(&*messages, digests);
            if !longs.is_empty() {
                let (mut places, mut parts) = (Vec::new(), Vec::new());
                for long in &*longs {
                    let place = long.place * size..(long.place + 1) * size;
                    match long.message.part() {
                        Ok(part) => {
                            places.push(place);
                            parts.push(part);
                        }
                        Err(digest) => digests[place].copy_from_slice(digest.as_bytes()),
                    }
                }
                parts::digest_parts(*algorithm, &parts, go_on, |number, digest| {
                    digests[places[number].clone()].copy_from_slice(digest);
                });
            }
        });
    }

    /// The concatenated digests of the messages.
    pub(crate) fn digests(&self) -> &[u8] {
        self.digests.bytes(self.out)
    }

    /// Empties the window for reuse.
    pub(crate) fn clear(&mut self, _: Python<'_>) {
        self.messages.clear();
        for object in self.held.drain(..) {
            // SAFETY: the window owns the reference, and `Python` shows that the thread is
            // attached.
            unsafe { ffi::Py_DECREF(object) };
        }
        self.held_bytes = 0;
        self.copies.clear();
        self.longs.clear();
    }
}

/// The copy at the end of the parts, to which short ones are appended.
fn last_copy(parts: &mut Vec<LongMessage>) -> &mut Vec<u8> {
    if !matches!(parts.last(), Some(LongMessage::Copied(copy)) if copy.len() < JOINED) {
        parts.push(LongMessage::Copied(Vec::new()));
    }
    match parts.last_mut() {
        Some(LongMessage::Copied(copy)) => copy,
        _ => unreachable!("a copy is the last part"),
    }
}

/// The bytes of a message or of a part, which `name` names in errors.
fn read<'a>(object: &'a Bound<'_, PyAny>, name: impl Fn() -> String) -> PyResult<Input<'a>> {
    if let Some(text) = input::utf8(object) {
        Ok(Input::Bytes(text?))
    } else if let Some(bytes) = input::bytes(object) {
        Ok(Input::Bytes(bytes))
    } else if Buffer::is_exported_by(object) {
        Ok(Input::Buffer(Buffer::new(object)?))
    } else {
        let class = object.get_type();
        let message = format!("{} must be a buffer or a str, not {}", name(), class.name()?);
        Err(PyTypeError::new_err(message))
    }
}

impl Drop for Window {
    fn drop(&mut self) {
        if !self.held.is_empty() || !self.longs.is_empty() {
            Python::attach(|py| self.clear(py));
        }
    }
}
