//! A signature as bytes.

use alloc::vec::Vec;

use crate::parameters::ParameterSet;

/// A signature: the bytes that FIPS 205 defines (figure 17).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Signature(pub(crate) Vec<u8>);

impl AsRef<[u8]> for Signature {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TryFrom<&[u8]> for Signature {
    type Error = signature::Error;

    /// A signature of any parameter set.
    ///
    /// # Errors
    /// If no set has signatures of this length.
    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        let known = ParameterSet::ALL.iter().any(|set| set.signature_len() == bytes.len());
        known.then(|| Self(bytes.to_vec())).ok_or_else(signature::Error::new)
    }
}

impl From<Signature> for Vec<u8> {
    fn from(signature: Signature) -> Self {
        signature.0
    }
}

impl signature::SignatureEncoding for Signature {
    type Repr = Vec<u8>;
}
