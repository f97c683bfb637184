//! One message, with the interface of hashlib's objects.

#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlanes::{Algorithm, AnyDigest, AnyHasher};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::{MutexExt, PyOnceLock};
use pyo3::types::{PyDict, PyString};

use crate::input::{Buffer, Input};
use crate::{methods, name};

/// Bytes from which on the interpreter runs other threads meanwhile: as in CPython.
pub(crate) const LARGE: usize = 2048;

/// Bytes of a buffer that may change which are copied and hashed at a time. They stay in the
/// processor's first cache.
const PIECE: usize = 16 * 1024;

/// A message in progress, with the methods of hashlib's objects; some of them are in `methods`.
#[pyclass(frozen, module = "hashlanes", name = "Hash")]
pub(crate) struct Hash {
    algorithm: Algorithm,
    /// No Python code runs while it is locked: that could use this object.
    hasher: Mutex<AnyHasher>,
}

impl Hash {
    fn with_data(py: Python<'_>, algorithm: Algorithm, data: &Given<'_, '_>) -> PyResult<Self> {
        let mut hasher = algorithm.hasher();
        if let Given::Object(data) = data {
            let input = Input::of_hashlib(data)?;
            if input.len() < LARGE {
                add(&mut hasher, &input);
            } else {
                py.detach(|| add(&mut hasher, &input));
            }
        }
        Ok(Self { algorithm, hasher: Mutex::new(hasher) })
    }

    /// The hasher. If another thread is using it, others run until it is free.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, AnyHasher> {
        match self.hasher.try_lock() {
            Ok(hasher) => hasher,
            Err(_) => self.hasher.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner),
        }
    }

    pub(crate) fn digest_so_far(&self, py: Python<'_>) -> AnyDigest {
        let hasher = self.lock(py).clone();
        hasher.finalize()
    }

    /// Appends the bytes of an object.
    pub(crate) fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let input = Input::of_hashlib(data)?;
        if input.len() < LARGE {
            add(&mut self.lock(data.py()), &input);
        } else {
            data.py().detach(|| {
                add(&mut self.hasher.lock().unwrap_or_else(PoisonError::into_inner), &input);
            });
        }
        Ok(())
    }

    /// Appends bytes, unless another thread is using the message. Says whether it did.
    pub(crate) fn update_now(&self, bytes: &[u8]) -> bool {
        let Ok(mut hasher) = self.hasher.try_lock() else { return false };
        hasher.update(bytes);
        true
    }
}

#[pymethods]
impl Hash {
    /// A copy, which goes on by itself.
    fn copy(&self, py: Python<'_>) -> Self {
        let hasher = self.lock(py).clone();
        Self { algorithm: self.algorithm, hasher: Mutex::new(hasher) }
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
        format!("<{name} hashlanes.Hash object at {:?}>", slf.as_ptr())
    }
}

/// Appends the bytes of an argument to a message.
fn add(hasher: &mut AnyHasher, input: &Input<'_>) {
    match input {
        Input::Bytes(bytes) => {
            hasher.update(bytes);
        }
        Input::Buffer(buffer) => add_buffer(hasher, buffer),
    }
}

/// Appends bytes that may change meanwhile: copied a piece at a time.
fn add_buffer(hasher: &mut AnyHasher, buffer: &Buffer) {
    let mut piece = [0; PIECE];
    let mut at = 0;
    while at < buffer.len() {
        let piece = &mut piece[..PIECE.min(buffer.len() - at)];
        buffer.read(at, piece);
        hasher.update(&*piece);
        at += piece.len();
    }
}

/// An argument that may be left out. `None` is an object like any other.
enum Given<'a, 'py> {
    Nothing,
    Object(Borrowed<'a, 'py, PyAny>),
}

impl<'a, 'py> FromPyObject<'a, 'py> for Given<'a, 'py> {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Self::Object(object))
    }
}

