//! Parses the lines of a manifest, and detects its format.

use std::fmt;

use super::format::{Format, LineReader, of_lines};
use super::{Entry, HashName, Read, Reason};
use crate::system::with_slashes;

/// What is known about a manifest before it is read.
#[derive(Clone, Debug, Default)]
pub struct ReaderOptions {
    /// The format. If it is `None`, the first meaningful line determines it;
    /// [`Format::of_sample`] looks at more of them.
    pub format: Option<Format>,
    /// The function of all lines. Lines of other functions count as malformed, and columns of other
    /// functions are ignored.
    pub function: Option<HashName>,
    /// Lines end in NUL, and names are not escaped. For text and tagged lines only.
    pub zero: bool,
    /// The name of the manifest, which may tell the function of its lines and the file that they
    /// are about, as `a.iso.sha256` does. Empty if it is not known.
    pub manifest: Vec<u8>,
}

/// What the readers of all formats are given.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) function: Option<HashName>,
    /// The function that the manifest's name suggests.
    pub(super) likely: Option<HashName>,
    /// The file that the manifest's name suggests.
    pub(super) file: Option<Vec<u8>>,
    /// Names are not escaped.
    pub(super) literal: bool,
    /// The manifest's name or a comment suggests SFV.
    pub(super) is_sfv: bool,
}

/// Endings of the names of manifests that do not name a function.
const ENDINGS: [&str; 6] = ["sum", "sums", "hash", "digest", "checksum", "checksums"];

impl Given {
    pub(super) fn new(options: &ReaderOptions) -> Self {
        let (function, literal) = (options.function, options.zero);
        let name = &options.manifest;
        let dot = name.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > 0);
        let ending = dot.map_or(&b""[..], |dot| &name[dot + 1..]);
        let ending = String::from_utf8_lossy(ending).to_ascii_lowercase();
        let plain = ENDINGS.iter().find_map(|end| ending.strip_suffix(end)).unwrap_or(&ending);
        let likely = HashName::named(plain);
        let is_of_file = likely.is_some() || ENDINGS.contains(&&*ending);
        let file = dot.map(|dot| name[..dot].to_vec()).filter(|_| is_of_file);
        let file = file.filter(|file| !file.ends_with(b"/"));
        Self { function, likely, file, literal, is_sfv: ending == "sfv" }
    }
}

/// Reads the lines of one manifest.
pub struct Reader {
    pub(super) options: ReaderOptions,
    given: Given,
    /// The number of lines so far.
    lines: u64,
    /// All lines so far were empty.
    is_empty: bool,
    /// How many carriage returns end the first line that is not empty, as then all lines.
    returns: usize,
    /// The part of a signed text that is being read.
    armor: Armor,
    pub(super) format: Option<Format>,
    /// Until the format is known, this is for text.
    pub(super) state: Box<dyn LineReader>,
}

/// Where a line is in a text that is signed with OpenPGP. The signature is not verified.
#[derive(Clone, Copy, Default)]
pub(super) enum Armor {
    #[default]
    None,
    Header,
    Signature,
}

impl Armor {
    /// Whether a line belongs to the signature, and not to the text.
    pub(super) fn has(&mut self, line: &[u8]) -> bool {
        let before = *self;
        let is_mark = line.starts_with(b"-----");
        *self = match line {
            b"-----BEGIN PGP SIGNED MESSAGE-----" => Self::Header,
            b"-----BEGIN PGP SIGNATURE-----" => Self::Signature,
            // An empty line ends the header, and is in the middle of a signature.
            _ if is_mark || line.is_empty() && matches!(self, Self::Header) => Self::None,
            _ => before,
        };
        is_mark || matches!(before, Self::Header | Self::Signature)
    }
}

