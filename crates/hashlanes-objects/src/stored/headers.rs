//! What the headers of a response say about an object's content.

use hashlanes::Algorithm;
use hashlanes_files::{Function, Single};
use http::HeaderMap;

use super::fact::{By, Fact, Known, Of, read};
use crate::Scheme;

const MD5: Function = Function::Lanes(Algorithm::Md5);

/// The headers of S3's checksums.
const CHECKSUMS: [(&str, Function); 10] = [
    ("x-amz-checksum-sha512", Function::Lanes(Algorithm::Sha512)),
    ("x-amz-checksum-sha256", Function::Lanes(Algorithm::Sha256)),
    ("x-amz-checksum-sha1", Function::Lanes(Algorithm::Sha1)),
    ("x-amz-checksum-md5", MD5),
    ("x-amz-checksum-xxhash128", Function::Single(Single::Xxh128)),
    ("x-amz-checksum-xxhash3", Function::Single(Single::Xxh3)),
    ("x-amz-checksum-xxhash64", Function::Single(Single::Xxh64)),
    ("x-amz-checksum-crc64nvme", Function::Single(Single::Crc64Nvme)),
    ("x-amz-checksum-crc32c", Function::Single(Single::Crc32c)),
    ("x-amz-checksum-crc32", Function::Single(Single::Crc32)),
];

/// The prefixes of metadata that uploaders choose.
const METADATA: [&str; 3] = ["x-amz-meta-", "x-goog-meta-", "x-ms-meta-"];

/// The name of the metadata in which a digest by this function is kept in hexadecimal. Azure takes
/// no hyphens.
///
/// ```
/// use hashlanes_files::Function;
/// use hashlanes_objects::stored::metadata_key;
///
/// assert_eq!(metadata_key(Function::from_name("sha3-256")?), "hashlanes_sha3_256");
/// # Ok::<(), hashlanes_files::UnknownFunction>(())
/// ```
pub fn metadata_key(function: Function) -> String {
    format!("hashlanes_{}", function.name().replace(['-', '/'], "_"))
}

impl Known {
    /// What a listing says about an object. It does not say whether the object is encrypted, so the
    /// ETag may not be an MD5.
    pub fn from_listing(scheme: Scheme, size: Option<u64>, etag: Option<&str>) -> Self {
        let etag = etag.filter(|_| scheme == Scheme::S3);
        let facts = etag.and_then(|etag| etag_fact(etag, By::EtagPerhaps)).into_iter().collect();
        Self { size, facts, encrypted: false }
    }

