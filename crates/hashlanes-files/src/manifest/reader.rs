//! Parses the lines of a manifest, and detects its format.

use std::fmt;

use super::format::{
    Armor, Format, Given, LineReader, MAX_SAMPLE, is_base64, of_lines, without_end,
};
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

impl ReaderOptions {
    fn given(&self) -> Given {
        Given::new(self.function, self.zero, &self.manifest)
    }
}

/// Reads the lines of one manifest.
pub struct Reader {
    pub(super) options: ReaderOptions,
    pub(super) given: Given,
    /// The number of lines so far.
    lines: u64,
    /// All lines so far were empty.
    is_empty: bool,
    /// How many carriage returns end the first line that is not empty, as then all lines.
    returns: usize,
    /// The part of a signed text that is being read.
    armor: Armor,
    is_signed: bool,
    pub(super) format: Option<Format>,
    /// Until the format is known, this is for text.
    pub(super) state: Box<dyn LineReader>,
}

/// The bytes that editors on Windows put at the beginning of UTF-8 text.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Reader {
    /// A reader at the start of a manifest.
    pub fn new(options: ReaderOptions) -> Self {
        let given = options.given();
        let (format, armor) = (options.format, Armor::None);
        let state = format.unwrap_or(Format::Text).open();
        let (lines, is_empty, returns, is_signed) = (0, true, 1, false);
        Self { options, given, lines, is_empty, returns, armor, is_signed, format, state }
    }

    /// The options with which a new reader reads the same manifest in the same way.
    pub fn options(&self) -> ReaderOptions {
        ReaderOptions { format: self.format, ..self.options.clone() }
    }

    /// Parses the next line, which is passed without its terminator. On Windows, `\` in a name
    /// becomes `/`.
    pub fn read(&mut self, line: &[u8]) -> Read {
        let read = self.parse(line);
        self.checked(read.unwrap_or_else(Read::Malformed))
    }

    /// What only the end of the manifest completes. After the last line, call this until it
    /// returns [`Read::Nothing`].
    pub fn end(&mut self) -> Read {
        match (self.state.end(&mut self.given), self.armor) {
            (Ok(Read::Nothing), Armor::None) => Read::Nothing,
            (Ok(Read::Nothing), _) => {
                self.armor = Armor::None;
                Read::Malformed(Reason::Words("the end of an OpenPGP signature is missing"))
            }
            (read, _) => self.checked(read.unwrap_or_else(Read::Malformed)),
        }
    }

    fn checked(&self, read: Read) -> Read {
        match read {
            Read::Entry(entry) if entry.name.contains(&0) => {
                Read::Malformed(Reason::Words("the name contains NUL; if lines end in NUL, use -z"))
            }
            // `sha256sum < a.iso > a.iso.sha256`
            Read::Entry(entry) if entry.name == b"-" && self.given.file.is_some() => {
                Read::Entry(Entry { name: self.given.file.clone().unwrap_or_default(), ..entry })
            }
            Read::Entry(entry) => Read::Entry(Entry { name: with_slashes(entry.name), ..entry }),
            other => other,
        }
    }

    fn parse(&mut self, line: &[u8]) -> Result<Read, Reason> {
        self.lines += 1;
        let marked = line.strip_prefix(BYTE_ORDER_MARK).filter(|_| self.lines == 1);
        let line = marked.unwrap_or(line);
        if self.is_empty && !line.trim_ascii().is_empty() {
            self.is_empty = false;
            self.returns = (line.len() - without_end(line).len()).clamp(1, 2);
        }
        if self.format == Some(Format::Csv) {
            return self.state.read(&mut self.given, line);
        }
        let returns = if self.options.zero { 0 } else { self.returns };
        let line = (0..returns).fold(line, |line, _| line.strip_suffix(b"\r").unwrap_or(line));
        // A line about a file is no comment.
        let read_by = |it: Format| it.open().read(&mut self.given.clone(), line);
        let is_entry = |it: Format| matches!(read_by(it), Ok(Read::Entry(_)));
        let may_begin = self.lines == 1 && !self.format.is_some_and(is_entry);
        let text = if self.options.zero { Some(line) } else { self.armor.text(line, may_begin) };
        self.is_signed |= self.armor != Armor::None;
        let Some(line) = text else { return Ok(Read::Nothing) };
        match self.format {
            Some(_) if line.is_empty() => self.state.blank(&mut self.given),
            None if line.is_empty() => Ok(Read::Nothing),
            None => self.decide(line),
            Some(_) => self.state.read(&mut self.given, line),
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

    /// Whether a signature is around lines, or before them.
    pub fn is_signed(&self) -> bool {
        self.is_signed
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
    fn decide(&mut self, line: &[u8]) -> Result<Read, Reason> {
        // To ask the readers of all formats takes long, and these lines are comments.
        let is_comment = line.starts_with(b"# ") || self.given.is_sfv && line.starts_with(b";");
        if is_comment && !self.options.zero {
            return Ok(Read::Nothing);
        }
        let format = match self.options.zero {
            true => Some(Format::Text),
            false => of_lines(&[line], &self.given, true),
        };
        if format.is_none_or(|format| format == Format::Sfv) && line.starts_with(b";") {
            self.given.is_sfv = true;
            return Ok(Read::Nothing);
        }
        if let Some(format) = format {
            self.format = Some(format);
            self.state = format.open();
        } else if self.given.is_sfv {
            return Format::Sfv.open().read(&mut self.given, line);
        }
        self.state.read(&mut self.given, line)
    }
}

impl Format {
    /// The format that fits most lines of a sample from the beginning of a manifest. `None` if none
    /// fits any, or if more has to be read to tell; `is_all` says that there is no more.
    pub fn of_sample(sample: &[u8], options: &ReaderOptions, is_all: bool) -> Option<Self> {
        if options.zero {
            return Some(options.format.unwrap_or(Self::Text));
        }
        let sample = sample.strip_prefix(BYTE_ORDER_MARK).unwrap_or(sample);
        let end = sample.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let sample = if is_all || end == 0 { sample } else { &sample[..end] };
        let mut armor = Armor::default();
        let lines = sample.split(|byte| *byte == b'\n').map(without_end);
        let is_framed = lines.clone().nth(1).is_some_and(is_base64);
        let lines = lines.enumerate();
        let mut lines = lines.filter_map(|(at, line)| armor.text(line, at == 0 && is_framed));
        let mut first: Vec<&[u8]> = lines.by_ref().take(MAX_SAMPLE).collect();
        // A file of Debian may say much before it lists files.
        let goes_on = first.iter().all(|line| is_control(line));
        let is_all = is_all || first.len() == MAX_SAMPLE && !goes_on;
        first.extend(lines.filter(|_| goes_on));
        let (lines, given) = (first, options.given());
        options.format.or_else(|| of_lines(&lines, &given, is_all))
    }
}

/// Whether the line may be of a control file of Debian: `FIELD: VALUE`, or more of a value.
fn is_control(line: &[u8]) -> bool {
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let name = line.iter().take_while(|byte| is_of_name(byte)).count();
    let is_field = name > 0 && line[name..].starts_with(b":");
    is_field || line.is_empty() || line.starts_with(b" ") || line.starts_with(b"\t")
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
    let is_media = begin.windows(9).take(200).any(|part| part == b"<hashlist");
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
    is_media
        || written(false).is_some_and(|is_strict| is_strict || has_entry(b'\n'))
        || has_entry(0)
}
