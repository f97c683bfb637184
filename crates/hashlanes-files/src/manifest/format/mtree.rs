//! mtree(5) of BSD, also `.MTREE` of Arch Linux: a hierarchy, or paths with all their parts.
//!
//! ```text
//! #mtree
//! /set type=file
//! .               type=dir
//!     a\040b       size=3 md5digest=900150983cd24fb0... \
//!                 sha256digest=ba7816bf8f01cfea...
//! ./d/e type=file sha256=ba7816bf8f01cfea...
//! ```
//!
//! Names are relative to the folder that the tree describes.

use super::super::{MAX_RECORD, Read, Reason};
use super::column::{Column, File};
use super::{Given, LineReader};

#[derive(Default)]
pub(super) struct Reader {
    /// The folder that contains the next names, with a slash at its end.
    folder: Vec<u8>,
    /// What `/set` says of the type, which is else that of files.
    kind: Option<Vec<u8>>,
    /// The lines so far of an entry that goes on.
    begun: Vec<u8>,
    goes_on: bool,
}

impl Reader {
    fn entry(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(first) = words.next() else { return Ok(Read::Nothing) };
        if first == b".." {
            self.folder.pop();
            let end = self.folder.iter().rposition(|byte| *byte == b'/').map_or(0, |it| it + 1);
            self.folder.truncate(end);
            return Ok(Read::Nothing);
        }
        let kind = self.kind.clone().unwrap_or_else(|| b"file".to_vec());
        let (mut kind, mut file) = (kind, File::new(given.function));
        let is_set = first == b"/set";
        for word in words {
            let at = word.iter().position(|byte| *byte == b'=').unwrap_or(word.len());
            let (key, value) = (&word[..at], word.get(at + 1..).unwrap_or_default());
            let plain = key.strip_suffix(b"digest").unwrap_or(key);
            match Column::named(plain) {
                _ if key == b"type" => kind = value.to_vec(),
                column @ (Column::Digest(_) | Column::Size) => file.take(&column, value),
                _ if at == word.len() && first != b"/unset" && !is_keyword(word) => {
                    return Err(Reason::Words("expected NAME KEYWORD=VALUE.."));
                }
                _ => {}
            }
        }
        if first.starts_with(b"/") {
            given.is_shown |= is_set;
            self.kind = is_set.then_some(kind);
            return Ok(Read::Nothing);
        }
        let name = unescaped(first).ok_or(Reason::Words("the name has an invalid escape"))?;
        let is_whole_path = name.contains(&b'/');
        let mut path = if is_whole_path { Vec::new() } else { self.folder.clone() };
        path.extend(name.strip_prefix(b"./").unwrap_or(&name));
        if kind == b"dir" && !is_whole_path {
            // The folder itself is not a part of its names.
            self.folder = if path == b"." { b"./".to_vec() } else { [&path[..], b"/"].concat() };
        }
        const OTHERS: [&[u8]; 6] = [b"dir", b"link", b"block", b"char", b"fifo", b"socket"];
        if OTHERS.contains(&&*kind) && !file.found.has_any() {
            return Ok(Read::Nothing);
        }
        if kind != b"file" {
            return Err(Reason::Words("expected type=file for a file with a digest"));
        }
        if !file.found.has_any() {
            let why = "the manifest has no digest of it";
            return if given.is_shown { Ok(Read::Unverified(path, why)) } else { file.read() };
        }
        given.is_shown = true;
        file.name = path;
        file.read()
    }
}

/// Words without a value.
fn is_keyword(word: &[u8]) -> bool {
    matches!(word, b"ignore" | b"nochange" | b"optional")
}

/// A name without the escapes of vis(3) in octal and of C. `None` if an escape is another one.
fn unescaped(name: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::with_capacity(name.len());
    let mut bytes = name.iter().copied();
    while let Some(byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next()? {
                first @ b'0'..=b'3' => {
                    let mut digit = || bytes.next().filter(|it| matches!(it, b'0'..=b'7'));
                    64 * (first - b'0') + 8 * (digit()? - b'0') + (digit()? - b'0')
                }
                b's' => b' ',
                b't' => b'\t',
                b'n' => b'\n',
                b'r' => b'\r',
                same @ (b'\\' | b'#' | b'*' | b'?' | b'[') => same,
                _ => return None,
            },
            byte => byte,
        });
    }
    Some(plain)
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let text = line.trim_ascii();
        if !self.goes_on && text.starts_with(b"#") {
            given.is_shown |= text.starts_with(b"#mtree");
            return Ok(Read::Nothing);
        }
        let more = text.strip_suffix(b"\\");
        self.begun.extend(more.unwrap_or(text));
        self.begun.push(b' ');
        self.goes_on = more.is_some() && self.begun.len() <= MAX_RECORD;
        if self.goes_on {
            return Ok(Read::More);
        }
        let entry = std::mem::take(&mut self.begun);
        self.entry(given, &entry)
    }

    fn is_within_record(&self) -> bool {
        self.goes_on
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{Format, Read, Reader, ReaderOptions};

    #[test]
    fn names_are_those_of_the_folders_around_them() {
        const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
        let format = Some(Format::Mtree);
        let mut reader = Reader::new(ReaderOptions { format, ..ReaderOptions::default() });
        let mut names = Vec::new();
        for line in [
            "#mtree",
            "/set type=file uid=0",
            ". type=dir",
            "    a\\040b size=3 \\",
            "        md5digest={M}",
            "d type=dir",
            "    e\\sf md5={M}",
            "    f type=link link=a",
            "    g type=dir optional",
            "        h md5={M}",
            "    ..",
            "    i md5={M}",
            "..",
            "j md5={M} cksum=1",
            "./k/l md5={M}",
        ] {
            match reader.read(line.replace("{M}", MD5).as_bytes()) {
                Read::Entry(entry) => names.push(String::from_utf8(entry.name).unwrap()),
                Read::Nothing | Read::More => {}
                other => panic!("{line}: {other:?}"),
            }
        }
        assert_eq!(names, ["./a b", "./d/e f", "./d/g/h", "./d/i", "./j", "k/l"]);
        assert!(matches!(reader.read(b"m size=3"), Read::Unverified(..)));
        assert!(matches!(reader.read(b"/unset uid"), Read::Nothing));
        for line in ["n type=fi1e md5=9001", "n type=dir md5=900150983cd24fb0d6963f7d28e17f72"] {
            assert!(matches!(reader.read(line.as_bytes()), Read::Malformed(_)), "{line}");
        }
        for line in ["n md5=9001", "n md5=900150983cd24fb0d6963f7d28e17f7g", "n\\x md5=", "a b c"] {
            assert!(matches!(reader.read(line.as_bytes()), Read::Malformed(_)), "{line}");
        }
    }
}
