//! The formats of manifests: a file each, and [one table](FORMATS) of all.
//!
//! To add one, implement [`LineReader`] in a file of its own and add a row to the table. The
//! program's options, its completions, the guide's page and the tests are made of the table.
//! [`other`] has what is none.

mod alone;
pub(super) mod bagit;
mod certutil;
mod column;
mod columns;
pub(super) mod csv;
mod debian;
mod fields;
mod found;
mod gentoo;
mod given;
mod gpg;
pub(super) mod hashdeep;
mod inventory;
pub(super) mod json;
mod line;
mod mtree;
mod names;
mod other;
pub(super) mod sfv;
pub(super) mod tagged;
pub(super) mod text;
pub(super) mod xml;

pub use json::write_name as write_json_name;
use line::digest_len;
pub use other::other;

use super::span::Spans;
use super::{HashName, Read, Reason};
pub(super) use given::{Armor, Given, is_base64, without_end};
pub(super) use xml::List;

/// The format of a manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `DIGEST  NAME`, one line for each digest.
    Text,
    /// `SHA256 (NAME) = DIGEST`, one line for each digest.
    Tagged,
    /// An object per line: `path`, `size`, `mtime` and `digests`.
    Json,
    /// Comma-separated values (RFC 4180) with a header row.
    Csv,
    /// Files of `hashdeep`: `SIZE,MD5,SHA256,NAME` after a header.
    Hashdeep,
    /// `NAME CRC32`.
    Sfv,
    /// A payload manifest of a bag (RFC 8493).
    BagIt,
    /// A digest without a name, in a file that is named for what it is of.
    Alone,
    /// `NAME: DIGEST` or `NAME DIGEST`.
    Names,
    /// The output of `gpg --print-md`.
    Gpg,
    /// The output of `certutil -hashfile`.
    Certutil,
    /// Columns that are aligned below their names, as in the output of PowerShell's `Get-FileHash`.
    Columns,
    /// `FIELD: VALUE`, a line for each thing that is known of a file.
    Fields,
    /// `Release`, `.dsc` and `.changes` of Debian.
    Debian,
    /// `Manifest` of Gentoo.
    Gentoo,
    /// S3 Inventory in CSV.
    Inventory,
    /// mtree(5) of BSD.
    Mtree,
    /// Media hash lists. Both versions are read; MHL 1.1 is written.
    Mhl,
    /// Media hash lists. Both versions are read; ASC MHL 2.0 is written.
    AscMhl,
    /// Other lists in XML.
    Xml,
}

/// A row of the table of formats.
pub struct About {
    /// The format.
    pub format: Format,
    /// The name, as in `--format`.
    pub name: &'static str,
    /// What such a manifest is called.
    pub title: &'static str,
    /// What one file looks like in it.
    pub example: &'static str,
    /// Whether a [`Writer`](super::Writer) can write it.
    pub is_written: bool,
    /// Whether one line shows the format. For others, all of a sample counts.
    shows_at_once: bool,
    /// Whether names are relative to the folder of the manifest.
    pub is_beside: bool,
    open: fn() -> Box<dyn LineReader>,
}

fn open<R: LineReader + Default + 'static>() -> Box<dyn LineReader> {
    Box::<R>::default()
}

/// All formats. Among those that fit a manifest equally well, the first is taken.
pub static FORMATS: [About; 20] = {
    use Format::*;
    const BAGIT: &str = "a manifest of a bag (RFC 8493)";
    const CERTUTIL: &str = "SHA256 hash of NAME:";
    const COLUMNS: &str = "a row, below aligned names";
    const FIELDS: &str = "Path: NAME, then SHA256: DIGEST";
    const DEBIAN: &str = "Release, .dsc or .changes";
    const GENTOO: &str = "DIST NAME SIZE SHA512 DIGEST..";
    const INVENTORY: &str = "\"BUCKET\",\"NAME\",..,\"ETAG\"";
    const MHL: &str = "<hash><file>NAME</file>..";
    const ASC_MHL: &str = "<hash><path>NAME</path>..";
    const XML: &str = "Metalink, DFXML, FCIV or repomd.xml";
    const fn row(
        format: Format,
        name: &'static str,
        title: &'static str,
        example: &'static str,
        open: fn() -> Box<dyn LineReader>,
    ) -> About {
        let is_beside = matches!(format, Debian | Gentoo | Mhl | AscMhl | Xml);
        let shows_at_once =
            !matches!(format, Sfv | Alone | Names | Gpg | Certutil | Inventory | Fields | Mtree);
        let is_written =
            matches!(format, Text | Tagged | Json | Csv | Hashdeep | Sfv | BagIt | Mhl | AscMhl);
        About { format, name, title, example, is_written, shows_at_once, is_beside, open }
    }
    [
        row(Text, "text", "GNU text", "DIGEST  NAME", open::<text::Reader>),
        row(Tagged, "tag", "BSD lines", "SHA256 (NAME) = DIGEST", open::<text::Reader>),
        row(Json, "json", "JSON", "an object: path, size, mtime, digests", open::<json::Reader>),
        row(Csv, "csv", "CSV", "a row, below one of column names", open::<csv::Reader>),
        row(Hashdeep, "hashdeep", "hashdeep", "SIZE,MD5,SHA256,NAME", open::<hashdeep::Reader>),
        row(Sfv, "sfv", "SFV", "NAME CRC32", open::<sfv::Reader>),
        row(BagIt, "bagit", BAGIT, "DIGEST  data/NAME", open::<bagit::Reader>),
        row(Alone, "alone", "a digest alone", "DIGEST, in NAME.sha256", open::<alone::Reader>),
        row(Names, "names", "names before digests", "NAME: DIGEST", open::<names::Reader>),
        row(Gpg, "gpg", "gpg --print-md", "NAME: BA7816BF 8F01CFEA ..", open::<gpg::Reader>),
        row(Certutil, "certutil", "certutil -hashfile", CERTUTIL, open::<certutil::Reader>),
        row(Columns, "columns", "Get-FileHash or .crc", COLUMNS, open::<columns::Reader>),
        row(Fields, "fields", "a line for each field", FIELDS, open::<fields::Reader>),
        row(Debian, "debian", DEBIAN, "DIGEST SIZE NAME", open::<debian::Reader>),
        row(Gentoo, "gentoo", "Manifest of Gentoo", GENTOO, open::<gentoo::Reader>),
        row(Inventory, "inventory", "S3 Inventory", INVENTORY, open::<inventory::Reader>),
        row(Mtree, "mtree", "mtree of BSD", "NAME type=file sha256=DIGEST", open::<mtree::Reader>),
        row(Mhl, "mhl", "a media hash list", MHL, xml::open_media),
        row(AscMhl, "ascmhl", "a media hash list of ASC", ASC_MHL, xml::open_media),
        row(Xml, "xml", XML, "<file name=\"NAME\">..", open::<xml::Reader>),
    ]
};

