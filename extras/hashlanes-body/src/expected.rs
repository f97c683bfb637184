//! Digests that a client has announced, in a header or in a trailer.

use std::error::Error;
use std::fmt;
use std::io;

use data_encoding::{BASE64, HEXLOWER};
use http::HeaderMap;
use http::header::HeaderValue;

use crate::Checksum;
use crate::hasher::Value;

/// The header in which S3's clients announce trailers, separated by commas. They must come.
const ANNOUNCEMENT: &str = "x-amz-trailer";

/// HTTP's own announcement. They may come.
const HINT: &str = "trailer";

/// The header with the payload's digest in hexadecimal, or with a word for how it was signed.
const PAYLOAD: &str = "x-amz-content-sha256";

/// How that word begins if chunks are signed by themselves.
const CHUNKS: &[u8] = b"STREAMING-";

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
    /// What these headers announce: one for each value, and one for each trailer.
    pub(crate) fn in_headers(headers: &HeaderMap) -> Vec<Self> {
        let mut all = Vec::new();
        for (header, checksum) in HEADERS {
            let expected = |value| Self { header, checksum, value };
            all.extend(values(header, headers).cloned().map(Some).map(expected));
            if is_announced(header, headers, ANNOUNCEMENT) {
                all.push(expected(None));
            }
        }
        all
    }

    /// Whether its value comes in a trailer.
    pub(crate) fn in_trailer(&self) -> bool {
        self.value.is_none()
    }

    /// Compares the value of a header with what was computed.
    pub(crate) fn check(&self, computed: &[Value]) -> Result<(), WrongDigest> {
        let value = self.value.as_ref();
        value.map_or(Ok(()), |value| compare(self.header, self.checksum, value, computed))
    }
}

/// What need not come, but is to be computed so that it can be compared if it comes.
pub(crate) fn hinted(headers: &HeaderMap) -> impl Iterator<Item = Checksum> {
    let hinted = HEADERS.iter().filter(|(header, _)| is_announced(header, headers, HINT));
    hinted.map(|(_, checksum)| *checksum)
}

/// Compares trailers with what was computed: those that were announced, and all others whose digest
/// was computed.
pub(crate) fn check_trailers(
    expected: &[Expected],
    computed: &[Value],
    trailers: &HeaderMap,
) -> Result<(), WrongDigest> {
    for (header, checksum) in HEADERS {
        let is_awaited = expected.iter().any(|other| other.header == header && other.in_trailer());
        let mut is_there = false;
        for value in values(header, trailers) {
            is_there = true;
            if computed.iter().any(|(other, _)| *other == checksum) {
                compare(header, checksum, value, computed)?;
            }
        }
        if is_awaited && !is_there {
            return Err(WrongDigest { header, missing: true });
        }
    }
    Ok(())
}

/// Compares the value of a field with what was computed.
fn compare(
    header: &'static str,
    checksum: Checksum,
    value: &HeaderValue,
    computed: &[Value],
) -> Result<(), WrongDigest> {
    let digest = computed.iter().find(|(other, _)| *other == checksum);
    let digest = digest.map(|(_, digest)| match header {
        PAYLOAD => HEXLOWER.encode(digest),
        _ => BASE64.encode(digest),
    });
    // As text: what is not the encoding of a digest differs from all of them.
    let equal = digest.is_some_and(|digest| value.to_str().is_ok_and(|value| value == digest));
    if equal { Ok(()) } else { Err(WrongDigest { header, missing: false }) }
}

/// The values of all fields of this name that are meant to be digests.
fn values<'h>(header: &'static str, of: &'h HeaderMap) -> impl Iterator<Item = &'h HeaderValue> {
    of.get_all(header).iter().filter(move |value| is_digest(header, value))
}

/// Whether the value is meant to be a digest. The payload's may also be a word.
fn is_digest(header: &str, value: &HeaderValue) -> bool {
    header != PAYLOAD || (value != "UNSIGNED-PAYLOAD" && !value.as_bytes().starts_with(CHUNKS))
}

fn is_announced(header: &str, headers: &HeaderMap, by: &str) -> bool {
    let names = headers.get_all(by).iter().flat_map(|list| list.as_bytes().split(|&b| b == b','));
    names.map(<[u8]>::trim_ascii).any(|name| name.eq_ignore_ascii_case(header.as_bytes()))
}

/// The error for a body whose digest is not the one that its headers or trailers announce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrongDigest {
    header: &'static str,
    missing: bool,
}

impl WrongDigest {
    /// Finds a wrong digest in this error or its causes, however other crates have wrapped it.
    pub fn find<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Self> {
        let mut next = Some(error);
        while let Some(cause) = next {
            if let Some(wrong) = cause.downcast_ref() {
                return Some(wrong);
            }
            // The source of an error of the system is that of its content.
            let content = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
            next = content.map(|content| content as _).or_else(|| cause.source());
        }
        None
    }

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
