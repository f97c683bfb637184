//! Errors that several modules return.

use std::fmt::Display;
use std::io;

pub(crate) fn invalid(error: impl Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
}

pub(crate) fn no_version() -> io::Error {
    let why = "the store sent no version, so parts of different versions could be mixed";
    io::Error::new(io::ErrorKind::InvalidData, why)
}

pub(crate) fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "changed while it was read")
}

/// A task has ended without a result.
pub(crate) fn lost<E>(_: E) -> io::Error {
    io::Error::other("the request was abandoned")
}

pub(crate) fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the store sent {what}"))
}

pub(crate) fn no_credentials() -> io::Error {
    io::Error::new(
        io::ErrorKind::PermissionDenied,
        "no credentials found in environment, profile or instance; --anonymous sends none",
    )
}
