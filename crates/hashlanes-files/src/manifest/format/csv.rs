//! Comma-separated values (RFC 4180) with a header row.
//!
//! ```csv
//! path,size,mtime,md5,sha256
//! a,3,2026-11-22T12:27:23Z,900150983cd24fb0...,ba7816bf8f01cfea...
//! ```
//!
//! A field with a comma, a quote, a newline or a carriage return is quoted, and quotes in it are
//! doubled. Names are written as they are, whether they are UTF-8 or not. On input the columns may
//! come in any order; `filename`, `file`, `name` and `key` are other names for `path`. Semicolons
//! or tabs may separate them, and blanks may follow. Instead of a column for each function there
//! may be one of functions and one of digests, as in `Get-FileHash | Export-Csv`. Other columns and
//! empty digests are ignored. Without a header, the first row shows which column has what: `cfv`
//! and `md5deep -c` write such files, and `RECORD` of Python's packages is one.

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, HashName, MAX_RECORD, Read, Reason, Written, time};
use super::column::{Column, File};
use super::line::{guess, prefixed_by};
use super::{Given, LineReader, text};

/// Appends the header row.
pub(in super::super) fn write_header(to: &mut Vec<u8>, functions: &[HashName]) {
    to.extend(b"path,size,mtime");
    for function in functions {
        to.push(b',');
        to.extend(function.name().bytes());
    }
    to.push(b'\n');
}

/// Appends a row without a newline.
pub(in super::super) fn write<D: AsRef<[u8]>>(
    to: &mut Vec<u8>,
    file: &Written<'_, D>,
    digits: Digits,
) {
    write_field(to, file.name, b',');
    to.push(b',');
    if let Some(size) = file.size {
        to.extend(size.to_string().bytes());
    }
    to.push(b',');
    if let Some(modified) = file.modified {
        time::write(modified, to);
    }
    for digest in file.digests {
        to.push(b',');
        digits.write(digest.as_ref(), to);
    }
}

fn write_field(to: &mut Vec<u8>, field: &[u8], separator: u8) {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r') || *byte == separator;
    let blank = |byte: Option<&u8>| byte.is_none_or(|byte| matches!(byte, b' ' | b'\t'));
    if !field.iter().any(special) && !blank(field.first()) && !blank(field.last()) {
        to.extend(field);
        return;
    }
    to.push(b'"');
    for &byte in field {
        if byte == b'"' {
            to.push(b'"');
        }
        to.push(byte);
    }
    to.push(b'"');
}

/// The columns of a header row: one of paths, and at least one of digests. `None` if the line is
/// not one.
fn columns(line: &[u8], separator: u8) -> Option<Vec<Column>> {
    // All known names of functions and columns together are shorter.
    if line.len() > MAX_HEADER {
        return None;
    }
    let columns = fields(line, separator)?.iter().map(|name| Column::named(name)).collect();
    usable(columns)
}

/// The columns of a row without a header: what they have shows what they are.
fn columns_of_row(line: &[u8], separator: u8) -> Option<Vec<Column>> {
    let crc32 = HashName::named("crc32").map(Column::Digest);
    let mut columns = Vec::new();
    for field in fields(line.trim_ascii_end(), separator)? {
        // Blanks after a digest separate it from a name, as in text.
        let field = field.trim_ascii_start();
        let is_number = field.iter().all(u8::is_ascii_digit);
        let is_hex = field.iter().all(u8::is_ascii_hexdigit);
        columns.push(match guess(field).filter(|_| is_hex) {
            _ if field.is_empty() => Column::Other(String::new()),
            _ if prefixed_by(field, b":=").is_some() => Column::AnyDigest,
            Some(function) => Column::Digest(function),
            // `NAME,SIZE,CRC32` of `cfv`.
            None if columns == [Column::Path, Column::Size] && is_hex && field.len() == 8 => {
                crc32.clone()?
            }
            None if is_number => Column::Size,
            None => Column::Path,
        });
    }
    usable(columns)
}

/// These columns, if there is one of paths and at least one of digests, none twice.
fn usable(columns: Vec<Column>) -> Option<Vec<Column>> {
    let is_of_one = |it: &Column| matches!(it, Column::Digest(_));
    let is_twice = |(at, column)| is_of_one(column) && columns[..at].contains(column);
    let count = |is: fn(&Column) -> bool| columns.iter().filter(|column| is(column)).count();
    let of_any = count(|it| *it == Column::AnyDigest);
    let has_digests = of_any == 1 || of_any == 0 && count(is_of_one) > 0;
    let is_usable = count(|it| *it == Column::Path) == 1 && has_digests;
    (is_usable && !columns.iter().enumerate().any(is_twice)).then_some(columns)
}

pub(super) const MAX_HEADER: usize = 1000;

/// The fields of a row. `None` if it is not quoted correctly.
pub(super) fn fields(mut row: &[u8], separator: u8) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    loop {
        let mut field = Vec::new();
        // Blanks after a separator belong to nothing before a quote.
        let quoted = row.trim_ascii_start().strip_prefix(b"\"");
        if let Some(mut rest) = quoted.filter(|_| separator != b'\t') {
            loop {
                let quote = rest.iter().position(|&byte| byte == b'"')?;
                field.extend(&rest[..quote]);
                rest = &rest[quote + 1..];
                match rest.strip_prefix(b"\"") {
                    Some(more) => {
                        field.push(b'"');
                        rest = more;
                    }
                    None => break,
                }
            }
            row = rest;
        } else {
            let end = row.iter().position(|&byte| byte == separator).unwrap_or(row.len());
            field.extend(&row[..end]);
            if field.contains(&b'"') {
                return None;
            }
            row = &row[end..];
        }
        fields.push(field);
        match row {
            [] => return Some(fields),
            [next, rest @ ..] if *next == separator => row = rest,
            _ => return None,
        }
    }
}

