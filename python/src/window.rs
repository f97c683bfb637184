//! A window of messages: as many as are gathered before they are hashed.

use std::slice;

use hashlanes::{Algorithm, Engine, HashFunction};
use pyo3::prelude::*;

use crate::input::{self, Buffer};
use crate::name::with_function;

/// Messages of a window, at most.
const MESSAGES: usize = 4096;

/// Messages that are hashed together, and what keeps their bytes.
pub(crate) struct Window {
    messages: Vec<Message>,
    /// References to the objects whose bytes are hashed where they are.
    held: Vec<Py<PyAny>>,
    copies: Vec<u8>,
}

/// Bytes of an object in `held`, or a range of `copies`.
enum Message {
    Held(*const u8, usize),
    Copied(usize, usize),
}

// SAFETY: the pointers are to bytes that never change, which `held` keeps. Any thread may read them.
unsafe impl Send for Window {}
// SAFETY: as above.
unsafe impl Sync for Window {}

impl Window {
    pub(crate) fn new() -> Self {
        Self { messages: Vec::with_capacity(MESSAGES), held: Vec::new(), copies: Vec::new() }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.messages.len() == MESSAGES
    }

    /// Takes a message.
    pub(crate) fn add(&mut self, object: Bound<'_, PyAny>) -> PyResult<()> {
        let bytes = match input::bytes(&object) {
            Some(bytes) => Some(bytes),
            None => input::utf8(&object).transpose()?,
        };
        match bytes {
            Some(bytes) => {
                self.messages.push(Message::Held(bytes.as_ptr(), bytes.len()));
                self.held.push(object.unbind());
            }
            None => {
                let buffer = Buffer::of_hashlib(&object)?;
                let begin = self.copies.len();
                self.copies.resize(begin + buffer.len(), 0);
                buffer.read(0, &mut self.copies[begin..]);
                self.messages.push(Message::Copied(begin, self.copies.len()));
            }
        }
        Ok(())
    }

    /// Writes the digests, one after the other.
    pub(crate) fn hash(&self, algorithm: Algorithm, digests: &mut Vec<u8>) {
        digests.resize(self.messages.len() * algorithm.digest_len(), 0);
        let messages: Vec<&[u8]> =
            self.messages.iter().map(|message| self.bytes(message)).collect();
        with_function!(algorithm, A => {
            const LENGTH: usize = size_of::<<A as HashFunction>::Digest>();
            Engine::<A>::new().digest_many_into(&messages, digests.as_chunks_mut::<LENGTH>().0);
        });
    }

    fn bytes(&self, message: &Message) -> &[u8] {
        match *message {
            // SAFETY: bytes of an object in `held`, which never change.
            Message::Held(data, length) => unsafe { slice::from_raw_parts(data, length) },
            Message::Copied(begin, end) => &self.copies[begin..end],
        }
    }

    /// Begins the next one.
    pub(crate) fn clear(&mut self, _: Python<'_>) {
        self.messages.clear();
        self.held.clear();
        self.copies.clear();
    }
}
