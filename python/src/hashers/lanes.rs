//! `Lanes`: messages that arrive in pieces at different speeds and are submitted by one thread.
//! Here messages have numbers; the Python class built on this one gives them keys.

use std::collections::{HashMap, VecDeque};
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hashlanes::{Algorithm, AnyDigest, Done, HashFunction, LaneJob, with_function};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arguments::name::{self, Named};
use crate::interpreter::steps::{PATIENCE, STEP};
use crate::messages::input::Input;

/// Messages in progress, identified by number.
#[pyclass(frozen, module = "hashlanes._hashlanes", name = "Lanes")]
pub(crate) struct PyLanes {
    algorithm: Algorithm,
    inner: Mutex<Inner>,
}

struct Inner {
    lanes: Box<dyn AnyLanes>,
    /// Digests that have not been taken yet.
    completed: Vec<(u64, AnyDigest)>,
}

#[pymethods]
impl PyLanes {
    #[new]
    fn new(name: Named) -> Self {
        let Named(algorithm) = name;
        let lanes: Box<dyn AnyLanes> =
            with_function!(algorithm, A => Box::new(TypedLanes::<A>::new()));
        Self { algorithm, inner: Mutex::new(Inner { lanes, completed: Vec::new() }) }
    }

    /// The name of the algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        name::in_hashlib(self.algorithm)
    }

    /// Appends a piece to message `number`.
    fn submit(&self, data: &Bound<'_, PyAny>, number: u64, last: bool) -> PyResult<()> {
        let pieces = Piece::several(data)?;
        self.run(data.py(), |lanes, results| lanes.submit(number, pieces, last, results));
        Ok(())
    }

    /// Hashes everything submitted so far. Signal handlers run in between. If one raises, the
    /// remaining pieces stay for the next call.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        while self.run(py, |lanes, results| lanes.flush(Instant::now() + PATIENCE, results)) {
            py.check_signals()?;
        }
        Ok(())
    }

    /// Returns the completed messages as pairs of key and digest. `keys` maps numbers to keys, and
    /// the returned ones are removed from it.
    ///
    /// Signal handlers run first, so that an exception they raise cannot lose digests.
    fn take<'py>(&self, keys: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyList>> {
        let py = keys.py();
        py.check_signals()?;
        let pairs = PyList::empty(py);
        let completed = std::mem::take(&mut self.lock().completed);
        for (number, digest) in completed {
            // Missing if the `submit` of its last piece raised after the lanes had accepted it.
            if let Some(key) = keys.get_item(number)? {
                pairs.append((key, PyBytes::new(py, digest.as_bytes())))?;
                keys.del_item(number)?;
            }
        }
        Ok(pairs)
    }

    /// Abandons a message.
    fn discard(&self, py: Python<'_>, number: u64) {
        self.run(py, |lanes, _| lanes.discard(number));
    }
}

impl PyLanes {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut dyn AnyLanes, &mut Results) -> R + Send,
    ) -> R {
        let (result, pieces) = py.detach(|| {
            let mut results = Results::default();
            let mut inner = self.lock();
            let result = work(&mut *inner.lanes, &mut results);
            inner.completed.append(&mut results.digests);
            (result, results.pieces)
        });
        // Dropped while attached and with the lock released, as this may run Python code.
        drop(pieces);
        result
    }
}

/// A piece of a message.
enum Piece {
    /// Part of an immutable object's bytes. `_object` keeps them alive.
    Held { data: *const u8, length: usize, _object: Py<PyAny> },
    /// Copied from a mutable buffer.
    Copied(Vec<u8>),
}

// SAFETY: the bytes behind `data` never change and live as long as `_object`, so any thread may
// read them. `Py` may be dropped on any thread.
unsafe impl Send for Piece {}

impl Piece {
    /// The bytes of an object, split into pieces of at most `STEP` bytes.
    fn several(object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let input = Input::of_hashlib(object)?;
        let begins = (0..input.len().max(1)).step_by(STEP);
        let parts = begins.map(|begin| begin..input.len().min(begin.saturating_add(STEP)));
        match &input {
            Input::Bytes(bytes) => Ok(parts.map(|part| Self::held(object, &bytes[part])).collect()),
            Input::Buffer(buffer) => {
                parts.map(|part| buffer.copy_part(part).map(Self::Copied)).collect()
            }
        }
    }

