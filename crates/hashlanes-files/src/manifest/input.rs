//! The bytes of a manifest as lines of UTF-8, whatever they are in its file.
//!
//! UTF-16 is decoded. An array of JSON, or an object over several lines, becomes an object per
//! line. A list in XML becomes a line for each element about a file. Everything else stays.

use std::io::{self, BufRead, Read};

use super::format::List;

/// Bytes that are read at a time, and the most of a sample.
const CHUNK: usize = 64 << 10;

/// A manifest that is being read.
pub struct Text {
    source: Box<dyn Read + Send>,
    /// What has been read and is not used yet, from `at`.
    held: Vec<u8>,
    at: usize,
    is_ended: bool,
    /// An error that is reported when everything before it has been used.
    error: Option<io::Error>,
    encoding: Encoding,
    shape: Shape,
}

enum Encoding {
    /// Too little has been read to tell.
    Open(Vec<u8>),
    Utf8,
    Latin1,
    /// Whether the greater byte comes first, and the bytes of an incomplete character.
    Utf16(bool, Vec<u8>),
}

#[derive(Default)]
struct Json {
    /// Arrays around the objects, and objects around this place.
    arrays: u32,
    depth: u32,
    is_string: bool,
    is_escaped: bool,
}

#[derive(Default)]
struct Xml {
    /// The tag that is being read, or was read last.
    tag: Vec<u8>,
    /// What kind of list it is, once the first of its elements was read.
    list: Option<&'static List>,
    /// Whether the last tag of the list was read.
    is_whole: bool,
}

enum Shape {
    Lines,
    Json(Json),
    Xml(Xml),
}

impl Text {
    /// The text of a manifest. If its lines end in NUL, nothing is decoded.
    pub fn new(source: Box<dyn Read + Send>, zero: bool) -> Self {
        let encoding = if zero { Encoding::Utf8 } else { Encoding::Open(Vec::new()) };
        let (held, shape, error) = (Vec::new(), Shape::Lines, None);
        Self { source, held, at: 0, is_ended: false, error, encoding, shape }
    }

    /// The text of a manifest in ISO-8859-1.
    pub fn latin_1(source: Box<dyn Read + Send>) -> Self {
        Self { encoding: Encoding::Latin1, ..Self::new(source, false) }
    }

    /// What can be had without reading.
    pub fn held(&self) -> &[u8] {
        &self.held[self.at..]
    }

    /// Reads more into what is held. False at the end, or if enough for a sample is held.
    pub fn more(&mut self) -> bool {
        if self.is_ended || self.held().len() >= CHUNK {
            return false;
        }
        let mut raw = vec![0; CHUNK];
        match self.read_raw(&mut raw) {
            Ok(0) => self.end(),
            Ok(length) => self.take(&raw[..length]),
            Err(error) => {
                self.end();
                self.error = Some(error);
            }
        }
        true
    }

    /// Whether lines are those of the file, so that they can be replaced.
    pub fn is_plain(&self) -> bool {
        !matches!(&self.encoding, Encoding::Latin1 | Encoding::Utf16(..))
            && matches!(self.shape, Shape::Lines)
    }

    /// Whether the text ends within an array or a list.
    pub fn is_cut(&self) -> bool {
        match &self.shape {
            Shape::Lines => false,
            Shape::Json(json) => json.arrays > 0 || json.depth > 0,
            Shape::Xml(xml) => !xml.is_whole,
        }
    }

    fn read_raw(&mut self, raw: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.source.read(raw) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => return other,
            }
        }
    }

    fn end(&mut self) {
        self.is_ended = true;
        if let Encoding::Open(begun) = &mut self.encoding {
            let begun = std::mem::take(begun);
            self.begin(&begun);
        }
        if matches!(&self.encoding, Encoding::Utf16(_, rest) if !rest.is_empty()) {
            self.held.extend("\u{fffd}".bytes());
        }
    }

    fn take(&mut self, raw: &[u8]) {
        let Encoding::Open(begun) = &mut self.encoding else { return self.decode(raw) };
        begun.extend(raw);
        // The first line shows the shape, and some bytes of it the encoding.
        if begun.len() >= CHUNK || begun.len() > 3 && begun.contains(&b'\n') {
            let begun = std::mem::take(begun);
            self.begin(&begun);
        }
    }

    fn begin(&mut self, begun: &[u8]) {
        self.encoding = Encoding::of(begun);
        let is_marked = begun.starts_with(b"\xff\xfe") || begun.starts_with(b"\xfe\xff");
        let begun = &begun[2 * usize::from(is_marked)..];
        self.shape = match &self.encoding {
            Encoding::Utf16(is_big, _) => {
                Shape::of(decode(begun, *is_big, &mut Vec::new()).as_bytes())
            }
            _ => Shape::of(begun),
        };
        self.decode(begun);
    }

    fn decode(&mut self, raw: &[u8]) {
        let decoded;
        let text = match &mut self.encoding {
            Encoding::Utf16(is_big, rest) => {
                decoded = decode(raw, *is_big, rest);
                decoded.as_bytes()
            }
            Encoding::Latin1 => {
                decoded = raw.iter().map(|byte| char::from(*byte)).collect();
                decoded.as_bytes()
            }
            Encoding::Open(_) | Encoding::Utf8 => raw,
        };
        match &mut self.shape {
            Shape::Lines => self.held.extend(text),
            Shape::Json(json) => text.iter().for_each(|byte| json.take(*byte, &mut self.held)),
            Shape::Xml(xml) => text.iter().for_each(|byte| xml.take(*byte, &mut self.held)),
        }
    }
}

