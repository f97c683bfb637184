//! What stores say about objects.

use reqwest::header::{DATE, ETAG, HeaderMap, HeaderName, LAST_MODIFIED};

use super::time::http_time;

/// The generation of the object of a response from Google.
const GENERATION: HeaderName = HeaderName::from_static("x-goog-generation");

/// What a store reports about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Its length in bytes.
    pub size: u64,
    /// The time it was written, in seconds and nanoseconds since 1970.
    pub modified: Option<(i64, u32)>,
    /// Its ETag without quotes.
    pub etag: Option<String>,
    /// Its generation, in Google Cloud Storage.
    pub generation: Option<String>,
    /// The store's clock was at least a second past `modified` when it said so. Then a later
    /// version has a later time (RFC 9110, 8.8.2.2).
    pub(crate) is_settled: bool,
}

impl Meta {
    /// A text that distinguishes versions. A weak ETag, which begins with `W/`, may be the same for
    /// several.
    pub fn tag(&self) -> Option<&str> {
        self.generation.as_deref().or(self.etag.as_deref())
    }

    /// The ETag, if it is another one for each version.
    pub(super) fn strong_etag(&self) -> Option<&str> {
        self.etag.as_deref().filter(|etag| !etag.starts_with("W/"))
    }

    /// The time in seconds, if it is another one for each version.
    pub(super) fn settled_time(&self) -> Option<i64> {
        self.modified.filter(|_| self.is_settled).map(|(seconds, _)| seconds)
    }

    /// Whether parts of another version can be told apart.
    pub(crate) fn has_version(&self) -> bool {
        self.generation.is_some() || self.strong_etag().is_some() || self.settled_time().is_some()
    }

    /// Whether what is said now is about the same version, if it can be told. Weak ETags and times
    /// can show a difference; only a settled time shows that there is none. Listings have fractions
    /// of seconds, headers do not.
    pub(super) fn is_same(&self, now: &Self) -> Option<bool> {
        fn equal<T: PartialEq>(then: Option<T>, now: Option<T>) -> Option<bool> {
            Some(then? == now?)
        }
        let opaque = |meta: &Self| meta.etag.as_deref().map(unquoted);
        let seconds = |meta: &Self| meta.modified.map(|(seconds, _)| seconds);
        let certain = equal(self.generation.as_ref(), now.generation.as_ref())
            .or_else(|| equal(self.strong_etag(), now.strong_etag()));
        let differs = |then| then == Some(false);
        match equal(seconds(self), seconds(now)) {
            _ if certain.is_some() => certain,
            time if differs(time) || differs(equal(opaque(self), opaque(now))) => Some(false),
            time => time.filter(|_| self.is_settled),
        }
    }

    /// What headers say. The size is not among it: that of a part differs from the object's.
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let text = |name: HeaderName| headers.get(name)?.to_str().ok();
        let modified = text(LAST_MODIFIED).and_then(http_time);
        let now = text(DATE).and_then(http_time);
        Self {
            size: 0,
            modified,
            etag: text(ETAG).map(bare),
            generation: text(GENERATION).map(str::to_owned),
            is_settled: modified.zip(now).is_some_and(|((then, _), (now, _))| then < now),
        }
    }
}

/// An ETag without quotes. A weak one keeps its mark.
pub(super) fn bare(etag: &str) -> String {
    let weak = if etag.starts_with("W/") { "W/" } else { "" };
    format!("{weak}{}", unquoted(etag))
}

/// What is between the quotes of an ETag.
fn unquoted(etag: &str) -> String {
    etag.trim_start_matches("W/").trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meta(fields: &[(HeaderName, &str)]) -> Meta {
        let fields = fields.iter().map(|(name, value)| (name.clone(), value.parse().unwrap()));
        Meta::from_headers(&fields.collect())
    }

    #[test]
    fn only_what_differs_for_each_version_is_one() {
        const MOMENT: &str = "Wed, 01 Jan 2020 00:00:00 GMT";
        const LATER: &str = "Wed, 01 Jan 2020 00:00:01 GMT";
        let etag = |etag| meta(&[(ETAG, etag)]);
        let at = |time| meta(&[(LAST_MODIFIED, time), (DATE, LATER)]);
        for (one, other, is_same, has_version) in [
            (etag("\"a\""), etag("\"a\""), Some(true), true),
            (etag("\"a\""), etag("\"b\""), Some(false), true),
            (etag("W/\"a\""), etag("W/\"a\""), None, false),
            (etag("W/\"a\""), etag("W/\"b\""), Some(false), false),
            (etag("\"a\""), etag("W/\"a\""), None, true),
            (at(MOMENT), at(MOMENT), Some(true), true),
            (at(MOMENT), at(LATER), Some(false), true),
            // It may be written again within the same second.
            (at(LATER), at(LATER), None, false),
            (meta(&[(LAST_MODIFIED, MOMENT)]), at(MOMENT), None, false),
            (
                meta(&[(ETAG, "W/\"a\""), (LAST_MODIFIED, MOMENT), (DATE, LATER)]),
                meta(&[(ETAG, "W/\"b\""), (LAST_MODIFIED, MOMENT), (DATE, LATER)]),
                Some(false),
                true,
            ),
        ] {
            assert_eq!(one.is_same(&other), is_same, "{one:?} {other:?}");
            assert_eq!(one.has_version(), has_version, "{one:?}");
        }
    }
}
