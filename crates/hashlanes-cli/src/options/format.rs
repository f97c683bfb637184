//! `--format`: the formats of manifests by name.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use hashlanes_files::manifest::{About, FORMATS, Format};

/// The name of a format.
pub(crate) fn name(format: Format) -> &'static str {
    format.about().name
}

/// A parser of the formats that can be read.
pub(crate) fn parser() -> impl TypedValueParser<Value = Format> {
    of(|_| true)
}

/// A parser of the formats that can be written.
pub(crate) fn written() -> impl TypedValueParser<Value = Format> {
    of(|about| about.is_written)
}

fn of(is_wanted: fn(&About) -> bool) -> impl TypedValueParser<Value = Format> {
    let value = |about: &About| {
        let help = format!("{}: {}", about.title, about.example);
        PossibleValue::new(about.name).help(help)
    };
    let wanted = FORMATS.iter().filter(|about| is_wanted(about));
    PossibleValuesParser::new(wanted.map(value)).map(|given| {
        let found = FORMATS.iter().find(|about| about.name == given);
        found.expect("clap takes only these").format
    })
}