impl BufRead for Text {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.held.len() {
            self.held.clear();
            self.at = 0;
            if self.is_ended {
                return self.error.take().map_or(Ok(&[]), Err);
            }
            if matches!((&self.encoding, &self.shape), (Encoding::Utf8, Shape::Lines)) {
                // The usual case: without a copy.
                let mut held = std::mem::take(&mut self.held);
                held.resize(CHUNK, 0);
                let read = self.read_raw(&mut held);
                held.truncate(*read.as_ref().unwrap_or(&0));
                self.held = held;
                self.is_ended = read? == 0;
            } else {
                self.more();
            }
        }
        Ok(&self.held[self.at..])
    }

    fn consume(&mut self, count: usize) {
        self.at += count;
    }
}

impl Read for Text {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(to)?;
        self.consume(count);
        Ok(count)
    }
}

impl Encoding {
    /// The encoding of a text that begins so: Windows writes UTF-16 with a mark, and some programs
    /// without one.
    fn of(begin: &[u8]) -> Self {
        let zeros = |first: usize| begin.iter().take(32).skip(first).step_by(2);
        let is_zero = |first| zeros(first).all(|byte| *byte == 0);
        let has_zero = |first| zeros(first).any(|byte| *byte == 0);
        let is_big = match begin {
            [0xff, 0xfe, ..] => Some(false),
            [0xfe, 0xff, ..] => Some(true),
            [_, _, _, _, ..] if is_zero(1) && !has_zero(0) => Some(false),
            [_, _, _, _, ..] if is_zero(0) && !has_zero(1) => Some(true),
            _ => None,
        };
        is_big.map_or(Self::Utf8, |is_big| Self::Utf16(is_big, Vec::new()))
    }
}

/// Decodes UTF-16. `rest` has the bytes of an incomplete character.
fn decode(raw: &[u8], is_big: bool, rest: &mut Vec<u8>) -> String {
    rest.extend(raw);
    let unit = |pair: &[u8]| match is_big {
        true => u16::from_be_bytes([pair[0], pair[1]]),
        false => u16::from_le_bytes([pair[0], pair[1]]),
    };
    let mut units: Vec<u16> = rest.chunks_exact(2).map(unit).collect();
    // The first half of a pair waits for the second.
    if units.last().is_some_and(|last| (0xd800..0xdc00).contains(last)) {
        units.pop();
    }
    rest.drain(..2 * units.len());
    String::from_utf16_lossy(&units)
}

impl Shape {
    fn of(begin: &[u8]) -> Self {
        let begin = begin.strip_prefix(super::BYTE_ORDER_MARK).unwrap_or(begin).trim_ascii_start();
        let line = begin.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii_end();
        let goes_on = line.len() < begin.len() && matches!(line.last(), Some(b'{' | b'[' | b','));
        match begin.first() {
            Some(b'[') => Self::Json(Json::default()),
            Some(b'{') if goes_on => Self::Json(Json::default()),
            Some(b'<') => Self::Xml(Xml::default()),
            _ => Self::Lines,
        }
    }
}

impl Json {
    /// Appends a byte, if it belongs to an object, and a newline after each object.
    fn take(&mut self, byte: u8, to: &mut Vec<u8>) {
        if self.is_string {
            self.is_string = self.is_escaped || byte != b'"';
            self.is_escaped = !self.is_escaped && byte == b'\\';
            // A string cannot contain a newline: the object is damaged, and its line ends here.
            if byte == b'\n' {
                (self.is_string, self.depth) = (false, 0);
            }
            to.push(byte);
            return;
        }
        match byte {
            b'[' if self.depth == 0 => self.arrays += 1,
            b']' if self.depth == 0 => self.arrays = self.arrays.saturating_sub(1),
            b',' if self.depth == 0 => {}
            byte if byte.is_ascii_whitespace() => {}
            byte => {
                to.push(byte);
                self.is_string = byte == b'"';
                self.depth += u32::from(byte == b'{');
                if byte == b'}' {
                    self.depth = self.depth.saturating_sub(1);
                    to.extend((self.depth == 0).then_some(b'\n'));
                }
            }
        }
    }
}

