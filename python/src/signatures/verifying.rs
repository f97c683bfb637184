//! Public keys.

use hashlanes_slh_dsa::pkcs8::{EncodePublicKey, LineEnding};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};

use super::domain::{Context, domain, exception, set};
use crate::arguments::name::Named;
use crate::messages::rows::{Reader, Rows, all_bytes, buffer, content};

/// Signatures that are verified side by side, between checks for signals.
const AT_ONCE: usize = 64;

/// A public key.
#[pyclass(frozen, eq, hash, module = "hashlanes.slh_dsa")]
#[derive(PartialEq, Eq, Hash)]
pub(crate) struct VerifyingKey(pub(super) hashlanes_slh_dsa::VerifyingKey);

#[pymethods]
impl VerifyingKey {
    /// The key with these bytes: PK.seed and PK.root.
    #[staticmethod]
    fn from_bytes(parameter_set: &str, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = buffer(data)?;
        let key = hashlanes_slh_dsa::VerifyingKey::from_bytes(set(parameter_set)?, &data);
        key.map(Self).map_err(exception)
    }

    /// The key in a SubjectPublicKeyInfo in PEM, as OpenSSL writes it.
    #[staticmethod]
    fn from_pem(text: &str) -> PyResult<Self> {
        hashlanes_slh_dsa::VerifyingKey::from_pem(text).map(Self).map_err(|error| {
            PyValueError::new_err(format!("not a public key of SLH-DSA in PEM: {error}"))
        })
    }

    /// The bytes of the key.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    /// The key as a SubjectPublicKeyInfo in PEM.
    fn to_pem(&self) -> PyResult<String> {
        let pem = self.0.to_public_key_pem(LineEnding::LF);
        pem.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The name of the parameter set.
    #[getter]
    fn parameter_set(&self) -> &'static str {
        self.0.parameter_set().name()
    }

    /// Whether a signature of a message is valid. `context` and `pre_hash` must be the signer's.
    #[pyo3(
        signature = (message, signature, *, context = Context::default(), pre_hash = None),
        text_signature = "($self, message, signature, *, context=b'', pre_hash=None)"
    )]
    fn is_valid(
        &self,
        message: &Bound<'_, PyAny>,
        signature: &Bound<'_, PyAny>,
        context: Context,
        pre_hash: Option<Named>,
    ) -> PyResult<bool> {
        let py = message.py();
        let one = |object| PyList::new(py, [object]);
        let (message, signature) = (one(message)?, one(signature)?);
        let valid = self.verify_many(message.as_any(), signature.as_any(), context, pre_hash)?;
        Ok(valid == [true])
    }

    /// Whether each signature is valid for the message at the same position. Several are verified
    /// side by side. See `is_valid`.
    #[pyo3(
        signature = (messages, signatures, *, context = Context::default(), pre_hash = None),
        text_signature = "($self, messages, signatures, *, context=b'', pre_hash=None)"
    )]
    fn verify_many(
        &self,
        messages: &Bound<'_, PyAny>,
        signatures: &Bound<'_, PyAny>,
        context: Context,
        pre_hash: Option<Named>,
    ) -> PyResult<Vec<bool>> {
        let py = messages.py();
        let domain = domain(&context, pre_hash)?;
        let unequal = "there must be as many signatures as messages";
        let columns = [(messages, content as Reader), (signatures, buffer)];
        let mut rows = Rows::new(columns, AT_ONCE, unequal)?;
        let mut valid = Vec::new();
        loop {
            let [messages, signatures] = rows.next()?;
            if messages.is_empty() {
                return Ok(valid);
            }
            let (messages, signatures) = (all_bytes(&messages), all_bytes(&signatures));
            valid.extend(py.detach(|| self.0.verify_many(&messages, &signatures, domain)));
            py.check_signals()?;
        }
    }

    fn __repr__(&self) -> String {
        format!("<hashlanes.slh_dsa.VerifyingKey of {}>", self.parameter_set())
    }
}