#[derive(Default)]
pub(super) struct Reader {
    /// The columns, once the header has been read.
    columns: Option<Vec<Column>>,
    separator: u8,
    /// A blank follows each separator of the first row, as then in all.
    is_spaced: bool,
    /// The lines of an incomplete row, whose last quote is not closed.
    begun: Vec<u8>,
    is_within_record: bool,
}

/// Appends a row with the columns of a header and with its separator, without a newline. False, and
/// nothing is appended, if no column can hold a digest.
pub(in super::super) fn write_columns<D: AsRef<[u8]>>(
    (columns, separator): (&[Column], u8),
    to: &mut Vec<u8>,
    file: &Written<'_, D>,
    functions: &[HashName],
    digits: Digits,
) -> bool {
    let is_known = |it: &Column| matches!(it, Column::Digest(it) if functions.contains(it));
    if !columns.iter().any(is_known) {
        return false;
    }
    for (number, column) in columns.iter().enumerate() {
        if number > 0 {
            to.push(separator);
        }
        match column {
            Column::Path => write_field(to, file.name, separator),
            Column::Size => to.extend(file.size.iter().flat_map(|n| n.to_string().into_bytes())),
            Column::Modified => file.modified.iter().for_each(|at| time::write(*at, to)),
            Column::Digest(function) => {
                let place = functions.iter().position(|other| other == function);
                if let Some(digest) = place.and_then(|place| file.digests.get(place)) {
                    digits.write(digest.as_ref(), to);
                }
            }
            Column::Function | Column::AnyDigest | Column::Other(_) => {}
        }
    }
    true
}

impl LineReader for Reader {
    fn is_within_record(&self) -> bool {
        self.is_within_record
    }

    fn columns(&self) -> Option<(&[Column], u8)> {
        self.columns.as_deref().map(|columns| (columns, self.separator))
    }

    /// Where the size, the time and the digests of a row are.
    fn spans(&self, _: &Given, row: &[u8]) -> Spans {
        let mut is_quoted = false;
        // A quote within a field is doubled, so it changes nothing.
        let fields = row.split(|byte| {
            is_quoted ^= *byte == b'"';
            *byte == self.separator && !is_quoted
        });
        let part = |(column, field): (&Column, &[u8])| {
            let part = match column {
                Column::Size => Part::Size,
                Column::Modified => Part::Modified,
                Column::Digest(function) if !field.is_empty() => Part::Digest(*function),
                _ => return None,
            };
            Some((range_in(row, field.trim_ascii()), part))
        };
        self.columns.iter().flatten().zip(fields).filter_map(part).collect()
    }

    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        // Of each line once: a field may have a line end for each of its bytes.
        let has_odd_quotes = line.iter().filter(|byte| **byte == b'"').count() % 2 == 1;
        let mut record = std::mem::take(&mut self.begun);
        if self.is_within_record {
            record.push(b'\n');
        }
        record.extend(line);
        self.is_within_record =
            self.is_within_record != has_odd_quotes && record.len() <= MAX_RECORD;
        if self.is_within_record {
            self.begun = record;
            return Ok(Read::More);
        }
        let line = record.strip_suffix(b"\r").unwrap_or(&record);
        if line.is_empty() {
            return Ok(Read::Nothing);
        }
        // What PowerShell and Excel write before the header.
        let is_mark = line.starts_with(b"#TYPE ") || line.starts_with(b"sep=");
        if self.columns.is_none() && (is_mark || line.starts_with(b"# ")) {
            return Ok(Read::Nothing);
        }
        // A row of `RECORD` without a digest, as that of itself.
        if let Some([name, digest, _]) =
            line.ends_with(b",,").then(|| fields(line, b',')).flatten().as_deref()
            && digest.is_empty()
            && !name.is_empty()
        {
            let why = "the manifest has no digest of it";
            // pip writes what Python compiled after it had installed the rest.
            let never_has = name.ends_with(b".dist-info/RECORD") || name.ends_with(b".pyc");
            let read = if never_has { Read::Nothing } else { Read::Unverified(name.clone(), why) };
            return Ok(read);
        }
        let is_first = self.columns.is_none();
        let is_text = is_first && text::is_usual(given, line);
        // A tab between a digest and a name is that of a line in text.
        let named = b",;\t".iter().map(|it| (*it, columns(line, *it)));
        let unnamed = b",;".iter().map(|it| (*it, columns_of_row(line, *it)));
        let mut all = named.chain(unnamed).filter(|_| !is_text);
        if is_first && let Some((separator, columns)) = all.find(|(_, it)| it.is_some()) {
            (self.columns, self.separator) = (columns, separator);
            self.is_spaced = line.windows(2).all(|it| it[0] != separator || it[1] == b' ');
        }
        let why = "expected a header with a column of paths and one of digests";
        let columns = self.columns.as_ref().ok_or(Reason::Words(why))?;
        given.is_shown = true;
        match is_first && self::columns(line, self.separator).is_some() {
            true => Ok(Read::Nothing),
            false => self.row(given, columns, line),
        }
    }
}

impl Reader {
    fn row(&self, given: &Given, columns: &[Column], line: &[u8]) -> Result<Read, Reason> {
        let why = Reason::Words("unexpected quote inside a field");
        let fields = fields(line, self.separator).ok_or(why)?;
        if fields.len() != columns.len() {
            return Err(Reason::Fields(fields.len(), columns.len()));
        }
        let mut file = File::new(given.function);
        for (column, field) in columns.iter().zip(&fields) {
            let spaced = field.strip_prefix(b" ").filter(|_| self.is_spaced);
            file.take(column, spaced.unwrap_or(field));
        }
        file.read()
    }
}
