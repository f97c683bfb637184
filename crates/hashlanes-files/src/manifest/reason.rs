//! Why a line of a manifest cannot be used.

use std::fmt;

use super::HashName;

/// Fewer digits at the beginning of a line may be a word, such as `Added`.
const LEAST_DIGITS: usize = 8;

/// A digest whose length no function has is attributed to a function whose digests differ in length
/// by at most this many digits.
const NEAR: usize = 4;

/// The maximum number of characters shown of another crate's message.
const MAX_MESSAGE: usize = 160;

/// Why a line does not conform to its format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The digest is missing.
    NoDigest,
    /// The digest of this function has this number of hexadecimal digits.
    Digits(HashName, usize),
    /// No function has digests with this number of hexadecimal digits.
    Length(usize),
    /// A hexadecimal digest contains this other character.
    NotHex(u8),
    /// The digest of this function is neither hexadecimal nor base64.
    NotDigits(HashName),
    /// The line is for the first function, but only the second was requested.
    Other(HashName, HashName),
    /// There are two digests of this function.
    Twice(HashName),
    /// The numbers of fields of the row and of the header, which differ.
    Fields(usize, usize),
    /// The line is not the expected JSON object, for this reason.
    Json(String),
    /// Anything else, in words.
    Words(&'static str),
}

impl Reason {
    /// Whether it says what was expected, and only the line shows what there was.
    pub fn wants_line(&self) -> bool {
        self.to_string().starts_with("expected ")
            && !matches!(self, Self::Digits(..) | Self::Fields(..))
    }

    pub(super) const NO_NAME: Self = Self::Words("the name is missing");

    /// The problem of a digest that cannot be read.
    pub(super) fn of_digits(digits: &[u8], function: HashName) -> Self {
        let others = digits.iter().filter(|digit| !digit.is_ascii_hexdigit());
        match (others.clone().count(), others.min()) {
            _ if digits.is_empty() => Self::NoDigest,
            (0, _) => Self::Digits(function, digits.len()),
            // In base64, two of three digits are not hexadecimal.
            (1 | 2, Some(&other)) => Self::NotHex(other),
            _ => Self::NotDigits(function),
        }
    }

    /// The problem of the first word of a line, which is not a digest of the function, if one is
    /// given, and whose length implies no function.
    pub(super) fn of_first_word(digits: &[u8], function: Option<HashName>) -> Self {
        if digits.len() < LEAST_DIGITS {
            return Self::NoDigest;
        }
        let near = || {
            (0..=NEAR).find_map(|by| {
                let lengths = [digits.len().checked_sub(by)?, digits.len() + by];
                let even = lengths.into_iter().filter(|length| length.is_multiple_of(2));
                even.filter_map(|length| HashName::by_length(length / 2)).next()
            })
        };
        let is_hex = digits.iter().all(u8::is_ascii_hexdigit);
        match function.or_else(near) {
            None if is_hex => Self::Length(digits.len()),
            None => Self::NoDigest,
            Some(function) => match Self::of_digits(digits, function) {
                Self::NotDigits(_) => Self::NoDigest,
                reason => reason,
            },
        }
    }

