//! What all formats are given: what is known of a manifest, and lines without what surrounds them.

use super::super::HashName;

/// What the readers of all formats are given.
#[derive(Clone)]
pub(in super::super) struct Given {
    pub(in super::super) function: Option<HashName>,
    /// The function that the manifest's name suggests.
    pub(in super::super) likely: Option<HashName>,
    /// The file that the manifest's name suggests.
    pub(in super::super) file: Option<Vec<u8>>,
    /// Names are not escaped.
    pub(in super::super) literal: bool,
    /// The manifest's name or a comment suggests SFV.
    pub(in super::super) is_sfv: bool,
}

/// Endings of the names of manifests that do not name a function.
const ENDINGS: [&str; 6] = ["sum", "sums", "hash", "digest", "checksum", "checksums"];

impl Given {
    /// `literal` says that names are not escaped, and `name` is that of the manifest.
    pub(in super::super) fn new(function: Option<HashName>, literal: bool, name: &[u8]) -> Self {
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

/// Where a line is in a text that is signed with OpenPGP. The signature is not verified.
#[derive(Clone, Copy, Default)]
pub(in super::super) enum Armor {
    #[default]
    None,
    Header,
    Signature,
}

impl Armor {
    /// Whether a line belongs to the signature, and not to the text.
    pub(in super::super) fn has(&mut self, line: &[u8]) -> bool {
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

/// A line without the carriage returns of Windows at its end.
pub(in super::super) fn without_end(mut line: &[u8]) -> &[u8] {
    while let Some(rest) = line.strip_suffix(b"\r") {
        line = rest;
    }
    line
}
