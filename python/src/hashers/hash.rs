//! `Hash`: one message, with the interface of hashlib's objects.

use hashlanes::{Algorithm, AnyDigest, Hasher};
use pyo3::exceptions::{PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyString};

use crate::arguments::name;
use crate::interpreter::steps::STEP;
use crate::interpreter::turns::Turns;
use crate::messages::piece::{LARGE, Piece};

/// A message in progress, with the methods of hashlib's objects. The most frequently called ones
/// are in `methods`.
#[pyclass(frozen, module = "hashlanes", name = "Hash")]
pub(crate) struct Hash {
    algorithm: Algorithm,
    hasher: Turns<Hasher>,
}

impl Hash {
    fn with_data(py: Python<'_>, algorithm: Algorithm, data: &Given<'_, '_>) -> PyResult<Self> {
        let mut hasher = algorithm.hasher();
        if let Given::Object(data) = data {
            Piece::with(data, |piece| {
                if piece.len() < LARGE {
                    piece.add_to(&mut hasher);
                    return Ok(());
                }
                piece.add_in_steps(py, &mut hasher)
            })??;
        }
        Ok(Self { algorithm, hasher: Turns::new(hasher) })
    }

    fn copied(&self, py: Python<'_>) -> PyResult<Hasher> {
        // SAFETY: cloning a hasher neither detaches the thread nor calls Python code.
        unsafe { self.hasher.attached(py, |hasher| hasher.clone()) }
    }

    pub(crate) fn digest_so_far(&self, py: Python<'_>) -> PyResult<AnyDigest> {
        Ok(self.copied(py)?.finalize())
    }

    /// Appends the bytes of an object. If a signal handler raises, none of them are appended.
    pub(crate) fn update(&self, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = data.py();
        Piece::with(data, |piece| match piece.len() {
            ..LARGE => self.update_piece(py, &piece),
            LARGE..=STEP => self.hasher.detached(py, |hasher| piece.add_to(hasher)),
            _ => self.hasher.replace(py, |hasher| piece.add_in_steps(py, hasher)),
        })?
    }

    /// Appends a piece shorter than [`LARGE`].
    #[inline]
    pub(crate) fn update_piece(&self, py: Python<'_>, piece: &Piece<'_>) -> PyResult<()> {
        // SAFETY: appending a piece neither detaches the thread nor calls Python code.
        unsafe { self.hasher.attached(py, |hasher| piece.add_to(hasher)) }
    }
}

#[pymethods]
impl Hash {
    /// An independent copy of the message so far.
    fn copy(&self, py: Python<'_>) -> PyResult<Self> {
        Ok(Self { algorithm: self.algorithm, hasher: Turns::new(self.copied(py)?) })
    }

    /// The state of the message so far, for `restore`: here, in another process, or in another
    /// language. Raises ValueError if the message is under a key of BLAKE2 or BLAKE3.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = self.copied(py)?.save();
        Ok(PyBytes::new(py, &saved.map_err(|error| PyValueError::new_err(error.to_string()))?))
    }

    /// Copies and pickles are made from the saved state.
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.import("hashlanes")?.getattr("restore")?, (self.save(py)?,)))
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

/// An optional argument for which `None` is a value like any other.
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
    /// Whichever of the two arguments is given. `string` is hashlib's old name for `data`.
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

/// hashlib's own `new`, saved before a program can replace it with this package's.
static HASHLIB_NEW: PyOnceLock<Py<PyAny>> = PyOnceLock::new();

/// A new message, with the algorithm of this name in hashlib.
///
/// If the package does not implement the algorithm, hashlib makes the object, with the keywords
/// that its constructor takes, or raises ValueError.
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

/// A message that continues from a saved state.
///
/// Raises ValueError if the bytes are damaged, of another version, or of a message under a key for
/// HMAC.
#[pyfunction]
#[pyo3(text_signature = "(saved, /)")]
fn restore(saved: &[u8]) -> PyResult<Hash> {
    let hasher = Hasher::<Algorithm>::restore(saved);
    let hasher = hasher.map_err(|error| PyValueError::new_err(error.to_string()))?;
    Ok(Hash { algorithm: hasher.algorithm(), hasher: Turns::new(hasher) })
}

/// Hashes known messages with every algorithm, in every kernel that this CPU has, and compares the
/// digests with known ones. It takes about 10 ms.
///
/// Raises RuntimeError, with the algorithm and the kernel, if a digest is wrong.
#[pyfunction]
fn self_test(py: Python<'_>) -> PyResult<()> {
    let result = py.detach(hashlanes::kernels::self_test);
    result.map_err(|error| PyRuntimeError::new_err(error.to_string()))
}

/// Defines the constructors, which have the same names as in hashlib.
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
                // Ignored: only OpenSSL restricts algorithms for security.
                let _ = usedforsecurity;
                Hash::with_data(py, Algorithm::$algorithm, &Given::data(data, string)?)
            }
        )*

        pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
            module.add_class::<Hash>()?;
            HASHLIB_NEW.get_or_try_init(module.py(), || hashlib_new(module.py()))?;
            module.add_function(wrap_pyfunction!(new, module)?)?;
            module.add_function(wrap_pyfunction!(restore, module)?)?;
            module.add_function(wrap_pyfunction!(self_test, module)?)?;
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
    keccak256 Keccak256 "Keccak-256, with the padding from before FIPS 202"
    keccak512 Keccak512 "Keccak-512, with the padding from before FIPS 202"
    blake3 Blake3 "BLAKE3"
    sha256d Sha256d "SHA-256 twice"
}
