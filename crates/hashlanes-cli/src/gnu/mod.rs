//! The drop-in for the checksum programs of GNU coreutils.
//!
//! Called by the name of one of them (`md5sum`, .. `b2sum`, `cksum`), the program behaves as
//! version 9.10 of that tool: options, output, messages and exit status. `docs/guide/gnu.md` lists
//! the differences.
//!
//! ```text
//!  name ──▶ tool ──▶ getopt ──▶ settings ──┬──▶ print    digests of files
//!                                          └──▶ verify   checksum files: line reads them
//! ```
//!
//! The behaviour of the originals was determined by running them and from their manual. None of
//! their code was used: it has another licence.

mod family;
mod getopt;
mod help;
mod line;
pub(crate) mod links;
pub(crate) mod locale;
mod print;
mod settings;
mod tool;
mod verify;
mod voice;

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::ExitCode;

use settings::{Request, Wrong};
pub(crate) use tool::Tool;
use voice::Voice;

/// The tool that the program is called as, if any.
pub(crate) fn tool(program: &OsStr) -> Option<Tool> {
    Tool::from_program(program)
}

/// Runs the tool. `arguments` begin with the program's name.
pub(crate) fn run(tool: Tool, arguments: Vec<OsString>) -> ExitCode {
    let mut arguments = arguments.into_iter();
    let voice = Voice::new(arguments.next(), tool);
    match settings::read(tool, arguments) {
        Ok(Request::Help) => written(&voice, &help::help(tool, voice.program())),
        Ok(Request::Version) => written(&voice, &help::version(tool)),
        Ok(Request::Print(settings)) => print::run(&voice, settings),
        Ok(Request::Verify(settings)) => verify::run(&voice, settings),
        Err(Wrong { messages, points_to_help }) => {
            for message in messages {
                voice.say(&message);
            }
            if points_to_help {
                voice.point_to_help();
            }
            ExitCode::FAILURE
        }
    }
}

fn written(voice: &Voice, text: &[u8]) -> ExitCode {
    match crate::terminal::output::write(text) {
        Ok(()) => ExitCode::SUCCESS,
        // The originals lose the reason, unless closing the file fails too.
        Err(error) if !crate::process::inherited::is_bad_descriptor(&error) => {
            voice.say(b"write error");
            ExitCode::FAILURE
        }
        Err(error) => voice.output_failed(&error),
    }
}

/// The exit status of a run. GNU's tools close the standard input at the end, and report a second
/// time if it was closed all along.
fn finished(voice: &Voice, outcome: io::Result<()>, failed: bool, reads_stdin: bool) -> ExitCode {
    if let Err(error) = outcome {
        return voice.output_failed(&error);
    }
    let is_closed = reads_stdin && crate::process::inherited::is_stdin_closed();
    if is_closed {
        voice.say(b"standard input: Bad file descriptor");
    }
    if failed || is_closed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// A line terminator, newline or NUL.
fn line_end(zero: bool) -> u8 {
    if zero { 0 } else { b'\n' }
}
