//! Changes what a line says of the content of its file, and nothing else.

use super::digits::{can_write_like, write_like};
use super::format::{Format, csv};
use super::reader::{BYTE_ORDER_MARK, Reader};
use super::span::{Part, Spans};
use super::writer::refuse;
use super::{Digits, HashName, Unwritable, Writer, Written, time};

impl Reader {
    /// Returns a record for which [`read`](Self::read) has given an entry, but with the digests,
    /// the size and the time of `file`. Its name, its other fields and their order stay as they
    /// are. A size or time that the record lacks is not added.
    ///
    /// A record is a line, or several with newlines between them, where the earlier ones gave
    /// [`Read::More`](super::Read::More).
    ///
    /// ```
    /// use hashlanes_files::manifest::{HashName, Reader, ReaderOptions, Written};
    ///
    /// let mut reader = Reader::new(ReaderOptions::default());
    /// let line = b"00112233445566778899AABBCCDDEEFF *a";
    /// reader.read(line);
    /// let md5 = HashName::named("md5").unwrap();
    /// let digests = [[0xcc; 16]];
    /// let file =
    ///     Written { name: b"a", size: Some(3), modified: None, version: None, digests: &digests };
    /// assert_eq!(reader.edited(line, &[md5], &file), b"CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC *a");
    /// ```
    pub fn edited<D: AsRef<[u8]>>(
        &self,
        record: &[u8],
        functions: &[HashName],
        file: &Written<'_, D>,
    ) -> Vec<u8> {
        let mut spans = self.spans(record);
        spans.sort_unstable_by_key(|(range, _)| range.start);
        let is_json = self.format == Some(Format::Json);
        let (mut edited, mut end) = (Vec::with_capacity(record.len()), 0);
        for (range, part) in spans {
            edited.extend(&record[end..range.start]);
            let old = &record[range.clone()];
            let is_quoted = old.starts_with(b"\"") || is_json && part != Part::Size;
            match content(part, old, functions, file) {
                Some(new) if is_quoted => edited.extend([b"\"", &new[..], b"\""].concat()),
                Some(new) => edited.extend(new),
                None if is_json => edited.extend(b"null"),
                None => {}
            }
            end = range.end;
        }
        edited.extend(&record[end..]);
        edited
    }

    /// Appends the lines of a file that the manifest does not list yet, with the columns that it
    /// has.
    ///
    /// # Errors
    /// If the format cannot represent the name, or no column can hold a digest. Then nothing is
    /// appended.
    pub fn added<D: AsRef<[u8]>>(
        &self,
        writer: &Writer,
        file: &Written<'_, D>,
        to: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        refuse(file.name)?;
        match (self.state.columns(), writer.format) {
            (Some(columns), Format::Csv) => {
                if !csv::write_columns(columns, to, file, &writer.functions, writer.digits) {
                    let why = "no column of the header can hold the digest";
                    return Err(Unwritable(why));
                }
                to.push(b'\n');
                Ok(())
            }
            (None, Format::Text) if self.state.is_reversed() => {
                writer.text(file, b" ", to);
                Ok(())
            }
            _ => writer.file(file, to),
        }
    }

    /// Whether [`edited`](Self::edited) can replace each digest of a record that has this many.
    pub fn can_edit(&self, record: &[u8], digests: usize) -> bool {
        let can = |(range, part): (std::ops::Range<usize>, Part)| match part {
            Part::Digest(function) => {
                let old = record[range].iter().copied().filter(|byte| *byte != b'"');
                can_write_like(&old.collect::<Vec<_>>(), function.digest_len())
            }
            _ => false,
        };
        self.spans(record).into_iter().filter(|it| can(it.clone())).count() == digests
    }

    /// How the digests of this record are encoded, and whether it marks its file as binary.
    pub fn style(&self, record: &[u8]) -> (Digits, bool) {
        let spans = self.spans(record);
        let Some((range, Part::Digest(function))) =
            spans.into_iter().find(|(_, part)| matches!(part, Part::Digest(_)))
        else {
            return (Digits::Hex, false);
        };
        let is_text = matches!(self.format, Some(Format::Text | Format::Tagged));
        let is_binary =
            is_text && !self.state.is_reversed() && record[range.end..].starts_with(b" *");
        (encoding(&record[range], function), is_binary)
    }

    fn spans(&self, record: &[u8]) -> Spans {
        let line = record.strip_suffix(b"\r").unwrap_or(record);
        let line = if self.options.zero { record } else { line };
        let marked = line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line);
        let mut spans = self.state.spans(&self.given, marked);
        let skipped = line.len() - marked.len();
        spans.iter_mut().for_each(|(range, _)| {
            *range = range.start + skipped..range.end + skipped;
        });
        spans
    }
}

/// The text of a part, encoded as the old one was. `None` if nothing is known.
fn content<D: AsRef<[u8]>>(
    part: Part,
    old: &[u8],
    functions: &[HashName],
    file: &Written<'_, D>,
) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    match part {
        Part::Size => text.extend(file.size?.to_string().bytes()),
        Part::Modified => time::write(file.modified?, &mut text),
        // Quotes are added where it is written.
        Part::Version => {
            let quoted = serde_json::to_vec(file.version?).ok()?;
            text.extend(&quoted[1..quoted.len() - 1]);
        }
        Part::Digest(function) => {
            let place = functions.iter().position(|other| *other == function)?;
            let old =
                old.strip_prefix(b"\"").and_then(|old| old.strip_suffix(b"\"")).unwrap_or(old);
            write_like(old, file.digests.get(place)?.as_ref(), &mut text);
        }
    }
    Some(text)
}

