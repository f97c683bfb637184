//! Messages on the standard error: `hashlanes: NAME: reason`.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use crate::name::quote;

/// The exit status of wrong usage, as clap has it too.
const USAGE: u8 = 2;

/// Writes one message. If the standard error is closed there is nobody to tell.
pub(crate) fn say(message: impl Display) {
    // Whole, so that it does not mix with those of other programs.
    let line = format!("hashlanes: {message}\n");
    let _ = io::stderr().write_all(line.as_bytes());
}

/// Writes that something is wrong with a file.
pub(crate) fn say_of(path: &Path, reason: impl Display) {
    say(format_args!("{}: {reason}", quote(path)));
}

/// The reason of an error in the system's words.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => text.strip_suffix(&format!(" (os error {code})")).unwrap_or(&text).into(),
        None => text,
    }
}

/// The exit status after wrong usage, which `message` names.
pub(crate) fn wrong_usage(message: impl Display) -> ExitCode {
    say(message);
    ExitCode::from(USAGE)
}

/// The exit status after the standard output could not be written. If nobody reads it any more, as
/// in `.. | head`, nothing is said.
pub(crate) fn output_failed(error: &io::Error) -> ExitCode {
    if error.kind() != io::ErrorKind::BrokenPipe {
        say(format_args!("write error: {}", reason(error)));
    }
    ExitCode::FAILURE
}
