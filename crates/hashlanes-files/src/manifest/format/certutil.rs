//! The output of `certutil -hashfile` on Windows, which comes in the user's language.
//!
//! ```text
//! SHA256 hash of a.iso:
//! ba7816bf8f01cfea...
//! CertUtil: -hashfile command completed successfully.
//! ```

use super::super::{Entry, HashName, Read, Reason, digits};
use super::{Given, LineReader};

pub(super) struct Reader {
    only: Option<HashName>,
    /// The function and the file of the next line.
    next: Option<(HashName, Vec<u8>)>,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { only: given.function, next: None }
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        if let Some((function, name)) = self.next.take() {
            // Versions before Windows 10 have blanks between the bytes.
            let digits: Vec<u8> = line.iter().copied().filter(|byte| *byte != b' ').collect();
            if let Some(only) = self.only.filter(|only| *only != function) {
                return Read::Malformed(Reason::Other(function, only));
            }
            return match digits::read(&digits, function) {
                Ok(digest) => Read::Entry(Entry::single(name, function, digest)),
                Err(reason) => Read::Malformed(reason),
            };
        }
        if line.starts_with(b"CertUtil:") {
            return Read::Nothing;
        }
        self.next = heading(line);
        match self.next {
            Some(_) => Read::Nothing,
            None => Read::Malformed(Reason::Words("expected `FUNCTION hash of NAME:`")),
        }
    }
}

/// The function and the file of a heading.
fn heading(line: &[u8]) -> Option<(HashName, Vec<u8>)> {
    let line = line.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let before: [&[u8]; 6] = [b" of file ", b" of ", b" von ", b" de ", b" di ", b" van "];
    let at = |word: &&[u8]| line.windows(word.len()).position(|part| part == *word);
    let (word, at) = before.iter().find_map(|word| Some((word, at(word)?)))?;
    let mut words = line[..at].split(|byte| matches!(byte, b' ' | b'-'));
    let function = words.find_map(|word| HashName::named(str::from_utf8(word).ok()?))?;
    Some((function, line[at + word.len()..].to_vec()))
}
