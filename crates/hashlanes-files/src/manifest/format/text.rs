//! Plain lines, as `sha256sum` and similar tools write them, and the reader of all text lines.
//!
//! | lines | |
//! |---|---|
//! | plain | `DIGEST  NAME`, or `DIGEST *NAME` for a file read as binary |
//! | reversed, of old BSD | `DIGEST NAME` |
//! | tagged | see [`tagged`](super::tagged) |
//!
//! Backslashes, newlines and carriage returns in the name are escaped. Such a line begins with a
//! backslash. Digests are hexadecimal or base64, or name their function as in `sha256:HEX` or
//! `SHA256 HEX`.

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, Entry, HashName, NameField, Read, Reason, digits};
use super::line::{Parts, digest_len, first_word, guess, prefixed, trim_blanks};
use super::tagged::{self, Split};
use super::{Given, LineReader};
use crate::name::unescape;

/// Appends a line without its terminator: the mark of an escaped name, the digest, the blanks or
/// the mark between them, and the name.
pub(in super::super) fn write(
    to: &mut Vec<u8>,
    (digest, digits): (&[u8], Digits),
    (name, escaped): (&[u8], bool),
    between: &[u8],
) {
    if escaped {
        to.push(b'\\');
    }
    digits.write(digest, to);
    to.extend(between);
    to.extend(name);
}

/// A reader tells the lines of several functions apart by the lengths of their digests, which only
/// the most common functions have to themselves. With a single function it can be told which.
pub(super) fn refuses(functions: &[HashName]) -> Option<String> {
    if functions.len() < 2 {
        return None;
    }
    let usual = |function: HashName| HashName::by_length(function.digest_len());
    let other = functions.iter().find(|function| usual(**function) != Some(**function))?;
    Some(match usual(*other) {
        Some(usual) => format!("the lines of {usual} and {other} look the same; use --tag"),
        None => format!("plain lines do not show that their function is {other}; use --tag"),
    })
}

/// Reads plain, reversed and tagged lines.
#[derive(Default)]
pub(in super::super) struct Reader(NameField);

/// What `rclone` writes in place of a digest that a store does not have.
const NO_DIGEST: [(&[u8], &str); 2] = [
    (b"UNSUPPORTED  ", "the manifest has no digest of it, only UNSUPPORTED"),
    (b"ERROR  ", "the manifest has no digest of it, only ERROR"),
];

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if line.starts_with(b"#") || line.starts_with(b";") || is_of_ports(line) {
            return Ok(Read::Nothing);
        }
        let line = given.without_size(trim_blanks(line));
        let (escaped, line) = match line.strip_prefix(br"\") {
            Some(line) if !given.literal => (true, line),
            _ => (false, line),
        };
        for (word, why) in NO_DIGEST {
            if let Some(name) = line.strip_prefix(word).filter(|name| !name.is_empty()) {
                return Ok(Read::Unverified(name.to_vec(), why));
            }
        }
        let (tagged, parts) = match tagged::split(line, given.function.is_none()) {
            Split::No => (false, given.split_plain(&mut self.0, line)?),
            Split::Malformed(reason) => return Err(reason),
            Split::Unknown(tag) if given.function.is_none() => return Ok(Read::Unknown(tag)),
            Split::Unknown(_) => return Err(Reason::Words("the digest is of another function")),
            Split::Parts(parts) => (true, parts),
        };
        let Parts { function, guessed, digits, name } = parts;
        let why = Reason::Words("the name has an invalid escape");
        let plain = if escaped { unescape(name) } else { Some(name.to_vec()) };
        // Of several faults, that of the digest is told.
        match given.entry(plain.clone().unwrap_or_default(), function, digits, guessed)? {
            Read::Entry(_) if plain.is_none() => Err(why),
            Read::Entry(entry) => Ok(Read::Entry(Entry { tagged, ..entry })),
            other => Ok(other),
        }
    }

    fn is_reversed(&self) -> bool {
        self.0.is_reversed()
    }

    fn spans(&self, given: &Given, line: &[u8]) -> Spans {
        let text = given.without_size(trim_blanks(line));
        let text = text.strip_prefix(br"\").filter(|_| !given.literal).unwrap_or(text);
        let parts = match tagged::split(text, given.function.is_none()) {
            Split::Parts(parts) => Some(parts),
            Split::No => given.split_plain(&mut self.0.clone(), text).ok(),
            Split::Malformed(_) | Split::Unknown(_) => None,
        };
        let span = |parts: Parts<'_>| (range_in(line, parts.digits), Part::Digest(parts.function));
        parts.map(span).into_iter().collect()
    }
}

