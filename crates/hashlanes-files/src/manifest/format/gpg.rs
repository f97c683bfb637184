//! The output of `gpg --print-md`: groups of digits, over several lines if they are long.
//!
//! ```text
//! a:    MD5 = 90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72
//! a: SHA256 = BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61
//!             F20015AD
//! ```

use super::super::{Entry, Expected, HashName, Read, Reason, digits};
use super::line::guess;
use super::{Given, LineReader};

/// More digits than a digest has.
const MAX_DIGITS: usize = 256;

pub(super) struct Reader {
    only: Option<HashName>,
    /// The digest that the next line may continue.
    begun: Option<Begun>,
}

struct Begun {
    name: Vec<u8>,
    function: Option<Option<HashName>>,
    digits: Vec<u8>,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { only: given.function, begun: None }
    }

    fn finish(&self, begun: Begun) -> Read {
        let Begun { name, function, digits } = begun;
        let guessed = function.is_none();
        let Some(function) = function.unwrap_or_else(|| self.only.or_else(|| guess(&digits)))
        else {
            return Read::Malformed(Reason::Length(digits.len()));
        };
        if let Some(only) = self.only.filter(|only| *only != function) {
            return Read::Malformed(Reason::Other(function, only));
        }
        match digits::read(&digits, function) {
            Ok(digest) => {
                Read::Entry(Entry::new(name, vec![Expected { function, digest, guessed }]))
            }
            Err(reason) => Read::Malformed(reason),
        }
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        if let (Some(begun), Some(more)) = (&mut self.begun, continued(line)) {
            begun.digits.extend(more);
            begun.digits.truncate(MAX_DIGITS);
            return Read::Nothing;
        }
        let before = self.begun.take();
        self.begun = begin(line);
        let is_other = self.begun.is_none() && !line.starts_with(b"#");
        match before {
            Some(before) => self.finish(before),
            None if is_other => Read::Malformed(Reason::Words("expected a name and a digest")),
            None => Read::Nothing,
        }
    }

    fn end(&mut self) -> Read {
        self.begun.take().map_or(Read::Nothing, |begun| self.finish(begun))
    }
}

/// The digits of a line that continues a digest.
fn continued(line: &[u8]) -> Option<Vec<u8>> {
    line.starts_with(b" ").then(|| groups(line)).flatten().filter(|digits| !digits.is_empty())
}

/// Digits without the blanks between their groups.
fn groups(text: &[u8]) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    digits.iter().all(u8::is_ascii_hexdigit).then_some(digits)
}

/// A line `NAME: DIGITS` or `NAME: FUNCTION = DIGITS`.
fn begin(line: &[u8]) -> Option<Begun> {
    let colon = line.windows(2).rposition(|pair| pair == b": ")?;
    let (name, rest) = (&line[..colon], line[colon + 1..].trim_ascii());
    let (function, rest) = match rest.windows(3).position(|mark| mark == b" = ") {
        None => (None, rest),
        Some(at) => {
            let name = str::from_utf8(rest[..at].trim_ascii()).ok()?;
            (Some(Some(HashName::named(name)?)), &rest[at + 3..])
        }
    };
    // A single group is a digest of another program.
    let is_grouped = rest.is_empty() || function.is_some() || rest.contains(&b' ');
    let digits = groups(rest).filter(|_| is_grouped && !name.is_empty())?;
    Some(Begun { name: name.to_vec(), function, digits })
}
