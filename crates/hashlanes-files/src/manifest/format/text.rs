//! Plain lines, as `sha256sum` and its siblings write them, and the reader of all text lines.
//!
//! | lines | |
//! |---|---|
//! | plain | `DIGEST  NAME`, or `DIGEST *NAME` for a file read as binary |
//! | reversed, of old BSD | `DIGEST NAME` |
//! | tagged | see [`tagged`](super::tagged) |
//!
//! Backslashes, newlines and carriage returns in the name are escaped. Then the line begins with a
//! backslash. Digests are hexadecimal or base64.

use super::super::{Digits, Entry, Expected, HashName, NameField, Read, digits};
use super::tagged;
use crate::name::unescape;

/// Appends a line without its end: the mark that the name is escaped, the digest and the name.
pub(in super::super) fn write(
    to: &mut Vec<u8>,
    (digest, digits): (&[u8], Digits),
    (name, escaped): (&[u8], bool),
    binary: bool,
) {
    if escaped {
        to.push(b'\\');
    }
    digits.write(digest, to);
    to.extend(if binary { b" *" } else { b"  " });
    to.extend(name);
}

pub(super) fn refuses(functions: &[HashName]) -> Option<String> {
    functions.iter().enumerate().find_map(|(i, a)| {
        let b = functions[..i].iter().find(|b| a.digest_len() == b.digest_len())?;
        Some(format!("the lines of {b} and {a} look the same; use --tag"))
    })
}

/// Reads plain, reversed and tagged lines.
#[derive(Clone)]
pub(in super::super) struct Reader {
    /// The function of all lines, if it is given. Otherwise a line's tag or the length of its
    /// digest tells it.
    function: Option<HashName>,
    /// Names are as they are, without escapes.
    literal: bool,
    names: NameField,
}

/// The parts of a line.
pub(in super::super) struct Parts<'l> {
    pub(in super::super) function: HashName,
    pub(in super::super) guessed: bool,
    pub(in super::super) digits: &'l [u8],
    pub(in super::super) name: &'l [u8],
}

impl Reader {
    pub(in super::super) fn new(function: Option<HashName>, literal: bool) -> Self {
        Self { function, literal, names: NameField::default() }
    }

    pub(in super::super) fn read(&mut self, line: &[u8]) -> Read {
        if line.starts_with(b"#") {
            return Read::Nothing;
        }
        let line = trim_blanks(line);
        let (escaped, line) = match line.strip_prefix(br"\") {
            Some(line) if !self.literal => (true, line),
            _ => (false, line),
        };
        let mut is_tagged = false;
        let parts = match tagged::split(line, self.function.is_none()) {
            tagged::Split::No => self.split_plain(line),
            tagged::Split::Malformed => None,
            tagged::Split::Unknown(_) if self.function.is_some() => None,
            tagged::Split::Unknown(tag) => return Read::Unknown(tag),
            tagged::Split::Parts(parts) => {
                is_tagged = true;
                Some(parts)
            }
        };
        let entry = parts.and_then(|parts| self.entry(&parts, escaped));
        entry.map_or(Read::Malformed, |entry| Read::Entry(Entry { tagged: is_tagged, ..entry }))
    }

    fn entry(&self, parts: &Parts<'_>, escaped: bool) -> Option<Entry> {
        let &Parts { function, guessed, digits, name } = parts;
        if self.function.is_some_and(|only| !function.is_variant_of(only)) {
            return None;
        }
        let digest = digits::read(digits, function.digest_len())?;
        let name = if escaped { unescape(name)? } else { name.to_vec() };
        let digests = vec![Expected { function, digest, guessed }];
        Some(Entry::new(name, digests))
    }

    /// The parts of a plain or reversed line.
    fn split_plain<'l>(&mut self, line: &'l [u8]) -> Option<Parts<'l>> {
        let length = line.iter().take_while(|byte| is_digit(**byte)).count();
        let (digits, rest) = line.split_at(length);
        let function = self.function_of(digits)?;
        let [b' ' | b'\t', rest @ ..] = rest else { return None };
        if rest.is_empty() {
            return None;
        }
        let name = self.names.read(rest)?;
        let guessed = self.function.is_none();
        Some(Parts { function, guessed, digits, name })
    }

    /// The function of a plain line with such a digest.
    fn function_of(&self, digits: &[u8]) -> Option<HashName> {
        match self.function {
            Some(function) => function.with_digest_len(digest_len(digits)?),
            None => guess(digits),
        }
    }
}

/// The function that the length of a digest suggests.
pub(super) fn guess(digits: &[u8]) -> Option<HashName> {
    // A hexadecimal digest with a wrong digit or two has the length of a longer one in base64. In
    // base64 two of three digits are not hexadecimal.
    let others = digits.iter().filter(|digit| !digit.is_ascii_hexdigit()).count();
    if matches!(others, 1 | 2) {
        return None;
    }
    HashName::by_length(digest_len(digits)?)
}

/// Bytes of the digest that these digits are.
fn digest_len(digits: &[u8]) -> Option<usize> {
    if digits.iter().all(u8::is_ascii_hexdigit) && digits.len().is_multiple_of(2) {
        return Some(digits.len() / 2);
    }
    let padding = digits.iter().rev().take_while(|digit| **digit == b'=').count();
    let whole = digits.len().is_multiple_of(4) && padding < 3;
    whole.then(|| (digits.len() / 4 * 3).checked_sub(padding))?
}

/// Whether this is a digit of either kind.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

pub(super) fn trim_blanks(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[blanks..]
}