    /// What the response to `HEAD`, or to a request for all of an object, says about it.
    pub fn from_headers(scheme: Scheme, size: Option<u64>, headers: &HeaderMap) -> Self {
        let mut known = Self { size, facts: Vec::new(), encrypted: is_encrypted(headers) };
        match scheme {
            Scheme::S3 => known.facts.extend(s3(headers, known.encrypted)),
            Scheme::Gcs => known.facts.extend(goog_hash(headers)),
            Scheme::Azure | Scheme::Http | Scheme::Https => {}
        }
        if scheme != Scheme::S3 {
            let md5 = text(headers, "content-md5").and_then(|text| whole(MD5, text, By::Uploader));
            known.facts.extend(md5);
        }
        known.facts.extend(metadata(headers));
        known
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok().map(str::trim)
}

fn whole(function: Function, text: &str, by: By) -> Option<Fact> {
    let (of, digest) = read(function, text)?;
    matches!(of, Of::Whole(_)).then_some(Fact { of, digest, by })
}

/// Encryption with a key that the store does not manage by itself: then the ETag is no MD5.
fn is_encrypted(headers: &HeaderMap) -> bool {
    let by_store = text(headers, "x-amz-server-side-encryption");
    by_store.is_some_and(|by| by != "AES256")
        || headers.contains_key("x-amz-server-side-encryption-customer-algorithm")
}

fn etag_fact(etag: &str, by: By) -> Option<Fact> {
    let inner = etag.strip_prefix('"').and_then(|etag| etag.strip_suffix('"')).unwrap_or(etag);
    let (digits, _) = inner.split_once('-').unwrap_or((inner, ""));
    let (of, digest) = read(MD5, inner).filter(|_| digits.len() == 32)?;
    Some(Fact { of, digest, by })
}

fn s3(headers: &HeaderMap, encrypted: bool) -> impl Iterator<Item = Fact> {
    // Objects in directory buckets have ETags that look like MD5s.
    let express = text(headers, "x-amz-storage-class") == Some("EXPRESS_ONEZONE");
    let etag = text(headers, "etag").and_then(|etag| etag_fact(etag, By::Etag));
    let composite = text(headers, "x-amz-checksum-type").map(|kind| kind == "COMPOSITE");
    let parts = etag.and_then(|fact| match fact.of {
        Of::Parts { count, .. } => Some(count),
        Of::Whole(_) => None,
    });
    let checksums = CHECKSUMS.iter().filter_map(move |&(name, function)| {
        let (of, digest) = read(function, text(headers, name)?)?;
        let of = match of {
            Of::Whole(_) => whole_or_parts(function, composite, parts)?,
            parts => parts,
        };
        Some(Fact { of, digest, by: By::Store })
    });
    checksums.chain(etag.filter(|_| !encrypted && !express))
}

/// What a checksum without a number of parts is of. Some stores leave the number out, and the
/// type as well.
fn whole_or_parts(function: Function, composite: Option<bool>, parts: Option<u64>) -> Option<Of> {
    let only_whole = function == Function::Single(Single::Crc64Nvme);
    match (composite, parts) {
        (Some(true), parts) => Some(Of::Parts { function, count: parts?, size: None }),
        (None, Some(count)) if !only_whole => Some(Of::Parts { function, count, size: None }),
        _ => Some(Of::Whole(function)),
    }
}

/// Google's `x-goog-hash: crc32c=..,md5=..`, in one header or in two.
fn goog_hash(headers: &HeaderMap) -> impl Iterator<Item = Fact> {
    let values = headers.get_all("x-goog-hash").iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).filter_map(|field| {
        let (name, digest) = field.trim().split_once('=')?;
        let function = match name {
            "md5" => MD5,
            "crc32c" => Function::Single(Single::Crc32c),
            _ => return None,
        };
        whole(function, digest, By::Store)
    })
}