    /// A piece that refers to some of the bytes of a `bytes` object.
    fn held(object: &Bound<'_, PyAny>, bytes: &[u8]) -> Self {
        let (data, length) = (bytes.as_ptr(), bytes.len());
        Self::Held { data, length, _object: object.clone().unbind() }
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        match self {
            // SAFETY: `data` and `length` describe part of the bytes of `_object`, a `bytes`
            // object. The piece keeps it alive, and its bytes never change.
            Self::Held { data, length, .. } => unsafe { slice::from_raw_parts(*data, *length) },
            Self::Copied(copy) => copy,
        }
    }
}

/// The output of one call.
#[derive(Default)]
struct Results {
    digests: Vec<(u64, AnyDigest)>,
    pieces: Vec<Piece>,
}

/// Lanes of any algorithm.
trait AnyLanes: Send {
    /// `last` says whether the last of `pieces` ends the message.
    fn submit(&mut self, number: u64, pieces: Vec<Piece>, last: bool, results: &mut Results);
    /// Hashes until nothing is left or `until` has passed. Returns whether work remains.
    fn flush(&mut self, until: Instant, results: &mut Results) -> bool;
    fn discard(&mut self, number: u64);
}

struct TypedLanes<A: HashFunction> {
    lanes: hashlanes::Lanes<A, Piece, u64>,
    messages: HashMap<u64, Message<A>>,
}

/// A message in progress.
struct Message<A: HashFunction> {
    state: State<A>,
    /// Pieces that arrived while an earlier one was in the lanes, each with whether it ends the
    /// message.
    pending: VecDeque<(Piece, bool)>,
    is_discarded: bool,
}

enum State<A: HashFunction> {
    New,
    InLanes,
    Home(LaneJob<A, u64>),
}

impl<A: HashFunction> TypedLanes<A> {
    fn new() -> Self {
        Self { lanes: hashlanes::Lanes::new(), messages: HashMap::new() }
    }

    /// Submits the next piece of a message, unless one of its pieces is in the lanes already.
    fn advance(&mut self, number: u64) -> Option<Done<A, Piece, u64>> {
        let message = self.messages.get_mut(&number)?;
        if matches!(message.state, State::InLanes) {
            return None;
        }
        let (piece, last) = message.pending.pop_front()?;
        match (std::mem::replace(&mut message.state, State::InLanes), last) {
            (State::Home(job), false) => self.lanes.update(job, piece),
            (State::Home(job), true) => self.lanes.last(job, piece),
            (_, false) => self.lanes.first(piece, number),
            (_, true) => self.lanes.entire(piece, number),
        }
    }

    /// Stores what the lanes return, and submits the pieces that this unblocks.
    fn take(&mut self, mut done: Option<Done<A, Piece, u64>>, results: &mut Results) {
        while let Some(out) = done {
            let number = *out.tag();
            done = match out {
                Done::Message { digest, buffer, .. } => {
                    results.pieces.push(buffer);
                    if self.messages.remove(&number).is_some_and(|message| !message.is_discarded) {
                        // Succeeds for every digest length of this library.
                        let digest = AnyDigest::try_from(digest.as_ref());
                        results.digests.extend(digest.ok().map(|digest| (number, digest)));
                    }
                    None
                }
                Done::Piece { job, buffer, .. } => {
                    results.pieces.push(buffer);
                    self.proceed(number, job)
                }
            };
        }
    }

    fn proceed(&mut self, number: u64, job: LaneJob<A, u64>) -> Option<Done<A, Piece, u64>> {
        let message = self.messages.get_mut(&number)?;
        if message.is_discarded {
            self.messages.remove(&number);
            return None;
        }
        message.state = State::Home(job);
        self.advance(number)
    }
}

impl<A: HashFunction> AnyLanes for TypedLanes<A> {
    fn submit(&mut self, number: u64, pieces: Vec<Piece>, last: bool, results: &mut Results) {
        let new = || Message { state: State::New, pending: VecDeque::new(), is_discarded: false };
        let pending = &mut self.messages.entry(number).or_insert_with(new).pending;
        pending.extend(pieces.into_iter().map(|piece| (piece, false)));
        if let Some((_, is_last)) = pending.back_mut() {
            *is_last = last;
        }
        let done = self.advance(number);
        self.take(done, results);
    }

    fn flush(&mut self, until: Instant, results: &mut Results) -> bool {
        while let Some(done) = self.lanes.flush() {
            self.take(Some(done), results);
            if Instant::now() >= until {
                return true;
            }
        }
        false
    }

    fn discard(&mut self, number: u64) {
        if let Some(message) = self.messages.get_mut(&number) {
            message.pending.clear();
            message.is_discarded = true;
            if !matches!(message.state, State::InLanes) {
                self.messages.remove(&number);
            }
        }
    }
}
