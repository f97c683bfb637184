//! The other files of a bag (RFC 8493): `bagit.txt`, `bag-info.txt` and `fetch.txt`.
//!
//! ```
//! use hashlanes_files::manifest::bag::{Declaration, read_fetch};
//!
//! let text = b"BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
//! let declaration = Declaration::read(text);
//! assert_eq!(declaration.version, (1, 0));
//! assert!(declaration.problems.is_empty());
//! let fetch = read_fetch(b"https://example.org/a 3 data/a%0Ab")?;
//! assert_eq!(fetch, b"data/a\nb");
//! # Ok::<(), hashlanes_files::manifest::Reason>(())
//! ```

use std::str::FromStr;

use super::Reason;
use super::format::bagit::{decoded, leads_out};

/// The content of `bagit.txt`.
#[derive(Debug)]
pub struct Declaration {
    /// The version of the standard. 1.0 if it cannot be read.
    pub version: (u32, u32),
    /// Whether the other tag files are in ISO-8859-1. Otherwise they are in UTF-8 or UTF-16.
    pub is_latin_1: bool,
    /// The problems of the file.
    pub problems: Vec<String>,
}

impl Declaration {
    /// Reads the content of `bagit.txt`.
    pub fn read(text: &[u8]) -> Self {
        let mut problems = Vec::new();
        let text = match text.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) => {
                problems.push("a byte order mark, which is not allowed here".to_owned());
                rest
            }
            None => text,
        };
        let text = String::from_utf8_lossy(text);
        let tags: Vec<_> = text.lines().map(|line| tag(line.as_bytes())).collect();
        let value = |label: &str| {
            let found = tags.iter().flatten().find(|tag| tag.0 == label.as_bytes())?;
            Some(String::from_utf8_lossy(found.1).into_owned())
        };
        let version = value("BagIt-Version").map(|value| (version(&value), value));
        match &version {
            None => problems.push("BagIt-Version is missing".to_owned()),
            Some((Some((0 | 1, _)), _)) => {}
            Some((_, value)) => problems.push(format!("unknown BagIt-Version {value:?}")),
        }
        for label in ["BagIt-Version", "Tag-File-Character-Encoding"] {
            let found = tags.iter().flatten().filter(|tag| tag.0 == label.as_bytes());
            if found.count() > 1 {
                problems.push(format!("{label} appears more than once"));
            }
        }
        if text.lines().any(|line| line.contains(" :") || line.contains("\t:")) {
            problems.push("a blank before the colon, which is not allowed here".to_owned());
        }
        let encoding = value("Tag-File-Character-Encoding");
        let is = |names: &[&str]| {
            let is_one = |it: &String| names.iter().any(|name| it.eq_ignore_ascii_case(name));
            encoding.as_ref().is_some_and(is_one)
        };
        let is_latin_1 = is(&["ISO-8859-1", "ISO8859-1", "LATIN1", "LATIN-1"]);
        match &encoding {
            None => problems.push("Tag-File-Character-Encoding is missing".to_owned()),
            Some(_) if is_latin_1 || is(&UNICODE) => {}
            Some(encoding) => {
                problems.push(format!("unsupported encoding {encoding:?}, read as UTF-8"))
            }
        }
        let version = version.and_then(|(version, _)| version).unwrap_or((1, 0));
        let in_order = tags.first().is_some_and(|tag| tag.is_some_and(|t| t.0 == b"BagIt-Version"));
        if problems.is_empty() && version >= (1, 0) && (tags.len() != 2 || !in_order) {
            let why = "expected exactly two lines, BagIt-Version and Tag-File-Character-Encoding";
            problems.push(why.to_owned());
        }
        Self { version, is_latin_1, problems }
    }
}

/// Encodings that a text shows by itself.
const UNICODE: [&str; 7] = ["UTF-8", "UTF8", "ASCII", "US-ASCII", "UTF-16", "UTF-16BE", "UTF-16LE"];

fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    Some((number(major)?, number(minor)?))
}

/// A number that consists only of digits. `parse` would accept a sign.
fn number<T: FromStr>(digits: &str) -> Option<T> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// The label and the value of a line `LABEL: VALUE`.
fn tag(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = line.iter().position(|&byte| byte == b':')?;
    let (label, value) = (line[..colon].trim_ascii_end(), line[colon + 1..].trim_ascii());
    (!label.is_empty()).then_some((label, value))
}

/// The size of a payload in bytes and files, as in `bag-info.txt`: `Payload-Oxum: 279164.198`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oxum {
    /// The total number of bytes.
    pub bytes: u64,
    /// The number of files.
    pub files: u64,
}

