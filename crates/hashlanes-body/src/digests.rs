//! The results of a body, for those who wait for them.

use std::sync::{Arc, OnceLock};

use data_encoding::{BASE64, HEXLOWER};

use crate::Checksum;
use crate::hasher::Values;

/// The digests of one body. They are there as soon as the body has ended without an error.
///
/// [`DigestLayer`](crate::DigestLayer) puts this into the extensions of the request. All clones
/// show the same digests.
#[derive(Clone, Debug, Default)]
pub struct Digests(Arc<OnceLock<Values>>);

impl Digests {
    /// The digest. `None` if the body has not ended, ended in an error or was dropped, or if this
    /// was not computed.
    pub fn get(&self, checksum: impl Into<Checksum>) -> Option<&[u8]> {
        let checksum = checksum.into();
        let all = self.0.get()?;
        all.iter().find(|(other, _)| *other == checksum).map(|(_, value)| &value[..])
    }

    /// [`get`](Digests::get) in lower-case hexadecimal, as in ETags.
    pub fn hex(&self, checksum: impl Into<Checksum>) -> Option<String> {
        Some(HEXLOWER.encode(self.get(checksum)?))
    }

    /// [`get`](Digests::get) in base64, as in `x-amz-checksum-sha256`.
    pub fn base64(&self, checksum: impl Into<Checksum>) -> Option<String> {
        Some(BASE64.encode(self.get(checksum)?))
    }

    /// All that were computed, in no particular order; nothing before the end of the body.
    pub fn iter(&self) -> impl Iterator<Item = (Checksum, &[u8])> {
        let all = self.0.get().map_or(&[][..], Vec::as_slice);
        all.iter().map(|(checksum, value)| (*checksum, &value[..]))
    }

    /// The body has ended.
    pub(crate) fn set(&self, values: Values) {
        self.0.set(values).expect("a body ends once");
    }
}
