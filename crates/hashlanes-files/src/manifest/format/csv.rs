//! Comma-separated values (RFC 4180) with a header row.
//!
//! ```csv
//! path,size,mtime,md5,sha256
//! a,3,2026-11-22T12:27:23Z,900150983cd24fb0...,ba7816bf8f01cfea...
//! ```
//!
//! A field with a comma, a quote, a newline or a carriage return is quoted, and quotes in it are
//! doubled. Names are written as they are, whether they are UTF-8 or not. On input the columns may
//! come in any order; `filename`, `file` and `name` are other names for `path`. Other columns and
//! empty digests are ignored.

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, HashName, MAX_RECORD, Read, Reason, Written, time};
use super::json::entry;

const PATH: [&str; 4] = ["path", "filename", "file", "name"];

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
    write_field(to, file.name);
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

fn write_field(to: &mut Vec<u8>, field: &[u8]) {
    let special = |byte: &u8| matches!(byte, b',' | b'"' | b'\n' | b'\r');
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

/// Whether this line is a header: it has one column of paths, and at least one of digests.
pub(in super::super) fn is_header(line: &[u8]) -> bool {
    // All known names of functions and columns together are shorter.
    line.len() < 1000 && columns(line).is_some()
}

/// The content of a column.
enum Column {
    Path,
    Size,
    Modified,
    Digest(HashName),
    Other,
}

/// The columns of a header row. `None` if the line is not one.
fn columns(line: &[u8]) -> Option<Vec<Column>> {
    let mut columns = Vec::new();
    let mut functions = Vec::new();
    let mut paths = 0;
    for field in fields(line.strip_suffix(b"\r").unwrap_or(line))? {
        let name = String::from_utf8(field).ok()?.trim().to_ascii_lowercase();
        columns.push(if PATH.contains(&name.as_str()) {
            paths += 1;
            Column::Path
        } else if let Some(function) = HashName::named(&name) {
            if functions.contains(&function) {
                return None;
            }
            functions.push(function);
            Column::Digest(function)
        } else {
            match name.as_str() {
                "size" => Column::Size,
                "mtime" => Column::Modified,
                _ => Column::Other,
            }
        });
    }
    (paths == 1 && !functions.is_empty()).then_some(columns)
}

/// The fields of a row. `None` if it is not quoted correctly.
fn fields(mut row: &[u8]) -> Option<Vec<Vec<u8>>> {
    let mut fields = Vec::new();
    loop {
        let mut field = Vec::new();
        if let Some(mut rest) = row.strip_prefix(b"\"") {
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
            let end = row.iter().position(|&byte| byte == b',').unwrap_or(row.len());
            field.extend(&row[..end]);
            if field.contains(&b'"') {
                return None;
            }
            row = &row[end..];
        }
        fields.push(field);
        match row {
            [] => return Some(fields),
            [b',', rest @ ..] => row = rest,
            _ => return None,
        }
    }
}

pub(in super::super) struct Reader {
    /// The only function whose digests are used, if one is given.
    function: Option<HashName>,
    /// The columns, once the header has been read.
    columns: Option<Vec<Column>>,
    /// The lines of an incomplete row, whose last quote is not closed.
    begun: Vec<u8>,
    is_within_record: bool,
}

impl Reader {
    pub(in super::super) fn new(function: Option<HashName>) -> Self {
        Self { function, columns: None, begun: Vec::new(), is_within_record: false }
    }

    pub(in super::super) fn is_within_record(&self) -> bool {
        self.is_within_record
    }

    /// Where the size, the time and the digests of a row are.
    pub(in super::super) fn spans(&self, row: &[u8]) -> Spans {
        let mut is_quoted = false;
        // A quote within a field is doubled, so it changes nothing.
        let fields = row.split(|byte| {
            is_quoted ^= *byte == b'"';
            *byte == b',' && !is_quoted
        });
        let part = |(column, field): (&Column, &[u8])| {
            let part = match column {
                Column::Size => Part::Size,
                Column::Modified => Part::Modified,
                Column::Digest(function) if !field.is_empty() => Part::Digest(*function),
                Column::Digest(_) | Column::Path | Column::Other => return None,
            };
            Some((range_in(row, field), part))
        };
        self.columns.iter().flatten().zip(fields).filter_map(part).collect()
    }

    /// Appends a row with the columns of the header, without a newline.
    pub(in super::super) fn write<D: AsRef<[u8]>>(
        &self,
        to: &mut Vec<u8>,
        file: &Written<'_, D>,
        functions: &[HashName],
        digits: Digits,
    ) {
        let Some(columns) = &self.columns else { return write(to, file, digits) };
        for (number, column) in columns.iter().enumerate() {
            if number > 0 {
                to.push(b',');
            }
            match column {
                Column::Path => write_field(to, file.name),
                Column::Size => {
                    to.extend(file.size.iter().flat_map(|n| n.to_string().into_bytes()))
                }
                Column::Modified => file.modified.iter().for_each(|at| time::write(*at, to)),
                Column::Digest(function) => {
                    let place = functions.iter().position(|other| other == function);
                    if let Some(digest) = place.and_then(|place| file.digests.get(place)) {
                        digits.write(digest.as_ref(), to);
                    }
                }
                Column::Other => {}
            }
        }
    }

    pub(in super::super) fn read(&mut self, line: &[u8]) -> Read {
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
            return Read::More;
        }
        let line = record.strip_suffix(b"\r").unwrap_or(&record);
        if line.is_empty() {
            return Read::Nothing;
        }
        match &self.columns {
            Some(columns) => row(columns, self.function, line),
            None => {
                self.columns = columns(line);
                if self.columns.is_some() {
                    return Read::Nothing;
                }
                Read::Malformed(Reason::Words(
                    "the header must name a column of paths and one of digests",
                ))
            }
        }
    }
}

fn row(columns: &[Column], only: Option<HashName>, line: &[u8]) -> Read {
    let Some(fields) = fields(line) else {
        return Read::Malformed(Reason::Words("unexpected quote inside a field"));
    };
    if fields.len() != columns.len() {
        return Read::Malformed(Reason::Fields(fields.len(), columns.len()));
    }
    let mut name = Vec::new();
    let mut digests = Vec::new();
    let (mut size, mut modified) = (None, None);
    for (column, field) in columns.iter().zip(fields) {
        match column {
            Column::Path => name = field,
            Column::Size => size = str::from_utf8(&field).ok().and_then(|size| size.parse().ok()),
            Column::Modified => modified = time::read(&field),
            Column::Digest(function) if !field.is_empty() => digests.push((*function, field)),
            Column::Digest(_) | Column::Other => {}
        }
    }
    entry(name, only, digests.iter().map(|(function, field)| (*function, field.as_slice())))
        .with(size, modified)
}
