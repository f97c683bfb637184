//! `Lanes`: messages that come in pieces, each at its own pace, from one place. The class of Python
//! that stands on this one gives messages names; here they have numbers.

use std::collections::{HashMap, VecDeque};
use std::slice;
use std::sync::{Mutex, PoisonError};

use hashlanes::{Algorithm, AnyDigest, Done, HashFunction, Job, with_function};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::input::{Buffer, bytes};
use crate::name;

/// Messages in progress, by number.
#[pyclass(frozen, module = "hashlanes._hashlanes", name = "Lanes")]
pub(crate) struct PyLanes {
    algorithm: Algorithm,
    inner: Mutex<Box<dyn AnyLanes>>,
}

#[pymethods]
impl PyLanes {
    #[new]
    fn new(name: &str) -> PyResult<Self> {
        let algorithm = name::algorithm(name)?;
        let inner: Box<dyn AnyLanes> =
            with_function!(algorithm, A => Box::new(TypedLanes::<A>::new()));
        Ok(Self { algorithm, inner: Mutex::new(inner) })
    }

    /// The name of the algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        name::in_hashlib(self.algorithm)
    }

    /// Appends a piece to message `number`. Returns the messages that are complete by now, with
    /// their digests.
    fn submit<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        number: u64,
        last: bool,
    ) -> PyResult<Vec<(u64, Bound<'py, PyBytes>)>> {
        let piece = Piece::new(data)?;
        Ok(self.run(data.py(), |lanes, results| lanes.submit(number, piece, last, results)))
    }

    /// Hashes all that was submitted. Returns the messages that are complete now.
    fn flush<'py>(&self, py: Python<'py>) -> Vec<(u64, Bound<'py, PyBytes>)> {
        self.run(py, |lanes, results| lanes.flush(results))
    }

    /// Abandons a message.
    fn discard(&self, py: Python<'_>, number: u64) {
        self.run(py, |lanes, _| lanes.discard(number));
    }
}

impl PyLanes {
    fn run<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut dyn AnyLanes, &mut Results) + Send,
    ) -> Vec<(u64, Bound<'py, PyBytes>)> {
        let results = py.detach(|| {
            let mut results = Results::default();
            let mut lanes = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            work(&mut **lanes, &mut results);
            results
        });
        let digest =
            |(number, digest): &(u64, AnyDigest)| (*number, PyBytes::new(py, digest.as_bytes()));
        results.digests.iter().map(digest).collect()
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
    fn new(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Some(bytes) = bytes(object) {
            let (data, length) = (bytes.as_ptr(), bytes.len());
            return Ok(Self::Held { data, length, _object: object.clone().unbind() });
        }
        let buffer = Buffer::of_hashlib(object)?;
        let mut copy = Vec::new();
        let no_memory = |_| PyMemoryError::new_err(format!("a piece of {} bytes", buffer.len()));
        copy.try_reserve_exact(buffer.len()).map_err(no_memory)?;
        copy.resize(buffer.len(), 0);
        buffer.read(0, &mut copy);
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
    /// Dropped when the thread is attached again.
    pieces: Vec<Piece>,
}

/// Lanes of any algorithm.
trait AnyLanes: Send {
    fn submit(&mut self, number: u64, piece: Piece, last: bool, results: &mut Results);
    fn flush(&mut self, results: &mut Results);
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
    fn submit(&mut self, number: u64, piece: Piece, last: bool, results: &mut Results) {
        let new = || Message { state: State::Begun, pending: VecDeque::new(), is_discarded: false };
        self.messages.entry(number).or_insert_with(new).pending.push_back((piece, last));
        let done = self.advance(number);
        self.take(done, results);
    }

    fn flush(&mut self, results: &mut Results) {
        while let Some(done) = self.lanes.flush() {
            self.take(Some(done), results);
        }
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
