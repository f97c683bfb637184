//! Checks the names in a torrent, which must stay in its folder on every system.

use std::fmt;

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadName {
    /// It is empty.
    Empty,
    /// It is `.` or `..`.
    Dots,
    /// It contains a slash or a backslash, which separate names.
    Separator,
    /// It contains NUL, which ends names.
    Nul,
    /// Windows takes it for a device, a drive or a stream, or drops its last character.
    Reserved,
    /// It has more than [`MAX_NAME`] bytes.
    TooLong,
}

/// The maximum length in bytes of the name of a file or folder. Common file systems allow no longer
/// ones.
pub const MAX_NAME: usize = 1024;

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "a name is empty",
            Self::Dots => "'.' and '..' are not file names",
            Self::Separator => "a name contains a slash or a backslash",
            Self::Nul => "a name contains NUL",
            Self::Reserved => "Windows does not allow the name",
            Self::TooLong => return write!(f, "a name has more than {MAX_NAME} bytes"),
        })
    }
}

impl std::error::Error for BadName {}

/// Checks the name of a single file or folder.
///
/// # Errors
/// If it could lead elsewhere. Names that only Windows refuses are refused on Windows.
pub fn check(name: &[u8]) -> Result<(), BadName> {
    match name {
        [] => Err(BadName::Empty),
        b"." | b".." => Err(BadName::Dots),
        _ if name.iter().any(|byte| matches!(byte, b'/' | b'\\')) => Err(BadName::Separator),
        _ if name.contains(&0) => Err(BadName::Nul),
        _ if name.len() > MAX_NAME => Err(BadName::TooLong),
        _ if cfg!(windows) && is_reserved(name) => Err(BadName::Reserved),
        _ => Ok(()),
    }
}

/// Whether Windows cannot create a file with exactly this name: devices with or without an ending
/// (`nul.txt`), characters that it refuses, and a trailing dot or blank, which it drops.
pub fn is_reserved(name: &[u8]) -> bool {
    let refused = |byte: &u8| *byte < b' ' || b"<>:\"|?*".contains(byte);
    if name.iter().any(refused) || name.ends_with(b".") || name.ends_with(b" ") {
        return true;
    }
    let stem = name.split(|&byte| byte == b'.').next().unwrap_or(name).trim_ascii_end();
    let stem = stem.to_ascii_uppercase();
    match &*stem {
        b"CON" | b"PRN" | b"AUX" | b"NUL" | b"CONIN$" | b"CONOUT$" => true,
        [b'C', b'O', b'M', digits @ ..] | [b'L', b'P', b'T', digits @ ..] => {
            let superscripts = ["¹", "²", "³"].map(str::as_bytes);
            matches!(digits, [b'0'..=b'9']) || superscripts.contains(&digits)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for (name, why) in [
            (&b""[..], BadName::Empty),
            (b".", BadName::Dots),
            (b"..", BadName::Dots),
            (b"/", BadName::Separator),
            (b"/etc", BadName::Separator),
            (b"a/b", BadName::Separator),
            (b"..\\a", BadName::Separator),
            (b"C:\\a", BadName::Separator),
            (b"a\0b", BadName::Nul),
            (&[b'a'; MAX_NAME + 1], BadName::TooLong),
        ] {
            assert_eq!(check(name), Err(why), "{}", name.escape_ascii());
        }
        for name in ["a", "...", "..a", "a..", " ", "ü", "-", "a b"] {
            let expected = if cfg!(windows) && is_reserved(name.as_bytes()) {
                Err(BadName::Reserved)
            } else {
                Ok(())
            };
            assert_eq!(check(name.as_bytes()), expected, "{name}");
        }
    }

    #[test]
    fn names_of_devices_are_known() {
        for name in ["nul", "NUL.txt", "Com1", "lpt9.a.b", "COM¹", "a:b", "a.", "a ", "con ", "\t"]
        {
            assert!(is_reserved(name.as_bytes()), "{name}");
        }
        for name in ["null", "com", "com10", "a.nul", "console", ".a"] {
            assert!(!is_reserved(name.as_bytes()), "{name}");
        }
    }
}
