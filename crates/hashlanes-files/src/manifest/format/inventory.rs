//! S3 Inventory in CSV: rows without a header, in which all fields are quoted.
//!
//! ```text
//! "bucket","folder/a%20b","3","2026-11-22T12:27:23.000Z","900150983cd24fb0..."
//! ```
//!
//! The key is encoded as in URLs. Older versions and delete markers are passed over. An ETag is the
//! MD5 of the object unless it was uploaded in parts.

use super::super::{HashName, Read, Reason, digits};
use super::csv::fields;
use super::{Given, LineReader};

#[derive(Default)]
pub(super) struct Reader;

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let why = Reason::Words("expected \"BUCKET\",\"KEY\",.. with an ETag");
        let md5 = HashName::named("md5").expect("it is known");
        let row = fields(line, b',').filter(|row| row.len() > 2 && line.starts_with(b"\""));
        let Some(row) = row else { return Err(why) };
        // Of a list of versions: `ISLATEST,ISDELETEMARKER`.
        let pair = row.windows(2).find(|pair| pair.iter().all(|it| is_truth(it)));
        if pair.is_some_and(|pair| pair[0] == b"false" || pair[1] == b"true") {
            return Ok(Read::Nothing);
        }
        let Some(name) = decoded(&row[1]).filter(|name| !name.is_empty()) else { return Err(why) };
        if let Some(only) = given.function.filter(|only| *only != md5) {
            return Err(Reason::Other(md5, only));
        }
        match row[2..].iter().find(|field| digits::read(field, md5).is_ok()) {
            Some(digits) => given.entry(name, md5, digits, false),
            None if row[2..].iter().any(|field| is_of_parts(field)) => {
                let why = "its ETag is of an upload in parts, and no digest of it";
                Ok(Read::Unverified(name, why))
            }
            None => Err(why),
        }
    }
}

fn is_truth(field: &[u8]) -> bool {
    matches!(field, b"true" | b"false")
}

/// Whether this is an ETag such as `900150983cd24fb0..-3`.
fn is_of_parts(field: &[u8]) -> bool {
    let (digits, parts) = field.split_at(field.len().min(32));
    let is_number = |parts: &[u8]| !parts.is_empty() && parts.iter().all(u8::is_ascii_digit);
    digits.iter().all(u8::is_ascii_hexdigit) && parts.strip_prefix(b"-").is_some_and(is_number)
}

/// A key with `%` and `+` decoded. `None` if a code is not one.
fn decoded(key: &[u8]) -> Option<Vec<u8>> {
    let mut decoded = Vec::with_capacity(key.len());
    let mut bytes = key.iter();
    while let Some(&byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let code = [*bytes.next()?, *bytes.next()?];
                base16ct::mixed::decode_vec(code).ok()?[0]
            }
            b'+' => b' ',
            byte => byte,
        });
    }
    Some(decoded)
}
