//! The output of `certutil -hashfile` on Windows, which comes in the user's language.
//!
//! ```text
//! SHA256 hash of a.iso:
//! ba7816bf8f01cfea...
//! CertUtil: -hashfile command completed successfully.
//! ```

use super::super::span::range_in;
use super::super::{HashName, Read, Reason};
use super::{Given, LineReader};

#[derive(Default)]
pub(super) struct Reader {
    /// The function and the file of the next line.
    next: Option<(HashName, Vec<u8>)>,
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let heading = heading(line);
        let Some((function, name)) = self.next.take() else {
            self.next = heading;
            return match self.next {
                Some(_) => Ok(Read::Nothing),
                None if is_success(line) => Ok(Read::Nothing),
                None => Err(Reason::Words("expected `FUNCTION hash of NAME:`")),
            };
        };
        if heading.is_some() || line.starts_with(LAST) {
            self.next = heading;
            return Err(Reason::Words("the heading before has no digest"));
        }
        // Versions before Windows 10 have blanks between the bytes.
        let digits: Vec<u8> = line.iter().copied().filter(|byte| *byte != b' ').collect();
        given.entry(name, function, &digits, false)
    }

    fn end(&mut self, _: &mut Given) -> Result<Read, Reason> {
        let why = Reason::Words("the last heading has no digest");
        self.next.take().map_or(Ok(Read::Nothing), |_| Err(why))
    }
}

/// What the last line of the output begins with.
const LAST: &[u8] = b"CertUtil:";

/// Whether this is the last line of the output, without the code of an error.
fn is_success(line: &[u8]) -> bool {
    line.starts_with(LAST) && !line.windows(2).any(|part| part == b"0x")
}

/// The function and the file of a heading.
fn heading(line: &[u8]) -> Option<(HashName, Vec<u8>)> {
    let line = line.trim_ascii_end().strip_suffix(b":")?.trim_ascii_end();
    let mut words = line.split(|byte| matches!(byte, b' ' | b'-'));
    let (function, word) =
        words.find_map(|word| HashName::named(str::from_utf8(word).ok()?).map(|it| (it, word)))?;
    let rest = &line[range_in(line, word).end..];
    // The first that fits is the longest.
    let before: [&[u8]; 6] = [b" of file ", b" of ", b" von ", b" de ", b" di ", b" van "];
    let name_at = |at: usize| {
        let word = before.iter().find(|word| rest[at..].starts_with(word))?;
        Some(&rest[at + word.len()..])
    };
    let name = (0..rest.len()).find_map(name_at).filter(|name| !name.is_empty())?;
    Some((function, name.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Reader as Lines, ReaderOptions};
    use super::*;

    const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn the_name_is_all_that_follows_the_first_words() {
        for (line, name) in [
            ("SHA256-Hash von Proof of Work.txt:", "Proof of Work.txt"),
            (r"SHA256 hash of C:\t\list of file a:", r"C:\t\list of file a"),
            ("SHA256 hash of file a of b:", "a of b"),
            ("SHA256 hash de a von b:", "a von b"),
            ("Hachage SHA256 de C:/a:", "C:/a"),
        ] {
            let (function, found) = heading(line.as_bytes()).unwrap();
            assert_eq!((function.name(), &*found), ("sha256".into(), name.as_bytes()), "{line}");
        }
        for line in ["SHA256 hash of :", "list of SHA256 digests:", "hash of a:", "of:"] {
            assert_eq!(heading(line.as_bytes()), None, "{line}");
        }
    }

    #[test]
    fn a_heading_without_a_digest_is_malformed() {
        let done = "CertUtil: -hashfile command completed successfully.";
        for (lines, entries, malformed) in [
            (&["SHA256 hash of a:", SHA256, done][..], 1, 0),
            (&["SHA256 hash of a:"], 0, 1),
            (&["SHA256 hash of a:", done], 0, 1),
            (&["SHA256 hash of a:", "SHA256 hash of b:", SHA256], 1, 1),
            (&["SHA256 hash of a:", SHA256, "SHA256 hash of b:"], 1, 1),
            (&["CertUtil: -hashfile command FAILED: 0x80070002"], 0, 1),
        ] {
            let format = Some(Format::Certutil);
            let mut reader = Lines::new(ReaderOptions { format, ..ReaderOptions::default() });
            let mut all: Vec<Read> = lines.iter().map(|it| reader.read(it.as_bytes())).collect();
            all.push(reader.end());
            let count = |is: fn(&Read) -> bool| all.iter().filter(|read| is(read)).count();
            let found = (
                count(|read| matches!(read, Read::Entry(_))),
                count(|read| matches!(read, Read::Malformed(_))),
            );
            assert_eq!(found, (entries, malformed), "{lines:?}");
        }
    }
}
