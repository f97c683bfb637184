//! The results of a body, for code that waits for them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use data_encoding::{BASE64, HEXLOWER};

use crate::Checksum;
use crate::hasher::{Value, Values};

/// The digests of one body. They are available as soon as the body has ended without an error.
///
/// [`DigestLayer`](crate::DigestLayer) puts this into the extensions of the request. All clones
/// show the same digests.
#[derive(Clone, Debug, Default)]
pub struct Digests(Arc<Computed>);

#[derive(Debug, Default)]
struct Computed {
    values: OnceLock<Values>,
    /// Whether the body was accepted, so that the values may be shown.
    is_good: AtomicBool,
}

impl Digests {
    /// The digest. `None` if the body has not ended, ended in an error, was refused or dropped, or
    /// if this was not computed.
    pub fn get(&self, checksum: impl Into<Checksum>) -> Option<&[u8]> {
        let checksum = checksum.into();
        self.iter().find(|(other, _)| *other == checksum).map(|(_, value)| value)
    }

    /// [`get`](Digests::get) in lower-case hexadecimal, as in ETags.
    pub fn hex(&self, checksum: impl Into<Checksum>) -> Option<String> {
        Some(HEXLOWER.encode(self.get(checksum)?))
    }

    /// [`get`](Digests::get) in base64, as in `x-amz-checksum-sha256`.
    pub fn base64(&self, checksum: impl Into<Checksum>) -> Option<String> {
        Some(BASE64.encode(self.get(checksum)?))
    }

    /// All digests that were computed, in no particular order. Empty before the end of the body.
    pub fn iter(&self) -> impl Iterator<Item = (Checksum, &[u8])> {
        let all = self.computed().filter(|_| self.are_shown()).unwrap_or_default();
        all.iter().map(|(checksum, value)| (*checksum, &value[..]))
    }

    /// All that were computed, of a body that may still be refused.
    pub(crate) fn computed(&self) -> Option<&[Value]> {
        self.0.values.get().map(Vec::as_slice)
    }

    /// All data have been digested.
    pub(crate) fn set(&self, values: Values) {
        self.0.values.set(values).expect("a body ends once");
    }

    /// Whether the values are shown.
    pub(crate) fn are_shown(&self) -> bool {
        self.0.is_good.load(Ordering::Acquire)
    }

    /// Shows the values to everybody, or to nobody.
    pub(crate) fn show(&self, is_good: bool) {
        self.0.is_good.store(is_good, Ordering::Release);
    }
}
