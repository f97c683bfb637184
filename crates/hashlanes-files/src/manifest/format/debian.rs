//! Files of Debian: `Release`, `.dsc`, `.changes` and `.buildinfo`. Names are relative to the file.
//!
//! ```text
//! Checksums-Sha256:
//!  ba7816bf8f01cfea... 3 a.deb
//! Files:
//!  900150983cd24fb0... 3 admin optional a.deb
//! ```

use super::super::{Entry, HashName, Read, Reason, digits};
use super::{Given, LineReader};

/// The fields that list files, in lower case, and their functions. Others are named for them.
const FIELDS: [(&str, &str); 2] = [("files", "md5"), ("md5sum", "md5")];

/// Fewer digits than a digest has. Fewer may be a word of another field.
const LEAST_DIGITS: usize = 32;

pub(super) struct Reader {
    only: Option<HashName>,
    /// The function of the field that is being read, if it lists files.
    field: Option<HashName>,
    is_sure: bool,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { only: given.function, field: None, is_sure: false }
    }

    fn row(&mut self, line: &[u8]) -> Read {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (digest, size) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        // In `Files` of `.changes`, the section and the priority come before the name.
        let found = size.zip(words.next_back());
        let (function, size, name) = match (self.field, found) {
            (Some(function), Some((size, name))) => (function, size, name),
            (Some(_), None) => return Read::Malformed(Reason::Words("expected DIGEST SIZE NAME")),
            (None, Some((_, name))) if is_digest(digest) => {
                let why = "the manifest has only a digest of a function that is not known";
                return Read::Unverified(name.to_vec(), why);
            }
            (None, _) => return Read::Nothing,
        };
        match digits::read(digest, function) {
            _ if self.only.is_some_and(|only| only != function) => Read::Nothing,
            Ok(digest) => {
                self.is_sure = true;
                Read::Entry(Entry::single(name.to_vec(), function, digest)).with(Some(size), None)
            }
            Err(reason) => Read::Malformed(reason),
        }
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            return self.row(line);
        }
        self.field = None;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Read::Malformed(Reason::Words("expected FIELD: VALUE"));
        };
        if line[colon + 1..].trim_ascii().is_empty() {
            self.field = function_of(&line[..colon]);
        }
        Read::Nothing
    }

    fn is_sure(&self) -> bool {
        self.is_sure
    }
}

/// The function of the field of this name, if it is known to list files.
fn function_of(field: &[u8]) -> Option<HashName> {
    let field = String::from_utf8_lossy(field).to_ascii_lowercase();
    let name = field.strip_prefix("checksums-").unwrap_or(&field);
    let usual = FIELDS.iter().find(|(other, _)| *other == field);
    HashName::named(usual.map_or(name, |(_, function)| function))
}

fn is_digest(word: &[u8]) -> bool {
    word.len() >= LEAST_DIGITS && word.iter().all(u8::is_ascii_hexdigit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_with_a_digest_of_an_unknown_function_are_named() {
        let mut reader = Reader::new(&Given::new(None, false, b""));
        let digits = "0123456789abcdef".repeat(4);
        let row = format!(" {digits} 3 a.deb");
        for field in ["Checksums-Sha256:", "SHA3-256:"] {
            assert_eq!(reader.read(field.as_bytes()), Read::Nothing);
            assert!(matches!(reader.read(row.as_bytes()), Read::Entry(_)), "{field}");
        }
        for field in ["Checksums-Blake9:", "Blake9Sum:", "SHA256: value"] {
            assert_eq!(reader.read(field.as_bytes()), Read::Nothing);
            let Read::Unverified(name, _) = reader.read(row.as_bytes()) else { panic!("{field}") };
            assert_eq!(name, b"a.deb");
        }
        assert_eq!(reader.read(b"Package-List:"), Read::Nothing);
        assert_eq!(reader.read(b" a deb 3 optional"), Read::Nothing);
    }
}