/// Reads the lines of one format.
pub(super) trait LineReader: Send + Sync {
    /// Parses a line.
    ///
    /// # Errors
    /// If the line does not conform to the format.
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason>;

    /// The entry that only the end of the manifest completes.
    fn end(&mut self, _: &mut Given) -> Result<Read, Reason> {
        Ok(Read::Nothing)
    }

    /// Takes a line without anything.
    fn blank(&mut self, _: &mut Given) -> Result<Read, Reason> {
        Ok(Read::Nothing)
    }

    /// Whether the latest line continues in the next one.
    fn is_within_record(&self) -> bool {
        false
    }

    /// Where the parts of a record are that an update changes. None if it cannot be updated.
    fn spans(&self, _: &Given, _: &[u8]) -> Spans {
        Spans::new()
    }

    /// The columns, if a header named them, and what separates them.
    fn columns(&self) -> Option<(&[column::Column], u8)> {
        None
    }

    /// Whether plain lines have one blank between digest and name.
    fn is_reversed(&self) -> bool {
        false
    }
}

impl Format {
    /// The row of the table.
    pub fn about(self) -> &'static About {
        let found = FORMATS.iter().find(|about| about.format == self);
        found.expect("every format has a row")
    }

    /// A reader of lines in this format.
    pub(super) fn open(self) -> Box<dyn LineReader> {
        (self.about().open)()
    }

    /// Why a manifest of this format cannot hold digests of these functions. `None` if it can.
    pub fn refuses(self, functions: &[HashName]) -> Option<String> {
        for (i, &a) in functions.iter().enumerate() {
            if functions[..i].contains(&a) {
                return Some(format!("{a} is listed twice"));
            }
        }
        match self {
            Self::Text => text::refuses(functions),
            Self::Tagged | Self::Json | Self::Csv => None,
            Self::Hashdeep => hashdeep::refuses(functions),
            Self::Sfv => sfv::refuses(functions),
            Self::BagIt => bagit::refuses(functions),
            Self::Mhl | Self::AscMhl => xml::Version::of(self)?.refuses(functions),
            other => Some(format!("{} is read and not written", other.about().title)),
        }
    }

    /// Whether a malformed line means that the manifest is damaged. Text manifests may have
    /// headings and notes between their lines.
    pub fn is_strict(self) -> bool {
        !matches!(self, Self::Text | Self::Tagged | Self::Names)
    }
}

/// The most lines of a sample, except of one that looks like a control file of Debian.
pub(super) const MAX_SAMPLE: usize = 64;

/// The format that fits most of these lines.
pub(super) fn of_lines(lines: &[&[u8]], given: &Given, is_all: bool) -> Option<Format> {
    let mut best = (0, None);
    // Nothing in a line tells that it is of a bag, or that it is tagged rather than text. Both
    // versions of media hash lists have one reader.
    let never = |it: Format| matches!(it, Format::BagIt | Format::Tagged | Format::AscMhl);
    let all = FORMATS.iter().filter(|it| !never(it.format));
    for about in all {
        let is_shown = given.is_sfv && about.format == Format::Sfv;
        let given = Given { is_shown, ..given.clone() };
        let (score, is_shown) = score(&mut *(about.open)(), given, lines);
        if score > best.0 || is_shown && best.1.is_none() {
            best = (score, is_shown.then_some(about));
        }
    }
    let about = best.1.filter(|about| is_all || about.shows_at_once)?;
    Some(about.format)
}

/// How well lines fit a format, and whether any shows it: a line about a file counts for four that
/// are malformed.
fn score(reader: &mut dyn LineReader, mut given: Given, lines: &[&[u8]]) -> (i32, bool) {
    let (mut entries, mut malformed) = (0, 0);
    let mut count = |read: Result<Read, Reason>| match read {
        Ok(Read::Entry(_) | Read::Unknown(_) | Read::Unverified(..)) => entries += 1,
        Ok(Read::Malformed(_)) | Err(_) => malformed += 1,
        Ok(Read::Nothing | Read::More) => {}
    };
    for line in lines {
        count(match line.is_empty() {
            true => reader.blank(&mut given),
            false => reader.read(&mut given, line),
        });
    }
    count(reader.end(&mut given));
    let score = 4 * entries + 3 * i32::from(given.is_shown) - malformed;
    (score, entries > 0 || given.is_shown)
}