/// The bytes that editors on Windows put at the beginning of UTF-8 text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Reader {
    /// A reader at the start of a manifest.
    pub fn new(options: ReaderOptions) -> Self {
        let given = Given::new(&options);
        let (format, armor) = (options.format, Armor::None);
        let state = format.unwrap_or(Format::Text).open(&given);
        let (lines, is_empty, returns) = (0, true, 1);
        Self { options, given, lines, is_empty, returns, armor, format, state }
    }

    /// The options with which a new reader reads the same manifest in the same way.
    pub fn options(&self) -> ReaderOptions {
        ReaderOptions { format: self.format, ..self.options.clone() }
    }

    /// Parses the next line, which is passed without its terminator. On Windows, `\` in a name
    /// becomes `/`.
    pub fn read(&mut self, line: &[u8]) -> Read {
        let read = self.parse(line);
        self.checked(read)
    }

    /// What only the end of the manifest completes. Call this once, after the last line.
    pub fn end(&mut self) -> Read {
        let read = self.state.end();
        self.checked(read)
    }

    fn checked(&self, read: Read) -> Read {
        match read {
            Read::Entry(entry) if entry.name.contains(&0) => {
                Read::Malformed(Reason::Words("file names cannot contain NUL"))
            }
            // `sha256sum < a.iso > a.iso.sha256`
            Read::Entry(entry) if entry.name == b"-" && self.given.file.is_some() => {
                Read::Entry(Entry { name: self.given.file.clone().unwrap_or_default(), ..entry })
            }
            Read::Entry(entry) => Read::Entry(Entry { name: with_slashes(entry.name), ..entry }),
            other => other,
        }
    }

    fn parse(&mut self, line: &[u8]) -> Read {
        self.lines += 1;
        let marked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.lines == 1);
        let line = marked.unwrap_or(line);
        if self.is_empty && !line.trim_ascii().is_empty() {
            self.is_empty = false;
            self.returns = (line.len() - without_end(line).len()).clamp(1, 2);
        }
        if self.format == Some(Format::Csv) {
            return self.state.read(line);
        }
        let returns = if self.options.zero { 0 } else { self.returns };
        let line = (0..returns).fold(line, |line, _| line.strip_suffix(b"\r").unwrap_or(line));
        if line.is_empty() {
            self.armor.has(line);
            return Read::Nothing;
        }
        if !self.options.zero && self.armor.has(line) {
            return Read::Nothing;
        }
        match self.format {
            None => self.decide(line),
            Some(_) => self.state.read(line),
        }
    }

    /// The format, once it is known. Tagged lines belong to [`Format::Text`].
    pub fn format(&self) -> Option<Format> {
        match self.format {
            Some(Format::Tagged) => Some(Format::Text),
            format => format,
        }
    }

    /// Whether the latest line continues in the next one. At the end of a manifest, this means that
    /// the line is truncated.
    pub fn is_within_record(&self) -> bool {
        self.state.is_within_record()
    }

    /// What kind of lines have been read, if none of them describes a file.
    pub fn nothing(&self) -> Nothing {
        match self.format {
            _ if self.is_empty => Nothing::Empty,
            Some(Format::Csv | Format::Hashdeep) => Nothing::Header,
            _ => Nothing::Comments,
        }
    }

    /// Parses a line before the format is known.
    fn decide(&mut self, line: &[u8]) -> Read {
        let format = match self.options.zero {
            true => Some(Format::Text),
            false => of_lines(&[line], &self.given, true),
        };
        if format.is_none_or(|format| format == Format::Sfv) && line.starts_with(b";") {
            self.given.is_sfv = true;
            return Read::Nothing;
        }
        if let Some(format) = format {
            self.format = Some(format);
            self.state = format.open(&self.given);
        } else if self.given.is_sfv {
            return Format::Sfv.open(&self.given).read(line);
        }
        self.state.read(line)
    }
}

/// A line without the carriage returns of Windows at its end.
pub(super) fn without_end(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_suffix(b"\r") {
        line = rest;
    }
    line
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

/// Whether a file that begins with these bytes is a manifest, of a format that can be written.
pub fn is_manifest(begin: &[u8]) -> bool {
    let written = |zero| {
        let options = ReaderOptions { zero, ..ReaderOptions::default() };
        let format = Format::of_sample(begin, &options, true);
        format.filter(|format| format.about().is_written).map(|format| format.is_strict())
    };
    let has_entry = |end: u8| {
        let mut reader = Reader::new(ReaderOptions { zero: end == 0, ..Default::default() });
        let is_entry = |line| matches!(reader.read(line), Read::Entry(_) | Read::Unknown(_));
        begin.split(|&byte| byte == end).any(is_entry)
    };
    written(false).is_some_and(|is_strict| is_strict || has_entry(b'\n')) || has_entry(0)
}
