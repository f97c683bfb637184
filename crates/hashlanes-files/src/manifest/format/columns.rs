//! Columns that are aligned below their names.
//!
//! ```text
//! Algorithm       Hash                                  Path
//! ---------       ----                                  ----
//! SHA256          BA7816BF8F01CFEA...                   C:\a.iso
//!
//! Filename   Filesize    CRC-32   Description
//! --------  ----------  --------
//! a                  3  352441c2
//! ```
//!
//! PowerShell writes such tables (`Get-FileHash`, with any columns), and `.crc` files are some.

use std::ops::Range;

use super::super::{Read, Reason};
use super::column::{Column, File};
use super::{Given, LineReader};

#[derive(Default)]
pub(super) struct Reader {
    /// The line before this one, which may name the columns.
    names: Vec<u8>,
    /// The columns, and where they begin and end.
    columns: Vec<(Column, Range<usize>)>,
    /// Whether a table has ended, so that another line names the columns of the next.
    has_ended: bool,
}

impl Reader {
    /// Keeps a line that may name columns. After a table, a line is malformed if no rule follows.
    fn names_are(&mut self, line: &[u8]) -> Result<Read, Reason> {
        let before = std::mem::replace(&mut self.names, line.to_vec());
        match before.is_empty() || !self.has_ended {
            true => Ok(Read::Nothing),
            false => Err(Reason::Words("expected columns below their names")),
        }
    }

    fn row(&self, given: &Given, line: &[u8]) -> Result<Read, Reason> {
        let mut file = File::new(given.function);
        let mut rest = line.trim_ascii_end();
        let last = self.columns.len() - 1;
        let is_path_last = self.columns[last].0 == Column::Path;
        for (number, (column, range)) in self.columns.iter().enumerate() {
            let field = match is_path_last {
                // Values may be longer than the console has shown room for.
                true if number < last => {
                    rest = rest.trim_ascii_start();
                    let end = rest.iter().position(|byte| *byte == b' ').unwrap_or(rest.len());
                    let (word, after) = rest.split_at(end);
                    rest = after;
                    word
                }
                true => rest,
                false => &line[range.start.min(line.len())..range.end.min(line.len())],
            };
            file.take(column, field.trim_ascii());
        }
        let name = &file.name;
        if name.ends_with(b"...") || name.ends_with("\u{2026}".as_bytes()) {
            return Err(Reason::Words("the console has cut the name off"));
        }
        file.read()
    }
}

/// The columns that a line of dashes shows, below their names. `None` if none has digests or paths.
fn columns(names: &[u8], dashes: &[u8]) -> Option<Vec<(Column, Range<usize>)>> {
    let begins = |at: &usize| dashes[*at] == b'-' && (*at == 0 || dashes[*at - 1] == b' ');
    let starts: Vec<usize> = (0..dashes.len()).filter(begins).collect();
    let ends = starts.iter().skip(1).copied().chain([usize::MAX]);
    let column = |(start, end): (&usize, usize)| {
        let name = names.get(*start..end.min(names.len())).unwrap_or_default().trim_ascii();
        let name = name.split(|byte| *byte == b' ').next().unwrap_or_default();
        (Column::named(name), *start..end)
    };
    let columns: Vec<_> = starts.iter().zip(ends).map(column).collect();
    let count = |is: fn(&Column) -> bool| columns.iter().filter(|it| is(&it.0)).count();
    let digests = count(|it| matches!(it, Column::Digest(_) | Column::AnyDigest));
    (count(|it| *it == Column::Path) == 1 && digests > 0).then_some(columns)
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let is_rule = line.starts_with(b"--") && line.iter().all(|it| matches!(it, b'-' | b' '));
        if is_rule {
            // A second rule ends the table.
            self.columns = columns(&self.names, line).unwrap_or_default();
            self.names.clear();
            given.is_shown |= !self.columns.is_empty();
            return Ok(Read::Nothing);
        }
        if self.columns.is_empty() {
            // What comes before the names is a heading.
            return self.names_are(line);
        }
        self.row(given, line)
    }

    fn blank(&mut self, _: &mut Given) -> Result<Read, Reason> {
        self.has_ended |= !self.columns.is_empty();
        self.columns.clear();
        self.names_are(b"")
    }

    fn end(&mut self, _: &mut Given) -> Result<Read, Reason> {
        self.names_are(b"")
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Read, Reader, ReaderOptions};

    #[test]
    fn rows_after_a_blank_line_are_malformed_without_a_heading() {
        let format = Some(Format::Columns);
        let mut reader = Reader::new(ReaderOptions { format, ..ReaderOptions::default() });
        let row = b"MD5       900150983cd24fb0d6963f7d28e17f72 a";
        reader.read(b"Algorithm Hash                             Path");
        reader.read(b"--------- ----                             ----");
        assert!(matches!(reader.read(row), Read::Entry(_)));
        assert!(matches!(reader.read(b""), Read::Nothing));
        // It might be a heading.
        assert!(matches!(reader.read(row), Read::Nothing));
        assert!(matches!(reader.end(), Read::Malformed(_)));
    }
}
