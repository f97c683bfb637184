//! Files of Debian: `Release`, `.dsc`, `.changes` and `.buildinfo`. Names are relative to the file.
//!
//! ```text
//! Checksums-Sha256:
//!  ba7816bf8f01cfea... 3 a.deb
//! Files:
//!  900150983cd24fb0... 3 admin optional a.deb
//! ```

use super::super::{HashName, Read, Reason};
use super::{Given, LineReader};

/// The fields that list files, in lower case, and their functions. Others are named for them.
const FIELDS: [(&str, &str); 2] = [("files", "md5"), ("md5sum", "md5")];

/// Fewer digits than a digest has. Fewer may be a word of another field.
const LEAST_DIGITS: usize = 32;

#[derive(Default)]
pub(super) struct Reader {
    /// The function of the field that is being read, if it lists files.
    field: Option<HashName>,
}

impl Reader {
    fn row(&self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (digest, size) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        // In `Files` of `.changes`, the section and the priority come before the name.
        let found = size.zip(words.next_back());
        let (function, size, name) = match (self.field, found) {
            (Some(function), Some((size, name))) => (function, size, name),
            (Some(_), None) => return Err(Reason::Words("expected DIGEST SIZE NAME")),
            (None, Some((_, name))) if is_digest(digest) => {
                let why = "the manifest has only a digest of an unknown function";
                return Ok(Read::Unverified(name.to_vec(), why));
            }
            (None, _) => return Ok(Read::Nothing),
        };
        if given.function.is_some_and(|only| only != function) {
            return Ok(Read::Nothing);
        }
        let entry = given.entry(name.to_vec(), function, digest, false)?;
        given.is_shown = true;
        Ok(entry.with(Some(size), None))
    }
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            return self.row(given, line);
        }
        self.field = None;
        let colon = line.iter().position(|byte| *byte == b':');
        let colon = colon.ok_or(Reason::Words("expected FIELD: VALUE"))?;
        if line[colon + 1..].trim_ascii().is_empty() {
            self.field = function_of(&line[..colon]);
        }
        Ok(Read::Nothing)
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
    use super::super::super::{Format, Read, Reader, ReaderOptions};

    #[test]
    fn files_with_a_digest_of_an_unknown_function_are_named() {
        let format = Some(Format::Debian);
        let mut reader = Reader::new(ReaderOptions { format, ..ReaderOptions::default() });
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
