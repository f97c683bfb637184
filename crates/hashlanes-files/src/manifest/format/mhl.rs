//! Media hash lists: ASC MHL 2.0 and MHL 1.1. [`Text`](super::super::Text) gives an element `hash`
//! per line.
//!
//! ```xml
//! <hash><path size="3">Clips/a.mov</path><xxh64 action="original">44bc2cf5ad770999</xxh64></hash>
//! <hash><file>Clips/a.mov</file><size>3</size><md5>900150983cd24fb0...</md5></hash>
//! ```
//!
//! This reads the part of XML that such lists use. Document types, which could define entities, are
//! refused. Hashes of folders are not compared.

use std::borrow::Cow;

use super::super::{HashName, Read, Reason, time};
use super::found::Found;
use super::{Given, LineReader};

pub(super) struct Reader {
    only: Option<HashName>,
    is_sure: bool,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { only: given.function, is_sure: false }
    }

    fn read_record(&mut self, record: &[u8]) -> Option<Read> {
        let mut rest = record;
        let mut file = None;
        let (mut element, mut text) = (&b""[..], Vec::new());
        while let Some(at) = rest.iter().position(|byte| *byte == b'<') {
            text.extend(&rest[..at]);
            rest = &rest[at..];
            let (tag, after) = tag(rest)?;
            rest = after;
            let Tag::Element(tag) = tag else {
                if let Tag::Text(more) = tag {
                    text.extend(&*escaped(more));
                }
                continue;
            };
            let (is_end, name) = name_of(tag);
            self.is_sure |= name == b"hashlist";
            match (is_end, name, &mut file) {
                (false, b"hash", None) => file = Some(File::new(self.only)),
                (true, b"hash", Some(_)) => return file.map(File::read),
                (true, name, Some(file)) if name == element => {
                    file.take(name, unescaped(&text)?);
                }
                (false, b"path", Some(file)) => {
                    let size = attribute(tag, b"size").and_then(unescaped);
                    file.size = size.and_then(|size| String::from_utf8(size).ok()?.parse().ok());
                }
                _ => {}
            }
            (element, text) = (name, Vec::new());
        }
        let is_whole = file.is_none();
        is_whole.then_some(Read::Nothing)
    }
}

impl LineReader for Reader {
    fn read(&mut self, record: &[u8]) -> Read {
        if record.trim_ascii().is_empty() {
            return Read::Nothing;
        }
        if !record.contains(&b'<') {
            return Read::Malformed(Reason::Words("expected an element of a media hash list"));
        }
        let why = "an element of XML is not complete, or is not read";
        self.read_record(record).unwrap_or(Read::Malformed(Reason::Words(why)))
    }

    fn is_sure(&self) -> bool {
        self.is_sure
    }
}

/// What an element `hash` says.
struct File {
    name: Vec<u8>,
    size: Option<u64>,
    modified: Option<super::super::Time>,
    found: Found,
}

impl File {
    fn new(only: Option<HashName>) -> Self {
        Self { name: Vec::new(), size: None, modified: None, found: Found::new(only) }
    }

    fn take(&mut self, element: &[u8], text: Vec<u8>) {
        let text = text.trim_ascii();
        match element {
            b"path" | b"file" if self.name.is_empty() => self.name = text.to_vec(),
            b"path" | b"file" => self.found.wrong("there are two names"),
            b"size" => self.size = str::from_utf8(text).ok().and_then(|size| size.parse().ok()),
            b"lastmodificationdate" => self.modified = time::read(text),
            b"hashdate" | b"null" | b"previousPath" | b"creationdate" => {}
            function => self.found.named(&String::from_utf8_lossy(function), text),
        }
    }

    fn read(self) -> Read {
        self.found.entry(self.name).with(self.size, self.modified)
    }
}

enum Tag<'x> {
    /// What is between `<` and `>`.
    Element(&'x [u8]),
    /// Unescaped text.
    Text(&'x [u8]),
    Other,
}

/// The tag at the beginning of the text, and what follows it.
fn tag(text: &[u8]) -> Option<(Tag<'_>, &[u8])> {
    let until = |from: usize, end: &[u8]| {
        let at = text[from..].windows(end.len()).position(|part| part == end)?;
        Some((&text[from..from + at], &text[from + at + end.len()..]))
    };
    if text.starts_with(b"<!--") {
        return until(4, b"-->").map(|(_, rest)| (Tag::Other, rest));
    }
    if text.starts_with(b"<![CDATA[") {
        return until(9, b"]]>").map(|(inner, rest)| (Tag::Text(inner), rest));
    }
    if text.starts_with(b"<?") {
        return until(2, b"?>").map(|(_, rest)| (Tag::Other, rest));
    }
    let mut quote = None;
    let end = text.iter().position(|byte| {
        match (quote, byte) {
            (Some(open), _) if open == *byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(*byte),
            _ => {}
        }
        quote.is_none() && *byte == b'>'
    })?;
    (text.get(1) != Some(&b'!')).then_some((Tag::Element(&text[1..end]), &text[end + 1..]))
}

/// Whether the tag ends an element, and the name of the element without its prefix.
fn name_of(tag: &[u8]) -> (bool, &[u8]) {
    let name = tag.strip_prefix(b"/").unwrap_or(tag);
    let end = name.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'/');
    let plain = &name[..end.unwrap_or(name.len())];
    let prefix = plain.iter().position(|byte| *byte == b':').map_or(0, |colon| colon + 1);
    (name.len() < tag.len(), &plain[prefix..])
}

fn attribute<'x>(tag: &'x [u8], name: &[u8]) -> Option<&'x [u8]> {
    let begin = [b" ", name, b"=\""].concat();
    let at = tag.windows(begin.len()).position(|part| part == begin)? + begin.len();
    tag[at..].split(|byte| *byte == b'"').next()
}

/// Text in which `&` is no reference.
fn escaped(text: &[u8]) -> Cow<'_, [u8]> {
    if !text.contains(&b'&') {
        return text.into();
    }
    text.split(|byte| *byte == b'&').collect::<Vec<_>>().join(&b"&amp;"[..]).into()
}

/// Text with its references replaced. `None` if one is unknown.
fn unescaped(text: &[u8]) -> Option<Vec<u8>> {
    let mut parts = text.split(|byte| *byte == b'&');
    let mut plain = parts.next()?.to_vec();
    for part in parts {
        let end = part.iter().position(|byte| *byte == b';')?;
        let character = match &part[..end] {
            b"amp" => '&',
            b"lt" => '<',
            b"gt" => '>',
            b"quot" => '"',
            b"apos" => '\'',
            code => {
                let number = str::from_utf8(code).ok()?.strip_prefix('#')?;
                let number = match number.strip_prefix('x') {
                    Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                    None => number.parse().ok()?,
                };
                char::from_u32(number)?
            }
        };
        plain.extend(character.encode_utf8(&mut [0; 4]).bytes());
        plain.extend(&part[end + 1..]);
    }
    Some(plain)
}
