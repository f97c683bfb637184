//! Parses the lines of a manifest, and detects its format.

use std::fmt;

use super::format::{Format, bagit, csv, hashdeep, json, sfv, text};
use super::{Entry, HashName, Read, Reason};
use crate::system::with_slashes;

/// What is known about a manifest before it is read.
#[derive(Clone, Debug, Default)]
pub struct ReaderOptions {
    /// The format. If it is `None`, the first meaningful line determines it.
    pub format: Option<Format>,
    /// The function of all lines. Lines of other functions count as malformed, and columns of other
    /// functions are ignored.
    pub function: Option<HashName>,
    /// Lines end in NUL, and names are not escaped. For text and tagged lines only.
    pub zero: bool,
    /// The name of the manifest suggests SFV: lines that begin with `;` are comments until the
    /// format is known.
    pub named_sfv: bool,
}

/// Reads the lines of one manifest.
pub struct Reader {
    pub(super) options: ReaderOptions,
    /// The number of lines so far.
    lines: u64,
    /// All lines so far were empty.
    is_empty: bool,
    pub(super) state: State,
}

/// The bytes that editors on Windows put at the beginning of UTF-8 text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

pub(super) enum State {
    /// The format is not known yet. There may have been a comment of SFV.
    Open {
        text: text::Reader,
        comments: bool,
    },
    Text(text::Reader),
    Json(json::Reader),
    Csv(csv::Reader),
    Hashdeep(hashdeep::Reader),
    Sfv,
    BagIt(text::Reader),
}

impl Reader {
    /// A reader at the start of a manifest.
    pub fn new(options: ReaderOptions) -> Self {
        let text = text::Reader::new(options.function, options.zero);
        let state = match options.format {
            None => State::Open { text, comments: options.named_sfv },
            Some(Format::Text | Format::Tagged) => State::Text(text),
            Some(Format::Json) => State::Json(json::Reader::new(options.function)),
            Some(Format::Csv) => State::Csv(csv::Reader::new(options.function)),
            Some(Format::Hashdeep) => State::Hashdeep(hashdeep::Reader::new(options.function)),
            Some(Format::Sfv) => State::Sfv,
            // The names have their own codes instead of backslashes.
            Some(Format::BagIt) => State::BagIt(text::Reader::new(options.function, true)),
        };
        Self { options, lines: 0, is_empty: true, state }
    }

    /// Parses the next line, which is passed without its terminator. On Windows, `\` in a name
    /// becomes `/`.
    pub fn read(&mut self, line: &[u8]) -> Read {
        match self.parse(line) {
            Read::Entry(entry) if entry.name.contains(&0) => {
                Read::Malformed(Reason::Words("file names cannot contain NUL"))
            }
            Read::Entry(entry) => Read::Entry(Entry { name: with_slashes(entry.name), ..entry }),
            other => other,
        }
    }

    fn parse(&mut self, line: &[u8]) -> Read {
        self.lines += 1;
        let marked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.lines == 1);
        let line = marked.unwrap_or(line);
        self.is_empty &= line.trim_ascii().is_empty();
        if let State::Csv(reader) = &mut self.state {
            return reader.read(line);
        }
        let line = match line {
            [line @ .., b'\r'] if !self.options.zero => line,
            _ => line,
        };
        if line.is_empty() {
            return Read::Nothing;
        }
        match &mut self.state {
            State::Open { .. } => self.decide(line),
            State::Text(reader) => reader.read(line),
            State::Json(reader) => reader.read(line),
            State::Csv(_) => unreachable!("it has read the line"),
            State::Hashdeep(reader) => reader.read(line),
            State::Sfv => sfv::read(line),
            State::BagIt(reader) => bagit::read(reader, line),
        }
    }

    /// The format, once it is known. Tagged lines belong to [`Format::Text`].
    pub fn format(&self) -> Option<Format> {
        match self.state {
            State::Open { .. } => None,
            State::Text(_) => Some(Format::Text),
            State::Json(_) => Some(Format::Json),
            State::Csv(_) => Some(Format::Csv),
            State::Hashdeep(_) => Some(Format::Hashdeep),
            State::Sfv => Some(Format::Sfv),
            State::BagIt(_) => Some(Format::BagIt),
        }
    }

    /// Whether the latest line continues in the next one. At the end of a manifest, this means that
    /// the line is truncated.
    pub fn is_within_record(&self) -> bool {
        matches!(&self.state, State::Csv(reader) if reader.is_within_record())
    }

    /// What kind of lines have been read, if none of them describes a file.
    pub fn nothing(&self) -> Nothing {
        match self.state {
            _ if self.is_empty => Nothing::Empty,
            State::Csv(_) | State::Hashdeep(_) => Nothing::Header,
            _ => Nothing::Comments,
        }
    }

    /// Parses a line before the format is known.
    fn decide(&mut self, line: &[u8]) -> Read {
        let State::Open { text, comments } = &mut self.state else {
            unreachable!("only called in this state")
        };
        let function = self.options.function;
        if !self.options.zero {
            if hashdeep::is_first_line(line) {
                self.state = State::Hashdeep(hashdeep::Reader::new(function));
                return Read::Nothing;
            }
            if line.starts_with(b"{") {
                let reader = json::Reader::new(function);
                let read = reader.read(line);
                self.state = State::Json(reader);
                return read;
            }
            if csv::is_header(line) {
                let mut reader = csv::Reader::new(function);
                let read = reader.read(line);
                self.state = State::Csv(reader);
                return read;
            }
        }
        let reason = match text.read(line) {
            Read::Nothing => return Read::Nothing,
            Read::Malformed(reason) => reason,
            read => {
                self.state = State::Text(text.clone());
                return read;
            }
        };
        if self.options.zero || function.is_some_and(|function| function != sfv::function()) {
            return Read::Malformed(reason);
        }
        if line.starts_with(b";") {
            *comments = true;
            return Read::Nothing;
        }
        match sfv::read(line) {
            // With a letter among the digits, it is not a date, which a heading might end with.
            read @ Read::Entry(_) if *comments || sfv::is_likely(line) => {
                self.state = State::Sfv;
                read
            }
            Read::Malformed(reason) if *comments => Read::Malformed(reason),
            _ => Read::Malformed(reason),
        }
    }
}

/// What a manifest without files consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// No lines, or only empty ones.
    Empty,
    /// Comments.
    Comments,
    /// A header.
    Header,
}

impl fmt::Display for Nothing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "the manifest is empty",
            Self::Comments => "the manifest has only comments",
            Self::Header => "the manifest has only a header",
        })
    }
}

/// Whether a file that begins with these bytes is a manifest: one of its lines is about a file.
pub fn is_manifest(begin: &[u8]) -> bool {
    let has_entry = |end: u8| {
        let mut reader = Reader::new(ReaderOptions { zero: end == 0, ..Default::default() });
        let is_entry = |line| matches!(reader.read(line), Read::Entry(_) | Read::Unknown(_));
        begin.split(|&byte| byte == end).any(is_entry)
            || reader.format().is_some_and(Format::is_strict)
    };
    has_entry(b'\n') || has_entry(0)
}

/// Whether the first line begins with the byte order mark of UTF-16 and contains ASCII in it, as in
/// redirected output of Windows PowerShell 5. Such a manifest cannot be read.
pub fn is_utf_16(line: &[u8]) -> bool {
    matches!(line, [0xff, 0xfe, _, 0, ..] | [0xfe, 0xff, 0, ..])
}
