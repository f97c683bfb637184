//! Lines that begin with the name: `NAME: DIGEST`, `NAME DIGEST`, `"NAME" DIGEST`.

use super::super::span::{Part, Spans, range_in};
use super::super::{Entry, Expected, HashName, Read, Reason, digits};
use super::line::{guess, prefixed};
use super::{Given, LineReader, tagged};

/// The fewest digits of a digest: those of MD5 in base64. Fewer may be the end of a sentence.
const LEAST_DIGITS: usize = 22;

pub(super) struct Reader {
    function: Option<HashName>,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { function: given.function }
    }

    /// The name, the function and whether it was guessed, and the digits.
    fn split<'l>(&self, line: &'l [u8]) -> Option<(&'l [u8], HashName, bool, &'l [u8])> {
        let line = line.trim_ascii_end();
        let at = line.iter().rposition(|byte| matches!(byte, b' ' | b'\t'))?;
        let (name, word) = (line[..at].trim_ascii(), &line[at + 1..]);
        let name = name.strip_suffix(b":").unwrap_or(name).trim_ascii_end();
        let (function, is_guessed, digits) = match prefixed(word) {
            Some((function, digits)) => (function, false, digits),
            None if word.len() < LEAST_DIGITS => return None,
            None => (self.function.or_else(|| guess(word))?, self.function.is_none(), word),
        };
        // A tag that is not known, or is spelled wrongly.
        let is_tagged = matches!(tagged::split(line, true), tagged::Split::Malformed(_));
        let is_name = !name.is_empty() && !name.ends_with(b"=") && !is_tagged;
        is_name.then_some((unquoted(name), function, is_guessed, digits))
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        if line.starts_with(b"#") {
            return Read::Nothing;
        }
        let Some((name, function, guessed, digits)) = self.split(line) else {
            return Read::Malformed(Reason::Words("expected a name followed by a digest"));
        };
        if let Some(only) = self.function.filter(|only| !function.is_variant_of(*only)) {
            return Read::Malformed(Reason::Other(function, only));
        }
        match digits::read(digits, function) {
            Ok(digest) => {
                let digests = vec![Expected { function, digest, guessed }];
                Read::Entry(Entry::new(name.to_vec(), digests))
            }
            Err(reason) => Read::Malformed(reason),
        }
    }

    fn spans(&self, line: &[u8]) -> Spans {
        let span = |(_, function, _, digits)| (range_in(line, digits), Part::Digest(function));
        self.split(line).map(span).into_iter().collect()
    }
}

/// The name without quotes around it.
pub(super) fn unquoted(name: &[u8]) -> &[u8] {
    let inner = name.strip_prefix(b"\"").and_then(|name| name.strip_suffix(b"\""));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(name)
}
