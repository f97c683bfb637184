//! Sizes as people write them: `64`, `4KiB`, `1MB`, `1GiB`.

use std::fmt;
use std::str::FromStr;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Size(u64);

impl Size {
    #[cfg(any(test, feature = "lab"))]
    pub(crate) const fn new(bytes: u64) -> Self {
        Self(bytes)
    }

    pub(crate) const fn bytes(self) -> u64 {
        self.0
    }

    /// The size as a length in memory.
    pub(crate) fn in_memory(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

/// Why a text is not a size. The message says what is allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizeError {
    too_large: bool,
}

impl fmt::Display for SizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.too_large {
            "larger than 2^64 - 1 bytes"
        } else {
            "a size is a number of bytes (64), or a number with a unit of 1000 (4kB, 1MB, 2GB) \
             or 1024 (4KiB, 1.5MiB, 2GiB)"
        })
    }
}

impl std::error::Error for SizeError {}

impl FromStr for Size {
    type Err = SizeError;

    fn from_str(text: &str) -> Result<Self, SizeError> {
        // Only digits, an optional fraction, and a unit. The parser below would also accept
        // exponents, underscores, and blanks within a number.
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let unit = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
        let (whole, fraction) = text[..unit].split_once('.').unwrap_or((&text[..unit], "0"));
        if !digits(whole)
            || !digits(fraction)
            || !text[unit..].trim_start().bytes().all(|byte| byte.is_ascii_alphabetic())
        {
            return Err(SizeError { too_large: false });
        }
        // A size is a whole number of bytes.
        let is_part = text[..unit].contains('.');
        if is_part && matches!(text[unit..].trim_start(), "" | "b" | "B") {
            return Err(SizeError { too_large: false });
        }
        // `parse_size` rounds the 21st digit up without looking for an overflow: it would take
        // 184467440737095516155 for 0.
        let significant = whole.trim_start_matches('0').len();
        if significant + if is_part { fraction.len() } else { 0 } > 20 {
            return Err(SizeError { too_large: significant > 20 });
        }
        match parse_size::parse_size(text) {
            Ok(bytes) => Ok(Self(bytes)),
            Err(error) => Err(SizeError { too_large: error == parse_size::Error::PosOverflow }),
        }
    }
}

impl fmt::Display for Size {
    /// Uses the largest unit in which the size is a whole number. Units of 1024 are preferred to
    /// those of 1000.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            (1 << 40, "TiB"),
            (1 << 30, "GiB"),
            (1 << 20, "MiB"),
            (1 << 10, "KiB"),
            (1_000_000_000_000, "TB"),
            (1_000_000_000, "GB"),
            (1_000_000, "MB"),
            (1_000, "kB"),
        ];
        let whole =
            units.into_iter().find(|(unit, _)| self.0 >= *unit && self.0.is_multiple_of(*unit));
        let (unit, name) = whole.unwrap_or((1, "B"));
        f.pad(&format!("{} {name}", self.0 / unit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<u64, SizeError> {
        text.parse().map(Size::bytes)
    }

    #[test]
    fn sizes_are_plain_or_have_units_of_1000_or_1024() {
        for (text, bytes) in [
            ("0", 0),
            ("64", 64),
            ("64B", 64),
            ("4k", 4000),
            ("4kB", 4000),
            ("4KB", 4000),
            ("4KiB", 4096),
            ("4 KiB", 4096),
            ("4kib", 4096),
            ("1MB", 1_000_000),
            ("1.5MiB", 1_572_864),
            ("1GiB", 1 << 30),
            ("2TB", 2_000_000_000_000),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn invalid_sizes_are_refused_with_the_valid_forms() {
        for text in [
            "", " ", "x", "KiB", "-1", "+1", "1e3", "1_000", "0x10", "1XB", "1.KiB", ".5MB",
            "1..2", "1 2", "4KiBB", "٣", "1.7", "1.7B", "1.0 b",
        ] {
            assert_eq!(parse(text), Err(SizeError { too_large: false }), "{text}");
        }
        for text in ["18446744073709551616", "184467440737095516155", "16EiB", "99999999999999GiB"]
        {
            assert_eq!(parse(text), Err(SizeError { too_large: true }), "{text}");
        }
        // More digits than the parser can round.
        assert_eq!(parse("1.84467440737095516155kB"), Err(SizeError { too_large: false }));
        assert!(SizeError { too_large: false }.to_string().contains("4KiB"));
    }

    #[test]
    fn sizes_are_printed_exactly() {
        for (bytes, text) in [
            (0, "0 B"),
            (16, "16 B"),
            (1000, "1 kB"),
            (1024, "1 KiB"),
            (1025, "1025 B"),
            (65536, "64 KiB"),
            (5 << 20, "5 MiB"),
            (3_000_000, "3 MB"),
        ] {
            assert_eq!(Size::new(bytes).to_string(), text);
            assert_eq!(parse(text), Ok(bytes));
        }
    }
}
