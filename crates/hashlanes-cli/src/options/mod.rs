//! Options that several commands share, and parsers of their values.

pub(crate) mod base;
pub(crate) mod format;
pub(crate) mod load;
pub(crate) mod machine;
pub(crate) mod names;
pub(crate) mod real;
pub(crate) mod size;
pub(crate) mod threads;
pub(crate) mod walk;

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, TypedValueParser};
use hashlanes_files::{Function, UnknownFunction};

/// A parser for clap that accepts any file name. Clap's own parser for paths rejects the empty
/// name, which is simply the name of a file that does not exist.
pub(crate) fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// A parser of hash functions for clap.
pub(crate) fn algorithm(name: &str) -> Result<Function, UnknownFunction> {
    Function::from_name(name)
}
