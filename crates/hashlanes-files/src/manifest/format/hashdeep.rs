//! Files of `hashdeep`: a header that names the columns, and a line for each file.
//!
//! ```text
//! %%%% HASHDEEP-1.0
//! %%%% size,md5,sha256,filename
//! ## Invoked from: /srv
//! 3,900150983cd24fb0...,ba7816bf8f01cfea...,a
//! ```
//!
//! The name is the rest of the line, unescaped. So it may contain commas, but no newline.

use std::iter;

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, HashName, Read, Reason, Written};
use super::found::Found;
use super::{Given, LineReader, csv};

const FIRST_LINE: &[u8] = b"%%%% HASHDEEP-1.0";

/// The functions that `hashdeep` supports.
const ITS_OWN: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

fn is_first_line(line: &[u8]) -> bool {
    line.starts_with(b"%%%% HASHDEEP-")
}

pub(super) fn refuses(functions: &[HashName]) -> Option<String> {
    let other = functions.iter().find(|function| !ITS_OWN.contains(&&*function.name()))?;
    Some(format!("hashdeep files support {}, not {other}", ITS_OWN.join(", ")))
}

/// Appends the header.
pub(in super::super) fn write_header(to: &mut Vec<u8>, functions: &[HashName]) {
    to.extend(FIRST_LINE);
    to.extend(b"\n%%%% size,");
    for function in functions {
        to.extend(function.name().bytes());
        to.push(b',');
    }
    to.extend(b"filename\n");
}

/// Whether a line can hold the name.
pub(in super::super) fn can_hold(name: &[u8]) -> bool {
    !name.contains(&b'\n') && !name.ends_with(b"\r")
}

/// Appends a line without a newline.
pub(in super::super) fn write<D: AsRef<[u8]>>(to: &mut Vec<u8>, file: &Written<'_, D>) {
    to.extend(file.size.unwrap_or(0).to_string().bytes());
    to.push(b',');
    for digest in file.digests {
        Digits::Hex.write(digest.as_ref(), to);
        to.push(b',');
    }
    to.extend(file.name);
}

pub(super) struct Reader {
    /// The only function whose digests are used, if one is given.
    function: Option<HashName>,
    columns: Columns,
}

enum Columns {
    /// The first line has not been read, or nothing after it.
    None,
    Open,
    /// The functions of the columns between the size and the name, or the names of unknown ones.
    Named(Vec<Result<HashName, String>>),
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { function: given.function, columns: Columns::None }
    }

    fn row(&self, functions: &[Result<HashName, String>], line: &[u8]) -> Read {
        let mut fields = line.splitn(functions.len() + 2, |&byte| byte == b',');
        let size = fields.next().unwrap_or(b"");
        if size.is_empty() || !size.iter().all(u8::is_ascii_digit) {
            return Read::Malformed(Reason::Words("the size is not a number"));
        }
        let mut found = Found::new(self.function);
        let mut count = 1;
        for (function, field) in functions.iter().zip(fields.by_ref()) {
            count += 1;
            match function {
                Ok(function) => found.digest(*function, field),
                Err(name) => found.unknown(name),
            }
        }
        match fields.next() {
            Some(name) => {
                let size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
                found.entry(name.to_vec()).with(size, None)
            }
            None => Read::Malformed(Reason::Fields(count, functions.len() + 2)),
        }
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        if is_first_line(line) {
            self.columns = Columns::Open;
            return Read::Nothing;
        }
        if line.starts_with(b"#") && self.is_sure() {
            return Read::Nothing;
        }
        if let Some(names) = line.strip_prefix(b"%%%% size,") {
            return match columns(names) {
                Some(columns) => {
                    self.columns = Columns::Named(columns);
                    Read::Nothing
                }
                None => Read::Malformed(Reason::Words("malformed names of columns")),
            };
        }
        match &self.columns {
            Columns::None | Columns::Open => {
                Read::Malformed(Reason::Words("no earlier line names the columns"))
            }
            Columns::Named(functions) => self.row(functions, line),
        }
    }

    fn is_sure(&self) -> bool {
        !matches!(self.columns, Columns::None)
    }

    /// Where the size and the digests of a row are.
    fn spans(&self, row: &[u8]) -> Spans {
        let Columns::Named(functions) = &self.columns else { return Spans::new() };
        let digest = |function: &Result<HashName, _>| function.as_ref().ok().copied();
        let digests = functions.iter().map(|function| digest(function).map(Part::Digest));
        let fields = row.split(|byte| *byte == b',').map(|field| range_in(row, field));
        let parts = iter::once(Some(Part::Size)).chain(digests).zip(fields);
        parts.filter_map(|(part, at)| Some((at, part?))).collect()
    }
}

/// The columns of a header `md5,sha256,..,filename`, of which there are few.
fn columns(names: &[u8]) -> Option<Vec<Result<HashName, String>>> {
    let names = Some(names).filter(|names| names.len() <= csv::MAX_HEADER)?;
    let names = str::from_utf8(names).ok()?.strip_suffix(",filename")?;
    let mut functions = Vec::new();
    for name in names.split(',') {
        let function = HashName::named(name).ok_or_else(|| name.to_owned());
        if functions.contains(&function) || name.len() > 24 {
            return None;
        }
        functions.push(function);
    }
    Some(functions)
}
