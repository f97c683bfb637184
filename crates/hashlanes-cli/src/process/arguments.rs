//! The program's arguments.

use std::ffi::OsString;

/// The program's name and arguments.
#[cfg(not(windows))]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os()
}

/// The program's name and arguments. As a Unix shell does, an unquoted argument with `*` or `?` is
/// replaced by the files that it matches, or kept if there are none.
#[cfg(windows)]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    wild::args_os()
}
