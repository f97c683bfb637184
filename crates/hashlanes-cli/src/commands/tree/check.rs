//! Compares files with lines of `hashlanes tree --tag`, for `hashlanes check`.

use std::io;
use std::path::Path;
use std::slice;
use std::sync::Arc;

use hashlanes_files::source::{Stores, input};
use hashlanes_files::{Kind, system};
use hashlanes_tree::{Format, Settings};

use super::one::{Digests, Failure, digest};
use super::options::Wanted;
pub(crate) use super::tagged::{Line, Read, read};
use crate::terminal::message::reason;

/// The result of comparing a file with a line.
pub(crate) enum Verdict {
    Agrees,
    /// The digest differs. True if the file changed while it was read.
    Differs(bool),
    Missing(io::Error),
    Unreadable(String),
    Stopped,
}

/// How files are read.
pub(crate) struct Reading<'c> {
    pub(crate) settings: Settings<'c>,
    /// What URLs name.
    pub(crate) stores: Arc<dyn Stores>,
}

impl<'c> Reading<'c> {
    /// With the settings of all other files of the run.
    pub(crate) fn new(files: &hashlanes_files::Settings<'c>, stores: Arc<dyn Stores>) -> Self {
        Self { settings: settings(files), stores }
    }
}

impl Line {
    /// Compares a file with the line.
    pub(crate) fn compare(&self, path: &Path, reading: &Reading<'_>) -> Verdict {
        compare(slice::from_ref(self), path, reading)
    }

    /// The tag of its format.
    pub(crate) fn tag(&self) -> String {
        self.format.tag()
    }

    /// The tag and the digest. They are equal for files with equal content.
    pub(crate) fn key(&self) -> String {
        format!("{} {}", self.tag(), self.digest)
    }

    /// What the line says of an object, if its format is one of S3's.
    #[cfg(feature = "objects")]
    pub(crate) fn fact(&self) -> Option<hashlanes_objects::stored::Fact> {
        hashlanes_objects::stored::Fact::from_tag(&self.format, &self.digest)
    }

    /// The format for a file that has this digest.
    fn format(&self) -> Format {
        let mut format = self.format.clone();
        if let Format::S3 { threshold, .. } | Format::S3Crc { threshold, .. } = &mut format {
            // The digest tells whether the object was uploaded in parts.
            *threshold = if self.digest.contains('-') { 0 } else { u64::MAX };
        }
        format
    }
}

/// Compares a file with all its lines, reading it once.
pub(crate) fn compare(lines: &[Line], path: &Path, reading: &Reading<'_>) -> Verdict {
    match texts(lines.iter().map(Line::format), path, reading) {
        Ok((texts, _)) if texts.iter().zip(lines).all(|(text, line)| *text == line.digest) => {
            Verdict::Agrees
        }
        Ok((_, is_changed)) => Verdict::Differs(is_changed),
        Err(verdict) => verdict,
    }
}

/// The keys of lines that a file would have in the formats of `like`, and whether it changed while
/// it was read.
///
/// # Errors
/// Why it has none.
pub(crate) fn keys(
    like: &[Line],
    path: &Path,
    reading: &Reading<'_>,
) -> Result<(Vec<String>, bool), Verdict> {
    let (texts, is_changed) = texts(like.iter().map(|line| line.format.clone()), path, reading)?;
    let keys = like.iter().zip(texts).map(|(line, text)| format!("{} {text}", line.tag()));
    Ok((keys.collect(), is_changed))
}

/// The digests of a file, and whether it changed while it was read.
fn texts(
    formats: impl Iterator<Item = Format>,
    path: &Path,
    reading: &Reading<'_>,
) -> Result<(Vec<String>, bool), Verdict> {
    let wanted = Wanted { formats: formats.collect(), ..Wanted::default() };
    let input = input(path, Kind::Listed, &*reading.stores);
    match digest(path, input, &wanted, &reading.settings) {
        Ok(Digests { finished, is_changed, .. }) => {
            Ok((finished.into_iter().map(|finished| finished.text).collect(), is_changed))
        }
        Err(Failure::Stopped) => Err(Verdict::Stopped),
        Err(Failure::Read(error)) => Err(unread(error)),
        Err(Failure::Because(why)) => Err(Verdict::Unreadable(why)),
    }
}

/// Settings for reading files, the same as for all others of the run.
pub(crate) fn settings<'c>(files: &hashlanes_files::Settings<'c>) -> Settings<'c> {
    let (threads, readers, control) = (files.threads, files.readers, files.control);
    Settings { threads, readers, control, ..Settings::default() }
}

fn unread(error: io::Error) -> Verdict {
    match system::is_missing(&error) {
        true => Verdict::Missing(error),
        false => Verdict::Unreadable(reason(&error)),
    }
}
