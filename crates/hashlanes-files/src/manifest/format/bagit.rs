//! Manifests of bags (RFC 8493, section 2.1.3): `manifest-sha256.txt` and its siblings.
//!
//! The lines are `DIGEST  NAME`. Newlines, carriage returns and percent signs in names are encoded
//! as `%0A`, `%0D` and `%25`. Names are UTF-8, relative to the folder of the bag, and never lead
//! out of it.
//!
//! The content of such manifests does not distinguish them from plain lines. This reader is for
//! manifests whose name and place are those of a bag's manifest.

use super::super::span::Spans;
use super::super::{Digits, Entry, HashName, Read, Reason, Unwritable};
use super::line::trim_blanks;
use super::{Given, LineReader, text};

pub(super) fn refuses(functions: &[HashName]) -> Option<String> {
    match functions {
        [_] => None,
        _ => Some("a manifest of a bag takes exactly one hash function".into()),
    }
}

/// Appends a line without a newline.
pub(in super::super) fn write(
    to: &mut Vec<u8>,
    name: &[u8],
    digest: &[u8],
) -> Result<(), Unwritable> {
    if str::from_utf8(name).is_err() {
        return Err(Unwritable("names in a bag must be UTF-8"));
    }
    if name.starts_with(b" ") || name.starts_with(b"\t") || name.starts_with(b"*") {
        return Err(Unwritable("names in a bag must not begin with a blank or *"));
    }
    if leads_out(name) {
        return Err(Unwritable("names in a bag must be below its folder, as in data/NAME"));
    }
    let mut encoded = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\n' => encoded.extend(b"%0A"),
            b'\r' => encoded.extend(b"%0D"),
            b'%' => encoded.extend(b"%25"),
            _ => encoded.push(byte),
        }
    }
    text::write(to, (digest, Digits::Hex), (&encoded, false), b"  ");
    Ok(())
}

/// Reads lines of text whose names have their own codes instead of backslashes.
#[derive(Default)]
pub(super) struct Reader(text::Reader);

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if line.starts_with(b"#") {
            return Err(Reason::Words("a manifest of a bag cannot contain comments"));
        }
        given.literal = true;
        match self.0.read(given, line)? {
            Read::Entry(entry) => {
                // There may be any number of blanks between the digest and the name.
                let name = decoded(trim_blanks(&entry.name));
                if leads_out(&name) {
                    return Err(Reason::Words("the name leads out of the bag"));
                }
                Ok(Read::Entry(Entry { name, ..entry }))
            }
            read => Ok(read),
        }
    }

    fn spans(&self, given: &Given, line: &[u8]) -> Spans {
        self.0.spans(given, line)
    }
}

/// Decodes a name. Other percent signs are kept, because writers from before RFC 8493 did not
/// encode them.
pub(in super::super) fn decoded(name: &[u8]) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        let code = match rest {
            [b'%', b'0', b'a' | b'A', ..] => Some(b'\n'),
            [b'%', b'0', b'd' | b'D', ..] => Some(b'\r'),
            [b'%', b'2', b'5', ..] => Some(b'%'),
            _ => None,
        };
        decoded.push(code.unwrap_or(byte));
        rest = if code.is_some() { &rest[3..] } else { after };
    }
    decoded
}

/// Whether a name is empty or absolute, or leads out of the folder.
pub(in super::super) fn leads_out(name: &[u8]) -> bool {
    let separates = |byte: &u8| *byte == b'/' || cfg!(windows) && *byte == b'\\';
    let first = name.first().is_none_or(|byte| separates(byte) || *byte == b'~');
    first || name.split(separates).any(|part| part == b"..")
}
