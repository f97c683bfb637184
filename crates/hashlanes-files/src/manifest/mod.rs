//! Manifests: lists of files with their digests, read and written in the formats of many tools.
//!
//! | format | of | one file |
//! |---|---|---|
//! | [`Text`](Format::Text) | `sha256sum`, `shasum`, `openssl dgst -r` | `DIGEST  NAME` |
//! | [`Tagged`](Format::Tagged) | `cksum`, BSD, `openssl dgst` | `SHA256 (NAME) = DIGEST` |
//! | [`Json`](Format::Json) | this project | an object per line |
//! | [`Csv`](Format::Csv) | spreadsheets, databases | a row, below one of names |
//! | [`Hashdeep`](Format::Hashdeep) | `hashdeep` | `SIZE,MD5,SHA256,NAME` |
//! | [`Sfv`](Format::Sfv) | `cfv`, `cksfv`, `rhash --sfv` | `NAME CRC32` |
//! | [`BagIt`](Format::BagIt) | RFC 8493 | `DIGEST  NAME`, with `%` codes in the name |
//! | [`Mhl`](Format::Mhl), [`AscMhl`](Format::AscMhl) | film sets | an element of XML |
//!
//! Those are written as well as read; [`FORMATS`] has all.
//!
//! [`Text`] decodes a stream, [`Format::of_sample`] finds its format, and [`Records`] splits it
//! into lines of bounded length. A [`Reader`] parses each line. A [`Writer`] makes lines, and
//! [`Reader::edited`] changes one. All of them handle only bytes: they open no files.
//!
//! ```
//! use hashlanes_files::manifest::{Read, Reader, ReaderOptions};
//!
//! let mut reader = Reader::new(ReaderOptions::default());
//! let Read::Entry(entry) = reader.read(b"MD5 (abc) = 900150983cd24fb0d6963f7d28e17f72") else {
//!     panic!("not understood")
//! };
//! assert_eq!(entry.name, b"abc");
//! assert_eq!(entry.digests[0].function.name(), "md5");
//! assert_eq!(entry.digests[0].digest[..2], [0x90, 0x01]);
//! ```

pub mod bag;
mod digits;
mod edit;
mod format;
mod hash_name;
mod input;
mod name_field;
mod reader;
mod reason;
mod records;
mod span;
#[cfg(test)]
mod tests;
mod time;
mod writer;

pub use digits::Digits;
pub use format::{About, FORMATS, Format, other, write_json_name};
pub use hash_name::HashName;
pub use input::Text;
pub use name_field::NameField;
pub use reader::{BYTE_ORDER_MARK, Nothing, Reader, ReaderOptions, is_manifest};
pub use reason::Reason;
pub use records::{MAX_RECORD, Record, Records};
pub use time::{Time, read as read_time, write as write_time};
pub use writer::{Unwritable, Writer, Written};

/// The content of a line.
#[derive(Debug, PartialEq, Eq)]
pub enum Read {
    /// Nothing about a file: the line is empty, a comment or a header.
    Nothing,
    /// The line continues in the next one: a name in CSV contains a newline.
    More,
    /// The digests of a file.
    Entry(Entry),
    /// The line does not conform to the format.
    Malformed(Reason),
    /// The line is well-formed, but its hash function, of this name, is unknown.
    Unknown(String),
    /// The line names this file without a digest of it, for this reason.
    Unverified(Vec<u8>, &'static str),
}

/// What a manifest says about a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The name, unescaped. `-` is the standard input.
    pub name: Vec<u8>,
    /// At least one.
    pub digests: Vec<Expected>,
    /// The entry is a tagged line.
    pub tagged: bool,
    /// The size in bytes, if the format has it.
    pub size: Option<u64>,
    /// The time of the last modification, if the format has it.
    pub modified: Option<Time>,
    /// The version of an object, if the format has it.
    pub version: Option<String>,
    /// The names of unknown functions of which the manifest has digests, too.
    pub unknown: Vec<String>,
}

/// A digest that a file should have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expected {
    /// The hash function.
    pub function: HashName,
    /// The digest, of the function's length.
    pub digest: Vec<u8>,
    /// The function was inferred from the length of the digest.
    pub guessed: bool,
}

impl AsRef<[u8]> for Expected {
    fn as_ref(&self) -> &[u8] {
        &self.digest
    }
}

impl Entry {
    /// An entry without a size or time.
    fn new(name: Vec<u8>, digests: Vec<Expected>) -> Self {
        let (tagged, size, modified, version, unknown) = (false, None, None, None, Vec::new());
        Self { name, digests, tagged, size, modified, version, unknown }
    }
}

impl Read {
    /// The same entry with the size and the time of the file.
    fn with(self, size: Option<u64>, modified: Option<Time>) -> Self {
        match self {
            Self::Entry(entry) => Self::Entry(Entry { size, modified, ..entry }),
            other => other,
        }
    }
}
