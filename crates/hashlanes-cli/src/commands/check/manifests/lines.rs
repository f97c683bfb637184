//! The lines of one manifest.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::Path;

use hashlanes_files::Function;
use hashlanes_files::manifest::{
    Entry as Listed, Expected, Format, Read as Line, Reader, Reason, Record, Records, Text, other,
};
use hashlanes_files::name::quote_name;

use super::super::bag::names::{Key, key};
use super::again::Again;
use super::how::How;
use super::spelling::Spelling;
use super::why::{End, Malformed, Why};
use crate::commands::tree::check as trees;
use crate::options::base::Base;

/// A line with only those digests whose functions the program has, and these functions. The names
/// of the others join the unknown ones.
///
/// # Errors
/// The name of a function, if the program has none.
pub(in crate::commands) fn supported(
    mut listed: Listed,
) -> Result<(Listed, Vec<Function>), String> {
    let mut functions = Vec::with_capacity(listed.digests.len());
    listed.digests.retain(|Expected { function, .. }| {
        match Function::from_name(&function.name()) {
            Ok(found) => functions.push(found),
            Err(_) => {
                listed.unknown.push(function.to_string());
                return false;
            }
        }
        true
    });
    match functions.is_empty() {
        true => Err(listed.unknown.pop().unwrap_or_default()),
        false => Ok((listed, functions)),
    }
}

/// What a manifest has next.
pub(in crate::commands) enum Found {
    Listed(Listed),
    Tree(trees::Line),
    /// A line names a file without a digest of it, for this reason.
    Unverified(Vec<u8>, &'static str),
    Unused(Why),
    End(End),
}

impl Found {
    /// The name of the file that the line is about.
    pub(in crate::commands) fn into_name(self) -> Option<Vec<u8>> {
        match self {
            Self::Listed(Listed { name, .. })
            | Self::Unverified(name, _)
            | Self::Tree(trees::Line { name, .. }) => Some(name),
            Self::Unused(_) | Self::End(_) => None,
        }
    }
}

/// The lines of one manifest.
pub(in crate::commands) struct Lines {
    records: Records<Text>,
    pub(in crate::commands) reader: Reader,
    line: Vec<u8>,
    /// Whether names are not escaped.
    is_literal: bool,
    /// Whether there may be lines of formats made of parts.
    has_trees: bool,
    /// Lines read so far.
    pub(in crate::commands) lines: u64,
    /// Whether the latest line was not terminated.
    is_open: bool,
    /// Whether the latest line was unusable.
    was_unused: bool,
    pub(in crate::commands) spelling: Spelling,
    /// Where names lead.
    pub(in crate::commands) base: Option<Base>,
    again: Again,
    /// What the file is, if it is known to be no manifest.
    other: Option<&'static str>,
}

impl Lines {
    pub(in crate::commands) fn new(file: Box<dyn Read + Send>, path: &Path, how: &How) -> Self {
        let mut options = how.options(path);
        let (file, again) = Again::new(file, path, how);
        let mut text = match how.is_latin_1 {
            true => Text::latin_1(file),
            false => Text::new(file, how.zero),
        };
        while options.format.is_none() {
            // What comes slowly is not awaited once its beginning shows the format.
            let is_all = !text.more();
            options.format = Format::of_sample(text.held(), &options, is_all);
            if is_all {
                break;
            }
        }
        let is_sure =
            |format: Format| !matches!(format, Format::Json | Format::Fields | Format::Names);
        let is_known = how.format.is_some() || options.format.is_some_and(is_sure);
        let is_json = options.format == Some(Format::Json);
        let other = if is_known { None } else { other(text.held(), is_json) };
        let is_text = matches!(options.format, None | Some(Format::Text | Format::Tagged));
        Self {
            is_literal: how.zero,
            has_trees: is_text && how.function.is_none(),
            records: Records::new(text, how.zero),
            spelling: how.spelling.clone(),
            base: how.base_of(options.format, path),
            again,
            other,
            reader: Reader::new(options),
            line: Vec::new(),
            lines: 0,
            is_open: false,
            was_unused: false,
        }
    }

    pub(in crate::commands) fn has_next_line(&self) -> bool {
        self.records.get_ref().held().contains(&self.records.end())
    }

