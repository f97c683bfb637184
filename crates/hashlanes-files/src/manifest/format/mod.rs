//! The formats of manifests, one file each.

pub(super) mod bagit;
pub(super) mod csv;
pub(super) mod hashdeep;
pub(super) mod json;
mod line;
pub(super) mod sfv;
pub(super) mod tagged;
pub(super) mod text;

pub use json::write_name as write_json_name;

use super::HashName;

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
}

impl Format {
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
        }
    }

    /// Whether a malformed line means that the manifest is damaged. Text manifests may have
    /// headings and notes between their lines.
    pub fn is_strict(self) -> bool {
        !matches!(self, Self::Text | Self::Tagged)
    }

    /// Whether entries have sizes or times.
    pub fn has_metadata(self) -> bool {
        matches!(self, Self::Json | Self::Csv | Self::Hashdeep)
    }
}
