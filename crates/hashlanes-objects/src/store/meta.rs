//! What stores say about objects.

use reqwest::header::{ETAG, HeaderMap, HeaderName, LAST_MODIFIED};

use super::time::http_time;

/// The generation of the object of a response from Google.
const GENERATION: HeaderName = HeaderName::from_static("x-goog-generation");

/// What a store says about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Its length in bytes.
    pub size: u64,
    /// When it was written, in seconds and nanoseconds since 1970.
    pub modified: Option<(i64, u32)>,
    /// Its ETag without quotes.
    pub etag: Option<String>,
    /// Google's generation.
    pub generation: Option<String>,
}

impl Meta {
    /// What tells versions apart.
    pub fn tag(&self) -> Option<&str> {
        self.generation.as_deref().or(self.etag.as_deref())
    }

    /// Whether parts of another version can be told apart.
    pub(crate) fn has_version(&self) -> bool {
        self.tag().is_some() || self.modified.is_some()
    }

    /// Whether what is said now is about the same version, if it can be told. Listings have
    /// fractions of seconds, headers do not.
    pub(super) fn is_same(&self, now: &Self) -> Option<bool> {
        fn equal<T: PartialEq>(then: Option<T>, now: Option<T>) -> Option<bool> {
            Some(then? == now?)
        }
        let seconds = |meta: &Self| meta.modified.map(|(seconds, _)| seconds);
        equal(self.generation.as_ref(), now.generation.as_ref())
            .or_else(|| equal(self.etag.as_ref(), now.etag.as_ref()))
            .or_else(|| equal(seconds(self), seconds(now)))
    }

    /// What headers say. The size is not among it: that of a part differs from the object's.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name)?.to_str().ok();
        Self {
            size: 0,
            modified: text(LAST_MODIFIED).and_then(http_time),
            etag: text(ETAG).map(unquoted),
            generation: text(GENERATION).map(str::to_owned),
        }
    }
}

pub(super) fn unquoted(etag: &str) -> String {
    etag.trim_matches('"').to_owned()
}
