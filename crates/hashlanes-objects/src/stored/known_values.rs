//! Headers as a server sent them, for content that is made here.
//!
//! versitygw 1.8 sent them in answer to boto3 1.44, which computed the checksums with awscrt.

use hashlanes_tree::Settings;
use http::{HeaderMap, HeaderName};

use super::{Known, Of, Verdict, facts_of, judge};
use crate::Scheme;

/// The end of a header's name, its value for an object that was uploaded as a whole, and its value
/// for one in two parts.
const CHECKSUMS: [(&str, &str, &str); 10] = [
    ("crc32", "Ew9NOw==", "rP9bSg==-2"),
    ("crc32c", "z0gVEA==", "sozWKA==-2"),
    ("crc64nvme", "NygCbqfHFo0=", "LTs1ATUpixo="),
    ("md5", "xzp1bXxly2mRAwv/h0OQFg==", "QtM5c5Jts+v48bBmIAcGuw==-2"),
    ("sha1", "vuTAYO5eUpCrQz1J0cVna25XJh4=", "FNA2EdtJINSER0CkgwpEP63H/Gs=-2"),
    (
        "sha256",
        "IsJ7AhdSWWFAFFqTGU2c3zOwsbRU9Q/RtDBJHrPrPLk=",
        "g892IKUDGED+GHAPg2M2DTZFVqEHb9Nvjyvg1IaUzkc=-2",
    ),
    (
        "sha512",
        "CXI9pvleflcgHX0GB9tIaYUEZu3j1f94MYvSJVO28oOFzTmNIvcEcONwzz1sliBFMqBFb+7dlwYg5rQ7dMx31A==",
        concat!(
            "5rLh/z9rPPfUEsuQVZo90MlNUiNDw9ygSgLNLxWCi1n2",
            "4LfXNoFnEO2sXHlmchHFNk3xJS/Uatu91r3TxMzcFw==-2",
        ),
    ),
    ("xxhash64", "AG0pyctBHhI=", "TfDz7LGMtro=-2"),
    ("xxhash3", "mCdrYCXWN64=", "NxfGIjla3+Q=-2"),
    ("xxhash128", "b9vLSUooW0iYJ2tgJdY3rg==", "vfJbwpfJQb+DJhYkSfTQmQ==-2"),
];

/// Full object checksums of the object in two parts.
const FULL: [(&str, &str); 2] = [("crc32", "z/8ZCA=="), ("crc32c", "sqjRmA==")];

const ETAGS: [&str; 2] =
    ["\"c73a756d7c65cb6991030bff87439016\"", "\"42d33973926db3ebf8f1b066200706bb-2\""];

const PART: u64 = 5 << 20;

fn whole() -> Vec<u8> {
    (0..=255).collect::<Vec<u8>>().repeat(100)
}

fn in_parts() -> Vec<u8> {
    [vec![1; PART as usize], vec![2; 1000]].concat()
}

fn known(content: &[u8], headers: &[(String, &str)]) -> Known {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.insert(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
    }
    Known::from_headers(Scheme::S3, Some(content.len() as u64), &map)
}

/// Compares the content with the headers, and the same content with its last byte changed.
fn compare(content: &[u8], theirs: &Known) -> [Verdict; 2] {
    let mut changed = content.to_vec();
    *changed.last_mut().unwrap() ^= 1;
    [content, &changed].map(|content| {
        let facts = facts_of(content, &theirs.wanted(), &Settings::default()).unwrap();
        let size = Some(content.len() as u64);
        judge(&Known { size, facts, ..Known::default() }, theirs)
    })
}

#[test]
fn checksums_of_whole_objects() {
    let content = whole();
    for (name, value, _) in CHECKSUMS {
        let kind = ("x-amz-checksum-type".to_owned(), "FULL_OBJECT");
        let theirs = known(&content, &[(format!("x-amz-checksum-{name}"), value), kind]);
        let [same, changed] = compare(&content, &theirs);
        assert!(matches!(same, Verdict::Same(_)), "{name}: {same:?}");
        assert!(matches!(changed, Verdict::Different(_)), "{name}: {changed:?}");
    }
}

#[test]
fn checksums_of_objects_in_parts() {
    let content = in_parts();
    let composites = CHECKSUMS.map(|(name, _, value)| (name, value));
    for (name, value) in composites.into_iter().chain(FULL) {
        let etag = ("etag".to_owned(), ETAGS[1]);
        let is_whole = !value.contains('-');
        let kind = if is_whole { "FULL_OBJECT" } else { "COMPOSITE" };
        let kind = ("x-amz-checksum-type".to_owned(), kind);
        let mut theirs = known(&content, &[(format!("x-amz-checksum-{name}"), value), kind, etag]);
        assert!(theirs.needs_part());
        theirs.set_part(PART, 2);
        let [same, changed] = compare(&content, &theirs);
        assert!(matches!(same, Verdict::Same(_)), "{name}: {same:?}");
        // Parts that were cut elsewhere would differ, too.
        assert_eq!(matches!(changed, Verdict::Different(_)), is_whole, "{name}: {changed:?}");
        assert!(!matches!(changed, Verdict::Same(_)), "{name}: {changed:?}");
    }
}

#[test]
fn etags_with_and_without_the_part_size() {
    for (content, etag) in [(whole(), ETAGS[0]), (in_parts(), ETAGS[1])] {
        let theirs = known(&content, &[("etag".into(), etag)]);
        let [same, changed] = compare(&content, &theirs);
        assert!(matches!(same, Verdict::Same(_)), "{etag}: {same:?}");
        assert!(!matches!(changed, Verdict::Same(_)), "{etag}: {changed:?}");
        let in_parts = theirs.facts.iter().any(|fact| matches!(fact.of, Of::Parts { .. }));
        assert_eq!(matches!(changed, Verdict::Different(_)), !in_parts, "{etag}: {changed:?}");
    }
}
