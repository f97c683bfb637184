//! What columns, fields and elements say of a file, whatever format they are in.

use super::super::{HashName, Read, Reason, Time, time};
use super::found::Found;

const PATH: [&str; 5] = ["path", "filename", "file", "name", "key"];
const FUNCTION: [&str; 3] = ["algorithm", "function", "hashtype"];
const DIGEST: [&str; 4] = ["hash", "digest", "checksum", "hashvalue"];
const SIZE: [&str; 4] = ["size", "length", "filesize", "bytes"];
const MODIFIED: [&str; 2] = ["mtime", "lastmodificationdate"];

/// The content of a column.
#[derive(Clone, PartialEq, Eq)]
pub(in super::super) enum Column {
    Path,
    Size,
    Modified,
    Digest(HashName),
    /// The name of the function of `AnyDigest`.
    Function,
    AnyDigest,
    /// Something else, of this name.
    Other(String),
}

impl Column {
    /// The content of a column of this name, in any case.
    pub(super) fn named(name: &[u8]) -> Self {
        let given = String::from_utf8_lossy(name);
        let name = &*given.trim().to_ascii_lowercase();
        if PATH.contains(&name) {
            Self::Path
        } else if FUNCTION.contains(&name) {
            Self::Function
        } else if DIGEST.contains(&name) {
            Self::AnyDigest
        } else if SIZE.contains(&name) {
            Self::Size
        } else if MODIFIED.contains(&name) {
            Self::Modified
        } else if let Some(function) = HashName::named(name.strip_suffix("sum").unwrap_or(name)) {
            Self::Digest(function)
        } else {
            Self::Other(given.trim().chars().take(MAX_NAME).collect())
        }
    }
}

/// The most characters of the name of a column that is not known.
const MAX_NAME: usize = 40;

/// The fewest hexadecimal digits that show that an unknown column has digests.
const LEAST_DIGITS: usize = 32;

/// What is known of a file so far.
pub(super) struct File {
    pub(super) name: Vec<u8>,
    pub(super) found: Found,
    size: Option<u64>,
    modified: Option<Time>,
    function: Vec<u8>,
    digest: Vec<u8>,
}

impl File {
    pub(super) fn new(only: Option<HashName>) -> Self {
        let (name, function, digest) = (Vec::new(), Vec::new(), Vec::new());
        Self { name, found: Found::new(only), size: None, modified: None, function, digest }
    }

    /// Takes a field, which may be empty.
    pub(super) fn take(&mut self, column: &Column, field: &[u8]) {
        let value = field.trim_ascii();
        match column {
            Column::Path if self.name.is_empty() => self.name = field.to_vec(),
            Column::Path => self.found.wrong("there are two names"),
            Column::Size => self.size = str::from_utf8(value).ok().and_then(|it| it.parse().ok()),
            Column::Modified => self.modified = time::read(value),
            Column::Digest(function) if !value.is_empty() => self.found.digest(*function, value),
            Column::Function => self.function = value.to_vec(),
            Column::AnyDigest => self.digest = value.to_vec(),
            Column::Other(name)
                if value.len() >= LEAST_DIGITS && value.iter().all(u8::is_ascii_hexdigit) =>
            {
                self.found.unknown(name);
            }
            Column::Digest(_) | Column::Other(_) => {}
        }
    }

    /// Whether there is neither a name nor a digest.
    pub(super) fn is_empty(&self) -> bool {
        self.name.is_empty() && !self.has_digest()
    }

    /// Whether there are a name and a digest.
    pub(super) fn is_whole(&self) -> bool {
        !self.name.is_empty() && self.has_digest()
    }

    fn has_digest(&self) -> bool {
        !self.digest.is_empty() || self.found.has_any()
    }

    pub(super) fn read(mut self) -> Result<Read, Reason> {
        if !self.digest.is_empty() {
            let name = String::from_utf8_lossy(&self.function);
            match name.is_empty() {
                true => self.found.guessed(&self.digest),
                false => self.found.named(&name, &self.digest),
            }
        }
        Ok(self.found.entry(self.name)?.with(self.size, self.modified))
    }
}
