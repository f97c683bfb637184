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
use super::super::{Digits, HashName, Read, Reason, Unwritable, Written};
use super::found::Found;
use super::{Given, LineReader, csv};

const FIRST_LINE: &[u8] = b"%%%% HASHDEEP-1.0";

/// The functions that `hashdeep` supports.
const ITS_OWN: [&str; 5] = ["md5", "sha1", "sha256", "tiger", "whirlpool"];

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

/// Appends a line without a newline.
pub(in super::super) fn write<D: AsRef<[u8]>>(
    to: &mut Vec<u8>,
    file: &Written<'_, D>,
) -> Result<(), Unwritable> {
    if file.name.contains(&b'\n') || file.name.ends_with(b"\r") {
        return Err(Unwritable("names in hashdeep files cannot contain a newline"));
    }
    to.extend(file.size.unwrap_or(0).to_string().bytes());
    to.push(b',');
    for digest in file.digests {
        Digits::Hex.write(digest.as_ref(), to);
        to.push(b',');
    }
    to.extend(file.name);
    Ok(())
}

#[derive(Default)]
pub(super) struct Reader {
    /// The functions of the columns between the size and the name, or the names of unknown ones.
    columns: Option<Vec<Result<HashName, String>>>,
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if line.starts_with(b"%%%% HASHDEEP-") {
            (self.columns, given.is_shown) = (None, true);
            return Ok(Read::Nothing);
        }
        if line.starts_with(b"#") && given.is_shown {
            return Ok(Read::Nothing);
        }
        if let Some(names) = line.strip_prefix(b"%%%% size,") {
            let columns = columns(names).ok_or(Reason::Words("malformed names of columns"))?;
            (self.columns, given.is_shown) = (Some(columns), true);
            return Ok(Read::Nothing);
        }
        let why = Reason::Words("no earlier line names the columns");
        let functions = self.columns.as_ref().ok_or(why)?;
        let mut fields = line.splitn(functions.len() + 2, |&byte| byte == b',');
        let size = fields.next().unwrap_or(b"");
        if size.is_empty() || !size.iter().all(u8::is_ascii_digit) {
            return Err(Reason::Words("the size is not a number"));
        }
        let mut found = Found::new(given.function);
        let mut count = 1;
        for (function, field) in functions.iter().zip(fields.by_ref()) {
            count += 1;
            match function {
                Ok(function) => found.digest(*function, field),
                Err(name) => found.unknown(name),
            }
        }
        let name = fields.next().ok_or(Reason::Fields(count, functions.len() + 2))?;
        let size = str::from_utf8(size).ok().and_then(|size| size.parse().ok());
        Ok(found.entry(name.to_vec())?.with(size, None))
    }

    /// Where the size and the digests of a row are.
    fn spans(&self, _: &Given, row: &[u8]) -> Spans {
        let Some(functions) = &self.columns else { return Spans::new() };
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
