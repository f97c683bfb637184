//! Without the feature `objects`, there are no stores.

use std::process::ExitCode;

use super::Args;
use super::source::How;
use crate::terminal::message::usage;

#[derive(clap::Args)]
#[group(id = "stored_options")]
pub(super) struct Options {}

impl Options {
    pub(super) fn is_asked(&self) -> bool {
        false
    }
}

pub(super) fn run(_: &Args, _: &How) -> ExitCode {
    usage()
}
