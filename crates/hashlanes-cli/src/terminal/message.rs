//! Messages on the standard error: `hashlanes: NAME: reason`.

use std::fmt::Display;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use hashlanes_files::name::{for_terminal, quote};

use crate::terminal::progress::beside_bar;
use crate::url::{hint, public};

/// The warning for a file whose digests may match no state that it ever had.
pub(crate) const CHANGED: &str = "WARNING: the file changed while it was read";

/// The exit status of wrong usage, the same as clap's.
const USAGE: u8 = 2;

/// Writes one message. Control characters become codes: some of the text may come from files, such
/// as the name of a hash function. A failure is ignored: it cannot be reported anywhere.
pub(crate) fn say(message: impl Display) {
    say_any(&message);
}

fn say_any(message: &dyn Display) {
    // One write, so that the line does not mix with those of other programs.
    let line = format!("hashlanes: {message}\n");
    let _ = beside_bar(&mut || io::stderr().write_all(&for_terminal(line.as_bytes())));
}

/// Warns of a number of things, with the text for one and for several.
pub(crate) fn warn(count: u64, one: &str, many: &str) {
    match count {
        0 => {}
        1 => say(format_args!("WARNING: 1 {one}")),
        _ => say(format_args!("WARNING: {count} {many}")),
    }
}

/// Reports a problem of a file.
pub(crate) fn say_of(path: &Path, reason: impl Display) {
    say_any_of(path, &reason);
}

fn say_any_of(path: &Path, reason: &dyn Display) {
    let name = public(path);
    match hint(path) {
        Some(hint) => say(format_args!("{}: {reason}; {hint}", quote(&name))),
        None => say(format_args!("{}: {reason}", quote(&name))),
    }
}

/// The system's description of an error.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match error.raw_os_error() {
        Some(code) => text.strip_suffix(&format!(" (os error {code})")).unwrap_or(&text).into(),
        None => text,
    }
}

/// The exit status of wrong usage.
pub(crate) fn usage() -> ExitCode {
    ExitCode::from(USAGE)
}

/// Reports wrong usage, and returns the exit status.
pub(crate) fn wrong_usage(message: impl Display) -> ExitCode {
    say(message);
    usage()
}

/// Reports that the standard output could not be written, and returns the exit status.
///
/// If nobody reads the output any more, as in `.. | head`, SIGPIPE has already ended the program.
/// Windows has no such signal, so nothing is written there.
pub(crate) fn output_failed(error: &io::Error) -> ExitCode {
    match error.kind() {
        // Not the system's, but the reason why something cannot be printed in this form.
        io::ErrorKind::InvalidInput if error.raw_os_error().is_none() => say(error),
        io::ErrorKind::BrokenPipe if !cfg!(unix) => {}
        _ => say(format_args!("write error: {}", reason(error))),
    }
    ExitCode::FAILURE
}

/// The exit status of a run whose output was written, and whether all is well. Reports why the
/// output could not be written.
pub(crate) fn exit_status(written: io::Result<bool>) -> ExitCode {
    match written {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => output_failed(&error),
    }
}

/// Reports a problem of a file, and returns the exit status of a run that ends for it.
pub(crate) fn failed(path: &Path, reason: impl Display) -> ExitCode {
    say_of(path, reason);
    ExitCode::FAILURE
}

/// Reports that the current folder is unknown, and returns the exit status.
pub(crate) fn no_current_folder(error: &io::Error) -> ExitCode {
    say(format_args!("cannot determine the current folder: {}", reason(error)));
    ExitCode::FAILURE
}
