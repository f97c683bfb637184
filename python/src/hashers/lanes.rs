//! `Lanes`: messages that come in pieces, each at its own pace, from one place. The class of Python
//! that stands on this one gives messages names; here they have numbers.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::slice;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use hashlanes::{Algorithm, AnyDigest, Done, HashFunction, Job, with_function};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

use crate::arguments::name::{self, Named};
use crate::interpreter::steps::STEP;
use crate::messages::input::{Buffer, Input};

/// How long to hash before signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Messages in progress, by number.
#[pyclass(frozen, module = "hashlanes._hashlanes", name = "Lanes")]
pub(crate) struct PyLanes {
    algorithm: Algorithm,
    inner: Mutex<Inner>,
}

struct Inner {
    lanes: Box<dyn AnyLanes>,
    /// Messages that are complete, until they are taken.
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

    /// Hashes all that was submitted. Handlers of signals run meanwhile. If one raises, the rest
    /// waits for another call.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        while self.run(py, |lanes, results| lanes.flush(Instant::now() + PATIENCE, results)) {
            py.check_signals()?;
        }
        Ok(())
    }

    /// Takes the messages that are complete, as pairs of key and digest, and their keys out of
    /// `keys`, which has them by number.
    ///
    /// Handlers of signals run before, so that what they raise does not lose digests.
    fn take<'py>(&self, keys: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyList>> {
        let py = keys.py();
        py.check_signals()?;
        let pairs = PyList::empty(py);
        let completed = std::mem::take(&mut self.lock().completed);
        for (number, digest) in completed {
            // The piece of a call that raised may have gone into the lanes.
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
        // Attached again, and when it is unlocked: this may run Python code.
        drop(pieces);
        result
    }
}

/// A piece of a message.
enum Piece {
    /// Bytes of an object, which never change.
    Held { data: *const u8, length: usize, _object: Py<PyAny> },
    /// Of a buffer that may change.
    Copied(Vec<u8>),
}

// SAFETY: any thread may read bytes that never change, and give back the reference to their object.
unsafe impl Send for Piece {}

impl Piece {
    /// The bytes of an object: one piece, or several that are hashed in steps.
    fn several(object: &Bound<'_, PyAny>) -> PyResult<Vec<Self>> {
        let input = Input::of_hashlib(object)?;
        let begins = (0..input.len().max(1)).step_by(STEP);
        let parts = begins.map(|begin| begin..input.len().min(begin.saturating_add(STEP)));
        match &input {
            Input::Bytes(bytes) => Ok(parts.map(|part| Self::held(object, &bytes[part])).collect()),
            Input::Buffer(buffer) => parts.map(|part| Self::copied(buffer, part)).collect(),
        }
    }

    /// Some of the bytes of a `bytes` object.
    fn held(object: &Bound<'_, PyAny>, bytes: &[u8]) -> Self {
        let (data, length) = (bytes.as_ptr(), bytes.len());
        Self::Held { data, length, _object: object.clone().unbind() }
    }

    fn copied(buffer: &Buffer, part: Range<usize>) -> PyResult<Self> {
        let mut copy = Vec::new();
        let no_memory = |_| PyMemoryError::new_err(format!("a piece of {} bytes", buffer.len()));
        copy.try_reserve_exact(part.len()).map_err(no_memory)?;
        copy.resize(part.len(), 0);
        buffer.read(part.start, &mut copy);
        Ok(Self::Copied(copy))
    }
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        match self {
            // SAFETY: the piece holds the object, whose bytes never change.
            Self::Held { data, length, .. } => unsafe { slice::from_raw_parts(*data, *length) },
            Self::Copied(copy) => copy,
        }
    }
}

/// What comes out of a call.
#[derive(Default)]
struct Results {
    digests: Vec<(u64, AnyDigest)>,
    pieces: Vec<Piece>,
}

/// Lanes of any algorithm.
trait AnyLanes: Send {
    /// `last` is said of the last of the pieces.
    fn submit(&mut self, number: u64, pieces: Vec<Piece>, last: bool, results: &mut Results);
    /// Returns whether there is more to hash when time is up.
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
    /// Pieces that came while an earlier one was in the lanes, and whether it is the last.
    pending: VecDeque<(Piece, bool)>,
    is_discarded: bool,
}

enum State<A: HashFunction> {
    Begun,
    InLanes,
    Home(Job<A, u64>),
}

impl<A: HashFunction> TypedLanes<A> {
    fn new() -> Self {
        Self { lanes: hashlanes::Lanes::new(), messages: HashMap::new() }
    }

    /// Brings the next piece of a message into the lanes, if the message is not there.
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

    /// Takes what the lanes hand out, and what that leads to.
    fn take(&mut self, mut done: Option<Done<A, Piece, u64>>, results: &mut Results) {
        while let Some(out) = done {
            let number = *out.tag();
            done = match out {
                Done::Message { digest, buffer, .. } => {
                    results.pieces.push(buffer);
                    if self.messages.remove(&number).is_some_and(|message| !message.is_discarded) {
                        // Every digest of this library has a length that is known.
                        let digest = AnyDigest::try_from(digest.as_ref());
                        results.digests.extend(digest.ok().map(|digest| (number, digest)));
                    }
                    None
                }
                Done::Piece { job, buffer, .. } => {
                    results.pieces.push(buffer);
                    self.go_on(number, job)
                }
            };
        }
    }

    fn go_on(&mut self, number: u64, job: Job<A, u64>) -> Option<Done<A, Piece, u64>> {
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
        let new = || Message { state: State::Begun, pending: VecDeque::new(), is_discarded: false };
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

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyLanes>()
}
