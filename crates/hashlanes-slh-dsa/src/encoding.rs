//! Keys as PKCS#8 and SubjectPublicKeyInfo (RFC 9909).

use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{Document, SecretDocument};
use pkcs8::{AlgorithmIdentifierRef, EncodePrivateKey, EncodePublicKey, ObjectIdentifier};
use pkcs8::{PrivateKeyInfoRef, SubjectPublicKeyInfoRef, spki};

use crate::parameters::ParameterSet;
use crate::signing::SigningKey;
use crate::verifying::VerifyingKey;

/// The identifiers below 2.16.840.1.101.3.4.3 begin here, in the order of the standard's sets.
const FIRST: u32 = 20;

/// The parameter sets in the order of their identifiers.
const SETS: [ParameterSet; 12] = [
    ParameterSet::Sha2_128s,
    ParameterSet::Sha2_128f,
    ParameterSet::Sha2_192s,
    ParameterSet::Sha2_192f,
    ParameterSet::Sha2_256s,
    ParameterSet::Sha2_256f,
    ParameterSet::Shake128s,
    ParameterSet::Shake128f,
    ParameterSet::Shake192s,
    ParameterSet::Shake192f,
    ParameterSet::Shake256s,
    ParameterSet::Shake256f,
];

const SIGNATURES: ObjectIdentifier = ObjectIdentifier::new_unwrap("2.16.840.1.101.3.4.3");

fn identifier(set: ParameterSet) -> AlgorithmIdentifierRef<'static> {
    let place = SETS.iter().position(|&other| other == set).expect("all sets are there") as u32;
    let oid = SIGNATURES.push_arc(FIRST + place).expect("the identifier is short");
    AlgorithmIdentifierRef { oid, parameters: None }
}

fn set(algorithm: AlgorithmIdentifierRef<'_>) -> spki::Result<ParameterSet> {
    let unknown = spki::Error::OidUnknown { oid: algorithm.oid };
    let found = SETS.into_iter().find(|&set| identifier(set).oid == algorithm.oid);
    match algorithm.parameters {
        None => found.ok_or(unknown),
        Some(_) => Err(spki::Error::KeyMalformed),
    }
}

impl TryFrom<PrivateKeyInfoRef<'_>> for SigningKey {
    type Error = pkcs8::Error;

    fn try_from(info: PrivateKeyInfoRef<'_>) -> pkcs8::Result<Self> {
        Self::from_bytes(set(info.algorithm)?, info.private_key.as_bytes())
            .map_err(|_| pkcs8::KeyError::Invalid.into())
    }
}

impl EncodePrivateKey for SigningKey {
    fn to_pkcs8_der(&self) -> pkcs8::Result<SecretDocument> {
        let key = OctetStringRef::new(self.as_bytes())?;
        let info = PrivateKeyInfoRef::new(identifier(self.parameter_set()), key);
        Ok(SecretDocument::encode_msg(&info)?)
    }
}

impl TryFrom<SubjectPublicKeyInfoRef<'_>> for VerifyingKey {
    type Error = spki::Error;

    fn try_from(info: SubjectPublicKeyInfoRef<'_>) -> spki::Result<Self> {
        let bytes = info.subject_public_key.as_bytes().ok_or(spki::Error::KeyMalformed)?;
        Self::from_bytes(set(info.algorithm)?, bytes).map_err(|_| spki::Error::KeyMalformed)
    }
}

impl EncodePublicKey for VerifyingKey {
    fn to_public_key_der(&self) -> spki::Result<Document> {
        let info = SubjectPublicKeyInfoRef {
            algorithm: identifier(self.parameter_set()),
            subject_public_key: BitStringRef::from_bytes(self.as_bytes())?,
        };
        Ok(Document::encode_msg(&info)?)
    }
}
