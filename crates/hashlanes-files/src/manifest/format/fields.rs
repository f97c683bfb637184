//! A line for each thing that is known of a file: `FIELD: VALUE` or `FIELD=VALUE`.
//!
//! ```text
//! Algorithm : SHA256              Filename: pool/a.deb         filename=a.iso
//! Hash      : BA7816BF8F01CFEA... Size: 3                      size=3
//! Path      : C:\a.iso            SHA256: ba7816bf8f01cfea...  crc32=352441C2
//! ```
//!
//! `Get-FileHash | Format-List` of PowerShell writes such lists, and so do `Packages` of Debian and
//! the `.crc` files of Total Commander. Items of `latest.yml` of Electron begin with `-`.

use super::super::{HashName, MAX_RECORD, Read, Reason};
use super::column::{Column, File};
use super::names::unquoted;
use super::{Given, LineReader};

#[derive(Default)]
pub(super) struct Reader {
    /// The fields of the file so far.
    fields: Vec<(Column, Vec<u8>)>,
    /// Whether the console of PowerShell wraps long values.
    may_wrap: bool,
    is_too_long: bool,
}

/// More fields of a file are not read. Those of a package in Debian have a dozen.
const MOST_FIELDS: usize = 64;

impl Reader {
    /// The file that the fields so far are of. They are then empty.
    fn item(&mut self, given: &mut Given) -> Result<Read, Reason> {
        let fields = std::mem::take(&mut self.fields);
        if std::mem::take(&mut self.is_too_long) {
            return Err(Reason::Words("a value is too long"));
        }
        let mut file = File::new(given.function);
        fields.iter().for_each(|(column, value)| file.take(column, value));
        given.is_shown |= file.is_whole();
        // Fields about all files, such as a version, come before the first.
        if file.is_empty() { Ok(Read::Nothing) } else { file.read() }
    }

    /// Appends a line that goes on with a value, if it may be one.
    fn goes_on(&mut self, line: &[u8]) -> bool {
        let latest = self.fields.last_mut().filter(|_| self.may_wrap && line.starts_with(b"  "));
        let Some((_, value)) = latest else { return false };
        self.is_too_long |= value.len() + line.len() > MAX_RECORD;
        if !self.is_too_long {
            value.extend(line.trim_ascii());
        }
        true
    }
}

/// The name of a field, and its value. The name is one word.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = line.iter().position(|byte| matches!(byte, b':' | b'='))?;
    let name = line[..at].trim_ascii();
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let is_word = !name.is_empty() && name.iter().all(is_name);
    is_word.then(|| (name, line[at + 1..].trim_ascii()))
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let text = line.trim_ascii();
        if text.starts_with(b"#") || text.starts_with(b";") {
            return Ok(Read::Nothing);
        }
        let item = text.strip_prefix(b"- ");
        let Some((name, value)) = split(item.unwrap_or(text)) else {
            let is_more = self.goes_on(line) || line.starts_with(b" ");
            let why = Reason::Words("expected FIELD: VALUE");
            return if is_more { Ok(Read::Nothing) } else { Err(why) };
        };
        let column = match Column::named(name) {
            _ if name == b"url" => Column::Path,
            Column::Other(_) if self.goes_on(line) => return Ok(Read::Nothing),
            column => column,
        };
        let is_known = || str::from_utf8(value).ok().and_then(HashName::named).is_some();
        given.is_shown |= column == Column::Function && is_known();
        let is_again = self.fields.iter().any(|(other, _)| *other == column);
        let begins = is_again || item.is_some();
        let read = if begins { self.item(given) } else { Ok(Read::Nothing) };
        if self.fields.len() < MOST_FIELDS && !matches!(column, Column::Other(_)) {
            let quoted = value.strip_prefix(b"'").and_then(|it| it.strip_suffix(b"'"));
            self.fields.push((column, quoted.unwrap_or(unquoted(value)).to_vec()));
        }
        self.may_wrap = line.windows(3).any(|it| it == b" : ");
        read
    }

    fn blank(&mut self, given: &mut Given) -> Result<Read, Reason> {
        self.item(given)
    }

    fn end(&mut self, given: &mut Given) -> Result<Read, Reason> {
        self.item(given)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Read, Reader, ReaderOptions};

    #[test]
    fn an_item_without_a_path_or_a_digest_is_malformed() {
        const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
        for fields in ["Algorithm : MD5|Hash : {M}|Patj : b", "Algorithm : MD5|Path : b"] {
            let format = Some(Format::Fields);
            let mut reader = Reader::new(ReaderOptions { format, ..ReaderOptions::default() });
            for line in fields.replace("{M}", MD5).split('|') {
                assert!(matches!(reader.read(line.as_bytes()), Read::Nothing), "{line}");
            }
            assert!(!matches!(reader.read(b""), Read::Nothing | Read::Entry(_)), "{fields}");
        }
    }
}
