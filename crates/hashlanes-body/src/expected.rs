//! Digests that a client has announced, in a header or in a trailer.

use std::error::Error;
use std::fmt;

use http::HeaderMap;
use http::header::HeaderValue;

use crate::{Checksum, Digests};

/// The header in which S3's clients announce trailers, separated by commas.
const ANNOUNCEMENT: &str = "x-amz-trailer";

/// The header with the payload's digest in hexadecimal, or with a word for how it was signed.
const PAYLOAD: &str = "x-amz-content-sha256";

/// The headers that have a digest as their value. All but [`PAYLOAD`] are in base64.
const HEADERS: [(&str, Checksum); 9] = [
    ("content-md5", Checksum::MD5),
    (PAYLOAD, Checksum::SHA256),
    ("x-amz-checksum-crc32", Checksum::Crc32),
    ("x-amz-checksum-crc32c", Checksum::Crc32c),
    ("x-amz-checksum-crc64nvme", Checksum::Crc64Nvme),
    ("x-amz-checksum-md5", Checksum::MD5),
    ("x-amz-checksum-sha1", Checksum::SHA1),
    ("x-amz-checksum-sha256", Checksum::SHA256),
    ("x-amz-checksum-sha512", Checksum::SHA512),
];

/// A header or trailer whose value should be a digest of the body.
#[derive(Clone, Debug)]
pub(crate) struct Expected {
    header: &'static str,
    pub(crate) checksum: Checksum,
    /// The value in the header; `None` if it will come in a trailer.
    value: Option<HeaderValue>,
}

impl Expected {
    /// What these headers announce.
    pub(crate) fn in_headers(headers: &HeaderMap) -> Vec<Self> {
        HEADERS
            .iter()
            .filter_map(|&(header, checksum)| {
                let value = headers.get(header).filter(|value| is_digest(header, value)).cloned();
                let announced = value.is_some() || is_announced(header, headers);
                announced.then_some(Self { header, checksum, value })
            })
            .collect()
    }

    /// Whether its value comes in a trailer.
    pub(crate) fn in_trailer(&self) -> bool {
        self.value.is_none()
    }

    /// Compares with what was computed. Without trailers, skips what comes in one.
    pub(crate) fn check(
        &self,
        digests: &Digests,
        trailers: Option<&HeaderMap>,
    ) -> Result<(), WrongDigest> {
        let Some(trailers) = trailers else {
            return self.value.as_ref().map_or(Ok(()), |value| self.compare(digests, Some(value)));
        };
        match self.value {
            Some(_) => Ok(()),
            None => self.compare(digests, trailers.get(self.header)),
        }
    }

    fn compare(&self, digests: &Digests, value: Option<&HeaderValue>) -> Result<(), WrongDigest> {
        let digest = match self.header {
            PAYLOAD => digests.hex(self.checksum),
            _ => digests.base64(self.checksum),
        };
        // As text: what is not the encoding of a digest differs from all of them.
        let equal = value.is_some_and(|value| digest.as_deref() == value.to_str().ok());
        if equal {
            Ok(())
        } else {
            Err(WrongDigest { header: self.header, missing: value.is_none() })
        }
    }
}

/// Whether the value is meant to be a digest. The payload's may also be a word, as for chunks that
/// are signed by themselves.
fn is_digest(header: &str, value: &HeaderValue) -> bool {
    let words = ["UNSIGNED-PAYLOAD", "STREAMING-"];
    header != PAYLOAD || !words.iter().any(|word| value.as_bytes().starts_with(word.as_bytes()))
}

fn is_announced(header: &str, headers: &HeaderMap) -> bool {
    let lists = headers.get_all(ANNOUNCEMENT).iter().filter_map(|value| value.to_str().ok());
    lists.flat_map(|list| list.split(',')).any(|name| name.trim().eq_ignore_ascii_case(header))
}

/// A body whose digest is not the one that its headers or trailers announce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongDigest {
    header: &'static str,
    missing: bool,
}

impl WrongDigest {
    /// The header or trailer that announced the digest, in lower case.
    pub fn header(&self) -> &'static str {
        self.header
    }
}

impl fmt::Display for WrongDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let header = self.header;
        if self.missing {
            write!(f, "{header}: announced as a trailer, but the body ended without it")
        } else {
            write!(f, "{header}: the body does not have this digest")
        }
    }
}

impl Error for WrongDigest {}