/// Digests in the metadata of uploaders: rclone's MD5, and those of [`metadata_key`].
fn metadata(headers: &HeaderMap) -> impl Iterator<Item = Fact> {
    headers.iter().filter_map(|(name, value)| {
        let key = METADATA.iter().find_map(|prefix| name.as_str().strip_prefix(prefix))?;
        let function = match key {
            "md5chksum" => MD5,
            key => Function::all().find(|&function| metadata_key(function) == key)?,
        };
        whole(function, value.to_str().ok()?, By::Uploader)
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    const HEX: &str = "900150983cd24fb0d6963f7d28e17f72";
    const BASE64: &str = "kAFQmDzST7DWlj99KOF/cg==";

    fn facts(scheme: Scheme, lines: &[(&'static str, &str)]) -> Vec<String> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        let known = Known::from_headers(scheme, None, &headers);
        known.facts.iter().map(|fact| format!("{} by {}", fact.of, fact.by)).collect()
    }

    #[test]
    fn etags_are_md5s_only_if_the_object_is_not_encrypted() {
        let etag = format!("\"{HEX}\"");
        let with = |more: &[(&'static str, &str)]| {
            facts(Scheme::S3, &[&[("etag", etag.as_str())], more].concat())
        };
        assert_eq!(with(&[]), ["MD5 by ETag"]);
        assert_eq!(with(&[("x-amz-server-side-encryption", "AES256")]), ["MD5 by ETag"]);
        for kms in ["aws:kms", "aws:kms:dsse", "unknown"] {
            assert!(with(&[("x-amz-server-side-encryption", kms)]).is_empty(), "{kms}");
        }
        let customer = "x-amz-server-side-encryption-customer-algorithm";
        assert!(with(&[(customer, "AES256")]).is_empty());
        assert!(with(&[("x-amz-storage-class", "EXPRESS_ONEZONE")]).is_empty());
        // Others choose their ETags as they like.
        for scheme in [Scheme::Gcs, Scheme::Azure, Scheme::Http] {
            assert!(facts(scheme, &[("etag", &etag)]).is_empty());
        }
    }

    #[test]
    fn other_etags_are_no_facts() {
        for etag in ["", "\"\"", "\"x\"", "W/\"900150983cd24fb0d6963f7d28e17f72\"", BASE64] {
            assert!(facts(Scheme::S3, &[("etag", etag)]).is_empty(), "{etag}");
        }
        let parts = format!("\"{HEX}-3\"");
        assert_eq!(facts(Scheme::S3, &[("etag", &parts)]), ["MD5 of 3 parts by ETag"]);
    }

    #[test]
    fn all_checksums_of_s3_are_read() {
        for (name, function) in CHECKSUMS {
            let digest = data_encoding::BASE64.encode(&vec![7; function.digest_len()]);
            let tag = function.tag();
            assert_eq!(facts(Scheme::S3, &[(name, &digest)]), [format!("{tag} by store")]);
            let parts = format!("{digest}-2");
            let expected = [format!("{tag} of 2 parts by store")];
            assert_eq!(facts(Scheme::S3, &[(name, &parts)]), expected);
            assert!(facts(Scheme::S3, &[(name, &digest[4..])]).is_empty(), "{name}");
            assert!(facts(Scheme::Gcs, &[(name, &digest)]).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_checksum_of_parts_is_known_by_its_type_or_by_the_etag() {
        let crc = ("x-amz-checksum-crc32", "AAAAAA==");
        let etag = ("etag", "\"900150983cd24fb0d6963f7d28e17f72-3\"");
        let first = |lines: &[(&'static str, &str)]| facts(Scheme::S3, lines).into_iter().next();
        let kind = |kind| ("x-amz-checksum-type", kind);
        let parts = Some("CRC32 of 3 parts by store".to_owned());
        let whole = Some("CRC32 by store".to_owned());
        assert_eq!(first(&[crc, etag]), parts);
        assert_eq!(first(&[crc, etag, kind("COMPOSITE")]), parts);
        assert_eq!(first(&[crc, etag, kind("FULL_OBJECT")]), whole);
        assert_eq!(first(&[crc, kind("FULL_OBJECT")]), whole);
        assert_eq!(first(&[crc, kind("COMPOSITE")]), None);
        let crc64 = ("x-amz-checksum-crc64nvme", "AAAAAAAAAAA=");
        assert_eq!(first(&[crc64, etag]).as_deref(), Some("CRC64NVME by store"));
    }

    #[test]
    fn google_keeps_two() {
        let md5 = format!("md5={BASE64}");
        let expected = ["CRC32C by store", "MD5 by store"];
        let two = [("x-goog-hash", "crc32c=n03x6A=="), ("x-goog-hash", &md5)];
        assert_eq!(facts(Scheme::Gcs, &two), expected);
        let one = format!("crc32c=n03x6A==, {md5}, sha9=x");
        assert_eq!(facts(Scheme::Gcs, &[("x-goog-hash", &one)]), expected);
    }

    #[test]
    fn what_uploaders_state_is_marked() {
        assert_eq!(facts(Scheme::Azure, &[("content-md5", BASE64)]), ["MD5 by uploader"]);
        assert_eq!(facts(Scheme::S3, &[("x-amz-meta-md5chksum", BASE64)]), ["MD5 by uploader"]);
        let ours = [("x-ms-meta-hashlanes_md5", HEX)];
        assert_eq!(facts(Scheme::Azure, &ours), ["MD5 by uploader"]);
        let parts = format!("{HEX}-2");
        assert!(facts(Scheme::Azure, &[("x-ms-meta-hashlanes_md5", &parts)]).is_empty());
    }

    #[test]
    fn headers_that_are_no_text_are_ignored() {
        let mut headers = HeaderMap::new();
        for name in ["etag", "x-amz-checksum-sha256", "x-goog-hash", "x-amz-meta-md5chksum"] {
            headers.insert(name, HeaderValue::from_bytes(b"\xff\xfe").unwrap());
        }
        for scheme in [Scheme::S3, Scheme::Gcs, Scheme::Azure, Scheme::Http] {
            assert!(Known::from_headers(scheme, None, &headers).facts.is_empty());
        }
    }
}
