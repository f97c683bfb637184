//! Without the feature `objects`, each URL is an error.

use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use hashlanes_files::source::NoStores;
use hashlanes_files::{Function, Hashed};

use crate::terminal::message::usage;
use crate::terminal::usage::lacks;

/// What to say of a URL.
const MISSING: &str = lacks!("objects", "reads URLs");

/// What to say of an option that is about objects.
pub(crate) fn missing(option: &str) -> Option<&'static str> {
    let name = option.split('=').next().unwrap_or(option);
    OPTIONS.contains(&name).then_some(MISSING)
}

const OPTIONS: [&str; 9] = [
    "--endpoint",
    "--region",
    "--anonymous",
    "--ca-certificates",
    "--requests",
    "--timeout",
    "--store",
    "--stored",
    "--download",
];

/// There are none.
pub(crate) type Stores = NoStores;

#[derive(clap::Args)]
#[group(id = "stores")]
pub(crate) struct Options {}

impl Options {
    pub(crate) fn open(&self) -> Arc<Stores> {
        Arc::new(NoStores(MISSING))
    }
}

#[derive(clap::Args)]
#[group(id = "write_back")]
pub(crate) struct WriteBackOptions {}

impl WriteBackOptions {
    pub(crate) fn begin(&self, _: &Arc<Stores>, _: &[Function]) -> Option<WriteBack> {
        None
    }
}

/// There is none.
pub(crate) enum WriteBack {}

impl WriteBack {
    pub(crate) fn add(&mut self, _: &Path, _: &Hashed) -> Result<(), (PathBuf, io::Error)> {
        match *self {}
    }

    pub(crate) fn end(&mut self) -> Option<Result<(), (PathBuf, io::Error)>> {
        match *self {}
    }
}

/// `check --stored`.
pub(crate) mod stored {
    use super::{ExitCode, usage};

    #[derive(clap::Args)]
    #[group(id = "stored_options")]
    pub(crate) struct Options {}

    impl Options {
        pub(crate) fn is_asked(&self) -> bool {
            false
        }
    }

    pub(crate) fn run<A, H>(_: &A, _: &H) -> Result<ExitCode, ExitCode> {
        Err(usage())
    }
}
