//! JSON lines: an object for each file.
//!
//! ```json
//! {"path":"a","size":3,"mtime":"2026-11-22T12:27:23Z","digests":{"md5":"900150983cd24fb0..."}}
//! ```
//!
//! A name that is not UTF-8 is in `path_base64`, and there is no `path`. Other members are ignored.
//! `size` and `mtime` may be missing. The entry of an object in a store has its `version`, too.

use std::fmt;

use data_encoding::BASE64;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, Entry, Expected, HashName, Read, Reason, Written, digits, time};

/// Appends an object without a newline.
pub(in super::super) fn write<D: AsRef<[u8]>>(
    to: &mut Vec<u8>,
    file: &Written<'_, D>,
    functions: &[HashName],
    digits: Digits,
) {
    to.push(b'{');
    write_name(to, "path", file.name);
    if let Some(size) = file.size {
        to.extend(format!(",\"size\":{size}").bytes());
    }
    if let Some(modified) = file.modified {
        to.extend(b",\"mtime\":\"");
        time::write(modified, to);
        to.push(b'"');
    }
    if let Some(version) = file.version {
        to.push(b',');
        write_name(to, "version", version.as_bytes());
    }
    to.extend(b",\"digests\":{");
    for (i, (function, digest)) in functions.iter().zip(file.digests).enumerate() {
        to.extend(if i > 0 { &b",\""[..] } else { b"\"" });
        to.extend(function.name().bytes());
        to.extend(b"\":\"");
        digits.write(digest.as_ref(), to);
        to.push(b'"');
    }
    to.extend(b"}}");
}

/// Appends a name as a member of an object: `"path":"a"`, or `"path_base64":"/w=="` if the name is
/// not UTF-8.
pub fn write_name(to: &mut Vec<u8>, member: &str, name: &[u8]) {
    to.push(b'"');
    to.extend(member.bytes());
    match str::from_utf8(name) {
        Ok(name) => {
            to.extend(b"\":");
            serde_json::to_writer(to, name).expect("a vector takes all");
        }
        Err(_) => {
            to.extend(b"_base64\":\"");
            Digits::Base64.write(name, to);
            to.push(b'"');
        }
    }
}

#[derive(Deserialize)]
struct Object {
    path: Option<String>,
    path_base64: Option<String>,
    /// Of any type: only the digests determine whether a line is well-formed.
    #[serde(default)]
    size: Value,
    #[serde(default)]
    mtime: Value,
    #[serde(default)]
    version: Value,
    #[serde(deserialize_with = "members")]
    digests: Vec<(String, String)>,
}

/// The members of an object in order, including repeated ones.
fn members<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<(String, String)>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = Vec<(String, String)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object of digests")
        }

        fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
            let mut all = Vec::new();
            while let Some(member) = map.next_entry()? {
                all.push(member);
            }
            Ok(all)
        }
    }
    deserializer.deserialize_map(Members)
}

pub(in super::super) struct Reader {
    /// The only function whose digests are used, if one is given.
    function: Option<HashName>,
}

impl Reader {
    pub(in super::super) fn new(function: Option<HashName>) -> Self {
        Self { function }
    }

    pub(in super::super) fn read(&self, line: &[u8]) -> Read {
        let object = match serde_json::from_slice::<Object>(line) {
            Ok(object) => object,
            Err(error) => return Read::Malformed(Reason::of_json(&error)),
        };
        let name = match (object.path, object.path_base64) {
            (Some(path), None) => Some(path.into_bytes()),
            (None, Some(code)) => BASE64.decode(code.as_bytes()).ok(),
            _ => None,
        };
        let Some(name) = name else {
            return Read::Malformed(Reason::Words("neither \"path\" nor \"path_base64\" alone"));
        };
        let mut found = Vec::new();
        for (name, text) in object.digests {
            let Some(function) = HashName::named(&name) else { return Read::Unknown(name) };
            found.push((function, text));
        }
        let modified = object.mtime.as_str().and_then(|text| time::read(text.as_bytes()));
        let found = found.iter().map(|(f, text)| (*f, text.as_bytes()));
        let read = entry(name, self.function, found).with(object.size.as_u64(), modified);
        let version = object.version.as_str().map(str::to_owned);
        match read {
            Read::Entry(entry) => Read::Entry(Entry { version, ..entry }),
            other => other,
        }
    }
}

/// Where the size, the time, the version and the digests of an object are, which is valid JSON.
pub(in super::super) fn spans(object: &[u8]) -> Spans {
    let mut spans = Spans::new();
    for (name, value) in members_of(object) {
        let part = match &*name {
            "size" => Part::Size,
            "mtime" => Part::Modified,
            "version" => Part::Version,
            "digests" => {
                let digest = |(name, digest): (String, &[u8])| {
                    Some((range_in(object, digest), Part::Digest(HashName::named(&name)?)))
                };
                spans.extend(members_of(value).into_iter().filter_map(digest));
                continue;
            }
            _ => continue,
        };
        spans.push((range_in(object, value), part));
    }
    spans
}

/// The names of the members of an object, which is valid JSON, and their values as written.
fn members_of(object: &[u8]) -> Vec<(String, &[u8])> {
    let (mut members, mut name) = (Vec::new(), None);
    let (mut depth, mut begin, mut is_string, mut is_escaped) = (0, 0, false, false);
    for (at, &byte) in object.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'"' => is_string = !is_string,
            _ if is_string => {}
            b'{' | b'[' => {
                depth += 1;
                begin = if depth == 1 { at + 1 } else { begin };
            }
            b':' if depth == 1 => {
                name = serde_json::from_slice(&object[begin..at]).ok();
                begin = at + 1;
            }
            b',' | b'}' if depth == 1 => {
                let value = object[begin..at].trim_ascii();
                members.extend(name.take().map(|name| (name, value)));
                begin = at + 1;
                depth -= i32::from(byte == b'}');
            }
            b'}' | b']' => depth -= 1,
            _ => {}
        }
    }
    members
}

/// An entry with those of some digests that are used: all, or those of one function. Malformed if
/// there are none, if one is not a digest, or if two are of the same function.
pub(super) fn entry<'t>(
    name: Vec<u8>,
    only: Option<HashName>,
    found: impl Iterator<Item = (HashName, &'t [u8])>,
) -> Read {
    let mut digests: Vec<Expected> = Vec::new();
    for (function, text) in found {
        let digest = match digits::read(text, function) {
            Ok(digest) => digest,
            Err(reason) => return Read::Malformed(reason),
        };
        if digests.iter().any(|other| other.function == function) {
            return Read::Malformed(Reason::Twice(function));
        }
        digests.push(Expected { function, digest, guessed: false });
    }
    if let Some(only) = only {
        digests.retain(|expected| expected.function == only);
    }
    if digests.is_empty() {
        return Read::Malformed(Reason::NoDigest);
    }
    if name.is_empty() {
        return Read::Malformed(Reason::NO_NAME);
    }
    Read::Entry(Entry::new(name, digests))
}
