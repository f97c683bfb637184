//! Writes files as a manifest, to the standard output or to a file that is replaced.

use std::fs::File;
use std::io;
use std::path::Path;

use hashlanes_files::manifest::{Digits, Entry, Format, HashName, Writer, Written, is_manifest};
use hashlanes_files::name::quote_name;
use hashlanes_files::replace::{Replacement, Replaces};

use super::{Files, Item, Trouble};
use crate::terminal::output::Output as Lines;

/// The name of a new file until it takes the old one's place.
const NEW: &str = "new";

pub(super) struct Output {
    lines: Lines,
    /// The file that will be replaced.
    place: Option<(Replacement, File)>,
    writer: Writer,
    /// Whether the functions are fixed by a header, instead of varying by file.
    has_header: bool,
}

impl Output {
    /// Begins a manifest. The functions of the first files are those of its header, if it has one.
    pub(super) fn open(
        path: Option<&Path>,
        format: Format,
        zero: bool,
        files: &Files,
    ) -> io::Result<Self> {
        let place = match path {
            None => None,
            Some(path) => {
                let made = |begin: &[u8], _| is_manifest(begin);
                let replacement = Replacement::begin(path, Replaces::Made("a manifest", &made))?;
                let file = replacement.create(NEW)?;
                Some((replacement, file))
            }
        };
        let mut lines = match &place {
            None => Lines::stdout()?,
            Some((_, file)) => Lines::file(file.try_clone()?),
        };
        let has_header = matches!(format, Format::Csv | Format::Hashdeep | Format::BagIt);
        let functions = if has_header { files.functions.clone() } else { Vec::new() };
        if let Some(why) = has_header.then(|| format.refuses(&functions)).flatten() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        let writer = Writer { format, functions, digits: Digits::Hex, zero, binary: false };
        lines.line(|line| writer.header(line))?;
        Ok(Self { lines, place, writer, has_header })
    }

    /// Writes a file. Reports what the format cannot represent.
    pub(super) fn write(&mut self, item: &Item, trouble: &Trouble) -> io::Result<()> {
        let written = self.line(item)?;
        written.or_else(|why| {
            self.lines.flush()?;
            trouble.of(&item.from, format_args!("{}: {why}", quote_name(&item.entry.name)));
            Ok(())
        })
    }

    fn line(&mut self, item: &Item) -> io::Result<Result<(), String>> {
        if !self.has_header && !item.functions().eq(self.writer.functions.iter().copied()) {
            self.writer.functions = item.functions().collect();
        }
        if let Some(why) = self.refuses(item) {
            return Ok(Err(why));
        }
        let digest = |&function: &HashName| item.digest(function).unwrap_or_default();
        let digests: Vec<&[u8]> = self.writer.functions.iter().map(digest).collect();
        let Entry { name, size, modified, .. } = &item.entry;
        let file =
            Written { name, size: *size, modified: *modified, version: None, digests: &digests };
        let mut written = Ok(());
        let writer = &self.writer;
        self.lines.line(|line| written = writer.file(&file, line))?;
        Ok(written.map_err(|why| why.to_string()))
    }

    /// Why the manifest cannot represent a file, if so.
    fn refuses(&self, item: &Item) -> Option<String> {
        let Writer { format, functions, .. } = &self.writer;
        if let Some(other) = item.functions().find(|function| !functions.contains(function)) {
            return Some(format!("there is no column for {other}, which the first files lack"));
        }
        let lacks = |function: &&HashName| item.digest(**function).is_none();
        if let Some(lacking) = functions.iter().find(lacks).filter(|_| *format != Format::Csv) {
            return Some(format!("it lacks {lacking}, which the first files have"));
        }
        if matches!(format, Format::Hashdeep | Format::Mhl) && item.entry.size.is_none() {
            return Some(format!("{} needs sizes, and this one is unknown", format.about().title));
        }
        if self.has_header { None } else { format.refuses(functions) }
    }

    /// Puts a new file in its place, unless anything went wrong.
    pub(super) fn finish(mut self, trouble: &Trouble) -> io::Result<()> {
        self.lines.line(|line| self.writer.footer(line))?;
        self.lines.flush()?;
        match &self.place {
            None => Ok(()),
            Some((replacement, _)) if trouble.is_there() => {
                trouble.of(replacement.target(), "not written");
                Ok(())
            }
            Some((replacement, file)) => replacement.put(NEW, file, replacement.target()),
        }
    }
}
