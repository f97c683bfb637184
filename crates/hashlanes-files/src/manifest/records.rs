//! Splits a stream into lines, in bounded memory.

use std::io::{self, BufRead, Read};

/// The maximum length of a line in bytes. This suffices for names of any length that a system
/// allows, with every byte escaped, and some digests: Linux opens paths of up to 4,096 bytes at a
/// time.
pub const MAX_RECORD: usize = 1 << 20;

/// What [`Records::next`] found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Record {
    /// A terminated line.
    Whole,
    /// An unterminated last line.
    Cut,
    /// The beginning of a line of more than [`MAX_RECORD`] bytes, the rest of which was skipped.
    TooLong,
}

/// The lines of a manifest.
pub struct Records<R> {
    reader: R,
    /// The terminator of lines: newline or NUL.
    end: u8,
}

impl<R: BufRead> Records<R> {
    /// Splits a stream into lines that end in a newline or, if `zero` is set, in NUL.
    pub fn new(reader: R, zero: bool) -> Self {
        Self { reader, end: if zero { 0 } else { b'\n' } }
    }

    /// Puts the next line, without its terminator, into `line`. `None` at the end of the stream.
    ///
    /// # Errors
    /// Any error from the stream.
    pub fn next(&mut self, line: &mut Vec<u8>) -> io::Result<Option<Record>> {
        line.clear();
        let most = MAX_RECORD as u64 + 1;
        self.reader.by_ref().take(most).read_until(self.end, line)?;
        if line.last() == Some(&self.end) {
            line.pop();
            return Ok(Some(Record::Whole));
        }
        if line.len() > MAX_RECORD {
            line.truncate(MAX_RECORD);
            self.reader.skip_until(self.end)?;
            return Ok(Some(Record::TooLong));
        }
        Ok(if line.is_empty() { None } else { Some(Record::Cut) })
    }

    /// The reader.
    pub fn get_ref(&self) -> &R {
        &self.reader
    }

    /// The terminator of lines.
    pub fn end(&self) -> u8 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(input: &[u8], zero: bool) -> Vec<(Record, usize)> {
        let mut records = Records::new(input, zero);
        let mut line = Vec::new();
        let mut all = Vec::new();
        while let Some(record) = records.next(&mut line).unwrap() {
            all.push((record, line.len()));
        }
        all
    }

    #[test]
    fn lines_are_cut_at_their_ends_only() {
        use Record::*;
        assert_eq!(all(b"", false), []);
        assert_eq!(all(b"\n", false), [(Whole, 0)]);
        assert_eq!(all(b"ab\n\nc", false), [(Whole, 2), (Whole, 0), (Cut, 1)]);
        assert_eq!(all(b"a\nb\0c", true), [(Whole, 3), (Cut, 1)]);
    }

    #[test]
    fn long_lines_are_read_up_to_the_bound() {
        use Record::*;
        let line = |length: usize| [&vec![b'x'; length][..], b"\ny\n"].concat();
        assert_eq!(all(&line(MAX_RECORD - 1), false), [(Whole, MAX_RECORD - 1), (Whole, 1)]);
        assert_eq!(all(&line(MAX_RECORD), false), [(Whole, MAX_RECORD), (Whole, 1)]);
        assert_eq!(all(&line(MAX_RECORD + 1), false), [(TooLong, MAX_RECORD), (Whole, 1)]);
        assert_eq!(all(&line(3 * MAX_RECORD), false), [(TooLong, MAX_RECORD), (Whole, 1)]);
        assert_eq!(all(&vec![b'x'; MAX_RECORD], false), [(Cut, MAX_RECORD)]);
        assert_eq!(all(&vec![b'x'; MAX_RECORD + 1], false), [(TooLong, MAX_RECORD)]);
    }
}
