//! Digests in hexadecimal.

use core::fmt;
use core::str::FromStr;

use super::digest::{AnyDigest, InvalidDigest, LENGTHS, LONGEST, Reason};

/// Parses hexadecimal digits in lower, upper or mixed case.
impl FromStr for AnyDigest {
    type Err = InvalidDigest;

    fn from_str(hex: &str) -> Result<Self, InvalidDigest> {
        let mut bytes = [0; LONGEST];
        let mut digits = 0;
        for character in hex.chars() {
            let Some(value) = character.to_digit(16) else {
                return Err(InvalidDigest(Reason::NoDigit { character, number: digits + 1 }));
            };
            // Excess digits are counted, because the error message has their number.
            if let Some(byte) = bytes.get_mut(digits / 2) {
                *byte = *byte << 4 | value as u8;
            }
            digits += 1;
        }
        if digits % 2 == 0 && LENGTHS.contains(&(digits / 2)) {
            Ok(Self::new(&&bytes[..digits / 2]))
        } else {
            Err(InvalidDigest(Reason::Digits(digits)))
        }
    }
}

/// Writes the digits, with the prefix `0x` if the format has a `#`.
fn write_hex(digest: &AnyDigest, digits: &[u8; 16], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let mut text = [b'0'; 2 + 2 * LONGEST];
    text[1] = b'x';
    for (pair, byte) in text[2..].chunks_exact_mut(2).zip(digest.as_bytes()) {
        pair[0] = digits[usize::from(byte >> 4)];
        pair[1] = digits[usize::from(byte & 15)];
    }
    let end = 2 + 2 * digest.as_bytes().len();
    let text = if f.alternate() { &text[..end] } else { &text[2..end] };
    f.pad(str::from_utf8(text).map_err(|_| fmt::Error)?)
}

impl fmt::LowerHex for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(self, b"0123456789abcdef", f)
    }
}

impl fmt::UpperHex for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_hex(self, b"0123456789ABCDEF", f)
    }
}

impl fmt::Display for AnyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}
