//! Lines that name the hash function: `SHA256 (NAME) = DIGEST`, as BSD and `cksum` write them.
//!
//! The lines of OpenSSL are read, too: `SHA2-256(NAME)= DIGEST`. For the standard input it writes
//! `SHA256(stdin)= DIGEST` or, before version 3, `(stdin)= DIGEST`. A file named `stdin` gives the
//! same line, which is taken for the standard input.

use super::super::{Digits, HashName, Reason};
use super::line::{Parts, guess, trim_blanks};

/// The maximum length of a tag in bytes.
const MAX_TAG: usize = 40;

/// Appends a line without its terminator.
pub(in super::super) fn write(
    to: &mut Vec<u8>,
    function: HashName,
    (digest, digits): (&[u8], Digits),
    (name, escaped): (&[u8], bool),
) {
    if escaped {
        to.push(b'\\');
    }
    to.extend(function.tag().as_bytes());
    to.extend(b" (");
    to.extend(name);
    to.extend(b") = ");
    digits.write(digest, to);
}

pub(super) enum Split<'l> {
    /// The line does not begin with a tag and `(`.
    No,
    Malformed(Reason),
    /// The line is well-formed, but this tag is unknown.
    Unknown(String),
    Parts(Parts<'l>),
}

/// Splits a tagged line. There is at most one blank between the tag and `(`, or any number if the
/// tags are `padded`, as in `rhash --bsd`.
pub(super) fn split(line: &[u8], padded: bool) -> Split<'_> {
    let Some(open) = line.iter().take(MAX_TAG).position(|&byte| byte == b'(') else {
        return Split::No;
    };
    let (tag, rest) = (&line[..open], &line[open + 1..]);
    let spaced = tag.ends_with(b" ");
    let tag = if padded { tag.trim_ascii_end() } else { tag.strip_suffix(b" ").unwrap_or(tag) };
    let is_tag = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'/' | b'_');
    if !tag.iter().all(is_tag) || spaced && tag.is_empty() {
        return Split::No;
    }
    let Some((name, digits)) = split_rest(rest) else {
        // The digits of a digest alone might look like a tag.
        let why = "expected \") = DIGEST\" after the name";
        let is_known = known(tag, padded).is_some();
        return if is_known { Split::Malformed(Reason::Words(why)) } else { Split::No };
    };
    let name = if !spaced && name == b"stdin" { b"-" } else { name };
    let function = if tag.is_empty() && name == b"-" { guess(digits) } else { known(tag, padded) };
    match function {
        Some(function) => Split::Parts(Parts { function, guessed: tag.is_empty(), digits, name }),
        None => match str::from_utf8(tag) {
            // A misspelled tag is not a tag.
            Ok(tag) if is_digest(digits) && is_new(tag) => Split::Unknown(tag.to_owned()),
            _ => Split::Malformed(Reason::Words("unknown hash function")),
        },
    }
}

/// The function with this tag. OpenSSL 3 writes SHA2-256 for SHA256. Tags of functions that GNU's
/// tools lack are accepted in any spelling, because their writers disagree.
fn known(tag: &[u8], may_be_lower: bool) -> Option<HashName> {
    let tag = str::from_utf8(tag).ok()?;
    let function = HashName::named(tag)?;
    let name = function.tag();
    let openssl = || {
        let bits = tag.strip_prefix("SHA2-");
        bits.is_some() && bits == name.strip_prefix("SHA")
    };
    // Solaris writes all in lower case.
    let is_lower = may_be_lower && tag == name.to_ascii_lowercase();
    (tag == name || is_lower || openssl() || !function.has_one_tag()).then_some(function)
}

/// Whether this may be the tag of an unknown function.
fn is_new(tag: &str) -> bool {
    tag.starts_with(|first: char| first.is_ascii_uppercase()) && HashName::named(tag).is_none()
}

/// The name and the digest of the rest of a tagged line: `NAME) = DIGEST`.
fn split_rest(rest: &[u8]) -> Option<(&[u8], &[u8])> {
    let close = rest.iter().rposition(|&byte| byte == b')')?;
    let (name, rest) = rest.split_at(close);
    let digits = trim_blanks(trim_blanks(&rest[1..]).strip_prefix(b"=")?);
    Some((name, digits))
}

/// Whether this may be a digest: of at least the length of a CRC in hexadecimal digits, or of a
/// Tiger tree or SHA-1 in base32.
fn is_digest(digits: &[u8]) -> bool {
    let base32 = |digit: &u8| digit.is_ascii_alphabetic() || matches!(digit, b'2'..=b'7');
    let colons = digits.get(2) == Some(&b':');
    let hex = digits.len() >= 8 && digits.len().is_multiple_of(2);
    hex && digits.iter().all(u8::is_ascii_hexdigit)
        || colons
        || matches!(digits.len(), 32 | 39) && digits.iter().all(base32)
}