/// The encoding of a digest, which may have quotes.
fn encoding(text: &[u8], function: HashName) -> Digits {
    let digits = text.iter().filter(|byte| **byte != b'"').count();
    if digits == 2 * function.digest_len() { Digits::Hex } else { Digits::Base64 }
}

#[cfg(test)]
mod tests {
    use super::super::{Read, ReaderOptions};
    use super::*;

    const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";

    /// The last record of the text with another content, and a new entry, as `name` wants them.
    fn changed(options: ReaderOptions, text: &str, name: &str) -> (String, String) {
        let mut reader = Reader::new(options);
        let mut record = Vec::new();
        for line in text.split('\n') {
            let read = reader.read(line.as_bytes());
            match read {
                Read::More => record.extend([line.as_bytes(), b"\n"].concat()),
                Read::Nothing => {}
                Read::Entry(_) => record.extend(line.bytes()),
                other => panic!("{line}: {other:?}"),
            }
        }
        let functions = [HashName::named("md5").unwrap()];
        let digests = [[0xab; 16]];
        let (size, modified) = (Some(7), Some((0, 1)));
        let file =
            Written { name: name.as_bytes(), size, modified, version: None, digests: &digests };
        let edited = String::from_utf8(reader.edited(&record, &functions, &file)).unwrap();
        let (digits, binary) = reader.style(&record);
        let format = reader.format().unwrap();
        let writer = Writer { format, functions: functions.into(), digits, zero: false, binary };
        let mut added = Vec::new();
        reader.added(&writer, &file, &mut added).unwrap();
        (edited, String::from_utf8(added).unwrap())
    }

    #[test]
    fn everything_but_the_content_stays() {
        let new = "ab".repeat(16);
        let base64 = "q6urq6urq6urq6urq6urqw==";
        let quoted_old = "\"kAFQmDzST7DWlj99KOF/cg==\"";
        for (old, edited, added) in [
            (format!("{MD5}  {MD5}"), format!("{new}  {MD5}"), format!("{new}  n\n")),
            (format!("\\{MD5} *a\\nb"), format!("\\{new} *a\\nb"), format!("{new} *n\n")),
            (format!("{MD5} a\r"), format!("{new} a\r"), format!("{new} n\n")),
            (
                format!("\u{feff}{}  a", MD5.to_uppercase()),
                format!("\u{feff}{}  a", new.to_uppercase()),
                format!("{new}  n\n"),
            ),
            (
                format!("path,owner,md5\n\"a\n,b\",\"x, \"\"y\",{MD5}"),
                format!("\"a\n,b\",\"x, \"\"y\",{new}"),
                format!("n,,{new}\n"),
            ),
            (
                format!("size,MD5,mtime,note,name\n1,{MD5},,{MD5},a"),
                format!("7,{new},1970-01-01T00:00:00.000000001Z,{MD5},a"),
                format!("7,{new},1970-01-01T00:00:00.000000001Z,,n\n"),
            ),
            (
                format!("path;md5;size\n\"a;b\";{MD5};3"),
                format!("\"a;b\";{new};7"),
                format!("n;{new};7\n"),
            ),
            (
                format!("%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n## $\n3,{MD5},a,b"),
                format!("7,{new},a,b"),
                format!("7,{new},n\n"),
            ),
            (
                format!(
                    "{{ \"x\":[{{\"size\":1}},\"\\\"}}\"], \"path\" : \"{MD5}\" , \"size\": 3,\
                         \"digests\" : {{\"md5\": {quoted_old} }},\"mtime\":null}}"
                ),
                format!(
                    "{{ \"x\":[{{\"size\":1}},\"\\\"}}\"], \"path\" : \"{MD5}\" , \"size\": 7,\
                         \"digests\" : {{\"md5\": \"{base64}\" }},\
                         \"mtime\":\"1970-01-01T00:00:00.000000001Z\"}}"
                ),
                format!(
                    "{{\"path\":\"n\",\"size\":7,\"mtime\":\"1970-01-01T00:00:00.000000001Z\",\
                         \"digests\":{{\"md5\":\"{base64}\"}}}}\n"
                ),
            ),
        ] {
            let changed = changed(ReaderOptions::default(), &old, "n");
            assert_eq!(changed, (edited, added), "{old}");
        }
        let tagged = |digest: &str| format!("MD5 (a) = {MD5}) = {digest}");
        let (edited, _) = changed(ReaderOptions::default(), &tagged(MD5), "n");
        assert_eq!(edited, tagged(&new));
    }

    #[test]
    fn rows_are_added_with_the_separator_and_never_without_a_digest() {
        let functions = vec![HashName::named("md5").unwrap()];
        let (format, digits) = (Format::Csv, Digits::Hex);
        let writer = Writer { format, functions, digits, zero: false, binary: false };
        let digests = [[0xab; 16]];
        let added = |header: &str| {
            let mut reader = Reader::new(ReaderOptions::default());
            assert_eq!(reader.read(header.as_bytes()), Read::Nothing, "{header}");
            let (name, size, modified, version) = (&b"a;b\t"[..], Some(3), None, None);
            let mut to = Vec::new();
            let file = Written { name, size, modified, version, digests: &digests };
            let added = reader.added(&writer, &file, &mut to);
            added.map(|()| String::from_utf8(to).unwrap()).ok()
        };
        let digest = "ab".repeat(16);
        assert_eq!(added("path;md5"), Some(format!("\"a;b\t\";{digest}\n")));
        assert_eq!(added("md5\tpath"), Some(format!("{digest}\t\"a;b\t\"\n")));
        assert_eq!(added("Algorithm,Hash,Path"), None);
        assert_eq!(added("path,sha256"), None);
    }
}
