//! Lines that begin with the name: `NAME: DIGEST`, `NAME DIGEST`, `"NAME" DIGEST`.
//!
//! Several digests may follow, as `rhash` writes them, and a function may come first:
//! `SHA256 NAME: DIGEST`.

use super::super::{HashName, Read, Reason, digits};
use super::column::Column;
use super::found::Found;
use super::line::{first_word, guess, prefixed};
use super::{Given, LineReader, tagged};

/// The fewest digits of a digest: those of MD5 in base64. Fewer may be the end of a sentence.
const LEAST_DIGITS: usize = 22;

#[derive(Default)]
pub(super) struct Reader;

/// The parts of a line.
type Line<'l> = (&'l [u8], Option<HashName>, Vec<&'l [u8]>);

impl Given {
    /// The name, the function if it comes first, and the digests.
    fn split<'l>(&self, line: &'l [u8]) -> Option<Line<'l>> {
        let (mut name, mut words) = (line.trim_ascii(), Vec::new());
        // A colon ends the name.
        while words.is_empty() || !name.ends_with(b":") {
            let Some(at) = name.iter().rposition(|byte| matches!(byte, b' ' | b'\t')) else {
                break;
            };
            let word = &name[at + 1..];
            let is_crc = !words.is_empty() && word.len() == CRC && is_hex(word);
            let is_digest = prefixed(word).is_some() || self.is_digest(word) || is_crc;
            if !is_digest {
                break;
            }
            words.insert(0, word);
            name = name[..at].trim_ascii_end();
        }
        let first = words.first()?;
        let is_named = name.ends_with(b":");
        let name = name.strip_suffix(b":").unwrap_or(name).trim_ascii_end();
        let (tag, rest) = first_word(name);
        let tag = str::from_utf8(tag).ok().and_then(HashName::named);
        let is_of = |tag: &HashName| is_named && digits::read(first, *tag).is_ok();
        let (tag, name) = match (tag.filter(is_of), rest) {
            (Some(tag), Some(rest)) => (Some(tag), rest.trim_ascii()),
            _ => (None, name),
        };
        // A tag that is not known, or is spelled wrongly, or one of several fields.
        let is_tagged = matches!(tagged::split(line, true), tagged::Split::Malformed(_));
        let is_field = is_named && !matches!(Column::named(name), Column::Other(_));
        let is_name = !name.is_empty() && !name.ends_with(b"=") && !is_tagged && !is_field;
        is_name.then_some((unquoted(name), tag, words))
    }

    fn is_digest(&self, word: &[u8]) -> bool {
        let is_of = |function: HashName| digits::read(word, function).is_ok();
        word.len() >= LEAST_DIGITS && (guess(word).is_some() || self.function.is_some_and(is_of))
    }
}

/// The digits of a CRC, which may come before other digests.
const CRC: usize = 8;

fn is_hex(word: &[u8]) -> bool {
    word.iter().all(u8::is_ascii_hexdigit)
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if line.starts_with(b"#") || line.starts_with(b";") {
            return Ok(Read::Nothing);
        }
        let why = Reason::Words("expected a name followed by a digest");
        let (name, tag, words) = given.split(line).ok_or(why)?;
        let mut found = Found::new(given.function);
        for word in words {
            match tag.or_else(|| HashName::named("crc32").filter(|_| word.len() == CRC)) {
                Some(function) => found.digest(function, word),
                None => found.guessed(word),
            }
        }
        found.entry(name.to_vec())
    }
}

/// The name without quotes around it.
pub(super) fn unquoted(name: &[u8]) -> &[u8] {
    let inner = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(name)
}
