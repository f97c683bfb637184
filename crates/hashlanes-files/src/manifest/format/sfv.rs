//! SFV files: `NAME CRC32`, with comments that begin with `;`.
//!
//! CRC-32 detects accidental changes but not deliberate ones: anybody can make a file with a given
//! CRC.

use super::super::span::{Part, Spans, range_in};
use super::super::{Digits, HashName, Read, Reason, Unwritable};
use super::names::unquoted;
use super::{Given, LineReader, gpg};

/// The number of digits of a CRC.
const DIGITS: usize = 8;

pub(in super::super) fn function() -> HashName {
    HashName::named("crc32").expect("it is known")
}

pub(super) fn refuses(functions: &[HashName]) -> Option<String> {
    (functions != [function()]).then(|| "SFV files hold only CRC-32; use -a crc32".into())
}

/// Whether names can neither begin nor end with the byte.
fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Appends a comment, by which the format is recognised even without a file name.
pub(in super::super) fn write_header(to: &mut Vec<u8>) {
    to.extend(b"; SFV\n");
}

/// Appends a line without a newline. Digits are in upper case, as other tools write them.
pub(in super::super) fn write(
    to: &mut Vec<u8>,
    name: &[u8],
    digest: &[u8],
) -> Result<(), Unwritable> {
    let blank = |byte: Option<&u8>| byte.is_some_and(is_blank);
    if name.contains(&b'\n') || name.starts_with(b";") || blank(name.first()) || blank(name.last())
    {
        let why = "names in SFV files cannot contain newlines, begin with ; or a space, or end \
                   with a space";
        return Err(Unwritable(why));
    }
    // Some tools quote all names, so quotes around one are not part of it.
    let quote: &[u8] = if unquoted(name) == name { b"" } else { b"\"" };
    [quote, name, quote, b" "].iter().for_each(|part| to.extend(*part));
    let begin = to.len();
    Digits::Hex.write(digest, to);
    to[begin..].make_ascii_uppercase();
    Ok(())
}

#[derive(Default)]
pub(super) struct Reader {
    /// A comment or an earlier line shows the format.
    is_likely: bool,
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        if let Some(only) = given.function.filter(|only| *only != function()) {
            return Err(Reason::Other(function(), only));
        }
        if line.starts_with(b";") {
            self.is_likely = true;
            let line = line.to_ascii_lowercase();
            given.is_shown |= line.windows(3).any(|word| word == b"sfv");
            return Ok(Read::Nothing);
        }
        self.is_likely |= given.is_sfv || is_likely(line);
        let why = Reason::Words("expected a name followed by a CRC-32");
        let (name, crc) = split(line).filter(|_| self.is_likely).ok_or(why)?;
        given.entry(unquoted(name).to_vec(), function(), crc, false)
    }

    /// Where the CRC of a line is.
    fn spans(&self, _: &Given, line: &[u8]) -> Spans {
        let span = |(_, crc)| (range_in(line, crc), Part::Digest(function()));
        split(line).map(span).into_iter().collect()
    }
}

/// Whether the line is in SFV rather than in another format: there is a letter among the digits,
/// and they are neither the beginning of a digest after its tag nor the last of several groups.
fn is_likely(line: &[u8]) -> bool {
    let letter = |crc: &[u8]| crc.iter().any(u8::is_ascii_alphabetic);
    let is_other = |name: &[u8]| name.ends_with(b") =") || gpg::ends_in_groups(line);
    split(line).is_some_and(|(name, crc)| letter(crc) && !is_other(name))
}

/// Splits into name and digits. Some tools align the digits in a column.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let (rest, crc) = line.split_at_checked(line.len().checked_sub(DIGITS)?)?;
    let name = &rest[..rest.iter().rposition(|byte| !is_blank(byte)).map_or(0, |last| last + 1)];
    let separated = rest.ends_with(b" ") || rest.ends_with(b"\t");
    (separated && !name.is_empty() && crc.iter().all(u8::is_ascii_hexdigit)).then_some((name, crc))
}
