//! The program `hashlanes`: all of it is in the library, which `hashlanes-lab` shares.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    hashlanes_cli::main()
}