/// Whether a line is tagged, or `DIGEST  NAME` or `DIGEST *NAME`, whatever is in the name.
pub(super) fn is_usual(given: &Given, line: &[u8]) -> bool {
    let mut reader = Reader::default();
    let read = reader.read(&mut Given { function: None, ..given.clone() }, line);
    matches!(read, Ok(Read::Entry(_))) && !reader.is_reversed()
}

impl Given {
    /// The parts of a plain or reversed line.
    fn split_plain<'l>(&self, names: &mut NameField, line: &'l [u8]) -> Result<Parts<'l>, Reason> {
        let length = line.iter().take_while(|byte| is_digit(**byte)).count();
        let (mut digits, mut rest) = line.split_at(length);
        let mut named = None;
        let is_c4 = length == digits::C4_LEN;
        if let Some((function, after)) = after_function(line) {
            digits = first_word(after).0;
            (named, rest) = (Some((function, digits)), &after[digits.len()..]);
        } else if is_c4 || !matches!(rest, [] | [b' ' | b'\t', ..]) {
            let (word, _) = first_word(line);
            named = prefixed(word);
            let is_url = || word.iter().all(|byte| is_digit(*byte) || is_url_digit(*byte));
            if named.is_some() || is_url() && self.function_of(word).is_ok() {
                digits = named.map_or(word, |(_, digits)| digits);
                rest = &line[word.len()..];
            }
        }
        let function = match named {
            Some((function, _)) => function,
            None => self.function_of(digits)?,
        };
        let rest = match rest {
            [] | [b' ' | b'\t'] => return Err(Reason::NO_NAME),
            [b' ' | b'\t', rest @ ..] => rest,
            _ => return Err(Reason::Words("expected a space after the digest")),
        };
        let why = "one space follows the digest, but other lines have two";
        let name = names.read(rest).ok_or(Reason::Words(why))?;
        let guessed = self.function.is_none() && named.is_none();
        Ok(Parts { function, guessed, digits, name })
    }

    /// The function of a plain line with this digest.
    fn function_of(&self, digits: &[u8]) -> Result<HashName, Reason> {
        let found = match self.function {
            Some(function) => {
                digest_len(digits).and_then(|length| function.with_digest_len(length))
            }
            None => {
                let likely = self.likely.filter(|it| digest_len(digits) == Some(it.digest_len()));
                likely.or_else(|| guess(digits))
            }
        };
        found.ok_or_else(|| Reason::of_first_word(digits, self.function))
    }

    /// A line without the size that `md5deep -z` puts before the digest.
    fn without_size<'l>(&self, line: &'l [u8]) -> &'l [u8] {
        let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let known = self.function.or(self.likely);
        let is_size = (1..=MAX_SIZE).contains(&digits)
            && known.is_none_or(|function| digits != 2 * function.digest_len());
        let rest = line[digits..].strip_prefix(b"  ").filter(|_| is_size);
        let is_digest = |rest: &&[u8]| guess(first_word(rest).0).is_some();
        rest.filter(is_digest).unwrap_or(line)
    }
}

/// Whether a line of `distinfo` has no digest: `SIZE (NAME) = 3` in FreeBSD's and OpenBSD's ports,
/// `$NetBSD: ..$` and `Size (NAME) = 3 bytes` in NetBSD's.
fn is_of_ports(line: &[u8]) -> bool {
    let begins = |begin: &[u8]| line.starts_with(begin);
    let is_one = begins(b"SIZE (") || begins(b"Size (") || begins(b"TIMESTAMP = ");
    let line = line.strip_suffix(b" bytes").unwrap_or(line);
    let number = line.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
    let is_keyword = begins(b"$NetBSD") && line.ends_with(b"$");
    is_keyword || is_one && !number.is_empty() && number.iter().all(u8::is_ascii_digit)
}

/// The function that begins a line with a digest of it and a name, and the line after it:
/// `SHA256 DIGEST NAME` in `SIGNATURE` of CPAN, `MD5: DIGEST NAME`.
fn after_function(line: &[u8]) -> Option<(HashName, &[u8])> {
    let (word, after) = first_word(line);
    let name = str::from_utf8(word.strip_suffix(b":").unwrap_or(word)).ok()?;
    // Several blanks are those of a table.
    let (function, after) = (HashName::named(name)?, after?);
    let (digits, name) = first_word(after);
    (name.is_some() && digits::read(digits, function).is_ok()).then_some((function, after))
}

/// The most digits of a size.
const MAX_SIZE: usize = 20;

/// Whether this is a digit of base64 for URLs only.
fn is_url_digit(byte: u8) -> bool {
    matches!(byte, b'-' | b'_')
}

/// Whether this is a digit of either encoding.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}
