//! The output of `Get-FileHash` in PowerShell: a table, or a list (`| Format-List`).
//!
//! ```text
//! Algorithm       Hash                                  Path
//! ---------       ----                                  ----
//! SHA256          BA7816BF8F01CFEA...                   C:\a.iso
//!
//! Algorithm : SHA256
//! Hash      : BA7816BF8F01CFEA...
//! Path      : C:\a.iso
//! ```

use super::super::{HashName, MAX_RECORD, Read, Reason};
use super::found::Found;
use super::line::{first_word, trim_blanks};
use super::{Given, LineReader};

pub(super) struct Reader {
    only: Option<HashName>,
    shape: Shape,
    /// The function, the digest and the path of a list, and which of them is the latest.
    fields: [Vec<u8>; 3],
    latest: usize,
    /// A value is longer than any line.
    is_too_long: bool,
}

#[derive(PartialEq, Eq)]
enum Shape {
    Open,
    Table,
    List,
}

const FIELDS: [&[u8]; 3] = [b"Algorithm", b"Hash", b"Path"];

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        let (only, shape, fields) = (given.function, Shape::Open, Default::default());
        Self { only, shape, fields, latest: 0, is_too_long: false }
    }

    fn entry(&self, [function, digest, path]: [&[u8]; 3]) -> Read {
        if path.ends_with(b"...") || path.ends_with("\u{2026}".as_bytes()) {
            return Read::Malformed(Reason::Words("the console has cut the name off"));
        }
        let mut found = Found::new(self.only);
        found.named(&String::from_utf8_lossy(function), digest);
        found.entry(path.to_vec())
    }

    fn row(&self, line: &[u8]) -> Read {
        let (function, rest) = first_word(line);
        let (digest, rest) = first_word(trim_blanks(rest.unwrap_or_default()));
        self.entry([function, digest, rest.unwrap_or_default().trim_ascii()])
    }

    /// The fields so far, which are then empty.
    fn item(&mut self) -> Read {
        let fields = std::mem::take(&mut self.fields);
        if std::mem::take(&mut self.is_too_long) {
            return Read::Malformed(Reason::Words("a value is too long"));
        }
        if fields.iter().all(Vec::is_empty) {
            return Read::Nothing;
        }
        self.entry([&fields[0], &fields[1], &fields[2]])
    }

    fn field(&mut self, line: &[u8]) -> Read {
        let colon = line.iter().position(|byte| *byte == b':');
        let (name, value) = line.split_at(colon.unwrap_or(0));
        let field = FIELDS.iter().position(|field| *field == name.trim_ascii());
        let mut read = Read::Nothing;
        let value = match field {
            Some(field) => {
                if field == 0 {
                    read = self.item();
                }
                if self.shape == Shape::Open && field != 0 {
                    return Read::Malformed(Reason::Words("expected Algorithm first"));
                }
                self.latest = field;
                value[1..].trim_ascii()
            }
            // A long value goes on below its beginning.
            None if self.shape == Shape::List && line.starts_with(b"  ") => line.trim_ascii(),
            None => return Read::Malformed(Reason::Words("expected Algorithm, Hash or Path")),
        };
        let latest = &mut self.fields[self.latest];
        self.is_too_long |= latest.len() + value.len() > MAX_RECORD;
        if !self.is_too_long {
            latest.extend(value);
        }
        read
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        let mut words = line.split(|byte| *byte == b' ').filter(|word| !word.is_empty());
        match self.shape {
            _ if line.trim_ascii().is_empty() || line.starts_with(b"----") => Read::Nothing,
            Shape::List => self.field(line),
            _ if FIELDS.iter().all(|field| words.next() == Some(field)) => {
                self.shape = Shape::Table;
                Read::Nothing
            }
            Shape::Table => self.row(line),
            Shape::Open => {
                let read = self.field(line);
                if read == Read::Nothing {
                    self.shape = Shape::List;
                }
                read
            }
        }
    }

    fn end(&mut self) -> Read {
        self.item()
    }

    fn is_sure(&self) -> bool {
        self.shape != Shape::Open
    }
}
