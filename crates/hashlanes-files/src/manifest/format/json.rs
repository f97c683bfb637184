//! JSON lines: an object for each file.
//!
//! ```json
//! {"path":"a","size":3,"mtime":"2026-11-22T12:27:23Z","digests":{"md5":"900150983cd24fb0..."}}
//! ```
//!
//! A name that is not UTF-8 is in `path_base64`, and there is no `path`. Other members are ignored.
//! `size` and `mtime` may be missing. The entry of an object in a store has its `version`, too.
//!
//! Objects of other programs are read as well: `rclone lsjson --hash` (`Path`, `Hashes`), DVC's
//! `.dir` files (`relpath`, `md5`), `Get-FileHash | ConvertTo-Json` (`Algorithm`, `Hash`, `Path`).
//! Assets of a release on GitHub have `name` and `digest`. Their arrays have become lines before
//! ([`Text`](super::super::Text)).

use std::borrow::Cow;

use data_encoding::BASE64;
use serde::de::IgnoredAny;

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, Entry, HashName, Read, Reason, Time, Written, time};
use super::found::Found;
use super::line::prefixed;
use super::{Given, LineReader};

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

#[derive(Default)]
pub(super) struct Reader;

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        given.is_shown |= line.starts_with(b"{");
        let is_valid = serde_json::from_slice::<IgnoredAny>(line);
        is_valid.map_err(|error| Reason::of_json(&error))?;
        let mut object = Object { found: Found::new(given.function), ..Object::new() };
        for (member, value) in members_of(line) {
            object.take(&member, value).map_err(|error| Reason::of_json(&error))?;
        }
        object.read()
    }

    /// Where the size, the time, the version and the digests of an object are.
    fn spans(&self, _: &Given, object: &[u8]) -> Spans {
        let mut spans = Spans::new();
        for (name, value) in members_of(object) {
            let part = match &*name {
                "size" => Part::Size,
                "mtime" => Part::Modified,
                "version" => Part::Version,
                "digests" => {
                    let digest = |(name, digest): (Cow<'_, str>, &[u8])| {
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
}

const NO_STRING: &str = "a digest is not a string";

/// The members of an object that count. Only the digests decide whether a line is well-formed:
/// others may have any type.
struct Object {
    names: Vec<Vec<u8>>,
    found: Found,
    /// A digest, and the name of its function in another member.
    digest: Option<String>,
    function: String,
    size: Option<u64>,
    modified: Option<Time>,
    version: Option<String>,
    is_folder: bool,
    /// A name that counts if there is no path.
    name: Option<String>,
}

impl Object {
    fn new() -> Self {
        let (names, found, digest, function) = (Vec::new(), Found::new(None), None, String::new());
        let (size, modified, version, is_folder, name) = (None, None, None, false, None);
        Self { names, found, digest, function, size, modified, version, is_folder, name }
    }

    fn take(&mut self, member: &str, value: &[u8]) -> Result<(), serde_json::Error> {
        let text = || serde_json::from_slice::<String>(value).ok();
        match member {
            "path" | "Path" | "relpath" => {
                self.names.push(serde_json::from_slice::<String>(value)?.into())
            }
            "path_base64" => {
                let code = text().and_then(|code| BASE64.decode(code.as_bytes()).ok());
                self.names.push(code.unwrap_or_default());
            }
            "size" | "Size" => self.size = serde_json::from_slice(value).ok(),
            "mtime" => self.modified = text().and_then(|text| time::read(text.as_bytes())),
            "version" => self.version = text(),
            "name" | "filename" | "file" => self.name = text(),
            "IsDir" => self.is_folder = value == b"true",
            // Subjects of in-toto have an object in `digest`.
            "digest" if value.starts_with(b"{") => self.digests(value)?,
            "digests" | "hashes" | "Hashes" | "checksums" => self.digests(value)?,
            "Algorithm" | "algorithm" => self.function = text().unwrap_or_default(),
            "Hash" | "hash" | "digest" => {
                self.digest = text();
                if self.digest.is_none() && value != b"null" {
                    self.found.wrong(NO_STRING);
                }
            }
            _ => match (HashName::named(member).filter(|_| value != b"null"), text()) {
                (Some(function), Some(digest)) => {
                    self.found.digest(function, digest.as_bytes());
                }
                (Some(_), None) => self.found.wrong(NO_STRING),
                (None, _) => {}
            },
        }
        Ok(())
    }

    fn digests(&mut self, value: &[u8]) -> Result<(), serde_json::Error> {
        if !value.starts_with(b"{") {
            self.found.wrong("the digests are not an object");
        }
        for (name, digest) in members_of(value) {
            let digest = serde_json::from_slice::<String>(digest)?;
            // Stores lack digests of some functions.
            if !digest.is_empty() {
                self.found.named(&name, digest.as_bytes());
            }
        }
        Ok(())
    }

    fn read(mut self) -> Result<Read, Reason> {
        if self.is_folder {
            return Ok(Read::Nothing);
        }
        if self.names.is_empty() {
            self.names.extend(self.name.take().map(Vec::from));
        }
        let [name] = &mut self.names[..] else {
            return Err(Reason::Words("expected one \"path\", or \"name\" without it"));
        };
        let name = std::mem::take(name);
        if let Some(digest) = &self.digest {
            match prefixed(digest.as_bytes()) {
                Some((function, digits)) => self.found.digest(function, digits),
                None => self.found.named(&self.function, digest.as_bytes()),
            }
        }
        Ok(match self.found.entry(name)?.with(self.size, self.modified) {
            Read::Entry(entry) => Read::Entry(Entry { version: self.version, ..entry }),
            other => other,
        })
    }
}

/// A string of valid JSON, which is borrowed if nothing in it is escaped.
fn string(text: &[u8]) -> Option<Cow<'_, str>> {
    let plain = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    match plain.contains(&b'\\') {
        true => serde_json::from_slice(text).ok().map(Cow::Owned),
        false => str::from_utf8(plain).ok().map(Cow::Borrowed),
    }
}

/// The names of the members of an object, which is valid JSON, and their values as written.
fn members_of(object: &[u8]) -> Vec<(Cow<'_, str>, &[u8])> {
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
                name = string(object[begin..at].trim_ascii());
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
