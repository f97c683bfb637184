//! The lines of one file in a manifest that can be resumed.

use std::io::{self, BufRead, BufReader, Read, Write};

use hashlanes_files::name::unescape;
use hashlanes_files::system::Stamp;

/// How the lines are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The tag of each function, and the bytes of its digests.
    pub(crate) functions: Vec<(String, usize)>,
    pub(crate) tag: bool,
    pub(crate) binary: bool,
}

/// The most bytes of a line: more than the longest escaped path takes.
const MAX_LINE: u64 = 4 << 20;

impl Layout {
    /// The first line of the manifest. It tells apart what does not go together.
    pub(crate) fn header(&self) -> Vec<u8> {
        let mut line = b"# hashlanes sum --resume 1".to_vec();
        for (tag, _) in &self.functions {
            line.extend(b" ");
            line.extend(tag.to_lowercase().as_bytes());
        }
        if self.tag {
            line.extend(b" --tag");
        } else if self.binary {
            line.extend(b" --binary");
        }
        line.push(b'\n');
        line
    }

    /// The name in a line without its end. `None` if it is not a line of this function.
    fn name(&self, (tag, length): &(String, usize), line: &[u8]) -> Option<Vec<u8>> {
        let (escaped, line) = match line.strip_prefix(br"\") {
            Some(line) => (true, line),
            None => (false, line),
        };
        let is_hex = |digits: &[u8]| {
            digits.len() == 2 * length
                && digits.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
        };
        let (name, digits) = if self.tag {
            let rest = line.strip_prefix(tag.as_bytes())?.strip_prefix(b" (")?;
            let (rest, digits) = rest.split_at_checked(rest.len().checked_sub(2 * length)?)?;
            (rest.strip_suffix(b") = ")?, digits)
        } else {
            let (digits, rest) = line.split_at_checked(2 * length)?;
            (rest.strip_prefix(if self.binary { b" *" } else { b"  " })?, digits)
        };
        if !is_hex(digits) {
            return None;
        }
        if escaped { unescape(name) } else { Some(name.to_vec()) }
    }
}

/// Appends the comment that begins a group.
pub(crate) fn write_stamp(stamp: &Stamp, to: &mut Vec<u8>) {
    let Stamp { size, seconds, nanoseconds, .. } = stamp;
    writeln!(to, "# {size} {seconds}.{nanoseconds:09}").expect("memory can be written");
}

/// A file of a manifest.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: Vec<u8>,
    /// Its lines, with the comment before them.
    pub(crate) bytes: Vec<u8>,
    /// How many of the bytes are the comment.
    comment: usize,
}

impl Group {
    /// Whether the comment is that of this stamp.
    pub(crate) fn is_of(&self, stamp: &Stamp) -> bool {
        let mut comment = Vec::new();
        write_stamp(stamp, &mut comment);
        self.bytes[..self.comment] == comment
    }
}

/// Whether a file begins with the header of this layout, or is empty.
pub(crate) fn starts_as(file: impl Read, layout: &Layout) -> io::Result<bool> {
    let mut first = Vec::new();
    BufReader::new(file).take(MAX_LINE).read_until(b'\n', &mut first)?;
    Ok(first.is_empty() || first == layout.header())
}

/// The groups of a manifest. Whatever is no whole group is passed over.
pub(crate) struct Groups<R> {
    reader: BufReader<R>,
    layout: Layout,
    /// A comment that was read, if it was the last line.
    comment: Vec<u8>,
}

impl<R: Read> Groups<R> {
    /// None if the manifest does not begin as this layout does, for instance because the first
    /// line is cut.
    pub(crate) fn new(mut reader: BufReader<R>, layout: &Layout) -> io::Result<Option<Self>> {
        let mut first = Vec::new();
        reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut first)?;
        let begun = first == layout.header();
        Ok(begun.then(|| Self { reader, layout: layout.clone(), comment: Vec::new() }))
    }

    /// Reads a whole line with its end. False if there is none.
    fn line(&mut self, line: &mut Vec<u8>) -> io::Result<bool> {
        line.clear();
        self.reader.by_ref().take(MAX_LINE).read_until(b'\n', line)?;
        Ok(line.ends_with(b"\n"))
    }

    fn group(&mut self) -> io::Result<Option<Group>> {
        let mut line = Vec::new();
        'group: loop {
            let mut bytes = std::mem::take(&mut self.comment);
            while !bytes.starts_with(b"# ") {
                if !self.line(&mut bytes)? {
                    return Ok(None);
                }
            }
            let comment = bytes.len();
            let mut name = None;
            for function in 0..self.layout.functions.len() {
                if !self.line(&mut line)? {
                    return Ok(None);
                }
                let of = &self.layout.functions[function];
                let found = self.layout.name(of, &line[..line.len() - 1]);
                if found.is_none() || name.is_some() && name != found {
                    // It may be the comment of the next group.
                    self.comment = line.clone();
                    continue 'group;
                }
                name = found;
                bytes.extend(&line);
            }
            if let Some(name) = name {
                return Ok(Some(Group { name, bytes, comment }));
            }
        }
    }
}

impl<R: Read> Iterator for Groups<R> {
    type Item = io::Result<Group>;

    fn next(&mut self) -> Option<io::Result<Group>> {
        self.group().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(functions: &[(&str, usize)], tag: bool) -> Layout {
        let functions = functions.iter().map(|&(tag, length)| (tag.to_owned(), length));
        Layout { functions: functions.collect(), tag, binary: false }
    }

    fn names(layout: &Layout, text: &[u8]) -> Option<Vec<String>> {
        let groups = Groups::new(BufReader::new(text), layout).unwrap()?;
        let name = |group: io::Result<Group>| String::from_utf8(group.unwrap().name).unwrap();
        Some(groups.map(name).collect())
    }

    #[test]
    fn only_whole_groups_are_read_wherever_the_file_is_cut() {
        let (md5, crc) = ("0123456789abcdef".repeat(2), "01234567");
        for tag in [false, true] {
            let layout = layout(&[("MD5", 16), ("CRC32", 4)], tag);
            let line = |tag_name: &str, digits: &str, name: &str| {
                let escape = if name.contains('\\') { "\\" } else { "" };
                if tag {
                    format!("{escape}{tag_name} ({name}) = {digits}\n")
                } else {
                    format!("{escape}{digits}  {name}\n")
                }
            };
            let mut text = layout.header();
            let mut ends = Vec::new();
            for name in ["a b", "c\\nd", "e) = 01234567"] {
                text.extend(b"# 12 1700000000.000000001\n");
                text.extend(line("MD5", &md5, name).into_bytes());
                text.extend(line("CRC32", crc, name).into_bytes());
                ends.push(text.len());
            }
            let all = ["a b", "c\nd", "e) = 01234567"];
            assert_eq!(names(&layout, &text).unwrap(), all);
            for cut in 0..=text.len() {
                let whole = ends.iter().filter(|&&end| end <= cut).count();
                match names(&layout, &text[..cut]) {
                    Some(names) => assert_eq!(names, all[..whole]),
                    None => assert!(cut < layout.header().len()),
                }
            }
        }
    }

    #[test]
    fn what_is_no_group_is_passed_over() {
        let layout = layout(&[("CRC32", 4)], false);
        let header = String::from_utf8(layout.header()).unwrap();
        let text = "00000000  without a comment\n\
                    # 1 2.000000003\n# 4 5.000000006\n01234567  a\n\
                    # 7 8.000000009\ngarbage\n# 1 1.000000001\n01234567  b\n";
        assert_eq!(names(&layout, (header + text).as_bytes()).unwrap(), ["a", "b"]);
    }
}
