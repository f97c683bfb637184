//! Keys as PKCS#8 and SubjectPublicKeyInfo (RFC 9909).

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;

use pkcs8::der::asn1::{BitStringRef, OctetStringRef};
use pkcs8::der::{Document, SecretDocument};
use pkcs8::{AlgorithmIdentifierRef, DecodePrivateKey, DecodePublicKey, EncodePrivateKey};
use pkcs8::{EncodePublicKey, ObjectIdentifier, PrivateKeyInfoRef, SubjectPublicKeyInfoRef, spki};
use zeroize::Zeroizing;

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
        let key = Self::from_bytes(set(info.algorithm)?, info.private_key.as_bytes())
            .map_err(|_| pkcs8::KeyError::Invalid)?;
        // The document may have the public key once more (RFC 5958).
        match info.public_key {
            Some(public) if public.as_bytes() != Some(key.verifying_key().as_bytes()) => {
                Err(pkcs8::KeyError::Invalid.into())
            }
            _ => Ok(key),
        }
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

impl SigningKey {
    /// Reads the first private key in PEM (PKCS#8) in a text. Unlike `from_pkcs8_pem`, this ignores
    /// what is around that block, and how its lines are broken and indented.
    ///
    /// # Errors
    /// If there is no such block, or it is not a key of SLH-DSA.
    pub fn from_pem(text: &str) -> pkcs8::Result<Self> {
        Self::from_pkcs8_pem(&block(text, "PRIVATE KEY"))
    }
}

impl VerifyingKey {
    /// Reads the first public key in PEM (SubjectPublicKeyInfo) in a text. Unlike
    /// `from_public_key_pem`, this ignores what is around that block, and how its lines are broken
    /// and indented.
    ///
    /// # Errors
    /// If there is no such block, or it is not a key of SLH-DSA.
    pub fn from_pem(text: &str) -> spki::Result<Self> {
        Self::from_public_key_pem(&block(text, "PUBLIC KEY"))
    }
}

/// The first block of PEM with this label, in the strict form of RFC 7468. The text itself, if it
/// has none.
fn block(text: &str, label: &str) -> Zeroizing<String> {
    let [begin, end] = ["BEGIN", "END"].map(|edge| format!("-----{edge} {label}-----"));
    let found = text.split_once(&*begin).and_then(|(_, rest)| rest.split_once(&*end));
    let Some((body, _)) = found else { return Zeroizing::new(text.to_owned()) };
    // Room for a line break after each character: to grow would leave a copy of a key behind.
    let room = begin.len() + 2 * body.len() + 1 + end.len();
    let mut block = Zeroizing::new(String::with_capacity(room));
    block.push_str(&begin);
    for (i, character) in body.chars().filter(|c| !c.is_ascii_whitespace()).enumerate() {
        if i % 64 == 0 {
            block.push('\n');
        }
        block.push(character);
    }
    block.push('\n');
    block.push_str(&end);
    block
}
