//! Private keys.

use hashlanes_entropy::{Grade, Provider};
use hashlanes_slh_dsa::pkcs8::{EncodePrivateKey, LineEnding};
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use zeroize::Zeroizing;

use super::domain::{Context, check, domain, exception, set};
use super::verifying::VerifyingKey;
use crate::arguments::name::Named;
use crate::interpreter::steps::while_unsignalled;
use crate::messages::rows::{Rows, all_bytes, buffer, content};

/// Messages that are signed side by side.
const AT_ONCE: usize = 16;

/// A private key. Its bytes are wiped when the object is freed.
#[pyclass(frozen, module = "hashlanes.slh_dsa")]
pub(crate) struct SigningKey(hashlanes_slh_dsa::SigningKey);

#[pymethods]
impl SigningKey {
    /// A new key of a parameter set, such as "SLH-DSA-SHA2-128s".
    #[staticmethod]
    fn generate(py: Python<'_>, parameter_set: &str) -> PyResult<Self> {
        let set = set(parameter_set)?;
        let mut seeds = Zeroizing::new(vec![0; set.private_key_len() / 4 * 3]);
        random(Grade::Key, &mut seeds)?;
        let key = py.detach(|| hashlanes_slh_dsa::SigningKey::from_seeds(set, &seeds));
        key.map(Self).map_err(exception)
    }

    /// The key with these bytes: SK.seed, SK.prf, PK.seed and PK.root.
    #[staticmethod]
    fn from_bytes(parameter_set: &str, data: &Bound<'_, PyAny>) -> PyResult<Self> {
        let data = Zeroizing::new(buffer(data)?.into_owned());
        let key = hashlanes_slh_dsa::SigningKey::from_bytes(set(parameter_set)?, &data);
        key.map(Self).map_err(exception)
    }

    /// The key in a PKCS#8 document in PEM, as OpenSSL writes it.
    #[staticmethod]
    fn from_pem(text: &str) -> PyResult<Self> {
        hashlanes_slh_dsa::SigningKey::from_pem(text).map(Self).map_err(|error| {
            PyValueError::new_err(format!("not a private key of SLH-DSA in PKCS#8: {error}"))
        })
    }

    /// The bytes of the key. Nothing wipes this copy.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.0.as_bytes())
    }

    /// The key as a PKCS#8 document in PEM. Nothing wipes this copy.
    fn to_pem(&self) -> PyResult<String> {
        let pem = self.0.to_pkcs8_pem(LineEnding::LF);
        pem.map(|text| text.to_string()).map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// The name of the parameter set.
    #[getter]
    fn parameter_set(&self) -> &'static str {
        self.0.parameter_set().name()
    }

    /// The public key.
    #[getter]
    fn verifying_key(&self) -> VerifyingKey {
        VerifyingKey(self.0.verifying_key())
    }

    /// The signature of a message.
    ///
    /// `context` has at most 255 bytes, and the verifier must pass the same. If `pre_hash` names a
    /// hash function, the digest is signed instead of the message. A deterministic signature needs
    /// no random bytes, but is easier to attack through faults and side channels.
    ///
    /// `check` selects how faults in the computation are detected: "root" detects damaged keys and
    /// faults in the highest tree, and costs nothing; "verify" also verifies each signature;
    /// "twice" computes each signature twice, in twice the time, and detects all faults that do not
    /// repeat. If a check fails, this raises a RuntimeError.
    #[pyo3(
        signature = (
            message, *, context = Context::default(), pre_hash = None, deterministic = false,
            check = "root"
        ),
        text_signature = "($self, message, *, context=b'', pre_hash=None, deterministic=False, \
                          check='root')"
    )]
    fn sign<'py>(
        &self,
        message: &Bound<'py, PyAny>,
        context: Context,
        pre_hash: Option<Named>,
        deterministic: bool,
        check: &str,
    ) -> PyResult<Bound<'py, PyAny>> {
        let one = PyList::new(message.py(), [message])?;
        self.sign_many(one.as_any(), context, pre_hash, deterministic, check)?.get_item(0)
    }

    /// The signatures of messages, in order. Several are made side by side. See `sign`.
    #[pyo3(
        signature = (
            messages, *, context = Context::default(), pre_hash = None, deterministic = false,
            check = "root"
        ),
        text_signature = "($self, messages, *, context=b'', pre_hash=None, deterministic=False, \
                          check='root')"
    )]
    fn sign_many<'py>(
        &self,
        messages: &Bound<'py, PyAny>,
        context: Context,
        pre_hash: Option<Named>,
        deterministic: bool,
        check: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let py = messages.py();
        let domain = domain(&context, pre_hash)?;
        let key = self.0.clone().with_check(self::check(check)?);
        let mut rows = Rows::new([(messages, content)], AT_ONCE, "")?;
        let signatures = PyList::empty(py);
        loop {
            let [messages] = rows.next()?;
            if messages.is_empty() {
                return Ok(signatures);
            }
            let messages = all_bytes(&messages);
            let n = self.0.as_bytes().len() / 4;
            let mut bytes = Zeroizing::new(vec![0; n * messages.len()]);
            if deterministic {
                // PK.seed (FIPS 205 algorithm 22).
                let seed = &self.0.as_bytes()[2 * n..3 * n];
                bytes.chunks_exact_mut(n).for_each(|to| to.copy_from_slice(seed));
            } else {
                random(Grade::Nonce, &mut bytes)?;
            }
            let sign =
                |go_on: &mut dyn FnMut() -> bool| key.sign_while(&messages, domain, &bytes, go_on);
            for signature in while_unsignalled(py, sign)?.map_err(exception)? {
                signatures.append(PyBytes::new(py, signature.as_ref()))?;
            }
            py.check_signals()?;
        }
    }

    fn __repr__(&self) -> String {
        format!("<hashlanes.slh_dsa.SigningKey of {}>", self.parameter_set())
    }
}

fn random(grade: Grade, bytes: &mut [u8]) -> PyResult<()> {
    let filled = Provider::of_grade(grade).fill(bytes);
    filled.map(drop).map_err(|error| PyOSError::new_err(error.to_string()))
}