impl Xml {
    /// More bytes than the tags have that end a line.
    const TAG: usize = 64;

    /// Appends a byte, and a newline after each element about a file.
    fn take(&mut self, byte: u8, to: &mut Vec<u8>) {
        to.push(if matches!(byte, b'\n' | b'\r' | b'\t') { b' ' } else { byte });
        match byte {
            b'<' => self.tag.clear(),
            b'>' => {
                let end = self.tag.strip_prefix(b"/");
                let name = local_name(end.unwrap_or(&self.tag));
                match (self.list, end) {
                    (None, _) => self.list = List::of_root(name),
                    (Some(list), Some(_)) if name == list.root => {
                        self.is_whole = true;
                        to.push(b'\n');
                    }
                    (Some(list), Some(_)) if name == list.record => to.push(b'\n'),
                    _ => {}
                }
            }
            _ if self.tag.len() < Self::TAG => self.tag.push(byte),
            _ => {}
        }
    }
}

/// The name of a tag, without its prefix and its attributes.
fn local_name(tag: &[u8]) -> &[u8] {
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace()).unwrap_or(tag.len());
    tag[..end].rsplit(|byte| *byte == b':').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a byte at a time.
    struct Slow(Vec<u8>, usize);

    impl Read for Slow {
        fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
            let byte = self.0.get(self.1).copied();
            self.1 += 1;
            Ok(byte.map_or(0, |byte| {
                to[0] = byte;
                1
            }))
        }
    }

    /// The text of these bytes, which is the same in whatever pieces they come, and whether it is
    /// cut.
    #[track_caller]
    fn text(bytes: &[u8]) -> (String, bool) {
        let all = |source: Box<dyn Read + Send>, sample: usize| {
            let mut text = Text::new(source, false);
            (0..sample).for_each(|_| {
                text.more();
            });
            let mut all = String::new();
            text.read_to_string(&mut all).unwrap();
            (all, text.is_cut())
        };
        let whole = all(Box::new(io::Cursor::new(bytes.to_vec())), 1);
        assert_eq!(all(Box::new(Slow(bytes.to_vec(), 0)), 3), whole);
        whole
    }

    #[test]
    fn utf_16_is_decoded_with_and_without_a_mark() {
        let lines = "900150983cd24fb0d6963f7d28e17f72  \u{e9}\u{1f600}\r\n";
        for is_big in [false, true] {
            let unit = |unit: u16| if is_big { unit.to_be_bytes() } else { unit.to_le_bytes() };
            let bytes: Vec<u8> = lines.encode_utf16().flat_map(unit).collect();
            assert_eq!(text(&bytes), (lines.to_owned(), false));
            let marked = [&unit(0xfeff), &bytes[..]].concat();
            assert_eq!(text(&marked), (lines.to_owned(), false));
            assert!(text(&marked[..marked.len() - 1]).0.ends_with('\u{fffd}'));
            // The second mark begins what is read next.
            let late = format!("\u{feff}{}\u{feff}\n", "\n".repeat(CHUNK / 2 - 1));
            let late: Vec<u8> = late.encode_utf16().flat_map(unit).collect();
            assert!(text(&late).0.ends_with("\n\u{feff}\n"));
        }
        assert_eq!(text(lines.as_bytes()), (lines.to_owned(), false));
        assert_eq!(text(b""), (String::new(), false));
    }

    #[test]
    fn objects_become_lines() {
        let lines = "{\"a\":\"[{,\\\"\",\"b\":[1,{}]}\n{}\n".to_owned();
        let array = b"[\n { \"a\": \"[{,\\\"\",\n\"b\":[ 1,{ }]}, {}\n]\n";
        assert_eq!(text(array), (lines.clone(), false));
        let without = &array[..array.len() - 2];
        assert_eq!(text(without), (lines.clone(), true));
        let objects = b"{\n \"a\": \"[{,\\\"\",\n\"b\":[ 1,{ }]}\n{\n}\n";
        assert_eq!(text(objects), (lines, false));
        let plain = "{\"a\":1}\n{\"b\":[\n";
        assert_eq!(text(plain.as_bytes()), (plain.to_owned(), false));
    }

    #[test]
    fn elements_become_lines() {
        let list = b"<?xml?>\n<hashlist><hash a=\"\n\"></hash>\n<m:hash></m:hash ></hashlist>";
        let lines = "<?xml?> <hashlist><hash a=\" \"></hash>\n <m:hash></m:hash >\n</hashlist>\n";
        assert_eq!(text(list), (lines.to_owned(), false));
        assert!(text(&list[..list.len() - 1]).1);
    }
}