    /// The next line about a file, or the end.
    pub(in crate::commands) fn next(&mut self) -> Found {
        if let Some(other) = self.other {
            return Found::End(End::Failed(io::Error::other(other)));
        }
        loop {
            let record = match self.records.next(&mut self.line) {
                Ok(Some(record)) => record,
                Ok(None) => match self.reader.end() {
                    Line::Nothing => return Found::End(self.end()),
                    read => match self.found(read) {
                        Some(found) => return found,
                        None => continue,
                    },
                },
                Err(error) => return Found::End(End::Failed(error)),
            };
            self.lines += 1;
            self.is_open = record == Record::Cut;
            self.was_unused = true;
            if record == Record::TooLong {
                return Found::Unused(Why::TooLong);
            }
            if self.has_trees {
                match trees::read(&self.line, self.is_literal) {
                    trees::Read::Other => {}
                    trees::Read::Malformed(why) => {
                        return Found::Unused(Why::Malformed(Malformed::new(
                            Reason::Words(why),
                            &self.line,
                        )));
                    }
                    trees::Read::Line(mut line) => {
                        self.was_unused = false;
                        line.name = self.found_name(line.name);
                        return Found::Tree(line);
                    }
                }
            }
            let read = self.reader.read(&self.line);
            if let Some(found) = self.found(read) {
                return found;
            }
        }
    }

    /// The name of the file that a name means.
    fn found_name(&mut self, name: Vec<u8>) -> Vec<u8> {
        let again = &mut self.again;
        let mut is_free = |found: &[u8], name: &[u8]| again.is_free(found, name, names_of);
        self.spelling.of(name, self.base.as_ref(), &mut is_free)
    }

    /// What a line says, if it is about a file.
    fn found(&mut self, read: Line) -> Option<Found> {
        match read {
            Line::Nothing => {
                self.was_unused = false;
                self.is_open = false;
                None
            }
            Line::More => None,
            Line::Entry(mut listed) => {
                self.was_unused = false;
                listed.name = self.found_name(listed.name);
                for name in &mut listed.unknown {
                    *name = quote_name(name.as_bytes()).into_owned();
                }
                Some(Found::Listed(listed))
            }
            Line::Unverified(name, why) => {
                self.was_unused = false;
                Some(Found::Unverified(self.found_name(name), why))
            }
            Line::Malformed(reason) => {
                Some(Found::Unused(Why::Malformed(Malformed::new(reason, &self.line))))
            }
            Line::Unknown(name) => {
                let name = quote_name(name.as_bytes()).into_owned();
                Some(Found::Unused(Why::Lacking(name)))
            }
        }
    }

    /// What the manifest was taken for, and how the functions of its digests are known.
    pub(in crate::commands) fn read_as(&self, how: &How) -> String {
        let format = self.reader.format();
        let title = format.map_or("text without a usable line so far", |it| it.about().title);
        let by = match (how.function, format) {
            (Some(_), _) => "function by --algorithm",
            (None, Some(Format::Sfv)) => "CRC-32",
            (None, Some(Format::Text | Format::Alone | Format::Names | Format::Gpg)) => {
                "function by each line's tag, or by the length of its digest"
            }
            (None, Some(Format::BagIt)) => "function by the name of the manifest",
            (None, Some(_)) => "functions as it names them",
            (None, None) => return "read as: text without a usable line so far".into(),
        };
        let given = if how.format.is_some() { " as --format says" } else { "" };
        format!("read as: {title}{given}, {by}")
    }

    /// Whether the lines are those of the file, and not decoded.
    pub(in crate::commands) fn is_plain(&self) -> bool {
        self.records.get_ref().is_plain()
    }

    fn end(&self) -> End {
        match (self.is_open, self.was_unused) {
            (_, _) if self.reader.is_within_record() || self.records.get_ref().is_cut() => End::Cut,
            (false, _) => End::Whole,
            // Nothing can be missing after a digest alone, which usually has no newline.
            (true, false) if self.reader.format() == Some(Format::Alone) => End::Whole,
            (true, false) => End::Open,
            (true, true) => End::Cut,
        }
    }
}

/// All names of a manifest, in each exact spelling. `None` if it cannot be read to its end.
fn names_of(file: Box<dyn Read + Send>, path: &Path, how: &How) -> Option<HashSet<Key>> {
    let plain = How { spelling: Spelling::default(), ..how.clone() };
    let mut lines = Lines::new(file, path, &plain);
    let mut names = HashSet::new();
    loop {
        match lines.next() {
            Found::End(End::Failed(_)) => return None,
            Found::End(_) => return Some(names),
            found => {
                let exact = found.into_name().map(|name| how.spelling.exact(&name));
                names.extend(exact.iter().flatten().map(|name| key(name)));
            }
        }
    }
}