    pub(super) fn of_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // The text is a single line, so its number is useless.
        let end = text.rfind(" at line ").unwrap_or(text.len());
        Self::Json(text[..end].chars().take(MAX_MESSAGE).collect())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDigest => f.write_str("expected a digest"),
            Self::Digits(function, found) => {
                let (tag, digits) = (function.tag(), 2 * function.digest_len());
                write!(f, "expected {digits} hexadecimal digits for {tag}, got {found}")
            }
            Self::Length(found) => {
                let mut fitting = HashName::of_length(found / 2).filter(|_| found % 2 == 0);
                let Some(first) = fitting.next() else {
                    return write!(f, "{found} hexadecimal digits fit no known hash function");
                };
                let can = |it: HashName| crate::Function::from_name(&it.name()).is_ok();
                write!(f, "{found} hexadecimal digits may be of {first}")?;
                let mut is_any = can(first);
                for other in fitting {
                    is_any |= can(other);
                    write!(f, ", {other}")?;
                }
                f.write_str(if is_any {
                    "; name the function with -a"
                } else {
                    ", which is not supported"
                })
            }
            Self::NotHex(byte) => {
                write!(f, "digest has '{}', which is not a hexadecimal digit", byte.escape_ascii())
            }
            Self::NotDigits(function) => {
                write!(f, "digest is neither hexadecimal nor base64 of {}", function.tag())
            }
            Self::Other(found, wanted) => {
                write!(f, "digest of {}, but only {} was requested", found.tag(), wanted.tag())
            }
            Self::Twice(function) => write!(f, "more than one digest of {}", function.tag()),
            Self::Fields(found, expected) => {
                write!(f, "expected {expected} fields, as in the header, got {found}")
            }
            Self::Json(why) => write!(f, "not a JSON object for a file: {why}"),
            Self::Words(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Read, Reader, ReaderOptions};
    use super::*;

    const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
    const SHA1: &str = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

    /// The reason given for the last of these lines.
    #[track_caller]
    fn reason(lines: &str, options: ReaderOptions) -> String {
        let mut reader = Reader::new(options);
        match lines.lines().map(|line| reader.read(line.as_bytes())).last() {
            Some(Read::Malformed(reason)) => reason.to_string(),
            other => panic!("{lines}: {other:?}"),
        }
    }

    #[test]
    fn reasons_name_what_is_wrong_with_a_line_of_text() {
        let no_name = "the name is missing";
        for (line, expected) in [
            (format!("{}  a", &SHA1[1..]), "expected 40 hexadecimal digits for SHA1, got 39"),
            (format!("{MD5}00  a"), "expected 32 hexadecimal digits for MD5, got 34"),
            (format!("{MD5}{MD5}{SHA1}  a"), "104 hexadecimal digits fit no known hash function"),
            (format!("{}g  a", &MD5[1..]), "digest has 'g', which is not a hexadecimal digit"),
            (MD5.into(), no_name),
            (format!("{MD5} "), no_name),
            (format!("{MD5}-a"), "expected a space after the digest"),
            (format!("\\{MD5}  a\\x"), "the name has an invalid escape"),
            ("Released 20261122".into(), "expected a digest"),
            (format!("MD5 (a) = {MD5}0"), "expected 32 hexadecimal digits for MD5, got 33"),
            ("MD5 (a) = ".into(), "expected a digest"),
            (format!("MD5 (a) {MD5}"), "expected \") = DIGEST\" after the name"),
            (
                format!("MD5 (a) = {}", "x".repeat(24)),
                "digest is neither hexadecimal nor base64 \
                                                       of MD5",
            ),
            (format!("Md5 (a) = {MD5}"), "unknown hash function"),
            (
                format!("{MD5}  a\n{MD5} a"),
                "one space follows the digest, but other lines have two",
            ),
            ("{\"path\":\"a\"}".into(), "expected a digest"),
            ("{\"path\":\"a\",\"digests\":{}}".into(), "expected a digest"),
            ("path,md5\na".into(), "expected 2 fields, as in the header, got 1"),
            (format!("path,md5\n,{MD5}"), no_name),
            (format!("path,md5\n\"a\"b,{MD5}"), "unexpected quote inside a field"),
            ("%%%% HASHDEEP-1.0\n1,00,a".into(), "no earlier line names the columns"),
            ("; SFV\na 0000000".into(), "expected a name followed by a CRC-32"),
        ] {
            assert_eq!(reason(&line, ReaderOptions::default()), expected, "{line}");
        }
        let function = HashName::named("sha1");
        let given = || ReaderOptions { function, ..ReaderOptions::default() };
        let expected = "expected 40 hexadecimal digits for SHA1, got 32";
        assert_eq!(reason(&format!("{MD5}  a"), given()), expected);
        let expected = "digest of MD5, but only SHA1 was requested";
        assert_eq!(reason(&format!("MD5 (a) = {MD5}"), given()), expected);
    }
}