impl Given<'_, '_> {
    /// The one of two arguments that is given: `string` is what hashlib called `data` at first.
    fn data<'a, 'py>(
        data: Given<'a, 'py>,
        string: Option<Given<'a, 'py>>,
    ) -> PyResult<Given<'a, 'py>> {
        match (data, string) {
            (data, None) => Ok(data),
            (Given::Nothing, Some(string)) => Ok(string),
            _ => Err(PyTypeError::new_err(
                "'data' and 'string' are mutually exclusive and support for 'string' keyword \
                 parameter is slated for removal in a future version.",
            )),
        }
    }
}

/// hashlib's own `new`, from before a program could put this package into its place.
static HASHLIB_NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A new message, of an algorithm by its name in hashlib.
///
/// Names of algorithms that are not here are hashlib's: it makes the object, with the keywords that
/// its constructor takes, or raises ValueError.
#[pyfunction]
#[pyo3(
    signature = (
        name, data = Given::Nothing, *, usedforsecurity = None, string = None, **options
    ),
    text_signature = "(name, data=b'', *, usedforsecurity=True, string=None, **options)"
)]
fn new<'py>(
    py: Python<'py>,
    name: &Bound<'py, PyAny>,
    data: Given<'_, 'py>,
    usedforsecurity: Option<&Bound<'py, PyAny>>,
    string: Option<Given<'_, 'py>>,
    options: Option<&Bound<'py, PyDict>>,
) -> PyResult<Bound<'py, PyAny>> {
    let data = Given::data(data, string)?;
    let known = name.cast::<PyString>().ok().and_then(|name| name::of_hashlib(name.to_str().ok()?));
    if let Some(algorithm) = known {
        if let Some((option, _)) = options.and_then(|options| options.iter().next()) {
            let message = format!("new() got an unexpected keyword argument '{option}'");
            return Err(PyTypeError::new_err(message));
        }
        return Ok(Bound::new(py, Hash::with_data(py, algorithm, &data)?)?.into_any());
    }
    let keywords = options.map_or_else(|| Ok(PyDict::new(py)), |options| options.copy())?;
    if let Some(usedforsecurity) = usedforsecurity {
        keywords.set_item("usedforsecurity", usedforsecurity)?;
    }
    let new = HASHLIB_NEW.get_or_try_init(py, || hashlib_new(py))?.bind(py);
    match data {
        Given::Nothing => new.call((name,), Some(&keywords)),
        Given::Object(data) => new.call((name, &*data), Some(&keywords)),
    }
}

fn hashlib_new(py: Python<'_>) -> PyResult<Py<PyAny>> {
    Ok(py.import("hashlib")?.getattr("new")?.unbind())
}

/// The constructors, with the names that hashlib gives them.
macro_rules! constructors {
    ($($name:ident $algorithm:ident $text:literal)*) => {
        $(
            #[doc = concat!("A new message for ", $text, ".")]
            #[pyfunction]
            #[pyo3(
                signature = (data = Given::Nothing, *, usedforsecurity = None, string = None),
                text_signature = "(data=b'', *, usedforsecurity=True, string=None)"
            )]
            fn $name(
                py: Python<'_>,
                data: Given<'_, '_>,
                usedforsecurity: Option<&Bound<'_, PyAny>>,
                string: Option<Given<'_, '_>>,
            ) -> PyResult<Hash> {
                // What is forbidden for security is OpenSSL's concern: nothing is forbidden here.
                let _ = usedforsecurity;
                Hash::with_data(py, Algorithm::$algorithm, &Given::data(data, string)?)
            }
        )*

        pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            module.add_class::<Hash>()?;
            methods::add_to(&module.getattr("Hash")?)?;
            HASHLIB_NEW.get_or_try_init(module.py(), || hashlib_new(module.py()))?;
            module.add_function(wrap_pyfunction!(new, module)?)?;
            $(module.add_function(wrap_pyfunction!($name, module)?)?;)*
            Ok(())
        }
    };
}

constructors! {
    md5 Md5 "MD5"
    sha1 Sha1 "SHA-1"
    sha224 Sha224 "SHA-224"
    sha256 Sha256 "SHA-256"
    sha384 Sha384 "SHA-384"
    sha512 Sha512 "SHA-512"
    sha512_256 Sha512_256 "SHA-512/256"
    sm3 Sm3 "SM3"
}
