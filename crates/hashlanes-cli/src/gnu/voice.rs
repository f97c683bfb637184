//! Messages to standard error. Each begins with the name under which the program was called.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use hashlanes_files::name::quote_in;

use super::locale::{self, Charset};
use super::tool::Tool;
use crate::terminal::message::reason;

pub(super) struct Voice {
    /// The name as given: `md5sum`, `./md5sum`.
    program: Vec<u8>,
    charset: Charset,
}

impl Voice {
    pub(super) fn new(program: Option<OsString>, tool: Tool) -> Self {
        let program = program.map_or_else(|| tool.name().into(), OsString::into_encoded_bytes);
        Self { program, charset: locale::charset() }
    }

    pub(super) fn program(&self) -> &[u8] {
        &self.program
    }

    /// Writes one message. A failure is ignored: it cannot be reported anywhere.
    pub(super) fn say(&self, message: &[u8]) {
        // One write, so that the line does not mix with those of other programs.
        let line = [&self.program, &b": "[..], message, b"\n"].concat();
        let _ = io::stderr().write_all(&line);
    }

    /// Reports a problem of a file.
    pub(super) fn say_of(&self, name: &[u8], what: &str) {
        let name = quote_in(name, self.charset);
        self.say(format!("{name}: {what}").as_bytes());
    }

    /// Reports an error with a file.
    pub(super) fn say_error(&self, name: &[u8], error: &io::Error) {
        self.say_of(name, &reason(error));
    }

    pub(super) fn point_to_help(&self) {
        let line = [b"Try '", &self.program[..], b" --help' for more information.\n"].concat();
        let _ = io::stderr().write_all(&line);
    }

    /// Reports that the standard output could not be written, and returns the exit status.
    pub(super) fn output_failed(&self, error: &io::Error) -> ExitCode {
        self.say(format!("write error: {}", reason(error)).as_bytes());
        ExitCode::FAILURE
    }
}
