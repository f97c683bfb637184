//! The program `hashlanes-lab`: all of it is in the library, which `hashlanes` shares.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    hashlanes_cli::lab::main()
}
