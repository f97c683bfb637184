//! `HashServer`: hashers in many threads that share lanes. The public Python classes in
//! `_server.py` are built on these.

#![forbid(unsafe_code)]

use std::ops::Range;
use std::sync::Arc;

use hashlanes::server::{HashServer, ServerOptions};
use hashlanes::{Algorithm, AnyDigest};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::arguments::name::{self, Named};
use crate::interpreter::process::Process;
use crate::interpreter::steps::{STEP, in_steps};
use crate::interpreter::turns::Turns;
use crate::messages::input::{Buffer, Input};

/// Bytes copied at a time from a mutable buffer: as many as a hasher defers.
const PIECE: usize = 64 * 1024;

/// A server of hashers.
#[pyclass(frozen, module = "hashlanes._hashlanes", name = "Server")]
pub(crate) struct Server {
    server: HashServer,
    process: Process,
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (name, memory = None))]
    fn new(name: Named, memory: Option<usize>) -> Self {
        let mut options = ServerOptions::new();
        if let Some(memory) = memory {
            options = options.memory(memory);
        }
        let server = HashServer::with_engine(hashlanes::Engine::of(name.0), options);
        Self { server, process: Process::this() }
    }

    #[getter]
    fn name(&self) -> &'static str {
        name::in_hashlib(self.server.algorithm())
    }

    /// Raises RuntimeError in a child process.
    fn check_process(&self) -> PyResult<()> {
        self.process.check("HashServer")
    }

    fn hasher(&self) -> PyResult<ServerHasher> {
        self.process.check("HashServer")?;
        Ok(ServerHasher::new(self.server.hasher(), self.process))
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.process.check("HashServer")?;
        let stats = py.detach(|| self.server.stats());
        let dict = PyDict::new(py);
        dict.set_item("messages", stats.messages)?;
        dict.set_item("bytes", stats.bytes)?;
        dict.set_item("bytes_shared", stats.bytes_shared)?;
        dict.set_item("rounds", stats.rounds)?;
        dict.set_item("mean_lanes", stats.mean_lanes)?;
        dict.set_item("full_lanes", stats.full_lanes)?;
        Ok(dict)
    }
}

/// A message that shares lanes with those of other threads. It has the methods of hashlib's
/// objects.
#[pyclass(frozen, module = "hashlanes")]
pub(crate) struct ServerHasher {
    algorithm: Algorithm,
    hasher: Arc<Turns<hashlanes::server::ServerHasher>>,
    process: Process,
}

impl ServerHasher {
    fn new(hasher: hashlanes::server::ServerHasher, process: Process) -> Self {
        Self { algorithm: hasher.algorithm(), hasher: Arc::new(Turns::new(hasher)), process }
    }

    fn digest_so_far(&self, py: Python<'_>) -> PyResult<AnyDigest> {
        self.process.check("HashServer")?;
        let copy = self.hasher.detached(py, |hasher| hasher.clone())?;
        Ok(py.detach(|| copy.finalize()))
    }
}

#[pymethods]
impl ServerHasher {
    /// Append the bytes of a buffer to the message. May block until they are hashed.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.process.check("HashServer")?;
        let input = Input::of_hashlib(data)?;
        let length = input.len();
        if length <= STEP {
            return self.hasher.detached(py, |hasher| add(hasher, &input, 0..length));
        }
        self.hasher.replace(py, |hasher| in_steps(py, length, |part| add(hasher, &input, part)))
    }

    /// The digest of the message so far.
    #[pyo3(signature = ())]
    fn digest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, self.digest_so_far(py)?.as_bytes()))
    }

    /// The digest of the message so far, in hexadecimal.
    #[pyo3(signature = ())]
    fn hexdigest<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        Ok(PyString::new(py, &self.digest_so_far(py)?.to_string()))
    }

    /// An independent copy of the message so far.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.process.check("HashServer")?;
        let copy = self.hasher.detached(py, |hasher| hasher.clone())?;
        Ok(Self::new(copy, self.process))
    }

    /// Abandon the message and begin an empty one.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.process.check("HashServer")?;
        self.hasher.detached(py, hashlanes::server::ServerHasher::reset)
    }

    /// The name of the algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        name::in_hashlib(self.algorithm)
    }

    /// Bytes in a digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.digest_len()
    }

    /// Bytes in a block.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.block_len()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> PyResult<String> {
        name::shown(slf.get().algorithm, slf)
    }
}

impl Drop for ServerHasher {
    fn drop(&mut self) {
        if !self.process.is_this() {
            // Leaked: dropping it would take locks that threads of the parent may have held at the
            // fork.
            std::mem::forget(Arc::clone(&self.hasher));
        }
    }
}

/// Appends part of the bytes.
fn add(hasher: &mut hashlanes::server::ServerHasher, input: &Input<'_>, part: Range<usize>) {
    match input {
        Input::Bytes(bytes) => {
            hasher.update(&bytes[part]);
        }
        Input::Buffer(buffer) => add_buffer(hasher, buffer, part),
    }
}

/// Appends bytes of a mutable buffer, copying a piece at a time.
fn add_buffer(hasher: &mut hashlanes::server::ServerHasher, buffer: &Buffer, part: Range<usize>) {
    let mut memory = vec![0; PIECE.min(part.len())];
    for at in part.clone().step_by(PIECE) {
        let piece = &mut memory[..PIECE.min(part.end - at)];
        buffer.read(at, piece);
        hasher.update(&*piece);
    }
}

/// The bytes of any buffer that hashlib accepts, which do not change.
#[pyfunction]
pub(crate) fn _unchanging<'py>(data: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = data.cast_exact::<PyBytes>() {
        return Ok(bytes.clone());
    }
    let buffer = Buffer::of_hashlib(data)?;
    PyBytes::new_with(data.py(), buffer.len(), |copy| {
        buffer.read(0, copy);
        Ok(())
    })
}
