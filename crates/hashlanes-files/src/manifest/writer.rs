//! Writes manifests.

use std::fmt;

use super::format::{bagit, csv, hashdeep, json, sfv, tagged, text, xml};
use super::{Digits, Format, HashName, Time};
use crate::name::{escape, needs_escape};
use crate::{Digest, Hashed};

/// How to write a manifest.
#[derive(Clone, Debug)]
pub struct Writer {
    /// The format, which must not refuse the functions ([`Format::refuses`]).
    pub format: Format,
    /// The functions of each file's digests, in order.
    pub functions: Vec<HashName>,
    /// The encoding of digests, in formats that allow both: all but hashdeep, SFV and BagIt.
    pub digits: Digits,
    /// Text and tagged lines end in NUL, and names are not escaped.
    pub zero: bool,
    /// Text lines mark each file as read in binary.
    pub binary: bool,
}

/// A file to be written.
#[derive(Clone, Copy, Debug)]
pub struct Written<'a, D> {
    /// The name.
    pub name: &'a [u8],
    /// The size in bytes, if known.
    pub size: Option<u64>,
    /// The time of the last modification, if known.
    pub modified: Option<Time>,
    /// The version of an object, if it has one. Only JSON keeps it.
    pub version: Option<&'a str>,
    /// A digest for each of the writer's functions.
    pub digests: &'a [D],
}

impl<'a> Written<'a, Digest> {
    /// A file of this name that was hashed.
    pub fn of(name: &'a [u8], hashed: &'a Hashed) -> Self {
        Self {
            name,
            size: Some(hashed.length),
            modified: hashed.stamp.map(|stamp| (stamp.seconds, stamp.nanoseconds)),
            version: hashed.tag.as_deref(),
            digests: &hashed.digests,
        }
    }
}

/// Why a format cannot hold a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwritable(pub(super) &'static str);

impl fmt::Display for Unwritable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl std::error::Error for Unwritable {}

/// Refuses a name with NUL, which an object may have: with `--zero` it would end there.
pub(super) fn refuse(name: &[u8]) -> Result<(), Unwritable> {
    let why = "names in manifests cannot contain NUL";
    if name.contains(&0) { Err(Unwritable(why)) } else { Ok(()) }
}

impl Writer {
    /// Appends the header.
    pub fn header(&self, to: &mut Vec<u8>) {
        match self.format {
            Format::Csv => csv::write_header(to, &self.functions),
            Format::Hashdeep => hashdeep::write_header(to, &self.functions),
            Format::Sfv => sfv::write_header(to),
            other => {
                if let Some(version) = xml::Version::of(other) {
                    version.write_header(to);
                }
            }
        }
    }

    /// Appends what follows all files.
    pub fn footer(&self, to: &mut Vec<u8>) {
        if let Some(version) = xml::Version::of(self.format) {
            to.extend(version.after.bytes());
        }
    }

    /// Appends the lines of a file, with their terminators.
    ///
    /// # Errors
    /// If the format cannot represent the name. Then nothing is appended.
    pub fn file<D: AsRef<[u8]>>(
        &self,
        file: &Written<'_, D>,
        to: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        refuse(file.name)?;
        match self.format {
            Format::Text | Format::Tagged => {
                self.text(file, self.mark(), to);
                return Ok(());
            }
            Format::Json => json::write(to, file, &self.functions, self.digits),
            Format::Csv => csv::write(to, file, self.digits),
            Format::Hashdeep => hashdeep::write(to, file)?,
            Format::Sfv => sfv::write(to, file.name, file.digests[0].as_ref())?,
            Format::BagIt => bagit::write(to, file.name, file.digests[0].as_ref())?,
            other => match xml::Version::of(other) {
                Some(version) => version.write(to, file, &self.functions)?,
                None => return Err(Unwritable("this format is read and not written")),
            },
        }
        to.push(b'\n');
        Ok(())
    }

    /// What plain lines have between the digest and the name.
    pub(super) fn mark(&self) -> &'static [u8] {
        if self.binary { b" *" } else { b"  " }
    }

    /// Appends a line for each digest.
    pub(super) fn text<D: AsRef<[u8]>>(
        &self,
        file: &Written<'_, D>,
        between: &[u8],
        to: &mut Vec<u8>,
    ) {
        let mut escaped = Vec::new();
        let name = if !self.zero && needs_escape(file.name) {
            escape(file.name, &mut escaped);
            (&*escaped, true)
        } else {
            (file.name, false)
        };
        for (&function, digest) in self.functions.iter().zip(file.digests) {
            let digest = (digest.as_ref(), self.digits);
            if self.format == Format::Tagged {
                tagged::write(to, function, digest, name);
            } else {
                text::write(to, digest, name, between);
            }
            to.push(if self.zero { 0 } else { b'\n' });
        }
    }
}
