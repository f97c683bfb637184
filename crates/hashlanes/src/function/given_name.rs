//! An unknown name, for the message of an error.

use core::fmt::{self, Write};

/// The most bytes that are kept of a name: several times the length of a valid one.
const KEPT: usize = 60;

/// An unknown name. It is stored in place, truncated if it is long, so that an error needs no
/// allocation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct GivenName {
    /// UTF-8, then zeros.
    bytes: [u8; KEPT],
    length: u8,
    cut: bool,
}

impl GivenName {
    pub(crate) fn new(name: &str) -> Self {
        let most = name.len().min(KEPT);
        // A character has at most four bytes, so a boundary is near.
        let length = (0..=most).rev().find(|&end| name.is_char_boundary(end)).unwrap_or(0);
        let mut bytes = [0; KEPT];
        bytes[..length].copy_from_slice(&name.as_bytes()[..length]);
        Self { bytes, length: length as u8, cut: length < name.len() }
    }

    /// The first characters of the name, or all of them.
    fn kept(&self) -> &str {
        str::from_utf8(&self.bytes[..usize::from(self.length)]).unwrap_or_default()
    }
}

/// In single quotes. Control characters are escaped, which protects terminals. An ellipsis marks a
/// truncated name.
impl fmt::Display for GivenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('\'')?;
        for character in self.kept().chars() {
            if character.is_control() {
                write!(f, "{}", character.escape_default())?;
            } else {
                f.write_char(character)?;
            }
        }
        f.write_str(if self.cut { "…'" } else { "'" })
    }
}

impl fmt::Debug for GivenName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.kept(), f)
    }
}
