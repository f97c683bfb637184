//! `--format`: the formats of manifests by name.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hashlanes_files::manifest::Format;

/// The names and their meanings.
const FORMATS: [(&str, Format, &str); 7] = [
    ("text", Format::Text, "DIGEST  NAME, like sha256sum"),
    ("tag", Format::Tagged, "SHA256 (NAME) = DIGEST, like BSD and cksum"),
    ("json", Format::Json, "one object per line: path, size, mtime, digests"),
    ("csv", Format::Csv, "comma-separated values with column names"),
    ("hashdeep", Format::Hashdeep, "a file of hashdeep, with sizes"),
    ("sfv", Format::Sfv, "NAME CRC32, with -a crc32"),
    ("bagit", Format::BagIt, "a manifest of a bag (RFC 8493)"),
];

/// The name of a format.
pub(crate) fn name(format: Format) -> &'static str {
    let found = FORMATS.iter().find(|(_, known, _)| *known == format);
    found.expect("all formats are there").0
}

/// A parser of formats for clap.
pub(crate) fn parser() -> impl TypedValueParser<Value = Format> {
    let values = FORMATS.map(|(name, _, help)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(values).map(|given| {
        let found = FORMATS.iter().find(|(name, _, _)| *name == given);
        found.expect("clap takes only these").1
    })
}
