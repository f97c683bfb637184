//! The program's arguments.

use std::ffi::OsString;

/// The program's name and arguments.
#[cfg(not(windows))]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    std::env::args_os()
}

/// The program's name and arguments. An argument with `*` or `?` outside quotes becomes the files
/// that it matches, as a Unix shell does it, or stays as it is if there is none.
#[cfg(windows)]
pub(crate) fn arguments() -> impl Iterator<Item = OsString> {
    wild::args_os()
}
