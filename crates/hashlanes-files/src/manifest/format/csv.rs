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
//! or tabs may separate them. Instead of a column for each function there may be one of functions
//! and one of digests, as in `Get-FileHash | Export-Csv`. Other columns and empty digests are
//! ignored.

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, HashName, MAX_RECORD, Read, Reason, Written, time};
use super::found::Found;
use super::{Given, LineReader};

const PATH: [&str; 5] = ["path", "filename", "file", "name", "key"];
const FUNCTION: [&str; 3] = ["algorithm", "function", "hashtype"];
const DIGEST: [&str; 4] = ["hash", "digest", "checksum", "hashvalue"];

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

/// The content of a column.
pub(in super::super) enum Column {
    Path,
    Size,
    Modified,
    Digest(HashName),
    /// The name of the function of `AnyDigest`.
    Function,
    AnyDigest,
    Other,
}

impl Column {
    fn named(name: &str) -> Self {
        if PATH.contains(&name) {
            Self::Path
        } else if FUNCTION.contains(&name) {
            Self::Function
        } else if DIGEST.contains(&name) {
            Self::AnyDigest
        } else if let Some(function) = HashName::named(name) {
            Self::Digest(function)
        } else {
            match name {
                "size" | "length" => Self::Size,
                "mtime" => Self::Modified,
                _ => Self::Other,
            }
        }
    }
}

/// The columns of a header row: one of paths, and at least one of digests. `None` if the line is
/// not one.
fn columns(line: &[u8], separator: u8) -> Option<Vec<Column>> {
    // All known names of functions and columns together are shorter.
    if line.len() > MAX_HEADER {
        return None;
    }
    let mut columns: Vec<Column> = Vec::new();
    for field in fields(line.strip_suffix(b"\r").unwrap_or(line), separator)? {
        let name = String::from_utf8(field).ok()?.trim().to_ascii_lowercase();
        let column = Column::named(&name);
        if let Column::Digest(function) = column {
            let is_same = |other: &Column| matches!(other, Column::Digest(it) if *it == function);
            if columns.iter().any(is_same) {
                return None;
            }
        }
        columns.push(column);
    }
    let count = |is: fn(&Column) -> bool| columns.iter().filter(|column| is(column)).count();
    let of_one = count(|it| matches!(it, Column::Digest(_)));
    let of_any = count(|it| matches!(it, Column::AnyDigest));
    let functions = count(|it| matches!(it, Column::Function));
    let has_digests = (of_any, functions) == (1, 1) || of_any == 0 && of_one > 0;
    (count(|it| matches!(it, Column::Path)) == 1 && has_digests).then_some(columns)
}

pub(super) const MAX_HEADER: usize = 1000;

/// The fields of a row. `None` if it is not quoted correctly.
pub(super) fn fields(mut row: &[u8], separator: u8) -> Option<Vec<Vec<u8>>> {
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

pub(super) struct Reader {
    /// The only function whose digests are used, if one is given.
    function: Option<HashName>,
    /// The columns, once the header has been read.
    columns: Option<Vec<Column>>,
    separator: u8,
    /// The lines of an incomplete row, whose last quote is not closed.
    begun: Vec<u8>,
    is_within_record: bool,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        let (function, begun) = (given.function, Vec::new());
        Self { function, columns: None, separator: b',', begun, is_within_record: false }
    }
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
            Column::Function | Column::AnyDigest | Column::Other => {}
        }
    }
    true
}

impl LineReader for Reader {
    fn is_within_record(&self) -> bool {
        self.is_within_record
    }

    fn is_sure(&self) -> bool {
        self.columns.is_some()
    }

    fn columns(&self) -> Option<(&[Column], u8)> {
        self.columns.as_deref().map(|columns| (columns, self.separator))
    }

    /// Where the size, the time and the digests of a row are.
    fn spans(&self, row: &[u8]) -> Spans {
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
            Some((range_in(row, field), part))
        };
        self.columns.iter().flatten().zip(fields).filter_map(part).collect()
    }

    fn read(&mut self, line: &[u8]) -> Read {
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
        if let Some(columns) = &self.columns {
            return row(columns, self.separator, self.function, line);
        }
        // What PowerShell and Excel write before the header.
        if line.starts_with(b"#TYPE ") || line.starts_with(b"sep=") {
            return Read::Nothing;
        }
        for separator in [b',', b';', b'\t'] {
            if let Some(columns) = columns(line, separator) {
                (self.columns, self.separator) = (Some(columns), separator);
                return Read::Nothing;
            }
        }
        let why = "the header must name a column of paths and one of digests";
        Read::Malformed(Reason::Words(why))
    }
}

fn row(columns: &[Column], separator: u8, only: Option<HashName>, line: &[u8]) -> Read {
    let Some(fields) = fields(line, separator) else {
        return Read::Malformed(Reason::Words("unexpected quote inside a field"));
    };
    if fields.len() != columns.len() {
        return Read::Malformed(Reason::Fields(fields.len(), columns.len()));
    }
    let mut name = Vec::new();
    let mut found = Found::new(only);
    let (mut size, mut modified) = (None, None);
    let (mut function, mut digest) = (Vec::new(), Vec::new());
    for (column, field) in columns.iter().zip(fields) {
        match column {
            Column::Path => name = field,
            Column::Size => size = str::from_utf8(&field).ok().and_then(|size| size.parse().ok()),
            Column::Modified => modified = time::read(&field),
            Column::Digest(function) if !field.is_empty() => found.digest(*function, &field),
            Column::Function => function = field,
            Column::AnyDigest => digest = field,
            Column::Digest(_) | Column::Other => {}
        }
    }
    if !digest.is_empty() {
        found.named(&String::from_utf8_lossy(&function), &digest);
    }
    found.entry(name).with(size, modified)
}