/// Reads a line of `bag-info.txt`. `None` if it is not about the payload's size.
///
/// # Errors
/// If the line is malformed.
pub fn read_info(line: &[u8]) -> Result<Option<Oxum>, Reason> {
    // Lines that begin with blanks continue a value.
    if line.trim_ascii().is_empty() || line.starts_with(b" ") || line.starts_with(b"\t") {
        return Ok(None);
    }
    let (label, value) = tag(line).ok_or(Reason::Words("expected LABEL: VALUE"))?;
    if !label.eq_ignore_ascii_case(b"Payload-Oxum") {
        return Ok(None);
    }
    let oxum = || {
        let (bytes, files) = str::from_utf8(value).ok()?.split_once('.')?;
        Some(Oxum { bytes: number(bytes)?, files: number(files)? })
    };
    oxum().map(Some).ok_or(Reason::Words("Payload-Oxum must be BYTES.FILES"))
}

/// Reads a line of `fetch.txt`: a URL, a length or `-`, and the name, which is returned.
///
/// # Errors
/// If the line is malformed.
pub fn read_fetch(line: &[u8]) -> Result<Vec<u8>, Reason> {
    let (url, rest) = word(line);
    let (length, name) = word(rest);
    let name = decoded(name);
    if name.is_empty() {
        return Err(Reason::Words("expected ADDRESS LENGTH NAME"));
    }
    let scheme = url.iter().position(|&byte| byte == b':').map(|end| &url[..end]);
    let is_scheme = |scheme: &[u8]| scheme.first().is_some_and(u8::is_ascii_alphabetic);
    if !scheme.is_some_and(is_scheme) {
        return Err(Reason::Words("the address has no scheme, such as https:"));
    }
    if length != b"-" && !length.iter().all(u8::is_ascii_digit) {
        return Err(Reason::Words("the length must be a number or -"));
    }
    if leads_out(&name) || !name.starts_with(b"data/") {
        return Err(Reason::Words("the name is not below data"));
    }
    Ok(name)
}

/// The first word of a line, and the rest without leading blanks.
fn word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii();
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    (&line[..end], line[end..].trim_ascii_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_are_two_lines() {
        let encoding = "Tag-File-Character-Encoding: UTF-8\n";
        let good = format!("BagIt-Version: 1.0\n{encoding}");
        for (text, expected) in [
            (good.clone(), ""),
            (format!("BagIt-Version: 0.97\r\n{encoding}"), ""),
            (format!("\u{feff}{good}"), "a byte order mark"),
            (encoding.into(), "BagIt-Version is missing"),
            ("BagIt-Version: 1.0\n".into(), "Tag-File-Character-Encoding is missing"),
            (format!("BagIt-Version: 2.0\n{encoding}"), "unknown BagIt-Version \"2.0\""),
            (format!("BagIt-Version: one\n{encoding}"), "unknown BagIt-Version \"one\""),
            (good.replace("UTF-8", "UTF-16"), ""),
            (good.replace("UTF-8", "EBCDIC"), "unsupported encoding \"EBCDIC\", read as UTF-8"),
            (good.replace("n:", "n :"), "a blank before the colon"),
            (format!("{good}x: y\n"), "expected exactly two lines"),
            (format!("{encoding}BagIt-Version: 1.0\n"), "expected exactly two lines"),
        ] {
            let problems = Declaration::read(text.as_bytes()).problems.join("; ");
            assert!(problems.starts_with(expected), "{text}: {problems}");
            assert_eq!(problems.is_empty(), expected.is_empty(), "{text}: {problems}");
        }
        assert!(Declaration::read(b"").problems.len() == 2);
    }

    #[test]
    fn sizes_are_found_among_other_tags() {
        let oxum = Some(Oxum { bytes: 12, files: 3 });
        assert_eq!(read_info(b"payload-oxum : 12.3"), Ok(oxum));
        assert_eq!(read_info(b"Contact-Name: Payload-Oxum: 1.1"), Ok(None));
        assert_eq!(read_info(b"  goes on"), Ok(None));
        assert_eq!(read_info(b""), Ok(None));
        for wrong in ["Payload-Oxum: 12", "Payload-Oxum: a.1", "Payload-Oxum: 1.-1", "no tag", ":"]
        {
            assert!(read_info(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn lines_of_fetch_txt_name_files_below_data() {
        assert_eq!(read_fetch(b"http://h/x - data/a b"), Ok(b"data/a b".to_vec()));
        assert_eq!(read_fetch(b"file:/x\t12 \tdata/%25\r"), Ok(b"data/%".to_vec()));
        for wrong in [
            "http://h/x - ",
            "http://h/x data/a",
            "h/x - data/a",
            "http://h/x 12x data/a",
            "http://h/x 12 data/../a",
            "http://h/x 12 bag-info.txt",
            "http://h/x 12 /data/a",
        ] {
            assert!(read_fetch(wrong.as_bytes()).is_err(), "{wrong}");
        }
    }
}
