//! Algorithm names.

#![forbid(unsafe_code)]

use hashlanes::Algorithm;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// The names that hashlib accepts, in lower case, and those of functions that it lacks. The
/// `sha2-*` names and those with a hyphen or slash are OpenSSL's aliases.
const NAMES: [(&str, Algorithm); 20] = [
    ("md5", Algorithm::Md5),
    ("sha1", Algorithm::Sha1),
    ("sha-1", Algorithm::Sha1),
    ("sha224", Algorithm::Sha224),
    ("sha2-224", Algorithm::Sha224),
    ("sha256", Algorithm::Sha256),
    ("sha2-256", Algorithm::Sha256),
    ("sha384", Algorithm::Sha384),
    ("sha2-384", Algorithm::Sha384),
    ("sha512", Algorithm::Sha512),
    ("sha2-512", Algorithm::Sha512),
    ("sha512_256", Algorithm::Sha512_256),
    ("sha512-256", Algorithm::Sha512_256),
    ("sha512/256", Algorithm::Sha512_256),
    ("sha2-512/256", Algorithm::Sha512_256),
    ("sm3", Algorithm::Sm3),
    ("keccak256", Algorithm::Keccak256),
    ("keccak512", Algorithm::Keccak512),
    ("blake3", Algorithm::Blake3),
    ("sha256d", Algorithm::Sha256d),
];

/// The algorithm that hashlib knows by this name, or `None` if this package does not implement it.
pub(crate) fn of_hashlib(name: &str) -> Option<Algorithm> {
    let found = NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|&(_, algorithm)| algorithm)
}

/// The algorithm's name in hashlib, which is also the name of its constructor.
pub(crate) fn in_hashlib(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::Sha512_256 => "sha512_256",
        Algorithm::Sha3_224 => "sha3_224",
        Algorithm::Sha3_256 => "sha3_256",
        Algorithm::Sha3_384 => "sha3_384",
        Algorithm::Sha3_512 => "sha3_512",
        Algorithm::Shake128 => "shake_128",
        Algorithm::Shake256 => "shake_256",
        other => other.name(),
    }
}

/// How an object that hashes with an algorithm shows itself, as hashlib's do.
pub(crate) fn shown(algorithm: Algorithm, object: &Bound<'_, PyAny>) -> PyResult<String> {
    let class = object.get_type().fully_qualified_name()?;
    Ok(format!("<{} {class} object at {:?}>", in_hashlib(algorithm), object.as_ptr()))
}

/// An algorithm argument of a function that hashlib does not have.
pub(crate) struct Named(pub(crate) Algorithm);

impl<'a, 'py> FromPyObject<'a, 'py> for Named {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        let Ok(name) = object.cast::<PyString>() else {
            let class = object.get_type();
            let message =
                format!("the name of a hash function must be a str, not {}", class.name()?);
            return Err(PyTypeError::new_err(message));
        };
        let algorithm = Algorithm::from_name(name.to_str()?);
        algorithm.map(Self).map_err(|error| PyValueError::new_err(error.to_string()))
    }
}
