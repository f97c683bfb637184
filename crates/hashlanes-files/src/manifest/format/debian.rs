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

/// The fields that list files, in lower case.
const FIELDS: [(&str, &str); 10] = [
    ("files", "md5"),
    ("md5sum", "md5"),
    ("sha1", "sha1"),
    ("sha256", "sha256"),
    ("sha512", "sha512"),
    ("checksums-md5", "md5"),
    ("checksums-sha1", "sha1"),
    ("checksums-sha256", "sha256"),
    ("checksums-sha512", "sha512"),
    ("checksums-sha3-256", "sha3-256"),
];

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

    fn row(&mut self, line: &[u8], function: HashName) -> Read {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let (digest, size) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        // In `Files` of `.changes`, the section and the priority come before the name.
        let Some((size, name)) = size.zip(words.next_back()) else {
            return Read::Malformed(Reason::Words("expected DIGEST SIZE NAME"));
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
            return match self.field {
                Some(function) => self.row(line, function),
                None => Read::Nothing,
            };
        }
        self.field = None;
        let Some(colon) = line.iter().position(|byte| *byte == b':') else {
            return Read::Malformed(Reason::Words("expected FIELD: VALUE"));
        };
        let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
        if line[colon + 1..].trim_ascii().is_empty() {
            let found = FIELDS.iter().find(|(field, _)| *field == name);
            self.field = found.and_then(|(_, function)| HashName::named(function));
        }
        Read::Nothing
    }

    fn is_sure(&self) -> bool {
        self.is_sure
    }
}
