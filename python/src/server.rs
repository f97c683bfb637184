//! `HashServer`: hashers of many threads that share lanes. The classes of Python that stand on
//! these are in `_server.py`.

#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlanes::{Algorithm, AnyDigest, AnyHashServer, AnyServerHasher, ServerOptions};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::input::{Buffer, Input};
use crate::name;
use crate::process::Process;

/// Bytes of a buffer that may change which are copied at a time: as much as a hasher defers.
const PIECE: usize = 64 * 1024;

/// A server of hashers.
#[pyclass(frozen, module = "hashlanes._hashlanes", name = "Server")]
pub(crate) struct Server {
    server: AnyHashServer,
    process: Process,
}

#[pymethods]
impl Server {
    #[new]
    #[pyo3(signature = (name, memory = None))]
    fn new(name: &str, memory: Option<usize>) -> PyResult<Self> {
        let mut options = ServerOptions::new();
        if let Some(memory) = memory {
            options = options.memory(memory);
        }
        let server = AnyHashServer::with_options(name::algorithm(name)?, options);
        Ok(Self { server, process: Process::this() })
    }

    #[getter]
    fn name(&self) -> &'static str {
        name::in_hashlib(self.server.algorithm())
    }

    fn hasher(&self) -> PyResult<ServerHasher> {
        self.process.check("HashServer")?;
        Ok(ServerHasher::new(self.server.hasher(), self.process))
    }

    fn stats<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
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

/// A message whose lanes are shared with those of other threads. Its methods are those of
/// hashlib's objects.
#[pyclass(frozen, module = "hashlanes")]
pub(crate) struct ServerHasher {
    algorithm: Algorithm,
    hasher: Mutex<AnyServerHasher>,
    process: Process,
}

impl ServerHasher {
    fn new(hasher: AnyServerHasher, process: Process) -> Self {
        Self { algorithm: hasher.algorithm(), hasher: Mutex::new(hasher), process }
    }

    /// The hasher. Called detached from the interpreter: another thread may keep it for long.
    fn lock(&self) -> MutexGuard<'_, AnyServerHasher> {
        self.hasher.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn digest_so_far(&self, py: Python<'_>) -> PyResult<AnyDigest> {
        self.process.check("HashServer")?;
        Ok(py.detach(|| {
            let copy = self.lock().clone();
            copy.finalize()
        }))
    }
}

#[pymethods]
impl ServerHasher {
    /// Append the bytes of a buffer to the message. May wait until they are hashed.
    #[pyo3(signature = (data, /))]
    fn update(&self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        self.process.check("HashServer")?;
        let input = Input::of_hashlib(data)?;
        py.detach(|| match &input {
            Input::Bytes(bytes) => {
                self.lock().update(bytes);
            }
            Input::Buffer(buffer) => add_buffer(&mut self.lock(), buffer),
        });
        Ok(())
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

    /// A copy, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        self.process.check("HashServer")?;
        Ok(Self::new(py.detach(|| self.lock().clone()), self.process))
    }

    /// Abandon the message and begin a new, empty one.
    fn reset(&self, py: Python<'_>) -> PyResult<()> {
        self.process.check("HashServer")?;
        py.detach(|| self.lock().reset());
        Ok(())
    }

    /// The name of the algorithm.
    #[getter]
    fn name(&self) -> &'static str {
        name::in_hashlib(self.algorithm)
    }

    /// Bytes of a digest.
    #[getter]
    fn digest_size(&self) -> usize {
        self.algorithm.digest_len()
    }

    /// Bytes of a block.
    #[getter]
    fn block_size(&self) -> usize {
        self.algorithm.block_len()
    }

    fn __repr__(slf: &Bound<'_, Self>) -> String {
        let name = name::in_hashlib(slf.get().algorithm);
        format!("<{name} hashlanes.ServerHasher object at {:?}>", slf.as_ptr())
    }
}

/// Appends bytes that may change meanwhile: copied a piece at a time.
fn add_buffer(hasher: &mut AnyServerHasher, buffer: &Buffer) {
    let mut memory = vec![0; PIECE.min(buffer.len())];
    for at in (0..buffer.len()).step_by(PIECE) {
        let piece = &mut memory[..PIECE.min(buffer.len() - at)];
        buffer.read(at, piece);
        hasher.update(&*piece);
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Server>()?;
    module.add_class::<ServerHasher>()
}
